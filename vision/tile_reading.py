"""A tile reading: what lies in each cell of a mat, with probabilities."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from vision.tile_mat import TileGrid

SURE = 0.95
"""Probability from which a tile is read with certainty."""
DIGITS = 4  # of a probability in JSON


class CellIs(StrEnum):
    """What a cell shows."""

    EMPTY = "empty"
    TILE = "tile"
    HIDDEN = "hidden"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class CellReading:
    """One cell. `colour` and `number` are the likeliest of a tile, with `p` for both; None where nothing can be said.

    `unsure`: something lies there that is not read with certainty (a tile turned over, glare, something else).
    `at_px`: the tile's corners in the picture, clockwise from its own top left, where one was found.
    """

    is_: CellIs
    colour: str | None = None
    number: int | None = None
    p: float = 0.0
    p_colour: float = 0.0
    p_number: float = 0.0
    at_px: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class TileReading:
    """What one picture shows; `cells` by the grid's numbers.

    `confident`: the mat was found, and every cell that is not hidden is read with certainty; else `why` says why not.
    """

    t: float
    board_found: bool
    cells: tuple[CellReading, ...]
    confident: bool
    why: str | None = None


def nothing_found(grid: TileGrid, t: float, why: str) -> TileReading:
    """The reading of a picture in which there is no mat."""
    return TileReading(t, False, (CellReading(CellIs.HIDDEN),) * grid.cells, False, why)


def reading_of(grid: TileGrid, t: float, cells: tuple[CellReading, ...]) -> TileReading:
    """A reading of a mat that was found."""
    unsure = [grid.name(k) for k, cell in enumerate(cells) if cell.is_ is CellIs.UNSURE]
    why = f"not read with certainty: {', '.join(unsure)}" if unsure else None
    return TileReading(t, True, cells, why is None, why)


def tile_reading_json(image_name: str, reading: TileReading, grid: TileGrid) -> dict[str, Any]:
    """The entry for one image: `image`, `board_found`, `tiles`, `hidden`, `unsure`, `confident`, `why`.

    A tile that is not read with certainty stands in `tiles` with its low `p`, and its cell in `unsure` too.
    """
    named = [(grid.name(k), cell) for k, cell in enumerate(reading.cells)]
    tiles = [
        {"cell": name, "colour": cell.colour, "number": cell.number, "p": round(cell.p, DIGITS)}
        for name, cell in named
        if cell.colour is not None and cell.number is not None
    ]
    return {
        "image": image_name,
        "board_found": reading.board_found,
        "tiles": tiles,
        "hidden": [name for name, cell in named if cell.is_ is CellIs.HIDDEN],
        "unsure": [name for name, cell in named if cell.is_ is CellIs.UNSURE],
        "confident": reading.confident,
        "why": reading.why,
    }
