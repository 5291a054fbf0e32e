"""The mat of a tile game: its grid of cells, and a picture of it brought to a flat sheet."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_pose import Points, Pose

CELL_PX = 34  # a cell's side on the flat sheet: enough for edges, not for digits
LATTICE_OF_CELL = 0.25  # between places that are projected exactly; there the picture is bent but little
COARSEST = 1.7  # camera pixels a flat one: the picture is halved while it stays finer than that


@dataclass(frozen=True, slots=True)
class TileGrid:
    """Cells of `cell_mm` centred on the mat, coordinates in mm from its middle: +x along columns, +y along rows up.

    Cell number `row * columns + column`, so a1 is 0. `tile_mm`: a tile's side, None where it is to be found out.
    """

    columns: int = 7
    rows: int = 7
    cell_mm: float = 34.0
    tile_mm: float | None = None

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def size_mm(self) -> tuple[float, float]:
        return (self.columns * self.cell_mm, self.rows * self.cell_mm)

    def centre_mm(self, cell: int) -> tuple[float, float]:
        row, column = divmod(cell, self.columns)
        return ((column - (self.columns - 1) / 2) * self.cell_mm, (row - (self.rows - 1) / 2) * self.cell_mm)

    def around(self, cell: int) -> list[int]:
        """The cells that touch a cell, also at its corners."""
        row, column = divmod(cell, self.columns)
        rows = range(max(row - 1, 0), min(row + 2, self.rows))
        columns = range(max(column - 1, 0), min(column + 2, self.columns))
        return [r * self.columns + c for r in rows for c in columns if (r, c) != (row, column)]

    def name(self, cell: int) -> str:
        row, column = divmod(cell, self.columns)
        return f"{chr(ord('a') + column)}{row + 1}"


@dataclass(frozen=True, slots=True, eq=False)
class FlatMat:
    """The grid and half a cell around it seen from straight above: `picture` (h, w, 3) BGR, `CELL_PX` a cell, +y up.

    `seen` (h, w): where the camera's picture reaches.
    """

    grid: TileGrid
    picture: NDArray[np.uint8]
    seen: NDArray[np.bool_]

    @property
    def px_per_mm(self) -> float:
        return CELL_PX / self.grid.cell_mm

    def pixel(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Where a place on the mat is in the flat picture."""
        width, height = self.grid.columns + 1, self.grid.rows + 1
        x, y = x_mm / self.grid.cell_mm + width / 2, height / 2 - y_mm / self.grid.cell_mm
        return x * CELL_PX - 0.5, y * CELL_PX - 0.5

    def place(self, x: Points, y: Points) -> tuple[Points, Points]:
        """Where on the mat pixels of the flat picture are, mm; columns x and rows y of the same shape."""
        width, height = self.grid.columns + 1, self.grid.rows + 1
        across, up = (x + 0.5) / CELL_PX - width / 2, height / 2 - (y + 0.5) / CELL_PX
        return across * self.grid.cell_mm, up * self.grid.cell_mm


def flatten(image: NDArray[np.uint8], pose: Pose, grid: TileGrid, height_mm: float) -> FlatMat:
    """The mat as seen from straight above, of what lies `height_mm` above it."""
    distance = float(np.linalg.norm(pose.camera_mm))
    view = pose
    while float(view.matrix[0, 0]) / distance * grid.cell_mm / CELL_PX > 2 * COARSEST:
        even = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]
        image = np.asarray(
            cv2.resize(even, (even.shape[1] // 2, even.shape[0] // 2), interpolation=cv2.INTER_AREA), np.uint8
        )
        view = view.scaled(0.5)
    wide, high = (grid.columns + 1) * CELL_PX, (grid.rows + 1) * CELL_PX
    mm = grid.cell_mm / CELL_PX
    x = np.asarray((np.arange(wide) + 0.5 - wide / 2) * mm, np.float64)
    y = np.asarray((high / 2 - np.arange(high) - 0.5) * mm, np.float64)
    maps = _bent(view, x, y, height_mm, grid.cell_mm * LATTICE_OF_CELL)
    picture = cv2.remap(image, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    limit = (image.shape[1] - 1, image.shape[0] - 1)
    seen = (maps[0] >= 0) & (maps[0] <= limit[0]) & (maps[1] >= 0) & (maps[1] <= limit[1])
    return FlatMat(grid, np.asarray(picture, np.uint8), seen)


def _bent(
    view: Pose, x_mm: Points, y_mm: Points, height_mm: float, lattice_mm: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Pixel columns and rows of places x (w,) by y (h,): exact on a lattice, else between."""
    coarse = [np.linspace(v[0], v[-1], max(2, round(abs(v[-1] - v[0]) / lattice_mm) + 1)) for v in (x_mm, y_mm)]
    across, up = np.meshgrid(*coarse)
    places = np.stack([across.ravel(), up.ravel(), np.full(across.size, height_mm)], axis=1)
    pixels = view.project(places).reshape(*across.shape, 2).astype(np.float32)
    # ends of the coarse lattice are the ends of the fine one, which cv2.resize would not keep
    fx = np.linspace(0, across.shape[1] - 1, len(x_mm), dtype=np.float32)
    fy = np.linspace(0, across.shape[0] - 1, len(y_mm), dtype=np.float32)
    at = np.meshgrid(fx, fy)
    fine = cv2.remap(pixels, at[0], at[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(fine[..., 0]), np.ascontiguousarray(fine[..., 1])
