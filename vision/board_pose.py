"""Where the board lies before the camera: from its printed corner markers to a full pose.

A pose is believed only if it explains itself: known marker ids, the right order of corners, a small reprojection
error and a camera above the board (see opencv/opencv#29034 for phantom markers and #8813 for flipped poses).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CameraModel, Grid, MarkerLayout
from vision.markers import (
    CORNER_REACH_OF_SIDE,
    CornerMap,
    Corners,
    Grey,
    cell_points_mm,
    find_markers,
    likeness,
    likenesses,
    marker_cells,
    printed_corners,
    refine_corners,
    side_px,
    values_at,
)

Points = NDArray[np.float64]

MIN_MARKERS = 3  # two could lie on one line of sight of a bent or wrong board and still fit
MAX_ERROR_OF_SIDE = 0.1  # rms reprojection error as a share of a marker's side: markers are glued on by hand
MAX_ERROR_MEASURED = 0.02  # the same once the markers' places have been measured in a picture
MIN_ERROR_PX = 0.75  # ... but corners are never found better than this in a blurred picture
MIN_HEIGHT_SIDES = 3.0  # the camera's height above the board, in marker sides: nearer it could not see all markers
LEAST_HEIGHT_OF_WIDTH = 0.4  # the camera's height above a board whose corners were clicked, in the wells' breadth
MAX_CLICK_ERROR = 0.02  # rms error of clicked corners as a share of the board's side in the picture
GUESSED_FOCAL_WIDTHS = 1.25  # a phone's or Pi camera's focal length in picture widths ...
GUESSED_FOCAL_SPREAD = 0.3  # ... and its spread in natural logarithms
MAGNIFIED = 2  # times a picture in which too few markers are found is enlarged, to look for small ones
MAGNIFIED_UP_TO_PX = 1_500_000  # ... unless it is larger than this: its markers are not small
MAX_SIGHTINGS = 3  # of one id in a picture that are tried
MIN_LIKENESS_EXPECTED = 0.8  # correlation with its pattern from which a marker that is expected there is in sight
SEARCH_STEP, SEARCH_REACH = 0.1, 0.8  # of a side, when two markers tell roughly where the others are
CORNER_SD_PX = 0.3  # how well a corner is found; weighs the corners against the guess of the focal length


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Board to camera: rotation vector and translation (mm), `matrix` (3, 3), `distortion`; picture `size_px` (w, h).

    `error_px`: rms reprojection error of the `markers` it was made from.
    """

    rotation: Points
    translation: Points
    matrix: Points
    distortion: Points
    size_px: tuple[int, int]
    error_px: float
    markers: tuple[int, ...]

    def project(self, points_mm: Points) -> Points:
        """Board points (n, 3) in mm, z up from the board's top, to pixels (n, 2)."""
        pixels, _ = cv2.projectPoints(
            np.ascontiguousarray(points_mm, np.float64), self.rotation, self.translation, self.matrix, self.distortion
        )
        return np.asarray(pixels, np.float64).reshape(-1, 2)

    def to_board(self, pixels: Points, height_mm: float = 0.0) -> Points:
        """Where the lines of sight of pixels (n, 2) meet the plane `height_mm` above the board, (n, 3) mm."""
        flat = cv2.undistortPoints(np.ascontiguousarray(pixels.reshape(-1, 1, 2)), self.matrix, self.distortion)
        turn, _ = cv2.Rodrigues(self.rotation)
        rays = np.concatenate([flat.reshape(-1, 2), np.ones((len(pixels), 1))], axis=1) @ turn
        eye = self.camera_mm
        return np.asarray(eye + rays * ((height_mm - eye[2]) / rays[:, 2:3]), np.float64)

    @property
    def camera_mm(self) -> Points:
        """Where the camera is in board coordinates, (3,) mm."""
        turn, _ = cv2.Rodrigues(self.rotation)
        return np.asarray(-turn.T @ self.translation.ravel(), np.float64)

    def scaled(self, factor: float) -> "Pose":
        """The same view in a picture `factor` times as large (pixel centres at whole numbers)."""
        matrix = self.matrix.copy()
        matrix[:2] *= factor
        matrix[:2, 2] += (factor - 1) / 2
        size = (round(self.size_px[0] * factor), round(self.size_px[1] * factor))
        return Pose(
            self.rotation, self.translation, matrix, self.distortion, size, self.error_px * factor, self.markers
        )


