"""From raw counts to grams that can be trusted: what is no reading is left out, never replaced by a guess."""

from collections import deque
from typing import NamedTuple

from firmware_bridge.cell_health import BELOW_ZERO_G, CellHealth
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
JUMP_G = 15.0
JUMP_SHARE = 0.05
"""A reading that jumps by more from one sample to the next while the other cell stays, within this share of it, is
more likely a loose wire than a force exactly above the pinnacle; often enough and it is a fault."""
BACK_SHARE = 0.2
"""It is back from such a jump when it is within this share of it."""
CARRIES_G = 8.0
"""A cell that carries less stays whatever happens: the board does not stand on it."""
CURVATURE_RANK = 4
"""The usual curvature is the fourth largest: one spike spoils three of them, and rocking shows after four samples."""


class Loads(NamedTuple):
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

    def shift_zero(self, low_g: float, high_g: float) -> None:
        """From now on takes so much off the readings: how far each cell's zero has moved since it was calibrated."""
        self._low.zero_g, self._high.zero_g = low_g, high_g

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the cells now, such as `low saturated`; empty when all is well."""
        return self._low.health.faults + self._high.health.faults

    @property
    def weaknesses(self) -> tuple[str, ...]:
        """What spoils single readings only, more often than in a good cell, such as `low spikes`: no cell is blind."""
        return self._low.health.weaknesses + self._high.health.weaknesses

    @property
    def notices(self) -> tuple[str, ...]:
        """The same from the very first one on: what has just been left out, for whoever sets a table up."""
        return self._low.health.notices + self._high.health.notices

    @property
    def left_out(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """How many spikes there were so far, and how many dropouts, of the low cell and of the high one."""
        low, high = self._low.health, self._high.health
        return (low.spikes, low.dropouts), (high.spikes, high.dropouts)

    def feed(self, sample: RawSample) -> Loads | None:
        """Takes the next sample and gives the one before it; None for the first, and for one that goes back in time."""
        t = self._waiting_t
        if t is not None and sample.t <= t:
            return None
        self._waiting_t = sample.t
        low, high = self._low, self._high
        low.look(sample.low)
        high.look(sample.high)
        low_jump, high_jump = low.jump, high.jump
        low_alone = low_jump > JUMP_G and high.is_still_beside(low_jump)
        high_alone = high_jump > JUMP_G and low.is_still_beside(high_jump)
        low_stirs, high_stirs = low.stirs_with(high), high.stirs_with(low)
        low_value = low.take(sample.t, sample.low, high_stirs, low_alone)
        high_value = high.take(sample.t, sample.high, low_stirs, high_alone)
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
        self._believed: float | None = None
        self.zero_g = 0.0
        self.health = CellHealth(name)

    def look(self, counts: int | None) -> None:
        """Looks at the waiting value in the light of the next sample."""
        self._next = None
        if counts is not None and COUNTS_MIN < counts < COUNTS_MAX:
            grams = (counts - self._offset) * self._grams_per_count - self.zero_g
            if -PLAUSIBLE_G < grams < PLAUSIBLE_G:
                self._next = grams
        if self.waiting is not None:
            self._spikes.look(self.waiting, self._next)

    def stirs_with(self, other: "_CellConditioner") -> bool:
        """Whether this cell, too, does something unusual now, as it must when something real moves the other."""
        mine, others = self._spikes, other._spikes
        return (
            mine.curvature > SPIKE_FLOOR_G
            and self.waiting is not None
            and self._next is not None
            and mine.curvature > mine.limit
            and mine.curvature > SHARED * others.curvature
        )

    @property
    def jump(self) -> float:
        """By how much the waiting value differs from the last that was believed; 0 where one of them is missing."""
        return 0.0 if self.waiting is None or self._believed is None else abs(self.waiting - self._believed)

    @property
    def _is_back(self) -> bool:
        """Whether the next value is where the one before the waiting one was: the amplifier's filter, four samples
        long, makes no such thing of any force, however much the readings have jumped of late."""
        if self._next is None or self._believed is None:
            return False
        return abs(self._next - self._believed) < BACK_SHARE * self.jump

    def is_still_beside(self, jump: float) -> bool:
        """Whether this cell carries the board and has been still of late, beside such a jump of the other."""
        share = JUMP_SHARE * jump
        return (
            self._believed is not None
            and self._believed > CARRIES_G
            and self.jump < share
            and self._spikes.usual_curvature < share
            and (self.waiting is None or self._next is None or abs(self._next - self.waiting) < share)
        )

    def take(self, t: float, counts: int | None, borne_out: bool, alone: bool) -> float | None:
        """Gives the waiting value, or None if it is not to be believed, and lets the next sample wait.

        `borne_out`: the other cell stirs as well; `alone`: this one has jumped and the other has not.
        """
        back = alone and self._is_back
        value, self.waiting = self.waiting, self._next
        good = True
        if value is not None:
            good = not back and (borne_out or not self._spikes.spike)
            if good:
                self._believed = value
            self._spikes.move_on(value, self._next, good)
        self.health.note(t, counts, self._next, not good, alone)
        if value is None or not good or value < BELOW_ZERO_G or self.health.faults:
            return None
        return value


class _SpikeFilter:
    """Tells a value that stands out of both its neighbours from one that belongs to a motion."""

    def __init__(self) -> None:
        self._before: float | None = None
        self._curvatures: deque[float] = deque([0.0], maxlen=CURVATURE_SAMPLES)
        self._usual: float | None = None
        self.curvature = 0.0
        self.spike = False

    @property
    def usual_curvature(self) -> float:
        """How much values have stood out of late."""
        if self._usual is None:
            ranked = sorted(self._curvatures)
            self._usual = ranked[-min(CURVATURE_RANK, len(ranked))]
        return self._usual

    @property
    def limit(self) -> float:
        """How far a value may stand out."""
        return SPIKE_FLOOR_G + SPIKE_RATIO * self.usual_curvature

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
            self._usual = None
