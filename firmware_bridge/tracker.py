"""The load tracker: from raw samples to load events, one sample at a time."""

from collections import deque
from collections.abc import Sequence

from firmware_bridge.conditioning import Conditioner, Loads
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from firmware_bridge.excursion import Excursion
from firmware_bridge.levels import WINDOW_S, Level, LevelMeter
from firmware_bridge.places import Places
from firmware_bridge.rest import Rest, mean_level
from firmware_bridge.rolling import locate_roll
from firmware_bridge.samples import LoadCells, RawSample
from firmware_bridge.spheres import Spheres, Step
from firmware_bridge.steps import Meaning, Verdict, judge
from firmware_bridge.tipping import TipDetector

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
OBJECT_S = 4.0
"""What lies still for so long is no hand: from then on it belongs to the board."""
BEARING_DOWN = 2.0
"""More than so many spheres' weight on the board is a hand that bears down ..."""
BEARING_DOWN_MM = 165.0
"""... and so is a moment larger than that of one sphere so far out, which is off the board."""
FILTER_LAG_SAMPLES = 2
"""The amplifier's own filter spans four samples and lags by half of that."""
STATE_S = 0.1
"""A state is given this often, to within half a sample, and at every change."""


class LoadTracker:
    """Finds lifts, places, rolls, foreign touches and tips in a stream of samples. The only clock is the samples'.

    `wells_mm`, if given, are the places of the wells along the axis: used to learn the scale, and to tell a sphere
    that lies in no well, never to round a place. `sphere_mass_g` is what a sphere is thought to weigh; it is learned.
    """

    def __init__(
        self, cells: LoadCells, sphere_mass_g: float | None = None, wells_mm: Sequence[float] | None = None
    ) -> None:
        period = 1 / cells.sample_rate_hz
        hop = max(HOP_S, period)
        self.spheres = Spheres(sphere_mass_g)
        self.places = Places(cells.half_spacing_mm, wells_mm)
        self._conditioner = Conditioner(cells)
        self._meter = LevelMeter(period)
        self._tips = TipDetector(period)
        self._hop_s = hop - period / 2
        self._state_s = STATE_S - period / 2
        self._lag_s = WINDOW_S / 2 + FILTER_LAG_SAMPLES * period
        self._next_hop = float("-inf")
        self._hops: deque[Level] = deque(maxlen=1 + max(2, round(STEADY_S / hop)))
        self._steady_since: float | None = None
        self._rest: Rest | None = None
        self._out: Excursion | None = None
        """From the rest to now; None at rest."""
        self._onward: Excursion | None = None
        """From a level that was still, but whose meaning is not yet clear, to now."""
        self._foreign_told = False
        self._tipped = False
        self._last = Loads(0.0, None, None)
        self._state: LoadState | None = None

    def feed(self, sample: RawSample) -> tuple[LoadEvent | LoadState, ...]:
        """Takes the next sample; gives the events that are now known and, when due, the state."""
        loads = self._conditioner.feed(sample)
        if loads is None:
            return ()
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
        self._rest = None
        self._hops.clear()
        self.spheres.in_hand_g.clear()
        self._be_at_rest()

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
        steady = self._is_steady()
        if not steady:
            self._steady_since = None
        elif self._steady_since is None:
            self._steady_since = level.t
        if self._rest is None:
            if steady and level.t - (self._steady_since or level.t) >= UNSURE_S / 2 and _stands(level):
                self._tipped = False
                self.spheres.in_hand_g.clear()
                self._rest = Rest(mean_level(self._hops))
            return []
        if self._out is None:
            limits = LEFT_G, LEFT_MM * self._grams_per_mm
            crept = self._rest.has_crept(level, *limits)
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
        totals = [h.low + h.high for h in hops]
        if max(totals) - min(totals) > STEADY_G:
            return False
        differences = [h.high - h.low for h in hops]
        return max(differences) - min(differences) <= STEADY_MM * self._grams_per_mm

    def _look_away(self) -> None:
        """A cell is at fault: what it says meanwhile is nothing that happened. The rest is kept to compare with."""
        self._meter.clear()
        self._hops.clear()
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
        since = steady_since = self._steady_since or level.t
        if self._onward is not None:
            further = self._judge(self._onward, after)
            if further.meaning in (Meaning.LIFT, Meaning.PLACE):
                if level.t - steady_since < self._patience(further):
                    return []
                # what was not clear before this step stays so; the step itself is
                return [self._foreign(now, out, verdict), self._sphere_event(now, self._onward, further, after)]
            if further.meaning is Meaning.NOTHING:
                since = self._onward.before.t
            else:
                self._onward = None
        return self._conclude(now, out, verdict, after, level.t - since)

    def _judge(self, out: Excursion, after: Level) -> Verdict:
        return judge(self._step(out.before, after), out.path, self.spheres, self.places)

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
        meaning = verdict.meaning
        if still >= self._patience(verdict):
            if meaning in (Meaning.LIFT, Meaning.PLACE):
                return [self._sphere_event(now, out, verdict, after)]
            if meaning is Meaning.ROLL:
                return [self._at_new_rest(self._roll(now, out, verdict, after), after)]
            if meaning is not Meaning.FOREIGN:
                if meaning is Meaning.STRAY_LIFT:
                    self.spheres.lifted(self._step(out.before, after))
                elif meaning is Meaning.STRAY_PLACE:
                    self.spheres.placed(self._step(out.before, after))
                return [self._at_new_rest(self._foreign(now, out, verdict), after)]
            if still >= OBJECT_S:
                self._rest = Rest(after)
                self._be_at_rest()
            elif not self._foreign_told:
                self._foreign_told = True
                return [self._foreign(now, out, verdict)]
        if self._onward is None and meaning is not Meaning.FOREIGN:
            self._onward = Excursion(after, after.t)
        return []

    def _patience(self, verdict: Verdict) -> float:
        """How long the loads must be still before this is believed."""
        if verdict.sure:
            return 0.0
        if verdict.meaning is Meaning.PLACE and not self.spheres.in_hand_g:
            return UNEXPECTED_PLACE_S
        return UNSURE_S

    def _at_new_rest(self, event: LoadEvent, after: Level) -> LoadEvent:
        self._rest = Rest(after)
        self._be_at_rest()
        return event

    def _sphere_event(self, now: float, out: Excursion, verdict: Verdict, after: Level) -> LoadEvent:
        lift = verdict.meaning is Meaning.LIFT
        step = self._step(out.before, after)
        (self.spheres.lifted if lift else self.spheres.placed)(step)
        self.places.learn(verdict.raw_mm, step.difference_sd * self.places.half_spacing_mm / verdict.mass_g)
        event = LoadEvent(
            now,
            LoadEventKind.LIFT if lift else LoadEventKind.PLACE,
            out.contact_t(after) - self._lag_s,
            verdict.mass_g,
            verdict.raw_mm / self.places.scale,
            confidence=0.98 if verdict.sure else 0.8,
            mass_sd_g=verdict.mass_sd_g,
            p_sd_mm=verdict.sd_mm,
        )
        return self._at_new_rest(event, after)

    def _roll(self, now: float, out: Excursion, verdict: Verdict, after: Level) -> LoadEvent:
        shift = verdict.raw_mm / self.places.scale
        roll = locate_roll(out.levels, after, shift, verdict.mass_g, self.places)
        return LoadEvent(
            now,
            LoadEventKind.ROLL,
            out.since - self._lag_s,
            verdict.mass_g,
            roll.p_mm,
            roll.to_mm,
            roll.confidence,
            p_sd_mm=roll.sd_mm,
        )

    def _foreign(self, now: float, out: Excursion, verdict: Verdict) -> LoadEvent:
        contact = out.since - self._lag_s
        return LoadEvent(now, LoadEventKind.FOREIGN, contact, verdict.mass_g or None, verdict.raw_mm, confidence=0.7)

    # --- state

    def _state_if_due(self, now: float) -> LoadState | None:
        level = self._hops[-1] if self._hops else None
        out, resting = self._out, self._rest is not None and self._out is None
        faults = self._conditioner.faults
        loads = level if resting and level is not None else self._last
        state = LoadState(
            now,
            None if _at_fault("low", faults) else loads.low,
            None if _at_fault("high", faults) else loads.high,
            out is not None,
            out.since - self._lag_s if out is not None else None,
            out is not None and level is not None and self._bears_down(level),
            resting and self._is_steady(),
            self._tipped,
            faults,
        )
        old = self._state
        if old is not None and now - old.t < self._state_s and _same_kind(old, state):
            return None
        self._state = state
        return state

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


def _same_kind(a: LoadState, b: LoadState) -> bool:
    return (
        a.touching == b.touching
        and a.pressing == b.pressing
        and a.settled == b.settled
        and a.tipped == b.tipped
        and a.faults == b.faults
    )


def _stands(level: Level) -> bool:
    """Both pinnacles stand on their cells."""
    return min(level.low, level.high) > 0.02 * level.total > 0
