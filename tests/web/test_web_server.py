"""waitress in a thread: starts, serves, stops, and says what is wrong with a port."""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from companion.errors import SenryakuError
from companion.web import CannotServe, serve
from companion.web.server import Server
from tests.web.fake_table_view import FakeTable
from tests.web.sse_reading import messages


@pytest.fixture
def server(make_app: Callable[..., Flask]) -> Iterator[Server]:
    running = serve(make_app(max_streams=4), port=0)
    yield running
    running.close()


def get(server: Server, path: str, **headers: str) -> http.client.HTTPResponse:
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    link.request("GET", path, headers={"Connection": "close", **headers})
    return link.getresponse()


def lines(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    while line := answer.readline():
        yield line


def test_it_serves_on_the_port_it_names(server: Server, table: FakeTable) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}/"
    with get(server, "/api/v1/state") as answer:
        assert json.load(answer) == table.state()
        assert answer.headers["Server"] is None


def test_a_stream_arrives_while_it_goes_on(server: Server, table: FakeTable) -> None:
    with get(server, "/api/v1/events") as answer:
        heard = messages(lines(answer))
        assert next(heard).id == 20
        table.rule("held", player="white")
        assert next(said for said in heard if said.kind == "log").id == 21


def test_pages_come_while_all_streams_are_taken(server: Server) -> None:
    streams = [get(server, "/api/v1/events") for _ in range(4)]
    with get(server, "/api/v1/events") as full:
        assert full.status == 503
    with get(server, "/") as page:
        assert page.status == 200
    for stream in streams:
        stream.close()


def test_closing_ends_the_streams_and_frees_the_port(make_app: Callable[..., Flask]) -> None:
    running = serve(make_app(), port=0)
    with get(running, "/api/v1/events") as answer:
        next(messages(lines(answer)))
        running.close()
        assert list(lines(answer))[-1:] in ([], [b"\n"])
    again = serve(make_app(), port=running.port)
    assert again.port == running.port
    again.close()
    again.close()


def test_a_port_in_use_is_named_with_what_to_do(server: Server, make_app: Callable[..., Flask]) -> None:
    with pytest.raises(CannotServe, match=rf"^port {server.port} on 127\.0\.0\.1 is in use: .*another port$") as raised:
        serve(make_app(), port=server.port)
    assert isinstance(raised.value, SenryakuError)
    assert isinstance(raised.value, OSError)


def test_a_port_another_program_listens_on_is_named_too(make_app: Callable[..., Flask]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(CannotServe, match="is in use"):
        serve(make_app(), port=other.getsockname()[1])


@pytest.mark.parametrize(
    ("host", "port", "says"),
    [
        ("127.0.0.1", 70000, "port 70000 does not exist"),
        ("127.0.0.1", -1, "port -1 does not exist"),
        ("192.0.2.1", 0, "host 192.0.2.1 is no address of this machine"),
        ("a..b", 0, "host 'a..b' is not known"),
    ],
)
def test_a_place_that_does_not_exist_is_refused_in_one_line(
    make_app: Callable[..., Flask], host: str, port: int, says: str
) -> None:
    with pytest.raises(CannotServe, match=says) as raised:
        serve(make_app(), host=host, port=port)
    assert "\n" not in str(raised.value)


def test_a_browser_that_goes_away_gives_its_stream_back(server: Server, table: FakeTable) -> None:
    streams = [get(server, "/api/v1/events") for _ in range(4)]
    for stream in streams:
        stream.close()
    patience = time.monotonic() + 20
    status = 503
    while status == 503 and time.monotonic() < patience:  # each live message is a chance to notice that nobody listens
        table.set_live(margin_mm=time.monotonic())
        time.sleep(0.05)
        with get(server, "/api/v1/events") as again:
            status = again.status
    assert status == 200


def test_a_browser_that_does_not_read_harms_nobody(server: Server, table: FakeTable) -> None:
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", server.port))
    deaf.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    with get(server, "/api/v1/events") as answer:
        heard = messages(lines(answer))
        assert next(heard).id == 20
        for _ in range(200):  # more than fits in all of the buffers on the way to it
            seq = table.rule("held", player="white", note="x" * 20_000)
        assert next(said for said in heard if said.kind == "state" and said.id == seq).id == seq
    deaf.close()


def test_who_comes_when_all_places_are_taken_polls_and_sees_the_game(server: Server, table: FakeTable) -> None:
    streams = [get(server, "/api/v1/events") for _ in range(4)]
    with get(server, "/api/v1/events") as full:
        assert (full.status, full.headers["Retry-After"]) == (503, "30")
    for _ in range(3):
        seq = table.rule("held", player="black")
        with get(server, "/api/v1/state") as answer:
            assert json.load(answer)["seq"] == seq
    for stream in streams:
        stream.close()
