"""The load tracker: from raw samples to load events, one sample at a time."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from firmware_bridge.brief import IN_A_WELL, Samples, two_steps
from firmware_bridge.cell_health import SILENCE_S
from firmware_bridge.checks import LoadChecks
from firmware_bridge.conditioning import Conditioner, Loads
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from firmware_bridge.excursion import Excursion
from firmware_bridge.expectation import Expected
from firmware_bridge.levels import WINDOW_S, Level, LevelMeter
from firmware_bridge.places import Places
from firmware_bridge.rest import Rest, mean_level
from firmware_bridge.samples import LoadCells, RawSample
from firmware_bridge.spheres import Spheres, Step
from firmware_bridge.state_pace import StatePace
from firmware_bridge.steps import Meaning, Verdict, judge
from firmware_bridge.telling import tell_foreign, tell_roll, tell_step
from firmware_bridge.tipping import TipDetector
from firmware_bridge.zero import Zero

HOP_S = 0.05
"""Levels are taken this often (at 10 samples a second with every sample)."""
STEADY_S = 0.15
"""Levels over so long must agree before the loads count as still."""
STEADY_G = 0.8
"""By how much the weight may differ among them: a hand that bears on the board wavers by more."""
STEADY_MM = 2.5
"""By how much, as the place of one sphere, the moment may: what rocking leaves of an average."""
LEFT_G = 1.2
LEFT_MM = 6.0
"""The loads have left a level when they differ from it by more."""
SLIP = 0.005
"""Share of the swing by which a level may be off: the two amplifiers run on clocks of their own, and now and then one
slips by a sample against the other."""
UNSURE_S = 0.5
"""How much longer the loads must stay still before a step is taken for something less than clear."""
UNEXPECTED_PLACE_S = 1.0
"""How long a sphere that nobody was seen to lift must lie still to be believed: a finger may weigh as much."""
LIES_STILL_G = 0.5
"""... and by how much its weight may vary meanwhile: that of a still finger wavers by 3% and more."""
OBJECT_S = 4.0
"""What lies still for so long is no hand: from then on it belongs to the board."""
NO_BOARD_G = 80.0
"""What weighs less in all is no board: it has been taken off, and nothing that happens then is played."""
BEARING_DOWN = 2.0
"""More than so many spheres' weight on the board is a hand that bears down ..."""
BEARING_DOWN_MM = 165.0
"""... and so is a moment larger than that of one sphere so far out, which is off the board."""
FILTER_LAG_SAMPLES = 2
"""The amplifier's own filter spans four samples and lags by half of that."""


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
        self._tips = TipDetector(period)
        self._period = period
        self._hop_s = hop - period / 2
        self._pace = StatePace(period)
        self._lag_s = WINDOW_S / 2 + FILTER_LAG_SAMPLES * period
        self._next_hop = float("-inf")
        self._hops: deque[Level] = deque(maxlen=1 + max(2, round(STEADY_S / hop)))
        self._steady = False
        self._steady_since: float | None = None
        self._rest: Rest | None = None
        self._out: Excursion | None = None
        """From the rest to now; None at rest."""
        self._onward: Excursion | None = None
        """From a level that was still, but whose meaning is not yet clear, to now."""
        self._foreign_told = False
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
        return self._conditioner.faults + self._checks.faults

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
        self._hops.append(level)
        steady = self._steady = self._is_steady()
        if not steady:
            self._steady_since = None
        elif self._steady_since is None:
            self._steady_since = level.t
        self._check(level, steady)
        if steady and self._rest is not None and level.total < NO_BOARD_G:
            self._rest = None
            self._be_at_rest()
            self._checks.expect(None)
        if self._rest is None:
            if steady and level.t - (self._steady_since or level.t) >= UNSURE_S / 2 and _stands(level):
                self._tipped = False
                self._rest = Rest(mean_level(self._hops))
            return []
        if self._out is None:
            limits = LEFT_G, LEFT_MM * self._grams_per_mm
            crept = not self._checks.creeping and self._rest.has_crept(level, *limits)
            if self._rest.holds(level, *limits) and not crept:
                self._rest.follow(level)
                return []
            self._out = Excursion(self._rest.origin if crept and steady else self._rest.level, level.t)
        bears_down = self._bears_down(level)
        self._out.add(level, bears_down)
        if self._onward is not None:
            self._onward.add(level, bears_down)
        return self._settle(now, level, self._rest, self._out) if steady else []

    @property
    def _grams_per_mm(self) -> float:
        """By how much high - low changes when one sphere shifts by a millimetre."""
        return self.spheres.usual_g / self.places.half_spacing_mm

    def _is_steady(self) -> bool:
        hops = self._hops
        if len(hops) < (hops.maxlen or 0):
            return False
        lows = [h.low for h in hops]
        highs = [h.high for h in hops]
        totals = list(map(float.__add__, lows, highs))
        if max(totals) - min(totals) > STEADY_G:
            return False
        differences = list(map(float.__sub__, highs, lows))
        return max(differences) - min(differences) <= STEADY_MM * self._grams_per_mm

    def _check(self, level: Level, steady: bool) -> None:
        """Lets the checks see the level; where the loads creep by themselves the rest goes with them."""
        resting = self._rest is not None and self._out is None
        spacing = self.places.half_spacing_mm if resting else None
        if self._out is not None:
            self._checks.touched(level.t, self._meter)
        was_creeping = self._checks.creeping
        if self._checks.note_level(level, steady or self._creeps(), spacing):
            self._shift_zero()
        if self._checks.creeping != was_creeping and self._rest is not None and steady:
            self._rest = Rest(level)
            self._be_at_rest()

    def _creeps(self) -> bool:
        """The weight hardly changes, whatever the board's rocking does to its moment."""
        totals = [h.total for h in self._hops]
        return len(totals) == self._hops.maxlen and max(totals) - min(totals) <= STEADY_G

    def _look_away(self) -> None:
        """A cell is at fault: what it says meanwhile is nothing that happened, and what it says next a new rest."""
        self._meter.clear()
        self._hops.clear()
        self._rest = None
        self._be_at_rest()

    def _be_at_rest(self) -> None:
        self._out = self._onward = None
        self._steady_since = None
        self._foreign_told = False

    # --- steps

    def _settle(self, now: float, level: Level, rest: Rest, out: Excursion) -> list[LoadEvent]:
        """The loads are still, away from where they rested: says what happened, if that is clear."""
        after = mean_level(self._hops)
        verdict = self._judge(out, after)
        if verdict.meaning is Meaning.NOTHING:
            rest.resume(after)
            self._be_at_rest()
            return []
        if verdict.meaning in (Meaning.SHUFFLED, Meaning.FOREIGN):
            events = self._as_two_steps(now, out, after)
            if events:
                return events
        since = steady_since = self._steady_since or level.t
        if self._onward is not None:
            further = self._judge(self._onward, after)
            if further.meaning in IN_A_WELL:
                if not self._may_believe(further, self._onward, after, level.t - steady_since):
                    return []
                # what was not clear before this step stays so; the step itself is
                unclear = tell_foreign(now, out.since - self._lag_s, verdict)
                return [unclear, self._sphere_event(now, self._onward, further, after)]
            if further.meaning is Meaning.NOTHING:
                since = self._onward.before.t
            else:
                self._onward = None
        return self._conclude(now, out, verdict, after, level.t - since)

    def _as_two_steps(self, now: float, out: Excursion, after: Level) -> list[LoadEvent]:
        """Says if what makes no sense as one step does so as two with hardly a rest between."""
        samples = Samples(*self._meter.since(out.since))
        steps = two_steps(samples, out, after, self.spheres, self.places, self._period)
        events = []
        for brief in steps or ():
            self._learn(brief.verdict.meaning, brief.step)
            contact, verdict = brief.t - self._lag_s, brief.verdict
            events.append(
                tell_step(now, contact, verdict, self.places, again=True)
                if verdict.meaning in IN_A_WELL
                else tell_foreign(now, contact, verdict)
            )
        if events:
            self._rest_anew(after)
        return events

    def _learn(self, meaning: Meaning, step: Step) -> None:
        if meaning in (Meaning.LIFT, Meaning.STRAY_LIFT):
            self.spheres.lifted(step)
        elif meaning in (Meaning.PLACE, Meaning.STRAY_PLACE):
            self.spheres.placed(step)

    def _judge(self, out: Excursion, after: Level) -> Verdict:
        verdict = judge(self._step(out.before, after), out.path, self.spheres, self.places)
        if verdict.meaning in IN_A_WELL and not out.is_sharp(out.before.total, after.total):
            return replace(verdict, meaning=Meaning.FOREIGN, sure=False)
        return verdict

    def _step(self, before: Level, after: Level) -> Step:
        slip = SLIP * self._hops[-1].swing
        totals = [h.total for h in self._hops]
        differences = [h.difference for h in self._hops]
        return Step(
            after.low - before.low,
            after.high - before.high,
            0.1 + slip + (max(totals) - min(totals)) / 3,
            0.2 + slip + (max(differences) - min(differences)) / 3,
        )

    def _conclude(self, now: float, out: Excursion, verdict: Verdict, after: Level, still: float) -> list[LoadEvent]:
        """Acts on a verdict once the loads have been still for long enough to believe it."""
        meaning, contact = verdict.meaning, out.since - self._lag_s
        if self._may_believe(verdict, out, after, still):
            if meaning in IN_A_WELL:
                return [self._sphere_event(now, out, verdict, after)]
            if meaning is Meaning.ROLL:
                self._rest_anew(after)
                return [tell_roll(now, contact, verdict, out, after, self.places)]
            if meaning is not Meaning.FOREIGN:
                self._learn(meaning, self._step(out.before, after))
                self._rest_anew(after)
                return [tell_foreign(now, contact, verdict)]
            if still >= OBJECT_S and not _wavers(out.levels, after.t):
                self._rest_anew(after)
            elif not self._foreign_told:
                self._foreign_told = True
                return [tell_foreign(now, contact, verdict)]
        if self._onward is None and meaning is not Meaning.FOREIGN:
            self._onward = Excursion(after, after.t)
        return []

    def _may_believe(self, verdict: Verdict, out: Excursion, after: Level, still: float) -> bool:
        """Whether the loads have been still for long enough: the longer, the less the verdict was to be expected."""
        if verdict.sure:
            return True
        if verdict.meaning is Meaning.PLACE and not self.spheres.in_hand_g:
            return still >= UNEXPECTED_PLACE_S and not _wavers(out.levels, after.t)
        return still >= UNSURE_S

    def _rest_anew(self, after: Level) -> None:
        self._rest = Rest(after)
        self._checks.expect(None)
        self._be_at_rest()

    def _sphere_event(self, now: float, out: Excursion, verdict: Verdict, after: Level) -> LoadEvent:
        step = self._step(out.before, after)
        self._learn(verdict.meaning, step)
        self.places.learn(verdict.raw_mm, step.difference_sd * self.places.half_spacing_mm / verdict.mass_g)
        self._rest_anew(after)
        return tell_step(now, out.contact_t(after) - self._lag_s, verdict, self.places)

    # --- state

    def _state_if_due(self, now: float) -> LoadState | None:
        level = self._hops[-1] if self._hops else None
        out, resting = self._out, self._rest is not None and self._out is None
        blind = self._conditioner.faults
        loads = level if resting and level is not None else self._last
        state = LoadState(
            now,
            None if blind and _at_fault("low", blind) else loads.low,
            None if blind and _at_fault("high", blind) else loads.high,
            out is not None,
            out.since - self._lag_s if out is not None else None,
            out is not None and level is not None and self._bears_down(level),
            resting and self._steady and bool(self._hops),
            self._tipped,
            blind + self._checks.faults,
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


def _wavers(levels: list[Level], now: float) -> bool:
    """Whether the weight varied of late by more than that of something that just lies there."""
    totals = [level.total for level in levels if level.t >= now - UNEXPECTED_PLACE_S]
    return max(totals) - min(totals) > LIES_STILL_G


def _at_fault(cell: str, faults: tuple[str, ...]) -> bool:
    return any(fault.startswith(cell) for fault in faults)


def _stands(level: Level) -> bool:
    """There is a board, and both pinnacles stand on their cells."""
    return level.total > NO_BOARD_G and min(level.low, level.high) > 0.02 * level.total
