"""How likely the evidence is under a hypothesis: pictures well by well, load events step by step. Log-likelihoods."""

from collections.abc import Sequence
from math import exp, hypot, log, log1p

from companion.referee import odds
from companion.referee.hand import arm_of, hand_at, reach
from companion.referee.hypotheses import Hypothesis, Step, StepKind
from companion.referee.seen import Seen
from companion.referee.sensed import Sensed
from companion.rules import Reason, Side
from firmware_bridge.events import LoadEvent, LoadEventKind
from vision.reading import Content

NEVER = float("-inf")
STEP_KINDS = {
    StepKind.LIFT: LoadEventKind.LIFT,
    StepKind.REMOVE: LoadEventKind.LIFT,
    StepKind.PLACE: LoadEventKind.PLACE,
    StepKind.ROLL: LoadEventKind.ROLL,
}


def at_most(hypothesis: Hypothesis, sensed: Sensed) -> float:
    """What `score` cannot exceed, but for the last pictures: the prior, and events left over."""
    extra = len(sensed.steps or ()) - len(hypothesis.steps)
    return hypothesis.prior + odds.EXTRA_EVENT * max(0, extra)


def _is_whose(hypothesis: Hypothesis) -> bool:
    """Does it matter whose hand it was?"""
    return hypothesis.reason in (Reason.OPPONENTS_SPHERE, Reason.NOT_YOUR_TURN) and hypothesis.player is not None


def score(hypothesis: Hypothesis, sensed: Sensed, enough: float = NEVER) -> float:
    """Prior and evidence together, but for the last pictures, up to a constant common to all hypotheses.

    What cannot come up to `enough` is not looked at closely: its score is `NEVER`.
    """
    total = hypothesis.prior
    matched: tuple[LoadEvent | None, ...] = (None,) * len(hypothesis.steps)
    if sensed.steps is not None:
        loads, matched = align(hypothesis.steps, sensed)
        total += loads
        if total < enough:
            return NEVER
        total += _pictures_between(hypothesis, matched, sensed) + shown_before(hypothesis, matched, sensed)
        if hypothesis.reason is Reason.ROLLED and sensed.lifted_g >= odds.LIFTED_G:
            total += odds.ROLLED_YET_LIFTED
        elif hypothesis.reason is Reason.ROLLED and sensed.dipped_g >= odds.DIPPED_G:
            total += odds.ROLLED_YET_LIGHTER
        if sensed.stayed and _lifts_unfelt(hypothesis, matched):
            total += odds.LIFTED_YET_HEAVY
    return total + _arms(hypothesis, matched, sensed)


def _lifts_unfelt(hypothesis: Hypothesis, matched: tuple[LoadEvent | None, ...]) -> bool:
    """Would a sphere have left the board without a word of the load cells?"""
    lifts = (StepKind.LIFT, StepKind.REMOVE)
    return any(e is None and s.kind in lifts for s, e in zip(hypothesis.steps, matched, strict=True))


def _arms(hypothesis: Hypothesis, matched: tuple[LoadEvent | None, ...], sensed: Sensed) -> float:
    """Whose arm it was that touched a sphere of the player's whose turn it is not, in the pictures taken meanwhile."""
    return sum(-log1p(exp(-2 * arm)) for arm in arms_seen(hypothesis, matched, sensed))


def arms_seen(hypothesis: Hypothesis, matched: tuple[LoadEvent | None, ...], sensed: Sensed) -> list[float]:
    """For each part where it matters whose hand it was: how clearly the player's own arm was seen there (log-odds / 2).

    Below 0 the other one's was seen.
    """
    found, done = [], 0
    for part in hypothesis.parts or (hypothesis,):
        last = matched[done + len(part.steps) - 1] if part.steps else None
        done += len(part.steps)
        if not _is_whose(part) or part.player is None:
            continue
        until = float("inf") if last is None else last.t_contact + odds.HAND_LEAVES
        found.append(_arm(part.player, tuple(step.well for step in part.steps), until, sensed))
    return found


def _arm(player: Side, wells: tuple[int, ...], until: float, sensed: Sensed) -> float:
    return sensed.once(
        ("arm", player, wells, until),
        lambda: arm_of(sensed.hidden[sensed.times <= until], player, wells),
    )


def _player_of(hypothesis: Hypothesis, i: int) -> Side | None:
    """Who does step `i`."""
    for part in hypothesis.parts:
        if i < len(part.steps):
            return part.player
        i -= len(part.steps)
    return hypothesis.player


