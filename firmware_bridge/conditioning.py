"""From raw counts to grams that can be trusted: what is no reading is left out, never replaced by a guess."""

from collections import deque
from dataclasses import dataclass

from firmware_bridge.cell_health import CellHealth
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, CellCalibration, LoadCells, RawSample

PLAUSIBLE_G = 12_000.0
"""No load beyond this is a reading: the cells are made for 1 to 5 kg and break at about twice that."""
SPIKE_RATIO = 2.5
"""A sample is a lone spike when it stands above (or below) both neighbours by this many times the usual curvature.

A steady sine, which is what rocking looks like, reaches 1."""
SPIKE_FLOOR_G = 2.0
"""Never call less than this a spike: noise is ten times smaller, and it hardly moves an average."""
CURVATURE_SAMPLES = 15
"""Over how many samples the usual curvature is taken (0.2 s at 80 a second, longer than a period of rocking)."""
SHARED = 0.1
"""A spike is one cell's own; whatever presses on the board moves both, the one at least by this share of the other."""
CURVATURE_RANK = 4
"""The usual curvature is the fourth largest: one spike spoils three of them, and rocking shows after four samples."""


@dataclass(frozen=True, slots=True)
class Loads:
    """One conditioned sample: grams on each cell, None where there is no trustworthy reading."""

    t: float
    low: float | None
    high: float | None


class Conditioner:
    """A fold over the raw samples. Each comes out one sample later, when it is known whether it was a lone spike.

    A missing or rejected value comes out as None, and so does every value of a cell at fault. `faults` names what is
    wrong right now. A spike that hides in the rocking of its cell still shows in the sum of both, which hardly rocks:
    then it is not known which of the two is wrong, and neither is believed.
    """

    def __init__(self, cells: LoadCells) -> None:
        self._low = _CellConditioner("low", cells.low)
        self._high = _CellConditioner("high", cells.high)
        self._total = _SpikeFilter()
        self._waiting_t: float | None = None

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the cells now, such as `low saturated`; empty when all is well."""
        return self._low.health.faults + self._high.health.faults

    def feed(self, sample: RawSample) -> Loads | None:
        """Takes the next sample and gives the one before it; None for the first, and for one that goes back in time."""
        t = self._waiting_t
        if t is not None and sample.t <= t:
            return None
        self._waiting_t = sample.t
        low, high = self._low, self._high
        low.look(sample.low)
        high.look(sample.high)
        low_value = low.take(sample.t, sample.low, borne_out=high.stirs_with(low))
        high_value = high.take(sample.t, sample.high, borne_out=low.stirs_with(high))
        if t is None:
            return None
        if low_value is None or high_value is None:
            return Loads(t, low_value, high_value)
        after = None if low.waiting is None or high.waiting is None else low.waiting + high.waiting
        total = low_value + high_value
        self._total.look(total, after)
        good = not self._total.spike
        self._total.move_on(total, after, good)
        return Loads(t, low_value, high_value) if good else Loads(t, None, None)


class _CellConditioner:
    """One cell: counts to grams, impossible codes and lone spikes out."""

    def __init__(self, name: str, calibration: CellCalibration) -> None:
        self._offset = calibration.offset_counts
        self._grams_per_count = 1 / calibration.counts_per_gram
        self._spikes = _SpikeFilter()
        self._next: float | None = None
        self.waiting: float | None = None
        self.health = CellHealth(name)

    def look(self, counts: int | None) -> None:
        """Looks at the waiting value in the light of the next sample."""
        self._next = None
        if counts is not None and COUNTS_MIN < counts < COUNTS_MAX:
            grams = (counts - self._offset) * self._grams_per_count
            if -PLAUSIBLE_G < grams < PLAUSIBLE_G:
                self._next = grams
        if self.waiting is not None:
            self._spikes.look(self.waiting, self._next)

    def stirs_with(self, other: "_CellConditioner") -> bool:
        """Whether this cell, too, does something unusual now, as it must when something real moves the other."""
        mine, others = self._spikes, other._spikes
        return (
            self.waiting is not None
            and self._next is not None
            and mine.curvature > mine.limit
            and mine.curvature > SHARED * others.curvature
        )

    def take(self, t: float, counts: int | None, borne_out: bool) -> float | None:
        """Gives the waiting value, or None if it is not to be believed, and lets the next sample wait."""
        value, self.waiting = self.waiting, self._next
        good = True
        if value is not None:
            good = borne_out or not self._spikes.spike
            self._spikes.move_on(value, self._next, good)
        self.health.note(t, counts, self._next, not good)
        return value if good and not self.health.faults else None


class _SpikeFilter:
    """Tells a value that stands out of both its neighbours from one that belongs to a motion."""

    def __init__(self) -> None:
        self._before: float | None = None
        self._curvatures: deque[float] = deque([0.0], maxlen=CURVATURE_SAMPLES)
        self._limit: float | None = None
        self.curvature = 0.0
        self.spike = False

    @property
    def limit(self) -> float:
        """How far a value may stand out."""
        if self._limit is None:
            ranked = sorted(self._curvatures)
            self._limit = SPIKE_FLOOR_G + SPIKE_RATIO * ranked[-min(CURVATURE_RANK, len(ranked))]
        return self._limit

    def look(self, value: float, after: float | None) -> None:
        """Sets `curvature` and `spike` for a value, given the one after it (None where it is missing)."""
        self.curvature, self.spike = 0.0, False
        if self._before is None:
            return
        up = value - self._before
        if after is None:  # nothing after it to bear it out: believe it only if it does not jump
            self.spike = abs(up) > 2 * SPIKE_FLOOR_G and abs(up) > 2 * self.limit
            return
        down = value - after
        self.curvature = abs(up + down) / 2
        if up * down > 0:
            out = min(abs(up), abs(down))
            self.spike = out > SPIKE_FLOOR_G and out > self.limit

    def move_on(self, value: float, after: float | None, good: bool) -> None:
        """Goes on to the next value; `good` says whether this one was believed."""
        if good:
            self._before = value
        elif after is None:
            self._before = None  # neither side is known any more: start afresh
        if after is not None:  # of a spike too: what looks like many spikes is a real shake
            self._curvatures.append(self.curvature)
            self._limit = None
