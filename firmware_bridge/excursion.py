"""What the loads did since they left a level."""

from collections import deque

from firmware_bridge.levels import Level
from firmware_bridge.steps import Path

KEPT_LEVELS = 100
"""The last levels are kept for timing (5 s at 20 a second)."""


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
