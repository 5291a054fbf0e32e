"""Whole games of Try 4 by camera on the simulated mat, with mistakes, and with the process killed in the middle."""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from companion.log.try4_store import Ending, Try4Store
from companion.rules.try4_text import placings_of

ROOT = Path(__file__).resolve().parents[2]
SEED = 5
PATIENCE_S = 300


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start(file):
    """A demo as fast as it goes, in a process of its own."""
    asked = ["demo", "--try4", "--mistakes", "--games", "1", "--speed", "1000", "--seed", str(SEED), "--no-browser"]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "companion.cli", *asked, "--port", str(free_port()), "--json", "--log", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def turns_in(file):
    """The turns that are safe on the disk, looked up beside the running program."""
    if not file.exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as look:
        try:
            return [tiles for (tiles,) in look.execute("SELECT tiles FROM turn ORDER BY game, number")]
        except sqlite3.OperationalError:  # it is being made
            return []


def slow_score(board, fresh):
    """The score of a turn by looking at every block of four cells: written apart from the program's own."""
    total = 0
    for x in range(1, 26):
        for y in range(1, 26):
            block = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
            if not all(place in board for place in block) or not any(place in fresh for place in block):
                continue
            colours, numbers = [board[p][0] for p in block], [board[p][1] for p in block]
            total += max(colours.count(colour) for colour in colours)
            if len(set(numbers)) in (1, 4):
                total += sum(numbers)
    return total


def slow_totals(turns, players):
    board, totals = {}, [0] * players
    for k, tiles in enumerate(turns):
        fresh = {(ord(str(c)[0]) - 96, int(str(c)[1:])): (t.colour, t.number) for c, t in placings_of(tiles).items()}
        board.update(fresh)
        totals[k % players] += slow_score(board, fresh)
    return totals


@pytest.mark.parametrize("cuts", [(2, 7)])
def test_a_game_of_25_tiles_with_mistakes_is_scored_as_the_rules_say_though_it_is_killed_twice(tmp_path, cuts):
    file = tmp_path / "mat.db"
    known = []
    for cut in cuts:
        program = start(file)
        until = time.monotonic() + PATIENCE_S
        while len(turns_in(file)) < cut and time.monotonic() < until and program.poll() is None:
            time.sleep(0.05)
        program.send_signal(signal.SIGKILL)
        program.communicate()
        now = turns_in(file)
        assert len(now) >= cut
        assert now[: len(known)] == known, "no turn that was played is lost or changed"
        known = now
    program = start(file)
    out, err = program.communicate(timeout=PATIENCE_S)
    assert "the unfinished game goes on after turn" in err
    assert program.returncode == 0, err
    (report,) = json.loads(out)["games"]
    assert report["agrees"], report["difference"]
    with Try4Store.open(file) as store:
        (game,) = store.finished()
    assert game.ending is Ending.OVER
    assert len(game.game.board) == 25
    turns = turns_in(file)
    assert turns[: len(known)] == known
    assert report["totals"] == slow_totals(turns, 2)
    assert any(said.startswith(("refused", "asked")) for said in report["said"]), "or no mistake was made"
