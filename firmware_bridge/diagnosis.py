"""How two load cells are doing, from some seconds of their samples with nobody touching the board."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from firmware_bridge.calibration_levels import NOISE_LIMIT_COUNTS, Block, Blocks, drift_per_min, undisturbed
from firmware_bridge.conditioning import Conditioner
from firmware_bridge.drops import POOR_SHARE
from firmware_bridge.events import LoadState
from firmware_bridge.faults import CELLS, PairFault, explanation
from firmware_bridge.samples import CellCalibration, LoadCells, RawSample
from firmware_bridge.tracker import LoadTracker

KEPT_BLOCKS = 600
WARM_COUNTS_PER_MIN = 300.0
"""What drifts by more is not warm yet: 0.7 g a minute with 5 kg cells. Within ten seconds a warm cell seems to drift by
up to a third of it."""
LASTING_SHARE = 0.1
"""A fault is told if it is there at the end, or was for so much of the time."""
STEADY_SHARE = 0.5
"""Amplifiers with different rates stay so: "clocks apart" must be there for so much of the time. Within some tenths of
a second a cell that only loses samples looks alike."""
BLOCKS_FOR_DRIFT = 4


@dataclass(frozen=True, slots=True)
class CellReport:
    """One cell. Shares are 0 to 1; grams as calibrated, None without a reading; `faults` are (what, remedy) pairs.

    `drift_g` is how far it has moved since the first sample, `warm` whether it drifts slowly enough; both None where it
    was touched or too short.
    """

    name: str
    rate_hz: float
    load_g: float | None
    noise_g: float | None
    dropped_share: float
    saturated_share: float
    drift_g: float | None
    warm: bool | None
    faults: tuple[tuple[str, str], ...]
    spikes: int = 0
    """Readings left out because they could not be; a good cell has 2 or 3 in 1000."""
    dropouts: int = 0

    def __str__(self) -> str:
        load = "no load reading" if self.load_g is None else f"{self.load_g:.1f} g"
        parts = [f"{load}, {self.rate_hz:.0f} samples a second, {100 * self.dropped_share:.1f}% dropped"]
        if self.noise_g is not None:
            parts.append(f"noise {self.noise_g:.2f} g")
        if self.saturated_share:
            parts.append(f"{100 * self.saturated_share:.1f}% saturated")
        for number, what in ((self.spikes, "spike"), (self.dropouts, "dropout")):
            if number:
                parts.append(f"{number} {what}{'' if number == 1 else 's'}")
        if self.drift_g is not None:
            parts.append(f"drift {self.drift_g:+.2f} g since the start, {'warm' if self.warm else 'not warm'}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Both cells, and what is wrong with them together as (what, remedy) pairs."""

    seconds: float
    low: CellReport
    high: CellReport
    pair_faults: tuple[tuple[str, str], ...]

    @property
    def load_g(self) -> float | None:
        return None if self.low.load_g is None or self.high.load_g is None else self.low.load_g + self.high.load_g


def diagnose(samples: Iterable[RawSample], cells: LoadCells) -> Diagnosis:
    """Looks at some seconds of samples, ten or more; without any both cells have given nothing."""
    tracker, blocks, conditioner = LoadTracker(cells), Blocks(KEPT_BLOCKS), Conditioner(cells)
    taken: list[RawSample] = []
    lasted: dict[str, int] = {}
    spoilt: set[str] = set()
    states = 0
    for sample in samples:
        taken.append(sample)
        blocks = blocks.take(sample)
        conditioner.feed(sample)
        spoilt.update(conditioner.weaknesses)
        for item in tracker.feed(sample):
            if isinstance(item, LoadState):
                states += 1
                for fault in item.faults:
                    lasted[fault] = lasted.get(fault, 0) + 1
    seconds = taken[-1].t - taken[0].t if taken else 0.0
    names = [name for name in lasted if _lasts(name, lasted[name] / states, name in tracker.faults)]
    at_fault = tuple(name.split()[0] for name in names)
    names += sorted(name for name in spoilt.difference(names) if not name.startswith(at_fault))
    reports = [
        replace(
            _report(name, [s.low if i == 0 else s.high for s in taken], seconds, blocks.done, cells, names),
            spikes=conditioner.left_out[i][0],
            dropouts=conditioner.left_out[i][1],
        )
        for i, name in enumerate(CELLS)
    ]
    pair = tuple(_explained(n) for n in names if not n.startswith(CELLS))
    return Diagnosis(seconds, reports[0], reports[1], pair)


