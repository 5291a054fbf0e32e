"""What never moves in the simulated picture: the table, the wooden board with its wells, and the four markers."""

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulator.view import LIGHT, TABLE_Z_MM, USUAL_STAND, Floats, Stand, View, view_of
from vision.geometry import CameraModel, Grid, MarkerLayout

Picture = NDArray[np.uint8]

BOARD_PX_PER_MM, TABLE_PX_PER_MM = 4.0, 2.0
OVERSAMPLED = 2
TABLE_SIZE_MM = (760.0, 600.0)
WELL_RADIUS_MM = 8.5
WELL_DEPTH_MM = 2.2
BOARD_WOOD = ((0.36, 0.56, 0.80), (0.22, 0.38, 0.60))
TABLE_WOOD = ((0.205, 0.23, 0.26), (0.15, 0.17, 0.20))
"""Light and dark of the grain, BGR in 0 to 1."""
TIPPED_DEG = 11.0
"""How far a tipped board leans."""


def empty_board(
    camera: CameraModel,
    grid: Grid,
    markers: MarkerLayout,
    tipped: int,
    axis: str,
    spacing_mm: float,
    stand: Stand = USUAL_STAND,
) -> Picture:
    """The empty board on its table; BGR, shape (height, width, 3). `tipped` as in a scene."""
    view, of_table = view_of(camera, stand), view_of(camera, stand.on_table)
    width, height = view.size_px
    big = (width * OVERSAMPLED, height * OVERSAMPLED)
    flat = np.eye(3)
    wood = _table(tipped, axis, grid.size_mm, stand.board_mm)
    table = _warp(wood, of_table, np.array([0.0, 0.0, TABLE_Z_MM]), flat, TABLE_SIZE_MM, big)
    origin, axes = lean_of(tipped, axis, spacing_mm)
    board = _board(grid, markers)
    mask = np.full(board.shape[:2], 1.0, dtype=np.float32)
    inset = 3
    mask[:inset], mask[-inset:], mask[:, :inset], mask[:, -inset:] = 0.55, 0.55, 0.55, 0.55
    top = _warp(board * mask[..., None], view, origin, axes, grid.size_mm, big)
    covers = _warp(np.ones(board.shape, np.float32), view, origin, axes, grid.size_mm, big)
    slope = 1.0 if not tipped else float(axes[:, 2] @ LIGHT) / float(LIGHT[2])
    picture = table * (1 - covers) + top * slope
    picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    return as_bytes(picture * light_field(view)[..., None])


def as_bytes(picture: NDArray[np.floating]) -> Picture:
    """From 0..1 to 0..255."""
    return np.asarray(np.clip(picture * 255.0 + 0.5, 0, 255).astype(np.uint8))


@lru_cache(maxsize=4)
def _field(width: int, height: int) -> NDArray[np.float32]:
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    window = 0.10 * (-0.7 * x - 0.6 * y)
    lamp = 0.07 * np.exp(-((x - 0.55) ** 2 + (y - 0.35) ** 2) / 0.5)
    corners = -0.09 * (x * x + y * y)
    return np.asarray((1.02 + window + lamp + corners).astype(np.float32))


def light_field(view: View) -> NDArray[np.float32]:
    """How light each pixel is: a window at the left, a lamp at the right, dark corners. Shape (height, width)."""
    return _field(*view.size_px)


def _warp(
    texture: NDArray[np.float32],
    view: View,
    origin: Floats,
    axes: Floats,
    size_mm: tuple[float, float],
    big: tuple[int, int],
) -> NDArray[np.float32]:
    """Lays a texture (top row at +y) of a size in mm, centred on `origin`, into the picture."""
    rows, columns = texture.shape[:2]
    sx, sy = columns / size_mm[0], rows / size_mm[1]
    to_mm = np.array([[1 / sx, 0, 0.5 / sx - size_mm[0] / 2], [0, -1 / sy, size_mm[1] / 2 - 0.5 / sy], [0, 0, 1]])
    finer = np.array([[OVERSAMPLED, 0, (OVERSAMPLED - 1) / 2], [0, OVERSAMPLED, (OVERSAMPLED - 1) / 2], [0, 0, 1]])
    homography = finer @ view.of_plane(origin, axes[:, 0], axes[:, 1]) @ to_mm
    return np.asarray(cv2.warpPerspective(texture, homography, big, flags=cv2.INTER_LINEAR))


