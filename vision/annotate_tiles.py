"""A reading of a mat drawn into its picture, for people.

A tile has its outline, the first letter of its colour and its number; one that is not certain has a red outline, `?`
and how likely it is. A hidden cell is covered in orange and has `?`. The line above says in words whether the reading
is certain.
"""

import cv2
import numpy as np

from vision.annotate import (
    COVER_SHARE,
    DARK,
    ORANGE,
    PALE,
    RED,
    USUAL_WIDTH,
    Bgr,
    Image,
    Pixels,
    draw_band,
    ring,
    write_about,
)
from vision.board_pose import Pose
from vision.tile_mat import TileGrid
from vision.tile_reading import CellIs, CellReading, TileReading

BLUE: Bgr = (178, 114, 0)
LEAST_SCALE = 0.5
LETTERS, SMALL = 0.8, 0.5


def annotate_tiles(image: Image, reading: TileReading, grid: TileGrid, pose: Pose | None, band: bool = True) -> Image:
    """A copy of the picture with what was read in it; cells without an outline are marked where a pose is given."""
    drawn = image.copy()
    scale = max(LEAST_SCALE, image.shape[1] / USUAL_WIDTH)
    thick = max(1, round(3 * scale))
    if pose is not None:
        _mark_cells(drawn, reading, grid, pose, scale)
    for cell in reading.cells:
        if cell.at_px:
            _draw_tile(drawn, cell, scale, thick)
    if band:
        draw_band(drawn, in_words(reading, grid), reading.confident, scale)
    return drawn


def in_words(reading: TileReading, grid: TileGrid) -> str:
    """One line: whether what is seen is certain, why not, and how many cells are not seen."""
    said = "certain" if reading.confident else f"not certain: {reading.why}"
    hidden = [grid.name(k) for k, cell in enumerate(reading.cells) if cell.is_ is CellIs.HIDDEN]
    if not hidden or not reading.board_found:
        return said
    return f"{said}; {len(hidden)} cell{'' if len(hidden) == 1 else 's'} not seen: {', '.join(hidden)}"


def _draw_tile(drawn: Image, cell: CellReading, scale: float, thick: int) -> None:
    sure = cell.is_ is CellIs.TILE
    corners: Pixels = np.array(cell.at_px, np.float64)
    ring(drawn, corners, BLUE if sure else RED, PALE, thick)
    # below the digit, which stays to be compared
    low = corners[np.argsort(corners[:, 1])[-2:]].mean(axis=0)
    name = f"{(cell.colour or '?')[0]}{cell.number}" if cell.colour is not None else ""
    text = name if sure else f"{name}? {cell.p:.0%}"
    write_about(drawn, text, low, (LETTERS if sure else SMALL) * scale, PALE, BLUE if sure else RED)


def _mark_cells(drawn: Image, reading: TileReading, grid: TileGrid, pose: Pose, scale: float) -> None:
    """Hidden cells, and those in which something lies that no outline was found of."""
    half = grid.cell_mm * 0.42
    plain = drawn.copy()
    marked = []
    for number, cell in enumerate(reading.cells):
        if cell.is_ is CellIs.HIDDEN or (cell.is_ is CellIs.UNSURE and not cell.at_px):
            x, y = grid.centre_mm(number)
            around = np.array(
                [(x - half, y - half, 0.0), (x + half, y - half, 0), (x + half, y + half, 0), (x - half, y + half, 0)]
            )
            corners = pose.project(around)
            marked.append((corners, cell.is_ is CellIs.HIDDEN))
            if cell.is_ is CellIs.HIDDEN:
                cv2.fillPoly(drawn, [np.rint(corners).astype(np.int32)], ORANGE)
    drawn[:] = cv2.addWeighted(drawn, COVER_SHARE, plain, 1 - COVER_SHARE, 0)
    for corners, hidden in marked:
        ring(drawn, corners, ORANGE if hidden else RED, DARK, max(1, round(2 * scale)))
        write_about(drawn, "?", corners.mean(axis=0), LETTERS * scale, PALE)
