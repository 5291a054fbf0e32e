"""Finding square tiles of a known side: wherever four edges of a picture lie as a square's, whatever its angle.

Each cell is looked at by itself. The edges around its middle tell a few angles; for each of them the four sides are
tried at every place near the middle, and the place counts whose weakest sides are strongest.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tile_digits import Floats
from vision.tile_mat import CELL_PX, FlatMat

EDGE_LEVEL = 0.24  # gradient (Sobel, all channels) from which an edge counts half, in the picture's usual grey levels
LEAST_EDGE = 14.0  # ... but not less than this: noise
SOFTENED_PX = 0.8
SIDE_SHARE = 0.8  # of a side's length that is looked at: corners are round
ANGLE_STEP_PX = 2  # every other pixel tells of angles
LEAST_BARE = 6  # cells that tell how a bare one looks
EDGE_MORE, EDGE_SPREADS = (
    0.3,
    6.0,
)  # than in other cells, and times their spread: so much stronger is an edge of its own
OWN_EDGES_SCORE = 0.5  # of a square by such edges alone
KNOWN_AROUND_PX = 5.0  # of a square that was found: its tile's shadow and side
EDGED_SHARE = 0.04  # of a cell that is such edges where something lies: two sides of a tile are more
PLAIN_SCORE = 0.72  # of a square that shows so plainly at the angle which the edges tell that no other is tried
OTHER_ANGLES_DEG = (-8.0, -4.0, 4.0, 8.0)  # ... around that angle
SHIFT_OF_CELL = 0.3  # how far from a cell's middle a tile's is looked for
WEAKEST_WEIGHT = 0.5  # of the weakest side against the mean of all four
OFF_CENTRE = 0.1  # what being off centre as far as can be costs: of two tiles in sight the nearer
RING_OF_CELL = (0.15, 0.62)  # where the edges that tell the angle are, from a cell's middle
SIDES_TRIED_OF_CELL = (0.62, 0.66, 0.7, 0.74, 0.78, 0.82, 0.86, 0.9)


@dataclass(frozen=True, slots=True)
class TileSquare:
    """A square found in a cell: its middle (pixels of the flat picture), its side (pixels) and its angle, 0 to 90.

    The angle is how far it is turned anticlockwise. `score`: how well its edges show, 0 to 1; `weakest` of its sides.
    `joined`: the sides that are not seen because the tile beyond them touches; 0 left, 1 right, 2 top, 3 bottom.
    """

    cell: int
    x: float
    y: float
    side: float
    angle_deg: float
    score: float
    weakest: float
    joined: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class EdgeMap:
    """The structure of a picture's edges: at each pixel squared gradients summed over colours, (h, w, 3): xx, xy, yy.

    `level`: the gradient from which on an edge counts half. A dim picture's edges are weak, and count all the same.
    """

    tensor: Floats
    level: float


def edges_of(flat: FlatMat) -> EdgeMap:
    """The edges of a flat picture."""
    soft = cv2.GaussianBlur(flat.picture, (0, 0), SOFTENED_PX)
    across = cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3)
    down = cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3)
    all_colours = np.ones((1, 3), np.float32)
    parts = [
        cv2.transform(cv2.multiply(a, b), all_colours) for a, b in ((across, across), (across, down), (down, down))
    ]
    usual = float(np.median(flat.picture[::ANGLE_STEP_PX, ::ANGLE_STEP_PX, 1]))
    return EdgeMap(np.asarray(cv2.merge(parts), np.float32), max(LEAST_EDGE, EDGE_LEVEL * usual))


def squares_of_mats_colour(
    flat: FlatMat, edges: EdgeMap, bare: Sequence[int], known: Sequence[NDArray[np.float64]], side_px: float
) -> list[TileSquare]:
    """Squares in cells that seem bare but have edges where the others have none: tiles of the mat's own colour.

    `known`: corners (4, 2) of squares that were found, whose edges and shadows do not count.
    """
    if len(bare) < LEAST_BARE:
        return []
    step = ANGLE_STEP_PX
    strength = np.sqrt(edges.tensor[::step, ::step, 0] + edges.tensor[::step, ::step, 2])
    shown = strength / (strength + edges.level)
    for corners in known:
        middle = corners.mean(axis=0)
        wide = middle + (corners - middle) * (1 + KNOWN_AROUND_PX / np.abs(corners - middle).max())
        cv2.fillPoly(shown, [np.rint(wide / step).astype(np.int32)], 0.0)
    reach = CELL_PX // 2 // step
    middles = [np.rint(np.array(flat.pixel(*flat.grid.centre_mm(cell))) / step).astype(int) for cell in bare]
    cells = np.stack([shown[y - reach : y + reach, x - reach : x + reach] for x, y in middles])
    usual = np.median(cells, axis=0)
    spread = np.median(np.abs(cells - usual), axis=0)
    more = cells > usual + np.maximum(EDGE_MORE, EDGE_SPREADS * spread)
    edged = [k for k in range(len(bare)) if more[k].mean() > EDGED_SHARE]
    if not edged:
        return []
    own = np.zeros_like(edges.tensor)
    for k in edged:
        x, y = middles[k]
        part = (slice((y - reach) * step, (y + reach) * step), slice((x - reach) * step, (x + reach) * step))
        own[part] = edges.tensor[part] * np.kron(more[k], np.ones((step, step), bool))[..., None]
    squares = find_squares(flat, EdgeMap(own, edges.level), [bare[k] for k in edged], side_px)
    return [square for square in squares if square.score >= OWN_EDGES_SCORE]


def find_squares(flat: FlatMat, edges: EdgeMap, cells: Sequence[int], side_px: float) -> list[TileSquare]:
    """The best square of a side in each of some cells, good or not; in their order."""
    if not cells:
        return []
    middles = np.array([flat.pixel(*flat.grid.centre_mm(cell)) for cell in cells])
    angles = main_angles(edges, middles)
    found = _best_of(edges, cells, middles, angles[:, None], side_px)
    poor = [k for k, square in enumerate(found) if square.score < PLAIN_SCORE]
    if poor:
        tried = angles[poor, None] + np.array(OTHER_ANGLES_DEG)
        for k, square in zip(
            poor, _best_of(edges, [cells[k] for k in poor], middles[poor], tried, side_px), strict=True
        ):
            found[k] = max(found[k], square, key=lambda s: s.score)
    return found


def _best_of(
    edges: EdgeMap, cells: Sequence[int], middles: NDArray[np.float64], angles_deg: NDArray[np.float64], side_px: float
) -> list[TileSquare]:
    """The best square around each middle (n, 2), of those at its angles (n, angles)."""
    reach = int(CELL_PX * SHIFT_OF_CELL)
    half = int(np.ceil(side_px / 2)) + reach + 2
    upright, level = turned_edges(edges, middles, angles_deg, half)
    score, weakest = scores_of(sides_of(upright, level, side_px, half, reach))
    count, span = angles_deg.shape[1], 2 * reach + 1
    found = []
    for k, cell in enumerate(cells):
        one, row, column = np.unravel_index(int(score[k * count : (k + 1) * count].argmax()), (count, span, span))
        angle = float(angles_deg[k, one])
        # pixels of the turned patch are steps along the tile's own axes
        dx, dy = column - reach, row - reach
        cos, sin = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
        x, y = middles[k, 0] + dx * cos + dy * sin, middles[k, 1] - dx * sin + dy * cos
        at = (k * count + int(one), int(row), int(column))
        found.append(TileSquare(cell, float(x), float(y), side_px, angle % 90, float(score[at]), float(weakest[at])))
    return found


def square_corners(square: TileSquare) -> NDArray[np.float64]:
    """The corners of a square in the flat picture, (4, 2) pixels: its own top left, then clockwise as seen."""
    turn, half = math.radians(square.angle_deg), square.side / 2
    c, s = math.cos(turn) * half, math.sin(turn) * half
    x, y = square.x, square.y
    return np.array([(x - c - s, y + s - c), (x + c - s, y - s - c), (x + c + s, y - s + c), (x - c + s, y + s + c)])


def best_side(flat: FlatMat, edges: EdgeMap, cells: Sequence[int]) -> float:
    """The side, in pixels, of the squares that fit best in the better half of these cells: others may hold a hand."""
    middles = np.array([flat.pixel(*flat.grid.centre_mm(cell)) for cell in cells])
    angles = main_angles(edges, middles)[:, None]
    sides = [share * CELL_PX for share in SIDES_TRIED_OF_CELL]
    reach = int(CELL_PX * SHIFT_OF_CELL)
    half = int(np.ceil(max(sides) / 2)) + reach + 2
    upright, level = turned_edges(edges, middles, angles, half)
    better = (len(cells) + 1) // 2
    totals = []
    for side in sides:
        best = scores_of(sides_of(upright, level, side, half, reach))[0].reshape(len(cells), -1).max(axis=1)
        totals.append(float(np.sort(best)[-better:].sum()))
    return sides[int(np.argmax(totals))]


def main_angles(edges: EdgeMap, middles: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each middle the angle (degrees, 0 to 90) that most of the edges around it have or are square to."""
    tensor = edges.tensor[::ANGLE_STEP_PX, ::ANGLE_STEP_PX]
    real, imaginary = tensor[..., 0] - tensor[..., 2], 2 * tensor[..., 1]
    size = np.sqrt(np.sqrt(real * real + imaginary * imaginary)) + np.float32(1e-3)
    # squared, angles that differ by a quarter turn become one; strong edges count, but not without end
    weight = 1 / (size * size * size * (1 + size / np.float32(edges.level)))
    four = np.stack([(real * real - imaginary * imaginary) * weight, 2 * real * imaginary * weight], axis=-1)
    ring, reach = _ring()
    padded = np.pad(four, ((reach, reach), (reach, reach), (0, 0)))
    wide = 2 * reach + 1
    places = np.rint(middles / ANGLE_STEP_PX).astype(int).tolist()
    near = np.stack([padded[y : y + wide, x : x + wide].reshape(-1, 2) for x, y in places])
    total = ring.ravel() @ near
    # picture rows go down, so the angle is turned the other way
    return np.asarray(-np.rad2deg(np.arctan2(total[:, 1], total[:, 0]).astype(np.float64)) / 4 % 90)


