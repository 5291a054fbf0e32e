"""The board's pose over many pictures: held while it lies still or its markers are covered, renewed when it moves."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from vision.board_pose import (
    MAX_ERROR_MEASURED,
    MAX_ERROR_OF_SIDE,
    MIN_MARKERS,
    NoPose,
    Pose,
    best_fit,
    find_pose,
    sighted_markers,
)
from vision.geometry import CameraModel, MarkerLayout
from vision.markers import CornerMap, Corners, Grey, printed_corners, side_px

STILL_OF_SIDE = 0.015  # corners that moved less than this share of a marker's side have not moved (0.3 mm)
STILL_PX = 0.35  # ... nor have those that moved less than a picture's noise explains
MOVED_OF_SIDE = 0.25  # a shift of this share of a marker's side (5 mm) is no rocking: board or camera was moved
LEAST_MEASURED = 2  # markers that are enough for a board whose markers' places have been measured


class Footing(StrEnum):
    """On what a pose stands."""

    FOUND = "found"  # searched for from nothing in this picture
    KEPT = "kept"  # the markers in sight are where they were
    FOLLOWED = "followed"  # they shifted a little and the pose with them
    GIVEN = "given"  # somebody said where the board lies
    HELD = "held"  # no marker is in sight: the last pose is all there is


@dataclass(frozen=True, slots=True)
class Sight:
    """The pose for one picture, on what it stands, and whether board or camera moved since the picture before."""

    pose: Pose
    footing: Footing
    moved: bool
    markers: tuple[int, ...]  # those in sight


class PoseTracker:
    """Follows one board. Cheap while nothing moves: it looks only at the little places where the markers were.

    Markers are glued on by hand, so their places are measured in the first picture that shows them all; after that
    any of them alone gives the same pose as all together.
    """

    def __init__(self, layout: MarkerLayout, camera: CameraModel, quick: bool = False) -> None:
        """`quick`: see `find_markers`."""
        self._layout = layout
        self._quick = quick
        self._camera = camera
        self._where: CornerMap = printed_corners(layout)
        self._measured = False
        self._pose: Pose | None = None

    def forget(self) -> None:
        """Start from nothing at the next picture."""
        self._pose = None

    def update(self, grey: Grey) -> Sight | NoPose:
        """The pose in this picture; `NoPose` where the board was never seen, or was moved and is not found again."""
        last = self._pose
        if last is None or last.size_px != (grey.shape[1], grey.shape[0]):
            return self._search(grey, None)
        seen = sighted_markers(grey, last, self._where, self._layout.dictionary)
        if not seen:
            return self._search(grey, last)
        shift = self._shift_of_side(last, seen)
        if shift <= max(STILL_OF_SIDE, STILL_PX / side_px(next(iter(seen.values())))):
            return Sight(last, Footing.KEPT, False, tuple(seen))
        if len(seen) < (LEAST_MEASURED if self._measured else len(last.markers)):
            return self._search(grey, last)
        allowed = MAX_ERROR_MEASURED if self._measured else MAX_ERROR_OF_SIDE
        least = min(len(seen), MIN_MARKERS)
        pose = best_fit({i: [c] for i, c in seen.items()}, self._where, self._camera, last.size_px, allowed, least)
        if isinstance(pose, NoPose):
            return self._search(grey, last)
        self._pose = pose
        return Sight(pose, Footing.FOLLOWED, shift > MOVED_OF_SIDE, tuple(seen))

    def _search(self, grey: Grey, last: Pose | None) -> Sight | NoPose:
        where = self._where if self._measured else None
        least = (
            LEAST_MEASURED if self._measured and last is not None and self._camera.matrix is not None else MIN_MARKERS
        )
        pose = find_pose(grey, self._layout, self._camera, where, last is None, least, self._quick)
        if isinstance(pose, NoPose):
            return pose if last is None else Sight(last, Footing.HELD, False, ())
        if len(pose.markers) == len(self._where) and not self._measured:
            pose = self._measure(grey, pose)
        moved = False
        if last is not None:
            corners = pose.project(np.concatenate([self._where[i] for i in pose.markers])).reshape(-1, 4, 2)
            moved = self._shift_of_side(last, dict(zip(pose.markers, corners, strict=True))) > MOVED_OF_SIDE
        self._pose = pose
        return Sight(pose, Footing.FOUND, moved, pose.markers)

    def _measure(self, grey: Grey, pose: Pose) -> Pose:
        """Keep where the corners really are on the board, as this pose sees them."""
        seen = sighted_markers(grey, pose, self._where, self._layout.dictionary)
        if len(seen) < len(self._where):
            return pose
        self._where = {i: pose.to_board(corners) for i, corners in seen.items()}
        self._measured = True
        return pose

    def _shift_of_side(self, pose: Pose, seen: Mapping[int, Corners]) -> float:
        """Median distance of the corners from where the pose expects them, in sides of a marker."""
        ids = sorted(seen)
        expected = pose.project(np.concatenate([self._where[i] for i in ids]))
        actual = np.concatenate([seen[i] for i in ids])
        return float(np.median(np.linalg.norm(actual - expected, axis=1))) / side_px(actual[:4])
