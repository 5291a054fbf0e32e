"""What the board should weigh, by the spheres known to stand on it, against what the cells say at rest."""

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

from firmware_bridge.faults import CellFault, PairFault
from firmware_bridge.levels import Level
from firmware_bridge.zero import Zero

DRIFT_G = 6.0
DRIFT_SHARE = 0.01
DRIFT_LEVER_SHARE = 0.03
"""A reading may be off by so much: grams for drift, shares of the load (gains are calibrated to half a per cent) and
of the difference of the two cells (the half spacing is set by hand)."""
MIRRORED = 0.3
"""The loads mirror the expected ones when they are that much closer to their mirror image ..."""
MIRROR_G = 20.0
"""... and when the two differ by more than this: a symmetrical board has no mirror image of its own."""
MIRROR_STEP_G = 12.0
"""The same for the change since the rest before."""
SAME_TOTAL_SHARE = 0.05
"""The total must be right within this share before anything is said about the moment."""
CONVINCING_S = 1.0
"""So long must the loads disagree with the spheres to be at fault, or agree to be right again."""
UPDATE_S = 1.0
"""The zero is moved this often."""
CREEP_G_PER_S = 0.2
CREEP_S = 3.0
CREEP_EVERY_S = 0.5
CREEP_EVEN = (0.3, 2.5)
"""A steady creep of the total by more for so long is a cell that drifts; nothing that a hand does goes so evenly,
each half second between these shares of the mean. A sphere that rolls does not change the total."""
FAST_CREEP_G_PER_S, FAST_CREEP_LEVELS = 0.8, 4
"""A fast creep shows in so many levels, a second and a half: the pause between two moves is hardly longer."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The total, grams, and the moment, gram mm, of all that stands on the cells, the board included.

    `slack_g` is how far off the total may be, where the same board was weighed before with the same cells. The moment
    then says only whether the cells are swapped: a board that slides on its pinnacles by a tenth of a millimetre
    changes it by as much as a cell's drift in an hour.
    """

    total_g: float
    moment_gmm: float | None = None
    slack_g: float | None = None

    def difference_g(self, half_spacing_mm: float) -> float | None:
        """high - low, as the moment asks for it."""
        return None if self.moment_gmm is None else self.moment_gmm / half_spacing_mm


class ExpectationCheck:
    """Compares resting levels with the expected ones: names drift and swapped cells, and follows the zero."""

    def __init__(self, zero: Zero) -> None:
        self.zero = zero
        self.faults: tuple[str, ...] = ()
        self._expected: Expected | None = None
        self._before: tuple[float, float] | None = None
        """Expected and measured high - low of the rest before this one."""
        self._stepped = False
        self._mirrored = False
        self._updated_t: float | None = None
        self._pending: tuple[str, ...] = ()
        self._pending_t: float | None = None

    def expect(self, expected: Expected | None) -> None:
        """What stands on the cells from now on; None when that is not known (any more)."""
        if expected != self._expected:
            self._expected = expected
            self._stepped = False
            self._pending_t = None

    def at_rest(self, level: Level, half_spacing_mm: float) -> None:
        """The loads rest at this level."""
        expected = self._expected
        elapsed = 0.0 if self._updated_t is None else level.t - self._updated_t
        if self._updated_t is None or elapsed < 0:
            self._updated_t = level.t
        due = elapsed >= UPDATE_S
        if due:
            self._updated_t = level.t
            self.zero = self.zero.aged(elapsed) if expected is None else self._follow(elapsed, level, half_spacing_mm)
        if expected is not None:
            self._settle(level.t, self._compare(expected, level, half_spacing_mm))

    def _compare(self, expected: Expected, level: Level, half_spacing_mm: float) -> tuple[str, ...]:
        """The faults that this level by itself would mean."""
        difference = expected.difference_g(half_spacing_mm)
        total_off = level.total - expected.total_g
        if difference is None:
            off = abs(total_off) > 2 * DRIFT_G + DRIFT_SHARE * expected.total_g
            return tuple(f"{cell} {CellFault.DRIFT}" for cell in ("low", "high")) if off else ()
        same_total_g = SAME_TOTAL_SHARE * expected.total_g if expected.slack_g is None else 2 * expected.slack_g
        if abs(total_off) < same_total_g:
            self._look_in_the_mirror(difference, level.difference)
            if self._mirrored:
                return (str(PairFault.SWAPPED),)
        low_off, high_off = _off(expected.total_g, difference, level)
        if expected.slack_g is not None:
            if abs(total_off) <= expected.slack_g:
                return ()
            return (f"{'low' if abs(low_off) > abs(high_off) else 'high'} {CellFault.DRIFT}",)
        allowed = DRIFT_LEVER_SHARE * abs(difference) + DRIFT_G
        low_allowed = allowed + DRIFT_SHARE * abs(level.low)
        high_allowed = allowed + DRIFT_SHARE * abs(level.high)
        off_cells = (("low", abs(low_off) > low_allowed), ("high", abs(high_off) > high_allowed))
        return tuple(f"{cell} {CellFault.DRIFT}" for cell, off in off_cells if off)

    def _look_in_the_mirror(self, expected_g: float, measured_g: float) -> None:
        """Sets whether the cells are swapped, where high - low tells: now, or by its change since the rest before."""
        verdict = _mirrors(expected_g, measured_g, MIRROR_G)
        if verdict is None and self._before is not None and not self._stepped:
            verdict = _mirrors(expected_g - self._before[0], measured_g - self._before[1], MIRROR_STEP_G)
        if verdict is not None:
            self._mirrored = verdict
        if not self._stepped:
            self._stepped = True
            self._before = (expected_g, measured_g)

    def _settle(self, t: float, faults: tuple[str, ...]) -> None:
        """Believes what has been so for long enough."""
        if faults != self._pending or self._pending_t is None:
            self._pending, self._pending_t = faults, t
        if t - self._pending_t >= CONVINCING_S:
            self.faults = faults

    def _follow(self, seconds: float, level: Level, half_spacing_mm: float) -> Zero:
        assert self._expected is not None
        difference = self._expected.difference_g(half_spacing_mm)
        matches = not self.faults and not self._pending and self._pending_t is not None
        if difference is None or not matches or self._expected.slack_g is not None:
            return self.zero.aged(seconds)
        return self.zero.followed(*_off(self._expected.total_g, difference, level), seconds)


