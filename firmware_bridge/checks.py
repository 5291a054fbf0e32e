"""All that is checked beside the single cells: clocks, creep, and what the board should weigh."""

from firmware_bridge.clocks import Clocks
from firmware_bridge.expectation import CreepCheck, ExpectationCheck, Expected
from firmware_bridge.faults import PairFault
from firmware_bridge.levels import Level, LevelMeter
from firmware_bridge.samples import RawSample
from firmware_bridge.zero import Zero

COMPARE_S = 1.0
"""The two cells' motions are compared this often during a touch."""

_ZERO_FAULTS: tuple[str, ...] = (str(PairFault.ZERO),)


class LoadChecks:
    """A fold over samples, levels and touches; `faults` names what is wrong now, none of which blinds a cell."""

    def __init__(self, rate_hz: float, zero: Zero) -> None:
        self._compared_t = float("-inf")
        self._clocks = Clocks(rate_hz)
        self._creep = CreepCheck()
        self._expectation = ExpectationCheck(zero)
        self._zero_faults = _ZERO_FAULTS if zero.out_of_budget else ()

    @property
    def zero(self) -> Zero:
        """How far the zeros have moved."""
        return self._expectation.zero

    @property
    def creeping(self) -> bool:
        """Whether the loads creep by themselves."""
        return bool(self._creep.faults)

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong now; empty when all is well."""
        faults = self._clocks.faults + self._creep.faults + self._expectation.faults + self._zero_faults
        return tuple(dict.fromkeys(faults)) if len(faults) > 1 else faults

    def start_afresh(self) -> None:
        """Other spheres stand on the board, or will: what was noticed about the old ones is of no use."""
        self._creep = CreepCheck()
        self._expectation.expect(None)
        self._expectation.faults = ()

    def expect(self, expected: Expected | None) -> None:
        """What stands on the cells from now on; None when it is not known."""
        if expected is not None:
            self._creep.knows_spheres = True
        self._expectation.expect(expected)

    def note_sample(self, sample: RawSample) -> None:
        """Takes a raw sample."""
        self._clocks.note(sample.t, sample.low, sample.high)

    def note_level(self, level: Level, steady: bool, half_spacing_mm: float | None) -> bool:
        """Takes a level, and the half spacing if the loads are at rest. Says whether the zero moved."""
        self._creep.note(level, steady)
        if not steady or half_spacing_mm is None:
            return False
        before = self._expectation.zero
        self._expectation.at_rest(level, half_spacing_mm)
        after = self._expectation.zero
        if after is before:
            return False
        self._zero_faults = _ZERO_FAULTS if after.out_of_budget else ()
        return (before.low_g, before.high_g) != (after.low_g, after.high_g)

    def touched(self, t: float, meter: LevelMeter) -> None:
        """The board is being touched: do both cells tell of it at the same time?"""
        if not 0 <= t - self._compared_t < COMPARE_S:
            self._compared_t = t
            self._clocks.compare_motions(t, *meter.motion())
