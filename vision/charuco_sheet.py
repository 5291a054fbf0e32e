"""The printed sheet for calibrating a camera: a chessboard with markers in its white squares (ChArUco)."""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision.markers import dictionary_named


@dataclass(frozen=True)
class CharucoSheet:
    """The printed sheet: squares across and down, lengths of a square's and a marker's side (mm)."""

    columns: int = 8
    rows: int = 6
    square_mm: float = 30.0
    marker_mm: float = 22.0
    dictionary: str = "DICT_4X4_50"

    @cached_property
    def board(self) -> cv2.aruco.CharucoBoard:
        """Raises `BadInput` where such a sheet cannot be."""
        if self.columns < 3 or self.rows < 3 or not 0 < self.marker_mm < self.square_mm:
            raise BadInput("the sheet needs at least 3 x 3 squares, and markers smaller than its squares")
        return cv2.aruco.CharucoBoard(
            (self.columns, self.rows), self.square_mm, self.marker_mm, dictionary_named(self.dictionary)
        )

    @property
    def black_mm(self) -> tuple[tuple[float, float, float, float], ...]:
        """All that is black on it, as rectangles: left, top, width, height (mm from the sheet's upper left corner)."""
        side = self.square_mm
        black = [
            (column * side, row * side, side, side)
            for row in range(self.rows)
            for column in range(self.columns)
            if (row + column) % 2 == 0
        ]
        dictionary = self.board.getDictionary()
        cells = dictionary.markerSize + 2
        cell = self.marker_mm / cells
        for marker, corners in zip(np.ravel(self.board.getIds()), self.board.getObjPoints(), strict=True):
            left, top = np.asarray(corners, np.float64)[0, :2]
            dark = cv2.aruco.generateImageMarker(dictionary, int(marker), cells) < 128
            black += [(left + x * cell, top + y * cell, cell, cell) for y, x in np.argwhere(dark).tolist()]
        return tuple(black)

    @property
    def corners(self) -> int:
        """Number of inner corners."""
        return (self.columns - 1) * (self.rows - 1)

    def draw(self, px_per_mm: float) -> NDArray[np.uint8]:
        """The sheet as a picture, to be printed in true size."""
        size = (round(self.columns * self.square_mm * px_per_mm), round(self.rows * self.square_mm * px_per_mm))
        return np.asarray(self.board.generateImage(size), np.uint8)
