"""How light the board was: over a second its rocking averages out, and a sphere that is carried does not."""

from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from companion.referee import odds
from companion.referee.state import RefereeState


def late_totals(state: RefereeState, until: float = float("inf")) -> tuple[float, ...]:
    """The totals (g) since the board was last known to stand as it should and was weighed without a gap."""
    return tuple(total for at, total in state.totals if state.weighed_since < at < until)


def dip_of(weight_g: float | None, totals: tuple[float, ...]) -> float:
    """By how much (g) the board was lighter than `weight_g`, at the most of all averages; below 0 if heavier."""
    if weight_g is None or len(totals) < odds.DIP_TOTALS:
        return 0.0
    return weight_g - float(sliding_window_view(totals, odds.DIP_TOTALS).mean(axis=1).min())


def weighing_since(state: RefereeState, t: float) -> RefereeState:
    """The state weighed anew from `t` on, which may be past: the next sphere may be in hand already."""
    anew = replace(state, weighed_since=t + odds.CONTACT_BLUR)
    return replace(anew, dipped_g=max(0.0, dip_of(anew.weight_g, late_totals(anew))))


def weighed_before(state: RefereeState, t: float) -> RefereeState:
    """How light the board had become before `t`, where it is known only now that it was lighter from then on."""
    known_since = state.totals[0][0] if state.totals else float("inf")
    if state.weight_g is None or state.blurred or known_since > max(state.weighed_since, t - odds.DIP_SEEN_S):
        return state
    totals = late_totals(state, t - odds.CONTACT_ERROR)
    dipped_g = min(state.dipped_g, max(0.0, dip_of(state.weight_g, totals)))
    if len(totals) < odds.LATE_TOTALS:
        return replace(state, dipped_g=dipped_g)
    lightest = float(np.min(sliding_window_view(totals, odds.LATE_TOTALS).max(axis=1)))
    return replace(state, dipped_g=dipped_g, lightest_g=max(lightest, state.lightest_g or lightest))
