"""Tiles of one colour that touch: between them no edge shows, so their places are told by the edges that do.

Deep within what lies on the mat a missing edge is no evidence against a square. So places there count about half as
an edge; the sides that show draw the square to them. A side that is not seen has to be made good afterwards: a tile
of the same colour must be found right beyond it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tile_cover import STEP_PX, Cover
from vision.tile_digits import Floats
from vision.tile_mat import CELL_PX, FlatMat
from vision.tile_squares import (
    PLAIN_SCORE,
    SHIFT_OF_CELL,
    EdgeMap,
    TileSquare,
    main_angles,
    scores_of,
    sides_of,
    turned,
    turned_edges,
)

DEEP_COUNTS = 0.42  # of a full edge: less than any side that shows
DEEP_AROUND = 3  # steps of the cover: so large a patch must be no mat for its middle to be deep within something
CORE_AROUND_PX = 9  # so far from where what is deep ends (half of it) no outline shows any more
SEEN_SIDE = 0.56  # strength from which a side counts as seen
HOLE_OF_CELL = 0.3  # area, in cells: a hole so small is print
WIDE_OF_CELL = 0.85  # area, in cells, of what is deep within something: a tile alone has two thirds, less its rim
DEEP_SIDE = 0.55  # of a side that must be deep within something where the side is not seen
SAME_PLACE_PX = 2.5  # a square whose sides are all seen stays where the other is no farther from it
LEAST_SEEN = 0.4  # the weakest of the sides that are seen, for a square to be tried
NO_SIDE_SCORE = 0.66  # of a square none of whose sides can be seen: those around it tell
APART_OF_SIDE = 0.17  # how far from right beside it the next tile may lie
TURNED_DEG = 14.0  # ... and how much it may be turned against it


def joined_squares(
    flat: FlatMat, edges: EdgeMap, cover: Cover, squares: Sequence[TileSquare], side_px: float
) -> list[TileSquare]:
    """The squares again, those with poor edges as they are where tiles of one colour touch, if that fits better."""
    there = {square.cell for square in squares}
    poor = [k for k, s in enumerate(squares) if _poor(s) and any(other in there for other in flat.grid.around(s.cell))]
    if len(poor) < 2:
        return list(squares)
    small, rim_small = _deep_within(cover)
    wide = _in_wide_places(flat, small, [squares[k].cell for k in poor])
    poor = [k for k, is_wide in zip(poor, wide, strict=True) if is_wide]
    if len(poor) < 2:
        return list(squares)
    deep, rim = (_every_pixel(flat, one) for one in (small, rim_small))
    cells = [squares[k].cell for k in poor]
    middles = np.array([flat.pixel(*flat.grid.centre_mm(cell)) for cell in cells])
    outline = main_angles(EdgeMap(edges.tensor * rim[..., None], edges.level), middles)
    angles = np.stack([outline, _angles_around(flat, cells, outline)], axis=1)
    found = _best_joined(edges, deep, cells, middles, angles, side_px)
    result = list(squares)
    for k, square in zip(poor, found, strict=True):
        first = squares[k]
        all_seen = first.weakest >= SEEN_SIDE and np.hypot(square.x - first.x, square.y - first.y) < SAME_PLACE_PX
        if square.joined and square.weakest >= LEAST_SEEN and not all_seen:
            result[k] = square
    return _pushed_together(result)


def beyond(square: TileSquare, squares: Sequence[TileSquare]) -> list[TileSquare | None]:
    """For each side of a square that is not seen the square that lies right beyond it; None where there is none."""
    return [_next_to(square, side, squares) for side in square.joined]


def made_good(
    joined: Mapping[int, Sequence[int | None]], alike: Collection[tuple[int, int]], whole: set[int]
) -> set[int]:
    """Of the cells with a whole tile those that stay so: beyond each unseen side must be a whole tile of its colour.

    `joined`: for each cell with unseen sides the cells beyond them. `alike`: pairs of cells with one colour.
    """
    kept = set(whole)
    while True:
        lost = {
            cell
            for cell, others in joined.items()
            if cell in kept and any(o is None or o not in kept or (cell, o) not in alike for o in others)
        }
        if not lost:
            return kept
        kept -= lost


def _poor(square: TileSquare) -> bool:
    return square.score < PLAIN_SCORE or square.weakest < SEEN_SIDE


def _in_wide_places(flat: FlatMat, deep: NDArray[np.uint8], cells: Sequence[int]) -> list[bool]:
    """For each cell whether what lies in its middle is larger than a tile alone."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(deep, connectivity=4)
    large = stats[:, cv2.CC_STAT_AREA] > WIDE_OF_CELL * (CELL_PX / STEP_PX) ** 2
    large[0] = False
    middles = [np.rint(np.array(flat.pixel(*flat.grid.centre_mm(cell))) / STEP_PX).astype(int) for cell in cells]
    return [bool(large[labels[y - 2 : y + 3, x - 2 : x + 3]].any()) for x, y in middles]


def _every_pixel(flat: FlatMat, small: NDArray[np.uint8]) -> Floats:
    """A map of every `STEP_PX` for each pixel of the flat picture."""
    height, width = flat.picture.shape[:2]
    whole = np.kron(small, np.ones((STEP_PX, STEP_PX), np.uint8))[:height, :width]
    return np.ascontiguousarray(whole, np.float32)


