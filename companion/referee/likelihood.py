"""How likely the evidence is under a hypothesis: pictures well by well, load events step by step. Log-likelihoods."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot, log

from companion.referee import odds
from companion.referee.hand import arm_of, hand_at, reach
from companion.referee.hypotheses import Hypothesis, Step, StepKind
from companion.referee.seen import Seen
from companion.rules import Reason
from firmware_bridge.events import LoadEvent, LoadEventKind
from vision.geometry import Grid
from vision.reading import Content

STEP_KINDS = {
    StepKind.LIFT: LoadEventKind.LIFT,
    StepKind.REMOVE: LoadEventKind.LIFT,
    StepKind.PLACE: LoadEventKind.PLACE,
    StepKind.ROLL: LoadEventKind.ROLL,
}


@dataclass(frozen=True, slots=True)
class Sensed:
    """The evidence since the last settled position.

    `steps` are the lifts, placings and rolls that the cells reported, None where there are no load cells to rely on.
    `lifted_g` is by how much the board was lighter at rest meanwhile. `blurred`: a hand bore on the board for so long
    that lifts and placings may have drowned in it. `pictures` are in order of time. `axis` is 1
    where positions along the pinnacles are y (ranks), 0 for x (files).
    """

    steps: tuple[LoadEvent, ...] | None
    pictures: tuple[Seen, ...]
    axis: int
    grid: Grid
    half_spacing_known: bool = True
    lifted_g: float = 0.0
    blurred: bool = False

    @property
    def last_contact(self) -> float:
        """When a sphere last touched or left the board. A roll ends only a little before it is known."""
        if not self.steps:
            return float("-inf")
        last = self.steps[-1]
        return last.t - odds.ROLL_KNOWN_AFTER if last.kind is LoadEventKind.ROLL else last.t_contact

    def is_near(self, event: LoadEvent, well: int) -> bool:
        """May the event have been at this well, going by its place along the pinnacles?"""
        if event.p_mm is None or not self.half_spacing_known:
            return True
        off = abs(event.p_mm - self.grid.centre_mm(well)[self.axis])
        return off <= 3 * hypot(event.p_sd_mm, odds.PLACE_SLACK_MM)

    def final_pictures(self) -> tuple[Seen, ...]:
        """What the board looks like after the last step: the newest picture, and an earlier one that agrees with it."""
        after = self.last_contact + odds.PICTURE_AFTER_CONTACT
        finals = [p for p in self.pictures if p.t >= after and p.board_found]
        if not finals:
            return ()
        newest = finals[-1]
        earlier = [p for p in finals if newest.t - p.t >= odds.STEADY_PICTURES][-1:]
        return (*(p for p in earlier if p.agrees_with(newest)), newest)


def score(hypothesis: Hypothesis, sensed: Sensed) -> float:
    """Prior and evidence together, up to a constant common to all hypotheses."""
    finals = sensed.final_pictures()
    total = hypothesis.prior + sum(p.under(hypothesis.after) for p in finals)
    if hypothesis.reason in (Reason.OPPONENTS_SPHERE, Reason.NOT_YOUR_TURN) and hypothesis.player is not None:
        wells = [step.well for step in hypothesis.steps]
        total += arm_of(sensed.pictures, hypothesis.player, wells)
    if sensed.steps is not None:
        loads, matched = align(hypothesis.steps, sensed)
        total += loads + _pictures_between(hypothesis, matched, sensed) + shown_before(hypothesis, matched, sensed)
        if hypothesis.reason is Reason.ROLLED and sensed.lifted_g >= odds.LIFTED_G:
            total += odds.ROLLED_YET_LIFTED
    return total


def align(steps: Sequence[Step], sensed: Sensed) -> tuple[float, tuple[LoadEvent | None, ...]]:
    """The best matching, in order, of a hypothesis's steps with the load events: its log-likelihood and the matches."""
    events = sensed.steps or ()
    best: dict[tuple[int, int], tuple[float, tuple[LoadEvent | None, ...]]] = {(0, 0): (0.0, ())}
    for i in range(len(steps) + 1):
        for j in range(len(events) + 1):
            here = best.get((i, j))
            if here is None:
                continue
            value, matched = here
            if j < len(events):
                _keep(best, (i, j + 1), value + odds.EXTRA_EVENT, matched)
            if i < len(steps):
                _keep(best, (i + 1, j), value + _missed(steps[i], sensed), (*matched, None))
                if j < len(events):
                    match = match_step(steps[i], events[j], sensed)
                    if match is not None:
                        _keep(best, (i + 1, j + 1), value + match, (*matched, events[j]))
    return best[len(steps), len(events)]


