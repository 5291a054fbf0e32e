"""The simulated players: what move they choose, and what mistakes they make.

They know the rules and the true board, and how to read a margin; of the referee they know nothing.
"""

from collections.abc import Mapping, Sequence
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
    # What happens less often, or not at all in a demo: see `odd_turns`.
    OPPONENTS_SPHERE = "opponents_sphere"
    OUT_OF_TURN = "out_of_turn"
    PLAIN_CAPTURE = "plain_capture"
    OCCUPIED = "occupied"
    SET_BACK_FIXED = "set_back_fixed"
    FIDGETED = "fidgeted"
    TOUCHED = "touched"
    LEANED = "leaned"
    OTHER_HOLDS = "other_holds"
    QUICK_REPLY = "quick_reply"
    NUDGED = "nudged"
    UNTIDY_CAPTURE = "untidy_capture"
    SLEEVE = "sleeve"
    CUP = "cup"
    STRANGE_SPHERE = "strange_sphere"
    CRASH = "crash"
    KNOCKED_OVER = "knocked_over"


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
EVERY_SLIP = {
    Slip.ILLEGAL: 0.17,
    Slip.PUT_BACK: 0.06,
    Slip.ROLLED: 0.06,
    Slip.HELD: 0.06,
    Slip.BUMP: 0.05,
    Slip.HOVER: 0.05,
    Slip.CARELESS: 0.04,
    Slip.OPPONENTS_SPHERE: 0.05,
    Slip.OUT_OF_TURN: 0.05,
    Slip.PLAIN_CAPTURE: 0.04,
    Slip.OCCUPIED: 0.04,
    Slip.SET_BACK_FIXED: 0.04,
    Slip.FIDGETED: 0.03,
    Slip.TOUCHED: 0.04,
    Slip.LEANED: 0.03,
    Slip.OTHER_HOLDS: 0.02,
    Slip.QUICK_REPLY: 0.07,
    Slip.NUDGED: 0.06,
    Slip.UNTIDY_CAPTURE: 0.02,
    Slip.SLEEVE: 0.03,
    Slip.CUP: 0.03,
    Slip.STRANGE_SPHERE: 0.02,
    Slip.CRASH: 0.03,
    Slip.KNOCKED_OVER: 0.01,
}
"""The same where mistakes of every kind are wanted."""
SEEN_REASONS = (Reason.TOO_FAR, Reason.BACKWARD, Reason.SAME_SPHERE_TWICE)
"""Reasons that are seen on the board; whose hand it was that moved an opponent's sphere is not."""


@dataclass(frozen=True, slots=True)
class Blunder:
    """An illegal move that somebody is going to make, and the reason it is illegal."""

    move: Move
    reason: Reason


