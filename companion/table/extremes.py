"""What the cells felt of a touch: how far each load rose and fell around a moment."""

from collections import deque
from dataclasses import dataclass, field

from companion.balance import Felt
from firmware_bridge.samples import LoadCells, RawSample

KEPT_S = 20.0
"""A turn seldom takes longer from its first touch to the ruling on it (s)."""
BEFORE_S, AFTER_S = 0.15, 0.6
"""A touch shows so long before and after its contact (s); what follows is rocking, which only dies away."""
SPIKE_G = 60.0
"""A lone reading that differs so much from both its neighbours, which agree, is no load but an amplifier's spike."""
NEIGHBOURS_G = 20.0
"""Neighbours agree within this."""


@dataclass(slots=True)
class Extremes:
    """Keeps the samples of late in grams."""

    cells: LoadCells
    _samples: deque[tuple[float, float, float]] = field(default_factory=deque)

    def note(self, sample: RawSample) -> None:
        """Takes every sample in order of time."""
        if sample.low is None or sample.high is None:
            return
        now = sample.t, self.cells.low.grams(sample.low), self.cells.high.grams(sample.high)
        kept = self._samples
        if len(kept) >= 2 and any(_is_spike(kept[-2][n], kept[-1][n], now[n]) for n in (1, 2)):
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


def _is_spike(before: float, value: float, after: float) -> bool:
    return abs(before - after) < NEIGHBOURS_G and min(abs(value - before), abs(value - after)) > SPIKE_G