@lru_cache(maxsize=1)
def _ring() -> tuple[Floats, int]:
    reach = round(RING_OF_CELL[1] * CELL_PX / ANGLE_STEP_PX)
    steps = np.arange(-reach, reach + 1)
    away = np.hypot(*np.meshgrid(steps, steps)) * ANGLE_STEP_PX / CELL_PX
    return ((away > RING_OF_CELL[0]) & (away < RING_OF_CELL[1])).astype(np.float32), reach


def turned_edges(
    edges: EdgeMap, middles: NDArray[np.float64], angles_deg: NDArray[np.float64], half: int
) -> tuple[Floats, Floats]:
    """Edges along and across each angle around each middle: two of (middles * angles, 2 half + 1, 2 half + 1), 0 to 1.

    The first are upright in the turned patch, the second level.
    """
    turn = np.deg2rad(angles_deg).ravel().astype(np.float32)
    cos, sin = np.cos(turn)[:, None, None], np.sin(turn)[:, None, None]
    patch = turned(edges.tensor, middles, angles_deg, half)
    xx, xy, yy = patch[..., 0], patch[..., 1], patch[..., 2]
    both = xx + yy
    along = np.maximum(cos * cos * xx - (2 * cos * sin) * xy + sin * sin * yy, 0)
    strength = np.sqrt(along), np.sqrt(np.maximum(both - along, 0))
    upright, level = (e / (e + edges.level) for e in strength)
    return np.asarray(upright, np.float32), np.asarray(level, np.float32)


