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
        self._recent: deque[Level] = deque([first])
        self._needed = 1

    def holds(self, level: Level, grams: float, difference_g: float) -> bool:
        """Whether `level` is still this one, within so many grams of weight and of high - low."""
        now = self.level
        return abs(level.total - now.total) <= grams and abs(level.difference - now.difference) <= difference_g

    def has_crept(self, level: Level, grams: float, difference_g: float) -> bool:
        """Whether `level` is farther from where all began than drift explains."""
        first = self.origin
        drift = DRIFT_G_PER_S * (level.t - first.t)
        return (
            abs(level.total - first.total) > grams + drift
            or abs(level.difference - first.difference) > difference_g + drift
        )

    def follow(self, level: Level) -> None:
        """Takes one more level that is still this one."""
        recent = self._recent
        recent.append(level)
        while len(recent) > 1 and recent[0].t < level.t - BEFORE_S - GUARD_S:
            recent.popleft()
        kept = [r for r in recent if r.t <= level.t - GUARD_S]
        if len(kept) >= self._needed:
            self.level = mean_level(kept)
            self._needed = 1

    def resume(self, level: Level) -> None:
        """The loads are back at this level after a disturbance: it stays as it was until there is better."""
        self._recent.clear()
        self._recent.append(level)
        self._needed = ENOUGH_LEVELS


def mean_level(levels: Iterable[Level]) -> Level:
    """The average of some levels, with the time and swing of the last."""
    some = list(levels)
    n = len(some)
    return Level(some[-1].t, sum(x.low for x in some) / n, sum(x.high for x in some) / n, some[-1].swing)
