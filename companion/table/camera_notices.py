"""What befalls camera, board and light, told from picture to picture: what to say about it, and what to do.

Where nobody need do anything, as after the camera was moved, a notice stands for a while and goes; the rest stands
until it is over. What passes quickly, as an arm over a marker does, is not said at all.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.camera_watch import FREEZE
from vision.evidence import SURE
from vision.frames import Frame
from vision.geometry import Grid, MarkerLayout
from vision.light_check import LightFault, LightProblem, check_light
from vision.moved import Mover, Surroundings
from vision.pose_tracker import Footing
from vision.reader import BoardReader
from vision.reading import BoardReading, Content

SHOWN_S = 6.0
"""A notice on which nobody need act stands for so long."""
COVERED_S = 3.0
"""An arm that reaches over a marker is seldom there for longer."""
UNREAD_S = 6.0
"""A hand that hesitates may hide a well for so long."""
LASTS_S = 2.5
"""Bad light is said once it has lasted so long."""
LEAST_PICTURES = 3
"""What is said of covers and of light needs so many pictures, however far apart."""
LIGHT_EVERY_S = 0.5
"""How often the light is looked at."""
LIGHT_STEPS = np.array([0.3, 0.09])
"""Change of the light's brightness and warmth (natural logarithms, see `vision.colour`) that is said."""
LIGHT_SETTLED = 0.5
"""Share of that by which the last pictures may differ from each other."""
MOSTLY_SEEN = 40
"""So many of the wells in sight tell the light; where fewer are, hands cast shadows."""
GAP_S = 3.0
"""After so long without a picture nothing is known to have lasted."""
FROZEN_S = 0.5
"""A picture that comes again is no news, and after so long it is not to be believed any more."""

MOVED = "{what} was moved; aligned again"
LIGHT_CHANGED = "the light has changed; allowed for"
EXCHANGED = "red and blue are exchanged; put right here"
EXCHANGE = "set the camera's pixel format so that red spheres look red in the picture"
NAMES_EXCHANGED = "the coloured spheres do not have their names' colours"
NAME_THEM = "set the camera's pixel format so that red looks red, or exchange the two names in [spheres]"
SAME_PICTURE = "the camera gives the same picture again and again"
TOO_FEW = "too few markers in sight"
COVERED = "covered: marker at {where}"
OUTSIDE = "not in the picture: marker at {where}"
UNCOVER = "take away what lies there; until then the board is followed by what else is in sight"
UNCOVER_ALL = "take away what lies on them, and leave board and camera where they are until then"
TURN_CAMERA = "turn the camera or move the board until all four markers are in the picture"
UNREAD = "cannot be read: {wells}"
CLEAR = "take away what covers them, or change the light there; spheres are to lie in the wells"
LIGHT_WORDS = {
    LightFault.DARK: "the board is too dark",
    LightFault.CLIPPED: "the board is overexposed",
    LightFault.GLARE: "a lamp or the sun shines on the board",
    LightFault.SHADOW: "a dark shadow lies on the board",
    LightFault.UNEVEN: "one side of the board is far brighter than the other",
}


@dataclass(frozen=True, slots=True, order=True)
class Notice:
    """`remedy` is empty where nobody need do anything."""

    what: str
    remedy: str = ""


@dataclass(slots=True)
class _Lasting:
    """Since when and in how many pictures running each of some conditions has been there."""

    since: dict[str, float] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)

    def see(self, t: float, there: Iterable[str], least_s: float) -> set[str]:
        """Which of those that are there have lasted long enough."""
        now = set(there)
        self.since = {name: self.since.get(name, t) for name in now}
        self.seen = {name: self.seen.get(name, 0) + 1 for name in now}
        return {name for name in now if t - self.since[name] >= least_s and self.seen[name] >= LEAST_PICTURES}


