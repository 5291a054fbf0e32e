"""Who is let in, and what every answer carries."""

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import SenryakuError
from companion.web import WebSettings
from companion.web.guard import host_name, is_trusted
from tests.web.conftest import SAME_SITE
from tests.web.fake_table_view import FakeTable

HAND_MOVE = {"do": "hand_move", "from": "d1", "to": "d2"}


def one_line(answer) -> str:
    """The error of a JSON answer, which is one line and nothing else."""
    assert answer.is_json
    assert list(answer.json) == ["error"]
    text = answer.json["error"]
    assert text
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/static/main.js"),
        ("GET", "/api/v1/state"),
        ("GET", "/api/v1/live"),
        ("GET", "/favicon.ico"),
        ("GET", "/picture.jpg"),
        ("GET", "/nothing"),
        ("DELETE", "/api/v1/state"),
        ("POST", "/api/v1/demo"),
        ("HEAD", "/api/v1/events"),
    ],
)
def test_every_answer_carries_the_security_headers(client: FlaskClient, method: str, path: str) -> None:
    with client.open(path, method=method) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_the_refusal_of_a_host_carries_them_too(client: FlaskClient) -> None:
    answer = client.get("/", headers={"Host": "evil.example"})
    assert "Content-Security-Policy" in answer.headers


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8000", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:8000", "localhost."]
)
def test_the_machine_itself_may_call(client: FlaskClient, host: str) -> None:
    assert client.get("/api/v1/state", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evil@localhost",
        "192.168.1.7:8000",
        "localhost:x",
        "",
        "[",
        "a/b",
        "localhost/x",
    ],
)
def test_other_names_are_refused_in_one_line(client: FlaskClient, host: str) -> None:
    answer = client.get("/api/v1/state", headers={"Host": host})
    assert answer.status_code == 400
    assert "trusted hosts" in one_line(answer)


def test_a_name_of_the_settings_may_call(make_app) -> None:
    client = make_app(trusted_hosts=("Senryaku.local",)).test_client()
    assert client.get("/", headers={"Host": "senryaku.local:8000"}).status_code == 200
    assert client.get("/", headers={"Host": "other.local:8000"}).status_code == 400


def test_addresses_may_call_where_the_settings_say_so() -> None:
    settings = WebSettings(trust_addresses=True)
    assert is_trusted("192.168.1.7:8000", settings)
    assert is_trusted("[fe80::1]:8000", settings)
    assert not is_trusted("evil.example", settings)


@given(st.text(max_size=40))
def test_no_host_header_is_too_odd_to_be_judged(host: str) -> None:
    assert host_name(host) == host_name(host).lower()
    is_trusted(host, WebSettings(trust_addresses=True))


def test_a_hand_move_reaches_the_simulated_table(referee: FlaskClient, table: FakeTable) -> None:
    answer = referee.post("/api/v1/demo", json=HAND_MOVE, headers=SAME_SITE)
    assert (answer.status_code, answer.json) == (200, {"ok": True})
    assert table.asked == [HAND_MOVE]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Senryaku": "0"},
        {**SAME_SITE, "Sec-Fetch-Site": "cross-site"},
        {**SAME_SITE, "Sec-Fetch-Site": "same-site"},
        {**SAME_SITE, "Sec-Fetch-Site": "none"},
        {**SAME_SITE, "Origin": "http://evil.example"},
        {**SAME_SITE, "Origin": "http://localhost:9000"},
        {**SAME_SITE, "Origin": "null"},
    ],
)
def test_a_command_from_elsewhere_is_refused(referee: FlaskClient, table: FakeTable, headers: dict[str, str]) -> None:
    answer = referee.post("/api/v1/demo", json=HAND_MOVE, headers=headers)
    assert answer.status_code == 403
    one_line(answer)
    assert table.asked == []


def test_a_real_table_takes_no_hand_moves(make_app, table: FakeTable) -> None:
    answer = make_app(simulated=False).test_client().post("/api/v1/demo", json=HAND_MOVE, headers=SAME_SITE)
    assert answer.status_code == 403
    assert "real table" in one_line(answer)
    assert table.asked == []


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'"lean"', "application/json", 400),
        (b"{}", "application/json", 400),
        (b'{"do": 1}', "application/json", 400),
        (b'{"do": "sing"}', "application/json", 400),
        (b"", "application/json", 400),
        (b"[" * 2000, "application/json", 400),
        (b'{"do": "lean"}', "text/plain", 415),
        (b"do=lean", "application/x-www-form-urlencoded", 415),
        (b'{"do": "' + b"x" * 3000 + b'"}', "application/json", 413),
    ],
)
def test_a_malformed_command_is_refused_in_one_line(
    referee: FlaskClient, table: FakeTable, body: bytes, kind: str, status: int
) -> None:
    answer = referee.post("/api/v1/demo", data=body, content_type=kind, headers=SAME_SITE)
    assert answer.status_code == status
    one_line(answer)
    assert table.asked == []


def test_a_command_that_cannot_be_done_now_is_a_conflict(referee: FlaskClient, table: FakeTable, monkeypatch) -> None:
    def refuse(command: object) -> None:
        raise SenryakuError("no sphere stands on d3")

    monkeypatch.setattr(table, "ask", refuse)
    answer = referee.post("/api/v1/demo", json={"do": "hand_move", "from": "d3", "to": "d4"}, headers=SAME_SITE)
    assert answer.status_code == 409
    assert one_line(answer) == "no sphere stands on d3"


def test_a_fault_of_our_own_shows_no_traceback(client: FlaskClient, table: FakeTable, monkeypatch) -> None:
    monkeypatch.setattr(table, "state", lambda: 1 / 0)
    answer = client.get("/api/v1/state")
    assert answer.status_code == 500
    assert "ZeroDivision" not in one_line(answer)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("PUT", "/api/v1/state", 405), ("GET", "/api/v1/demo", 405)],
)
def test_what_is_not_there_is_said_in_one_line(client: FlaskClient, method: str, path: str, status: int) -> None:
    answer = client.open(path, method=method)
    assert answer.status_code == status
    one_line(answer)


PERSON = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"}
"""What a browser asks for when a person goes to a page."""


@pytest.mark.parametrize(("path", "status"), [("/nothing", 404), ("/history/77", 404), ("/print/markers.pdf", 401)])
def test_a_person_is_told_on_a_page_and_a_program_in_json(client: FlaskClient, path: str, status: int) -> None:
    page = client.get(path, headers=PERSON)
    assert (page.status_code, page.mimetype) == (status, "text/html")
    assert 'href="/"' in page.text
    one_line(client.get(path))


def test_the_api_answers_in_json_whoever_asks(client: FlaskClient) -> None:
    assert one_line(client.get("/api/v1/nothing", headers=PERSON)) == "this table has no page of that address"
