"""How simulated players mean to play a whole game of Try 4, and what goes wrong on the way. Drawn by a seed alone."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from companion.rules.try4 import MOST_TILES_A_TURN, Placings, Try4Game, Try4Rules, squares_completed
from companion.rules.try4_tiles import Cell, Tile

TRIES = 40
"""At a turn that completes a square, before one tile is laid instead."""
CHOICES = 12
"""Of tiles for the gaps of a square, from which players take the best."""
ONE_TILE = 0.25
"""Share of turns with one tile where more could be laid."""


class Slip(StrEnum):
    """What can go wrong before a turn is played as it should be."""

    NO_SQUARE = "no square"
    TOO_MANY = "too many"
    MOVED = "moved"
    MISSING = "missing"
    TURNED_OVER = "turned over"
    FACE_DOWN = "face down"
    HAND_RESTS = "hand rests"


@dataclass(frozen=True)
class PlannedTurn:
    """A turn that may be played, and what goes wrong before it is, None for nothing."""

    placings: Placings
    slip: Slip | None


def planned_game(
    rules: Try4Rules, seed: int, mistakes: float, begun: Try4Game | None = None
) -> tuple[PlannedTurn, ...]:
    """A whole game. The same for the same rules, seed and share of turns with `mistakes`.

    `begun`: one that was played otherwise so far; its turns come first, and the plan goes on from there.
    """
    rng = np.random.default_rng(seed if begun is None else (seed, len(begun.turns)))
    game = Try4Game(rules) if begun is None else begun
    turns = [PlannedTurn(turn.placings, None) for turn in game.turns]
    while not game.over:
        placings = _placings(game, rng)
        slip = _slip(game, rng, mistakes)
        game = game.play(placings)
        turns.append(PlannedTurn(placings, slip))
    return tuple(turns)


def no_square(game: Try4Game, rng: np.random.Generator) -> dict[Cell, Tile] | None:
    """Two tiles that complete no square; None where there is no room or no tile for that."""
    free, left = _free(game), _left(game)
    if len(left) < 2:
        return None
    for _ in range(TRIES):
        cells = [free[int(k)] for k in rng.permutation(len(free))[:2]]
        placings = dict(zip(cells, _drawn(left, 2, rng), strict=False))
        if len(placings) == 2 and not squares_completed(game.board | placings, placings):
            return placings
    return None


def too_many(game: Try4Game, rng: np.random.Generator) -> dict[Cell, Tile] | None:
    """One tile more than a turn may have; None where so many are not left."""
    free, left, count = _free(game), _left(game), MOST_TILES_A_TURN + 1
    if len(left) < count or len(free) < count:
        return None
    cells = [free[int(k)] for k in rng.permutation(len(free))[:count]]
    return dict(zip(cells, _drawn(left, count, rng), strict=True))


def _placings(game: Try4Game, rng: np.random.Generator) -> dict[Cell, Tile]:
    left = _left(game)
    if game.turns and rng.random() > ONE_TILE:
        for _ in range(TRIES):
            corner = Cell(int(rng.integers(game.rules.columns - 1)), int(rng.integers(game.rules.rows - 1)))
            block = [Cell(corner.column + dx, corner.row + dy) for dx in (0, 1) for dy in (0, 1)]
            gaps = [cell for cell in block if cell not in game.board]
            if 1 <= len(gaps) <= min(MOST_TILES_A_TURN, len(left)):
                tried = [dict(zip(gaps, _drawn(left, len(gaps), rng), strict=True)) for _ in range(CHOICES)]
                return max(tried, key=lambda placings: _score(game, placings))
    free = _free(game)
    near = [cell for cell in free if any(abs(cell.column - c.column) + abs(cell.row - c.row) == 1 for c in game.board)]
    cells = near or free
    return {cells[int(rng.integers(len(cells)))]: _drawn(left, 1, rng)[0]}


def _score(game: Try4Game, placings: Placings) -> int:
    return sum(square.score for square in squares_completed(game.board | dict(placings), placings))


def _slip(game: Try4Game, rng: np.random.Generator, mistakes: float) -> Slip | None:
    if rng.random() >= mistakes:
        return None
    slips = list(Slip)
    slip = slips[int(rng.integers(len(slips)))]
    of_old = slip in (Slip.MOVED, Slip.MISSING, Slip.TURNED_OVER)
    return None if of_old and not game.board else slip


def _free(game: Try4Game) -> list[Cell]:
    board = game.board
    cells = [Cell(x, y) for y in range(game.rules.rows) for x in range(game.rules.columns)]
    return [cell for cell in cells if cell not in board]


def _left(game: Try4Game) -> list[Tile]:
    return sorted(game.unplaced.elements())


def _drawn(left: list[Tile], count: int, rng: np.random.Generator) -> list[Tile]:
    return [left[int(k)] for k in rng.permutation(len(left))[:count]]
