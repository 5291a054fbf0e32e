"""The level of both loads under rocking: a smooth average over the latest stretch of samples."""

from dataclasses import dataclass
from math import pi, sin

WINDOW_S = 0.3
"""How long a stretch is averaged: one and a half periods of the slowest rocking (5 Hz), several of the usual."""
WINDOW_SAMPLES = 3
"""At least so many samples make a level; this decides at 10 samples a second, where the amplifier itself averages."""
FILLED = 0.6
"""Share of the samples due in the window that must be there: fewer, and the average leans to one side."""

_STEPS = 48
_HANN = tuple(sin(pi * (i + 0.5) / _STEPS) ** 2 for i in range(_STEPS))
"""The Hann window, which weighs the ends of the stretch down so that whatever swings averages out."""


@dataclass(frozen=True, slots=True)
class Level:
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
        self._t: list[float] = []
        self._low: list[float] = []
        self._high: list[float] = []

    def add(self, t: float, low: float, high: float) -> None:
        """Takes one conditioned sample."""
        self._t.append(t)
        self._low.append(low)
        self._high.append(high)
        if len(self._t) > 400:
            del self._t[:300], self._low[:300], self._high[:300]

    def clear(self) -> None:
        """Forgets all samples."""
        self._t.clear()
        self._low.clear()
        self._high.clear()

    def level(self) -> Level | None:
        """The level of the window that ends with the last sample, None where too many samples are missing."""
        times = self._t
        n = len(times)
        due = max(WINDOW_SAMPLES, round(WINDOW_S / self._period))
        if n < due:
            return None
        end = times[-1] + 0.5 * self._period
        start = end - due * self._period
        first = n - due
        while first < n and times[first] < start:
            first += 1
        if n - first < FILLED * due or n - first < WINDOW_SAMPLES:
            return None
        low, high = self._low[first:], self._high[first:]
        scale = _STEPS / (end - start)
        weights = [_HANN[int((t - start) * scale)] for t in times[first:]]
        total = sum(weights)
        level_low = sum(map(float.__mul__, weights, low)) / total
        level_high = sum(map(float.__mul__, weights, high)) / total
        differences = list(map(float.__sub__, high, low))
        return Level(times[-1], level_low, level_high, max(differences) - min(differences))
