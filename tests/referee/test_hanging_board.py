"""Rules: a lift or a placing that tips the board loses. A board that only hangs on one pinnacle has not tipped."""

import pytest

from companion.referee import tipping
from firmware_bridge.events import LoadState

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"


def kinds(rulings):
    return [r.kind for r in rulings]


def hang(game, seconds, total=600.0):
    """One pinnacle is in the air for so long, the other one carries the board."""
    game.hang()
    for _ in range(round(seconds * 10)):
        game.t = round(game.t + 0.1, 3)
        game._give(LoadState(game.t, 0.0, total, tipped=True))
    return game.new()


@pytest.mark.parametrize("lifted", [False, True])
def test_a_board_that_hangs_and_comes_back_has_not_crashed(table, lifted):
    game = table(START)
    game.wait(1.0)
    game.cover("c1", "c2")
    if lifted:
        game.lift("c1")
    assert hang(game, 2.0, 580.0 if lifted else 600.0) == []
    if lifted:
        game.put("c2", "w")
        game.put("c1", "")
    game.cover()
    assert kinds(game.wait(4.0)) == (["move"] if lifted else [])


def test_a_board_that_hangs_and_then_falls_has_crashed_as_soon_as_it_falls(table):
    game = table(START)
    game.wait(2.0)
    game.cover("c1", "c2")
    game.wait(0.5)
    assert hang(game, 1.5) == []
    game._give(LoadState(game.t + 0.1, 0.0, 560.0, tipped=True))
    assert game.new() == []
    game._give(LoadState(game.t + 0.2, 0.0, 555.0, tipped=True))
    assert [(r.kind, str(getattr(r, "player", ""))) for r in game.new()] == [("crash", "white"), ("game_over", "")]


def test_a_board_that_swings_over_to_the_other_pinnacle_has_not_fallen(table):
    """It is lighter for a moment as it swings."""
    game = table(START)
    game.wait(1.0)
    game.cover("c1", "c2")
    game.wait(0.5)
    game.hang()
    for low, high in ((0.0, 560.0), (565.0, 1.0), (0.5, 565.0), (300.0, 300.0)):
        game.t = round(game.t + 0.1, 3)
        game._give(LoadState(game.t, low, high, tipped=True))
    assert game.new() == []


@pytest.mark.parametrize("off", [0.0, 20.0])
def test_a_sphere_taken_off_a_hanging_board_is_no_fall(table, off):
    game = table(START)
    game.wait(1.0)
    game.cover("c1", "c2")
    assert hang(game, 1.0, 600.0 - off) == []


def test_spheres_that_roll_off_are_a_fall_whatever_the_cells_say(table):
    game = table(START)
    game.wait(1.0)
    game.cover("c1", "c2")
    game.wait(0.5)
    game.hang()
    for well in ("a1", "b1", "e1", "f1"):
        game.put(well, "")
    game._load_state = lambda: LoadState(game.t, 0.0, 600.0, tipped=True)
    assert "crash" in kinds(game.wait(0.6))


def test_a_board_that_hangs_for_long_is_asked_about(table):
    game = table(START)
    game.wait(1.0)
    game.cover("c1", "c2")
    (question,) = hang(game, tipping.HANGS_FOR + 1.0)
    assert (question.kind, question.about) == ("question", "crash")


def test_a_hand_that_bears_down_so_hard_that_a_pinnacle_lifts_has_not_tipped_the_board(table):
    game = table(START)
    game.wait(1.0)
    game.cover("c1", "c2")
    assert hang(game, 0.6, 900.0) == []
    assert "crash" not in kinds(game.wait(4.0))
