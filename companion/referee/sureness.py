"""Whether an explanation is sure: likely enough, good enough, and seen."""

from itertools import pairwise

from companion.referee import odds
from companion.referee.hypotheses import Hypothesis, Meaning, StepKind
from companion.referee.likelihood import align, arms_seen, shown_before
from companion.referee.sensed import Sensed
from companion.referee.state import Verdict
from companion.rules import Reason
from firmware_bridge.events import LoadEventKind

SURE = {
    Meaning.MOVE: odds.SURE_MOVE,
    Meaning.TWO_MOVES: odds.SURE_MOVE,
    Meaning.UNCLEAR: odds.NEVER_SURE,
    Meaning.ILLEGAL: odds.SURE_ILLEGAL,
    Meaning.PUT_BACK: odds.SURE_PUT_BACK,
    Meaning.PUT_BACK_THEN: odds.SURE_PUT_BACK_THEN,
    Meaning.RESTORED: odds.SURE_MOVE,
    Meaning.NOTHING: odds.SURE_MOVE,
    Meaning.IN_HAND: odds.SURE_MOVE,
}

SET_BACK = (Meaning.PUT_BACK, Meaning.PUT_BACK_THEN)
FELT = (Meaning.ILLEGAL, *SET_BACK, Meaning.TWO_MOVES)


def is_sure(verdict: Verdict, sensed: Sensed) -> bool:
    found = verdict.found
    likely = verdict.p >= SURE[found.meaning] and _was_felt(found, sensed)
    no_other = _which_is_sure(verdict) and not _may_be_more_turns(found, sensed) and not _felt_rolling(found, sensed)
    return likely and no_other and fits(found, sensed) and was_seen(found, sensed) and _hand_was_seen(found, sensed)


def _which_is_sure(verdict: Verdict) -> bool:
    """If a sphere was set back: is it clear which?"""
    if verdict.found.meaning not in SET_BACK:
        return True
    set_back = [(p, found.moves[0]) for p, found in verdict.ranked if found.meaning in SET_BACK]
    same = sum(p for p, move in set_back if move == verdict.found.moves[0])
    return same >= odds.SURE_WHICH * sum(p for p, _ in set_back)


def _may_be_more_turns(found: Hypothesis, sensed: Sensed) -> bool:
    """Two moves may be what three or more look like: if more was lifted, or while nobody looked or felt what was."""
    if found.meaning is not Meaning.TWO_MOVES:
        return False
    lifts = sum(step.kind in (StepKind.LIFT, StepKind.REMOVE) for step in found.steps)
    if sum(event.kind is LoadEventKind.LIFT for event in sensed.steps or ()) > lifts:
        return True
    unwatched = any(b - a >= odds.THREE_TURNS_S for a, b in pairwise(p.t for p in sensed.found))
    return unwatched and (sensed.steps is None or sensed.blurred)


def _felt_rolling(found: Hypothesis, sensed: Sensed) -> bool:
    """Did the cells report that a sphere rolled, and none lifted, though a move is the likeliest?"""
    kinds = {event.kind for event in sensed.steps or ()}
    return found.meaning is Meaning.MOVE and LoadEventKind.ROLL in kinds and LoadEventKind.LIFT not in kinds


def _was_rearranged(found: Hypothesis, sensed: Sensed) -> bool:
    """Has more been astray meanwhile than one sphere? What is half put right again must not pass for a move."""
    if found.meaning not in (*FELT, Meaning.MOVE):
        return False
    handled = {well for step in found.steps for well in (step.well, step.to_well)}
    others = [well for well in range(len(found.after)) if well not in handled]
    astray = [(p.t, int(p.contradicted(found.after)[others].sum())) for p in sensed.found if p.sees_all()]
    several, any_at_all = sum(n >= odds.ASTRAY for _, n in astray), sum(n > 0 for _, n in astray)
    if several >= odds.PICTURES_ASTRAY or any_at_all >= odds.LONG_ASTRAY:
        return True
    # Nobody is accused of a thing while another lasts; a move may come after something that was put right.
    return found.meaning in FELT and sensed.steps is not None and _longest(astray) >= odds.ASTRAY_S


def _longest(astray: list[tuple[float, int]]) -> float:
    """For how long (s) pictures, each with its time, all had something astray."""
    longest, since = 0.0, None
    for t, wells in astray:
        since = (t if since is None else since) if wells else None
        longest = max(longest, 0.0 if since is None else t - since)
    return longest


