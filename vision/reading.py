"""A board reading: for each well the probabilities of what stands in it."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Grid

LEAST_SIDE_PX = 64  # no marker could be decoded in a smaller picture


class Content(IntEnum):
    """What a well can hold, in the order of the probabilities of a reading."""

    EMPTY = 0
    WHITE = 1
    BLACK = 2
    WHITE_COLOURED = 3
    BLACK_COLOURED = 4
    HIDDEN = 5

    @property
    def word(self) -> str:
        """The word used in JSON: `empty`, `white`, ..., `hidden`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, eq=False)
class BoardReading:
    """What one picture shows.

    `p` has shape (wells, 6): rows add up to 1, columns are `Content`. Where the board was not found all are hidden.
    `confident`: the board was found, and every well not read as hidden is read with certainty; else `why` says why not.
    `foreign`: wells that hold something in plain sight that is no sphere of the settings.
    """

    t: float
    board_found: bool
    p: NDArray[np.float64]
    confident: bool
    why: str | None = None
    foreign: tuple[int, ...] = ()

    def likeliest(self) -> list[Content]:
        """For each well what it most likely holds."""
        return [Content(int(i)) for i in self.p.argmax(axis=1)]


def nothing_seen(grid: Grid, t: float, why: str) -> BoardReading:
    """The reading of a picture in which the board was not found."""
    p = np.zeros((grid.wells, len(Content)))
    p[:, Content.HIDDEN] = 1.0
    return BoardReading(t, False, p, False, why)


def picture_fault(image: object) -> str | None:
    """Why something is no picture that can be read, or None."""
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        return "image: a BGR picture is needed, height x width x 3, 8 bits"
    if min(image.shape[:2]) < LEAST_SIDE_PX:
        return f"image: {image.shape[1]} x {image.shape[0]} pixels are too few to see a board"
    return None
