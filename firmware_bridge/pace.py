"""When a load cell amplifier's conversions come: one that stays away for long has reset itself."""

from collections import deque

REMEMBERED = 9
LEARNED_FROM = 3
"""So many gaps between conversions tell the rate, whatever the amplifier is set to."""
LATE = 2.5
"""A conversion later than this many periods follows a reset, which costs four (50 ms at 80 a second, 400 ms at 10: data
sheet). One that was overslept costs two."""


class Pace:
    """A fold over the times (s) at which one amplifier had a conversion ready."""

    def __init__(self) -> None:
        self._gaps: deque[float] = deque(maxlen=REMEMBERED)
        self._last: float | None = None

    @property
    def period_s(self) -> float | None:
        """The usual time from one conversion to the next, None while it is not yet known.

        It is the second shortest of the recent ones: what was dropped or overslept only makes them longer.
        """
        return sorted(self._gaps)[1] if len(self._gaps) >= LEARNED_FROM else None

    def came(self, t: float) -> bool:
        """Takes the next conversion's time; says whether the amplifier has surely worked on since the one before."""
        last, self._last = self._last, t
        if last is None:
            return False
        period = self.period_s
        self._gaps.append(t - last)
        return period is not None and t - last <= LATE * period

    def interrupt(self) -> None:
        """The next conversion does not follow from the one before."""
        self._last = None
