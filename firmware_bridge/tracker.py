"""The load tracker: from raw samples to load events, one sample at a time."""

from collections import deque
from collections.abc import Sequence

from firmware_bridge.conditioning import Conditioner, Loads
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from firmware_bridge.levels import WINDOW_S, Level, LevelMeter
from firmware_bridge.places import Places
from firmware_bridge.samples import LoadCells, RawSample
from firmware_bridge.spheres import Spheres, Step
from firmware_bridge.steps import Meaning, Path, Verdict, judge
from firmware_bridge.tipping import TipDetector

HOP_S = 0.05
"""Levels are taken this often (at 10 samples a second with every sample)."""
STEADY_HOPS = 3
"""So many levels running must agree before the loads count as still."""
STEADY_G = 0.8
"""By how much the weight may differ among them: a hand that bears on the board wavers by more."""
STEADY_MM = 2.5
"""By how much, as the place of one sphere, the moment may: what rocking leaves of an average."""
LEFT_G = 1.2
LEFT_MM = 6.0
"""The loads have left a level when they differ from it by more."""
DRIFT_G_PER_S = 0.02
"""Cells and amplifiers drift by less than this: a cold start does a quarter of a gram in five minutes."""
BEFORE_S = 0.6
"""The level before a step is averaged over so long."""
GUARD_S = 0.1
"""The last bit before the loads left the level is not used: the touch begins gently."""
UNSURE_S = 0.6
"""How much longer the loads must stay still before a step is taken for something odd."""
UNEXPECTED_PLACE_S = 1.0
"""How long a sphere that nobody was seen to lift must lie still to be believed: a finger may weigh as much."""
OBJECT_S = 4.0
"""What lies still for so long is no hand: from then on it belongs to the board."""
STATE_S = 0.1
"""A state is given at least this often."""
STILL_SWING_G = 2.0
"""The loads are settled when high - low stays within this."""


