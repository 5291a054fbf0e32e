"""Things that get mixed up with each other at a table: cups and hands, old steps and new ones, whose hand it was."""

import pytest

from companion.referee.burden import holder, is_a_thing

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"


def said(rulings):
    return [(r.kind, getattr(r, "move", getattr(r, "about", None))) for r in rulings]


def test_a_thing_that_lies_quite_still_is_no_hand(table):
    game = table(START, camera=False)
    game.wavers = False
    assert game.press(3.0) == []


def test_a_thing_that_hides_wells_in_the_middle_is_no_hand(table):
    game = table(START)
    game.cover("d3", "d4")
    assert game.press(3.0) == []


def test_a_hand_that_comes_from_blacks_edge_is_blacks(table):
    game = table(START)
    game.cover("c6", "d6")
    assert [(r.kind, r.player) for r in game.press(2.0)] == [("held", "black")]


def test_without_a_hand_to_be_seen_the_player_to_move_holds(table):
    game = table(START)
    since = game.pressing_since = game.t
    assert [(r.kind, r.player) for r in game.wait(2.0)] == [("held", "white")]
    assert holder(game.setup, game.state, since) == "white"
    assert not is_a_thing(game.state, since)


def test_a_board_that_only_swings_is_not_held(table):
    game = table(START)
    game.wait(2.0)
    game.press_g = 3.0
    assert game.press(3.0) == []


def test_a_still_thing_at_a_players_edge_is_no_hand(table):
    game = table(START)
    game.wavers = False
    game.cover("c6", "d6", "c5", "d5")
    assert game.press(3.0) == []


def test_what_was_set_back_is_asked_where_two_alike_may_have_been_and_the_game_goes_on(table):
    game = table(START)
    game.cover("b6", "c6", "b5", "c5")
    game.lift("b6")
    game.wait(1.0)
    game.place("b6")
    game.cover()
    asked = game.wait(2.5)
    assert said(asked) == [("question", "put_back")]
    assert {c.move for c in asked[0].candidates} >= {"b6-b6", "c6-c6"}
    assert said(game.move("a1-a2")) == [("move", "a1-a2")]


def test_a_move_of_one_of_two_that_may_have_been_set_back_is_no_proof_that_it_was_that_one(table):
    """d2 has just moved and may not again: setting it back breaks the rules as setting back e2 does."""
    game = table("bb1B1b1/4b1b/b6/3w1w1/3wW2/1w2ww1 w d2 e5")
    game.cover("c1", "d1", "e1", "d2", "e2")
    game.lift("e2")
    game.wait(1.0)
    game.place("e2")
    game.wait(1.0)
    game.cover("d1", "e1", "d2", "e2", "d3", "e3")
    game.lift("e2")
    game.wait(1.0)
    game.place("e3")
    game.cover()
    told = game.wait(2.5)
    assert said(told) == [("question", "put_back"), ("move", "e2-e3")]
    assert {c.move for c in told[0].candidates} == {"e2-e2", "d2-d2"}


def test_nothing_is_ruled_while_the_board_lacks_a_sphere(table):
    game = table(START)
    game.wait(2.0)
    game.lift("a1")
    game.standing[1] = 0  # b1 has gone too, unfelt
    assert not [r for r in game.wait(2.0) if r.kind in ("move", "illegal")]


@pytest.mark.parametrize("hand", [("d4", "d5", "d6"), ("e4", "d5", "d6", "d4")])
def test_out_of_turn_is_the_other_players_fault_also_where_the_move_would_not_be_theirs(table, hand):
    game = table(START)
    game.cover(*hand)
    game.lift("d6")
    game.wait(1.5)
    game.place("d4")
    game.wait(0.5)
    game.cover()
    told = [r for r in game.wait(3.0) if r.kind == "illegal"]
    assert [(r.player, r.move, r.reason) for r in told] == [("black", "d6-d4", "not_your_turn")]


def shaded(table, *wells):
    """These wells have not been seen for a while: glare or deep shade hides them."""
    game = table(START)
    game.cover(*wells)
    game.wait(30.0)
    return game


def test_wells_that_nobody_has_seen_for_a_while_tell_of_no_hand(table):
    game = shaded(table, "f6", "g6")
    assert [(r.kind, getattr(r, "about", None)) for r in game.press(2.0)] == [("question", "held")]


def test_a_thing_beside_wells_that_nobody_has_seen_for_a_while_is_no_hand(table):
    game = shaded(table, "f6", "g6")
    game.wavers = False
    assert game.press(3.0) == []


def test_a_hand_is_seen_also_while_other_wells_are_not(table):
    game = shaded(table, "f6", "g6")
    game.cover("f6", "g6", "b6", "b5")
    assert [(r.kind, r.player) for r in game.press(2.0)] == [("held", "black")]
