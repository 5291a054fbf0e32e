"""Makes load traces from simple physics: statics of the board, one rocking mode, touches, and what amplifiers do."""

import math
import random
from dataclasses import dataclass, field

from firmware_bridge.samples import CellCalibration, LoadCells, RawSample

BOARD_G = 500.0
STEP_S = 1 / 1600
RANKS_MM = (-90.0, -54.0, -18.0, 18.0, 54.0, 90.0)


@dataclass
class Trace:
    """A board on two pinnacles with things done to it, in the order of their times.

    The moment follows what the spheres and hands ask for as a damped oscillator; where a load would become negative the
    pinnacle is off its cell and the other carries all.
    """

    half_spacing_mm: float = 8.0
    sphere_g: float = 20.0
    rocking_hz: float = 9.0
    damping_per_s: float = 3.0
    noise_g: float = 0.15
    drift_g_per_s: float = 0.004
    seed: int = 1
    spheres_mm: list[float] = field(default_factory=lambda: [-90.0] * 7 + [90.0] * 7)
    low: CellCalibration = CellCalibration(-105_000.0, 440.0)
    high: CellCalibration = CellCalibration(60_000.0, 440.0)
    gain_error: float = 0.003
    now: float = 0.0
    asked: list[tuple[float, float]] = field(default_factory=list)
    """Weight and moment at each instant, STEP_S apart."""

    def __post_init__(self) -> None:
        self._weight = BOARD_G + self.sphere_g * len(self.spheres_mm)
        self._moment = self.sphere_g * sum(self.spheres_mm)

    # --- what is done; each takes time

    def wait(self, seconds: float, push_g: float = 0.0, at_mm: float = 0.0, waver: float = 0.0) -> "Trace":
        """Nothing more happens; meanwhile a hand may push down with so many grams, wavering by a share of it."""
        for i in range(round(seconds / STEP_S)):
            push = push_g * (1 + waver * math.sin(7 * i * STEP_S))
            self.asked.append((self._weight + push, self._moment + push * at_mm))
        self.now += round(seconds / STEP_S) * STEP_S
        return self

    def push(self, grams: float, at_mm: float, seconds: float) -> "Trace":
        """A hand presses and lets go, smoothly."""
        n = round(seconds / STEP_S)
        for i in range(n):
            push = grams * math.sin(math.pi * (i + 0.5) / n) ** 2
            self.asked.append((self._weight + push, self._moment + push * at_mm))
        self.now += n * STEP_S
        return self

    def lift(self, at_mm: float, touch_g: float = 12.0) -> float:
        """A hand takes hold of a sphere and lifts it; gives the time at which it has left the board."""
        self.push(touch_g, at_mm, 0.2)
        self._ramp(-self.sphere_g, -self.sphere_g * at_mm, 0.06)
        self.spheres_mm.remove(at_mm)
        return self.now

    def place(self, at_mm: float, press_g: float = 15.0) -> float:
        """A sphere is set down; gives the time of first contact. The hand presses a little and goes."""
        contact = self.now
        self._ramp(self.sphere_g, self.sphere_g * at_mm, 0.02)
        self.spheres_mm.append(at_mm)
        self.push(press_g, at_mm, 0.12)
        return contact

    def roll(self, from_mm: float, to_mm: float, seconds: float = 0.6, push_g: float = 4.0) -> float:
        """A sphere is rolled; gives the time at which it arrives."""
        n = round(seconds / STEP_S)
        start = self._moment
        for i in range(n):
            way = 0.5 - 0.5 * math.cos(math.pi * i / n)
            p = from_mm + way * (to_mm - from_mm)
            push = push_g * min(1.0, i / n * 8)
            self.asked.append((self._weight + push, start + self.sphere_g * (p - from_mm) + push * p))
        self.now += n * STEP_S
        self._moment = start + self.sphere_g * (to_mm - from_mm)
        self.spheres_mm[self.spheres_mm.index(from_mm)] = to_mm
        arrived = self.now
        self.wait(0.15, push_g, to_mm)
        return arrived

    def take_away(self, grams: float, at_mm: float) -> "Trace":
        """So much goes from the board at once (negative: comes onto it)."""
        return self._ramp(-grams, -grams * at_mm, 0.02)

    def _ramp(self, weight: float, moment: float, seconds: float) -> "Trace":
        n = round(seconds / STEP_S)
        for i in range(n):
            way = (i + 1) / n
            self.asked.append((self._weight + way * weight, self._moment + way * moment))
        self._weight += weight
        self._moment += moment
        self.now += n * STEP_S
        return self

    # --- what the cells make of it

    def cells(self, rate_hz: float = 80.0, known: bool = True) -> LoadCells:
        """What the table's settings say, which is a little off the truth."""
        return LoadCells(self.low, self.high, rate_hz, self.half_spacing_mm if known else None)

    def samples(self, rate_hz: float = 80.0) -> list[RawSample]:
        """The conversions of both cells, through the amplifier's filter; the high cell's lag by a third."""
        chance = random.Random(self.seed)
        noise = self.noise_g * math.sqrt(rate_hz / 80)
        span = max(1, round(1 / rate_hz / STEP_S))
        skew = round(0.3 / rate_hz / STEP_S)
        lows, highs = (_filtered(list(loads), span) for loads in zip(*self._loads(), strict=True))
        out = []
        for k in range(1, int(len(lows) * STEP_S * rate_hz)):
            end = round(k / rate_hz / STEP_S)
            t = end * STEP_S
            low = lows[end] * (1 + self.gain_error / 2) + self.drift_g_per_s * t
            high = highs[max(0, end - skew)] * (1 - self.gain_error / 2) - 0.7 * self.drift_g_per_s * t
            low += chance.gauss(0, noise)
            high += chance.gauss(0, noise)
            out.append(RawSample(t, self.low.counts(low), self.high.counts(high)))
        return out

    def first_unloaded(self) -> float:
        """When a pinnacle first leaves its cell."""
        return next(i for i, loads in enumerate(self._loads()) if min(loads) <= 0) * STEP_S

    def _loads(self) -> list[tuple[float, float]]:
        d = self.half_spacing_mm
        omega2 = (2 * math.pi * self.rocking_hz) ** 2
        moment, speed = self.asked[0][1], 0.0
        out = []
        for weight, asked in self.asked:
            speed += STEP_S * (omega2 * (asked - moment) - 2 * self.damping_per_s * speed)
            moment += STEP_S * speed
            limit = weight * d
            if abs(asked) > limit and abs(moment) >= limit:  # it tips, and nothing brings it back
                moment, speed = math.copysign(limit, asked), 0.0
            held = max(-limit, min(limit, moment))
            out.append(((weight - held / d) / 2, (weight + held / d) / 2))
        return out


def _filtered(values: list[float], span: int) -> list[float]:
    """A sinc filter of the fourth order, which settles in four conversions as the amplifier's does."""
    for _ in range(4):
        sums = [0.0]
        for value in [values[0]] * span + values:
            sums.append(sums[-1] + value)
        values = [(sums[i + span + 1] - sums[i + 1]) / span for i in range(len(values))]
    return values
