"""Faults of the load cells that begin and end while a simulated table is played at."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from companion.errors import BadInput
from companion.simulator.bench_faults import with_fault
from firmware_bridge.faults import CellFault, PairFault
from firmware_bridge.samples import LoadCells, RawSample
from vision.frames import Frame

DRIFT_G_PER_S = 2.0
"""A cell whose glue is coming off: far faster than any warm-up."""
SWAPPED, DRIFTING = str(PairFault.SWAPPED), f"low {CellFault.DRIFT}"
LIVE_FAULTS = (
    f"low {CellFault.NO_DATA}",
    f"high {CellFault.NO_DATA}",
    f"high {CellFault.SATURATED}",
    f"low {CellFault.STUCK}",
    f"high {CellFault.TOO_FEW}",
    f"low {CellFault.BELOW_ZERO}",
    f"low {CellFault.ERRATIC}",
    f"high {CellFault.REVERSED}",
    f"low {CellFault.SPIKES}",
    f"high {CellFault.DROPOUTS}",
    str(PairFault.CLOCKS),
    SWAPPED,
    DRIFTING,
)
"""What can be set, by the name under which the load cells' reader should report it."""


class LiveFaults:
    """Spoils a table's stream while a fault is set. `set` may be called from any thread."""

    def __init__(self, cells: LoadCells) -> None:
        self._cells = cells
        self._name: str | None = None
        self._since = 0.0
        self._waiting: deque[RawSample] = deque()
        self._spoilt: Iterator[RawSample] = iter(())

    def set(self, name: str | None) -> None:
        """Begins a fault, or ends it with None. Raises BadInput for an unknown name."""
        if name is not None and name not in LIVE_FAULTS:
            raise BadInput(f"{name!r} is no fault that can be set; known are {', '.join(LIVE_FAULTS)}")
        self._name = None
        if name is not None and name not in (SWAPPED, DRIFTING):
            self._spoilt = with_fault(iter(self._waiting.popleft, None), name, self._cells)
        self._since = float("inf")
        self._name = name

    def spoil(self, items: Iterable[RawSample | Frame]) -> Iterator[RawSample | Frame]:
        """The stream with the fault done to its samples; pictures pass as they are."""
        for item in items:
            name = self._name
            yield item if name is None or isinstance(item, Frame) else self._spoil(name, item)

    def _spoil(self, name: str, sample: RawSample) -> RawSample:
        self._since = min(self._since, sample.t)
        if name == SWAPPED:
            return self._swapped(sample)
        if name == DRIFTING:
            drift_g = DRIFT_G_PER_S * (sample.t - self._since)
            low = sample.low
            return replace(sample, low=None if low is None else low + round(drift_g * self._cells.low.counts_per_gram))
        self._waiting.append(sample)
        return next(self._spoilt)

    def _swapped(self, sample: RawSample) -> RawSample:
        """The cells' plugs are exchanged; each amplifier keeps the settings of its own cell."""
        low, high = self._cells.low, self._cells.high
        return RawSample(
            sample.t,
            None if sample.high is None else low.counts(high.grams(sample.high)),
            None if sample.low is None else high.counts(low.grams(sample.low)),
        )
