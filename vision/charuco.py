"""Calibrating a camera with a printed chessboard that has markers in its white squares (ChArUco).

Views are collected one by one. Each is judged at once, and the person holding the sheet is told where to hold it next:
a calibration is only as good as its views are different. What comes out is refused unless it explains the views.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision.charuco_sheet import CharucoSheet
from vision.geometry import CameraModel

Grey = NDArray[np.uint8]
Points = NDArray[np.float64]

LEAST_CORNERS = 12  # of a view: fewer do not tell how the sheet is tilted
LEAST_VIEWS = 10
LEAST_TILT = 0.35  # how much larger one end of a tilted sheet looks than the other: natural logarithm of areas
LEAST_MOVE = 0.02  # of the picture's diagonal, by which a view must differ from all others
EDGE_SHARE = 0.17  # of the picture's width or height: so near the edge a corner tells of the lens's distortion
LEAST_SHARPNESS = 0.45  # of an edge's height that must fall within BLUR_REACH pixels of it
MAX_ERROR_PX = 1.0  # rms over all views, of pictures 1280 wide; good ones reach 0.2 to 0.5
VIEW_ERROR_TIMES = 3.0  # a view so many times worse than the middle one is left out
MAX_CENTRE_OFF = 0.2  # of the picture's width, by which its optical centre may lie aside
FOCAL_WIDTHS = (0.4, 4.0)  # focal lengths that cameras have, in picture widths
USUAL_WIDTH = 1280.0
FIELDS = (6, 4)
STILL_SHARE = 0.0015  # of the picture's diagonal (2.4 pixels of 1600), by which a sheet held still moves in a picture
MOST_FOCAL_SD = 0.015  # of the focal length: beyond it the views do not tell it


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One sighting of the sheet: which of its corners, `ids` (n,), where in the picture, `pixels` (n, 2)."""

    ids: NDArray[np.intp]
    pixels: Points
    size_px: tuple[int, int]


class Place(StrEnum):
    """What the views still lack."""

    LEFT = "left"
    RIGHT = "right"
    TOP = "top"
    BOTTOM = "bottom"
    TILT_LEFT = "tilt left"
    TILT_RIGHT = "tilt right"
    TILT_UP = "tilt up"
    TILT_DOWN = "tilt down"
    MORE = "more"


ADVICE = {
    Place.LEFT: "move the sheet to the left edge of the picture",
    Place.RIGHT: "move the sheet to the right edge of the picture",
    Place.TOP: "move the sheet to the upper edge of the picture",
    Place.BOTTOM: "move the sheet to the lower edge of the picture",
    Place.TILT_LEFT: "tilt the sheet: bring its left side nearer to the camera",
    Place.TILT_RIGHT: "tilt the sheet: bring its right side nearer to the camera",
    Place.TILT_UP: "tilt the sheet: bring its upper side nearer to the camera",
    Place.TILT_DOWN: "tilt the sheet: bring its lower side nearer to the camera",
    Place.MORE: "hold the sheet differently once more: other distance, other angle",
}


class BadCalibration(BadInput):
    """The views do not give a calibration; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The camera, the rms reprojection error in pixels, how many views it stands on, and one sd of its focal length."""

    camera: CameraModel
    error_px: float
    views: int
    focal_sd_px: float = 0.0


def see_sheet(grey: Grey, sheet: CharucoSheet) -> View | str:
    """The sheet's corners in a grey picture, or why it cannot be used."""
    detector = cv2.aruco.CharucoDetector(sheet.board)
    pixels, ids, _, _ = detector.detectBoard(np.ascontiguousarray(grey))
    found: object = ids  # None where nothing was found, which the stub does not say
    count = 0 if found is None else int(np.size(ids))
    if count < LEAST_CORNERS:
        return f"only {count} of the sheet's {sheet.corners} corners are in sight: hold all of it into the picture"
    points = np.asarray(pixels, np.float64).reshape(-1, 2)
    if sharpness(grey, points) < LEAST_SHARPNESS:
        return "the picture is blurred: hold the sheet still, or focus the camera"
    return View(np.asarray(ids).ravel().astype(np.intp), points, (grey.shape[1], grey.shape[0]))


