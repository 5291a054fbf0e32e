"""Which spheres stand where they should not, in the order in which they can be put right."""

from collections.abc import Mapping
from dataclasses import dataclass

from companion.rules import Move, Position, well_name

SPHERES = {
    "w": "the plain white sphere",
    "b": "the plain black sphere",
    "W": "White's coloured sphere",
    "B": "Black's coloured sphere",
}


@dataclass(frozen=True, slots=True)
class Astray:
    """A sphere (letter) to be carried from a well to a well; `at` None: it lies beside the board, `to` None: there."""

    sphere: str
    at: str | None
    to: str | None

    def to_json(self) -> dict[str, str | None]:
        return {"sphere": self.sphere, "at": self.at, "to": self.to}

    def __str__(self) -> str:
        at = f" on {self.at}" if self.at else " beside the board"
        return f"{SPHERES[self.sphere]}{at} to {self.to or 'beside the board'}"


Letters = Mapping[int, str]
"""What stands in each occupied well, as letters of a position text."""


def misplaced(now: Letters, right: Letters, knows: tuple[int, int] | None = None) -> tuple[Astray, ...]:
    """What must be carried where, until `right` stands; first those whose well is free.

    `knows` are two wells of one sphere known to have gone from the second to the first, as alike spheres are not told
    apart by looks. A sphere too many leaves the board; one that is nowhere to be seen comes from beside it.
    """
    astray = {well: letter for well, letter in now.items() if right.get(well) != letter}
    missing = {well: letter for well, letter in right.items() if now.get(well) != letter}
    pairs: list[tuple[int | None, int | None, str]] = []
    if knows is not None and knows[0] in astray and missing.get(knows[1]) == astray[knows[0]]:
        pairs.append((knows[0], knows[1], astray.pop(knows[0])))
        del missing[knows[1]]
    for well, letter in missing.items():
        source = next((w for w, of in astray.items() if of == letter), None)
        if source is not None:
            del astray[source]
        pairs.append((source, well, letter))
    pairs += [(well, None, letter) for well, letter in astray.items()]
    return tuple(_named(pair) for pair in _in_order(pairs, set(now)))


def left_out_of_place(move: str, right: Position, placement: str | None) -> tuple[Astray, ...]:
    """What an illegal move has left to be put back: `placement` are the ranks with it, None where that is not known.

    Raises BadInput for what is no move or no placement.
    """
    if placement is None:
        return ()
    made = Move.parse(move)
    stands = Position.from_placement(placement, right.side)
    return misplaced(stands.letters(), right.letters(), (made.to_well, made.from_well))


def _in_order(
    pairs: list[tuple[int | None, int | None, str]], occupied: set[int]
) -> list[tuple[int | None, int | None, str]]:
    """Those whose well is free come first; in a ring of full wells somebody must begin, and holds two for a moment."""
    left, ordered = list(pairs), []
    while left:
        pair = next((p for p in left if p[1] is None or p[1] not in occupied), left[0])
        left.remove(pair)
        ordered.append(pair)
        if pair[0] is not None:
            occupied.discard(pair[0])
        if pair[1] is not None:
            occupied.add(pair[1])
    return ordered


def _named(pair: tuple[int | None, int | None, str]) -> Astray:
    at, to, letter = pair
    return Astray(letter, None if at is None else well_name(at), None if to is None else well_name(to))