def _keep(
    best: dict[tuple[int, int], tuple[float, tuple[LoadEvent | None, ...]]],
    key: tuple[int, int],
    value: float,
    matched: tuple[LoadEvent | None, ...],
) -> None:
    if key not in best or best[key][0] < value:
        best[key] = (value, matched)


def _missed(step: Step, sensed: Sensed) -> float:
    """A roll along the line between the pinnacles' sides moves no moment: the cells cannot feel it."""
    if step.kind is StepKind.ROLL and step.to_well is not None and _p(step.well, sensed) == _p(step.to_well, sensed):
        return 0.0
    if sensed.blurred:
        return odds.DROWNED_EVENT
    unread = sensed.lifted_g >= odds.LIFTED_G and not any(e.kind is LoadEventKind.LIFT for e in sensed.steps or ())
    return odds.UNREAD_EVENT if unread else odds.MISSED_EVENT


def match_step(step: Step, event: LoadEvent, sensed: Sensed) -> float | None:
    """How well a load event fits a step; None where it is of another kind."""
    if STEP_KINDS[step.kind] is not event.kind:
        return None
    fit = _misfit(event.p_mm, _p(step.well, sensed), event.p_sd_mm, sensed)
    if step.to_well is not None:
        fit += _misfit(event.to_p_mm, _p(step.to_well, sensed), event.p_sd_mm, sensed)
    return max(fit, odds.WORST_MATCH)


def _misfit(measured: float | None, expected: float, sd: float, sensed: Sensed) -> float:
    if measured is None or not sensed.half_spacing_known:
        return 0.0
    return -0.5 * ((measured - expected) / hypot(sd, odds.PLACE_SLACK_MM)) ** 2


def _p(well: int, sensed: Sensed) -> float:
    return sensed.grid.centre_mm(well)[sensed.axis]


def _pictures_between(hypothesis: Hypothesis, matched: tuple[LoadEvent | None, ...], sensed: Sensed) -> float:
    """Pictures taken while a sphere was in hand must not show it in its well."""
    total = 0.0
    for i, step in enumerate(hypothesis.steps[:-1]):
        now, following = matched[i], matched[i + 1]
        if step.kind not in (StepKind.LIFT, StepKind.REMOVE) or now is None or following is None:
            continue
        start, end = now.t_contact + odds.CONTACT_BLUR, following.t_contact - odds.CONTACT_BLUR
        between = [p for p in sensed.pictures if start < p.t < end and p.board_found]
        if between:
            # A well half hidden may show the sphere that is just being carried over it.
            shown = [float(p.loglik[step.well, Content.EMPTY]) for p in between if p.visible[step.well] > 0.5]
            total += min(shown, default=0.0)
            if _sets_back(hypothesis, i) and hypothesis.player is not None:
                total += log(reach(between, hypothesis.player)[step.well])
        if _sets_back(hypothesis, i):
            total += hand_at(sensed.pictures, step.well, (now.t_contact, following.t_contact))
    return total


def shown_before(hypothesis: Hypothesis, matched: tuple[LoadEvent | None, ...], sensed: Sensed) -> float:
    """Pictures taken before a sphere was lifted must show it in its well."""
    total = 0.0
    for step, event in zip(hypothesis.steps, matched, strict=True):
        if event is None or step.kind not in (StepKind.LIFT, StepKind.REMOVE):
            continue
        before = [
            float(p.loglik[step.well, step.content])
            for p in sensed.pictures
            if p.t < event.t_contact - odds.CONTACT_BLUR and p.board_found and p.visible[step.well] > 0.5
        ]
        total += max(before[-odds.PICTURES_BEFORE :], default=0.0)
    return total


def _sets_back(hypothesis: Hypothesis, i: int) -> bool:
    """Does the sphere lifted with step `i` go back where it came from?"""
    following = hypothesis.steps[i + 1]
    return following.kind is StepKind.PLACE and following.well == hypothesis.steps[i].well


def posterior(scores: Sequence[float]) -> list[float]:
    """Scores as probabilities that add up to 1."""
    top = max(scores)
    weights = [exp(s - top) for s in scores]
    total = sum(weights)
    return [w / total for w in weights]