def align(steps: Sequence[Step], sensed: Sensed) -> tuple[float, tuple[LoadEvent | None, ...]]:
    """The best matching, in order, of a hypothesis's steps with the load events: its log-likelihood and the matches."""
    events = sensed.steps or ()
    if len(events) == len(steps):
        fits = [_fit(step, j, sensed) for j, step in enumerate(steps)]
        # Whatever leaves one of each over is no better than this.
        if sum(fits) >= odds.EXTRA_EVENT + max((_missed(step, sensed) for step in steps), default=0.0):
            return sum(fits), events
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
                if j < len(events) and (match := _fit(steps[i], j, sensed)) > NEVER:
                    _keep(best, (i + 1, j + 1), value + match, (*matched, events[j]))
    return best[len(steps), len(events)]


def _fit(step: Step, event: int, sensed: Sensed) -> float:
    """How well a step fits the event of this number; `NEVER` where it is of another kind."""
    assert sensed.steps is not None
    match = lambda: match_step(step, sensed.steps[event], sensed)  # noqa: E731
    return sensed.once(("fit", step, event), match)


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
    return sensed.missed


def match_step(step: Step, event: LoadEvent, sensed: Sensed) -> float:
    """How well a load event fits a step; `NEVER` where it is of another kind."""
    if STEP_KINDS[step.kind] is not event.kind:
        return NEVER
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
        where = (step.well, now.t_contact, following.t_contact)
        total += _gone(*where, sensed)
        if _sets_back(hypothesis, i):
            total += _in_fingers(*where, _player_of(hypothesis, i), sensed)
    return total


def _meanwhile(lifted: float, placed: float, sensed: Sensed) -> list[Seen]:
    """The pictures of a sphere in hand."""
    return [p for p in sensed.found if lifted + odds.CONTACT_BLUR < p.t < placed - odds.CONTACT_BLUR]


def _gone(well: int, lifted: float, placed: float, sensed: Sensed) -> float:
    """Is the well seen to be empty meanwhile? Half hidden it may show the sphere that is just carried over it."""

    def answer() -> float:
        between = _meanwhile(lifted, placed, sensed)
        return min((float(p.loglik[well, Content.EMPTY]) for p in between if p.visible[well] > 0.5), default=0.0)

    return sensed.once(("gone", well, lifted, placed), answer)


def _in_fingers(well: int, lifted: float, placed: float, player: Side | None, sensed: Sensed) -> float:
    """Has a hand the sphere of this well in its fingers from one moment to the other?"""

    def answer() -> float:
        between = _meanwhile(lifted, placed, sensed)
        reached = log(reach(between, player)[well]) if between and player is not None else 0.0
        return reached + hand_at(sensed.pictures, well, (lifted, placed))

    return sensed.once(("fingers", well, lifted, placed, player), answer)


def shown_before(hypothesis: Hypothesis, matched: tuple[LoadEvent | None, ...], sensed: Sensed) -> float:
    """Pictures taken before a sphere was lifted must show it in its well."""
    total = 0.0
    placed: dict[int, float] = {}
    for step, event in zip(hypothesis.steps, matched, strict=True):
        if event is not None and step.kind is StepKind.PLACE:
            placed[step.well] = event.t_contact + odds.PICTURE_AFTER_CONTACT
        if event is not None and step.kind in (StepKind.LIFT, StepKind.REMOVE):
            since = placed.get(step.well, float("-inf"))
            total += _there(step.well, step.content, since, event.t_contact - odds.CONTACT_BLUR, sensed)
    return total


def _there(well: int, content: int, since: float, until: float, sensed: Sensed) -> float:
    """Was this seen in the well, in the last pictures of that time?"""

    def answer() -> float:
        shown = [p for p in sensed.found if since < p.t < until and p.visible[well] > 0.5][-odds.PICTURES_BEFORE :]
        return max((float(p.loglik[well, content]) for p in shown if shown[-1].t - p.t <= odds.BEFORE_S), default=0.0)

    return sensed.once(("there", well, content, since, until), answer)


def _sets_back(hypothesis: Hypothesis, i: int) -> bool:
    """Does the sphere lifted with step `i` go back where it came from?"""
    following = hypothesis.steps[i + 1]
    return following.kind is StepKind.PLACE and following.well == hypothesis.steps[i].well
