"""The printed corner markers in a picture: found from nothing, or looked at again where they are expected."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision.geometry import MarkerLayout

Corners = NDArray[np.float64]  # (4, 2) pixels: top left, top right, bottom right, bottom left as printed
Grey = NDArray[np.uint8]
CornerMap = Mapping[int, NDArray[np.float64]]  # marker id -> its four corners on the board, (4, 3) mm

UNIT_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
MIN_CONTRAST = 4.0  # standard deviation of grey levels over the cells below which nothing can be decoded
MIN_LIKENESS = 0.72  # correlation with its pattern from which a blurred marker is taken for one
MOST_BLURRED_IDS = 8  # where more ids are looked for, too much resembles one of them
QUICK_WINDOW_PX = 7  # the narrowest of the windows leaves corners where they are; it takes a third of the time of all
MAGNIFICATIONS = (1, 2, 3, 4)
SAME_WITHIN_OF_SIDE = 0.35  # of a side between the middles of two sightings of one marker
CORNER_REACH_OF_SIDE = 0.1  # how far from where it is expected a corner is looked for, as a share of the side


@lru_cache(maxsize=8)
def dictionary_named(name: str) -> cv2.aruco.Dictionary:
    """The predefined dictionary with that name; raises `BadInput` for a name OpenCV does not know."""
    number = getattr(cv2.aruco, name, None) if name.startswith("DICT_") else None
    if not isinstance(number, int):
        raise BadInput(f"[markers] dictionary: {name!r} is not known, use for example 'DICT_4X4_50'")
    return cv2.aruco.getPredefinedDictionary(number)


@lru_cache(maxsize=8)
def _detector(name: str, quick: bool = False) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.perspectiveRemoveIgnoredMarginPerCell = 0.3  # blurred edges say nothing about a cell
    parameters.adaptiveThreshWinSizeMin = 7
    parameters.adaptiveThreshWinSizeMax = 43
    parameters.adaptiveThreshWinSizeStep = 12
    if quick:
        parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = QUICK_WINDOW_PX
    parameters.minMarkerPerimeterRate = 0.02
    parameters.maxMarkerPerimeterRate = 1.5
    return cv2.aruco.ArucoDetector(dictionary_named(name), parameters)


def find_markers(
    grey: Grey, layout: MarkerLayout, magnified: int = 1, several: bool = False, quick: bool = False
) -> dict[int, list[Corners]]:
    """Every sighting of the layout's ids in a grey picture (several where an id seems to be there twice).

    Where ids are missing, outlines that the detector could not decode (blur, noise) are compared with their patterns.
    `several`: ids are expected more than once, so they are compared with those that were found too.
    `magnified`: how many times to enlarge the picture first. A cell of less than 3 pixels is not decoded otherwise.
    `quick`: try one way of telling black from white first, which will do where it shows every id once.
    """
    if quick:
        decoded = _decoded(np.ascontiguousarray(grey), layout, True)[0]
        if len(decoded) == len(layout.centres_mm) and all(len(seen) == 1 for seen in decoded.values()):
            return decoded
    whole = np.ascontiguousarray(grey)
    if magnified > 1:
        size = (grey.shape[1] * magnified, grey.shape[0] * magnified)
        whole = np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    found = _find(whole, layout, several)
    return {i: [(corners + 0.5) / magnified - 0.5 for corners in seen] for i, seen in found.items()}


def find_small_markers(grey: Grey, layout: MarkerLayout) -> dict[int, list[Corners]]:
    """As `find_markers`, in the picture and in enlarged ones: what each of them misses, and ids more than once."""
    found: dict[int, list[Corners]] = {}
    for magnified in MAGNIFICATIONS:
        for marker, seen in find_markers(grey, layout, magnified, True).items():
            known = found.setdefault(marker, [])
            for corners in seen:
                apart = side_px(corners) * SAME_WITHIN_OF_SIDE
                if all(np.linalg.norm(corners.mean(axis=0) - other.mean(axis=0)) > apart for other in known):
                    known.append(corners)
    return found


def _find(whole: Grey, layout: MarkerLayout, several: bool) -> dict[int, list[Corners]]:
    found, rejected = _decoded(whole, layout)
    if len(layout.centres_mm) > MOST_BLURRED_IDS:
        return found
    missing = [marker for marker in sorted(layout.centres_mm) if several or marker not in found]
    if missing:
        for quad in rejected:
            _read_blurred(whole, np.asarray(quad, np.float64).reshape(4, 2), missing, layout.dictionary, found)
    return found


def _decoded(
    whole: Grey, layout: MarkerLayout, quick: bool = False
) -> tuple[dict[int, list[Corners]], Sequence[NDArray[np.float32]]]:
    """The sightings of the layout's ids that the detector decodes, and the outlines in which it found no marker."""
    corners, ids, rejected = _detector(layout.dictionary, quick).detectMarkers(whole)
    found: dict[int, list[Corners]] = {}
    decoded: object = ids  # None where nothing was found, which the stub does not say
    if decoded is not None:
        for marker, quad in zip(map(int, np.asarray(ids).ravel()), corners, strict=True):
            points = np.asarray(quad, np.float64).reshape(4, 2)
            if marker in layout.centres_mm and cv2.isContourConvex(points.astype(np.float32)):
                found.setdefault(marker, []).append(points)
    return found, rejected  # type: ignore[return-value]


