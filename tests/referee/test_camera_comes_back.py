"""The camera was away while the game went on: what is certain by cells and the new picture is ruled, the rest asked."""

import pytest

from companion.referee import unseen
from companion.referee.answering import answer
from vision.reading import BoardReading

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"


def kinds(rulings):
    return [r.kind for r in rulings]


def moves(rulings):
    return [r.move for r in rulings if r.kind == "move"]


def by_hand(game, text):
    """A move that nobody sees."""
    game.lift(text[:2])
    game.wait(1.0)
    game.place(text[3:])
    game.wait(2.5)


def away(game, *done):
    """The camera is away while this is done, and then comes back."""
    given = game._give
    game._give = lambda e: given(e) if not isinstance(e, BoardReading) else None
    game.wait(6.0)
    for text in done:
        by_hand(game, text)
    game._give = given
    return game.wait(3.0)


def test_turns_that_fit_in_one_way_only_are_ruled_in_order(table):
    game = table(START)
    game.wait(1.0)
    told = away(game, "d1-e2", "d6-c5", "e2-f3", "c5-b4")
    assert moves(told) == ["d1-e2", "d6-c5", "e2-f3", "c5-b4"]
    assert kinds(told) == ["move"] * 4
    assert moves(game.move("a1-a2")) == ["a1-a2"]


def test_turns_in_an_order_that_nothing_tells_are_asked_about(table):
    """The cells feel ranks alone: which of White's two moves came first is not known."""
    game = table(START)
    game.wait(1.0)
    told = away(game, "b1-b2", "d6-d5", "f1-g2", "c6-c5") + game.wait(6.0)
    assert moves(told) == []
    assert kinds(told) == ["question"]
    answers = [c.move for c in told[0].candidates]
    assert "b1-b2 d6-d5 f1-g2 c6-c5" in answers


def test_an_order_that_was_asked_about_can_be_answered(table):
    game = table(START)
    game.wait(1.0)
    away(game, "b1-b2", "d6-d5", "f1-g2", "c6-c5")
    game.wait(6.0)
    game.state, made = answer(game.setup, game.state, "b1-b2 d6-d5 f1-g2 c6-c5", game.t)
    assert moves(made) == ["b1-b2", "d6-d5", "f1-g2", "c6-c5"]


@pytest.mark.parametrize("done", [("b1-b3", "d6-d5", "f1-g2"), ("b1-b2", "d6-d5", "d1-d2", "b2-c4")])
def test_what_no_legal_game_leads_to_is_asked_about_though_the_game_goes_on(table, done):
    game = table(START)
    game.wait(1.0)
    away(game, *done)
    for text in ("g6-g5", "e1-e2"):
        by_hand(game, text)
    game.wait(6.0)
    assert kinds(game.rulings) == ["question"]


def test_a_sphere_set_back_meanwhile_leaves_no_trace_and_nobody_is_told_of_moves_that_hide_it(table):
    game = table(START)
    game.wait(1.0)
    told = away(game, "b1-b2", "d6-d6", "d6-d5", "f1-g2") + game.wait(6.0)
    assert moves(told) in ([], ["b1-b2", "d6-d5", "f1-g2"])
    assert kinds(told) == ["question"] or moves(told)


@pytest.mark.parametrize("kept", [400, 2])
def test_an_order_that_nothing_tells_is_not_told_by_what_is_played_later(table, monkeypatch, kept):
    """However many ways there are, and however few can be kept in mind."""
    monkeypatch.setattr(unseen, "POSITIONS_KEPT", kept)
    game = table(START)
    game.wait(1.0)
    told = away(game, "b1-b2", "d6-d5", "f1-g2", "c6-c5") + game.wait(6.0)
    for text in ("b2-b3", "d5-d4", "a1-a2", "c5-c4", "g2-g3", "a6-a5"):
        told += game.move(text)
    assert moves(told) == []
    assert "question" in kinds(told)
