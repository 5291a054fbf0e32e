"""The load tracker: from raw samples to load events, one sample at a time."""

from collections.abc import Sequence

from firmware_bridge.cell_health import SILENCE_S
from firmware_bridge.checks import LoadChecks
from firmware_bridge.conditioning import Conditioner, Loads
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from firmware_bridge.expectation import Expected
from firmware_bridge.levels import Level, LevelMeter
from firmware_bridge.places import Places
from firmware_bridge.rest import Rest
from firmware_bridge.samples import LoadCells, RawSample
from firmware_bridge.settling import UNSURE_S, Outcome, Settling
from firmware_bridge.spheres import Spheres
from firmware_bridge.state_pace import StatePace
from firmware_bridge.stillness import Stillness
from firmware_bridge.tipping import TipDetector
from firmware_bridge.zero import Zero

HOP_S = 0.05
"""Levels are taken this often (at 10 samples a second with every sample)."""
LEFT_G = 1.2
LEFT_MM = 6.0
"""The loads have left a level when they differ from it by more."""
NO_BOARD_G = 80.0
"""What weighs less in all is no board: it has been taken off, and nothing that happens then is played."""
BEARING_DOWN = 2.0
"""More than so many spheres' weight on the board is a hand that bears down ..."""
BEARING_DOWN_MM = 165.0
"""... and so is a moment larger than that of one sphere so far out, which is off the board."""