def _read_blurred(
    grey: Grey, quad: Corners, missing: Sequence[int], dictionary: str, found: dict[int, list[Corners]]
) -> None:
    """Adds the outline to `found` where it resembles a missing marker, turned as it may be."""
    turn = cv2.getPerspectiveTransform(UNIT_SQUARE, quad.astype(np.float32))
    values = values_at(grey, np.asarray(cv2.perspectiveTransform(_unit_cells(dictionary), turn), np.float64)[:, 0])
    if values is None:
        return
    off = values - values.mean()
    spread = float(np.sqrt(off @ off / len(off)))
    if spread < MIN_CONTRAST:
        return
    alike = np.stack([_turned_patterns(dictionary, marker) for marker in missing]) @ off / (spread * len(off))
    for at, quarter in np.argwhere(alike > MIN_LIKENESS):
        corners = np.roll(quad, quarter, axis=0)
        reach = max(2, round(side_px(corners) * CORNER_REACH_OF_SIDE))
        found.setdefault(missing[at], []).append(refine_corners(grey, corners, reach))


@lru_cache(maxsize=8)
def _unit_cells(dictionary: str) -> NDArray[np.float32]:
    """The centres of a marker's cells on a side of 1, (n, 1, 2), row by row."""
    across, down = np.meshgrid(*(cell_centres(dictionary),) * 2)
    return np.stack([across, down], axis=-1).reshape(-1, 1, 2).astype(np.float32)


@lru_cache(maxsize=64)
def _turned_patterns(dictionary: str, marker: int) -> NDArray[np.float64]:
    """A marker's pattern turned by each quarter, (4, n): of mean 0 and standard deviation 1."""
    turned = np.stack([np.rot90(marker_cells(dictionary, marker), quarter).ravel() for quarter in range(4)])
    off = turned - turned.mean(axis=1, keepdims=True)
    return np.asarray(off / np.sqrt((off * off).mean(axis=1, keepdims=True)))


def values_at(grey: Grey, points: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Grey values at pixels (n, 2) rounded, (n,); None where one lies outside the picture."""
    at = np.rint(points).astype(int)
    if at.min() < 0 or at[:, 0].max() >= grey.shape[1] or at[:, 1].max() >= grey.shape[0]:
        return None
    return np.asarray(grey[at[:, 1], at[:, 0]], np.float64)


def likeness(values: NDArray[np.float64] | None, pattern: NDArray[np.bool_]) -> float:
    """Correlation of grey values at the cells' centres (n x n,) with a pattern (n, n); 0 where there is no contrast."""
    if values is None:
        return 0.0
    off, wanted = values - values.mean(), pattern.ravel() - pattern.mean()
    spread = float(np.sqrt(off @ off / len(off)))
    if spread < MIN_CONTRAST:
        return 0.0
    return float(off @ wanted) / (spread * float(np.sqrt(wanted @ wanted * len(off))))


def likenesses(grey: Grey, cells: NDArray[np.float64], patterns: NDArray[np.bool_]) -> NDArray[np.float64]:
    """`likeness` of the grey values at several markers' cells, (markers, n, 2) pixels, with patterns (markers, n)."""
    at = np.rint(cells).astype(np.intp)
    limits = np.array([grey.shape[1] - 1, grey.shape[0] - 1])
    inside = ((at >= 0) & (at <= limits)).all(axis=(1, 2))
    at = np.minimum(np.maximum(at, 0), limits)
    values = grey[at[..., 1], at[..., 0]].astype(np.float64)
    off = values - values.mean(axis=1, keepdims=True)
    wanted = patterns - patterns.mean(axis=1, keepdims=True)
    spread = np.sqrt((off * off).mean(axis=1))
    alike = (off * wanted).mean(axis=1) / np.maximum(spread, MIN_CONTRAST) / np.sqrt((wanted * wanted).mean(axis=1))
    return np.where(inside & (spread >= MIN_CONTRAST), alike, 0.0)


def marker_points_mm(layout: MarkerLayout, marker: int) -> NDArray[np.float64]:
    """The marker's four corners on the board, (4, 3) mm, in the order in which a detector names them."""
    half = layout.size_mm / 2
    x, y = layout.centres_mm[marker]
    return np.array(
        [(x - half, y + half, 0), (x + half, y + half, 0), (x + half, y - half, 0), (x - half, y - half, 0)]
    )


@lru_cache(maxsize=64)
def marker_cells(name: str, marker: int) -> NDArray[np.bool_]:
    """The printed pattern as (6, 6) booleans (for 4X4), True where white, top row first."""
    dictionary = dictionary_named(name)
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, marker, dictionary.markerSize + 2)) > 127


def cell_centres(name: str) -> NDArray[np.float64]:
    """Where along a marker's side its cells' centres are, the black ones around included; the side is 1 long."""
    cells = dictionary_named(name).markerSize + 2
    return (np.arange(cells) + 0.5) / cells


def cell_points_mm(corners: NDArray[np.float64], dictionary: str) -> NDArray[np.float64]:
    """The centres of a marker's cells on the board, (n, 3) mm, row by row from the top left; `corners` (4, 3) mm."""
    centres = cell_centres(dictionary)
    across = centres[None, :, None]
    down = centres[:, None, None]
    left, right = corners[0] + down * (corners[3] - corners[0]), corners[1] + down * (corners[2] - corners[1])
    return np.asarray(left + across * (right - left)).reshape(-1, 3)


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