def _hand_was_seen(found: Hypothesis, sensed: Sensed) -> bool:
    """Nobody is accused of touching what was not theirs to touch unless their arm was seen."""
    matched = align(found.steps, sensed)[1] if sensed.steps is not None else (None,) * len(found.steps)
    return all(arm >= odds.ARM_SEEN for arm in arms_seen(found, matched, sensed))


def _was_felt(found: Hypothesis, sensed: Sensed) -> bool:
    """Nobody is told of a wrong move that the cells have not felt step by step.

    Of a roll they need only know that no sphere was lifted. A sphere set back, or one taken off, they must have felt
    without a hand that bore on the board so long that more may have happened, and the camera must have been there.
    """
    if found.meaning not in FELT or (found.reason is Reason.ROLLED and sensed.stayed):
        return True
    if sensed.steps is None:
        return found.reason is not Reason.ROLLED
    if sensed.blurred and (found.meaning in SET_BACK or _takes_off(found)):
        return False
    matched = align(found.steps, sensed)[1]
    first = matched[0]
    if first is None or not all(matched) or len(sensed.steps) > len(found.steps):
        return False
    before = [p.t for p in sensed.found if p.t <= first.t_contact]
    watched = not before or first.t_contact - before[-1] <= odds.WATCHED_WITHIN
    return found.meaning in (Meaning.ILLEGAL, Meaning.TWO_MOVES) or watched


def displaced_somehow(verdict: Verdict, sensed: Sensed) -> Hypothesis | None:
    """A legal move, unless its sphere was rolled: that it went there is sure, and only how it did is not.

    Or two of them, of which the other player's bears out the first. Where the cells felt something roll it is asked;
    where they felt nothing they have missed a move: rolls do not go unnoticed more often, and are far rarer.
    """
    if verdict.found.meaning is Meaning.TWO_MOVES:
        carried = sensed.dipped_g >= odds.DIPPED_G or sensed.lifted_g >= odds.LIFTED_G
        sure = carried and verdict.p >= odds.SURE_MOVE and not _may_be_more_turns(verdict.found, sensed)
        return verdict.found if sure else None
    moved = next((found for _, found in verdict.ranked if found.meaning is Meaning.MOVE), None)
    if moved is None or _felt_rolling(moved, sensed):
        return None
    either = sum(
        p
        for p, found in verdict.ranked
        if found.moves == moved.moves and (found.meaning is Meaning.MOVE or found.reason is Reason.ROLLED)
    )
    return moved if either >= odds.SURE_MOVE else None


def _takes_off(found: Hypothesis) -> bool:
    """Was a sphere taken off although the rules speak of something else?"""
    removed = found.meaning is Meaning.ILLEGAL and any(step.kind is StepKind.REMOVE for step in found.steps)
    return removed and found.reason not in (Reason.OCCUPIED, Reason.PLAIN_CAPTURE)


def sure_end(verdict: Verdict, sensed: Sensed) -> tuple[float, Hypothesis | None]:
    """A move was made, whether or not something was set back before it: how sure that move is, and itself."""
    ends = [(p, found.parts[-1] if found.parts else found) for p, found in verdict.ranked]
    last = ends[0][1]
    if last.meaning is not Meaning.MOVE or _felt_rolling(last, sensed):
        return 0.0, None
    return sum(p for p, end in ends if end.meaning is Meaning.MOVE and end.moves == last.moves), last


def fits(found: Hypothesis, sensed: Sensed) -> bool:
    """The likeliest of bad explanations is no explanation."""
    if any(p.under(found.after) < odds.FITS_PICTURES for p in sensed.finals) or _was_rearranged(found, sensed):
        return False
    if sensed.steps is None:
        return True
    # That a sphere was set back nobody sees afterwards: it takes the whole word of the load cells.
    enough = odds.FITS_EXACTLY if found.meaning is Meaning.PUT_BACK else odds.FITS_LOADS
    value, matched = align(found.steps, sensed)
    return value > enough and shown_before(found, matched, sensed) > odds.FITS_PICTURES


def was_seen(found: Hypothesis, sensed: Sensed) -> bool:
    """Nobody is told about a well that a hand has covered ever since.

    The cells feel along one line only: without a picture it may have been another well of the same line.
    """
    wells = {well for step in found.steps for well in (step.well, step.to_well) if well is not None}
    finals = sensed.finals
    if not finals:
        return found.meaning not in (Meaning.MOVE, Meaning.TWO_MOVES)
    return all(any(p.visible[well] > 0.5 for p in finals) for well in wells)
