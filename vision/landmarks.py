"""Noticing that a board without markers has moved: its corners were told once, and little pieces of it are remembered.

Where the board lies is told by the grain and the edges around it in a few places, each looked for near where it was.
Most may be covered; those in sight must agree.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision.board_pose import NoPose, Points, Pose, pose_from_corners
from vision.geometry import CameraModel, Grid
from vision.markers import Grey
from vision.pose_tracker import Footing, Sight

HALF_PX = 14  # of a landmark's side, in a picture of USUAL_WIDTH
REACH_PX = 26  # how far from where it was a landmark is looked for, the same
USUAL_WIDTH = 960.0
LEAST_CONTRAST = 4.0  # standard deviation of grey levels: an even place is no landmark
LEAST_LIKENESS = 0.75  # correlation from which a landmark is seen again
LEAST_AGREEING = 6  # landmarks, to say that nothing moved
LEAST_FOLLOWED, FOLLOWED_SHARE = 9, 0.6  # landmarks, and share of those in sight, to say where the board went:
# of a dozen that look alike by chance six may agree on a move that never was
AGREE_PX = 1.5  # from where the others say that a landmark should be
STILL_PX = 1.0  # landmarks that moved less than this have not moved
MOVED_OF_PITCH = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class Landmark:
    """A piece of the picture in which the board was placed, around the pixel `at` (2,)."""

    at: Points
    patch: Grey


class LandmarkTracker:
    """Follows a board from where somebody said it lies. Used as `PoseTracker`."""

    def __init__(self, grey: Grey, corners_px: Points, grid: Grid, camera: CameraModel) -> None:
        """`corners_px` as for `pose_from_corners`, in this very picture. Raises `BadInput` where they cannot be,
        or where there is nothing around them that could be known again.
        """
        size = (grey.shape[1], grey.shape[0])
        pose = pose_from_corners(corners_px, grid, camera, size)
        if isinstance(pose, NoPose):
            raise BadInput(f"corners: {pose.why}")
        self._grid, self._camera = grid, camera
        self._corners = np.asarray(corners_px, np.float64).reshape(4, 2)
        self._first = self._last = pose
        self._half, self._reach = (round(px * size[0] / USUAL_WIDTH) for px in (HALF_PX, REACH_PX))
        self._landmarks = self._remember(grey, pose)
        if len(self._landmarks) < LEAST_FOLLOWED:
            raise BadInput("corners: around these wells the picture is too even to know the board by: use markers")
        self._turn = np.eye(3)  # from the first picture to the last

    def _remember(self, grey: Grey, pose: Pose) -> list[Landmark]:
        found = []
        for at in np.rint(pose.project(_places(self._grid))).astype(int):
            patch = _cut(grey, at, self._half)
            if patch is not None and patch.std() >= LEAST_CONTRAST:
                found.append(Landmark(at.astype(np.float64), patch.copy()))
        return found

    def update(self, grey: Grey) -> Sight | NoPose:
        """The pose in this picture, and whether board or camera moved since the last one."""
        if (grey.shape[1], grey.shape[0]) != self._first.size_px:
            return NoPose(f"the board's place was given for pictures of {self._first.size_px[0]} pixels' width")
        was, now = self._look(grey)
        if len(was) < LEAST_AGREEING:
            return Sight(self._last, Footing.HELD, False, ())
        expected = cv2.perspectiveTransform(was[:, None], self._turn).reshape(-1, 2)
        apart = np.linalg.norm(now - expected, axis=1)
        if float(np.median(apart)) < STILL_PX and np.count_nonzero(apart < AGREE_PX) >= LEAST_AGREEING:
            return Sight(self._last, Footing.GIVEN, False, ())
        turn, fits = cv2.findHomography(was, now, cv2.RANSAC, AGREE_PX)
        agreeing = 0 if turn is None else int(np.count_nonzero(fits))
        if turn is None or agreeing < max(LEAST_FOLLOWED, FOLLOWED_SHARE * len(was)):
            return Sight(self._last, Footing.HELD, True, ())
        seen = cv2.perspectiveTransform(self._corners[:, None], np.asarray(turn, np.float64))
        corners = np.asarray(seen, np.float64).reshape(-1, 2)
        pose = pose_from_corners(corners, self._grid, self._camera, self._first.size_px)
        if isinstance(pose, NoPose):
            return Sight(self._last, Footing.HELD, True, ())
        wells = np.array([(*self._grid.centre_mm(well), 0.0) for well in range(self._grid.wells)])
        before, after = self._last.project(wells), pose.project(wells)
        pitch = float(np.linalg.norm(before[1] - before[0]))
        moved = float(np.median(np.linalg.norm(after - before, axis=1))) > MOVED_OF_PITCH * pitch
        self._last, self._turn = pose, np.asarray(turn, np.float64)
        return Sight(pose, Footing.FOLLOWED, moved, ())

    def _look(self, grey: Grey) -> tuple[Points, Points]:
        """Where landmarks were in the first picture and where they are in this, those that are seen: (n, 2) each."""
        was, now = [], []
        for mark in self._landmarks:
            near = np.rint(cv2.perspectiveTransform(mark.at[None, None], self._turn).ravel()).astype(int)
            around = _cut(grey, near, self._half + self._reach)
            if around is None:
                continue
            alike = cv2.matchTemplate(around, mark.patch, cv2.TM_CCOEFF_NORMED)
            _, best, _, at = cv2.minMaxLoc(alike)
            if best >= LEAST_LIKENESS:
                was.append(mark.at)
                now.append(near + np.array(at) - self._reach)
        return np.array(was, np.float64).reshape(-1, 2), np.array(now, np.float64).reshape(-1, 2)


def _places(grid: Grid) -> Points:
    """Places around the wells and beyond the board's edges, (n, 3) mm: few spheres and hands come there."""
    across, up = grid.pitches_mm
    half = np.array([(grid.files - 1) / 2 * across, (grid.ranks - 1) / 2 * up])
    places = []
    for out in (half + np.array([0.7 * across, 0.7 * up]), np.array(grid.size_mm) / 2):
        for share in np.linspace(-1, 1, 7):
            places += [(share * out[0], -out[1], 0.0), (share * out[0], out[1], 0.0)]
            places += [(-out[0], share * out[1], 0.0), (out[0], share * out[1], 0.0)]
    return np.unique(np.array(places), axis=0)


def _cut(grey: Grey, at: NDArray[np.int_], half: int) -> Grey | None:
    x, y = int(at[0]), int(at[1])
    if min(x, y) < half or x + half >= grey.shape[1] or y + half >= grey.shape[0]:
        return None
    return np.ascontiguousarray(grey[y - half : y + half + 1, x - half : x + half + 1])