@dataclass(frozen=True, slots=True)
class NoPose:
    """Why no pose can be given, in one line."""

    why: str


def camera_matrices(camera: CameraModel, size_px: tuple[int, int]) -> list[tuple[Points, float]]:
    """Matrices to try for a picture of that size, each with its penalty: one if the camera is known, else a range."""
    width, height = size_px
    if camera.matrix is not None:
        matrix = np.array(camera.matrix, np.float64)
        if camera.size_px is not None and camera.size_px != size_px:
            scale = np.array([width / camera.size_px[0], height / camera.size_px[1]])
            matrix[:2] *= scale[:, None]
            matrix[:2, 2] += (scale - 1) / 2
        return [(matrix, 0.0)]
    guesses: list[tuple[Points, float]] = []
    for step in np.linspace(-2, 2, 17).tolist():
        focal = GUESSED_FOCAL_WIDTHS * max(width, height) * np.exp(step * GUESSED_FOCAL_SPREAD)
        guesses.append((np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]]), step**2))
    return guesses


def solve_pose(
    corners: Mapping[int, Corners],
    where: CornerMap,
    camera: CameraModel,
    size_px: tuple[int, int],
    max_error_of_side: float = MAX_ERROR_OF_SIDE,
) -> Pose | NoPose:
    """The pose that explains these corners, all of them; refused where they do not fit together.

    `where` says for each marker id where its corners lie on the board.
    """
    ids = tuple(sorted(corners))
    board = np.concatenate([where[i] for i in ids])
    pixels = np.concatenate([corners[i] for i in ids])
    lowest_mm = MIN_HEIGHT_SIDES * float(np.linalg.norm(board[0] - board[1]))
    best = _likeliest_pose(board, pixels, camera, size_px, lowest_mm)
    if best is None:
        return NoPose("the markers are seen as if from below the board: check their order in [markers]")
    side = float(np.mean([side_px(c) for c in corners.values()]))
    if best.error_px > max(MIN_ERROR_PX, max_error_of_side * side):
        return NoPose(f"the markers do not lie where [markers] says: {best.error_px:.1f} pixels off")
    return replace(best, markers=ids)


def pose_from_corners(corners_px: Points, grid: Grid, camera: CameraModel, size_px: tuple[int, int]) -> Pose | NoPose:
    """The pose from where somebody sees the centres of the four corner wells, (4, 2) pixels.

    Their order, as White sees them: last rank's first file (a6), last rank's last (g6), first rank's last (g1), and a1.
    """
    pixels = np.asarray(corners_px, np.float64).reshape(-1, 2)
    if pixels.shape != (4, 2) or not np.isfinite(pixels).all() or not cv2.isContourConvex(pixels.astype(np.float32)):
        return NoPose("the four corners should be four points around the board, each named once, in order")
    last = grid.wells - 1
    board = np.array([(*grid.centre_mm(w), 0.0) for w in (last - grid.files + 1, last, grid.files - 1, 0)])
    width_mm = float(board[1, 0] - board[0, 0])
    best = _likeliest_pose(board, pixels, camera, size_px, LEAST_HEIGHT_OF_WIDTH * width_mm)
    if best is None:
        return NoPose("these corners are seen from below: name them in the order in which White sees them")
    if best.error_px > max(MIN_ERROR_PX, MAX_CLICK_ERROR * side_px(pixels)):
        return NoPose(f"the corners do not lie as this board's do: {best.error_px:.1f} pixels off")
    return best


