"""What the cells felt of a touch: how far each load rose and fell around a moment."""

from collections import deque
from dataclasses import dataclass, field

from companion.balance import Felt
from firmware_bridge.conditioning import PLAUSIBLE_G
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, CellCalibration, LoadCells, RawSample

_Sample = tuple[float, float, float]
"""Time (s), low and high load (g)."""

KEPT_S = 20.0
"""A turn seldom takes longer from its first touch to the ruling on it (s)."""
BEFORE_S, AFTER_S = 0.15, 0.6
"""A touch shows so long before and after its contact (s); what follows is rocking, which only dies away."""
SPIKE_G = 4.0
"""A reading that stands out of both its neighbours by more is a spike, unless the other cell stands out as well."""
SHARED = 0.15
"""So much of it at least: rocking moves both cells alike, and a force both by its lever, which is seldom right above
one of them. An amplifier's wild reading is one cell's own."""


@dataclass(slots=True)
class Extremes:
    """Keeps the samples of late in grams."""

    cells: LoadCells
    _samples: deque[_Sample] = field(default_factory=deque)

    def note(self, sample: RawSample) -> None:
        """Takes every sample in order of time."""
        low, high = (_grams(c, cell) for c, cell in ((sample.low, self.cells.low), (sample.high, self.cells.high)))
        if low is None or high is None:
            return
        kept, now = self._samples, (sample.t, low, high)
        if len(kept) >= 2 and _is_spike(kept[-2], kept[-1], now):
            kept.pop()
        kept.append(now)
        while kept[0][0] < sample.t - KEPT_S:
            kept.popleft()

    def felt(self, contact: float, until: float, tipped: bool = False) -> Felt | None:
        """Extremes around the moment of contact, not beyond `until`; None where too little was sampled."""
        during = self._during(contact, until)
        if len(during) < 2:
            return None
        lows, highs = zip(*during, strict=True)
        return Felt(max(lows), max(highs), min(lows), min(highs), tipped)

    def least_share(self, contact: float, until: float) -> float | None:
        """The least part of the weight that one of the two cells carried meanwhile; None where nothing was sampled."""
        return min((min(low, high) / (low + high) for low, high in self._during(contact, until)), default=None)

    def _during(self, contact: float, until: float) -> list[tuple[float, float]]:
        end = min(contact + AFTER_S, until)
        samples = [(low, high) for t, low, high in self._samples if contact - BEFORE_S <= t <= end]
        return [(low, high) for low, high in samples if low + high > 0]


def _grams(counts: int | None, cell: CellCalibration) -> float | None:
    """A reading in grams; None where it is none: missed, saturated, or more than any such cell bears."""
    if counts is None or not COUNTS_MIN < counts < COUNTS_MAX:
        return None
    grams = cell.grams(counts)
    return grams if abs(grams) < PLAUSIBLE_G else None


def _is_spike(before: _Sample, now: _Sample, after: _Sample) -> bool:
    """Whether one cell's reading stands out of both its neighbours, and the other cell's hardly bends meanwhile."""
    bends = [now[n] - (before[n] + after[n]) / 2 for n in (1, 2)]
    out = [min(now[n] - before[n], now[n] - after[n], key=abs) for n in (1, 2)]
    peaks = [(now[n] - before[n]) * (now[n] - after[n]) > 0 for n in (1, 2)]
    return any(peaks[n] and abs(out[n]) > SPIKE_G and abs(bends[1 - n]) < SHARED * abs(bends[n]) for n in (0, 1))
