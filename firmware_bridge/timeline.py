"""Keeps samples in order, and says so when none come."""

from collections.abc import Iterable

from firmware_bridge.samples import RawSample

EVERY_S = 0.15
"""A silence is spoken of so often."""
LAG_S = 0.3
"""A sample may take so long to arrive (at 10 a second it waits for the next, and for its partner)."""


class Timeline:
    """A fold over samples and the time that passes. `late` counts samples that came after it had gone past them."""

    def __init__(self, now: float) -> None:
        self._last = now
        self.late = 0

    def take(self, samples: Iterable[RawSample]) -> list[RawSample]:
        """The samples that go on from those before."""
        kept = []
        for sample in samples:
            if sample.t > self._last:
                self._last = sample.t
                kept.append(sample)
            else:
                self.late += 1
        return kept

    def silence(self, now: float) -> list[RawSample]:
        """A sample of nothing, where nothing came for a while."""
        t = now - LAG_S
        return self.take([RawSample(t, None, None)]) if t - self._last >= EVERY_S else []
