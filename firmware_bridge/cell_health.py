"""Named faults of one load cell and its amplifier, as states: each begins with its cause and ends with it."""

from collections import deque
from enum import StrEnum

from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN


class CellFault(StrEnum):
    """What can be wrong with a cell, in the words used in `LoadState.faults` after the cell's name (`low stuck`)."""

    NO_DATA = "no data"
    SATURATED = "saturated"
    STUCK = "stuck"
    ERRATIC = "erratic"
    BELOW_ZERO = "below zero"


SILENCE_S = 1.0
"""Missing this long is a fault. A chip that resets itself is back after 0.4 s, and a few lost samples are normal."""
SATURATED_S = 0.25
"""At an end of the scale this long is a fault; a lone code is a corrupt sample."""
STUCK_S = 0.4
STUCK_SAMPLES = 8
"""The same count for so long and so often is no measurement: the amplifier's own noise is several counts."""
RECENT_SAMPLES = 40
ERRATIC_SHARE = 0.25
"""Real bit-banged readers lose or garble up to 5% of samples, prototypes under load more; at this share of the recent
ones nothing that is left can be trusted. A floating data line gives far more."""
BELOW_ZERO_G = -25.0
BELOW_ZERO_S = 2.0
"""A pinnacle cannot pull its cell up: such a reading for so long is a wrong zero (drift is a few grams an hour)."""


class CellHealth:
    """A fold over one cell's samples; `faults` holds what is wrong right now as `"<cell> <fault>"`."""

    def __init__(self, cell: str) -> None:
        self._names = {fault: f"{cell} {fault}" for fault in CellFault}
        self.faults: tuple[str, ...] = ()
        self._first_t: float | None = None
        self._seen_t: float | None = None
        self._off_scale_since: float | None = None
        self._last_counts: int | None = None
        self._same_since = 0.0
        self._same_times = 0
        self._below_since: float | None = None
        self._bad: deque[bool] = deque(maxlen=RECENT_SAMPLES)
        self._bad_count = 0

    def note(self, t: float, counts: int | None, grams: float | None, spike: bool) -> None:
        """Takes a sample: counts, grams (None when impossible), and whether the one before was a spike."""
        if self._first_t is None:
            self._first_t = self._same_since = t
        off_scale = counts is not None and (counts >= COUNTS_MAX or counts <= COUNTS_MIN)
        in_a_run = off_scale and self._off_scale_since is not None
        self._off_scale_since = (self._off_scale_since or t) if off_scale else None
        if counts is not None:
            self._seen_t = t
            if counts == self._last_counts:
                self._same_times += 1
            else:
                self._last_counts, self._same_since, self._same_times = counts, t, 0
            self._note_bad((grams is None or spike) and not in_a_run)
        if grams is not None:
            self._below_since = (self._below_since or t) if grams < BELOW_ZERO_G else None
        self._judge(t)

    def _note_bad(self, bad: bool) -> None:
        if len(self._bad) == RECENT_SAMPLES:
            self._bad_count -= self._bad[0]
        self._bad.append(bad)
        self._bad_count += bad

    def _judge(self, t: float) -> None:
        since = self._seen_t if self._seen_t is not None else self._first_t
        if since is not None and t - since > SILENCE_S:
            self._set(CellFault.NO_DATA)
        elif self._off_scale_since is not None and t - self._off_scale_since >= SATURATED_S:
            self._set(CellFault.SATURATED)
        elif self._same_times >= STUCK_SAMPLES and t - self._same_since >= STUCK_S:
            self._set(CellFault.STUCK)
        elif self._bad_count > ERRATIC_SHARE * RECENT_SAMPLES:
            self._set(CellFault.ERRATIC)
        elif self._below_since is not None and t - self._below_since >= BELOW_ZERO_S:
            self._set(CellFault.BELOW_ZERO)
        elif self.faults:
            self.faults = ()

    def _set(self, fault: CellFault) -> None:
        name = self._names[fault]
        if not self.faults or self.faults[0] != name:
            self.faults = (name,)
