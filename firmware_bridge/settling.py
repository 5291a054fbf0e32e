"""What was done since the loads left their rest, judged when they are still again."""

from dataclasses import dataclass, field, replace
from statistics import pstdev

import numpy as np

from firmware_bridge.brief import A_SPHERE, IN_A_WELL, SLOWEST_ROCKING_HZ, STRAY, Samples, two_steps
from firmware_bridge.events import LoadEvent
from firmware_bridge.excursion import Excursion
from firmware_bridge.levels import WINDOW_S, Level, LevelMeter
from firmware_bridge.overlap import ENOUGH_S, difference_at_step, only_well
from firmware_bridge.places import Places
from firmware_bridge.spheres import Spheres, Step
from firmware_bridge.steps import STIRRED_MM, Meaning, Verdict, judge
from firmware_bridge.stillness import Stillness
from firmware_bridge.telling import AGAIN_SD_MM, tell_foreign, tell_roll, tell_step

UNSURE_S = 0.5
"""How much longer the loads must stay still before a step is taken for something less than clear."""
UNEXPECTED_PLACE_S = 1.0
"""How long a sphere that nobody was seen to lift must lie still to be believed: a finger may weigh as much."""
LIES_STILL_G = 0.5
LIES_STILL_SD_G = 0.3
"""... and by how much its weight may vary meanwhile, as levels and as samples (one standard deviation; the amplifiers'
noise makes 0.15 of it): that of a still finger wavers by 3% and more, several times a second."""
OBJECT_S = 4.0
"""What lies still for so long is no hand: from then on it belongs to the board."""
GUEST_MM, GUEST_SHARE = 12.0, 0.1
"""What goes from within so much of where something came, and is as heavy within this share, is the same."""
FILTER_LAG_SAMPLES = 2
"""The amplifier's own filter spans four samples and lags by half of that."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known now. `rests_at`: the board rests there from now on; `resumes_at`: it is back where it was."""

    events: list[LoadEvent] = field(default_factory=list)
    rests_at: Level | None = None
    resumes_at: Level | None = None


