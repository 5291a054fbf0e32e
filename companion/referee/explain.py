"""Explains what changed since the last settled position, once the board is quiet; rules when it is sure."""

from dataclasses import replace

import numpy as np

from companion.referee import odds
from companion.referee import possible as hyp
from companion.referee.candidates import candidates
from companion.referee.hand import FILES, hand_from
from companion.referee.hypotheses import Hypothesis, Meaning, StepKind, placement_of
from companion.referee.lightness import late_totals, weighed_before
from companion.referee.likelihood import align
from companion.referee.rulings import Candidate, Question, Ruling
from companion.referee.sensed import Sensed
from companion.referee.set_back import (
    WORTH_ASKING,
    ask_what_was_set_back,
    may_be_set_back,
    set_back_unclear,
    shows_itself_later,
)
from companion.referee.standing import differs_now, is_like_a_move, lost_track, stands, was_disarranged
from companion.referee.state import Phase, RefereeState, Setup, Verdict
from companion.referee.sureness import displaced_somehow, fits, is_sure, sure_end, was_seen
from companion.referee.verdicts import settle
from companion.referee.weighing import weighed
from firmware_bridge.events import LoadEvent, LoadEventKind
from vision.reading import Content

ANSWERS = 4
"""So many candidates a person can choose from at a glance."""
Result = tuple[RefereeState, tuple[Ruling, ...]]


def explain(setup: Setup, state: RefereeState, t: float) -> Result:
    """Finds the explanation of the evidence so far, if the moment has come to look for one."""
    state = _note_change(state, t)
    if state.changed_since is None:
        return state, ()
    loads = _loads_to_rely_on(setup, state, t)
    if loads and state.load is not None and (state.load.touching or state.fault_since is not None):
        return state, ()
    sensed = _sensed(setup, state, loads)
    if not _enough_seen(setup, state, sensed, t):
        return state, ()
    if state.phase is Phase.RESTORING and stands(state, placement_of(state.position), odds.RIGHT_AGAIN):
        return settle(state, hyp.right_again(state.position), 1.0, t)
    return _decide(state, sensed, _verdict(state, sensed), t)


def _decide(state: RefereeState, sensed: Sensed, verdict: Verdict, t: float) -> Result:
    """Rules, waits, forgets or asks."""
    found = verdict.found
    in_hand = found.steps[-1].well if found.meaning is Meaning.IN_HAND else None
    same = state.verdict is not None and state.verdict.found.after == found.after
    state = replace(state, in_hand=in_hand, verdict=verdict, verdict_since=state.verdict_since if same else t)
    if found.meaning is Meaning.IN_HAND or (found.meaning is Meaning.NOTHING and differs_now(state)):
        return state, ()
    if sensed.steps is None:
        if is_sure(verdict, sensed):
            return _camera_alone(state, found, verdict.p, t)
    elif not _lacks_a_sphere(state, found) and _word_given(found, sensed, state, t):
        if found.meaning is Meaning.NOTHING and is_sure(verdict, sensed):
            return settle(state, found, verdict.p, t)
        concluded = None if _hand_still_at(found, state, sensed) else _conclude(state, sensed, verdict, t)
        if concluded is not None:
            return _with_lift_since(concluded, found, sensed)
    by_time = _settled_by_time(state, sensed, verdict, t)
    if by_time is not None:
        return by_time
    if _worth_asking(state, sensed, verdict, t):
        return _ask(state, sensed, verdict, t)
    return state, ()


def _settled_by_time(state: RefereeState, sensed: Sensed, verdict: Verdict, t: float) -> Result | None:
    """What the evidence leaves open, but has stood for long enough."""
    moved = displaced_somehow(verdict, sensed) if sensed.finals and sensed.steps is not None else None
    if moved is not None and _word_given(moved, sensed, state, t):
        seen = fits(moved, sensed) and was_seen(moved, sensed)
        return _with_lift_since(_camera_alone(state, moved, verdict.p, t), moved, sensed) if seen else None
    if was_disarranged(state) and stands(state, state.standing, odds.RIGHT_AGAIN):
        return settle(state, hyp.nothing(state.standing), 1.0, t)
    if stands(state, state.standing, odds.FORGET_AFTER) and not shows_itself_later(verdict, sensed):
        return settle(state, hyp.nothing(state.standing), 1.0, t)
    return None


