"""How a camera is doing, measured while pictures come from it; `camera_findings` says whether that is good enough.

`CameraCheckup` is told of every picture as it comes, in order of time; the time is told too. Nothing here opens a
camera or looks at a clock.
"""

from dataclasses import dataclass, field

import numpy as np

from vision.board_pose import NoPose, Pose, find_pose
from vision.frames import Frame
from vision.geometry import CameraModel, Grid, MarkerLayout
from vision.light_check import FlickerCheck, LightFault, LightProblem, board_exposure, check_light
from vision.markers import find_markers, marker_points_mm, side_px
from vision.reading import picture_fault
from vision.sharpness import edge_width_px

LOOKED_AT = 10  # pictures that are looked at closely: each may take a Pi half a second
LOOK_EVERY_S = 0.4
MOST_PICTURES = 10_000  # whose times are kept


@dataclass(frozen=True, slots=True)
class CameraFigures:
    """What was measured; None where it could not be.

    `rate`: pictures a second; `longest_wait_s` between two; `age_s`: usual age of a picture when it comes. `edge_px`:
    width of the sharpest edges. `level`: green in the board's brightest tenth, 0 to 255; `clipped`: share of the board
    that is overexposed; `light`: what else is wrong with the light. `flicker` and `banding`: usual change of the light
    from picture to picture, and of bands against it, shares. `markers`: for each id the share of the pictures looked at
    in which it was found; `astray`: those that are found where the others say that they cannot be. `error_px`,
    `error_mm`: rms reprojection error of the markers' corners. `fault`: why a picture is none, `no_board`: why the
    board is not found; None where that is well.
    """

    pictures: int = 0
    size_px: tuple[int, int] | None = None
    rate: float | None = None
    longest_wait_s: float | None = None
    age_s: float | None = None
    edge_px: float | None = None
    level: float | None = None
    clipped: float | None = None
    light: tuple[LightProblem, ...] = ()
    flicker: float | None = None
    banding: float | None = None
    markers: dict[int, float] = field(default_factory=dict)
    astray: tuple[int, ...] = ()
    error_px: float | None = None
    error_mm: float | None = None
    fault: str | None = None
    no_board: str | None = None


@dataclass(slots=True)
class _Looks:
    """What single pictures showed that were looked at closely."""

    count: int = 0
    edges_px: list[float] = field(default_factory=list)
    exposures: list[tuple[float, float]] = field(default_factory=list)
    light: tuple[LightProblem, ...] = ()
    markers: list[set[int]] = field(default_factory=list)
    fitting: set[int] = field(default_factory=set)
    errors: list[tuple[float, float]] = field(default_factory=list)
    no_board: str | None = None


class CameraCheckup:
    """Watches one camera for some seconds, best with nobody at the board."""

    def __init__(
        self, grid: Grid, markers: MarkerLayout | None, camera: CameraModel, placed: Pose | None = None
    ) -> None:
        """`placed`: where a board without markers lies (see `pose_from_corners`)."""
        self._grid, self._camera, self._placed = grid, camera, placed
        self._markers = markers or MarkerLayout({})
        self._pose = placed
        self._times: list[float] = []
        self._ages: list[float] = []
        self._size: tuple[int, int] | None = None
        self._fault: str | None = None
        self._looks = _Looks()
        self._looked_at = -np.inf
        self._flicker = FlickerCheck(grid)

    def feed(self, frame: Frame, now: float) -> None:
        """Takes the next picture, at the time `now` (s, on the clock of the pictures' times)."""
        if len(self._times) < MOST_PICTURES:
            self._times.append(frame.t)
            self._ages.append(now - frame.t)
        self._fault = picture_fault(frame.image)
        if self._fault is not None:
            return
        self._size = (frame.image.shape[1], frame.image.shape[0])
        if self._looks.count < LOOKED_AT and frame.t - self._looked_at >= LOOK_EVERY_S:
            self._looked_at = frame.t
            self._look(frame)
        if self._pose is not None and self._pose.size_px == self._size:
            self._flicker.feed(frame, self._pose)

    def _look(self, frame: Frame) -> None:
        looks, grey = self._looks, np.ascontiguousarray(frame.image[..., 1])
        looks.count += 1
        edge = edge_width_px(grey)
        if edge is not None:
            looks.edges_px.append(edge)
        pose = self._placed or find_pose(grey, self._markers, self._camera, closely=True)
        seen = set() if self._placed else set(find_markers(grey, self._markers))
        if isinstance(pose, NoPose):
            looks.no_board = pose.why
            looks.markers.append(seen)
            return
        looks.markers.append(seen | set(pose.markers))
        looks.fitting |= set(pose.markers)
        looks.no_board = None
        self._pose = self._pose if self._pose is not None and self._pose.size_px == pose.size_px else pose
        if pose.markers:
            side = side_px(pose.project(marker_points_mm(self._markers, pose.markers[0])))
            looks.errors.append((pose.error_px, pose.error_px * self._markers.size_mm / side))
        if pose.size_px == self._size:
            looks.exposures.append(board_exposure(frame.image, pose, self._grid))
            exposure = (LightFault.DARK, LightFault.CLIPPED)
            looks.light = tuple(p for p in check_light(frame.image, pose, self._grid) if p.fault not in exposure)

    @property
    def figures(self) -> CameraFigures:
        """What was measured so far."""
        gaps, looks = np.diff(self._times), self._looks
        level, clipped = _medians(looks.exposures)
        error_px, error_mm = _medians(looks.errors)
        flicker, banding = self._flicker.figures() or (None, None)
        return CameraFigures(
            pictures=len(self._times),
            size_px=self._size,
            rate=float(len(gaps) / gaps.sum()) if gaps.sum() > 0 else None,
            longest_wait_s=float(gaps.max()) if len(gaps) else None,
            age_s=float(np.median(self._ages)) if self._ages else None,
            edge_px=float(np.median(looks.edges_px)) if looks.edges_px else None,
            level=level,
            clipped=clipped,
            light=looks.light,
            flicker=flicker,
            banding=banding,
            markers={
                marker: float(np.mean([marker in seen for seen in looks.markers]))
                for marker in sorted(self._markers.centres_mm)
                if looks.markers
            },
            astray=tuple(sorted(set().union(*looks.markers) - looks.fitting)) if looks.fitting else (),
            error_px=error_px,
            error_mm=error_mm,
            fault=self._fault,
            no_board=looks.no_board,
        )


def _medians(pairs: list[tuple[float, float]]) -> tuple[float | None, float | None]:
    if not pairs:
        return None, None
    first, second = np.median(pairs, axis=0)
    return float(first), float(second)
