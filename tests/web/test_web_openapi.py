"""The API's document is true: every address is in it, and whatever is sent, nothing breaks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, settings

from companion.log import EventLog
from companion.rules import MatchRules
from companion.table.refereeing import Refereeing
from companion.table.resuming import referee_state
from companion.table.settings import TableSettings
from companion.table.table import Table
from companion.web import WebSettings, create_app
from companion.web.app import feed_of
from companion.web.openapi import document
from tests.web.conftest import SAME_SITE, pair_up
from vision.geometry import MarkerLayout

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: pip install -e '.[dev]'")

MARKERS = MarkerLayout({0: (-100.0, -90.0), 1: (100.0, -90.0), 2: (100.0, 90.0), 3: (-100.0, 90.0)})
EXAMPLES = 8
ENDLESS = "/api/v1/events"
schema = schemathesis.openapi.from_dict(document())


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The pages of a real table without a witness, in the middle of a game."""
    folder: Path = tmp_path_factory.mktemp("table")
    with EventLog.open(folder / "table.db") as log:
        known = TableSettings("Table 1", markers=MARKERS)
        refereeing = Refereeing.of(known, referee_state(_empty(log), known.rules), loads=False, camera=False)
        table = Table(log, refereeing, lambda: 1_800_000_000.0)
        table.begin_match("Ada", "Ben", MatchRules())
        table.console({"do": "start"})
        made = create_app(table, WebSettings(console=True))
        yield made
        feed_of(made).close()


def _empty(log: EventLog) -> Any:
    from companion.log import fold

    return fold(log.events())


def test_every_address_of_the_api_is_in_the_document(app: Flask) -> None:
    served = {
        (method.lower(), rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/v1/") and rule.rule not in ("/api/v1/openapi.json", "/api/v1/demo")
    }
    told = {(method, path) for path, methods in document()["paths"].items() for method in methods}
    shape = {(method, _plain(path)) for method, path in served}
    assert shape == {(method, _plain(path)) for method, path in told if path.startswith("/api/v1/")}


def _plain(path: str) -> str:
    """With all parameters alike: `/games/<int:id>` and `/games/{game}` are the same address."""
    import re

    return re.sub(r"<[^>]+>|\{[^}]+\}", "*", path)


@schema.exclude(path=ENDLESS).parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@pytest.mark.parametrize("paired", [False, True], ids=["anybody", "paired"])
def test_whatever_is_sent_the_answer_is_one_of_those_promised(case: Any, app: Flask, paired: bool) -> None:
    client = app.test_client()
    if paired:
        pair_up(client)
    headers = {name: value for name, value in dict(case.headers or {}).items() if name.lower() != "x-senryaku"}
    headers |= SAME_SITE
    methods = document()["paths"][case.path]
    method = case.method.lower()
    promised = {int(status) for status in methods[method]["responses"]} if method in methods else {404, 405}
    if method in ("options", "head"):
        promised |= {200}
    body: dict[str, Any] = {}
    if case.method in ("POST", "PUT"):
        body = {"json": case.body if isinstance(case.body, dict | list | str | int | float | bool | None) else None}
    answer = client.open(
        case.formatted_path, method=case.method, query_string=dict(case.query or {}), headers=headers, **body
    )
    assert answer.status_code in promised
    if answer.status_code >= 400:
        assert list(answer.get_json()) == ["error"]
