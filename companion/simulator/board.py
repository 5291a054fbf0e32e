"""The simulated board in motion: it rocks on its two pinnacles, is pushed by hands, and tips.

One equation turns the board about its centre line by an angle a:

    J a'' = M - R(a) - C a'

M is the moment of all that bears on it, R what the two springy cells give back. While both bear, R = K a; when one
load has fallen to 0 the board stands on one pinnacle and R stays at W d, a little less the further it leans, since its
weight lies above the pinnacles. So a moment beyond W d tips it, and a shorter one only lets it rattle.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from companion.simulator.statics import BoardSpec, Spheres, balance_of

TICK_S = 0.002
"""Step of the integration; a twentieth of the fastest rocking period."""
GRAVITY_MM_S2 = 9806.65
ROCKING_HZ = ((4.0, 5.0), (6.0, 7.0), (8.0, 9.5), (12.0, 14.0))
"""Half spacing in mm and the rocking it gives in Hz (rigid-body simulation, 500 g board on 5 kg bar cells)."""
DECAY_S = 0.4
"""Time in which free rocking falls to 1/e; swings of some mm are still within a tenth after 0.8 to 1.7 s."""
TOUCHED_DECAY_S = 0.12
"""The same while fingers are on the board: they take up the rocking."""
LEANING_DECAY_S = 0.6
"""The same for a board that stands on one pinnacle."""
CENTRE_HEIGHT_MM = 12.0
"""How far the centre of mass lies above the pinnacles' tips."""
LOOSE_MM, LOOSE_RAD = 0.05, 0.01
"""On a leaning board the spheres shift in their wells: so far goes the centre of mass, within so much of a tilt."""
TIPPED_RAD = math.radians(8.5)
"""Tilt beyond which the board has crashed: its edge is on its way to the table and the spheres roll."""
SHED_AFTER_S, SHED_FOR_S = 0.2, 0.5
"""The spheres leave a tipped board after so long, within so long."""


Loads = tuple[float, float]
"""Forces on the low and the high cell in grams."""


class Shape(StrEnum):
    """How a push's force runs over its time."""

    HELD = "held"
    FADE = "fade"
    KNOCK = "knock"
    ROLL = "roll"


@dataclass(frozen=True, slots=True)
class Push:
    """A force on the board from t0 to t1: `grams` at `p_mm` along the axis.

    `held` rises, stays (wavering by `waver_g`) and falls; `fade` falls from all to nothing; `knock` swings out within
    the time; `roll` keeps its weight while moving to `to_p_mm`. `fingers`: a hand touches, which also stills the
    rocking.
    """

    t0: float
    t1: float
    p_mm: float
    grams: float
    shape: Shape = Shape.HELD
    to_p_mm: float = 0.0
    rise_s: float = 0.05
    waver_g: float = 0.0
    phase: float = 0.0
    fingers: bool = False

    def at(self, t: float) -> tuple[float, float]:
        """Force in grams and moment in gram mm at a time."""
        if not self.t0 <= t < self.t1:
            return 0.0, 0.0
        u = (t - self.t0) / (self.t1 - self.t0)
        place = self.p_mm
        if self.shape is Shape.FADE:
            force = self.grams * 0.5 * (1 + math.cos(math.pi * u))
        elif self.shape is Shape.KNOCK:
            force = self.grams * math.sin(26 * math.pi * (t - self.t0)) * math.exp(-12 * (t - self.t0)) * (1 - u)
        elif self.shape is Shape.ROLL:
            force = self.grams
            place += (self.to_p_mm - self.p_mm) * 0.5 * (1 - math.cos(math.pi * u))
        else:
            edge = min(t - self.t0, self.t1 - t) / self.rise_s
            waver = math.sin(23.0 * t + self.phase) + 0.6 * math.sin(57.0 * t + 2.3 * self.phase)
            force = (self.grams + self.waver_g * waver) * min(1.0, edge)
        return force, force * place


