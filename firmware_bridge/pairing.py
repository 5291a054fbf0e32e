"""Two amplifiers, each with an oscillator of its own: which two readings belong together."""

from firmware_bridge.pace import Pace
from firmware_bridge.samples import RawSample

WAITS_FOR = 0.6
"""A reading waits so many periods for its partner. At half a period either neighbour would do; a little more, and the
choice does not flicker while the two oscillators drift past each other."""
USUAL_PERIOD_S = 1 / 80
"""Until the periods are known."""
LINK_S = 0.05
"""A reading may be on its way for so much longer than its partner."""


class Pairer:
    """A fold over single readings; gives samples with both, or with None for the one that is late.

    A pair's time is the mean of both. Samples come out in the order of their times, except that a reading much later
    than its neighbours may come out behind them.
    """

    def __init__(self) -> None:
        self._paces = (Pace(), Pace())
        self._waiting: RawSample | None = None
        self._since: float | None = None

    def add(self, t: float, low: int | None, high: int | None) -> list[RawSample]:
        """Takes what was read at time `t`, from one cell or from both."""
        for pace, counts in zip(self._paces, (low, high), strict=True):
            if counts is not None:
                pace.came(t)
        if low is None and high is None:
            return []
        new, old = RawSample(t, low, high), self._waiting
        self._since = None
        if old is None:
            if low is None or high is None:
                self._waiting = new
                return []
            return [new]
        together = (old.low is None) == (high is None) == (low is not None)
        if together and abs(t - old.t) <= self._window_s:
            self._waiting = None
            return [RawSample((t + old.t) / 2, *((low, old.high) if old.low is None else (old.low, high)))]
        if t < old.t:
            return [new]
        if low is not None and high is not None:
            self._waiting = None
            return [old, new]
        self._waiting = new
        return [old]

    def tick(self, now: float) -> list[RawSample]:
        """What has waited too long by `now`, counted from the first such call after it came."""
        old = self._waiting
        if old is None or self._since is None:
            self._since = now
            return []
        if now - self._since <= self._window_s + LINK_S:
            return []
        self._waiting = None
        return [old]

    @property
    def _window_s(self) -> float:
        periods = [pace.period_s for pace in self._paces if pace.period_s is not None]
        return WAITS_FOR * (max(periods) if periods else USUAL_PERIOD_S)
