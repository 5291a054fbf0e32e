"""Explains what changed since the last settled position, once the board is quiet; rules when it is sure."""

from dataclasses import replace
from itertools import takewhile

from companion.referee import hypotheses as hyp
from companion.referee import odds
from companion.referee.candidates import candidates
from companion.referee.hand import hand_from
from companion.referee.hypotheses import Hypothesis, Meaning, Placement, StepKind
from companion.referee.likelihood import Sensed, align, posterior, score
from companion.referee.rulings import Candidate, Question, Ruling
from companion.referee.state import Phase, RefereeState, Setup, Verdict
from companion.referee.verdicts import settle
from vision.reading import Content

ANSWERS = 4
"""So many candidates a person can choose from at a glance."""
WORTH_ASKING = 0.01
"""Less likely candidates are not offered."""
Result = tuple[RefereeState, tuple[Ruling, ...]]
SURE = {
    Meaning.MOVE: odds.SURE_MOVE,
    Meaning.TWO_MOVES: odds.SURE_MOVE,
    Meaning.ILLEGAL: odds.SURE_ILLEGAL,
    Meaning.PUT_BACK: odds.SURE_PUT_BACK,
    Meaning.PUT_BACK_THEN: odds.SURE_PUT_BACK_THEN,
    Meaning.RESTORED: odds.SURE_MOVE,
    Meaning.NOTHING: odds.SURE_MOVE,
}


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
    if state.phase is Phase.RESTORING and _stands(state, hyp.placement_of(state.position), odds.RIGHT_AGAIN):
        return settle(state, hyp.right_again(state.position), 1.0, t)
    return _decide(state, sensed, _verdict(state, sensed), t)


def _decide(state: RefereeState, sensed: Sensed, verdict: Verdict, t: float) -> Result:
    """Rules, waits, forgets or asks."""
    found = verdict.found
    in_hand = found.steps[-1].well if found.meaning is Meaning.IN_HAND else None
    same = state.verdict is not None and state.verdict.found.after == found.after
    state = replace(state, in_hand=in_hand, verdict=verdict, verdict_since=state.verdict_since if same else t)
    if found.meaning is Meaning.IN_HAND or (found.meaning is Meaning.NOTHING and _differs_now(state)):
        return state, ()
    if verdict.p >= SURE[found.meaning] and _fits(found, sensed) and _was_seen(found, sensed):
        if sensed.steps is None:
            return _camera_alone(state, found, verdict.p, t)
        if _word_given(found, sensed, state, t):
            return settle(state, found, verdict.p, t)
    if _stands(state, state.standing, odds.FORGET_AFTER) and not _shows_itself_later(verdict, sensed):
        return settle(state, hyp.nothing(state.standing), 1.0, t)
    if _worth_asking(state, sensed, verdict, t):
        return _ask(state, sensed, verdict, t)
    return state, ()


def _worth_asking(state: RefereeState, sensed: Sensed, verdict: Verdict, t: float) -> bool:
    """All has been quiet for long, and it is still not clear what happened."""
    hand_over = sensed.steps is None and not state.pictures[-1].sees_all()
    if state.asked or hand_over or _shows_itself_later(verdict, sensed):
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


def _stands(state: RefereeState, placement: Placement, seconds: float) -> bool:
    """Has this stood in plain sight, all of it, for so long since the last step? Then it matters not how it came."""
    clear = list(takewhile(lambda p: p.sees_all() and p.shows(placement), reversed(state.pictures)))
    last_step = max((s.t_contact for s in state.steps), default=float("-inf"))
    return bool(clear) and clear[0].t - max(clear[-1].t, last_step) >= seconds


def _shows_itself_later(verdict: Verdict, sensed: Sensed) -> bool:
    """Some sphere was set back, and it is not clear which: the same one must move next, and that will tell."""
    set_back = [(p, found) for p, found in verdict.ranked if found.meaning is Meaning.PUT_BACK]
    return sum(p for p, _ in set_back) >= odds.SURE_PUT_BACK and _fits(set_back[0][1], sensed)


def _verdict(state: RefereeState, sensed: Sensed) -> Verdict:
    """The explanations ranked; the same evidence is not weighed twice."""
    evidence = (tuple(s.t_contact for s in sensed.steps or ()), tuple(p.t for p in sensed.final_pictures()))
    known = state.verdict
    if known is not None and known.evidence == evidence and known.steps_known is (sensed.steps is not None):
        return known
    possible = list(candidates(state, sensed))
    chances = posterior([score(h, sensed) for h in possible])
    ranked = sorted(zip(chances, possible, strict=True), key=lambda pair: -pair[0])[:ANSWERS]
    return Verdict(evidence, sensed.steps is not None, tuple(ranked))


def _note_change(state: RefereeState, t: float) -> RefereeState:
    """Is there anything to explain: a step felt, or a picture that does not show what should stand?"""
    if state.steps or _differs_now(state):
        return state if state.changed_since is not None else replace(state, changed_since=t)
    if state.changed_since is None:
        return state
    return replace(state, changed_since=None, asked=False, in_hand=None)


def _differs_now(state: RefereeState) -> bool:
    """Does the newest picture show something else than what should stand?"""
    newest = state.pictures[-1] if state.pictures else None
    return newest is not None and newest.board_found and bool(newest.contradicted(state.standing).any())


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
    return Sensed(steps, state.pictures, axis, setup.grid, setup.half_spacing_mm is not None, lifted_g)


def _enough_seen(setup: Setup, state: RefereeState, sensed: Sensed, t: float) -> bool:
    finals = sensed.final_pictures()
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


def _fits(found: Hypothesis, sensed: Sensed) -> bool:
    """The likeliest of bad explanations is no explanation."""
    if any(p.under(found.after) < odds.FITS_PICTURES for p in sensed.final_pictures()):
        return False
    if sensed.steps is None:
        return True
    # That a sphere was set back nobody sees afterwards: it takes the whole word of the load cells.
    enough = odds.FITS_EXACTLY if found.meaning is Meaning.PUT_BACK else odds.FITS_LOADS
    return align(found.steps, sensed)[0] > enough


def _was_seen(found: Hypothesis, sensed: Sensed) -> bool:
    """Where there is a camera, nobody is told about a well that a hand has covered ever since."""
    wells = {well for step in found.steps for well in (step.well, step.to_well) if well is not None}
    finals = sensed.final_pictures()
    return not finals or all(any(p.visible[well] > 0.5 for p in finals) for well in wells)


def _ask(state: RefereeState, sensed: Sensed, verdict: Verdict, t: float) -> Result:
    worth = [pair for pair in verdict.ranked if pair[0] >= WORTH_ASKING] or verdict.ranked
    # The likeliest of bad explanations may still be none.
    trust = 1.0 if _fits(verdict.found, sensed) else 0.5
    answers = tuple(Candidate(_said(h), round(p * trust, 4)) for p, h in worth)
    if trust < 1:
        answers = (*answers, Candidate("something_else", 1 - trust))
    return replace(state, asked=True, lost=not state.pictures), (Question(t, "move", answers),)


def _said(hypothesis: Hypothesis) -> str:
    if not hypothesis.moves:
        return hypothesis.meaning.value
    rolled = " rolled" if hypothesis.steps and hypothesis.steps[0].kind is StepKind.ROLL else ""
    return " ".join(str(m) for m in hypothesis.moves) + rolled
