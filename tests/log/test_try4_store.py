"""The stored games of Try 4: they go on after anything, and what players delete is gone."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from companion.errors import BadInput
from companion.log import BadLog, LogInUse, LogNotSaved
from companion.log.try4_store import Ending, Setup, Try4Store, Way
from companion.rules.try4 import IllegalTurn
from companion.rules.try4_text import placings_of

SETUP = Setup.of(7, 7, 2, "red 1 1 2 3 4; red 1 1 2 3 4; blue 1 1 2 3 4", ("Ada", "Ben"))
SMALL = Setup.of(3, 3, 1, "red 1 2")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "games" / "try4.db"


@pytest.fixture
def store(file):
    with Try4Store.open(file) as opened:
        yield opened


def again(store):
    store.close()
    return Try4Store.open(store.path)


def played(store, *turns, setup=SETUP, way=Way.SCREEN):
    number = store.begin(way, setup, 100.0).number
    for k, turn in enumerate(turns):
        store.play(number, placings_of(turn), 101.0 + k)
    return number


def test_an_unfinished_game_goes_on_as_it_was_with_the_tiles_that_were_laid(store):
    number = played(store, "a1=red1", "b1=red2 a2=red3 b2=red4")
    store.lay(number, placings_of("g7=blue1"))
    before = store.game(number)
    with again(store) as opened:
        (found,) = opened.unfinished(Way.SCREEN)
        assert found == before
        assert found.setup == SETUP
        assert found.laid == placings_of("g7=blue1")
        assert found.game.totals == (0, 14)


def test_games_on_the_screen_and_on_the_mat_are_kept_apart(store):
    screen, mat = played(store, "a1=red1"), played(store, "a1=red2", way=Way.CAMERA)
    assert [g.number for g in store.unfinished(Way.SCREEN)] == [screen]
    assert [g.number for g in store.unfinished(Way.CAMERA)] == [mat]


def test_the_last_tile_ends_the_game(store):
    number = played(store, "a1=red1", "a2=red2", setup=SMALL)
    ended = store.game(number)
    assert (ended.ending, ended.ended) == (Ending.OVER, 102.0)
    assert [g.number for g in store.finished()] == [number]
    assert not store.unfinished(Way.SCREEN)
    with pytest.raises(BadInput, match="has ended"):
        store.play(number, placings_of("a3=red1"), 103.0)


def test_a_turn_that_breaks_a_rule_leaves_nothing_behind(store):
    number = played(store, "a1=red1")
    with pytest.raises(IllegalTurn):
        store.play(number, placings_of("a1=red2"), 102.0)
    assert len(store.game(number).game.turns) == 1


def test_a_turn_taken_back_is_gone_also_after_the_end(store):
    number = played(store, "a1=red1", "a2=red2", setup=SMALL)
    back = store.take_back(number)
    assert len(back.game.turns) == 1
    assert back.ended is None
    with again(store) as opened:
        assert opened.game(number) == back


def test_a_cleared_board_can_be_brought_back_and_is_no_finished_game(store):
    number = played(store, "a1=red1")
    store.clear(number, 105.0)
    assert not store.unfinished(Way.SCREEN)
    assert not store.finished()
    assert store.bring_back(number).game.board == placings_of("a1=red1")
    assert [g.number for g in store.unfinished(Way.SCREEN)] == [number]


def test_clearing_a_board_on_which_nothing_was_played_keeps_nothing(store):
    number = played(store)
    store.clear(number, 105.0)
    assert store.game(number) is None


def test_deleting_the_history_deletes_it_from_the_disk_and_leaves_what_goes_on(store):
    goes_on = played(store, "a1=red1")
    gone = Setup.of(3, 3, 1, "vermilion 1")
    over = played(store, "a1=vermilion1", setup=gone)
    cleared = played(store, "a1=vermilion1", setup=Setup.of(3, 3, 1, "vermilion 1 2"))
    store.clear(cleared, 109.0)
    assert store.delete_history() == 2
    assert store.game(over) is None
    assert store.game(goes_on) is not None
    files = store.path.parent.glob(store.path.name + "*")
    assert not any(b"vermilion" in file.read_bytes() for file in files)


def test_preferences_are_kept(store):
    assert store.preference("settings") is None
    store.prefer("settings", {"columns": 5})
    store.prefer("settings", {"columns": 6})
    with again(store) as opened:
        assert opened.preference("settings") == {"columns": 6}


def test_two_programs_do_not_write_to_the_same_games(store):
    with pytest.raises(LogInUse):
        Try4Store.open(store.path)


@pytest.mark.parametrize("content", [b"not a database at all, only text" * 40, b"SQLite format 3\0" + b"x" * 4096])
def test_another_file_is_refused_in_one_line_and_left_alone(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(BadLog) as refused:
        Try4Store.open(file)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert file.read_bytes() == content


def test_a_match_s_log_is_no_file_of_games(tmp_path):
    from companion.log import EventLog

    EventLog.open(tmp_path / "table.db").close()
    with pytest.raises(BadLog, match="another program"):
        Try4Store.open(tmp_path / "table.db")


def test_a_stored_turn_that_no_rule_allows_is_refused_by_the_game_s_number(store):
    number = played(store, "a1=red1")
    store._connection.execute("UPDATE turn SET tiles = 'a1=red9'")
    with pytest.raises(BadLog, match=f"game {number} cannot be read"):
        again(store)


def test_a_place_that_cannot_be_written_to_is_refused_in_one_line():
    with pytest.raises(LogNotSaved, match="cannot be opened for writing"):
        Try4Store.open(Path("/proc/try4.db"))


PLAYER = """
    import sys
    from companion.log.try4_store import Setup, Try4Store, Way
    from companion.rules.try4_text import placings_of

    store = Try4Store.open(sys.argv[1])
    setup = Setup.of(7, 7, 1, "red " + " ".join(["1"] * 49))
    for game in range(1000):
        number = store.begin(Way.SCREEN, setup, 0.0).number
        for column in "abcdefg":
            for row in range(1, 8):
                store.play(number, placings_of(f"{column}{row}=red1"), 0.0)
                print(number, f"{column}{row}", flush=True)
"""


@pytest.mark.parametrize("turns", [1, 7, 30])
def test_a_program_that_is_killed_loses_no_turn_that_it_said_was_played(file, turns):
    root = Path(__file__).resolve().parents[2]
    player = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PLAYER), str(file)], stdout=subprocess.PIPE, text=True, cwd=root
    )
    said = [player.stdout.readline().split() for _ in range(turns)]
    player.send_signal(signal.SIGKILL)
    said += [line.split() for line in player.stdout.read().splitlines() if len(line.split()) == 2]
    player.wait()
    player.stdout.close()
    with Try4Store.open(file) as store:
        (stored, *others) = store.unfinished(Way.SCREEN)
        assert not others
        cells = [str(cell) for turn in stored.game.turns for cell, _ in turn.placed]
        assert cells[: len(said)] == [cell for _, cell in said]
        assert len(cells) <= len(said) + 1
