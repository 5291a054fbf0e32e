"""Simulated players of Try 4: their plans are legal whole games, the same for the same seed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import BadInput
from companion.referee.try4_mat import MatState
from companion.rules.try4 import Try4Game, Try4Rules
from companion.rules.try4_tiles import Cell, Tile, TileSet
from companion.simulator.tiles_plans import Slip, planned_game
from companion.simulator.tiles_table import SimulatedMat


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_a_plan_is_a_whole_legal_game(seed, players):
    rules = Try4Rules(players=players)
    game = Try4Game(rules)
    for turn in planned_game(rules, seed, 0.5):
        game = game.play(turn.placings)
    assert game.over
    assert planned_game(rules, seed, 0.5) == planned_game(rules, seed, 0.5)


def test_every_slip_is_planned_now_and_then_and_none_without_mistakes():
    rules = Try4Rules()
    assert {t.slip for seed in range(20) for t in planned_game(rules, seed, 1.0)} >= set(Slip)
    assert {t.slip for seed in range(5) for t in planned_game(rules, seed, 0.0)} == {None}


def test_a_simulated_mat_moves_when_a_person_s_hand_does_and_its_players_then_watch():
    game = Try4Game(Try4Rules(tiles=TileSet.parse("red 1 2")))
    mat = SimulatedMat(game, 1, 0.0)
    frames = mat.frames(lambda: MatState(game), lambda: None)
    bare = next(frames).image
    mat.ask({"do": "lay", "cell": "d4", "tile": "red1"})
    assert mat.by_hand
    laid = next(frames).image
    assert abs(laid.astype(int) - bare).max() > 60
    mat.ask({"do": "take", "cell": "d4"})
    with pytest.raises(BadInput, match="no tile lies there"):
        mat.ask({"do": "take", "cell": "d4"})
    with pytest.raises(BadInput, match="not on the mat"):
        mat.ask({"do": "lay", "cell": "h9", "tile": str(Tile("red", 1))})
    with pytest.raises(BadInput, match="a hand can"):
        mat.ask({"do": "shake", "cell": str(Cell(0, 0))})
