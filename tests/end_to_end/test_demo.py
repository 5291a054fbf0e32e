"""The demo from outside: a process, its web API and its log."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.log import verify

UP_WITHIN_S = 60
PLAYED_WITHIN_S = 120


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "companion.cli", "demo", "--no-browser", *arguments]


@contextlib.contextmanager
def demo(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], Callable[[], dict[str, Any]]]]:
    """A running demo and a way to ask for its state."""
    port = free_port()
    process = subprocess.Popen(command("--port", str(port), *arguments), stderr=subprocess.DEVNULL)

    def state() -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/state", timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    try:
        yield process, state
    finally:
        process.kill()
        process.wait()


def until(state: Callable[[], dict[str, Any]], wanted: Callable[[dict[str, Any]], bool], seconds: float) -> Any:
    """The first state that is as wanted."""
    last: Any = "no answer"
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            last = state()
            if wanted(last):
                return last
        time.sleep(0.1)
    pytest.fail(f"not seen within {seconds} s; last: {str(last)[:500]}")


def moves_of(state: dict[str, Any]) -> list[str]:
    return [move["move"] for move in state["game"]["moves"]] if state["game"] else []


def test_the_log_equals_what_happened_and_a_finished_run_is_not_gone_on_with(tmp_path: Path) -> None:
    log = tmp_path / "demo.db"
    arguments = ["--games", "1", "--speed", "1000", "--mistakes", "--seed", "44", "--json", "--log", str(log)]
    for _ in range(2):
        done = subprocess.run(
            command(*arguments, "--port", str(free_port())), capture_output=True, text=True, timeout=300
        )
        summary = json.loads(done.stdout)
        assert [game["difference"] for game in summary["games"]] == [None]
        assert all(game["result"].startswith("game_over") for game in summary["games"])
        assert sum(game["rulings"] for game in summary["games"]) > 10
        assert summary["agree"]
        assert done.returncode == 0
    assert verify(log) == []


def test_a_killed_demo_goes_on_with_the_same_game(tmp_path: Path) -> None:
    log = tmp_path / "demo.db"
    arguments = ("--speed", "20", "--seed", "7", "--log", str(log))
    with demo(*arguments) as (process, state):
        before = until(state, lambda s: len(moves_of(s)) >= 3, UP_WITHIN_S + PLAYED_WITHIN_S)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert verify(log) == []
    with demo(*arguments) as (_, state):
        after = until(state, lambda s: s["seq"] >= before["seq"], UP_WITHIN_S)
        assert after["game"]["number"] == before["game"]["number"]
        assert moves_of(after)[: len(moves_of(before))] == moves_of(before)
        assert after["match"] == before["match"]
        enough = len(moves_of(after)) + 2
        until(
            state,
            lambda s: len(moves_of(s)) >= enough or (s["game"] or {}).get("over") or s["game"]["number"] > 1,
            PLAYED_WITHIN_S,
        )


def test_a_taken_port_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        arguments = ["--games", "1", "--port", port, "--log", str(tmp_path / "demo.db")]
        done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 2)
    assert port in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("more", [[], ["--try4"]])
def test_a_demo_whose_port_is_taken_leaves_nothing_behind(more: list[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        log = tmp_path / "new" / "demo.db"
        refused = subprocess.run(
            command("--port", port, "--log", str(log), *more), capture_output=True, text=True, timeout=60
        )
    assert refused.returncode == 1
    assert f"port {port} on 127.0.0.1 is in use" in refused.stderr
    assert list(tmp_path.iterdir()) == []