def lean_of(tipped: int, axis: str, spacing_mm: float) -> tuple[Floats, Floats]:
    """Where the board's centre is, and its axes as columns."""
    if not tipped:
        return np.zeros(3), np.eye(3)
    angle = -tipped * math.radians(TIPPED_DEG)
    c, s = math.cos(angle), math.sin(angle)
    pivot = tipped * spacing_mm
    if axis == "ranks":
        axes = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        at = np.array([0.0, pivot, 0.0])
    else:
        axes = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
        at = np.array([pivot, 0.0, 0.0])
    return at - axes @ at, axes


def _noise(rng: np.random.Generator, shape: tuple[int, int], cells: tuple[int, int]) -> NDArray[np.float32]:
    """Smooth noise of mean 0: a grid of `cells` random values drawn out to `shape`."""
    coarse = rng.normal(size=cells).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC))


@lru_cache(maxsize=2)
def _grain(shape: tuple[int, int], seed: int, rings: float) -> NDArray[np.float32]:
    """Wood grain along x, about 0 to 1."""
    rng = np.random.default_rng(seed)
    rows = np.linspace(0, rings, shape[0], dtype=np.float32)[:, None]
    warp = 0.75 * _noise(rng, shape, (5, 3)) + 0.2 * _noise(rng, shape, (14, 4))
    ring = 0.5 + 0.5 * np.sin(2 * np.pi * (rows + warp))
    streaks = _noise(rng, shape, (shape[0] // 3, 7)) * 0.16 + _noise(rng, shape, (shape[0] // 2, 26)) * 0.12
    pores = np.minimum(_noise(rng, shape, (shape[0], 60)), -0.9) + 0.9
    cloudy = 0.14 * _noise(rng, shape, (4, 5))
    return np.asarray(np.clip(0.35 + 0.30 * ring**1.6 + streaks + cloudy + 0.22 * pores, -0.2, 1.3).astype(np.float32))


def _tint(grain: NDArray[np.float32], wood: tuple[tuple[float, ...], tuple[float, ...]]) -> NDArray[np.float32]:
    light, dark = (np.array(c, dtype=np.float32) for c in wood)
    return np.asarray(light + (dark - light) * grain[..., None])


@lru_cache(maxsize=2)
def _table(
    tipped: int, axis: str, board_mm: tuple[float, float], board_at_mm: tuple[float, float]
) -> NDArray[np.float32]:
    """The table's top with the board's soft shadow."""
    shape = (int(TABLE_SIZE_MM[1] * TABLE_PX_PER_MM), int(TABLE_SIZE_MM[0] * TABLE_PX_PER_MM))
    wood = _tint(_grain(shape, 7, 9.0), TABLE_WOOD)
    shade = np.zeros(shape, np.float32)
    drop = -TABLE_Z_MM / float(LIGHT[2])
    dx, dy = -float(LIGHT[0]) * drop, -float(LIGHT[1]) * drop
    if tipped and axis == "ranks":
        dy *= 1 - 0.5 * tipped
    dx, dy = dx + board_at_mm[0], dy + board_at_mm[1]
    x0, x1 = (TABLE_SIZE_MM[0] / 2 + dx + e * board_mm[0] / 2 for e in (-1, 1))
    y0, y1 = (TABLE_SIZE_MM[1] / 2 - dy + e * board_mm[1] / 2 for e in (-1, 1))
    k = TABLE_PX_PER_MM
    shade[int(y0 * k) : int(y1 * k), int(x0 * k) : int(x1 * k)] = 1.0
    shade = 0.55 * cv2.GaussianBlur(shade, (0, 0), 7 * k) + 0.45 * cv2.GaussianBlur(shade, (0, 0), 3 * k)
    return np.asarray(wood * (1 - 0.62 * shade[..., None]))


def _board(grid: Grid, markers: MarkerLayout) -> NDArray[np.float32]:
    """The board's top seen straight from above, evenly lit."""
    k = BOARD_PX_PER_MM
    shape = (round(grid.size_mm[1] * k), round(grid.size_mm[0] * k))
    wood = _tint(_grain(shape, 3, 7.0), BOARD_WOOD)
    y_mm, x_mm = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
    x_mm = (x_mm + 0.5) / k - grid.size_mm[0] / 2
    y_mm = grid.size_mm[1] / 2 - (y_mm + 0.5) / k
    _dig_wells(wood, x_mm, y_mm, grid)
    edge = np.minimum(grid.size_mm[0] / 2 - np.abs(x_mm), grid.size_mm[1] / 2 - np.abs(y_mm))
    wood *= (1 - 0.25 * np.exp(-edge / 1.6))[..., None]
    for number, centre in sorted(markers.centres_mm.items()):
        _stick(wood, number, centre, markers.size_mm, grid)
    return wood


def _dig_wells(wood: NDArray[np.float32], x_mm: NDArray[np.float32], y_mm: NDArray[np.float32], grid: Grid) -> None:
    """Shades the shallow dimples: dark on the side toward the light, bright on the other, with a worn rim."""
    reach = round((WELL_RADIUS_MM + 4) * BOARD_PX_PER_MM)
    for well in range(grid.wells):
        x, y = grid.centre_mm(well)
        row, column = int(np.argmin(np.abs(y_mm[:, 0] - y))), int(np.argmin(np.abs(x_mm[0] - x)))
        near = slice(row - reach, row + reach + 1), slice(column - reach, column + reach + 1)
        dx, dy = x_mm[near] - x, y_mm[near] - y
        r = np.hypot(dx, dy)
        inside = np.clip((WELL_RADIUS_MM - r) / 0.7, 0, 1)
        steep = 2 * WELL_DEPTH_MM / WELL_RADIUS_MM**2
        nx, ny = -steep * dx, -steep * dy
        lit = (nx * LIGHT[0] + ny * LIGHT[1] + LIGHT[2]) / np.sqrt(1 + nx * nx + ny * ny) / LIGHT[2]
        deep = 1 - 0.16 * np.clip(1 - (r / WELL_RADIUS_MM) ** 2, 0, 1)
        rim = np.exp(-(((r - WELL_RADIUS_MM) / 0.6) ** 2))
        side = (dx * LIGHT[0] + dy * LIGHT[1]) / np.maximum(r, 0.1)
        shade = 1 + inside * (lit * deep - 1) - 0.10 * rim + 0.14 * rim * np.clip(-side, 0, 1)
        wood[near] *= shade[..., None].astype(np.float32)


def _stick(wood: NDArray[np.float32], number: int, centre: tuple[float, float], size_mm: float, grid: Grid) -> None:
    """Glues a printed marker on, upright as White sees it, with its white margin."""
    k = BOARD_PX_PER_MM
    side, margin = round(size_mm * k), round(2.6 * k)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    ink = cv2.aruco.generateImageMarker(dictionary, number, side * 3)
    ink = cv2.resize(ink, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    paper = np.full((side + 2 * margin,) * 2, 1.0, np.float32)
    paper[margin : margin + side, margin : margin + side] = ink
    paper = 0.055 + 0.83 * paper
    column = round((centre[0] + grid.size_mm[0] / 2) * k - side / 2) - margin
    row = round((grid.size_mm[1] / 2 - centre[1]) * k - side / 2) - margin
    rows, columns = wood.shape[:2]
    r0, c0 = max(row, 0), max(column, 0)
    r1, c1 = min(row + paper.shape[0], rows), min(column + paper.shape[1], columns)
    tint = np.array([0.99, 1.0, 1.0], np.float32)
    wood[r0:r1, c0:c1] = paper[r0 - row : r1 - row, c0 - column : c1 - column, None] * tint