def sharpness(grey: Grey, corners: Points) -> float:
    """How sharp the edges at chessboard corners (n, 2) are: change over 2 pixels as a share of the contrast around."""
    shares = []
    for x, y in np.rint(corners).astype(int):
        around = grey[max(0, y - 6) : y + 7, max(0, x - 6) : x + 7].astype(np.float64)
        if min(around.shape) < 13:
            continue
        contrast = float(np.quantile(around, 0.95) - np.quantile(around, 0.05))
        steps = np.maximum(np.abs(around[:, 2:] - around[:, :-2]).max(), np.abs(around[2:] - around[:-2]).max())
        shares.append(steps / contrast if contrast > 10 else 0.0)
    return float(np.median(shares)) if shares else 0.0


@dataclass(slots=True)
class Collection:
    """The views so far, and what they lack."""

    sheet: CharucoSheet
    views: list[View] = field(default_factory=list)

    def offer(self, grey: Grey) -> str:
        """Takes the picture's view if it brings something new. Says what became of it, and what to do next."""
        view = see_sheet(grey, self.sheet)
        return view if isinstance(view, str) else self.take(view)

    def take(self, view: View) -> str:
        """As `offer`, for a view that was found in a picture."""
        if self.views and view.size_px != self.views[0].size_px:
            return "the pictures' size has changed: begin again"
        if any(_alike(view, other) for other in self.views):
            return f"this view is there already: {self.advice}"
        self.views.append(view)
        return "that is enough" if self.complete else f"view {len(self.views)} taken: {self.advice}"

    @property
    def lacks(self) -> tuple[Place, ...]:
        """What is still missing, the most telling first."""
        there = {place for view in self.views for place in places_of(view, self.sheet)}
        missing = tuple(place for place in Place if place not in there and place is not Place.MORE)
        return missing or ((Place.MORE,) if len(self.views) < LEAST_VIEWS else ())

    @property
    def advice(self) -> str:
        """Where to hold the sheet next."""
        return ADVICE[self.lacks[0]] if self.lacks else "the views are enough"

    @property
    def complete(self) -> bool:
        return not self.lacks

    @property
    def covered(self) -> float:
        """Share of the picture's fields, `FIELDS` across and down, in which some view has shown a corner."""
        if not self.views:
            return 0.0
        share = np.concatenate([view.pixels for view in self.views]) / self.views[0].size_px
        at = np.clip((share * FIELDS).astype(int), 0, np.array(FIELDS) - 1)
        return len(np.unique(at, axis=0)) / (FIELDS[0] * FIELDS[1])


def held_still(view: View, before: View) -> bool:
    """Is the sheet where it was a picture earlier? A moving one is blurred, or bent by a rolling shutter."""
    _, here, there = np.intersect1d(view.ids, before.ids, return_indices=True)
    if len(here) < 4 or view.size_px != before.size_px:
        return False
    apart = np.linalg.norm(view.pixels[here] - before.pixels[there], axis=1)
    return float(np.median(apart)) < STILL_SHARE * float(np.hypot(*view.size_px))


def places_of(view: View, sheet: CharucoSheet) -> set[Place]:
    """What a view contributes."""
    width, height = view.size_px
    share = view.pixels / [width, height]
    low, high = share.min(axis=0), share.max(axis=0)
    places = {
        place
        for place, there in (
            (Place.LEFT, low[0] < EDGE_SHARE),
            (Place.RIGHT, high[0] > 1 - EDGE_SHARE),
            (Place.TOP, low[1] < EDGE_SHARE),
            (Place.BOTTOM, high[1] > 1 - EDGE_SHARE),
        )
        if there
    }
    right, down = _tilt(view, sheet)
    if abs(right) > LEAST_TILT:
        places.add(Place.TILT_RIGHT if right > 0 else Place.TILT_LEFT)
    if abs(down) > LEAST_TILT:
        places.add(Place.TILT_DOWN if down > 0 else Place.TILT_UP)
    return places


def _tilt(view: View, sheet: CharucoSheet) -> tuple[float, float]:
    """By how much the sheet looks larger toward the picture's right and lower side: logarithm of areas."""
    turn = _homography(view, sheet)
    half = np.array([sheet.columns, sheet.rows]) * sheet.square_mm / 2
    sides = half + np.array([(-1, 0), (1, 0), (0, -1), (0, 1)]) * half * 0.8
    areas, middles = [], []
    for side in sides:
        square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sheet.square_mm / 2 + side
        seen = cv2.perspectiveTransform(square[:, None], turn).reshape(-1, 2)
        areas.append(np.log(abs(cv2.contourArea(seen.astype(np.float32))) + 1e-9))
        middles.append(seen.mean(axis=0))
    growth = np.zeros(2)
    for one, other in ((0, 1), (2, 3)):
        along = middles[other] - middles[one]
        growth += (areas[other] - areas[one]) * along / np.linalg.norm(along)
    return float(growth[0]), float(growth[1])


