"""What the loads did since they left a level."""

from collections import deque

from firmware_bridge.levels import Level
from firmware_bridge.steps import Path

KEPT_LEVELS = 100
"""The last levels are kept for timing (5 s at 20 a second)."""
SHARP_S = 1.0
"""A sphere leaves the board or comes onto it within this, as levels show it; what creeps is none."""
NEAR_SIDE = 0.35
FAR_BELOW = 0.6
"""Shares of the change up to which a level still belongs to the side before, or already to the one after."""


class Excursion:
    """The way from the level `before`, which the loads left at time `since`, to wherever they are now."""

    def __init__(self, before: Level, since: float) -> None:
        self.before = before
        self.since = since
        self._last_t = since
        self._lightest = self._heaviest = 0.0
        self._borne_down_s = 0.0
        self._levels: deque[Level] = deque(maxlen=KEPT_LEVELS)

    def add(self, level: Level, bears_down: bool) -> None:
        """Takes the next level on the way."""
        change = level.total - self.before.total
        self._lightest = min(self._lightest, change)
        self._heaviest = max(self._heaviest, change)
        if bears_down:
            self._borne_down_s += level.t - self._last_t
        self._last_t = level.t
        self._levels.append(level)

    @property
    def path(self) -> Path:
        """The way in a few numbers."""
        return Path(self._lightest, self._heaviest, self._last_t - self.since, self._borne_down_s)

    @property
    def levels(self) -> list[Level]:
        """The last levels on the way."""
        return list(self._levels)

    def is_sharp(self, before: float, after: float) -> bool:
        """Whether somewhere the total went from the one to the other in one step."""
        change = after - before
        near, far, below = before + NEAR_SIDE * change, after - NEAR_SIDE * change, before - FAR_BELOW * change
        all_kept = len(self._levels) < KEPT_LEVELS
        left = self.since - SHARP_S / 2 if all_kept and before == self.before.total else float("-inf")
        for level in self._levels:
            total = level.total
            if change > 0:
                if below <= total <= near:
                    left = level.t
                arrived = total >= far
            else:
                if total >= near:
                    left = level.t
                arrived = total <= far
            if arrived and level.t - left <= SHARP_S:
                return True
        return False

    def first_crossing_t(self, before: float, after: float) -> float:
        """When the total first went half way from the one to the other, by the levels."""
        half, up = (before + after) / 2, after > before
        return next((x.t for x in self._levels if (x.total >= half) is up), self._last_t)

    def last_crossing_t(self, before: float, after: float) -> float:
        """When the total last went half way from the one to the other, by the levels."""
        half, up = (before + after) / 2, after > before
        crossed = self._last_t
        for x in reversed(self._levels):
            if (x.total >= half) is not up:
                break
            crossed = x.t
        return crossed

    def contact_t(self, after: Level) -> float:
        """When the weight went half way to `after`, by the levels (which lag).

        Upward that is the first time, when something came down on the board; downward the last, when it had left.
        """
        half = 0.5 * (self.before.total + after.total)
        if after.total > self.before.total:
            return next((level.t for level in self._levels if level.total >= half), self._last_t)
        left = self._last_t
        for level in reversed(self._levels):
            if level.total > half:
                break
            left = level.t
        return left
