"""Was it the camera or the board that moved? Told from what lies around the board: with the camera, all of it moves."""

from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_pose import Pose
from vision.geometry import Grid

Image = NDArray[np.uint8]

WIDTH_PX = 240  # of the little pictures that are compared
AROUND_MM = 30.0  # beyond the board's edge things belong to it: its shadow, spheres beside it
GRAIN_PX = 6.0  # coarser patterns are light, which wanders with neither
LEAST_PIXELS = 500
LEAST_CONTRAST = 0.9  # levels: a plain table says nothing
STILL, ASTRAY = 0.6, 0.25  # correlation from which the surroundings have stayed, and below which they have moved


class Mover(StrEnum):
    CAMERA = "the camera"
    BOARD = "the board"
    EITHER = "camera or board"


class Surroundings:
    """Remembers what lay around the board while nothing moved. Call `remember` now and then, `mover` after a move."""

    def __init__(self, grid: Grid) -> None:
        half_x, half_y = grid.size_mm[0] / 2 + AROUND_MM, grid.size_mm[1] / 2 + AROUND_MM
        self._edge = np.array([(-half_x, -half_y, 0), (half_x, -half_y, 0), (half_x, half_y, 0), (-half_x, half_y, 0)])
        self._before: tuple[NDArray[np.float32], NDArray[np.bool_]] | None = None

    def remember(self, image: Image, pose: Pose) -> None:
        """This is how it looks while nothing moves."""
        self._before = self._seen(image, pose)

    def mover(self, image: Image, pose: Pose) -> Mover:
        """What moved since `remember`, if anything did."""
        if self._before is None:
            return Mover.EITHER
        (before, beside_before), (now, beside) = self._before, self._seen(image, pose)
        if before.shape != now.shape:
            return Mover.EITHER
        both = beside_before & beside
        a, b = before[both], now[both]
        if len(a) < LEAST_PIXELS or min(a.std(), b.std()) < LEAST_CONTRAST:
            return Mover.EITHER
        alike = float((a * b).mean() / (a.std() * b.std()))
        return Mover.BOARD if alike > STILL else Mover.CAMERA if alike < ASTRAY else Mover.EITHER

    def _seen(self, image: Image, pose: Pose) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The picture's fine pattern, small, and where in it neither the board is nor what belongs to it."""
        height, width = image.shape[:2]
        size = (WIDTH_PX, max(1, round(WIDTH_PX * height / width)))
        small = cv2.resize(image[..., 1], size, interpolation=cv2.INTER_AREA).astype(np.float32)
        fine = small - cv2.GaussianBlur(small, (0, 0), GRAIN_PX)
        on_board = np.zeros(fine.shape, np.uint8)
        outline = pose.project(self._edge) * (WIDTH_PX / width)
        cv2.fillConvexPoly(on_board, np.rint(outline).astype(np.int32), 1)
        return np.asarray(fine, np.float32), on_board == 0
