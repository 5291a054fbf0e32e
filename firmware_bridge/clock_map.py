"""From a microcontroller's clock to ours, by when its lines arrive."""

WARM_UP = 8
"""So many lines are only used to find the difference: the first ones may have waited in a buffer."""
DRIFT = 200e-6
"""The clocks run apart by less than this share of the time (crystals: 50 parts in a million each)."""
STEP_S = 0.0005
"""The difference is never shortened by more than this at once, so that the times of samples do not jump ..."""
WRONG_S = 0.02
"""... unless a line arrives this much before it was sent: then the difference is plainly wrong."""
STALLED_S = 0.5
ASTRAY_S = 5.0
"""Every line late by half a second for so long: that is no stall, the clock has been set anew."""


class ClockMap:
    """Follows the smallest difference between arrival and sending, since a line is never early but often late."""

    def __init__(self) -> None:
        self._restart()

    def _restart(self) -> None:
        self._offset = float("inf")
        self._lines = 0
        self._last_t = 0.0
        self._late_since: float | None = None

    def map(self, t: float, arrival: float) -> float | None:
        """Our time (s) of something that carries their time `t` and arrived at our `arrival`; None while warming up."""
        self._lines += 1
        if self._lines <= WARM_UP:
            self._offset = min(self._offset, arrival - t)
            self._last_t = t
            return None
        late = arrival - t - self._offset
        if late < -WRONG_S:
            self._offset += late
        else:
            self._offset += max(-STEP_S, min(late, DRIFT * max(0.0, t - self._last_t)))
        self._last_t = t
        if late < STALLED_S:
            self._late_since = None
        elif self._late_since is None:
            self._late_since = arrival
        elif arrival - self._late_since > ASTRAY_S:
            self._restart()
            return None
        return min(t + self._offset, arrival)
