"""The referee's console over the web: who may use it, and what becomes of a refusal."""

import pytest
from flask.testing import FlaskClient

from companion.errors import SenryakuError
from companion.table.evidence_case import Case
from companion.table.printing import SHEETS
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


@pytest.mark.parametrize("what", SHEETS)
def test_sheets_are_printed_for_paired_devices(referee: FlaskClient, what: str) -> None:
    sheet = referee.get(f"/print/{what}.pdf?paper=a3")
    assert (sheet.mimetype, sheet.data[:5]) == ("application/pdf", b"%PDF-")
    assert referee.get(f"/print/{what}.pdf?paper=papyrus").status_code == 400
    assert referee.get("/print/banknotes.pdf").status_code == 400
    assert referee.application.test_client().get(f"/print/{what}.pdf").status_code == 401


def test_evidence_is_shown_to_paired_devices_with_loads_in_grams(referee: FlaskClient, table: FakeTable) -> None:
    about = {
        "event": {"seq": 20},
        "says": "White moved b1-b2",
        "calibration": {
            "low": {"offset_counts": 100.0, "counts_per_gram": 10.0},
            "high": {"offset_counts": 0.0, "counts_per_gram": -5.0},
        },
    }
    load = b"t_s,low_counts,high_counts\n1.0,5100,-1000\n1.1,,-1005\n"
    table.cases[20] = Case(about, {"before.jpg": b"\xff\xd8", "load.csv": load})
    shown = referee.get("/api/v1/evidence/20").json
    assert shown["has"] == {"before": True, "after": False}
    assert shown["loads"] == [[1.0, 500.0, 200.0], [1.1, None, 201.0]]
    assert referee.get("/api/v1/evidence/20/before.jpg").data == b"\xff\xd8"
    assert referee.get("/api/v1/evidence/20/after.jpg").status_code == 400
    assert referee.get("/api/v1/evidence/21").status_code == 404
    assert referee.application.test_client().get("/api/v1/evidence/20/before.jpg").status_code == 401


@pytest.mark.parametrize("since", ["nan", "inf", "-inf", "1e999", "soon", ""])
def test_loads_since_no_time_are_refused(referee: FlaskClient, since: str) -> None:
    answer = referee.get(f"/api/v1/loads?since={since}")
    assert answer.status_code == 400
    assert "since: a time on the table's clock" in answer.json["error"]