def _off(total_g: float, difference_g: float, level: Level) -> tuple[float, float]:
    """How much more each cell reads than it should."""
    return level.low - (total_g - difference_g) / 2, level.high - (total_g + difference_g) / 2


def _mirrors(expected_g: float, measured_g: float, least_g: float) -> bool | None:
    straight, mirrored = abs(measured_g - expected_g), abs(measured_g + expected_g)
    if max(straight, mirrored) < least_g:
        return None
    if mirrored < MIRRORED * straight:
        return True
    return False if straight < MIRRORED * mirrored else None


class CreepCheck:
    """Notices a cell that drifts so fast that the loads creep while nobody touches the board."""

    def __init__(self) -> None:
        self._levels: deque[Level] = deque(maxlen=1 + round(CREEP_S / CREEP_EVERY_S))
        self.knows_spheres = False
        """Spheres come and go at once: where only they do, a second and a half of creeping is enough."""
        self.faults: tuple[str, ...] = ()

    def note(self, level: Level, steady: bool) -> None:
        """Takes the next level; `steady`: nothing moves fast."""
        levels = self._levels
        if not steady:
            levels.clear()
            return
        if levels and level.t - levels[-1].t < CREEP_EVERY_S:
            return
        levels.append(level)
        if len(levels) == levels.maxlen:
            self.faults = self._judge(list(levels), CREEP_G_PER_S)
        elif self.knows_spheres and len(levels) >= FAST_CREEP_LEVELS:
            last = list(levels)[-FAST_CREEP_LEVELS:]
            creep_g = abs(last[-1].total - last[0].total)
            if not self.faults or creep_g < CREEP_G_PER_S * (last[-1].t - last[0].t):
                self.faults = self._judge(last, FAST_CREEP_G_PER_S)

    @staticmethod
    def _judge(levels: list[Level], least_g_per_s: float) -> tuple[str, ...]:
        first, last = levels[0], levels[-1]
        seconds = last.t - first.t
        creep = last.total - first.total
        if seconds <= 0 or abs(creep) < least_g_per_s * seconds:
            return ()
        mean = creep / (len(levels) - 1)
        steps = [(b.total - a.total) / mean for a, b in pairwise(levels)]
        if min(steps) < CREEP_EVEN[0] or max(steps) > CREEP_EVEN[1]:
            return ()
        cells = (("low", last.low - first.low), ("high", last.high - first.high))
        return tuple(f"{cell} {CellFault.DRIFT}" for cell, change in cells if abs(change) > abs(creep) / 3)
