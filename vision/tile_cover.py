"""Where a flat mat shows anything but itself: tiles, hands, whatever lies on it.

The mat is of one colour; light changes its brightness, and little else. What differs in colour or is brighter is
strange; what is only much darker may be a shadow.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colour import colours_of, log_levels
from vision.light import fit_plane, terms
from vision.tile_mat import CELL_PX, FlatMat

Mask = NDArray[np.bool_]

STEP_PX = 2  # every other pixel is looked at
PLACES_STEP_PX = 10  # between places through which the mat's colour is laid
CORNER_OF_CELL = 0.65  # the markers lie there
STRANGE_TINT = 0.13  # difference in warmth and tint from which something is no mat
STRANGE_NOISES = 5.0  # ... or so many times the mat's own
STRANGE_BRIGHTER = 0.3
DARK = -0.8
MIDDLE_OF_CELL = 0.44  # half the side of the middle of a cell that is looked at
DARK_OF_CELL = 0.4  # area, in cells, from which what is dark is looked at more closely
LINE_AROUND_PX = 7  # a line differs from what is so near
LINE_SEEN_SHARE = 0.5  # of a line's usual contrast: less, and the line is hidden
LAID_SHARE = 0.2  # of that middle from which something lies there
BIG_OF_CELL = 1.3  # area, in cells, from which what is strange and no tile is a hand or the like
CLOSED_OF_CELL = 0.35  # gaps between fingers that are no room for a tile
COVERED_SHARE = 0.12  # of a cell from which it is covered
TILE_MARGIN_PX = 4.0  # around a tile its sides and its shadow may be seen


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """What is seen on a mat, every `STEP_PX`, (h, w) all: `strange` for certain, `dark` perhaps.

    `dark_things`: what is dark and large, and hides the grid's lines, as no shadow does.
    """

    strange: Mask
    dark: Mask
    dark_things: Mask


def cover_of(flat: FlatMat) -> Cover:
    """Looks where the mat shows itself."""
    small = np.ascontiguousarray(flat.picture[::STEP_PX, ::STEP_PX])
    colours = colours_of(log_levels(small))
    height, width = colours.shape[:2]
    x, y = (np.arange(width) - width / 2) * STEP_PX, (height / 2 - np.arange(height)) * STEP_PX
    skip = PLACES_STEP_PX // STEP_PX
    rows, columns = (v.ravel() for v in np.meshgrid(np.arange(1, height, skip), np.arange(1, width, skip)))
    corner = CORNER_OF_CELL * CELL_PX / STEP_PX
    in_corner = (np.minimum(rows, height - rows) < corner) & (np.minimum(columns, width - columns) < corner)
    kept = ~in_corner & flat.seen[rows * STEP_PX, columns * STEP_PX]
    rows, columns = rows[kept], columns[kept]
    places = np.stack([x[columns], y[rows]], axis=1).astype(np.float64)
    plane = fit_plane(places, colours[rows, columns]) if len(places) else np.zeros((3, 3), np.float32)
    across, up = terms(np.stack([x, np.zeros(width)], axis=1)), terms(np.stack([np.zeros(height), y], axis=1))
    level = (across @ plane)[None] + (up @ plane)[:, None] - plane[0]
    off = colours - level
    tint = np.hypot(off[..., 1], off[..., 2])
    noise = float(np.quantile(tint[rows, columns], 0.25)) if len(places) else 0.0
    strange = (tint > max(STRANGE_TINT, STRANGE_NOISES * noise)) | (off[..., 0] > STRANGE_BRIGHTER)
    dark = off[..., 0] < DARK
    return Cover(strange, dark, _dark_things(flat, strange, dark))


def _dark_things(flat: FlatMat, strange: Mask, dark: Mask) -> Mask:
    """Dark places in which the grid's lines cannot be seen."""
    closed = cv2.morphologyEx((dark & ~strange).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    large = [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= DARK_OF_CELL * (CELL_PX / STEP_PX) ** 2]
    if not large:
        return np.zeros_like(dark)
    grey = log_levels(flat.picture)[..., 1]
    contrast = np.abs(grey - cv2.blur(grey, (LINE_AROUND_PX, LINE_AROUND_PX)))
    contrast = np.asarray(cv2.dilate(contrast, np.ones((3, 3), np.uint8)))[::STEP_PX, ::STEP_PX]
    lines = _line_places(flat)
    plain = lines & ~strange & ~dark & (cv2.dilate(strange.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0)
    usual = float(np.median(contrast[plain])) if plain.any() else 0.0
    things = np.zeros_like(dark)
    for k in large:
        here = labels == k
        inner = cv2.erode(here.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        on_lines = contrast[inner & lines]
        if not on_lines.size or float(np.median(on_lines)) < LINE_SEEN_SHARE * usual:
            things |= here
    return things


def _line_places(flat: FlatMat) -> Mask:
    """Where the grid's lines run, every `STEP_PX`."""
    shape = flat.picture.shape[:2]
    lines = np.zeros(shape, bool)
    across = (np.arange(flat.grid.columns + 1) + 0.5) * CELL_PX
    down = (np.arange(flat.grid.rows + 1) + 0.5) * CELL_PX
    inner = (slice(CELL_PX // 2, shape[0] - CELL_PX // 2), slice(CELL_PX // 2, shape[1] - CELL_PX // 2))
    for x in across.astype(int):
        lines[inner[0], x - 1 : x + 1] = True
    for y in down.astype(int):
        lines[y - 1 : y + 1, inner[1]] = True
    return lines[::STEP_PX, ::STEP_PX]


def cells_laid_on(flat: FlatMat, cover: Cover) -> list[int]:
    """The cells in whose middle something lies."""
    something = (cover.strange | cover.dark_things).astype(np.uint8)
    return np.flatnonzero(_shares(flat, something, MIDDLE_OF_CELL * CELL_PX) > LAID_SHARE).tolist()


def cells_covered(flat: FlatMat, cover: Cover, tiles: list[NDArray[np.float64]]) -> tuple[set[int], set[int]]:
    """Cells covered by something big that is no tile, and cells with something small that is none.

    `tiles`: the corners (4, 2) of each tile that was found, in pixels of the flat picture.
    """
    rest = (cover.strange | cover.dark_things).astype(np.uint8)
    for corners in tiles:
        middle = corners.mean(axis=0)
        out = corners - middle
        wider = middle + out * (1 + TILE_MARGIN_PX / np.maximum(np.abs(out).max(), 1.0))
        cv2.fillPoly(rest, [np.rint(wider / STEP_PX).astype(np.int32)], 0)
    rest = np.asarray(cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rest, connectivity=8)
    least = BIG_OF_CELL * (CELL_PX / STEP_PX) ** 2
    # the markers' corners are no mat, and nothing big
    big = np.isin(labels, [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= least])
    side = 2 * round(CLOSED_OF_CELL * CELL_PX / STEP_PX / 2) + 1
    closed = np.asarray(
        cv2.morphologyEx(big.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)), np.uint8
    )
    covered, small = (
        set(np.flatnonzero(_shares(flat, mask, CELL_PX / 2) > COVERED_SHARE).tolist()) for mask in (closed, rest)
    )
    return covered, small - covered


def _shares(flat: FlatMat, mask: NDArray[np.uint8], reach_px: float) -> NDArray[np.float64]:
    """How much of a square around each cell's middle a mask of 0 and 1 (every `STEP_PX`) fills, (cells,)."""
    middles = np.array([flat.pixel(*flat.grid.centre_mm(cell)) for cell in range(flat.grid.cells)])
    low = np.maximum(np.rint((middles - reach_px) / STEP_PX).astype(int), 0)
    high = np.minimum(np.rint((middles + reach_px) / STEP_PX).astype(int) + 1, (mask.shape[1], mask.shape[0]))
    sums = cv2.integral(mask)
    (left, top), (right, bottom) = low.T, high.T
    inside = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    return np.asarray(inside / ((right - left) * (bottom - top)))
