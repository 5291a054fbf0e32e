"""Moves of Senryaku: which are legal, why one is not, and what a move does to a position."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from companion.errors import BadInput, SenryakuError
from companion.rules.position import Position
from companion.rules.wells import BOARD, FILE_A, FILE_G, N_FILES, N_WELLS, Side, bits, parse_well, well_name

_MOVE = re.compile(r"\s*(\w+)([-x])(\w+)\s*", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Move:
    """One sphere from a well to a well; `capture` if the enemy coloured sphere stands in the target.

    Raises BadInput for a number that is no well.
    """

    from_well: int
    to_well: int
    capture: bool = False

    def __post_init__(self) -> None:
        if not (0 <= self.from_well < N_WELLS and 0 <= self.to_well < N_WELLS):
            raise BadInput(f"move from {self.from_well} to {self.to_well}: wells are 0 (a1) to {N_WELLS - 1} (g6)")

    def __str__(self) -> str:
        return f"{well_name(self.from_well)}{'x' if self.capture else '-'}{well_name(self.to_well)}"

    @classmethod
    def parse(cls, text: str) -> "Move":
        """Reads `d1-d2` or `c4xd5`; raises BadInput."""
        match = _MOVE.fullmatch(text)
        if match is None:
            raise BadInput(f"{text!r} is no move; write d1-d2, or c4xd5 for a capture")
        from_text, sign, to_text = match.groups()
        try:
            return cls(parse_well(from_text), parse_well(to_text), sign in "xX")
        except BadInput as error:
            raise BadInput(f"move {text!r}: {error}") from None


class Reason(StrEnum):
    """Why a move is illegal, the most telling first."""

    OPPONENTS_SPHERE = "opponents_sphere"
    NOT_YOUR_TURN = "not_your_turn"
    PUT_BACK = "put_back"
    ROLLED = "rolled"
    BACKWARD = "backward"
    TOO_FAR = "too_far"
    SAME_SPHERE_TWICE = "same_sphere_twice"
    PLAIN_CAPTURE = "plain_capture"
    OCCUPIED = "occupied"


class IllegalMove(SenryakuError, ValueError):
    """A move that the rules forbid; `reasons` says why, the most telling first."""

    def __init__(self, position: Position, move: Move, reasons: Sequence[Reason]) -> None:
        self.position = position
        self.move = move
        self.reasons = tuple(reasons)
        super().__init__(f"{move} is illegal in '{position.text()}': {', '.join(self.reasons)}")


# Steps as shifts of a bitboard, each with the wells that it can reach: a step to the right never ends on file a, one
# to the left never on file g (there the shift has wrapped around the board's edge).
_NOT_A, _NOT_G = BOARD & ~FILE_A, BOARD & ~FILE_G
STEPS: dict[Side, tuple[tuple[int, int], ...]] = {
    Side.WHITE: ((N_FILES - 1, _NOT_G), (N_FILES, BOARD), (N_FILES + 1, _NOT_A), (-1, _NOT_G), (1, _NOT_A)),
    Side.BLACK: ((1 - N_FILES, _NOT_A), (-N_FILES, BOARD), (-N_FILES - 1, _NOT_G), (1, _NOT_A), (-1, _NOT_G)),
}


def legal_moves(position: Position) -> tuple[Move, ...]:
    """All legal moves, ordered by from-well, then by to-well; none once a coloured sphere is captured."""
    if position.captured is not None:
        return ()
    side = position.side
    target = position.coloured(side.other)
    free = BOARD & ~position.occupied | target
    movable = position.spheres(side) & ~position.resting(side)
    found = []
    for shift, reach in STEPS[side]:
        shifted = movable << shift if shift > 0 else movable >> -shift
        found += [Move(to - shift, to, bool(target >> to & 1)) for to in bits(shifted & reach & free)]
    return tuple(sorted(found, key=lambda move: (move.from_well, move.to_well)))


def normalised(position: Position, move: Move) -> Move:
    """The move as it is meant here: a step onto the coloured sphere of the mover's opponent is a capture.

    Raises BadInput where there is nothing to judge: a from-well without a sphere, or `x` onto an empty well.
    """
    content = position.content(move.from_well)
    if not content:
        raise BadInput(f"{move}: well {well_name(move.from_well)} is empty in '{position.text()}'")
    owner = Side.WHITE if content in "wW" else Side.BLACK
    if move.capture and not position.content(move.to_well):
        raise BadInput(f"{move}: no sphere to capture, {well_name(move.to_well)} is empty in '{position.text()}'")
    if position.coloured(owner.other) >> move.to_well & 1:
        return replace(move, capture=True)
    return move


def why_illegal(position: Position, move: Move) -> tuple[Reason, ...]:
    """Every reason why the side to move may not make this move, the most telling first; empty when it is legal.

    The mover is taken to be the side to move. An opponent's sphere is not judged by its direction, as it has none for
    the mover. Once a coloured sphere is captured it is nobody's turn. `rolled` cannot be told from a move's text.
    Raises BadInput like `normalised`.
    """
    normalised(position, move)
    side = position.side
    from_bit, to_bit = 1 << move.from_well, 1 << move.to_well
    own = bool(position.spheres(side) & from_bit)
    owner = side if own else side.other
    ranks, files = _distance(move, side)
    put_back = move.from_well == move.to_well
    enemy_plain = position.spheres(owner.other) & ~position.coloured(owner.other)
    holds = {
        Reason.OPPONENTS_SPHERE: not own,
        Reason.NOT_YOUR_TURN: position.captured is not None,
        Reason.PUT_BACK: put_back,
        Reason.BACKWARD: own and ranks < 0,
        Reason.TOO_FAR: max(abs(ranks), abs(files)) > 1,
        Reason.SAME_SPHERE_TWICE: not put_back and bool(position.resting(side) & from_bit),
        Reason.PLAIN_CAPTURE: bool(enemy_plain & to_bit),
        Reason.OCCUPIED: not put_back and bool((position.spheres(owner) | enemy_plain) & to_bit),
    }
    return tuple(reason for reason, held in holds.items() if held)


def _distance(move: Move, side: Side) -> tuple[int, int]:
    """Ranks forward (negative: backward) and files to the right, in wells."""
    from_rank, from_file = divmod(move.from_well, N_FILES)
    to_rank, to_file = divmod(move.to_well, N_FILES)
    ranks = to_rank - from_rank
    return (ranks if side is Side.WHITE else -ranks), to_file - from_file


def play(position: Position, move: Move) -> Position:
    """The position after a legal move; raises IllegalMove, or BadInput like `normalised`.

    A plain sphere that moved rests in its player's next turn; after the coloured one none does.
    """
    reasons = why_illegal(position, move)
    if reasons:
        raise IllegalMove(position, move, reasons)
    from_bit, to_bit = 1 << move.from_well, 1 << move.to_well
    step = from_bit | to_bit
    if position.side is Side.WHITE:
        is_coloured = position.white_coloured == from_bit
        return Position(
            white=position.white ^ step,
            black=position.black & ~to_bit,
            white_coloured=to_bit if is_coloured else position.white_coloured,
            black_coloured=position.black_coloured & ~to_bit,
            side=Side.BLACK,
            white_resting=0 if is_coloured else to_bit,
            black_resting=position.black_resting,
        )
    is_coloured = position.black_coloured == from_bit
    return Position(
        white=position.white & ~to_bit,
        black=position.black ^ step,
        white_coloured=position.white_coloured & ~to_bit,
        black_coloured=to_bit if is_coloured else position.black_coloured,
        side=Side.WHITE,
        white_resting=position.white_resting,
        black_resting=0 if is_coloured else to_bit,
    )
