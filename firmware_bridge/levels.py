"""The level of both loads under rocking: a smooth average over the latest stretch of samples."""

from bisect import bisect_left
from math import pi, sin
from typing import NamedTuple

WINDOW_S = 0.3
"""How long a stretch is averaged: one and a half periods of the slowest rocking (5 Hz), several of the usual."""
WINDOW_SAMPLES = 3
"""At least so many samples make a level; this decides at 10 samples a second, where the amplifier itself averages."""
KEPT_SAMPLES = 500
MOTION_S = 1.0
MOTION_SAMPLES = 24
"""So much, and at least so many samples, tell how the loads moved: a touch and the rocking after it."""
FILLED = 0.6
"""Share of the samples due in the window that must be there: fewer, and the average leans to one side."""
BACK_S = 3.0
"""Samples are kept for at least so long, to read again what went too fast."""

_STEPS = 48
_HANN = tuple(sin(pi * (i + 0.5) / _STEPS) ** 2 for i in range(_STEPS))
"""The Hann window, which weighs the ends of the stretch down so that whatever swings averages out."""


class Level(NamedTuple):
    """Loads averaged over a stretch that ends at `t`, grams; `swing` is the range of high - low within it."""

    t: float
    low: float
    high: float
    swing: float = 0.0

    @property
    def total(self) -> float:
        return self.low + self.high

    @property
    def difference(self) -> float:
        return self.high - self.low


class LevelMeter:
    """Keeps the last samples and gives their level. `period_s` is the time from one sample to the next."""

    def __init__(self, period_s: float) -> None:
        self._period = period_s
        self._due = max(WINDOW_SAMPLES, round(WINDOW_S / period_s))
        self._motion = max(MOTION_SAMPLES, round(MOTION_S / period_s))
        self._back = max(self._motion, round(BACK_S / period_s))
        self._t: list[float] = []
        self._low: list[float] = []
        self._high: list[float] = []

    def add(self, t: float, low: float, high: float) -> None:
        """Takes one conditioned sample."""
        self._t.append(t)
        self._low.append(low)
        self._high.append(high)
        if len(self._t) > KEPT_SAMPLES:
            for samples in (self._t, self._low, self._high):
                del samples[: -self._back]

    def motion(self) -> tuple[list[float], list[float]]:
        """The last samples of both cells as they came, to see how they moved."""
        return self._low[-self._motion :], self._high[-self._motion :]

    def since(self, t: float) -> tuple[list[float], list[float], list[float]]:
        """Times, low and high of the kept samples from `t` on."""
        first = bisect_left(self._t, t)
        return self._t[first:], self._low[first:], self._high[first:]

    def clear(self) -> None:
        """Forgets all samples."""
        for samples in (self._t, self._low, self._high):
            samples.clear()

    def level(self) -> Level | None:
        """The level of the window that ends with the last sample, None where too many samples are missing.

        It is an integral over time, so that a missing sample's weight goes to its neighbours: were it just left out,
        rocking would no longer cancel.
        """
        times, due = self._t, self._due
        n = len(times)
        if n < WINDOW_SAMPLES:
            return None
        end = times[-1] + 0.5 * self._period
        start = end - due * self._period
        first = max(0, n - due)
        while first < n and times[first] < start:
            first += 1
        if n - first < max(FILLED * due, WINDOW_SAMPLES):
            return None
        inside = times[first:]
        low, high = self._low[first:], self._high[first:]
        scale = _STEPS / (end - start)
        until = [*inside[1:], 2 * end - inside[-1]]
        since = [2 * start - inside[0], *inside[:-1]]
        weights = [_HANN[int((t - start) * scale)] * (b - a) for t, a, b in zip(inside, since, until, strict=True)]
        total = sum(weights)
        level_low = sum(map(float.__mul__, weights, low)) / total
        level_high = sum(map(float.__mul__, weights, high)) / total
        differences = list(map(float.__sub__, high, low))
        return Level(inside[-1], level_low, level_high, max(differences) - min(differences))
