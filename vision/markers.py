"""The printed corner markers in a picture: found from nothing, or looked at again where they are expected."""

from collections.abc import Mapping
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision.geometry import MarkerLayout

Corners = NDArray[np.float64]  # (4, 2) pixels: top left, top right, bottom right, bottom left as printed
Grey = NDArray[np.uint8]
CornerMap = Mapping[int, NDArray[np.float64]]  # marker id -> its four corners on the board, (4, 3) mm

CELLS = 6  # a DICT_4X4 marker is 4x4 cells with one black cell around
MIN_CELL_CONTRAST = 12.0  # grey levels between black and white cells below which nothing can be decoded
MAX_BAD_CELLS = 2  # of 36: a scratch or a highlight may spoil so many before a marker counts as covered


@lru_cache(maxsize=8)
def dictionary_named(name: str) -> cv2.aruco.Dictionary:
    """The predefined dictionary with that name; raises `BadInput` for a name OpenCV does not know."""
    number = getattr(cv2.aruco, name, None) if name.startswith("DICT_") else None
    if not isinstance(number, int):
        raise BadInput(f"[markers] dictionary: {name!r} is not known, use for example 'DICT_4X4_50'")
    return cv2.aruco.getPredefinedDictionary(number)


@lru_cache(maxsize=8)
def _detector(name: str) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.perspectiveRemoveIgnoredMarginPerCell = 0.3  # blurred edges say nothing about a cell
    parameters.adaptiveThreshWinSizeMin = 7
    parameters.adaptiveThreshWinSizeMax = 43
    parameters.adaptiveThreshWinSizeStep = 12
    parameters.minMarkerPerimeterRate = 0.02
    parameters.maxMarkerPerimeterRate = 1.5
    return cv2.aruco.ArucoDetector(dictionary_named(name), parameters)


def find_markers(grey: Grey, layout: MarkerLayout) -> dict[int, list[Corners]]:
    """Every sighting of the layout's ids in a grey picture (several where an id seems to be there twice)."""
    corners, ids, _ = _detector(layout.dictionary).detectMarkers(np.ascontiguousarray(grey))
    found: dict[int, list[Corners]] = {}
    known: object = ids  # None where nothing was found, which the stub does not say
    if known is None:
        return found
    for marker, quad in zip(map(int, np.asarray(ids).ravel()), corners, strict=True):
        points = np.asarray(quad, np.float64).reshape(4, 2)
        if marker in layout.centres_mm and cv2.isContourConvex(points.astype(np.float32)):
            found.setdefault(marker, []).append(points)
    return found


def marker_points_mm(layout: MarkerLayout, marker: int) -> NDArray[np.float64]:
    """The marker's four corners on the board, (4, 3) mm, in the order in which a detector names them."""
    half = layout.size_mm / 2
    x, y = layout.centres_mm[marker]
    return np.array(
        [(x - half, y + half, 0), (x + half, y + half, 0), (x + half, y - half, 0), (x - half, y - half, 0)]
    )


@lru_cache(maxsize=64)
def marker_cells(name: str, marker: int) -> NDArray[np.bool_]:
    """The printed pattern as (6, 6) booleans, True where white, top row first."""
    return np.asarray(cv2.aruco.generateImageMarker(dictionary_named(name), marker, CELLS)) > 127


def cell_points_mm(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The centres of a marker's cells on the board, (36, 3) mm, row by row from the top left; `corners` (4, 3) mm."""
    across = ((np.arange(CELLS) + 0.5) / CELLS)[None, :, None]
    down = ((np.arange(CELLS) + 0.5) / CELLS)[:, None, None]
    left, right = corners[0] + down * (corners[3] - corners[0]), corners[1] + down * (corners[2] - corners[1])
    return np.asarray(left + across * (right - left)).reshape(-1, 3)


def shows_pattern(values: NDArray[np.float64], cells: NDArray[np.bool_]) -> bool:
    """Do grey values at the centres of the cells (36,) show the marker's pattern?"""
    white = cells.ravel()
    black_level, white_level = float(np.median(values[~white])), float(np.median(values[white]))
    if white_level - black_level < MIN_CELL_CONTRAST:
        return False
    wrong = (values > (black_level + white_level) / 2) != white
    return int(wrong.sum()) <= MAX_BAD_CELLS


def refine_corners(grey: Grey, corners: Corners, reach_px: int) -> Corners:
    """Corners moved to where the picture has them, looking at most `reach_px` around; needs them inside the picture."""
    margin = 2 * reach_px + 4
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - margin, 0)
    high = np.ceil(corners.max(axis=0)).astype(int) + margin
    part = np.ascontiguousarray(grey[low[1] : high[1], low[0] : high[0]])
    points = (corners - low).astype(np.float32).reshape(-1, 1, 2)
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.02)
    refined = cv2.cornerSubPix(part, points, (reach_px, reach_px), (-1, -1), criteria)
    return np.asarray(np.reshape(refined, (-1, 2)) + low, np.float64)


def printed_corners(layout: MarkerLayout) -> CornerMap:
    """Where every marker's corners should lie on the board."""
    return {marker: marker_points_mm(layout, marker) for marker in sorted(layout.centres_mm)}


def side_px(corners: Corners) -> float:
    """Mean length of a marker's sides in the picture."""
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())
