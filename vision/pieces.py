"""Reading plain pieces that may touch each other and lie beside the mark, as Go stones do, on a grid of any size.

`BoardReader` looks for bare board around every well; where pieces touch there is none. Here a well's middle is
compared with the bare board in the gaps around it, and what differs must have a piece's round outline: light and
shadow have none. There are no coloured pieces, and nothing is learned.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_pose import NoPose, Points, Pose
from vision.colour import Colours, colours_of, log_levels
from vision.evidence import SURE
from vision.geometry import CameraModel, Grid, MarkerLayout
from vision.pose_tracker import Footing, PoseTracker, Sight
from vision.reading import BoardReading, Content, nothing_seen, picture_fault
from vision.weighing import Probabilities

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
Numbers = NDArray[np.float64]

PITCH_PX = 26.0  # from file to file in the view from above: a piece's outline is then some samples wide
MARGIN = 0.8  # of the view beyond the outermost wells, in pitches
BLUR_PX = 0.8  # of the view: takes away noise, and leaves thin lines
MIDDLE_REACH = 0.45  # of a piece's radius: what is looked at for its colour, whichever way it lies beside the mark
AROUND = (-1.5, -0.5, 0.5, 1.5)  # gaps whose bare board a well is compared with, in pitches each way
ASTRAY, ASTRAY_STEPS = 0.3, 7  # how far a piece may lie off the mark each way, in pitches
INSIDE, OUTSIDE = (0.35, 0.6, 0.7), (0.9, 1.0, 1.1, 1.2, 1.3)  # of its radius: on the piece, and on what follows
ANGLES = 32
HARDEST = 0.12  # share of the outline that need not show, where pieces touch
BRIGHT_CANDIDATE, DARK_CANDIDATE = 0.12, -0.3  # brightness from which a well is looked at for an outline
BELOW_BOARD = 0.15  # so much darker than the board is its shade around a white piece; beyond it lie other pieces
PALE_WARMTH = -0.2  # of white pieces as cameras balance it
LEAST_WARMTH = 0.15  # by which a board's warmth is taken to differ from theirs

# What speaks for white, for black, and for bare board: how far the colour has gone from the board's to that of white
# pieces, contrast of the outline, brightness above the board's (natural logarithms); mean and spread of each
WHITE_SIGNS = np.array([(1.0, 0.3), (0.75, 0.22), (0.7, 0.4)])
BLACK_SIGNS = np.array([(0.8, 0.6), (1.4, 0.35), (-2.4, 0.6)])
BARE_SIGNS = np.array([(0.0, 0.25), (0.1, 0.2), (0.0, 0.25)])
SUNLIT_SIGNS = np.array([(0.6, 0.3), (0.1, 0.2), (0.7, 0.4)])  # a patch of sun, or a lamp's image
SUNLIT_SHARE = 0.05  # of the bare board
STRAY_LIMIT = 12.0  # of a single squared deviation
SUREST = 30.0  # nats

STEPS_ASTRAY = np.linspace(-1, 1, ASTRAY_STEPS)
_ANGLE = np.linspace(0, 2 * np.pi, ANGLES, endpoint=False)
RINGS = np.concatenate([share * np.stack([np.cos(_ANGLE), np.sin(_ANGLE)], axis=1) for share in INSIDE + OUTSIDE])


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The board from above at pieces' middle height: where its pixels lie in the picture, and where wells are in it."""

    pose: Pose
    picture_x: Floats
    picture_y: Floats
    wells: Points  # (wells, 2) pixels of the view
    gaps: NDArray[np.intp]  # (wells, gaps around, 2)
    px_per_mm: float


class PieceReader:
    """Reads pictures of one board; used as `BoardReader`."""

    def __init__(self, grid: Grid, camera: CameraModel, markers: MarkerLayout | None = None) -> None:
        self._grid = grid
        self._tracker = PoseTracker(markers or MarkerLayout({}), camera)
        self._placed: Sight | None = None
        self._view: View | None = None

    def place(self, pose: Pose | None) -> None:
        """Take this for the board's pose in every picture of its size; None: look for the markers again."""
        self._placed = None if pose is None else Sight(pose, Footing.GIVEN, False, ())

    def read(self, image: Image, t: float) -> BoardReading:
        """What lies on the board in a BGR picture. Never raises."""
        fault = picture_fault(image)
        sight = NoPose(fault) if fault else self._placed or self._tracker.update(image[..., 1])
        if isinstance(sight, NoPose):
            return nothing_seen(self._grid, t, sight.why)
        if self._view is None or self._view.pose is not sight.pose:
            self._view = view_from_above(sight.pose, self._grid)
        p = judge_pieces(self._view, colours_from_above(image, self._view), self._grid)
        unsure = [self._grid.name(int(w)) for w in np.flatnonzero(p.max(axis=1) < SURE)]
        doubt = "uncertain: " + ", ".join(unsure) if unsure else None
        if sight.footing is Footing.HELD:
            doubt = "no marker is in sight, so the board may have been moved"
        return BoardReading(t, True, p, doubt is None, doubt)


def view_from_above(pose: Pose, grid: Grid) -> View:
    """The view for a pose."""
    across, up = grid.pitches_mm
    scale = PITCH_PX / across
    half = np.array([(grid.files - 1) / 2 + MARGIN, (grid.ranks - 1) / 2 + MARGIN]) * [across, up]
    x, y = np.meshgrid(np.arange(-half[0], half[0], 1 / scale), np.arange(half[1], -half[1], -1 / scale))
    seen = pose.project(np.stack([x, y, np.full_like(x, grid.height_mm / 2)], axis=-1).reshape(-1, 3))
    picture = seen.astype(np.float32).reshape(*x.shape, 2)
    centres = np.array([grid.centre_mm(w) for w in range(grid.wells)])
    wells = (centres - [-half[0], half[1]]) * [scale, -scale]
    around = np.array([(i * across, j * up) for i in AROUND for j in AROUND]) * scale
    gaps = np.rint(wells[:, None] + around).astype(np.intp)
    return View(pose, picture[..., 0], picture[..., 1], wells, gaps, scale)