def _lasts(fault: str, share: float, at_the_end: bool) -> bool:
    if fault == PairFault.CLOCKS:
        return share >= STEADY_SHARE
    return at_the_end or share >= LASTING_SHARE


def _report(
    name: str,
    counts: Sequence[int | None],
    seconds: float,
    blocks: Sequence[Block],
    cells: LoadCells,
    faults: Sequence[str],
) -> CellReport:
    low = name == CELLS[0]
    cell = cells.low if low else cells.high
    of_cell = [block.low if low else block.high for block in blocks]
    there = [c for c in counts if c is not None]
    due = max(1.0, seconds * cells.sample_rate_hz)
    means = [b.mean for b in of_cell if b.mean is not None]
    noise = median(b.noise for b in of_cell if b.mean is not None) if means else None
    dropped = max(0.0, 1 - len(there) / due)
    found = [_explained(fault) for fault in faults if fault.startswith(name)]
    drift_g, warm = _drift(blocks, low, cell)
    if not found:
        # at another rate than expected nothing can be said about lost samples
        found = _weaknesses(noise, 0.0 if PairFault.RATE in faults or PairFault.CLOCKS in faults else dropped, warm)
    return CellReport(
        name,
        len(there) / seconds if seconds else 0.0,
        cell.grams(round(means[-1])) if means else None,
        None if noise is None else noise / abs(cell.counts_per_gram),
        dropped,
        sum(b.saturated_share for b in of_cell) / len(of_cell) if of_cell else 0.0,
        drift_g,
        warm,
        tuple(found) if there else (_explained(f"{name} no data"),),
    )


def _drift(blocks: Sequence[Block], low: bool, cell: CellCalibration) -> tuple[float | None, bool | None]:
    quiet = undisturbed(tuple(blocks))
    means = [(b.low if low else b.high).mean for b in quiet]
    first, last = (means[0], means[-1]) if means else (None, None)
    if len(quiet) < BLOCKS_FOR_DRIFT or None in means or first is None or last is None:
        return None, None
    one_sided = tuple(Block(b.t, b.low, b.low) if low else Block(b.t, b.high, b.high) for b in quiet)
    return (last - first) / cell.counts_per_gram, abs(drift_per_min(one_sided)[0]) <= WARM_COUNTS_PER_MIN


def _weaknesses(noise: float | None, dropped: float, warm: bool | None) -> list[tuple[str, str]]:
    """What is no fault yet, but will spoil readings."""
    found = []
    if noise is not None and noise > NOISE_LIMIT_COUNTS:
        found.append(
            (
                f"noisy ({noise:.0f} counts, {NOISE_LIMIT_COUNTS:.0f} are too many)",
                "Keep hands and cables off the board; shorten the cell's wires and keep them from mains and motors.",
            )
        )
    if dropped > POOR_SHARE:
        found.append(
            (
                f"{100 * dropped:.0f}% of its samples are lost ({100 * POOR_SHARE:.0f}% are too many)",
                "Shorten the data and clock wire; on GPIO pins ease the computer's load or take a Pico; with one try "
                "another USB cable.",
            )
        )
    if warm is False:
        found.append(("it still drifts", "Let the cells warm up for 5 minutes, out of draughts, sun and heaters."))
    return found


def _explained(fault: str) -> tuple[str, str]:
    why = explanation(fault)
    for cell in CELLS:
        fault = fault.removeprefix(f"{cell} ")
    return f"{fault}: {why.seen}", why.remedy
