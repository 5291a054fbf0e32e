"""Mishaps of the camera, the board and the light that begin and end while a simulated table is played at.

What has moved stays where it is until it is moved again or put back; what lies on two markers is soon taken away; all
else lasts until it is ended. `LiveFaults` does the same to the load cells.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from companion.errors import BadInput
from companion.simulator.circumstances import USUAL, Circumstances, Lighting, Spot
from companion.simulator.view import CAMERA_AT_MM
from vision.frames import Frame

CAMERA_SHIFT_MM = 30.0
CAMERA_TILT_DEG = 2.5
BOARD_SHIFT_MM, BOARD_TURN_DEG = 10.0, 2.0
"""How far things move at the most, and at least half as far."""
COVERED_S = 4.0
"""So long do two markers stay covered."""
DIMMING_S, DIMMED = 20.0, -0.75
LAMP_OFF, LAMP_ON = -0.6, 0.7
"""Share of the usual light that a lamp is, that another one adds, and what a slow dimming ends at."""
SUN, GLARE = 1.2, 70.0
SPOT_REACH_MM = (28.0, 45.0)
"""A patch of sun, or a lamp's image, as large as two wells or three; and how much light it adds, in `Spot`'s units."""

BUMPED = "board bumped"

Draw = Callable[[np.random.Generator, Circumstances], Circumstances]
"""From what befell so far to what befalls now."""


def _either(rng: np.random.Generator, most: float) -> float:
    return float(rng.choice([-1, 1]) * rng.uniform(0.5, 1.0) * most)


def _shift_camera(rng: np.random.Generator, now: Circumstances) -> Circumstances:
    """Sideways and along, together at most `CAMERA_SHIFT_MM` from its usual place."""
    x, y, z = (_either(rng, CAMERA_SHIFT_MM * share) for share in (0.75, 0.5, 0.4))
    return replace(now, stand=replace(now.stand, camera_mm=(x, y, z)))


def _tilt_camera(rng: np.random.Generator, now: Circumstances) -> Circumstances:
    most = float(np.tan(np.deg2rad(CAMERA_TILT_DEG))) * CAMERA_AT_MM[2]
    # Sideways there is more room in the picture than along
    look = (_either(rng, most), _either(rng, 0.5 * most))
    return replace(now, stand=replace(now.stand, look_mm=look, roll_deg=_either(rng, CAMERA_TILT_DEG)))


def _turn_camera_over(_rng: np.random.Generator, now: Circumstances) -> Circumstances:
    return replace(now, stand=replace(now.stand, roll_deg=180.0))


def _bump_board(rng: np.random.Generator, now: Circumstances) -> Circumstances:
    angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 1) * BOARD_SHIFT_MM
    at = (float(far * np.cos(angle)), float(far * np.sin(angle)))
    return replace(now, stand=replace(now.stand, board_mm=at, board_turn_deg=_either(rng, BOARD_TURN_DEG)))


def _cover(markers: int) -> Draw:
    def cover(rng: np.random.Generator, now: Circumstances) -> Circumstances:
        return replace(now, covered=frozenset(int(m) for m in rng.choice(4, markers, replace=False)))

    return cover


def _spot(light: float, glare: float) -> Draw:
    def shine(rng: np.random.Generator, now: Circumstances) -> Circumstances:
        reach = float(rng.uniform(*SPOT_REACH_MM))
        spot = Spot(float(rng.uniform(-90, 90)), float(rng.uniform(-70, 70)), reach, light, glare)
        return replace(now, lighting=replace(now.lighting, spot=spot))

    return shine


def _lamp(light: float) -> Draw:
    return lambda _rng, now: replace(now, lighting=Lighting(light, now.lighting.spot))


CAMERA_MISHAPS: Mapping[str, Draw] = MappingProxyType(
    {
        "camera shifted": _shift_camera,
        "camera tilted": _tilt_camera,
        "camera upside down": _turn_camera_over,
        BUMPED: _bump_board,
        "two markers covered": _cover(2),
        "all markers covered": _cover(4),
        "one marker covered": _cover(1),
        "lamp off": _lamp(LAMP_OFF),
        "lamp on": _lamp(LAMP_ON),
        "lamp dimming": _lamp(DIMMED),
        "patch of sun": _spot(SUN, 0.0),
        "glare": _spot(0.0, GLARE),
    }
)
UNPLUGGED, HUNG, SWAPPED_COLOURS = "camera unplugged", "camera hung", "red and blue exchanged"
DIMMING, SHORT = "lamp dimming", ("two markers covered", "all markers covered")
MISHAPS = (*CAMERA_MISHAPS, UNPLUGGED, HUNG, SWAPPED_COLOURS)
"""What can be set, by name."""


class LiveMishaps:
    """What befalls the camera of a table now. `set` may be called from any thread, the rest from the table's."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._name: str | None = None
        self._asked: tuple[str | None, ...] = ()
        self._since = 0.0
        self._before = self._now = USUAL
        self._last: Frame | None = None

    def set(self, name: str | None) -> None:
        """Begins a mishap, or ends all with None. Raises BadInput for an unknown name."""
        if name is not None and name not in MISHAPS:
            raise BadInput(f"{name!r} is no mishap that can be set; known are {', '.join(MISHAPS)}")
        self._asked = (name,)

    def at(self, t: float) -> Circumstances:
        """What befalls at a time; times rise."""
        if self._asked:
            (name,), self._asked = self._asked, ()
            self._begin(name, t)
        if self._name in SHORT and t - self._since > COVERED_S:
            self._now = replace(self._now, covered=frozenset())
        if self._name == DIMMING:
            share = min(1.0, (t - self._since) / DIMMING_S)
            light = self._before.lighting.lamp + share * (DIMMED - self._before.lighting.lamp)
            return replace(self._now, lighting=replace(self._now.lighting, lamp=light))
        return self._now

    def _begin(self, name: str | None, t: float) -> None:
        self._name, self._since, self._before = name, t, self._now
        if name is None:
            self._now = USUAL
        elif name in CAMERA_MISHAPS:
            self._now = CAMERA_MISHAPS[name](self._rng, self._now)

    def spoil(self, frame: Frame) -> Frame | None:
        """The picture as the camera hands it over: an old one again, in wrong colours, or none at all."""
        if self._name == UNPLUGGED:
            return None
        if self._name == HUNG and self._last is not None:
            return Frame(frame.t, self._last.image)
        if self._name == SWAPPED_COLOURS:
            frame = Frame(frame.t, np.ascontiguousarray(frame.image[..., ::-1]))
        self._last = frame
        return frame
