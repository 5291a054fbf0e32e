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


def test_players_who_are_let_play_on_first_put_the_mat_as_the_table_knows_it():
    game = Try4Game(Try4Rules()).play({Cell(0, 0): Tile("blue", 4)})
    mat = SimulatedMat(game, 1, 0.0)
    pressed = []
    frames = mat.frames(lambda: MatState(game), lambda: pressed.append(True))
    mat.ask({"do": "lay", "cell": "d4", "tile": "red1"})
    mat.ask({"do": "turn_over", "cell": "a1"})
    next(frames)
    mat.ask({"do": "let_play"})
    while not pressed:
        next(frames)
    lies = {cell: str(Tile(t.colour, t.number)) for cell, t in mat._tiles.items() if not t.face_down}
    turn = mat.plan[1].placings
    assert lies == {str_cell: str(tile) for str_cell, tile in (game.board | dict(turn)).items()}
    assert game.play(turn).turns[-1].placings == turn


def test_a_plan_goes_on_from_what_was_played_otherwise():
    begun = Try4Game(Try4Rules(players=2)).play({Cell(5, 5): Tile("blue", 4)})
    game = begun
    for turn in planned_game(begun.rules, 3, 0.0, begun)[1:]:
        game = game.play(turn.placings)
    assert game.over
