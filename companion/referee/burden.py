"""What bears on the board: somebody's hand, or a thing that was put there or taken away."""

from statistics import mean, median

import numpy as np
from numpy.typing import NDArray

from companion.referee import odds
from companion.referee.hand import FILES, hand_from
from companion.referee.standing import differs_now
from companion.referee.state import RefereeState, Setup
from companion.rules import Side


def holder(setup: Setup, state: RefereeState, since: float) -> Side | None:
    """Whose hand lies on the board, by the edge that it comes from; else whoever is to move.

    None where nobody sees it and something has been done since the last ruling: then it is not known whose turn it is.
    Nor is it where a camera has not looked on for long: a hand at the edge comes and goes in its pictures.
    Nor is it where the board has not been weighed since the game began: then nobody knows that anything bears on it.
    Nor where only wells tell of a hand that have hardly been seen for a while.
    """
    seen = [p for p in state.pictures if p.t >= since - odds.CONTACT_BLUR]
    sides = [side for side in Side if hand_from(seen, side, _telling(state))]
    if not sides and any(hand_from(seen, side) for side in Side):
        return None
    if not sides and setup.camera and seen and not is_looked_at(state, since):
        return None
    if not seen and (setup.camera or state.steps or state.weight_g is None):
        return None
    return sides[0] if len(sides) == 1 else state.position.side


def is_looked_at(state: RefereeState, since: float) -> bool:
    """Has the camera shown what bears on the board `since` then: an arm over an edge, or twice that there is none?"""
    shown = [p for p in state.pictures if p.board_found and p.t >= since]
    if not any(p.t >= since + odds.HAND_LEAVES for p in shown):
        return False
    return len(shown) >= odds.LOOKS or any(hand_from(shown, side, _telling(state)) for side in Side)


def comes_to_rest(state: RefereeState) -> bool:
    """May it be a thing that still rocks a little? Video tells; where pictures are few, its stillness soon will."""
    few = len(state.pictures) > 1 and state.pictures[-1].t - state.pictures[-2].t > odds.VIDEO_SPACING
    totals = [total for _, total in state.pressed]
    return few and odds.VERY_STILL_G <= max(totals, default=0.0) - min(totals, default=0.0) < odds.ROCKS_G


def is_a_thing(state: RefereeState, since: float) -> bool:
    """Is it no hand that has borne on the board `since` then?

    A hand that rests comes from an edge and hides wells there, or none; what hides only others is a thing. So is what
    leaves the board lighter than it was, or is stiller than any hand. A hand that carries a sphere holds no board
    either.
    """
    totals = [total for _, total in state.pressed]
    lately = [total for at, total in state.totals if at >= max(since, state.totals[-1][0] - odds.HELD_AFTER)]
    if state.weight_g is not None and lately and mean(lately) - state.weight_g < odds.HOLDS_G:
        return True  # the board swings by itself
    rest = next((r.total_g for r in reversed(state.rests) if r.t < since), None)
    if rest is not None and max(totals) < rest:
        return True
    carried = state.weight_g is not None and state.weight_g - median(totals) >= odds.LIFTED_G / 2
    if carried or (state.dipped_g >= odds.DIPPED_G and differs_now(state)):
        return True
    if len(totals) > 2 and max(totals) - min(totals) < odds.VERY_STILL_G:
        return True
    seen = [p for p in state.pictures if p.board_found and p.t >= since + odds.HAND_LEAVES][-1:]
    hidden = (seen[0].visible < 0.5) & _telling(state) if seen else None
    return hidden is not None and bool(hidden.any()) and not (hidden[:FILES].any() or hidden[-FILES:].any())


def _telling(state: RefereeState) -> NDArray[np.bool_]:
    """The wells (42,) that are hidden only by what is over them now."""
    return np.asarray(state.veiled) < odds.VEILED_SHARE
