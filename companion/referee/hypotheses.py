"""Hypotheses: everything that may explain what was seen since the last settled position.

A hypothesis is a sequence of steps, each of which lifts, removes, places or rolls one sphere, and what they would
mean under the rules.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from companion.rules import Move, Position, Reason, Side
from vision.reading import Content

Placement = tuple[int, ...]
"""For each of the 42 wells a `Content`, never hidden."""

CONTENT_OF_LETTER = {"": 0, "w": 1, "b": 2, "W": 3, "B": 4}
LETTER_OF_CONTENT = ("", "w", "b", "W", "B")
FILES = 7


class StepKind(StrEnum):
    LIFT = "lift"
    PLACE = "place"
    ROLL = "roll"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a hand does with one sphere. `to_well` only for a roll."""

    kind: StepKind
    well: int
    content: int
    to_well: int | None = None


class Meaning(StrEnum):
    """What a hypothesis would mean for the game."""

    NOTHING = "nothing"
    MOVE = "move"
    TWO_MOVES = "two_moves"
    """Two, or more that nobody has seen."""
    UNCLEAR = "unclear"
    """Moves, and something besides that has left no trace."""
    ILLEGAL = "illegal"
    PUT_BACK = "put_back"
    RESTORED = "restored"
    PUT_BACK_THEN = "put_back_then"
    IN_HAND = "in_hand"


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """`steps` lead from what stood to `after`; `prior` is a log probability; `moves` are what they amount to.

    `parts` are the hypotheses that this one is made of, where it is several in a row.
    """

    meaning: Meaning
    steps: tuple[Step, ...]
    after: Placement
    prior: float
    moves: tuple[Move, ...] = ()
    reason: Reason | None = None
    player: Side | None = None
    parts: tuple["Hypothesis", ...] = ()


@lru_cache(maxsize=4096)
def placement_of(position: Position) -> Placement:
    """What stands in each well, as a camera would see it."""
    wells = [0] * 42
    for well, letter in position.letters().items():
        wells[well] = CONTENT_OF_LETTER[letter]
    return tuple(wells)


def ranks_text(placement: Placement) -> str:
    """The six ranks of a position text."""
    rows = []
    for rank in range(5, -1, -1):
        row, gap = "", 0
        for content in placement[rank * FILES : rank * FILES + FILES]:
            if content == 0:
                gap += 1
                continue
            row += (str(gap) if gap else "") + LETTER_OF_CONTENT[content]
            gap = 0
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows)


def side_of(content: int) -> Side:
    """Whose sphere it is. `content` is not empty."""
    return Side.WHITE if content in (Content.WHITE, Content.WHITE_COLOURED) else Side.BLACK


def displaced(placement: Placement, from_well: int, to_well: int) -> Placement:
    """The placement after one sphere went from one well to another; what stood there is gone."""
    wells = list(placement)
    wells[to_well], wells[from_well] = wells[from_well], 0
    return tuple(wells)


def without(placement: Placement, well: int) -> Placement:
    """The placement with one well emptied."""
    return (*placement[:well], 0, *placement[well + 1 :])


def move_steps(placement: Placement, move: Move) -> tuple[Step, ...]:
    """A move is lift and place; a capture is remove, lift, place."""
    sphere = placement[move.from_well]
    steps: tuple[Step, ...] = (
        Step(StepKind.LIFT, move.from_well, sphere),
        Step(StepKind.PLACE, move.to_well, sphere),
    )
    if placement[move.to_well]:
        steps = (Step(StepKind.REMOVE, move.to_well, placement[move.to_well]), *steps)
    return steps


def near(a: int, b: int) -> bool:
    """Are the wells neighbours, or the same?"""
    return abs(a % FILES - b % FILES) <= 1 and abs(a // FILES - b // FILES) <= 1