class LoadTracker:
    """Finds lifts, places, rolls, foreign touches and tips in a stream of samples. No clock: the samples' times are all.

    `wells_mm`, if given, are the places of the wells along the axis: used to learn the scale, and to tell a sphere
    that lies in no well, never to round a place. `sphere_mass_g` is what a sphere is thought to weigh; it is learned.
    """

    def __init__(
        self, cells: LoadCells, sphere_mass_g: float | None = None, wells_mm: Sequence[float] | None = None
    ) -> None:
        period = 1 / cells.sample_rate_hz
        self.spheres = Spheres(sphere_mass_g)
        self.places = Places(cells.half_spacing_mm, wells_mm)
        self._conditioner = Conditioner(cells)
        self._meter = LevelMeter(period)
        self._tips = TipDetector(period)
        self._hop_s = max(HOP_S, period) - period / 2
        self._next_hop = float("-inf")
        self._next_state = float("-inf")
        self._hops: deque[Level] = deque(maxlen=STEADY_HOPS)
        self._rest: Level | None = None
        self._origin: Level | None = None
        self._recent: deque[Level] = deque(maxlen=40)
        self._away: list[Level] = []
        self._steady_since: float | None = None
        self._foreign_told = False
        self._tipped = False
        self._last: Loads | None = None
        self._state: LoadState | None = None

    def feed(self, sample: RawSample) -> tuple[LoadEvent | LoadState, ...]:
        """Takes the next sample; gives the events that are now known and, when due, the state."""
        loads = self._conditioner.feed(sample)
        if loads is None:
            return ()
        now = sample.t
        self._last = loads
        out: list[LoadEvent | LoadState] = []
        if loads.low is not None and loads.high is not None:
            self._meter.add(loads.t, loads.low, loads.high)
            if self._rest is not None and not self._tipped and self._tip(loads.t, loads.low, loads.high):
                out.append(self._tipped_event(now))
            if loads.t >= self._next_hop:
                self._next_hop = loads.t + self._hop_s
                level = self._meter.level()
                if level is not None:
                    event = self._hop(now, level)
                    if event is not None:
                        out.append(event)
        state = self._state_if_due(now)
        if state is not None:
            out.append(state)
        return tuple(out)

    # --- tips

    def _tip(self, t: float, low: float, high: float) -> bool:
        assert self._rest is not None
        resting = self._rest.total
        return self._tips.feed(t, low, high, resting, resting + 1.5 * self.spheres.usual_g)

    def _tipped_event(self, now: float) -> LoadEvent:
        self._tipped = True
        since = self._tips.since
        self._start_afresh()
        return LoadEvent(now, LoadEventKind.TIP, now if since is None else since, confidence=0.95)

    def _start_afresh(self) -> None:
        self._rest = self._origin = None
        self._recent.clear()
        self._away.clear()
        self._hops.clear()
        self._steady_since = None
        self._foreign_told = False

    # --- levels

    def _hop(self, now: float, level: Level) -> LoadEvent | None:
        self._hops.append(level)
        steady = self._is_steady()
        if not steady:
            self._steady_since = None
        elif self._steady_since is None:
            self._steady_since = self._hops[0].t
        if self._rest is None:
            if steady and level.t - (self._steady_since or level.t) >= UNSURE_S / 2 and self._carries(level):
                self._tipped = False
                self.spheres.in_hand.clear()
                self._rest_at(_mean(self._hops))
            return None
        if not self._away and self._is_near(level):
            self._stay(level)
            return None
        self._away.append(level)
        return self._settle(now, level) if steady else None

    def _carries(self, level: Level) -> bool:
        """Both pinnacles stand on their cells."""
        return min(level.low, level.high) > 0.02 * level.total > 0

    def _grams_per_mm(self) -> float:
        """By how much high - low changes when one sphere shifts by a millimetre."""
        return self.spheres.usual_g / self.places.half_spacing_mm

    def _is_steady(self) -> bool:
        hops = self._hops
        if len(hops) < STEADY_HOPS:
            return False
        totals = [h.low + h.high for h in hops]
        if max(totals) - min(totals) > STEADY_G:
            return False
        differences = [h.high - h.low for h in hops]
        return max(differences) - min(differences) <= STEADY_MM * self._grams_per_mm()

    def _is_near(self, level: Level) -> bool:
        assert self._rest is not None
        assert self._origin is not None
        grams, place = LEFT_G, LEFT_MM * self._grams_per_mm()
        if abs(level.total - self._rest.total) > grams or abs(level.difference - self._rest.difference) > place:
            return False
        drift = DRIFT_G_PER_S * (level.t - self._origin.t)
        return (
            abs(level.total - self._origin.total) <= grams + drift
            and abs(level.difference - self._origin.difference) <= place + drift
        )

    def _rest_at(self, level: Level) -> None:
        self._rest = self._origin = level
        self._recent.clear()
        self._recent.append(level)
        self._away.clear()
        self._foreign_told = False

    def _stay(self, level: Level) -> None:
        """Still at rest: the level follows the cells' drift, a little behind so that no touch gets into it."""
        recent = self._recent
        recent.append(level)
        while len(recent) > 1 and recent[0].t < level.t - BEFORE_S - GUARD_S:
            recent.popleft()
        kept = [r for r in recent if r.t <= level.t - GUARD_S]
        if kept:
            self._rest = _mean(kept)

    def _before(self) -> Level:
        """The level before the loads left it."""
        assert self._rest is not None
        return self._rest

    # --- steps

    def _settle(self, now: float, level: Level) -> LoadEvent | None:
        """The loads are still, away from where they rested: says what happened, if that is clear."""
        after = _mean(self._hops)
        before = self._before()
        totals = [h.total - before.total for h in self._away]
        path = Path(min(totals), max(totals), level.t - self._away[0].t)
        step = Step(after.low - before.low, after.high - before.high, self._step_sd())
        verdict = judge(step, path, self.spheres, self.places)
        still = level.t - (self._steady_since or level.t)
        return self._conclude(now, verdict, step, after, still)

    def _step_sd(self) -> float:
        spread = max(h.low for h in self._hops) - min(h.low for h in self._hops)
        return 0.05 + spread / 4 if spread < 1.0 else 0.3

    def _conclude(self, now: float, verdict: Verdict, step: Step, after: Level, still: float) -> LoadEvent | None:
        contact = self._contact_time(after)
        meaning = verdict.meaning
        if meaning is Meaning.NOTHING:
            self._rest_at(after)
            return None
        if meaning is Meaning.LIFT or (
            meaning is Meaning.PLACE and (verdict.known_sphere or still >= UNEXPECTED_PLACE_S)
        ):
            return self._sphere_event(now, contact, verdict, step, after)
        if meaning is Meaning.ROLL and still >= UNSURE_S / 2:
            event = LoadEvent(
                now, LoadEventKind.ROLL, contact, verdict.mass_g, 0.0, verdict.raw_mm / self.places.scale, 0.6
            )
            self._rest_at(after)
            return event
        if meaning in (Meaning.STRAY_LIFT, Meaning.STRAY_PLACE) and still >= UNSURE_S:
            (self.spheres.lifted if meaning is Meaning.STRAY_LIFT else self.spheres.placed)(step)
            self._rest_at(after)
            return self._foreign(now, contact, verdict)
        if meaning is Meaning.SHUFFLED and still >= UNSURE_S:
            self._rest_at(after)
            return self._foreign(now, contact, verdict)
        if still >= UNSURE_S and not self._foreign_told:
            self._foreign_told = True
            return self._foreign(now, contact, verdict)
        if still >= OBJECT_S:
            self._rest_at(after)
        return None

    def _sphere_event(
        self, now: float, contact: float, verdict: Verdict, step: Step, after: Level
    ) -> LoadEvent:
        lift = verdict.meaning is Meaning.LIFT
        (self.spheres.lifted if lift else self.spheres.placed)(step)
        sd = step.sd * self.places.half_spacing_mm / verdict.mass_g * 1.5
        self.places.learn(verdict.raw_mm, sd)
        p = verdict.raw_mm / self.places.scale
        self._rest_at(after)
        return LoadEvent(
            now,
            LoadEventKind.LIFT if lift else LoadEventKind.PLACE,
            contact,
            verdict.mass_g,
            p,
            confidence=0.95,
            mass_sd_g=self.spheres.weight_sd(step),
            p_sd_mm=(sd**2 + self.places.sd_mm(verdict.raw_mm) ** 2) ** 0.5,
        )

    def _foreign(self, now: float, contact: float, verdict: Verdict) -> LoadEvent:
        return LoadEvent(now, LoadEventKind.FOREIGN, contact, verdict.mass_g or None, verdict.raw_mm, confidence=0.7)

    def _contact_time(self, after: Level) -> float:
        """When the weight went half way from before to after, by the levels, which lag by half their window."""
        before = self._before().total
        half = 0.5 * (before + after.total)
        up = after.total > before
        crossing = self._away[0].t
        for level in self._away:
            crossing = level.t
            if (level.total >= half) == up:
                break
        return crossing - WINDOW_S / 2

    # --- state

    def _state_if_due(self, now: float) -> LoadState | None:
        loads = self._last
        assert loads is not None
        touching = bool(self._away)
        old = self._state
        level = self._hops[-1] if self._hops else None
        settled = self._rest is not None and not touching and level is not None and level.swing < STILL_SWING_G
        faults = self._conditioner.faults
        pressing = touching and level is not None and self._bears_down(level)
        if (
            old is not None
            and now < self._next_state
            and old.touching == touching
            and old.pressing == pressing
            and old.settled == settled
            and old.tipped == self._tipped
            and old.faults == faults
        ):
            return None
        self._next_state = now + STATE_S - 0.001
        since = self._away[0].t - WINDOW_S / 2 if touching else None
        self._state = LoadState(
            now, loads.low, loads.high, touching, since, pressing, settled, self._tipped, faults
        )
        return self._state

    def _bears_down(self, level: Level) -> bool:
        if self._rest is None:
            return False
        heavy = 2 * self.spheres.usual_g
        far = 1.5 * 110 * self._grams_per_mm()
        return (
            abs(level.total - self._rest.total) > heavy or abs(level.difference - self._rest.difference) > far
        )


def _mean(levels: Sequence[Level]) -> Level:
    n = len(levels)
    return Level(levels[-1].t, sum(h.low for h in levels) / n, sum(h.high for h in levels) / n, levels[-1].swing)
