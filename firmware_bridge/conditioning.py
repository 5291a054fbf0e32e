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
    wrong right now.
    """

    def __init__(self, cells: LoadCells) -> None:
        self._low = _CellConditioner("low", cells.low)
        self._high = _CellConditioner("high", cells.high)
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
        low = self._low.feed(sample.t, sample.low)
        high = self._high.feed(sample.t, sample.high)
        self._waiting_t = sample.t
        return None if t is None else Loads(t, low, high)


class _CellConditioner:
    """One cell: counts to grams, impossible codes and lone spikes out."""

    def __init__(self, name: str, calibration: CellCalibration) -> None:
        self._offset = calibration.offset_counts
        self._grams_per_count = 1 / calibration.counts_per_gram
        self._before: float | None = None
        self._waiting: float | None = None
        self._curvatures: deque[float] = deque([0.0], maxlen=CURVATURE_SAMPLES)
        self.health = CellHealth(name)

    def feed(self, t: float, counts: int | None) -> float | None:
        after: float | None = None
        if counts is not None and COUNTS_MIN < counts < COUNTS_MAX:
            after = (counts - self._offset) * self._grams_per_count
            if not -PLAUSIBLE_G < after < PLAUSIBLE_G:
                after = None
        value = self._waiting
        spike = value is not None and self._is_spike(value, after)
        self.health.note(t, counts, after, spike)
        self._waiting = after
        if spike and after is None:
            self._before = None  # neither side is known any more: start afresh
        if value is None or spike:
            return None
        self._before = value
        return None if self.health.faults else value

    def _is_spike(self, value: float, after: float | None) -> bool:
        before = self._before
        if before is None:
            return False
        up = value - before
        if after is None:  # nothing after it to bear it out: believe it only if it does not jump
            return abs(up) > 2 * self._limit()
        down = value - after
        out = min(abs(up), abs(down)) if up * down > 0 else 0.0
        spike = out > SPIKE_FLOOR_G and out > self._limit()
        self._curvatures.append(abs(up + down) / 2)  # of a spike too: what looks like many spikes is a real shake
        return spike

    def _limit(self) -> float:
        ranked = sorted(self._curvatures)
        return SPIKE_FLOOR_G + SPIKE_RATIO * ranked[-min(CURVATURE_RANK, len(ranked))]