class Settling:
    """A fold over the levels of one touch after another; learns from what it takes for spheres."""

    def __init__(
        self, spheres: Spheres, places: Places, stillness: Stillness, meter: LevelMeter, period_s: float
    ) -> None:
        self._spheres = spheres
        self._places = places
        self._stillness = stillness
        self._meter = meter
        self._period = period_s
        self._aliases = 2 * SLOWEST_ROCKING_HZ * period_s >= 1
        """Rocking may look like a slow change of the moment, and so like a roll."""
        self._lag_s = WINDOW_S / 2 + FILTER_LAG_SAMPLES * period_s
        self._out: Excursion | None = None
        """From the rest to now; None at rest."""
        self._onward: Excursion | None = None
        """From a level that was still, but whose meaning is not yet clear, to now."""
        self._foreign_told = False
        self._guest: Verdict | None = None
        """What came last in no well, of a sphere's weight, though nobody had one in hand: a finger, most likely."""

    @property
    def under_way(self) -> bool:
        """Whether the loads are away from their rest."""
        return self._out is not None

    @property
    def contact_t(self) -> float | None:
        """When the loads left their rest, as it was on the board."""
        return None if self._out is None else self._out.since - self._lag_s

    def begin(self, before: Level, since: float) -> None:
        """The loads have left the level `before`."""
        self._out = Excursion(before, since)

    def end(self) -> None:
        """The loads are at rest, or nothing is known of them."""
        self._out = self._onward = None
        self._foreign_told = False

    def add(self, level: Level, bears_down: bool) -> None:
        """Takes the next level on the way."""
        if self._out is not None:
            self._out.add(level, bears_down)
        if self._onward is not None:
            self._onward.add(level, bears_down)

    def settle(self, now: float, level: Level) -> Outcome:
        """The loads are still, away from where they rested: says what happened, if that is clear."""
        out = self._out
        if out is None:
            return Outcome()
        after = self._stillness.mean()
        verdict = self._judge(out, after)
        if verdict.meaning is Meaning.NOTHING:
            return Outcome(resumes_at=after)
        if verdict.meaning in (Meaning.SHUFFLED, Meaning.FOREIGN):
            events = self._as_two_steps(now, out, after)
            if events:
                return Outcome(events, after)
        since = steady_since = self._stillness.since or level.t
        if self._onward is not None:
            further = self._judge(self._onward, after)
            if further.meaning in IN_A_WELL:
                if not self._may_believe(further, self._onward, after, level.t - steady_since):
                    return Outcome()
                # what was not clear before this step stays so; the step itself is
                unclear = tell_foreign(now, out.since - self._lag_s, verdict)
                return Outcome([unclear, self._sphere_event(now, self._onward, further, after)], after)
            if further.meaning is Meaning.NOTHING:
                since = self._onward.before.t
            else:
                self._onward = None
        return self._conclude(now, out, verdict, after, level.t - since)

    def _as_two_steps(self, now: float, out: Excursion, after: Level) -> list[LoadEvent]:
        """Says if what makes no sense as one step does so as two with hardly a rest between."""
        samples = Samples(*self._meter.since(out.since))
        steps = two_steps(samples, out, after, self._spheres, self._places, self._period)
        events = []
        for brief in steps or ():
            self._learn(brief.verdict, brief.step)
            contact, verdict = brief.t - self._lag_s, brief.verdict
            events.append(
                tell_step(now, contact, verdict, self._places, again=True)
                if verdict.meaning in IN_A_WELL
                else tell_foreign(now, contact, verdict)
            )
        return events

    def _learn(self, verdict: Verdict, step: Step) -> None:
        meaning, guest = verdict.meaning, self._guest
        if meaning in (Meaning.LIFT, Meaning.STRAY_LIFT):
            self._guest = None
            if meaning is Meaning.STRAY_LIFT and guest is not None and _is_it(guest, verdict):
                return  # and nobody has a sphere in hand by that
            self._spheres.lifted(step)
        elif meaning in (Meaning.PLACE, Meaning.STRAY_PLACE):
            stray = meaning is Meaning.STRAY_PLACE
            self._guest = verdict if stray and self._spheres.matching_in_hand(step) is None else None
            self._spheres.placed(step)

    def _judge(self, out: Excursion, after: Level) -> Verdict:
        verdict = judge(self._stillness.step(out.before, after), out.path, self._spheres, self._places)
        if verdict.meaning in IN_A_WELL and not out.is_sharp(out.before.total, after.total):
            return replace(verdict, meaning=Meaning.FOREIGN, sure=False)
        return verdict

    def _conclude(self, now: float, out: Excursion, verdict: Verdict, after: Level, still: float) -> Outcome:
        """Acts on a verdict once the loads have been still for long enough to believe it."""
        meaning, contact = verdict.meaning, out.since - self._lag_s
        if self._may_believe(verdict, out, after, still):
            if meaning in (STRAY if self._aliases else A_SPHERE):
                overlapping = self._with_a_roll(now, out, after)
                if overlapping:
                    return Outcome(overlapping, after)
            if meaning in IN_A_WELL:
                return Outcome([self._sphere_event(now, out, verdict, after)], after)
            if meaning is Meaning.ROLL:
                return Outcome([tell_roll(now, contact, verdict, out, after, self._places)], after)
            if meaning is not Meaning.FOREIGN:
                self._learn(verdict, self._stillness.step(out.before, after))
                return Outcome([tell_foreign(now, contact, verdict)], after)
            if still >= OBJECT_S and not self._wavers(out.levels, after.t):
                return Outcome(rests_at=after)
            if not self._foreign_told:
                self._foreign_told = True
                return Outcome([tell_foreign(now, contact, verdict)])
        if self._onward is None and meaning is not Meaning.FOREIGN:
            self._onward = Excursion(after, after.t)
        return Outcome()

    def _with_a_roll(self, now: float, out: Excursion, after: Level) -> list[LoadEvent]:
        """The step of one sphere while another one rolled, if that is how the moment went after the step."""
        spheres, places = self._spheres, self._places
        if not places.wells_usable or after.t - out.contact_t(after) < ENOUGH_S:
            return []
        per_mm = spheres.usual_g / places.half_spacing_mm
        t, low, high = (np.array(x) for x in self._meter.since(out.since - WINDOW_S))
        at_step = difference_at_step(t, low, high, after, spheres.usual_g, per_mm, self._period)
        if at_step is None or (at_step.least_g < STIRRED_MM * per_mm and at_step.most_g > -STIRRED_MM * per_mm):
            return []
        whole = self._stillness.step(out.before, after)
        sign = 1 if whole.total > 0 else -1
        moved = [sign * per_mm * places.scale * well - whole.difference for well in places.wells_mm]
        rolled = only_well(at_step, moved, per_mm)
        if rolled is None:
            return []
        step = Step(whole.low - rolled / 2, whole.high + rolled / 2, whole.total_sd, AGAIN_SD_MM * per_mm)
        at_once = judge(step, out.path, spheres, places)
        if at_once.meaning not in IN_A_WELL:
            return []
        self._learn(at_once, step)
        shuffled = Verdict(Meaning.SHUFFLED, raw_mm=-rolled / per_mm)
        contact = out.contact_t(after) - self._lag_s
        return [tell_step(now, contact, at_once, places, again=True), tell_foreign(now, contact, shuffled)]

    def _may_believe(self, verdict: Verdict, out: Excursion, after: Level, still: float) -> bool:
        """Whether the loads have been still for long enough: the longer, the less the verdict was to be expected."""
        if verdict.sure:
            return True
        if verdict.meaning is Meaning.PLACE and not self._spheres.in_hand_g:
            return still >= UNEXPECTED_PLACE_S and not self._wavers(out.levels, after.t)
        return still >= UNSURE_S

    def _sphere_event(self, now: float, out: Excursion, verdict: Verdict, after: Level) -> LoadEvent:
        step = self._stillness.step(out.before, after)
        self._learn(verdict, step)
        self._places.learn(verdict.raw_mm, step.difference_sd * self._places.half_spacing_mm / verdict.mass_g)
        return tell_step(now, out.contact_t(after) - self._lag_s, verdict, self._places)

    def _wavers(self, levels: list[Level], now: float) -> bool:
        """Whether the weight varied of late by more than that of something that just lies there."""
        totals = [level.total for level in levels if level.t >= now - UNEXPECTED_PLACE_S]
        _, low, high = self._meter.since(now - UNEXPECTED_PLACE_S / 2)
        return max(totals) - min(totals) > LIES_STILL_G or pstdev(map(float.__add__, low, high)) > LIES_STILL_SD_G


def _is_it(came: Verdict, goes: Verdict) -> bool:
    """Whether what goes is what came."""
    return abs(came.raw_mm - goes.raw_mm) <= GUEST_MM and abs(came.mass_g - goes.mass_g) <= GUEST_SHARE * came.mass_g