def _hand_still_at(found: Hypothesis, state: RefereeState, sensed: Sensed) -> bool:
    """Is a hand still where the last sphere was set down? It may take it on to the next well. Told by video only."""
    pictures, last = state.pictures, found.steps[-1] if found.steps else None
    video = len(pictures) > 1 and pictures[-1].t - pictures[-2].t < odds.VIDEO_SPACING
    if last is None or not video or pictures[-1].t - sensed.last_contact > odds.HAND_STAYS:
        return False
    well = last.well if last.to_well is None else last.to_well
    hidden = np.flatnonzero(pictures[-1].visible < 0.5)
    return any(abs(w // FILES - well // FILES) <= 1 and abs(w % FILES - well % FILES) <= 1 for w in map(int, hidden))


def _with_lift_since(result: Result, found: Hypothesis, sensed: Sensed) -> Result:
    """A lift that came after all that is ruled on belongs to the next turn."""
    state, rulings = result
    matched = align(found.steps, sensed)[1]
    last = (sensed.steps or (None,))[-1]
    over = not rulings or state.phase is Phase.AWAIT_START
    if over or last is None or last.kind is not LoadEventKind.LIFT or last in matched:
        return result
    return replace(state, steps=(last,), used_until=min(state.used_until, last.t_contact)), rulings


def _lacks_a_sphere(state: RefereeState, found: Hypothesis) -> bool:
    """Is the board lighter now than it should be if this were all? Then somebody has a sphere in hand."""
    load, weight = state.load, state.weight_g
    if load is None or weight is None or load.total_g is None or load.touching or load.faults:
        return False
    fewer = sum(map(bool, state.standing)) - sum(map(bool, found.after))
    lightest, heaviest = odds.LIGHTER_G
    return not fewer and lightest <= weight - load.total_g <= heaviest


def before_lift(setup: Setup, state: RefereeState, lift: LoadEvent) -> Result:
    """A lift begins something new: what came before it is settled, if the board was in plain sight in between.

    Steps that have changed nothing are let go of then: they would only be mixed up with what follows. What is not clear
    even now is asked. Before a tip nothing else is settled: what was done just before was cut short by it.
    """
    last_step = max((s.t_contact for s in state.steps), default=float("inf"))
    seen = [p for p in state.pictures if p.t < lift.t_contact - odds.CONTACT_ERROR]
    while seen and not seen[-1].sees_all():
        seen.pop()
    clear = [p for p in seen if p.t > last_step + odds.PICTURE_AFTER_CONTACT and p.sees_all()]
    if not _loads_to_rely_on(setup, state, lift.t) or not clear or clear[-1].t - clear[0].t < odds.CLEAR_VIEW:
        return state, ()
    earlier = weighed_before(replace(state, pictures=tuple(seen)), lift.t_contact)
    sensed = _sensed(setup, earlier, True)
    verdict = _verdict(earlier, sensed)
    nothing_changed = clear[-1].shows(state.standing)
    if lift.kind is LoadEventKind.TIP:
        forgotten = nothing_changed and verdict.found.meaning is Meaning.NOTHING and verdict.p >= odds.SURE_MOVE
        return (replace(state, steps=()) if forgotten else state), ()
    after, rulings = _conclude(earlier, sensed, verdict, lift.t) or (None, ())
    if after is None and nothing_changed and (was_disarranged(earlier) or not may_be_set_back(verdict)):
        after, rulings = settle(earlier, hyp.nothing(state.standing), 1.0, lift.t)
    if after is None:
        unclear = not nothing_changed and verdict.found.meaning is not Meaning.IN_HAND and not state.asked
        lost = is_like_a_move(clear[-1], state) or lost_track(earlier)
        if unclear and state.phase is Phase.PLAYING and lost:
            return _ask(state, sensed, verdict, lift.t)
        return state, ()
    later = tuple(p for p in state.pictures if p.t > seen[-1].t)
    return replace(after, pictures=(*after.pictures, *later)), rulings


def _conclude(state: RefereeState, sensed: Sensed, verdict: Verdict, t: float) -> Result | None:
    """Rules on what is sure, and asks about what has been touched besides; None where nothing is sure."""
    if verdict.found.meaning in (Meaning.IN_HAND, Meaning.NOTHING):
        return None
    if is_sure(verdict, sensed):
        return settle(state, verdict.found, verdict.p, t)
    if set_back_unclear(state, verdict, sensed):
        return ask_what_was_set_back(state, verdict, hyp.nothing(state.standing), 1.0, t)
    p, last = sure_end(verdict, sensed)
    sure = last is not None and p >= odds.SURE_MOVE and fits(verdict.found, sensed) and was_seen(last, sensed)
    if last is not None and sure:
        return ask_what_was_set_back(state, verdict, last, p, t)
    return None


def _worth_asking(state: RefereeState, sensed: Sensed, verdict: Verdict, t: float) -> bool:
    """All has been quiet for long, and it is still not clear what happened."""
    hand_over = sensed.steps is None and not state.pictures[-1].sees_all()
    if state.asked or hand_over or shows_itself_later(verdict, sensed):
        return False
    assert state.changed_since is not None
    patience = odds.ASK_AFTER if state.pictures else odds.ASK_BLIND_AFTER
    return t - max(state.changed_since, sensed.last_contact, state.verdict_since) >= patience


def _camera_alone(state: RefereeState, found: Hypothesis, p: float, t: float) -> Result:
    """Without load cells a rolled sphere looks like a moved one, until it goes back.

    So a move stays replaceable until the opponent acts, or it has stood for a while with its player's hand away.
    """
    if found.meaning is Meaning.TWO_MOVES:
        return settle(state, hyp.first_of_two(state.position, found), p, t)
    if found.meaning is not Meaning.MOVE:
        return settle(state, found, p, t)
    assert state.changed_since is not None
    mover = state.position.side
    since_then = [p for p in state.pictures if p.t > state.changed_since]
    own_hand = max((p.t for p in since_then if hand_from([p], mover)), default=state.changed_since)
    captures = state.standing[found.moves[0].to_well] != Content.EMPTY
    stood = t - own_hand >= (odds.CAPTURE_STANDS if captures else odds.MOVE_STANDS)
    if stood or hand_from(since_then, mover.other):
        return settle(state, found, p, t)
    return state, ()


def _verdict(state: RefereeState, sensed: Sensed) -> Verdict:
    """The explanations ranked; the same evidence is not weighed twice."""
    evidence = (tuple(s.t_contact for s in sensed.steps or ()), tuple(p.t for p in sensed.finals))
    known = state.verdict
    if known is not None and known.evidence == evidence and known.steps_known is (sensed.steps is not None):
        return known
    if known is not None and known.evidence[0] == evidence[0] and _still_carried(state, known):
        return known
    ranked = weighed(list(candidates(state, sensed)), sensed)
    return Verdict(evidence, sensed.steps is not None, ranked)


def _still_carried(state: RefereeState, known: Verdict) -> bool:
    """Is the sphere that was lifted still off the board? Then a new picture of the hand tells nothing new."""
    newest = state.pictures[-1].t if state.pictures else 0.0
    fresh = bool(known.evidence[1]) and newest - known.evidence[1][-1] < odds.LOOK_AGAIN
    return fresh and known.found.meaning is Meaning.IN_HAND and _lacks_a_sphere(state, hyp.nothing(state.standing))


def _note_change(state: RefereeState, t: float) -> RefereeState:
    """Is there anything to explain: a step felt, or a picture that does not show what should stand?"""
    if state.steps or differs_now(state):
        return state if state.changed_since is not None else replace(state, changed_since=t)
    if state.changed_since is None:
        return state
    return replace(state, changed_since=None, asked=False, in_hand=None)


def _loads_to_rely_on(setup: Setup, state: RefereeState, t: float) -> bool:
    """A fault that lasts is a lost witness; a short one is waited for."""
    load = state.load
    if not setup.loads or load is None or t - load.t > odds.LOADS_LOST_AFTER:
        return False
    return state.fault_since is None or t - state.fault_since < odds.FAULT_GRACE


def _sensed(setup: Setup, state: RefereeState, loads: bool) -> Sensed:
    steps = tuple(sorted(state.steps, key=lambda e: e.t_contact)) if loads else None
    axis = 1 if setup.axis == "ranks" else 0
    lifted_g = 0.0
    if loads and state.weight_g is not None and state.lightest_g is not None:
        lifted_g = state.weight_g - state.lightest_g
    blurred = state.longest_touch > odds.DROWNS_AFTER or state.blurred or _unweighed(state)
    watched = loads and state.weight_g is not None and not (blurred or state.foreign)
    # A board that is heavier now than it should be was not weighed rightly before.
    last = late_totals(state)[-odds.DIP_TOTALS :]
    heavier = sum(last) / max(1, len(last)) - (state.weight_g or 0.0)
    stayed = watched and state.dipped_g < odds.STAYED_G and heavier < odds.LIFTED_G and _began_at_rest(state)
    known = setup.half_spacing_mm is not None
    return Sensed(steps, state.pictures, axis, setup.grid, known, lifted_g, blurred, stayed, state.dipped_g)


def _unweighed(state: RefereeState) -> bool:
    """Have the pictures gone on for a while without a load?"""
    newest = state.pictures[-1].t if state.pictures else None
    return newest is not None and state.weighed_at is not None and newest - state.weighed_at > odds.UNWEIGHED_S


def _began_at_rest(state: RefereeState) -> bool:
    """Had the board been weighed again since the last ruling when this began? Else a sphere may have been in hand.

    It began when it was first seen, also where a hand has covered it for a while since.
    """
    seen = [p.t for p in state.pictures if p.t > state.used_until and p.contradicted(state.standing).any()]
    began = min((*seen[:1], *(() if state.changed_since is None else (state.changed_since,))), default=float("inf"))
    return began - state.used_until >= odds.AVERAGED_S


def _enough_seen(setup: Setup, state: RefereeState, sensed: Sensed, t: float) -> bool:
    finals = sensed.finals
    camera = setup.camera and bool(state.pictures) and t - state.pictures[-1].t <= odds.CAMERA_LOST_AFTER
    if sensed.steps is None:
        return len(finals) == 2
    if camera:
        return bool(finals)
    return t - sensed.last_contact >= 1.0


def _word_given(found: Hypothesis, sensed: Sensed, state: RefereeState, t: float) -> bool:
    """Have the load cells said what they have to say about it? Else they are given time."""
    if sensed.steps is None:
        return True
    _, matched = align(found.steps, sensed)
    if all(matched) and len(sensed.steps) == len(found.steps):
        return True
    assert state.changed_since is not None
    wait = odds.UNPAIRED_WAIT if sensed.steps else odds.LOADS_LAG
    return t - max(state.changed_since, sensed.last_contact) >= wait


def _ask(state: RefereeState, sensed: Sensed, verdict: Verdict, t: float) -> Result:
    worth = [pair for pair in verdict.ranked[:ANSWERS] if pair[0] >= WORTH_ASKING] or verdict.ranked[:ANSWERS]
    # The likeliest of bad explanations may still be none.
    trust = 1.0 if fits(verdict.found, sensed) else 0.5
    answers = tuple(Candidate(said(h), round(p * trust, 4)) for p, h in worth)
    if trust < 1:
        answers = (*answers, Candidate("something_else", 1 - trust))
    state = replace(state, asked=True, lost=not state.pictures, ruled_by=verdict)
    return state, (Question(t, "move", answers),)


def said(hypothesis: Hypothesis) -> str:
    """The hypothesis as a candidate's text: what answers and screens know it by."""
    if hypothesis.meaning is Meaning.UNCLEAR:
        return "something_else"
    if not hypothesis.moves:
        return hypothesis.meaning.value
    rolled = " rolled" if hypothesis.steps and hypothesis.steps[0].kind is StepKind.ROLL else ""
    return " ".join(str(m) for m in hypothesis.moves) + rolled