def rocking_hz(half_spacing_mm: float) -> float:
    """How fast the board rocks on its cells; nearly proportional to the half spacing."""
    spacings, rates = zip(*ROCKING_HZ, strict=True)
    if half_spacing_mm < spacings[0]:
        return rates[0] * half_spacing_mm / spacings[0]
    return float(np.interp(half_spacing_mm, spacings, rates))


class Board:
    """The moving board. Times are whole ticks; `advance` never goes back."""

    def __init__(self, spec: BoardSpec, spheres: Spheres, rng: np.random.Generator) -> None:
        self.spec = spec
        self.spheres: dict[int, int] = dict(spheres)
        self.tick = 0
        self.steady = False
        self.tipped_toward = 0
        self.tipped_at = 0.0
        self.low_g = self.high_g = 0.0
        self._angle = self._rate = 0.0
        self._rng = rng
        self._pushes: list[Push] = []
        self._burdens: dict[str, tuple[float, float]] = {}
        extent = spec.grid.size_mm[1] if spec.axis == "ranks" else spec.grid.size_mm[0]
        inertia = spec.board_mass_g * extent**2 / 12
        inertia += sum(
            m * spec.place_mm(w) ** 2 for w, m in zip((*range(7), *range(35, 42)), spec.sphere_masses_g, strict=True)
        )
        self._inertia = inertia / GRAVITY_MM_S2
        self._stiffness = self._inertia * (2 * math.pi * rocking_hz(spec.half_spacing_mm)) ** 2
        self._rest()
        self._off_since: float | None = None

    @property
    def onset(self) -> float:
        """Since when the board has stood on one pinnacle; now, where it stands on both."""
        return self.t if self._off_since is None else self._off_since

    @property
    def t(self) -> float:
        return self.tick * TICK_S

    @property
    def leaning(self) -> bool:
        """Whether a load is at 0: the board may be about to tip."""
        return min(self.low_g, self.high_g) < 1.0

    def push(self, *pushes: Push) -> None:
        """Adds forces; they may begin later."""
        self._pushes.extend(pushes)

    def drop_pushes(self) -> None:
        """All hands off."""
        self._pushes.clear()

    def lift(self, well: int, over_s: float) -> int:
        """Takes a sphere off; its weight leaves the board within `over_s`. Returns the sphere."""
        sphere = self.spheres.pop(well)
        self._weigh()
        self.push(
            Push(self.t, self.t + over_s, self.spec.place_mm(well), self.spec.sphere_masses_g[sphere], Shape.FADE)
        )
        return sphere

    def place(self, well: int, sphere: int, over_s: float) -> None:
        """Puts a sphere into an empty well; its weight comes on within `over_s`."""
        self.spheres[well] = sphere
        self._weigh()
        mass = -self.spec.sphere_masses_g[sphere]
        self.push(Push(self.t, self.t + over_s, self.spec.place_mm(well), mass, Shape.FADE))

    def put_on(self, name: str, grams: float, p_mm: float) -> None:
        """Something else is laid on the board."""
        self._burdens[name] = (grams, p_mm)
        self._weigh()
        self.push(Push(self.t, self.t + 0.08, p_mm, -grams, Shape.FADE))

    def take_away(self, name: str) -> None:
        """It is taken off again."""
        grams, p_mm = self._burdens.pop(name)
        self._weigh()
        self.push(Push(self.t, self.t + 0.08, p_mm, grams, Shape.FADE))

    def set_upright(self, spheres: Spheres) -> None:
        """Sets a board back on its pinnacles, at rest, with these spheres on it."""
        self.spheres = dict(spheres)
        self.tipped_toward = 0
        self._pushes.clear()
        self._rest()

    def roll_off(self) -> list[int]:
        """All spheres leave the board; returns them."""
        gone = [self.spheres[well] for well in sorted(self.spheres)]
        self.spheres.clear()
        self._burdens.clear()
        self._weigh()
        return gone

    def advance(self, ticks: int) -> list[Loads]:
        """Moves on by so many ticks; the loads after each of them. A tip ends it early."""
        loads: list[Loads] = []
        if self.tipped_toward:
            for _ in range(ticks):
                self.tick += 1
                self._lie()
                loads.append((self.low_g, self.high_g))
            return loads
        if self._pushes:
            self._pushes = [push for push in self._pushes if push.t1 > self.t]
        spacing, stiffness, inertia = self.spec.half_spacing_mm, self._stiffness, self._inertia
        angle, rate, off = self._angle, self._rate, self._off_since
        for _ in range(ticks):
            self.tick += 1
            t = self.tick * TICK_S
            total, moment, touched = self._total, self._moment, False
            if self._pushes:
                for push in self._pushes:
                    if push.t0 <= t < push.t1:
                        force, turning = push.at(t)
                        total += force
                        moment += turning
                        touched = touched or push.fingers
            limit = max(total, 1.0) * spacing
            if self.steady:
                moment = max(-0.6 * limit, min(0.6 * limit, moment))
            back = stiffness * angle
            decay = TOUCHED_DECAY_S if touched else DECAY_S
            beyond = abs(angle) - limit / stiffness
            if beyond <= 0:
                off = None
            else:
                off = t if off is None else off
                outward = CENTRE_HEIGHT_MM * beyond + LOOSE_MM * min(1.0, beyond / LOOSE_RAD)
                back = math.copysign(limit - total * outward, angle)
                decay = LEANING_DECAY_S
            rate += ((moment - back) / inertia - 2 * rate / decay) * TICK_S
            angle += rate * TICK_S
            half = max(-limit, min(limit, stiffness * angle)) / (2 * spacing)
            loads.append((total / 2 - half, total / 2 + half))
            if beyond > TIPPED_RAD:
                self._off_since = off
                self._tip(1 if angle > 0 else -1)
                return loads
        self._angle, self._rate, self._off_since = angle, rate, off
        if loads:
            self.low_g, self.high_g = loads[-1]
        return loads

    def _tip(self, toward: int) -> None:
        self.tipped_toward = toward
        self.tipped_at = self.t
        self._pushes.clear()
        self._full = self._total
        bare = self.spec.board_mass_g
        # Lying on its edge the board leaves part of its weight to the table.
        self._lying = bare * float(self._rng.uniform(0.75, 0.95))
        self._lie()

    def _lie(self) -> None:
        """Loads of a tipped board: all on one pinnacle, wild while the spheres roll off, then creeping."""
        since = self.t - self.tipped_at
        if since < SHED_AFTER_S:
            load = self._full * (1 - 0.05 * since / SHED_AFTER_S)
        elif since < SHED_AFTER_S + SHED_FOR_S:
            u = (since - SHED_AFTER_S) / SHED_FOR_S
            load = self._full + (self.spec.board_mass_g - self._full) * u + float(self._rng.normal(0, 90 * (1 - u)))
        else:
            load = self._lying + (self.spec.board_mass_g - self._lying) * math.exp(-(since - 0.7) / 1.5)
        load = max(load, 0.0)
        self.low_g, self.high_g = (0.0, load) if self.tipped_toward > 0 else (load, 0.0)

    def _weigh(self) -> None:
        balance = balance_of(self.spec, self.spheres)
        self._total = balance.total_g + sum(grams for grams, _ in self._burdens.values())
        self._moment = balance.moment_g_mm + sum(grams * p_mm for grams, p_mm in self._burdens.values())

    def _rest(self) -> None:
        self._weigh()
        limit = self._total * self.spec.half_spacing_mm
        self._angle = max(-limit, min(limit, self._moment)) / self._stiffness
        self._rate = 0.0
        half = self._angle * self._stiffness / (2 * self.spec.half_spacing_mm)
        self.low_g, self.high_g = self._total / 2 - half, self._total / 2 + half