def _deep_within(cover: Cover) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Where all around is something that is no mat, and where such places end: 1, else 0, as the cover is.

    What is printed on a tile may look like the mat; so small holes are filled.
    """
    bare = 1 - cover.strange.astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(bare, connectivity=4)
    large = np.zeros(count, np.uint8)
    large[1:] = stats[1:, cv2.CC_STAT_AREA] > HOLE_OF_CELL * (CELL_PX / STEP_PX) ** 2
    filled = np.asarray(1 - large[labels], np.uint8)
    filled[bare == 0] = 1
    around = np.ones((DEEP_AROUND, DEEP_AROUND), np.uint8)
    deep = np.asarray(cv2.erode(filled, around), np.uint8)
    return deep, np.asarray(cv2.dilate(filled, around) - deep, np.uint8)


def _angles_around(flat: FlatMat, cells: Sequence[int], angles_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean angle of the cells around each and its own."""
    turn = np.exp(4j * np.deg2rad(angles_deg))
    near = np.array([[other == cell or other in flat.grid.around(cell) for other in cells] for cell in cells])
    return np.asarray(np.rad2deg(np.angle(near @ turn)) / 4 % 90)


def _best_joined(
    edges: EdgeMap,
    deep: Floats,
    cells: Sequence[int],
    middles: NDArray[np.float64],
    angles_deg: NDArray[np.float64],
    side_px: float,
) -> list[TileSquare]:
    """The best square around each middle (n, 2) where what is deep within something counts as half an edge."""
    reach = int(CELL_PX * SHIFT_OF_CELL)
    half = int(np.ceil(side_px / 2)) + reach + 2
    upright, level = turned_edges(edges, middles, angles_deg, half)
    within = turned(deep, middles, angles_deg, half)
    # edges in the core belong to what is printed there, and would draw the square to them
    core = turned(np.asarray(cv2.erode(deep, np.ones((CORE_AROUND_PX, CORE_AROUND_PX)))), middles, angles_deg, half)
    counted = [
        np.maximum(edge * (1 - core), np.float32(DEEP_COUNTS) * np.maximum(within, core)) for edge in (upright, level)
    ]
    score, _ = scores_of(sides_of(counted[0], counted[1], side_px, half, reach))
    seen = sides_of(upright, level, side_px, half, reach)
    inside = sides_of(within, within, side_px, half, reach)
    count, span = angles_deg.shape[1], 2 * reach + 1
    found = []
    for k, cell in enumerate(cells):
        one, row, column = np.unravel_index(int(score[k * count : (k + 1) * count].argmax()), (count, span, span))
        at = (k * count + int(one), int(row), int(column))
        strength = [float(side[at]) for side in seen]
        joined = tuple(n for n in range(4) if strength[n] < SEEN_SIDE and float(inside[n][at]) > DEEP_SIDE)
        rest = [strength[n] for n in range(4) if n not in joined]
        weakest = min(rest, default=1.0)
        worth = (sum(rest) / len(rest) + weakest) / 2 if rest else NO_SIDE_SCORE
        angle = float(angles_deg[k, one])
        across, down = _axes(angle)
        x, y = middles[k] + (column - reach) * across + (row - reach) * down
        found.append(TileSquare(cell, float(x), float(y), side_px, angle, worth, weakest, joined))
    return found


def _axes(angle_deg: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A tile's own axes in the flat picture: to its right, and down."""
    cos, sin = np.cos(np.deg2rad(angle_deg)), np.sin(np.deg2rad(angle_deg))
    return np.array([cos, -sin]), np.array([sin, cos])


def _outward(square: TileSquare, side: int) -> NDArray[np.float64]:
    """Left, right, up or down, as a square's sides are counted."""
    across, down = _axes(square.angle_deg)
    return np.asarray((-across, across, -down, down)[side])


def _next_to(
    square: TileSquare, side: int, squares: Sequence[TileSquare], apart: float = APART_OF_SIDE
) -> TileSquare | None:
    away = np.array([square.x, square.y]) + _outward(square, side) * square.side
    for other in squares:
        turned_by = abs((other.angle_deg - square.angle_deg + 45) % 90 - 45)
        off = np.hypot(other.x - away[0], other.y - away[1])
        if other.cell != square.cell and turned_by < TURNED_DEG and off < apart * square.side:
            return other
    return None


def _pushed_together(squares: Sequence[TileSquare]) -> list[TileSquare]:
    """A tile of which two opposite sides are not seen is moved to where those beside it leave room."""
    result = list(squares)
    for k, square in enumerate(squares):
        for pair in ((0, 1), (2, 3)):
            if not set(pair) <= set(square.joined):
                continue
            moves = []
            for side in pair:
                other = _next_to(result[k], side, squares, 0.4)
                # the next tile's place along this axis is known where its far side is seen
                if other is not None and not set(pair) <= set(other.joined):
                    out = _outward(result[k], side)
                    gap = float(np.array([other.x - result[k].x, other.y - result[k].y]) @ out) - square.side
                    moves.append(out * gap)
            if moves:
                dx, dy = np.mean(moves, axis=0)
                result[k] = replace(result[k], x=result[k].x + float(dx), y=result[k].y + float(dy))
    return result
