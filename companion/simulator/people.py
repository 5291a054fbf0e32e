"""The simulated players: what move they choose, and what mistakes they make.

They know the rules and the true board, and how to read a margin; of the referee they know nothing.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from companion.rules import Move, Position, Reason, Side, legal_moves, play, why_illegal
from companion.rules.wells import N_WELLS
from companion.simulator.statics import BoardSpec, Spheres, margins_of_move

SAFE_MM = 0.8
"""Players trust a step that leaves so much margin."""
EDGE_MM = (-0.1, 0.5)
"""Within these margins a board hangs in the air for a second before it falls or stays. Nobody likes that, so it comes
about by chance only."""
DARING = 0.3
"""Share of moves at which a player does not think of the balance."""
TIRING = 0.008
"""How much that, and `OVERSEEN`, grow with every move of a game."""
EAGER = (0.07, 6.0)
"""How much likelier a step forward is than one sideways, from one player to another."""
OVERSEEN = 0.03
"""How likely a move that gives the coloured sphere away is, against one that does not."""
MISTAKE_MM = 1.6
"""A mistake that is meant to be seen needs a board that stays up."""


class Slip(StrEnum):
    """What can go wrong besides a bad move."""

    ILLEGAL = "illegal"
    PUT_BACK = "put_back"
    ROLLED = "rolled"
    HELD = "held"
    BUMP = "bump"
    HOVER = "hover"
    CARELESS = "careless"


SLIPS = {
    Slip.ILLEGAL: 0.38,
    Slip.PUT_BACK: 0.1,
    Slip.ROLLED: 0.1,
    Slip.HELD: 0.12,
    Slip.BUMP: 0.1,
    Slip.HOVER: 0.12,
    Slip.CARELESS: 0.08,
}
"""How mistakes divide."""
SEEN_REASONS = (Reason.TOO_FAR, Reason.BACKWARD, Reason.SAME_SPHERE_TWICE)
"""Reasons that are seen on the board; whose hand it was that moved an opponent's sphere is not."""


@dataclass(frozen=True, slots=True)
class Blunder:
    """An illegal move that somebody is going to make, and the reason it is illegal."""

    move: Move
    reason: Reason


class Player:
    """Chooses for both sides. `mistakes` is the share of turns in which something goes wrong."""

    def __init__(self, spec: BoardSpec, rng: np.random.Generator, mistakes: float = 0.0) -> None:
        self.spec = spec
        self._rng = rng
        self._mistakes = mistakes
        self._eager = dict.fromkeys(Side, 1.0)
        self._moves = 0

    def new_game(self) -> None:
        """Each player has a mood for a game: to press forward, or to wait and let the board lean toward themselves."""
        self._moves = 0
        self._eager = {side: float(np.exp(self._rng.uniform(*np.log(EAGER)))) for side in Side}

    def slip(self) -> Slip | None:
        """What goes wrong this turn, if anything."""
        luck, kind = self._rng.random(2)
        if luck >= self._mistakes:
            return None
        slips, weights = list(SLIPS), np.array(list(SLIPS.values()))
        return slips[int(np.searchsorted(np.cumsum(weights / weights.sum()), kind))]

    def side(self) -> Side:
        """Whose hand it is, when it may be anybody's."""
        return Side.WHITE if self._rng.random() < 0.5 else Side.BLACK

    def seconds(self, low: float, high: float) -> float:
        return float(self._rng.uniform(low, high))

    def choose(self, position: Position, spheres: Spheres, lifted: int | None = None) -> Move:
        """A legal move: a safe win if there is one, else by chance, forward and away from danger rather than not.

        `lifted` is the well of a sphere that must move. Raises ValueError where there is no legal move.
        """
        moves = [m for m in legal_moves(position) if lifted is None or m.from_well == lifted]
        margins = [min(margins_of_move(self.spec, spheres, m.from_well, m.to_well)) for m in moves]
        self._moves += 1
        if self._rng.random() < min(DARING + self._moves * TIRING, 0.8):
            # Who does not mind the balance plays as if every move were safe.
            margins = [2 * SAFE_MM if not EDGE_MM[0] < margin < EDGE_MM[1] else margin for margin in margins]
        wins = [m for m, margin in zip(moves, margins, strict=True) if m.capture and margin > SAFE_MM / 2]
        if wins:
            return wins[0]
        weights = np.array([self._worth(position, m, margin) for m, margin in zip(moves, margins, strict=True)])
        if weights.max() <= 1e-6:
            return moves[int(np.argmax(margins))]
        return moves[int(self._rng.choice(len(moves), p=weights / weights.sum()))]

    def _worth(self, position: Position, move: Move, margin: float) -> float:
        worth = float(np.clip((margin - SAFE_MM * 0.6) / SAFE_MM, 0.0, 1.0)) ** 2
        ranks = abs(move.to_well // 7 - move.from_well // 7)
        worth *= self._eager[position.side] if ranks else 1.0
        if worth > 0 and any(reply.capture for reply in legal_moves(play(position, move))):
            worth *= min(OVERSEEN + self._moves * TIRING, 0.5)
        return worth

    def blunder(self, position: Position, spheres: Spheres) -> Blunder | None:
        """An illegal move with one clear reason that the board bears; None if none is at hand."""
        kinds = list(SEEN_REASONS)
        self._rng.shuffle(kinds)
        by_reason: dict[Reason, list[Move]] = {reason: [] for reason in kinds}
        for from_well in spheres:
            for to_well in range(N_WELLS):
                if to_well in spheres:
                    continue
                move = Move(from_well, to_well)
                reasons = why_illegal(position, move)
                if len(reasons) == 1 and reasons[0] in by_reason and _near(move):
                    by_reason[reasons[0]].append(move)
        for reason in kinds:
            moves = [m for m in by_reason[reason] if self._bears(spheres, m)]
            if moves:
                return Blunder(moves[int(self._rng.integers(len(moves)))], reason)
        return None

    def rolled(self, position: Position, spheres: Spheres) -> Move | None:
        """A legal step that could be rolled, to a neighbour in rank or file, on a board that bears it."""
        moves = [
            m
            for m in legal_moves(position)
            if not m.capture and abs(m.to_well - m.from_well) in (1, 7) and self._bears(spheres, m)
        ]
        return moves[int(self._rng.integers(len(moves)))] if moves else None

    def hesitated(self, position: Position, spheres: Spheres) -> int | None:
        """The well of a sphere that can be lifted, set back and then moved, all safely."""
        wells = sorted({m.from_well for m in legal_moves(position) if not m.capture and self._bears(spheres, m)})
        return wells[int(self._rng.integers(len(wells)))] if wells else None

    def _bears(self, spheres: Spheres, move: Move) -> bool:
        return min(margins_of_move(self.spec, spheres, move.from_well, move.to_well)) > MISTAKE_MM


def _near(move: Move) -> bool:
    """Mistakes are near misses: at most two wells off."""
    return abs(move.to_well // 7 - move.from_well // 7) <= 2 and abs(move.to_well % 7 - move.from_well % 7) <= 2