def turned(values: Floats, middles: NDArray[np.float64], angles_deg: NDArray[np.float64], half: int) -> Floats:
    """A map (h, w) or (h, w, n) around each middle, turned by each angle.

    (middles * angles, 2 half + 1, 2 half + 1) or with n more.
    """
    turn = np.deg2rad(angles_deg).ravel().astype(np.float32)
    cos, sin = np.cos(turn)[:, None, None], np.sin(turn)[:, None, None]
    steps = np.arange(-half, half + 1, dtype=np.float32)
    u, v = np.meshgrid(steps, steps)
    x0 = np.repeat(middles.astype(np.float32), angles_deg.shape[1], axis=0)
    x = x0[:, 0, None, None] + u * cos + v * sin
    y = x0[:, 1, None, None] - u * sin + v * cos
    rows = (len(x), -1)  # OpenCV wants fewer than 32767 of them
    patch = cv2.remap(values, x.reshape(rows), y.reshape(rows), cv2.INTER_LINEAR)
    return np.asarray(patch.reshape(*x.shape, *values.shape[2:]), np.float32)


def sides_of(upright: Floats, level: Floats, side_px: float, half: int, reach: int) -> Floats:
    """Left, right, top and bottom side's strength for every place of a square's middle within `reach`: (4, ...)."""
    length = round(side_px * SIDE_SHARE) // 2 * 2 + 1
    # means over a side's length, upright sides along rows, level ones along columns
    standing = _mean_along(upright, length, 1)
    lying = _mean_along(level, length, 2)
    span = 2 * reach + 1
    near, far = half - side_px / 2 - reach, half + side_px / 2 - reach
    rows = slice(half - reach, half - reach + span)
    sides = [_between(standing[:, rows], at, span, 2) for at in (near, far)]
    sides += [_between(lying[:, :, rows], at, span, 1) for at in (near, far)]
    return np.stack(sides)


