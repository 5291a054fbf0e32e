"""What was learned survives whatever happens to the program."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from companion.balance import NEW_HAND, nothing_known
from companion.errors import BadInput
from companion.rules import Position
from companion.table.balance_file import BalanceKeeper, Kept, balance_file, read_kept, write_kept

LEARNED = nothing_known(Position.start(), "ranks", 36.0)


def test_where_nothing_was_kept_nothing_is_known(tmp_path):
    assert read_kept(tmp_path / "none.balance.json") == Kept()


def test_what_is_kept_comes_back(tmp_path):
    file = balance_file(tmp_path / "demo.db")
    assert file.name == "demo.balance.json"
    kept = Kept(LEARNED, {"Ada": NEW_HAND})
    write_kept(file, kept)
    assert read_kept(file) == kept


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2}', '{"version": 1, "learned": {}, "hands": {}}'])
def test_a_bad_file_is_refused_by_name_in_one_line(tmp_path, text):
    file = tmp_path / "bad.balance.json"
    file.write_text(text)
    with pytest.raises(BadInput, match=r"bad\.balance\.json") as error:
        read_kept(file)
    assert "\n" not in str(error.value)


def test_a_keeper_writes_the_newest_and_ends_with_it_written(tmp_path):
    file = tmp_path / "a.balance.json"
    keeper = BalanceKeeper(file)
    for n in range(50):
        keeper.keep(Kept(LEARNED, {f"player {n}": NEW_HAND}))
    keeper.close()
    assert list(read_kept(file).hands) == ["player 49"]
    assert keeper.problem is None


def test_a_disk_that_cannot_be_written_is_named(tmp_path):
    keeper = BalanceKeeper(tmp_path / "gone" / "a.balance.json")
    keeper.keep(Kept(LEARNED))
    keeper.close()
    assert "gone" in keeper.problem


WRITER = """
import sys
from pathlib import Path
from companion.balance import NEW_HAND, nothing_known
from companion.rules import Position
from companion.table.balance_file import Kept, write_kept
n = 0
while True:
    n += 1
    write_kept(Path(sys.argv[1]), Kept(nothing_known(Position.start(), "ranks", 36.0), {f"player {n}": NEW_HAND}))
"""


def test_killed_while_writing_the_file_is_whole(tmp_path):
    file = tmp_path / "a.balance.json"
    writer = subprocess.Popen(
        [sys.executable, "-P", "-c", WRITER, str(file)], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    try:
        deadline = time.monotonic() + 30
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.2)
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    assert read_kept(file).learned == LEARNED
    assert json.loads(file.read_text())["version"] == 1
