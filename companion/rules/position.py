"""A position of Senryaku: where the spheres stand, whose turn it is, and which two plain spheres rest."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.rules.position_text import (
    COLOURED_LETTER,
    PLAIN_LETTER,
    InvalidPosition,
    parse_placement,
    parse_resting,
    problems_of_placement,
    problems_of_resting,
    quoted,
    ranks_text,
    split_fields,
)
from companion.rules.wells import Side, well_name

START_PLACEMENT = "bbbBbbb/7/7/7/7/wwwWwww"


@dataclass(frozen=True, slots=True)
class Position:
    """One position as six bitboards (ints; bit n is well n) and the side to move.

    `white` and `black` hold all spheres of a side, its coloured one included. `white_coloured` and `black_coloured`
    hold one bit, or 0 once captured. `white_resting` and `black_resting` hold the bit of the plain sphere that moved in
    its player's last turn and so may not move in the next one, or 0.

    The constructor does not check; `parse` and `from_placement` do.
    """

    white: int
    black: int
    white_coloured: int
    black_coloured: int
    side: Side
    white_resting: int = 0
    black_resting: int = 0

    @classmethod
    def start(cls, first: Side = Side.WHITE) -> "Position":
        """Both back ranks filled, the coloured spheres on d1 and d6, `first` to move."""
        return cls.from_placement(START_PLACEMENT, first)

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Reads a full position text such as `bbbBbbb/7/7/7/7/wwwWwww w - -`.

        Raises InvalidPosition, whose one line quotes the text and lists everything wrong with it.
        """
        fields, problems = split_fields(text)
        spheres, found = parse_placement(fields.placement)
        problems += found
        if fields.side not in ("w", "b"):
            problems.append(f"the side to move is {quoted(fields.side)}, not 'w' or 'b'")
        resting = {}
        for side, well_text in ((Side.WHITE, fields.white_resting), (Side.BLACK, fields.black_resting)):
            resting[side], found = parse_resting(side, well_text, spheres)
            problems += found
        if problems:
            raise InvalidPosition(text, problems)
        side = Side.WHITE if fields.side == "w" else Side.BLACK
        return cls._from_spheres(spheres, side, resting[Side.WHITE], resting[Side.BLACK])

    @classmethod
    def from_placement(
        cls,
        placement: Mapping[int, str] | str,
        side: Side,
        white_resting: int = 0,
        black_resting: int = 0,
    ) -> "Position":
        """Builds a position from six ranks of text, or from letters `w W b B` by well (`""` is empty).

        The resting arguments are one-bit boards, 0 for none. Raises InvalidPosition like `parse`.
        """
        if isinstance(placement, str):
            spheres, problems = parse_placement(placement)
        else:
            spheres = {well: letter for well, letter in placement.items() if letter}
            problems = problems_of_placement(spheres)
        for of, board in ((Side.WHITE, white_resting), (Side.BLACK, black_resting)):
            problems += problems_of_resting(of, board, spheres)
        if problems:
            raise InvalidPosition(placement if isinstance(placement, str) else ranks_text(spheres), problems)
        return cls._from_spheres(spheres, side, white_resting, black_resting)

    @classmethod
    def _from_spheres(
        cls, spheres: Mapping[int, str], side: Side, white_resting: int, black_resting: int
    ) -> "Position":
        def board(letters: str) -> int:
            return sum(1 << well for well, letter in spheres.items() if letter in letters)

        return cls(board("wW"), board("bB"), board("W"), board("B"), side, white_resting, black_resting)

    def text(self) -> str:
        """The full position text."""
        white, black = (_well_or_dash(self.resting(side)) for side in Side)
        return f"{self.placement()} {'w' if self.side is Side.WHITE else 'b'} {white} {black}"

    def placement(self) -> str:
        """The six ranks of the position text only."""
        return ranks_text(self.letters())

    def letters(self) -> dict[int, str]:
        """The letter of every occupied well, ascending by well."""
        occupied = self.occupied
        return {well: self.content(well) for well in range(occupied.bit_length()) if occupied >> well & 1}

    def content(self, well: int) -> str:
        """What stands in a well: `""`, or `w`, `W`, `b`, `B` (capital: coloured)."""
        bit = 1 << well
        for side in Side:
            if self.spheres(side) & bit:
                return (COLOURED_LETTER if self.coloured(side) & bit else PLAIN_LETTER)[side]
        return ""

    @property
    def occupied(self) -> int:
        """Bitboard of the wells with a sphere in them."""
        return self.white | self.black

    def spheres(self, side: Side) -> int:
        """Bitboard of all spheres of a side."""
        return self.white if side is Side.WHITE else self.black

    def coloured(self, side: Side) -> int:
        """One-bit board of a side's coloured sphere, 0 once captured."""
        return self.white_coloured if side is Side.WHITE else self.black_coloured

    def resting(self, side: Side) -> int:
        """One-bit board of the plain sphere of a side that may not move now, 0 for none."""
        return self.white_resting if side is Side.WHITE else self.black_resting

    @property
    def captured(self) -> Side | None:
        """The side whose coloured sphere is gone: the game is over and that side has lost. None while both stand."""
        if not self.white_coloured:
            return Side.WHITE
        return None if self.black_coloured else Side.BLACK

    def with_side(self, side: Side) -> "Position":
        """The same spheres and resting wells with another side to move."""
        return replace(self, side=side)

    def same_placement(self, other: "Position") -> bool:
        """Whether the same spheres stand in the same wells, whoever is to move."""
        return self.boards == other.boards

    @property
    def boards(self) -> tuple[int, int, int, int]:
        """What stands where: white, black, white coloured, black coloured. Equal for equal placements."""
        return self.white, self.black, self.white_coloured, self.black_coloured


def _well_or_dash(board: int) -> str:
    return well_name(board.bit_length() - 1) if board else "-"
