"""Levels for calibrating: a second of samples at a time, and the stretch in which both cells are still.

All in counts: an amplifier's noise and drift are the same in counts whatever cell is plugged into it, and grams are
what is being looked for.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import hypot, sqrt
from statistics import fmean, median, pstdev

from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, RawSample

BLOCK_S = 1.0
"""Samples are summed up over so long: several periods of the rocking (5 to 14 Hz)."""
STILL_BLOCKS = 3
"""So many blocks in a row must agree to be a level."""
STILL_COUNTS = 60.0
"""By so much their means may differ, beyond what noise does: 0.14 g of a 5 kg cell."""
NOISE_LIMIT_COUNTS = 200.0
"""The HX711's own noise is 20 to 40 counts (data sheet, gain 128); five times that comes from the wiring, or from a
board that still rocks."""
WILD = 6.0
"""A sample so many standard deviations from its block's median is left out of it."""
SD_FLOOR_COUNTS = 2.0
MISSING_SHARE = 0.5
SATURATED_SHARE = 0.2
SAMPLES_FOR_STUCK = 5
JUMP_COUNTS = 400.0
"""A mean that jumps by so much from block to block has been touched."""


@dataclass(frozen=True, slots=True)
class CellBlock:
    """One cell's samples of a block, counts; `mean` None where there is no usable one."""

    mean: float | None
    noise: float
    good: int
    missing_share: float
    saturated_share: float
    stuck: bool

    @classmethod
    def of(cls, counts: list[int | None]) -> "CellBlock":
        there = [c for c in counts if c is not None]
        inside = [c for c in there if COUNTS_MIN < c < COUNTS_MAX]
        missing = 1 - len(there) / len(counts) if counts else 1.0
        saturated = 1 - len(inside) / len(there) if there else 0.0
        if not inside:
            return cls(None, 0.0, 0, missing, saturated, False)
        middle = median(inside)
        spread = max(1.0, 1.4826 * median(abs(c - middle) for c in inside))
        kept = [c for c in inside if abs(c - middle) <= WILD * spread]
        stuck = len(inside) >= SAMPLES_FOR_STUCK and min(inside) == max(inside)
        return cls(fmean(kept), pstdev(kept), len(kept), missing, saturated, stuck)


@dataclass(frozen=True, slots=True)
class Block:
    """A second of samples of both cells; `t` is its middle (s)."""

    t: float
    low: CellBlock
    high: CellBlock

    @property
    def cells(self) -> tuple[tuple[str, CellBlock], tuple[str, CellBlock]]:
        return ("low", self.low), ("high", self.high)


@dataclass(frozen=True, slots=True)
class CellLevel:
    """Counts of one cell at rest, and one standard deviation of them."""

    counts: float
    sd: float


@dataclass(frozen=True, slots=True)
class Level:
    """Both cells at rest around the time `t` (s)."""

    t: float
    low: CellLevel
    high: CellLevel


@dataclass(frozen=True, slots=True)
class Blocks:
    """A fold over samples: the blocks so far, at most `kept` of them, and the samples of the one under way."""

    kept: int
    done: tuple[Block, ...] = ()
    count: int = 0
    pending: tuple[RawSample, ...] = ()

    def take(self, sample: RawSample) -> "Blocks":
        """Takes the next sample; one that goes back in time begins everything anew."""
        pending = self.pending
        if pending and sample.t <= pending[-1].t:
            return Blocks(self.kept, pending=(sample,))
        if not pending or sample.t < pending[0].t + BLOCK_S:
            return Blocks(self.kept, self.done, self.count, (*pending, sample))
        low = CellBlock.of([s.low for s in pending])
        high = CellBlock.of([s.high for s in pending])
        block = Block((pending[0].t + pending[-1].t) / 2, low, high)
        return Blocks(self.kept, (*self.done, block)[-self.kept :], self.count + 1, (sample,))


def still_level(blocks: tuple[Block, ...]) -> Level | None:
    """The level of the latest blocks, None while they are not still."""
    latest = blocks[-STILL_BLOCKS:]
    if len(latest) < STILL_BLOCKS:
        return None
    low, high = _level([b.low for b in latest]), _level([b.high for b in latest])
    if low is None or high is None:
        return None
    return Level(fmean(b.t for b in latest), low, high)


def _level(blocks: list[CellBlock]) -> CellLevel | None:
    means = [b.mean for b in blocks if b.mean is not None]
    noise, good = max(b.noise for b in blocks), sum(b.good for b in blocks)
    if len(means) < len(blocks) or noise > NOISE_LIMIT_COUNTS:
        return None
    if max(means) - min(means) > STILL_COUNTS + 4 * noise / sqrt(good / len(blocks)):
        return None
    return CellLevel(fmean(means), hypot(SD_FLOOR_COUNTS, noise / sqrt(good)))


def undisturbed(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The latest blocks, back to when somebody last touched the board."""
    start = 0
    for i, (before, after) in enumerate(pairwise(blocks), start=1):
        for (_, a), (_, b) in zip(before.cells, after.cells, strict=True):
            quiet = b.mean is not None and a.mean is not None and b.noise <= NOISE_LIMIT_COUNTS
            if not quiet or (a.mean is not None and b.mean is not None and abs(b.mean - a.mean) > JUMP_COUNTS):
                start = i
    return blocks[start:]


def drift_per_min(blocks: tuple[Block, ...]) -> tuple[float, float]:
    """How fast the means of both cells move, counts a minute: the slope of a straight line through them.

    Raises ValueError with fewer than two blocks, or with one that has no mean.
    """
    times = [b.t for b in blocks]
    middle = fmean(times)
    spread = sum((t - middle) ** 2 for t in times)
    if spread == 0:
        raise ValueError("drift needs two blocks at least")
    slopes = []
    for means in ([b.low.mean for b in blocks], [b.high.mean for b in blocks]):
        values = [m for m in means if m is not None]
        slopes.append(60 * sum((t - middle) * m for t, m in zip(times, values, strict=True)) / spread)
    return slopes[0], slopes[1]
