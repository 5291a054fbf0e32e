"""The two amplifiers' clocks: whether samples come at the expected rate, from both alike and at the same time."""

from collections.abc import Sequence
from itertools import pairwise

from firmware_bridge.faults import PairFault

STRETCH_S = 0.6
"""Samples are counted over so long; two stretches on end with the same fault make it one."""
PAUSE_S = 0.5
"""After a pause as long as this counting begins again: a chip that resets itself is away for 0.4 s."""
SLOWEST, FASTEST = 0.5, 1.4
"""Bounds of the rate, as shares of the expected one: chips run at 10.0 to 11.6 or 80 to 93 a second, and a busy
computer drops up to 43% of the samples."""
FEWER = 0.78
"""One cell gives at least this share of the other's fresh samples: two chips' clocks differ by up to 15%."""
LIVING = 0.48
"""A cell with a smaller share of fresh samples has another fault."""
LAG_S = 0.03
LAG_SAMPLES = 1.5
"""The cells are read within a sample of each other; a longer lag, in seconds and samples, is a fault."""
FARTHEST_SAMPLES = 6
FITTING = 0.15
WORSE = 0.45
"""Motions match at some lag when so small a share of them is left over, and at no other when so much more is."""
ANOTHER_TOUCH_S = 1.2
"""Two touches, so far apart, must show the same lag: rocking repeats itself, and one period too late looks alike."""
MOVING_G = 40.0
"""There is nothing to compare while the loads swing by less."""


class Clocks:
    """A fold over the raw samples' times and counts; `faults` names what is wrong with the pair now."""

    def __init__(self, rate_hz: float) -> None:
        self._rate_hz = rate_hz
        self._first_t = self._last_t = float("-inf")
        self._rows = self._fresh_low = self._fresh_high = 0
        self._low: int | None = None
        self._high: int | None = None
        self._apart = self._off_rate = (False, False)
        """In the last stretch but one, and in the last."""
        self._lagged_t: float | None = None
        self._lagging = False
        self.faults: tuple[str, ...] = ()

    def note(self, t: float, low: int | None, high: int | None) -> None:
        """Takes one raw sample."""
        if not 0 < t - self._last_t < PAUSE_S:
            self._begin(t)
            self._apart = self._off_rate = (False, False)
            self._name()
        else:
            self._rows += 1
            self._fresh_low += _freshness(low, self._low)
            self._fresh_high += _freshness(high, self._high)
        self._last_t, self._low, self._high = t, low, high
        span = t - self._first_t
        if span >= STRETCH_S:
            fewer, more = sorted((self._fresh_low, self._fresh_high))
            more = min(more, self._rows)
            apart = fewer < FEWER * more and fewer > LIVING * self._rows
            # rows that say only that nothing came have no rate
            off_rate = fewer + more > 0 and not SLOWEST < self._rows / span / self._rate_hz < FASTEST
            self._apart, self._off_rate = (self._apart[1], apart), (self._off_rate[1], off_rate)
            self._name()
            self._begin(t)

    def _begin(self, t: float) -> None:
        self._first_t = t
        self._rows = self._fresh_low = self._fresh_high = 0

    def compare_motions(self, t: float, low: Sequence[float], high: Sequence[float]) -> None:
        """Takes the loads during a touch, sample by sample: do the two cells feel it at the same time?"""
        lagging = lags(low, high, max(LAG_SAMPLES, LAG_S * self._rate_hz))
        if lagging:
            if self._lagged_t is None:
                self._lagged_t = t
            self._lagging = t - self._lagged_t > ANOTHER_TOUCH_S
        elif lagging is not None:
            self._lagged_t, self._lagging = None, False
        self._name()

    def _name(self) -> None:
        names = ((all(self._apart) or self._lagging, PairFault.CLOCKS), (all(self._off_rate), PairFault.RATE))
        self.faults = tuple(str(fault) for wrong, fault in names if wrong)


def _freshness(counts: int | None, before: int | None) -> int:
    """1 for a sample that is a conversion of its own, 0 for none or the last one again.

    By chance noise repeats a count less often than it misses it by one or two: those make up for such repeats.
    """
    if counts is None:
        return 0
    if before is None:
        return 1
    change = counts - before
    return 0 if change == 0 else 1 if change > 2 or change < -2 else 2


def lags(low: Sequence[float], high: Sequence[float], allowed_samples: float) -> bool | None:
    """Whether one of two loads that swing against each other lags by more; None where the motion does not tell.

    What rocks moves the cells by equal amounts in opposite directions: at the true lag the steps of both cancel.
    """
    n = len(low)
    if n < 3 * FARTHEST_SAMPLES or max(low) - min(low) < MOVING_G or max(high) - min(high) < MOVING_G:
        return None
    a = [y - x for x, y in pairwise(low)]
    b = [x - y for x, y in pairwise(high)]
    near = min(_left_over(a, b, k) for k in (0, 1, -1))
    if near < FITTING:
        return False
    if near < WORSE:
        return None
    far, at = min((_left_over(a, b, k), k) for k in range(-FARTHEST_SAMPLES, FARTHEST_SAMPLES + 1))
    return True if far < FITTING and near > far + WORSE and abs(at) > allowed_samples else None


def _left_over(a: Sequence[float], b: Sequence[float], lag: int) -> float:
    """The share of two motions that is left when the second is moved back by `lag` samples and taken off the first."""
    if lag >= 0:
        x, y = a[: len(a) - lag], b[lag:]
    else:
        x, y = a[-lag:], b[: len(b) + lag]
    whole = sum(map(float.__mul__, x, x)) + sum(map(float.__mul__, y, y))
    rest = list(map(float.__sub__, x, y))
    return sum(map(float.__mul__, rest, rest)) / whole if whole > 0 else 1.0
