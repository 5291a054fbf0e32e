"""A sphere was lifted and set back: nobody sees afterwards which, and sometimes nothing but the next move tells."""

from dataclasses import replace

from companion.referee import odds
from companion.referee.hypotheses import Hypothesis, Meaning
from companion.referee.rulings import Candidate, Question, Ruling
from companion.referee.sensed import Sensed
from companion.referee.state import RefereeState, Verdict
from companion.referee.sureness import SET_BACK, fits
from companion.referee.verdicts import settle
from companion.rules import legal_moves

Result = tuple[RefereeState, tuple[Ruling, ...]]
SET_BACK_AT_ALL = 0.3
"""More likely than this, a sphere may have been set back, and the steps that say so are kept."""
WORTH_ASKING = 0.01
"""Less likely candidates are not offered."""


def may_be_set_back(verdict: Verdict) -> bool:
    return sum(p for p, found in verdict.ranked if found.meaning is Meaning.PUT_BACK) > SET_BACK_AT_ALL


def may_show_itself(state: RefereeState, verdict: Verdict) -> bool:
    """Is one of the spheres that may have been set back bound to move next?"""
    movable = {move.from_well for move in legal_moves(state.position)}
    return any(
        found.meaning is Meaning.PUT_BACK and p > WORTH_ASKING and found.moves[0].from_well in movable
        for p, found in verdict.ranked
    )


def shows_itself_later(verdict: Verdict, sensed: Sensed) -> bool:
    """Some sphere was set back, and it is not clear which: the same one must move next, and that will tell."""
    set_back = [(p, found) for p, found in verdict.ranked if found.meaning is Meaning.PUT_BACK]
    return sum(p for p, _ in set_back) >= odds.SURE_PUT_BACK and fits(set_back[0][1], sensed)


def set_back_unclear(state: RefereeState, verdict: Verdict, sensed: Sensed) -> bool:
    """Some sphere was set back, it is not clear which, and none of them is bound to move next: nothing will show it."""
    set_back = [(p, found) for p, found in verdict.ranked if found.meaning is Meaning.PUT_BACK and p > WORTH_ASKING]
    return (
        sum(p for p, _ in set_back) >= odds.SURE_PUT_BACK
        and set_back[0][0] < odds.SURE_PUT_BACK
        and fits(set_back[0][1], sensed)
        and not may_show_itself(state, verdict)
    )


def ask_what_was_set_back(state: RefereeState, verdict: Verdict, rest: Hypothesis, p: float, t: float) -> Result:
    """The game goes on meanwhile: whatever it was, it stands where it stood. `rest` is what is sure."""
    by_sphere: dict[str, float] = {}
    for chance, found in verdict.ranked:
        if found.meaning in SET_BACK and chance >= WORTH_ASKING:
            by_sphere[str(found.moves[0])] = by_sphere.get(str(found.moves[0]), 0.0) + chance
    none = 1.0 - sum(by_sphere.values())
    if none >= WORTH_ASKING:
        by_sphere[Meaning.NOTHING] = none
    answers = tuple(Candidate(move, round(chance, 4)) for move, chance in by_sphere.items())
    settled, rulings = settle(replace(state, asked=False), rest, p, t)
    return settled, (Question(t, "put_back", answers), *rulings)
