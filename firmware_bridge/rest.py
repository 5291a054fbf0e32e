"""The level at which the loads rest between touches: followed through drift, frozen while disturbed."""

from collections import deque
from collections.abc import Iterable

from firmware_bridge.levels import Level

BEFORE_S = 0.6
"""The resting level is the average over so long."""
GUARD_S = 0.1
"""The last bit is not used: a touch begins gently."""
ENOUGH_LEVELS = 6
"""So many fresh levels outweigh the level from before a disturbance that changed nothing."""
DRIFT_G_PER_S = 0.02
"""Cells and amplifiers drift by less than this: a cold start does a quarter of a gram in five minutes. What moves
faster is a sphere on its way, however slowly."""


class Rest:
    """A resting level. `level` is what it is now, with the last moment left out; `origin` what it was at first."""

    def __init__(self, first: Level) -> None:
        self.level = first
        self.origin = first
        self._needed = 1
        self._new: deque[Level] = deque()
        """The last moment, not used yet."""
        self._old: deque[Level] = deque([first])
        self._low_sum, self._high_sum = first.low, first.high

    def holds(self, level: Level, grams: float, difference_g: float) -> bool:
        """Whether `level` is still this one, within so many grams of weight and of high - low."""
        low, high = level.low - self.level.low, level.high - self.level.high
        return -grams <= low + high <= grams and -difference_g <= high - low <= difference_g

    def has_crept(self, level: Level, grams: float, difference_g: float) -> bool:
        """Whether `level` is farther from where all began than drift explains."""
        first = self.origin
        drift = DRIFT_G_PER_S * (level.t - first.t)
        low, high = level.low - first.low, level.high - first.high
        return abs(low + high) > grams + drift or abs(high - low) > difference_g + drift

    def follow(self, level: Level) -> None:
        """Takes one more level that is still this one."""
        new, old = self._new, self._old
        new.append(level)
        while new and new[0].t <= level.t - GUARD_S:
            ready = new.popleft()
            old.append(ready)
            self._low_sum += ready.low
            self._high_sum += ready.high
        while len(old) + len(new) > 1 and old and old[0].t < level.t - BEFORE_S - GUARD_S:
            gone = old.popleft()
            self._low_sum -= gone.low
            self._high_sum -= gone.high
        n = len(old)
        if n >= self._needed:
            self.level = Level(old[-1].t, self._low_sum / n, self._high_sum / n, old[-1].swing)
            self._needed = 1

    def resume(self, level: Level) -> None:
        """The loads are back at this level after a disturbance: it stays as it was until there is better."""
        self._new.clear()
        self._old.clear()
        self._old.append(level)
        self._low_sum, self._high_sum = level.low, level.high
        self._needed = ENOUGH_LEVELS


def mean_level(levels: Iterable[Level]) -> Level:
    """The average of some levels, with the time and swing of the last."""
    some = list(levels)
    n = len(some)
    return Level(some[-1].t, sum(x.low for x in some) / n, sum(x.high for x in some) / n, some[-1].swing)
