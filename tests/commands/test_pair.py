"""`pair`: the code told in the terminal."""

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from companion.commands.pair import pair, tell_code
from companion.web import Server, WebSettings, create_app, serve
from tests.web.fake_table_view import FakeTable


@pytest.fixture
def server() -> Iterator[Server]:
    running = serve(create_app(FakeTable(), WebSettings(console=True)), port=0)
    yield running
    running.close()


def test_the_code_of_a_running_table_is_told(server: Server) -> None:
    told = CliRunner().invoke(pair, ["--port", str(server.port)])
    assert told.output.strip().isdigit()
    again = CliRunner().invoke(pair, ["--port", str(server.port), "--json"])
    assert json.loads(again.output) == {"code": told.output.strip()}


def test_where_no_table_runs_it_is_said_in_one_line(server: Server) -> None:
    server.close()
    done = CliRunner().invoke(pair, ["--port", str(server.port)])
    assert f"port {server.port}" in str(done.exception)
    assert "\n" not in str(done.exception)


def test_what_no_person_reads_gets_no_code(capsys: pytest.CaptureFixture[str]) -> None:
    """A service's output is kept in a log."""
    tell_code(create_app(FakeTable(), WebSettings(console=True)), "http://127.0.0.1:8000/")
    said = capsys.readouterr().err
    assert "console" in said
    assert not any(word.strip(".").isdigit() and len(word) == 6 for word in said.split())
