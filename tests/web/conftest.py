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


@pytest.fixture
def client(make_app: Callable[..., Flask]) -> FlaskClient:
    return make_app(title="Table <1>").test_client()
