"""Tells a board that tips from one that only rocks up to the edge."""

from collections import deque
from enum import StrEnum

ZERO_G = 5.0
"""A cell that carries less than this carries nothing: calibration and drift are a few grams, and a board that rests
with so little on one side is within 0.1 mm of tipping."""
CARRIED = 0.9
"""The other cell then carries at least this share of what both carried: less means that the board is being taken away,
or that the first cell just stopped reading."""
AIRBORNE_S = 0.27
"""How long a pinnacle stays up when the board tips, at least. Rocking lifts it for less than half a period (0.1 to
0.2 s) unless the margin is almost nothing."""
AIRBORNE_PRESSED_S = 0.5
"""The same while a hand bears down on the board: a press of 0.3 s that lets go in time is no crash."""
FILTER_SAMPLES = 3.5
"""The amplifier's own filter spans four samples (50 ms at 80, 400 ms at 10 a second, by its data sheet), so a reading
of nothing says that there was nothing for about so long already."""
DRIFTED_ZERO_G = 12.0
"""A zero drifts by up to 10 g an hour; what reads more than this carries something."""
UNMOVED_S, UNMOVED_SAMPLES, UNMOVED_G = 0.4, 4, 1.0
MOVED_G = 6.0
"""A cell that stays within its noise for so long, while the other one's load changes by more than this, is no longer
under the board: whatever happens on a board that stands moves both."""


class Lifted(StrEnum):
    """Which pinnacle is off its cell."""

    LOW = "low"
    HIGH = "high"


class TipDetector:
    """A fold over conditioned samples; says once when a tip has become certain."""

    def __init__(self, period_s: float) -> None:
        self._memory = FILTER_SAMPLES * period_s
        self._side: Lifted | None = None
        self.since: float | None = None
        """When the pinnacle came off, as far as known, while it is off."""
        self._near_zero: deque[tuple[float, float, float]] = deque()

    def _hangs(self, t: float, low: float, high: float, resting_g: float, pressed_above_g: float) -> bool:
        """Whether one cell has carried nothing for a while, by its being unmoved by what moves the other.

        So a tip is found also where the zero has drifted by more than `ZERO_G`.
        """
        window = self._near_zero
        if min(low, high) > DRIFTED_ZERO_G or low + high > pressed_above_g:
            window.clear()
            return False
        window.append((t, low, high))
        while t - window[0][0] > UNMOVED_S:
            window.popleft()
        if t - window[0][0] < 0.8 * UNMOVED_S or len(window) < UNMOVED_SAMPLES:
            return False
        _, lows, highs = zip(*window, strict=True)
        free, other = (lows, highs) if low < high else (highs, lows)
        if max(free) - min(free) > UNMOVED_G or max(other) - min(other) < MOVED_G or min(other) < resting_g / 3:
            return False
        self.since = window[0][0]
        return True

    def feed(self, t: float, low: float, high: float, resting_g: float, pressed_above_g: float) -> bool:
        """Whether by now the board has tipped.

        `resting_g` is what both cells carried at rest, `pressed_above_g` the total from which on a hand bears down.
        """
        if self._hangs(t, low, high, resting_g, pressed_above_g):
            return True
        if low < ZERO_G and high > CARRIED * resting_g:
            side = Lifted.LOW
        elif high < ZERO_G and low > CARRIED * resting_g:
            side = Lifted.HIGH
        else:
            self._side = self.since = None
            return False
        if side is not self._side or self.since is None:
            self._side, self.since = side, t - self._memory
        return t - self.since >= (AIRBORNE_PRESSED_S if low + high > pressed_above_g else AIRBORNE_S)
