"""Explains what changed since the last settled position, once the board is quiet; rules when it is sure."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from companion.referee import hypotheses as hyp
from companion.referee import odds
from companion.referee.hand import hand_from
from companion.referee.hypotheses import Hypothesis, Meaning, StepKind
from companion.referee.likelihood import Sensed, align, posterior, score
from companion.referee.rulings import Candidate, Question, Ruling
from companion.referee.state import Phase, RefereeState, Setup, Verdict
from companion.referee.verdicts import settle
from firmware_bridge.events import LoadEventKind
from vision.reading import Content

ANSWERS = 4
"""So many candidates a person can choose from at a glance."""
WELLS_OF_A_MOVE = 2
"""A move changes two wells; more have another explanation."""
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
    if loads and state.load is not None and (state.load.touching or state.load.faults):
        return state, ()
    sensed = _sensed(setup, state, loads)
    if not _enough_seen(setup, state, sensed, t):
        return state, ()
    verdict = _verdict(state, sensed)
    found = verdict.found
    in_hand = found.steps[-1].well if found.meaning is Meaning.IN_HAND else None
    same = state.verdict is not None and state.verdict.found.after == found.after
    state = replace(state, in_hand=in_hand, verdict=verdict, verdict_since=state.verdict_since if same else t)
    if found.meaning is Meaning.IN_HAND or (found.meaning is Meaning.NOTHING and _differs_now(state)):
        return state, ()
    sure = verdict.p >= SURE[found.meaning] and _fits(found, sensed) and _was_seen(found, sensed)
    if sure and sensed.steps is None:
        return _camera_alone(state, found, verdict.p, t)
    if sure and _word_given(found, sensed, state, t):
        return settle(state, found, verdict.p, t)
    assert state.changed_since is not None
    patience = odds.ASK_AFTER if state.pictures else odds.ASK_BLIND_AFTER
    waited = t - max(state.changed_since, sensed.last_contact, state.verdict_since) >= patience
    hand_over = sensed.steps is None and not state.pictures[-1].sees_all()
    if waited and not (state.asked or hand_over or _shows_itself_later(verdict)):
        return _ask(state, verdict, t)
    return state, ()


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


def _shows_itself_later(verdict: Verdict) -> bool:
    """Some sphere was set back, and it is not clear which: the same one must move next, and that will tell."""
    set_back = sum(p for p, found in verdict.ranked if found.meaning is Meaning.PUT_BACK)
    return set_back >= odds.SURE_PUT_BACK


def _verdict(state: RefereeState, sensed: Sensed) -> Verdict:
    """The explanations ranked; the same evidence is not weighed twice."""
    evidence = (tuple(s.t_contact for s in sensed.steps or ()), tuple(p.t for p in sensed.final_pictures()))
    known = state.verdict
    if known is not None and known.evidence == evidence and known.steps_known is (sensed.steps is not None):
        return known
    candidates = list(_candidates(state, sensed))
    chances = posterior([score(h, sensed) for h in candidates])
    ranked = sorted(zip(chances, candidates, strict=True), key=lambda pair: -pair[0])[:ANSWERS]
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
    return sensed.steps is None or align(found.steps, sensed)[0] > odds.FITS_LOADS


def _was_seen(found: Hypothesis, sensed: Sensed) -> bool:
    """Where there is a camera, nobody is told about a well that a hand has covered ever since."""
    wells = {well for step in found.steps for well in (step.well, step.to_well) if well is not None}
    finals = sensed.final_pictures()
    return not finals or all(any(p.visible[well] > 0.5 for p in finals) for well in wells)


def _candidates(state: RefereeState, sensed: Sensed) -> Iterator[Hypothesis]:
    yield hyp.nothing(state.standing)
    position = state.position
    if state.phase is Phase.RESTORING:
        assert state.wrong is not None
        yield hyp.restored(position, state.wrong, state.standing[state.wrong.to_well])
        yield from hyp.moves_from_elsewhere(position, state.standing, state.wrong)
        return
    yield from hyp.moves_made(position, state.touched)
    yield from hyp.in_hand(position, state.standing)
    yield from _wrong_displacements(state, sensed)
    lifts = sum(e.kind is LoadEventKind.LIFT for e in sensed.steps or ())
    if lifts:
        yield from hyp.put_backs(position, state.standing)
    if lifts >= 2:
        lifted, left = _first_lifted(state, sensed), _left_wells(sensed)
        yield from hyp.put_backs_then_moves(position, state.standing, lifted, left)
    if lifts >= 2 or sensed.steps is None or _wells_that_differ(state) > WELLS_OF_A_MOVE:
        yield from hyp.move_pairs(position, _left_wells(sensed))


def _first_lifted(state: RefereeState, sensed: Sensed) -> frozenset[int]:
    """The wells whose sphere may have been the first to be lifted, by the place that the load cells gave."""
    first = next((s for s in sensed.steps or () if s.kind is LoadEventKind.LIFT), None)
    wells = (well for well, content in enumerate(state.standing) if content)
    if first is None:
        return frozenset(wells)
    return frozenset(well for well in wells if sensed.is_near(first, well))


def _wells_that_differ(state: RefereeState) -> int:
    newest = state.pictures[-1] if state.pictures else None
    return 0 if newest is None else int(newest.contradicted(state.standing).sum())


def _left_wells(sensed: Sensed) -> frozenset[int]:
    """The wells that may be empty now, by the pictures: whence a sphere may have gone."""
    empty = np.ones(42, dtype=bool)
    for picture in sensed.final_pictures():
        empty &= picture.loglik[:, Content.EMPTY] > odds.CLEAREST_WELL / 2
    return frozenset(int(well) for well in np.flatnonzero(empty))


def _wrong_displacements(state: RefereeState, sensed: Sensed) -> Iterator[Hypothesis]:
    """Illegal and rolled displacements that the pictures make plausible, of the hundreds that there are."""
    finals = sensed.final_pictures()
    if not finals:
        yield from _felt_displacements(state, sensed)
        return
    loglik = sum((p.loglik for p in finals), np.zeros_like(finals[0].loglik))
    standing = np.array(state.standing)
    wells = np.arange(len(standing))
    emptied = loglik[:, 0] - loglik[wells, standing]
    # gain[a, b]: how much better the pictures are explained if the sphere of well a stands in well b
    arrives = loglik[:, standing].T - loglik[wells, standing][None, :]
    gain = emptied[:, None] + arrives
    gain[standing == 0, :] = -np.inf
    np.fill_diagonal(gain, -np.inf)
    threshold = max(float(gain.max()), 0.0) - odds.PLAUSIBLE
    for from_well, to_well in np.argwhere(gain >= threshold):
        where = (state.position, state.standing, int(from_well), int(to_well))
        yield from hyp.wrong_displacements(*where)
        if sensed.steps is not None:
            yield from hyp.rolled(*where)


def _felt_displacements(state: RefereeState, sensed: Sensed) -> Iterator[Hypothesis]:
    """Without pictures: every displacement from where a sphere may have been lifted to where one was placed."""
    places = [s for s in sensed.steps or () if s.kind is LoadEventKind.PLACE]
    for from_well in _first_lifted(state, sensed):
        for to_well, content in enumerate(state.standing):
            if content == Content.EMPTY and places and sensed.is_near(places[-1], to_well):
                yield from hyp.wrong_displacements(state.position, state.standing, from_well, to_well)


def _ask(state: RefereeState, verdict: Verdict, t: float) -> Result:
    worth = [pair for pair in verdict.ranked if pair[0] >= WORTH_ASKING] or verdict.ranked
    answers = tuple(Candidate(_said(h), round(p, 4)) for p, h in worth)
    return replace(state, asked=True, lost=not state.pictures), (Question(t, "move", answers),)


def _said(hypothesis: Hypothesis) -> str:
    if not hypothesis.moves:
        return hypothesis.meaning.value
    rolled = " rolled" if hypothesis.steps and hypothesis.steps[0].kind is StepKind.ROLL else ""
    return " ".join(str(m) for m in hypothesis.moves) + rolled