def colours_from_above(image: Image, view: View) -> Colours:
    """The view's colours, (height, width, 3)."""
    top = cv2.remap(image, view.picture_x, view.picture_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return colours_of(log_levels(np.asarray(cv2.GaussianBlur(top, (0, 0), BLUR_PX), np.uint8)))


def judge_pieces(view: View, colours: Colours, grid: Grid) -> Probabilities:
    """Probabilities of the contents (wells, 6), from the colours of the view."""
    radius_px = grid.sphere_diameter_mm / 2 * view.px_per_mm
    board = bare_around(colours, view)
    off = middles(colours, view, round(radius_px * MIDDLE_REACH)) - board
    brightness = off[:, 0].astype(np.float64)
    paleness = -off[:, 1] / np.maximum(board[:, 1] - PALE_WARMTH, LEAST_WARMTH)
    shifts = np.array([(x, y) for x in STEPS_ASTRAY for y in STEPS_ASTRAY if np.hypot(x, y) <= 1])
    shifts *= ASTRAY * grid.pitch_mm * view.px_per_mm
    bright, dark = np.zeros(len(off)), np.zeros(len(off))
    for well in np.flatnonzero(brightness > BRIGHT_CANDIDATE):
        seen = around(colours[..., 0], view.wells[well] + shifts, radius_px)
        inside, outside = seen[:, : len(INSIDE)].min(axis=1), seen[:, len(INSIDE) :].min(axis=1)
        bright[well] = min(outline(inside - outside), brightness[well] + BELOW_BOARD)
    for well in np.flatnonzero(brightness < DARK_CANDIDATE):
        seen = around(colours[..., 0], view.wells[well] + shifts, radius_px)
        inside, outside = seen[:, : len(INSIDE)].mean(axis=1), seen[:, len(INSIDE) :].max(axis=1)
        dark[well] = outline(outside - inside)
    return _weigh(paleness, bright, dark, brightness)


def _weigh(paleness: Numbers, bright: Numbers, dark: Numbers, brightness: Numbers) -> Probabilities:
    """Probabilities of the contents (wells, 6). More contrast than usual, or a darker black, is no fault."""
    bare = np.logaddexp(
        nats(paleness, np.maximum(bright, dark), brightness, BARE_SIGNS),
        nats(paleness, bright, brightness, SUNLIT_SIGNS) + np.log(SUNLIT_SHARE),
    )
    white = nats(paleness, np.minimum(bright, WHITE_SIGNS[1, 0]), brightness, WHITE_SIGNS)
    (_, usual, darkness), grey = BLACK_SIGNS[:, 0], np.clip(paleness, 0, BLACK_SIGNS[0, 0])
    black = nats(grey, np.minimum(dark, usual), np.maximum(brightness, darkness), BLACK_SIGNS)
    odds = np.exp(np.clip(np.stack([bare, white, black], axis=1) - bare[:, None], -SUREST, SUREST))
    p = np.zeros((len(odds), len(Content)))
    p[:, [Content.EMPTY, Content.WHITE, Content.BLACK]] = odds / odds.sum(axis=1, keepdims=True)
    return p


def nats(paleness: Numbers, contrast: Numbers, brightness: Numbers, about: Numbers) -> Numbers:
    """Log density (wells,) of the three signs (wells,) given their means and spreads, `about` (3, 2)."""
    mean, spread = about.T
    off = (np.stack([paleness, contrast, brightness], axis=1) - mean) / spread
    return np.asarray((-0.5 * np.minimum(off**2, STRAY_LIMIT) - np.log(spread)).sum(axis=1), np.float64)


def bare_around(colours: Colours, view: View) -> Colours:
    """The bare board's colour around each well, (wells, 3): the median over the gaps there."""
    x, y = view.gaps[..., 0], view.gaps[..., 1]
    low, high = view.wells.min(axis=0), view.wells.max(axis=0)
    inside = (x > low[0]) & (y > low[1]) & (x < high[0]) & (y < high[1])
    soft = cv2.blur(colours, (3, 3))
    seen = np.full((*x.shape, 3), np.nan, np.float32)
    seen[inside] = soft[y[inside], x[inside]]
    return np.asarray(np.nanmedian(seen, axis=1), np.float32)


def middles(colours: Colours, view: View, reach_px: int) -> Colours:
    """The median colour of a square around each well's centre, (wells, 3)."""
    at = np.rint(view.wells).astype(int)
    steps = np.arange(-reach_px, reach_px + 1)
    seen = colours[at[:, 1, None, None] + steps[:, None], at[:, 0, None, None] + steps]
    return np.asarray(np.median(seen.reshape(len(at), -1, 3), axis=1), np.float32)


def around(brightness: Numbers | Colours, centres: Points, radius_px: float) -> Colours:
    """Brightness on rings of a piece's outline about centres (n, 2): (n, rings inside and outside, ANGLES)."""
    at = (centres[:, None] + RINGS * radius_px).astype(np.float32)
    seen = cv2.remap(np.asarray(brightness), at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32).reshape(len(centres), -1, ANGLES)


def outline(contrast: Colours) -> float:
    """The contrast that all but the hardest part of an outline has, from (places, ANGLES), at the best place."""
    return float(np.partition(contrast, round(HARDEST * ANGLES), axis=1)[:, round(HARDEST * ANGLES)].max())