class Player:
    """Chooses for both sides. `mistakes` is the share of turns in which something goes wrong, `slips` what does."""

    def __init__(
        self,
        spec: BoardSpec,
        rng: np.random.Generator,
        mistakes: float = 0.0,
        slips: Mapping[Slip, float] = SLIPS,
    ) -> None:
        self.spec = spec
        self._slips = slips
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
        slips, weights = list(self._slips), np.array(list(self._slips.values()))
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

    def one_of(self, moves: Sequence[Move]) -> Move | None:
        """Any of them, None if there is none."""
        return moves[int(self._rng.integers(len(moves)))] if moves else None

    def blunder(self, position: Position, spheres: Spheres, reasons: Sequence[Reason] = SEEN_REASONS) -> Blunder | None:
        """An illegal move with one clear reason that the board bears; None if none is at hand."""
        kinds = list(reasons)
        self._rng.shuffle(kinds)
        by_reason: dict[Reason, list[Move]] = {reason: [] for reason in kinds}
        for from_well in spheres:
            for to_well in range(N_WELLS):
                move = Move(from_well, to_well)
                why = why_illegal(position, move)
                if not why or why[0] not in by_reason or not _near(move):
                    continue
                odd = {Reason.PLAIN_CAPTURE, Reason.OCCUPIED}
                clear = set(why) <= odd if to_well in spheres else len(why) == 1
                if clear:
                    by_reason[why[0]].append(move)
        for reason in kinds:
            move_found = self.one_of([m for m in by_reason[reason] if self.bears(spheres, m)])
            if move_found is not None:
                return Blunder(move_found, reason)
        return None

    def out_of_turn(self, position: Position, spheres: Spheres) -> Move | None:
        """A move that the other player could make if it were his turn; now and then not even then."""
        other = position.with_side(position.side.other)
        moves = [m for m in legal_moves(other) if not m.capture and self.bears(spheres, m)]
        if self._rng.random() < 0.25:
            blunder = self.blunder(other, spheres)
            return self.one_of(moves) if blunder is None else blunder.move
        return self.one_of(moves)

    def fixed(self, position: Position, spheres: Spheres) -> int | None:
        """The well of a sphere of the player's own, or now and then of the other's, that cannot move."""
        movable = {m.from_well for m in legal_moves(position)}
        wells = [w for w in sorted(spheres) if w not in movable and self.bears(spheres, Move(w, w))]
        own = [w for w in wells if position.spheres(position.side) >> w & 1]
        if own and self._rng.random() < 0.7:
            wells = own
        return wells[int(self._rng.integers(len(wells)))] if wells else None

    def quick_pair(self, position: Position, spheres: Spheres) -> tuple[Move, Move] | None:
        """A move and a reply, neither of which ends anything, on a board that bears both."""
        first = self.one_of([m for m in legal_moves(position) if not m.capture and self.bears(spheres, m)])
        if first is None:
            return None
        after = play(position, first)
        standing = dict(spheres)
        standing[first.to_well] = standing.pop(first.from_well)
        second = self.one_of([m for m in legal_moves(after) if not m.capture and self.bears(standing, m)])
        return None if second is None else (first, second)

    def detour(self, position: Position, spheres: Spheres) -> tuple[Move, int] | None:
        """A move, and a well on whose way the sphere could be set down first."""
        move = self.one_of([m for m in legal_moves(position) if not m.capture and self.bears(spheres, m)])
        if move is None:
            return None
        beside = [
            well
            for well in range(N_WELLS)
            if well not in spheres and _beside(well, move.to_well) and _beside(well, move.from_well)
        ]
        beside = [well for well in beside if self.bears(spheres, Move(move.from_well, well))]
        return (move, beside[int(self._rng.integers(len(beside)))]) if beside else None

    def swept(self, spheres: Spheres) -> list[Move]:
        """Two or three spheres that a sleeve takes along to a neighbouring well each, in order."""
        standing, swept = dict(spheres), list[Move]()
        for _ in range(int(self._rng.integers(2, 4))):
            moves = [
                Move(a, b)
                for a in sorted(standing)
                for b in range(N_WELLS)
                if b not in standing and a not in {m.to_well for m in swept} and _beside(a, b)
            ]
            if swept:
                moves = [m for m in moves if _near(Move(swept[0].from_well, m.from_well))]
            move = self.one_of([m for m in moves if self.bears(standing, m)])
            if move is not None:
                standing[move.to_well] = standing.pop(move.from_well)
                swept.append(move)
        # Spheres of one colour that follow each other look like a single one that went further.
        chained = {m.from_well for m in swept} & {m.to_well for m in swept}
        return swept if len(swept) > 1 and not chained else []

    def rolled(self, position: Position, spheres: Spheres) -> Move | None:
        """A legal step that could be rolled, to a neighbour in rank or file, on a board that bears it."""
        moves = [
            m
            for m in legal_moves(position)
            if not m.capture and abs(m.to_well - m.from_well) in (1, 7) and self.bears(spheres, m)
        ]
        return moves[int(self._rng.integers(len(moves)))] if moves else None

    def hesitated(self, position: Position, spheres: Spheres) -> int | None:
        """The well of a sphere that can be lifted, set back and then moved, all safely."""
        wells = sorted({m.from_well for m in legal_moves(position) if not m.capture and self.bears(spheres, m)})
        return wells[int(self._rng.integers(len(wells)))] if wells else None

    def bears(self, spheres: Spheres, move: Move) -> bool:
        """Whether the board stays up, with some margin, at every step of a move."""
        return min(margins_of_move(self.spec, spheres, move.from_well, move.to_well)) > MISTAKE_MM


def _beside(a: int, b: int) -> bool:
    """Neighbours in rank or file."""
    return abs(a // 7 - b // 7) + abs(a % 7 - b % 7) == 1


def _near(move: Move) -> bool:
    """Mistakes are near misses: at most two wells off."""
    return abs(move.to_well // 7 - move.from_well // 7) <= 2 and abs(move.to_well % 7 - move.from_well % 7) <= 2