def _likeliest_pose(
    board: Points, pixels: Points, camera: CameraModel, size_px: tuple[int, int], lowest_mm: float
) -> Pose | None:
    """The pose that explains best where `board` points (n, 3) mm are seen; None where the camera would be too low."""
    distortion = np.array(camera.distortion if camera.matrix is not None else (0.0,) * 5, np.float64)
    best: tuple[float, Pose] | None = None
    # With four points that fit perfectly the first of these stumbles; with more it is enough
    solvers = (cv2.SOLVEPNP_IPPE, cv2.SOLVEPNP_SQPNP) if len(board) == 4 else (cv2.SOLVEPNP_IPPE,)
    for (matrix, penalty), solver in product(camera_matrices(camera, size_px), solvers):
        count, rotations, translations, _ = cv2.solvePnPGeneric(board, pixels, matrix, distortion, flags=solver)
        for k in range(count):
            rotation, translation = cv2.solvePnPRefineLM(
                board, pixels, matrix, distortion, rotations[k].copy(), translations[k].copy()
            )
            pose = Pose(
                np.asarray(rotation, np.float64),
                np.asarray(translation, np.float64),
                matrix,
                distortion,
                size_px,
                0.0,
                (),
            )
            error = float(np.sqrt(np.mean(np.sum((pose.project(board) - pixels) ** 2, axis=1))))
            cost = len(pixels) * (error / CORNER_SD_PX) ** 2 + penalty
            if pose.camera_mm[2] > lowest_mm and (best is None or cost < best[0]):
                best = (cost, replace(pose, error_px=error))
    return None if best is None else best[1]


def sighted_markers(
    grey: Grey, pose: Pose, where: CornerMap, dictionary: str, astray: float = 0.0
) -> dict[int, Corners]:
    """The markers whose printed pattern stands where the pose expects it, with corners as the picture has them.

    `astray`: how far from there to look, as a share of a marker's side.
    """
    if not astray:
        return _markers_at(grey, pose, where, dictionary)
    seen: dict[int, Corners] = {}
    steps = np.arange(-astray, astray + SEARCH_STEP / 2, SEARCH_STEP)
    for marker in sorted(where):
        pattern, side_mm = marker_cells(dictionary, marker), float(np.linalg.norm(where[marker][0] - where[marker][1]))
        shifts = [np.array([x, y, 0]) * side_mm for x in steps for y in steps]
        points = np.concatenate([cell_points_mm(where[marker], dictionary), where[marker]])
        at = pose.project(np.concatenate([points + shift for shift in shifts])).reshape(len(shifts), -1, 2)
        alike = [likeness(values_at(grey, cells), pattern) for cells in at[:, : pattern.size]]
        best = int(np.argmax(alike))
        refined = _corners_near(grey, at[best, pattern.size :]) if alike[best] >= MIN_LIKENESS_EXPECTED else None
        if refined is not None:
            seen[marker] = refined
    return seen


def _markers_at(grey: Grey, pose: Pose, where: CornerMap, dictionary: str) -> dict[int, Corners]:
    """As `sighted_markers`, just where the pose expects them. It is what every picture of a still board needs."""
    ids = sorted(where)
    if not ids:
        return {}
    corners = np.stack([where[marker] for marker in ids])
    cells = np.stack([cell_points_mm(where[marker], dictionary) for marker in ids])
    at = pose.project(np.concatenate([cells.reshape(-1, 3), corners.reshape(-1, 3)]))
    cells_px, corners_px = at[: -4 * len(ids)].reshape(len(ids), -1, 2), at[-4 * len(ids) :].reshape(-1, 4, 2)
    patterns = np.stack([marker_cells(dictionary, marker).ravel() for marker in ids])
    seen = {}
    for k in np.flatnonzero(likenesses(grey, cells_px, patterns) >= MIN_LIKENESS_EXPECTED):
        refined = _corners_near(grey, corners_px[k])
        if refined is not None:
            seen[ids[k]] = refined
    return seen


def _corners_near(grey: Grey, corners: Corners) -> Corners | None:
    """The corners as the picture has them; None where they lie at its edge, or far from these."""
    height, width = grey.shape
    if corners.min() < 1 or corners[:, 0].max() > width - 2 or corners[:, 1].max() > height - 2:
        return None
    reach = max(2.0, side_px(corners) * CORNER_REACH_OF_SIDE)
    refined = refine_corners(grey, corners, round(reach))
    return refined if np.abs(refined - corners).max() < 2 * reach else None


