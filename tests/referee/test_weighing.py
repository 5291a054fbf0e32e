"""Explanations are weighed by what would be ruled; what is not looked at closely would have changed nothing."""

import numpy as np
import pytest

from companion.referee import odds
from companion.referee.candidates import candidates
from companion.referee.explain import _sensed
from companion.referee.hypotheses import Meaning
from companion.referee.likelihood import score
from companion.referee.weighing import weighed

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"


def plain_moves(game):
    game.lift("b1")
    game.wait(0.8)
    game.place("b2")


def set_back_and_moved(game):
    plain_moves(game)
    game.lift("b2")
    game.wait(0.6)
    game.place("b2")


def under_the_arm(game):
    game.hand_over("d6", "d5", "d4", "d3")
    game.lift("d1")
    game.wait(0.8)
    game.place("d1")
    game.lift("d1")
    game.wait(0.4)


@pytest.mark.parametrize("story", [plain_moves, set_back_and_moved, under_the_arm])
def test_what_is_not_looked_at_closely_would_have_changed_nothing(table, story):
    game = table(START)
    game.wait(1.0)
    story(game)
    sensed = _sensed(game.setup, game.state, loads=True)
    possible = list(candidates(game.state, sensed))
    full = [score(h, sensed) + sum(p.under(h.after) for p in sensed.finals) for h in possible]
    chances = np.exp(np.array(full) - max(full))
    chances /= chances.sum()
    for p, found in weighed(possible, sensed):
        same = [
            h.meaning is found.meaning and (h.moves, h.reason, h.player) == (found.moves, found.reason, found.player)
            for h in possible
        ]
        if found.meaning is Meaning.IN_HAND:
            same = [h.after == found.after and h.meaning is Meaning.IN_HAND for h in possible]
        assert p == pytest.approx(chances[same].sum(), abs=1e-6)


def test_two_ways_to_make_one_move_are_one_ruling(table):
    """A sphere set down beside its goal and taken on: by whatever well, the move is the same."""
    game = table(START)
    game.hand_over("b1", "b2", "a1", "c1", "c2")
    game.lift("b1")
    game.wait(0.8)
    game.place("b2")
    game.lift("b2")
    game.wait(0.3)
    game.place("c2")
    game.cover()
    game.wait(1.0)
    first, second = game.state.ruled_by.ranked[:2]
    assert first[1].meaning is Meaning.MOVE
    assert [str(move) for move in first[1].moves] == ["b1-c2"]
    assert second[1].moves != first[1].moves
    assert first[0] > odds.SURE_MOVE
