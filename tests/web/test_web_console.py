"""The referee's console over the web: who may use it, and what becomes of a refusal."""

import pytest
from flask.testing import FlaskClient

from companion.errors import SenryakuError
from tests.web.conftest import SAME_SITE
from tests.web.fake_table_view import FakeTable

ANSWER = {"do": "answer", "question": 20, "move": "b1-b2"}


def test_an_answer_reaches_the_table(referee: FlaskClient, table: FakeTable) -> None:
    answer = referee.post("/api/v1/console", json=ANSWER, headers=SAME_SITE)
    assert (answer.status_code, answer.json) == (200, {"done": True})
    assert table.asked == [ANSWER]


@pytest.mark.parametrize(
    "headers", [{}, {**SAME_SITE, "Sec-Fetch-Site": "cross-site"}, {**SAME_SITE, "Origin": "null"}]
)
def test_a_request_from_elsewhere_is_refused(referee: FlaskClient, table: FakeTable, headers: dict[str, str]) -> None:
    assert referee.post("/api/v1/console", json=ANSWER, headers=headers).status_code == 403
    assert table.asked == []


def test_spectators_of_a_table_may_not_overrule_the_referee(client: FlaskClient, table: FakeTable) -> None:
    answer = client.post("/api/v1/console", json=ANSWER, headers=SAME_SITE)
    assert answer.status_code == 403
    assert "overrule" in answer.json["error"]
    assert table.asked == []
    assert b'id="console"' not in client.get("/").data


@pytest.mark.parametrize("body", [b"{", b"[]", b"{}", b'{"do": 1}'])
def test_a_malformed_request_is_refused(referee: FlaskClient, body: bytes) -> None:
    answer = referee.post("/api/v1/console", data=body, content_type="application/json", headers=SAME_SITE)
    assert answer.status_code == 400


def test_what_cannot_be_done_now_is_a_conflict_in_one_line(referee: FlaskClient, table: FakeTable, monkeypatch) -> None:
    def refuse(command: object) -> None:
        raise SenryakuError("question 20 is no longer open")

    monkeypatch.setattr(table, "console", refuse)
    answer = referee.post("/api/v1/console", json=ANSWER, headers=SAME_SITE)
    assert (answer.status_code, answer.json) == (409, {"error": "question 20 is no longer open"})