def find_pose(
    grey: Grey,
    layout: MarkerLayout,
    camera: CameraModel,
    measured: CornerMap | None = None,
    closely: bool = False,
    least: int = MIN_MARKERS,
    quick: bool = False,
) -> Pose | NoPose:
    """Look for the board from nothing in a grey picture. Prefers all markers, else the three that fit best.

    `measured`: the corners' places on the board, (4, 3) mm for each id, where they are known better than from the
    layout. `closely`: look again in the enlarged picture for markers too small to be decoded; takes five times as long.
    `least`: how many markers are enough where no more are to be seen, if their places are `measured`. `quick`: see
    `find_markers`.
    """
    found = find_markers(grey, layout, quick=quick)
    if closely and len(found) < MIN_MARKERS and grey.size <= MAGNIFIED_UP_TO_PX:
        closer = find_markers(grey, layout, MAGNIFIED)
        found = closer if len(closer) > len(found) else found
    refusal: Pose | NoPose = NoPose("")
    if measured is not None:
        refusal = _pose_from(grey, found, measured, MAX_ERROR_MEASURED, layout, camera)
    if isinstance(refusal, NoPose):
        refusal = _pose_from(grey, found, printed_corners(layout), MAX_ERROR_OF_SIDE, layout, camera)
    if isinstance(refusal, NoPose) and measured is not None and least <= len(found) < MIN_MARKERS:
        few = best_fit(found, measured, camera, (grey.shape[1], grey.shape[0]), MAX_ERROR_MEASURED, len(found))
        refusal = few if isinstance(few, Pose) else refusal
    return refusal


def _pose_from(
    grey: Grey,
    found: Mapping[int, list[Corners]],
    places: CornerMap,
    max_error: float,
    layout: MarkerLayout,
    camera: CameraModel,
) -> Pose | NoPose:
    size = (grey.shape[1], grey.shape[0])
    if len(found) == MIN_MARKERS - 1:  # two tell where to look for the others
        rough = solve_pose({i: c[0] for i, c in found.items()}, places, camera, size)
        if isinstance(rough, Pose):
            others = sighted_markers(grey, rough, places, layout.dictionary, SEARCH_REACH)
            found = {i: [c] for i, c in others.items()} | dict(found)
    if len(found) < MIN_MARKERS:
        names = "only number " + " and ".join(str(i) for i in sorted(found)) if found else "none"
        wanted = ", ".join(str(i) for i in sorted(layout.centres_mm))
        return NoPose(f"too few markers in sight: {names}; the board's are numbers {wanted}")
    best = best_fit(found, places, camera, size, max_error)
    if isinstance(best, Pose) and len(best.markers) < len(places):
        again = {i: [c] for i, c in sighted_markers(grey, best, places, layout.dictionary).items()}
        if len(again) > len(best.markers):
            better = best_fit(again, places, camera, size, max_error)
            return better if isinstance(better, Pose) else best
    return best


def best_fit(
    found: Mapping[int, list[Corners]],
    places: CornerMap,
    camera: CameraModel,
    size: tuple[int, int],
    max_error: float,
    least: int = MIN_MARKERS,
) -> Pose | NoPose:
    """The pose from as many of the sighted markers as fit together, at least `least`. An id may have several sightings.

    A marker that is half covered, or a phantom, is so left out.
    """
    refusal: NoPose | None = None
    for count in range(len(found), least - 1, -1):
        poses = []
        for ids in combinations(sorted(found), count):
            for choice in product(*(found[i][:MAX_SIGHTINGS] for i in ids)):
                pose = solve_pose(dict(zip(ids, choice, strict=True)), places, camera, size, max_error)
                if isinstance(pose, Pose):
                    poses.append(pose)
                else:
                    refusal = refusal or pose
        if poses:
            return min(poses, key=lambda p: p.error_px)
    return refusal or NoPose("the markers do not fit together")