def scores_of(four: Floats) -> tuple[Floats, Floats]:
    """The score and the weakest side's strength of squares by their four sides' (4, n, places, places)."""
    weakest = four.min(axis=0)
    reach = four.shape[-1] // 2
    steps = np.arange(-reach, reach + 1) / max(reach, 1)
    away = (steps**2 + steps[:, None] ** 2).astype(np.float32)
    score = (1 - WEAKEST_WEIGHT) * four.mean(axis=0) + WEAKEST_WEIGHT * weakest - OFF_CENTRE * away / 2
    return np.asarray(score, np.float32), np.asarray(weakest, np.float32)


def _mean_along(values: Floats, length: int, axis: int) -> Floats:
    """Means of `length` values around each along an axis; the ends, where there are not so many, repeat."""
    before = length // 2
    pad = [(0, 0)] * 3
    pad[axis] = (before + 1, before)
    sums = np.cumsum(np.pad(values, pad, mode="edge"), axis=axis)
    upper, lower = _part(sums, length, None, axis), _part(sums, 0, -length, axis)
    return np.asarray((upper - lower) * np.float32(1 / length), np.float32)


def _between(values: Floats, start: float, span: int, axis: int) -> Floats:
    """`span` values from a place between two on along an axis."""
    low = int(np.floor(start))
    share = np.float32(start - low)
    first, second = (_part(values, at, at + span, axis) for at in (low, low + 1))
    return np.asarray(first + (second - first) * share, np.float32)


def _part(values: Floats, low: int, high: int | None, axis: int) -> Floats:
    """The values from one place to another along an axis."""
    where = [slice(None)] * 3
    where[axis] = slice(low, high)
    return values[tuple(where)]
