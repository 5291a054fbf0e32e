"""A web app over a fake table, and what is needed to read its streams."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.web import WebSettings, create_app
from companion.web.app import feed_of
from tests.web.fake_table_view import FakeTable


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def make_app(table: FakeTable) -> Iterator[Callable[..., Flask]]:
    apps: list[Flask] = []

    def make(**settings: object) -> Flask:
        apps.append(create_app(table, WebSettings(**{"simulated": True, **settings})))  # type: ignore[arg-type]
        return apps[-1]

    yield make
    for app in apps:
        feed_of(app).close()


SAME_SITE = {"X-Senryaku": "1", "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
"""What a browser sends with a command of the table's own page."""


def pair_up(client: FlaskClient, name: str = "tablet") -> str:
    """Pairs a client that sits at the table; gives its device's id."""
    code = client.get("/api/v1/session").json["code"]
    answer = client.post("/api/v1/pair", json={"code": code, "name": name}, headers=SAME_SITE)
    assert answer.status_code == 200
    return str(answer.json["id"])


@pytest.fixture
def referee(make_app: Callable[..., Flask]) -> FlaskClient:
    """A paired device of a simulated table."""
    client = make_app(console=True).test_client()
    pair_up(client)
    return client


@pytest.fixture
def client(make_app: Callable[..., Flask]) -> FlaskClient:
    return make_app(title="Table <1>").test_client()
