"""The loads of the last minute, for drawing: ten points a second, as the load tracker gives them."""

from collections import deque

from firmware_bridge.events import LoadState

KEEP_S = 60.0


class LoadTrace:
    """`note` is called from the table's thread; `since` from any."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, float | None, float | None]] = deque()

    def note(self, load: LoadState | None) -> None:
        """Takes the newest load state; the same one again is no news."""
        if load is None or (self._points and self._points[-1][0] == load.t):
            return
        if self._points and load.t < self._points[-1][0]:  # the clock was set back, so it is another one
            self._points.clear()
        self._points.append((load.t, load.low_g, load.high_g))
        while self._points[0][0] < load.t - KEEP_S:
            self._points.popleft()

    def since(self, t: float) -> list[list[float | None]]:
        """`[t, low, high]` (s, g) after a time, oldest first; a load that is not known is None."""
        points = list(self._points.copy())
        return [[round(at, 2), _grams(low), _grams(high)] for at, low, high in points if round(at, 2) > t]


def _grams(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