class LoadTracker:
    """Finds lifts, places, rolls, foreign touches and tips in a stream of samples. The only clock is the samples'.

    `wells_mm`, if given, are the places of the wells along the axis: used to learn the scale, and to tell a sphere
    that lies in no well, never to round a place. `sphere_mass_g` is what a sphere is thought to weigh; it is learned.
    `zero` is what an earlier tracker's `zero` was, kept over a restart (`Zero.to_json`, `Zero.from_json`).
    """

    def __init__(
        self,
        cells: LoadCells,
        sphere_mass_g: float | None = None,
        wells_mm: Sequence[float] | None = None,
        zero: Zero | None = None,
    ) -> None:
        period = 1 / cells.sample_rate_hz
        hop = max(HOP_S, period)
        self.spheres = Spheres(sphere_mass_g)
        self.places = Places(cells.half_spacing_mm, wells_mm)
        self._conditioner = Conditioner(cells)
        self._checks = LoadChecks(cells.sample_rate_hz, Zero() if zero is None else zero)
        self._shift_zero()
        self._meter = LevelMeter(period)
        self._stillness = Stillness(hop)
        self._settling = Settling(self.spheres, self.places, self._stillness, self._meter, period)
        self._tips = TipDetector(period)
        self._hop_s = hop - period / 2
        self._pace = StatePace(period)
        self._next_hop = float("-inf")
        self._rest: Rest | None = None
        self._tipped = False
        self._last = Loads(0.0, None, None)
        self._now = float("-inf")

    def feed(self, sample: RawSample) -> tuple[LoadEvent | LoadState, ...]:
        """Takes the next sample; gives the events that are now known and, when due, the state."""
        loads = self._conditioner.feed(sample)
        if loads is None:
            return ()
        self._checks.note_sample(sample)
        if sample.t - self._now > SILENCE_S:
            self._look_away()
        self._now = sample.t
        out: list[LoadEvent | LoadState] = []
        if self._conditioner.faults:
            self._look_away()
        elif loads.low is not None and loads.high is not None:
            self._last = loads
            self._meter.add(loads.t, loads.low, loads.high)
            if self._rest is not None and self._tip(self._rest, loads.t, loads.low, loads.high):
                out.append(self._tip_event(sample.t))
            if loads.t >= self._next_hop:
                self._next_hop = loads.t + self._hop_s
                level = self._meter.level()
                if level is not None:
                    out.extend(self._hop(sample.t, level))
        state = self._state_if_due(sample.t)
        if state is not None:
            out.append(state)
        return tuple(out)

    def start_afresh(self) -> None:
        """Forgets what the board carried and who had what in hand: it has just been set up, and rests now."""
        self._look_away()
        self.spheres.in_hand_g.clear()
        self._checks.start_afresh()

    def expect(self, total_g: float | None, moment_gmm: float | None = None, slack_g: float | None = None) -> None:
        """What stands on the cells now, the board included, with its moment about the board's middle.

        `slack_g` is how far off the total may be before a cell is said to drift; without it, what a calibration leaves.

        The moment is half spacing * (high - low), with the half spacing of the settings (or the assumed one).

        Call it at a settled position; it holds until something changes on the board, None takes it back. With it
        swapped cells and drift are noticed, and the zero is followed; without it neither.
        """
        self._checks.expect(None if total_g is None else Expected(total_g, moment_gmm, slack_g))

    @property
    def zero(self) -> Zero:
        """How far the cells' zeros have moved since they were calibrated: a frozen value, to be kept."""
        return self._checks.zero

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong now; `faults.REMEDIES` has what to do about each."""
        return self._conditioner.faults + self._conditioner.weaknesses + self._checks.faults

    def _shift_zero(self) -> None:
        self._conditioner.shift_zero(self.zero.low_g, self.zero.high_g)

    # --- tips

    def _tip(self, rest: Rest, t: float, low: float, high: float) -> bool:
        resting = rest.level.total
        return self._tips.feed(t, low, high, resting, resting + 1.5 * self.spheres.usual_g)

    def _tip_event(self, now: float) -> LoadEvent:
        since = self._tips.since
        self.start_afresh()
        self._tipped = True
        return LoadEvent(now, LoadEventKind.TIP, now if since is None else since, confidence=0.95)

    # --- levels

    def _hop(self, now: float, level: Level) -> list[LoadEvent]:
        still, settling = self._stillness, self._settling
        still.add(level, self._grams_per_mm)
        steady = still.steady
        self._check(level, steady)
        if steady and self._rest is not None and level.total < NO_BOARD_G:
            self._rest = None
            self._be_at_rest()
            self._checks.expect(None)
        if self._rest is None:
            if steady and still.for_s(level.t) >= UNSURE_S / 2 and _stands(level):
                self._tipped = False
                self._rest = Rest(still.mean())
            return []
        if not settling.under_way:
            limits = LEFT_G, LEFT_MM * self._grams_per_mm
            crept = not self._checks.creeping and self._rest.has_crept(level, *limits)
            if self._rest.holds(level, *limits) and not crept:
                self._rest.follow(level)
                return []
            settling.begin(self._rest.origin if crept and steady else self._rest.level, level.t)
        settling.add(level, self._bears_down(level))
        return self._take_in(settling.settle(now, level), self._rest) if steady else []

    def _take_in(self, outcome: Outcome, rest: Rest) -> list[LoadEvent]:
        """Rests where the outcome says, if it does."""
        if outcome.resumes_at is not None:
            rest.resume(outcome.resumes_at)
            self._be_at_rest()
        elif outcome.rests_at is not None:
            self._rest = Rest(outcome.rests_at)
            self._checks.expect(None)
            self._be_at_rest()
        return outcome.events

    @property
    def _grams_per_mm(self) -> float:
        """By how much high - low changes when one sphere shifts by a millimetre."""
        return self.spheres.usual_g / self.places.half_spacing_mm

    def _check(self, level: Level, steady: bool) -> None:
        """Lets the checks see the level; where the loads creep by themselves the rest goes with them."""
        away = self._settling.under_way
        spacing = self.places.half_spacing_mm if self._rest is not None and not away else None
        if away:
            self._checks.touched(level.t, self._meter)
        was_creeping = self._checks.creeping
        if self._checks.note_level(level, steady or self._stillness.creeps, spacing):
            self._shift_zero()
        if self._checks.creeping != was_creeping and self._rest is not None and steady:
            self._rest = Rest(level)
            self._be_at_rest()

    def _look_away(self) -> None:
        """A cell is at fault: what it says meanwhile is nothing that happened, and what it says next a new rest."""
        self._meter.clear()
        self._stillness.clear()
        self._rest = None
        self._be_at_rest()

    def _be_at_rest(self) -> None:
        self._settling.end()
        self._stillness.start_anew()

    # --- state

    def _state_if_due(self, now: float) -> LoadState | None:
        level, away = self._stillness.last, self._settling.under_way
        resting = self._rest is not None and not away
        blind = self._conditioner.faults
        loads = level if resting and level is not None else self._last
        state = LoadState(
            now,
            None if blind and _at_fault("low", blind) else loads.low,
            None if blind and _at_fault("high", blind) else loads.high,
            away,
            self._settling.contact_t,
            away and level is not None and self._bears_down(level),
            resting and level is not None and self._stillness.steady,
            self._tipped,
            blind + self._conditioner.weaknesses + self._checks.faults,
        )
        return state if self._pace.due(state) else None

    def _bears_down(self, level: Level) -> bool:
        if self._rest is None:
            return False
        rest = self._rest.level
        return (
            abs(level.total - rest.total) > BEARING_DOWN * self.spheres.usual_g
            or abs(level.difference - rest.difference) > BEARING_DOWN_MM * self._grams_per_mm
        )


def _at_fault(cell: str, faults: tuple[str, ...]) -> bool:
    return any(fault.startswith(cell) for fault in faults)


def _stands(level: Level) -> bool:
    """There is a board, and both pinnacles stand on their cells."""
    return level.total > NO_BOARD_G and min(level.low, level.high) > 0.02 * level.total