class CameraNotices:
    """Follows one camera. `feed` takes every picture with what was read from it, in order of time."""

    def __init__(self, grid: Grid, markers: MarkerLayout | None) -> None:
        self._grid = grid
        self._markers = markers or MarkerLayout({})
        self._corners = _corner_names(grid, self._markers)
        self._surroundings = Surroundings(grid)
        self._passing: dict[str, float] = {}
        """What is said for a while, and until when."""
        self._covered = _Lasting()
        self._unread = _Lasting()
        self._bad_light = _Lasting()
        self._light_said: dict[LightFault, Notice] = {}
        self._t = self._light_at = self._tipped_until = -np.inf
        self._light_places = np.array([(x, y) for x in (-0.4, 0.4) for y in (-0.4, 0.4)]) * grid.size_mm
        self._lights: list[NDArray[np.float64]] = []
        self._usual_light: NDArray[np.float64] | None = None

    def feed(self, frame: Frame, reading: BoardReading, reader: BoardReader, tipped: bool) -> tuple[Notice, ...]:
        """What is to be said now, the gravest first. `tipped`: the board lies tipped, so no wonder it moves."""
        if tipped:
            self._tipped_until = frame.t + SHOWN_S
        if frame.t - self._t > GAP_S:
            self._covered, self._unread, self._bad_light = _Lasting(), _Lasting(), _Lasting()
        self._t = frame.t
        sight = reader.sight
        if not reading.board_found or sight is None:
            return self._all(frame.t, [])
        self._see_move(frame, reader)
        said = [*self._markers_out_of_sight(frame.t, reader), *self._exchange(reader)]
        seen = int((reading.p.argmax(axis=1) != Content.HIDDEN).sum())
        if seen >= MOSTLY_SEEN:
            self._see_light_change(frame.t, reader)
        if seen >= MOSTLY_SEEN and frame.t - self._light_at >= LIGHT_EVERY_S and sight.footing is not Footing.HELD:
            self._light_at = frame.t
            self._look_at_light(frame.t, check_light(frame.image, sight.pose, self._grid))
        if sight.footing is not Footing.HELD:
            said += self._not_read(frame.t, reading)
        return self._all(frame.t, said)

    def _all(self, t: float, said: list[Notice]) -> tuple[Notice, ...]:
        self._passing = {what: until for what, until in self._passing.items() if t < until}
        return (*said, *self._light_said.values(), *map(Notice, self._passing))

    def _see_move(self, frame: Frame, reader: BoardReader) -> None:
        sight = reader.sight
        assert sight is not None
        if sight.moved and frame.t > self._tipped_until:
            what = self._surroundings.mover(frame.image, sight.pose)
            for mover in Mover:
                self._passing.pop(MOVED.format(what=mover), None)
            self._passing[MOVED.format(what=what)] = frame.t + SHOWN_S
        if sight.moved or sight.footing in (Footing.KEPT, Footing.FOUND):
            self._surroundings.remember(frame.image, sight.pose)

    def _markers_out_of_sight(self, t: float, reader: BoardReader) -> list[Notice]:
        sight = reader.sight
        assert sight is not None
        missing = [m for m in sorted(self._corners) if m not in sight.markers]
        lasting = self._covered.see(t, map(str, missing), COVERED_S)
        gone = [m for m in missing if str(m) in lasting]
        if gone and len(gone) == len(self._corners):
            return [Notice(TOO_FEW, UNCOVER_ALL)]
        notices = []
        width, height = sight.pose.size_px
        for marker in gone:
            x, y = self._markers.centres_mm[marker]
            u, v = sight.pose.project(np.array([(x, y, 0.0)]))[0]
            outside = not (0 <= u < width and 0 <= v < height)
            words, remedy = (OUTSIDE, TURN_CAMERA) if outside else (COVERED, UNCOVER)
            notices.append(Notice(words.format(where=self._corners[marker]), remedy))
        return notices

    def _exchange(self, reader: BoardReader) -> list[Notice]:
        if reader.exchanged:
            return [Notice(EXCHANGED, EXCHANGE)]
        return [Notice(NAMES_EXCHANGED, NAME_THEM)] if reader.names_exchanged else []

    def _see_light_change(self, t: float, reader: BoardReader) -> None:
        """The light is compared with what it was when it was last spoken of; a single picture says nothing."""
        light = reader.light
        if light is None:
            return
        here = np.median(light.at(self._light_places)[:, : len(LIGHT_STEPS)], axis=0) / LIGHT_STEPS
        self._lights = [*self._lights, here][-LEAST_PICTURES:]
        now = np.median(self._lights, axis=0)
        settled = len(self._lights) == LEAST_PICTURES and np.ptp(self._lights, axis=0).max() < LIGHT_SETTLED
        if not settled:
            return
        if self._usual_light is not None and np.abs(now - self._usual_light).max() > 1:
            self._passing[LIGHT_CHANGED] = t + SHOWN_S
            self._usual_light = now
        self._usual_light = now if self._usual_light is None else self._usual_light

    def _look_at_light(self, t: float, problems: Iterable[LightProblem]) -> None:
        found = {problem.fault: problem for problem in problems}
        lasting = self._bad_light.see(t, map(str, found), LASTS_S)
        self._light_said = {
            fault: Notice(LIGHT_WORDS[fault], problem.remedy)
            for fault, problem in found.items()
            if str(fault) in lasting or fault in self._light_said
        }

    def _not_read(self, t: float, reading: BoardReading) -> list[Notice]:
        best, p = reading.p.argmax(axis=1), reading.p.max(axis=1)
        unread = [self._grid.name(int(w)) for w in np.flatnonzero((best == Content.HIDDEN) | (p < SURE))]
        lasting = self._unread.see(t, unread, UNREAD_S)
        return [Notice(UNREAD.format(wells=_some(sorted(lasting))), CLEAR)] if lasting else []


def frozen(frame: Frame, last: Frame | None) -> bool:
    """Is it the same picture again? Noise makes every picture of a living camera different from the last."""
    if last is None or frame.image.shape != last.image.shape:
        return False
    return bool(
        np.array_equal(frame.image[::16, ::16], last.image[::16, ::16]) and np.array_equal(frame.image, last.image)
    )


SAME_AGAIN = Notice(SAME_PICTURE, FREEZE)


def _some(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])} and {len(names) - 5} more wells"


def _corner_names(grid: Grid, markers: MarkerLayout) -> dict[int, str]:
    """The well next to each marker."""
    centres = np.array([grid.centre_mm(well) for well in range(grid.wells)])
    return {
        marker: grid.name(int(np.linalg.norm(centres - np.array(at), axis=1).argmin()))
        for marker, at in markers.centres_mm.items()
    }
