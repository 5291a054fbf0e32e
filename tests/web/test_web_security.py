"""What strangers send: foreign names, frames, paths, bodies and texts that are meant to do harm."""

import contextlib
import socket
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.web import Server, serve
from tests.web.conftest import SAME_SITE, pair_up
from tests.web.fake_table_view import FakeTable

HOSTILE = "<img src=x onerror=alert(1)>\"'`{{7*7}}${7*7}"


@pytest.fixture
def app(make_app: Callable[..., Flask]) -> Flask:
    return make_app(console=True)


@pytest.fixture
def server(app: Flask) -> Iterator[Server]:
    running = serve(app, port=0)
    yield running
    running.close()


def pages(app: Flask) -> list[str]:
    """Every address that is read without parameters."""
    rules = [rule.rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or set()) and not rule.arguments]
    return [rule for rule in rules if rule != "/api/v1/events"]


def test_no_page_can_be_framed_or_read_by_another_site(app: Flask) -> None:
    client = app.test_client()
    pair_up(client)
    found = pages(app)
    assert len(found) >= 15
    for path in found:
        with client.get(path) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["X-Frame-Options"] == "DENY"
            assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert "Access-Control-Allow-Origin" not in answer.headers
            assert answer.headers.get("Set-Cookie") is None, path


def test_no_page_is_served_under_a_foreign_name(app: Flask) -> None:
    client = app.test_client()
    for path in [*pages(app), "/api/v1/events"]:
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.nip.io"):
            assert client.get(path, headers={"Host": host}).status_code == 400, path


def test_a_cookie_alone_writes_nothing(app: Flask, table: FakeTable) -> None:
    """As a form on another site would send it, if the cookie were sent along at all."""
    client = app.test_client()
    pair_up(client)
    forms = [
        {"data": {"do": "undo"}},
        {"data": '{"do": "undo"}', "content_type": "text/plain"},
        {"data": '{"do": "undo"}', "content_type": "application/json"},
        {"json": {"do": "undo"}, "headers": {**SAME_SITE, "Origin": "http://localhost.evil.example"}},
        {"json": {"do": "undo"}, "headers": {**SAME_SITE, "Sec-Fetch-Site": "same-site"}},
    ]
    for form in forms:
        assert client.post("/api/v1/console", **form).status_code == 403  # type: ignore[arg-type]
    assert table.asked == []


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/..\\app.py",
        "/static/%00",
        "/static/a" + "b" * 3000,
        "/api/v1/evidence/../../state",
        "/api/v1/evidence/-1",
        "/api/v1/evidence/999999999999999999999999.zip",
        "/api/v1/evidence/1/../../../etc.jpg",
        "/api/v1/games/1e3",
        "/history/%3Cscript%3E",
        "//evil.example/",
        "/%ff%fe",
    ],
)
def test_tricks_with_paths_find_nothing(app: Flask, path: str) -> None:
    client = app.test_client()
    pair_up(client)
    answer = client.get(path)
    assert answer.status_code in (400, 404)
    assert b"import" not in answer.data
    assert b"root:" not in answer.data


def test_hostile_names_stay_text_on_every_page(app: Flask, table: FakeTable) -> None:
    table.play_a_game(HOSTILE, "</title><script>alert(1)</script>")
    client = app.test_client()
    pair_up(client)
    (game,) = client.get("/api/v1/games").json
    assert game["white"] == HOSTILE
    for path in ("/history", f"/history/{game['id']}"):
        page = client.get(path).text
        assert "<img" not in page
        assert "<script>" not in page
        assert "onerror" not in page.replace("onerror=alert(1)&gt;", "")
        assert "{{7*7}}" in page
    exported = client.get(f"/api/v1/games/{game['id']}/export?format=text")
    assert exported.mimetype == "text/plain"
    assert exported.headers["Content-Disposition"] == f'attachment; filename="game-{game["id"]}.txt"'
    assert exported.headers["X-Content-Type-Options"] == "nosniff"


def test_a_hostile_export_format_is_refused(app: Flask, table: FakeTable) -> None:
    table.play_a_game()
    client = app.test_client()
    answer = client.get("/api/v1/games/2/export?format=../../etc")
    assert (answer.status_code, list(answer.json)) == (400, ["error"])


def raw(server: Server, sent: bytes) -> bytes:
    """What a server answers to bytes that no browser would send, until it closes or falls silent."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=3) as link:
        heard = b""
        with contextlib.suppress(OSError):  # who is refused early is hung up on
            link.sendall(sent)
            link.shutdown(socket.SHUT_WR)
        with contextlib.suppress(OSError):
            while more := link.recv(65536):
                heard += more
        return heard


HEAD = b"POST /api/v1/console HTTP/1.1\r\nHost: localhost\r\nX-Senryaku: 1\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 40_000 + b"\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        HEAD + b"Content-Length: 100000\r\n\r\n" + b"x" * 100_000,
        HEAD + b"Content-Length: -5\r\n\r\n{}",
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 10\r\n\r\n{",
    ],
)
def test_malformed_requests_harm_nobody(server: Server, table: FakeTable, sent: bytes) -> None:
    answer = raw(server, sent)
    assert b" 500 " not in answer.split(b"\r\n")[0]
    assert b"Traceback" not in answer
    assert table.asked == []
    assert b" 200 OK" in raw(server, b"GET /api/v1/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")


def test_an_oversized_body_is_refused(app: Flask, table: FakeTable) -> None:
    client: FlaskClient = app.test_client()
    pair_up(client)
    for path in ("/api/v1/console", "/api/v1/pair", "/api/v1/demo"):
        answer = client.post(path, json={"do": "undo", "more": "x" * 100_000}, headers=SAME_SITE)
        assert answer.status_code == 413
        assert list(answer.json) == ["error"]
    assert table.asked == []
