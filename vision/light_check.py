"""A live check of the light on the board: what is wrong with it, and what to do, one line each.

Bad light is the commonest reason for bad readings: shadows and lamps change what a camera sees (see
karayaman/lichess-with-a-real-board#3), and lamps on the mains flicker.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from vision.board_pose import Pose
from vision.colour import Colours, colours_of, log_levels
from vision.frames import Frame
from vision.geometry import Grid
from vision.light import fit_plane, terms
from vision.sampling import gap_centres_mm, gap_points_mm

Image = NDArray[np.uint8]

FULL = 250  # from this level on a channel counts as clipped
MOST_CLIPPED = 0.03  # share of the board that may be: highlights on spheres are less
DARK_LEVEL = 55.0  # of green, below which noise drowns dark spheres; the board's brightest tenth should be above it
GLARE, GLARE_LEVEL = 0.7, 170.0  # brighter than the light around by so much (natural logarithm), and so bright at all
LEAST_GLARE, LEAST_SHADOW = 2, 4  # gaps between wells in glare or shadow from which it is said
SHADOW = 0.7  # darker than the light around by so much
MOST_UNEVEN = 1.1  # natural logarithm of brightest corner over darkest
STEP_MM = 4.0  # between places of the board that are looked at
FLICKER = 0.03  # typical change of the whole board's brightness from picture to picture, natural logarithm
BANDING = 0.02  # the same of bands across the picture against the whole
LEAST_PICTURES, MOST_PICTURES = 6, 16
LONGEST_S = 0.5  # between pictures that are compared: in more, hands and clouds change the light
BANDS = 24  # across the board


class LightFault(StrEnum):
    DARK = "dark"
    CLIPPED = "clipped"
    GLARE = "glare"
    SHADOW = "shadow"
    UNEVEN = "uneven"
    FLICKER = "flicker"
    BANDING = "banding"


REMEDIES = {
    LightFault.DARK: "switch on a lamp, or let the camera expose longer",
    LightFault.CLIPPED: "let the camera expose less, or dim the lamp",
    LightFault.GLARE: "move the lamp to the side until its image leaves the board, or hang paper before it",
    LightFault.SHADOW: "move the lamp, or draw the curtain that lets the sun in",
    LightFault.UNEVEN: "move the lamp farther away or add one on the other side",
    LightFault.FLICKER: "lock the camera's exposure, and set [camera] to the mains of your country (50 or 60 Hz)",
    LightFault.BANDING: "let the camera expose for a whole number of flashes (10 ms at 50 Hz, 8.3 ms at 60 Hz)",
}


@dataclass(frozen=True, slots=True)
class LightProblem:
    """What is wrong with the light; `str` gives the line for people."""

    fault: LightFault
    what: str

    @property
    def remedy(self) -> str:
        return REMEDIES[self.fault]

    def __str__(self) -> str:
        return f"{self.what}: {self.remedy}"


def check_light(image: Image, pose: Pose, grid: Grid) -> tuple[LightProblem, ...]:
    """What one picture tells of the light on a board that lies as `pose` says."""
    return (*exposure_problems(*board_exposure(image, pose, grid)), *_check_evenness(image, pose, grid))


def board_exposure(image: Image, pose: Pose, grid: Grid) -> tuple[float, float]:
    """How the board is exposed: the level of green in its brightest tenth (0 to 255), and the share that is clipped."""
    board = _pixels(image, pose, _places(grid))
    return float(np.quantile(board[:, 1], 0.9)), float((board.max(axis=1) >= FULL).mean())


def exposure_problems(level: float, clipped: float) -> tuple[LightProblem, ...]:
    """What is wrong with an exposure, as `board_exposure` measures it."""
    problems = []
    if level < DARK_LEVEL:
        problems.append(LightProblem(LightFault.DARK, f"the board is too dark (level {level:.0f} of 255)"))
    if clipped > MOST_CLIPPED:
        problems.append(LightProblem(LightFault.CLIPPED, f"{clipped:.0%} of the board is overexposed"))
    return tuple(problems)


def _check_evenness(image: Image, pose: Pose, grid: Grid) -> list[LightProblem]:
    """Glare, shadows and slopes of light, from the bare board between the wells."""
    places = gap_centres_mm(grid)
    seen = _pixels(image, pose, gap_points_mm(grid).reshape(-1, 3)).reshape(len(places), -1, 3)
    gaps: Colours = np.median(colours_of(log_levels(seen)), axis=1)
    plane = fit_plane(places, gaps)[:, 0]
    off = gaps[:, 0] - terms(places) @ plane
    half = np.array(grid.size_mm) / 2
    corners = terms(np.array([(x, y) for x in (-half[0], half[0]) for y in (-half[1], half[1])])) @ plane
    problems = []
    glaring = (off > GLARE) & (np.median(seen[..., 1], axis=1) > GLARE_LEVEL)
    if np.count_nonzero(glaring) >= LEAST_GLARE:
        problems.append(
            LightProblem(LightFault.GLARE, f"a lamp or the sun shines on the board {_near(places, glaring)}")
        )
    shaded = off < -SHADOW
    if np.count_nonzero(shaded) >= LEAST_SHADOW:
        problems.append(LightProblem(LightFault.SHADOW, f"a dark shadow lies on the board {_near(places, shaded)}"))
    if np.ptp(corners) > MOST_UNEVEN:
        what = f"one side of the board is {np.exp(np.ptp(corners)):.0f} times as bright as the other"
        problems.append(LightProblem(LightFault.UNEVEN, what))
    return problems


def _near(places: NDArray[np.float64], where: NDArray[np.bool_]) -> str:
    """In words, seen by White, where most of these places are."""
    x, y = np.median(places[where], axis=0)
    half = np.abs(places).max(axis=0) / 3
    side = "" if abs(x) < half[0] else ("on the left" if x < 0 else "on the right")
    depth = "" if abs(y) < half[1] else ("near White" if y < 0 else "near Black")
    return " ".join(filter(None, (depth, side))) or "in the middle"


def _places(grid: Grid) -> NDArray[np.float64]:
    x, y = (np.arange(-side / 2 + STEP_MM, side / 2, STEP_MM) for side in grid.size_mm)
    across, up = np.meshgrid(x, y)
    return np.stack([across.ravel(), up.ravel(), np.zeros(across.size)], axis=1)


def _pixels(image: Image, pose: Pose, places_mm: NDArray[np.float64]) -> Image:
    at = np.rint(pose.project(places_mm)).astype(np.intp)
    at = np.clip(at, 0, [image.shape[1] - 1, image.shape[0] - 1])
    return np.asarray(image[at[:, 1], at[:, 0]], np.uint8)


class FlickerCheck:
    """Watches the board's brightness over pictures: together (flicker) and band by band (banding of a rolling shutter).

    Lamps flash twice a mains period. What moves over less than half of a band does not matter.
    """

    def __init__(self, grid: Grid) -> None:
        self._places = _places(grid)
        self._last: NDArray[np.float32] | None = None
        self._pose: Pose | None = None
        self._t = -np.inf
        self._bands: NDArray[np.intp] = np.zeros(0, np.intp)
        self._changes: deque[NDArray[np.float64]] = deque(maxlen=MOST_PICTURES)

    def feed(self, frame: Frame, pose: Pose) -> tuple[LightProblem, ...]:
        """Takes the next picture and gives what the last few tell. Begins anew where board or camera was moved."""
        if self._pose is not pose or not 0 < frame.t - self._t <= LONGEST_S:
            self._pose, self._last = pose, None
            self._changes.clear()
            rows = pose.project(self._places)[:, 1]
            self._bands = ((rows - rows.min()) / (np.ptp(rows) + 1e-6) * BANDS).astype(np.intp)
        now = log_levels(_pixels(frame.image, pose, self._places))[:, 1]
        self._t = frame.t
        if self._last is not None:
            change = now - self._last
            self._changes.append(np.array([np.median(change[self._bands == band]) for band in range(BANDS)]))
        self._last = now
        return self.problems()

    def problems(self) -> tuple[LightProblem, ...]:
        """What the last pictures tell."""
        figures = self.figures()
        return () if figures is None else flicker_problems(*figures)

    def figures(self) -> tuple[float, float] | None:
        """Usual change of the whole board's light from picture to picture, and of bands against it, as shares.

        None where the pictures were too few for that, or too far apart.
        """
        if len(self._changes) < LEAST_PICTURES:
            return None
        changes = np.stack(self._changes)
        whole = np.median(changes, axis=1)
        banding = float(np.median(1.48 * np.median(np.abs(changes - whole[:, None]), axis=1)))
        return float(np.median(np.abs(whole))), banding


def flicker_problems(flicker: float, banding: float) -> tuple[LightProblem, ...]:
    """What is wrong with figures of `FlickerCheck`."""
    problems = []
    if flicker > FLICKER:
        problems.append(LightProblem(LightFault.FLICKER, f"the light flickers by {flicker:.0%} between pictures"))
    if banding > BANDING:
        problems.append(LightProblem(LightFault.BANDING, f"dark bands of {banding:.0%} wander over the picture"))
    return tuple(problems)
