"""A crash that nobody was seen to cause: how the question about it comes to an end."""

import pytest

from companion.referee.answering import answer
from companion.referee.waiting import STANDS_AGAIN

MIDGAME = "bbb1bbb/7/3B3/7/2w4/ww1Wwww w - -"


def kinds(rulings):
    return [r.kind for r in rulings]


def tipped(table, **setup):
    game = table(MIDGAME, **setup)
    game.wait(2.0)
    (question,) = game.tip()
    assert (question.kind, question.about) == ("question", "crash")
    return game


def test_the_answers_are_either_player_or_nobody(table):
    game = tipped(table)
    assert [c.move for c in game.rulings[-1].candidates] == ["crash white", "crash black", "nothing"]


@pytest.mark.parametrize(("player", "winner"), [("white", "black"), ("black", "white")])
def test_a_person_says_who_tipped_the_board(table, player, winner):
    game = tipped(table)
    game.state, (over,) = answer(game.setup, game.state, f"crash {player}", game.t, "crash")
    assert (str(over.winner), over.termination, over.points) == (winner, "crash", 1)
    assert game.state.phase == "await_start"


def test_a_person_says_that_it_did_not_crash(table):
    game = tipped(table)
    game.state, made = answer(game.setup, game.state, "nothing", game.t, "crash")
    assert made == ()
    game.wait(1.0)
    assert kinds(game.move("a1-a2")) == ["move"]


def test_a_board_that_stands_as_before_did_not_crash(table):
    game = tipped(table)
    assert game.wait(STANDS_AGAIN - 1) == []
    assert kinds(game.wait(2.0)) == ["restored"]
    assert kinds(game.move("a1-a2")) == ["move"]


def test_cells_alone_can_tell_that_it_stands_as_before(table):
    game = tipped(table, camera=False)
    assert kinds(game.wait(STANDS_AGAIN + 1)) == ["restored"]


def test_a_board_that_does_not_stand_as_before_waits_for_an_answer(table):
    game = tipped(table)
    game.put("a1", "")
    game.put("c2", "")
    assert game.wait(30.0) == []
    assert game.state.waiting is not None


def test_a_tipped_board_waits_however_it_looks(table):
    game = tipped(table)
    game.tipped = True
    assert game.wait(30.0) == []


def test_the_game_going_on_means_that_it_did_not_crash(table):
    game = tipped(table)
    assert kinds(game.move("a1-a2")) == ["move"]
    assert game.state.waiting is None


def test_nobody_is_accused_while_the_board_is_set_up_anew(table):
    game = tipped(table)
    for well, letter in (("d4", ""), ("d6", "B")):
        game.put(well, letter)
    assert game.wait(10.0) == []


def test_a_second_tip_asks_nothing_new(table):
    game = tipped(table)
    assert game.tip() == []


def test_a_crash_while_something_else_is_asked_is_asked_about_too(table):
    game = table("bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -")
    game.take_off("d3")
    game.move("a6-c4")
    assert kinds(game.wait(8.0)) == ["question"]
    assert [r.about for r in game.tip()] == ["crash"]


def test_where_a_move_may_have_been_made_already_it_is_not_known_who_tipped_the_board(table):
    """Rules: a crash counts against the player whose turn it is, until the opponent's first lift."""
    game = table(MIDGAME)
    game.wait(2.0)
    game._event = lambda *_: None  # the cells feel nothing of it
    game.put("a1", "")
    game.put("a2", "w")
    game.wait(0.8)
    game.cover("a6", "a5")
    game.wait(0.3)
    told = game.tip()
    assert "crash" not in kinds(told)
    assert [r.about for r in told if r.kind == "question"] == ["crash"]


def test_nor_is_it_where_a_hand_was_over_the_board_ever_since(table):
    game = table(MIDGAME)
    game.wait(2.0)
    game._event = lambda *_: None  # the cells feel nothing of it
    game.cover("a6", "a5")
    game.put("a1", "")
    game.put("a2", "w")
    game.wait(0.8)
    assert [(r.kind, r.about) for r in game.tip()] == [("question", "crash")]


@pytest.mark.parametrize(("taken", "ruled"), [("a1", "lift"), ("b6", "ask"), ("d3", "remove")])
def test_whose_sphere_has_gone_tells_the_step_unless_it_was_none_to_take(table, taken, ruled):
    game = table("bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -")
    game.wait(2.0)
    game.cover(taken)
    game.wait(0.5)
    game.hang()
    game.put(taken, "")
    game.cover()
    game._give(game._reading())
    game.lies_tipped()
    first = next(r for r in game.rulings if r.kind in ("crash", "question"))
    assert getattr(first, "step", "ask") == ruled
