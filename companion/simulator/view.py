"""The simulated camera's place, and what falls where in its picture. Board coordinates in mm, z up from its top."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry import CameraModel

Floats = NDArray[np.float64]

CAMERA_AT_MM = (-9.0, -40.0, 606.0)
LOOKS_AT_MM = (0.0, 2.0, 0.0)
ROLL_DEG = 0.8
"""Where the camera hangs, what it looks at, and how askew it was screwed on."""
TABLE_Z_MM = -26.0
"""Height of the table's top: the board stands on pinnacles, and those on the load cells."""
LIGHT = np.array([-0.46, 0.42, 0.78]) / np.linalg.norm([-0.46, 0.42, 0.78])
"""Direction toward the window, from the board."""


@dataclass(frozen=True, slots=True)
class Stand:
    """Where camera and board have been moved to from their usual places.

    The camera by `camera_mm`, still looking the same way; what it looks at by another `look_mm`; about its line of
    sight by `roll_deg`. The board on the table by `board_mm`, and about its middle by `board_turn_deg`.
    """

    camera_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    look_mm: tuple[float, float] = (0.0, 0.0)
    roll_deg: float = 0.0
    board_mm: tuple[float, float] = (0.0, 0.0)
    board_turn_deg: float = 0.0

    @property
    def on_table(self) -> "Stand":
        """The same camera, and the board at its usual place: so the table's own coordinates are seen."""
        return Stand(self.camera_mm, self.look_mm, self.roll_deg)

    def to_board(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """A place on the table as the board, where it stands now, counts it."""
        turn = math.radians(self.board_turn_deg)
        c, s = math.cos(turn), math.sin(turn)
        x, y = x_mm - self.board_mm[0], y_mm - self.board_mm[1]
        return c * x + s * y, c * y - s * x


USUAL_STAND = Stand()


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A pinhole camera: pixel = matrix (rotation p + shift), with shapes (3, 3), (3, 3) and (3,)."""

    size_px: tuple[int, int]
    matrix: Floats
    rotation: Floats
    shift: Floats

    @property
    def centre(self) -> Floats:
        """The camera's place, shape (3,)."""
        return -self.rotation.T @ self.shift

    def project(self, points: Floats) -> Floats:
        """Pixels of points; shapes (n, 3) and (n, 2)."""
        seen = (points @ self.rotation.T + self.shift) @ self.matrix.T
        return seen[:, :2] / seen[:, 2:]

    def scale(self, point: Floats) -> float:
        """Pixels a mm at a point, across the line of sight."""
        depth = float(self.rotation[2] @ point + self.shift[2])
        return float(self.matrix[0, 0]) / depth

    def rays(self, u: Floats, v: Floats) -> Floats:
        """Unit directions in which the pixels look, shape (..., 3)."""
        fx, fy = self.matrix[0, 0], self.matrix[1, 1]
        cx, cy = self.matrix[0, 2], self.matrix[1, 2]
        seen = np.stack([(u - cx) / fx, (v - cy) / fy, np.ones_like(u)], axis=-1)
        rays = seen @ self.rotation
        return np.asarray(rays / np.linalg.norm(rays, axis=-1, keepdims=True))

    def of_plane(self, origin: Floats, along_x: Floats, along_y: Floats) -> Floats:
        """Homography from a plane's coordinates in mm to pixels, shape (3, 3)."""
        columns = [self.rotation @ along_x, self.rotation @ along_y, self.rotation @ origin + self.shift]
        return self.matrix @ np.stack(columns, axis=1)


def view_of(camera: CameraModel, stand: Stand = USUAL_STAND) -> View:
    """The simulated camera's view of the board; the model must have a size and a matrix."""
    assert camera.size_px is not None
    assert camera.matrix is not None
    moved = np.array(stand.camera_mm)
    place = np.array(CAMERA_AT_MM) + moved
    ahead = np.array(LOOKS_AT_MM) + moved + np.array([*stand.look_mm, 0.0]) - place
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    down = np.cross(ahead, right)
    roll = math.radians(ROLL_DEG + stand.roll_deg)
    right, down = (
        math.cos(roll) * right + math.sin(roll) * down,
        -math.sin(roll) * right + math.cos(roll) * down,
    )
    rotation = np.stack([right, down, ahead])
    # From the board's coordinates to the table's, and on to the camera's
    turn = math.radians(stand.board_turn_deg)
    c, s = math.cos(turn), math.sin(turn)
    of_board = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    shift = rotation @ (np.array([*stand.board_mm, 0.0]) - place)
    return View(camera.size_px, np.array(camera.matrix, dtype=np.float64), rotation @ of_board, shift)
