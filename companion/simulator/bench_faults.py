"""Breaks simulated samples on purpose, to see whether a fault is noticed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from companion.errors import BadInput
from firmware_bridge.faults import CELLS, CellFault, PairFault
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, LoadCells, RawSample

LOST_SHARE = 0.2
NOISY_COUNTS = 400.0
COLD_COUNTS_PER_S = 12.0
STUCK_AT = 123_456
SPIKE_SHARE = 0.06
DROPOUT_EVERY_S, DROPOUT_S = 2.0, 0.45
"""An amplifier with a bad supply: it resets itself every so often, and is away for so long."""

Spoil = Callable[[float, int, float, np.random.Generator], int | None]
"""From time (s), counts, and the cell's counts without a load, to what comes instead; None for nothing."""


def _erratic(_t: float, counts: int, _zero: float, rng: np.random.Generator) -> int:
    return int(rng.integers(COUNTS_MIN, COUNTS_MAX)) if rng.random() < 0.5 else counts


def _spiky(_t: float, counts: int, _zero: float, rng: np.random.Generator) -> int:
    return counts + round(rng.normal() * 200_000) if rng.random() < SPIKE_SHARE else counts


def _of_cell(name: str) -> Mapping[str, Spoil]:
    faults: dict[str, Spoil] = {
        CellFault.NO_DATA: lambda *_: None,
        CellFault.TOO_FEW: lambda _t, counts, _zero, rng: None if rng.random() < 0.8 else counts,
        CellFault.SATURATED: lambda *_: COUNTS_MAX,
        CellFault.STUCK: lambda *_: STUCK_AT,
        CellFault.ERRATIC: _erratic,
        CellFault.REVERSED: lambda _t, counts, zero, _rng: round(2 * zero - counts),
        CellFault.BELOW_ZERO: lambda _t, counts, zero, _rng: round(zero + (counts - zero) * 0.02 - 20_000),
        CellFault.DRIFT: lambda t, counts, _zero, _rng: counts + round(COLD_COUNTS_PER_S * t),
        CellFault.SPIKES: _spiky,
        CellFault.DROPOUTS: lambda t, counts, _zero, _rng: None if t % DROPOUT_EVERY_S < DROPOUT_S else counts,
        "noisy": lambda _t, counts, _zero, rng: counts + round(NOISY_COUNTS * rng.normal()),
        "losing samples": lambda _t, counts, _zero, rng: None if rng.random() < LOST_SHARE else counts,
    }
    return {f"{name} {fault}": spoil for fault, spoil in faults.items()}


_CELL_FAULTS: Mapping[str, Spoil] = MappingProxyType({**_of_cell(CELLS[0]), **_of_cell(CELLS[1])})
FAULT_NAMES = (*_CELL_FAULTS, str(PairFault.CLOCKS), str(PairFault.RATE))


def with_fault(samples: Iterable[RawSample], fault: str, cells: LoadCells, seed: int = 0) -> Iterator[RawSample]:
    """The samples, with one fault of `FAULT_NAMES` from the start. Raises BadInput on any other name."""
    if fault not in FAULT_NAMES:
        raise BadInput(f"fault {fault!r} is not one of {', '.join(FAULT_NAMES)}")
    if fault == PairFault.RATE:
        return (sample for i, sample in enumerate(samples) if i % 8 == 0)
    if fault == PairFault.CLOCKS:
        return (replace(sample, high=sample.high if i % 3 else None) for i, sample in enumerate(samples))
    rng = np.random.default_rng([seed, 11])
    spoil = _CELL_FAULTS[fault]
    low = fault.startswith(CELLS[0])
    zero = (cells.low if low else cells.high).offset_counts

    def spoilt(sample: RawSample) -> RawSample:
        counts = sample.low if low else sample.high
        new = None if counts is None else spoil(sample.t, counts, zero, rng)
        return replace(sample, low=new) if low else replace(sample, high=new)

    return map(spoilt, samples)