def _homography(view: View, sheet: CharucoSheet) -> Points:
    flat = np.asarray(sheet.board.getChessboardCorners(), np.float64)[view.ids, :2]
    return np.asarray(cv2.findHomography(flat, view.pixels)[0], np.float64)


def _alike(one: View, other: View) -> bool:
    """Do two views show the sheet in almost the same place?"""
    _, here, there = np.intersect1d(one.ids, other.ids, return_indices=True)
    if len(here) < 4:
        return False
    apart = np.linalg.norm(one.pixels[here] - other.pixels[there], axis=1)
    return float(apart.max()) < LEAST_MOVE * float(np.hypot(*one.size_px))


def calibrate(views: Sequence[View], sheet: CharucoSheet) -> Calibration:
    """The camera that explains the views. Raises `BadCalibration` saying what is wrong and what to do."""
    if len(views) < LEAST_VIEWS:
        raise BadCalibration(f"{len(views)} views are too few: take at least {LEAST_VIEWS}")
    lacking = Collection(sheet, list(views)).lacks
    if lacking:
        raise BadCalibration(f"the views are too much alike: {ADVICE[lacking[0]]}")
    errors, solved = _solve(views, sheet)
    middle = float(np.median(errors))
    good = [view for view, error in zip(views, errors, strict=True) if error <= VIEW_ERROR_TIMES * middle]
    if LEAST_VIEWS <= len(good) < len(views):
        _, solved = _solve(good, sheet)
    else:
        good = list(views)
    error, matrix, distortion, focal_sd = solved
    _refuse_oddities(error, matrix, focal_sd, views[0].size_px)
    camera = CameraModel(
        views[0].size_px,
        tuple((float(row[0]), float(row[1]), float(row[2])) for row in matrix),
        tuple(map(float, distortion)),
    )
    return Calibration(camera, error, len(good), focal_sd)


def _solve(views: Sequence[View], sheet: CharucoSheet) -> tuple[list[float], tuple[float, Points, Points, float]]:
    """The rms error of each view; over all of them, the camera's matrix, its distortion (5,), the focal length's sd."""
    flat = np.asarray(sheet.board.getChessboardCorners(), np.float32)
    boards = [flat[view.ids] for view in views]
    pixels = [view.pixels.astype(np.float32) for view in views]
    width, height = views[0].size_px
    start = np.array([[width * 1.2, 0, (width - 1) / 2], [0, width * 1.2, (height - 1) / 2], [0, 0, 1]])
    error, matrix, distortion, _, _, spread, _, per_view = cv2.calibrateCameraExtended(
        boards, pixels, (width, height), start, np.zeros(5), flags=cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_K3
    )
    bent = np.asarray(distortion, np.float64).ravel()[:5]
    solved = (float(error), np.asarray(matrix, np.float64), bent, float(np.ravel(spread)[0]))
    return [float(e) for e in np.asarray(per_view).ravel()], solved


def _refuse_oddities(error: float, matrix: Points, focal_sd: float, size_px: tuple[int, int]) -> None:
    width, height = size_px
    if not np.isfinite(matrix).all() or error > MAX_ERROR_PX * max(1.0, width / USUAL_WIDTH):
        raise BadCalibration(
            f"the views do not fit one camera ({error:.1f} pixels off): lay the sheet on something flat and stiff, "
            "switch off autofocus, and take them again"
        )
    focal = matrix[0, 0] / width
    aside = np.abs(matrix[:2, 2] - [(width - 1) / 2, (height - 1) / 2]).max() / width
    if not FOCAL_WIDTHS[0] < focal < FOCAL_WIDTHS[1] or aside > MAX_CENTRE_OFF:
        raise BadCalibration(
            f"no camera is like this (focal length {focal:.1f} picture widths, centre {aside:.0%} aside): "
            "take views that tilt the sheet more"
        )
    if not focal_sd < MOST_FOCAL_SD * matrix[0, 0]:
        raise BadCalibration(
            f"the focal length is not known well ({matrix[0, 0]:.0f} +- {focal_sd:.0f} pixels): take more views, with "
            "the sheet tilted more and nearer to the camera"
        )
