"""Try 4: tiles, the set of them that a game is played with, and the cells of the board."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from companion.errors import BadInput

STANDARD_COLOURS = ("red", "blue", "green", "yellow", "purple")
STANDARD_ROW = (1, 1, 2, 3, 4)
"""The numbers of each row of the standard set, one colour a row."""
HIGHEST_NUMBER = 99
MOST_SIDE = 26
"""Columns are named by one letter."""
STANDARD_SIDE = 7

_TILE = re.compile(r"([a-z][a-z_-]*)([0-9]{1,2})")
_CELL = re.compile(r"([a-z])([1-9][0-9]?)")
_COLOUR = re.compile(r"[a-z][a-z_-]*")


@dataclass(frozen=True, slots=True, order=True)
class Tile:
    """A square tile: its colour's name (small letters) and its number. Raises `BadInput` for other than that."""

    colour: str
    number: int

    def __post_init__(self) -> None:
        if not _COLOUR.fullmatch(self.colour):
            raise BadInput(f"tile colour {self.colour!r}: a colour is a name in small letters, such as red")
        if not 0 <= self.number <= HIGHEST_NUMBER:
            raise BadInput(f"tile number {self.number}: a number is from 0 to {HIGHEST_NUMBER}")

    def __str__(self) -> str:
        return f"{self.colour}{self.number}"

    @classmethod
    def parse(cls, text: str) -> "Tile":
        """A tile from `red1`. Raises `BadInput` for anything else."""
        match = _TILE.fullmatch(text.strip().lower())
        if match is None:
            raise BadInput(f"{text!r} is no tile; a tile is a colour and a number, such as red1")
        return cls(match[1], int(match[2]))


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """A cell of the board: column and row from 0, so `a1` is (0, 0). Rows are counted from the bottom up."""

    column: int
    row: int

    def __str__(self) -> str:
        return f"{chr(ord('a') + self.column)}{self.row + 1}"

    @classmethod
    def parse(cls, text: str) -> "Cell":
        """A cell from `c4`, on a board of any size. Raises `BadInput` for anything else."""
        match = _CELL.fullmatch(text.strip().lower())
        if match is None or int(match[2]) > MOST_SIDE:
            raise BadInput(f"{text!r} is no cell; a cell is a column's letter and a row's number, such as c4")
        return cls(ord(match[1]) - ord("a"), int(match[2]) - 1)


@dataclass(frozen=True)
class TileSet:
    """All tiles of a game, sorted, equal ones as often as there are. Raises `BadInput` where there is none."""

    tiles: tuple[Tile, ...]

    def __post_init__(self) -> None:
        if not self.tiles:
            raise BadInput("a tile set needs at least one tile, such as 'red 1 1 2 3 4'")
        object.__setattr__(self, "tiles", tuple(sorted(self.tiles)))

    @cached_property
    def counts(self) -> Counter[Tile]:
        """How often each tile is there."""
        return Counter(self.tiles)

    @property
    def colours(self) -> tuple[str, ...]:
        """The names of its colours, sorted."""
        return tuple(sorted({tile.colour for tile in self.tiles}))

    @classmethod
    def standard(cls, colours: tuple[str, ...] = STANDARD_COLOURS) -> "TileSet":
        """One row `1 1 2 3 4` for each colour named; a colour named twice has two rows."""
        return cls(tuple(Tile(colour, number) for colour in colours for number in STANDARD_ROW))

    @classmethod
    def parse(cls, text: str) -> "TileSet":
        """A set from `red 1 1 2 3 4; blue 1 1 2 3 4`. A colour may come several times. Raises `BadInput`."""
        tiles: list[Tile] = []
        for part in text.split(";"):
            colour, *numbers = part.lower().split() or [""]
            if not _COLOUR.fullmatch(colour) or not numbers:
                raise BadInput(f"tile set, {part.strip()!r}: a row is a colour and its numbers, as in 'red 1 1 2 3 4'")
            for number in numbers:
                if not number.isascii() or not number.isdecimal() or int(number[:9]) > HIGHEST_NUMBER:
                    raise BadInput(f"tile set, {colour}: {number!r} is no number from 0 to {HIGHEST_NUMBER}")
                tiles.append(Tile(colour, int(number)))
        return cls(tuple(tiles))

    def text(self) -> str:
        """The set in the words that `parse` reads."""
        numbers = {c: [str(t.number) for t in self.tiles if t.colour == c] for c in self.colours}
        return "; ".join(f"{colour} {' '.join(row)}" for colour, row in numbers.items())
