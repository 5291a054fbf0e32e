"""One witness or none: the referee says less and asks more, by the rules that `witness` states."""

import pytest

from companion.referee.handling import handled
from companion.referee.rulings import Crash, GameOver, Held, Illegal, MoveMade, Question, Restored, Start
from companion.referee.state import For
from companion.referee.verdicts import end_game
from companion.referee.witness import Witnesses, may_say, witnesses
from companion.rules import MatchRules, Side
from firmware_bridge.events import LoadState
from firmware_bridge.faults import CellFault

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"
PLACED = Illegal(1.0, Side.WHITE, "b1-b3", "too_far", START, "bbbBbbb/7/7/1w5/7/w1wWwww", 0.99)
ROLLED = Illegal(1.0, Side.WHITE, "b1-b2", "rolled", START, "bbbBbbb/7/7/7/1w5/w1wWwww", 0.99)
SET_BACK = Illegal(1.0, Side.WHITE, "b1-b1", "put_back", START, START.split(maxsplit=1)[0], 0.99)
BROKEN_TOUCH = Illegal(1.0, Side.WHITE, "d1-d2", "put_back", START, "bbbBbbb/7/7/7/3W3/www1www", 0.99)
MOVE = MoveMade(1.0, Side.WHITE, "b1-b2", "bbbBbbb/7/7/7/1w5/w1wWwww b b2 -", 0.99)
HELD = Held(1.0, Side.WHITE)
CRASH = Crash(1.0, Side.WHITE, "lift")
OVER = GameOver(1.0, Side.BLACK, "crash", 1)
ALL = [Start(1.0, START), MOVE, PLACED, ROLLED, SET_BACK, BROKEN_TOUCH, Restored(1.0, START), HELD, CRASH, OVER]


@pytest.mark.parametrize("ruling", ALL)
def test_both_together_may_say_everything(ruling):
    assert may_say(Witnesses.BOTH, ruling)


@pytest.mark.parametrize("ruling", ALL)
def test_a_camera_alone_does_not_say_what_it_cannot_see(ruling):
    assert may_say(Witnesses.CAMERA, ruling) is (ruling not in (ROLLED, SET_BACK, HELD, CRASH))


@pytest.mark.parametrize("ruling", ALL)
def test_load_cells_alone_accuse_nobody_of_an_illegal_move(ruling):
    assert may_say(Witnesses.LOAD_CELLS, ruling) is (ruling not in (PLACED, ROLLED, SET_BACK, BROKEN_TOUCH))


def test_what_load_cells_alone_may_not_say_is_asked_and_no_picture_could_settle_it(table):
    game = table(START, camera=False)
    game.wait(1.0)
    state, (question,) = handled(game.setup, game.state, game.state, (PLACED,))
    assert isinstance(question, Question)
    assert [c.move for c in question.candidates] == ["b1-b3", "nothing"]
    assert state.lost
    assert state.phase == "playing"


def test_what_a_camera_alone_may_not_say_is_asked(table):
    game = table(START, loads=False)
    game.wait(1.0)
    state, (question,) = handled(game.setup, game.state, game.state, (ROLLED,))
    assert question.about == "illegal"
    assert state.waiting.what is For.ANSWER


def test_who_is_there_is_told_by_what_is_heard_from(table):
    game = table(START)
    game.wait(1.0)
    t = game.t
    assert witnesses(game.setup, game.state, t) is Witnesses.BOTH
    assert witnesses(game.setup, game.state, t + 2.0) is Witnesses.CAMERA
    assert witnesses(game.setup, game.state, t + 9.0) is Witnesses.NONE
    game.setup = table(START, camera=False).setup
    assert witnesses(game.setup, game.state, t) is Witnesses.LOAD_CELLS


@pytest.mark.parametrize(
    ("fault", "who"), [("low no data", Witnesses.CAMERA), (f"low {CellFault.DRIFT}", Witnesses.BOTH)]
)
def test_a_blinding_fault_that_lasts_is_a_lost_witness_and_a_drift_is_none(table, fault, who):
    game = table(START)
    game.wait(1.0)
    for n in range(40):
        game._give(LoadState(game.t + n / 10, 300.0, 300.0, faults=(fault,)))
    assert witnesses(game.setup, game.state, game.t + 3.95) is who


def test_load_cells_alone_ask_who_crashed_as_they_see_no_hand(table):
    game = table(START, camera=False)
    game.wait(2.0)
    assert [r.kind for r in game.tip()] == ["question"]


def test_load_cells_alone_still_say_that_the_board_is_held(table):
    game = table(START, camera=False)
    game.wait(1.5)
    assert [r.kind for r in game.press(2.0)] == ["held"]


def test_load_cells_alone_do_not_know_what_bears_on_a_board_that_they_have_not_weighed(table):
    (question,) = table(START, camera=False).press(2.0)
    assert (question.kind, question.about) == ("question", "held")


def test_without_witnesses_nothing_is_said(table):
    game = table(START, loads=False, camera=False)
    assert game.move("b1-b2") + game.press(3.0) + game.wait(5.0) == []


def test_load_cells_alone_do_not_take_a_sphere_that_went_and_came_back_for_one_that_was_nudged_on(table):
    """White's sphere goes back a rank and forth again; along its rank there is but one move that could have been."""
    game = table("7/3B3/3b3/7/w6/3W3 w - -", camera=False)
    game.wait(1.0)
    for lifted, placed in (("a2", "a1"), ("a1", "a2")):
        game.lift(lifted)
        game.wait(0.8)
        game.place(placed)
        game.wait(0.6)
    game.wait(6.0)
    assert [r for r in game.rulings if isinstance(r, MoveMade)] == []


def test_load_cells_alone_ask_about_a_move_even_where_only_one_legal_move_fits(table):
    """It may as well have gone, or come from, where the rules do not allow."""
    game = table("7/3B3/7/1b5/w6/3W3 w - -", camera=False, axis="files")
    game.wait(1.5)
    assert {r.kind for r in game.move("a2-b2") + game.wait(5.0)} == {"question"}


def test_load_cells_alone_begin_no_game_after_a_match_as_nobody_knows_when_the_spheres_are_set_up_again(table):
    game = table(rules=MatchRules(track_steps=1), camera=False)
    assert [r.kind for r in game.wait(3.0)] == ["start"]
    game.state = end_game(game.state, GameOver(game.t, Side.WHITE, "capture", 2))
    assert game.state.match.games == 0, "a new match"
    assert game.wait(5.0) == []
