"""Whether the loads are still: the last levels, and since when they have agreed."""

from collections import deque

from firmware_bridge.levels import Level
from firmware_bridge.rest import mean_level
from firmware_bridge.spheres import Step

STEADY_S = 0.15
"""Levels over so long must agree before the loads count as still."""
STEADY_G = 0.8
"""By how much the weight may differ among them: a hand that bears on the board wavers by more."""
STEADY_MM = 2.5
"""By how much, as the place of one sphere, the moment may: what rocking leaves of an average."""
SLIP = 0.005
"""Share of the swing by which a level may be off: the two amplifiers run on clocks of their own, and now and then one
slips by a sample against the other."""


class Stillness:
    """A fold over levels that come every `hop_s` seconds."""

    def __init__(self, hop_s: float) -> None:
        self._levels: deque[Level] = deque(maxlen=1 + max(2, round(STEADY_S / hop_s)))
        self.steady = False
        self.since: float | None = None
        """Since when the loads have been still, as far as that matters; None while they are not."""

    def add(self, level: Level, grams_per_mm: float) -> None:
        """Takes the next level. `grams_per_mm`: by how much high - low changes when a sphere shifts by that."""
        self._levels.append(level)
        self.steady = self._is_steady(grams_per_mm)
        if not self.steady:
            self.since = None
        elif self.since is None:
            self.since = level.t

    def clear(self) -> None:
        """Forgets all levels."""
        self._levels.clear()
        self.start_anew()

    def start_anew(self) -> None:
        """However long the loads have been still, it counts from the next level on."""
        self.since = None

    @property
    def last(self) -> Level | None:
        """The last level, None where there is none."""
        return self._levels[-1] if self._levels else None

    @property
    def creeps(self) -> bool:
        """The weight hardly changes, whatever the board's rocking does to its moment."""
        totals = [h.total for h in self._levels]
        return len(totals) == self._levels.maxlen and max(totals) - min(totals) <= STEADY_G

    def for_s(self, t: float) -> float:
        """For how many seconds the loads have been still at time `t`."""
        return t - (self.since or t)

    def mean(self) -> Level:
        """The average of the last levels."""
        return mean_level(self._levels)

    def step(self, before: Level, after: Level) -> Step:
        """The step between two levels; how unsure it is, is told by how much the last levels differ."""
        slip = SLIP * self._levels[-1].swing
        totals = [h.total for h in self._levels]
        differences = [h.difference for h in self._levels]
        return Step(
            after.low - before.low,
            after.high - before.high,
            0.1 + slip + (max(totals) - min(totals)) / 3,
            0.2 + slip + (max(differences) - min(differences)) / 3,
        )

    def _is_steady(self, grams_per_mm: float) -> bool:
        levels = self._levels
        if len(levels) < (levels.maxlen or 0):
            return False
        lows = [h.low for h in levels]
        highs = [h.high for h in levels]
        totals = list(map(float.__add__, lows, highs))
        if max(totals) - min(totals) > STEADY_G:
            return False
        differences = list(map(float.__sub__, highs, lows))
        return max(differences) - min(differences) <= STEADY_MM * grams_per_mm
