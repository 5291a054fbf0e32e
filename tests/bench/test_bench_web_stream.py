"""How long a ruling takes to reach the last of 200 spectators. The goal is under 100 ms for 99 in 100."""

import selectors
import socket
from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from companion.web import create_app, serve
from tests.web.fake_table_view import FakeTable

SPECTATORS = 200
REQUEST = b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Spectators:
    """Open streams, all read from one thread."""

    def __init__(self, port: int) -> None:
        self.links = [socket.create_connection(("127.0.0.1", port)) for _ in range(SPECTATORS)]
        self.ready = selectors.DefaultSelector()
        for link in self.links:
            self.ready.register(link, selectors.EVENT_READ)
            link.sendall(REQUEST)

    def wait_for(self, seq: int) -> None:
        """Returns when every stream has been sent the state with this number."""
        sign = f"event: state\nid: {seq}\n".encode()
        waiting = set(self.links)
        while waiting:
            for key, _ in self.ready.select(timeout=10):
                if sign in key.fileobj.recv(1 << 20):  # type: ignore[union-attr]
                    waiting.discard(key.fileobj)  # type: ignore[arg-type]

    def close(self) -> None:
        self.ready.close()
        for link in self.links:
            link.close()


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def spectators(table: FakeTable) -> Iterator[Spectators]:
    server = serve(create_app(table), port=0)
    crowd = Spectators(server.port)
    crowd.wait_for(table.state()["seq"])
    yield crowd
    crowd.close()
    server.close()


def test_bench_a_ruling_reaches_200_spectators(
    benchmark: BenchmarkFixture, table: FakeTable, spectators: Spectators
) -> None:
    benchmark.pedantic(lambda: spectators.wait_for(table.rule("held", player="white")), rounds=50, warmup_rounds=2)
