"""The board stands on one pinnacle: it falls, or it hangs there for a while and comes back.

A board at the very edge of its balance may hang for seconds, and nobody can tell it from one that is about to fall.
What falls is known by the table that takes up a part of its weight, and by the spheres that roll off it.
"""

from dataclasses import replace

import numpy as np

from companion.referee import crashes
from companion.referee.filing import Evidence, filed
from companion.referee.rulings import Candidate, Question, Ruling
from companion.referee.state import RefereeState, Setup, Tipping
from companion.rules import legal_moves
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from vision.reading import BoardReading

Result = tuple[RefereeState, tuple[Ruling, ...]]
OFF_G = 12.0
"""A cell with less than this carries nothing: zeros drift by up to 10 g an hour."""
SPREAD, SLACK_G = 1.15, 4.0
"""Spheres of a set weigh the same to within this share, and totals are known to within so many grams."""
FALLS_G = 25.0
"""So much less again (g) no board weighs that only rocks."""
LIGHT_FOR, MUCH_LIGHTER_FOR = 0.08, 0.04
"""A board that only rocks is light, or much lighter, for a shorter time (s): when it swings over to the other pinnacle
it weighs next to nothing in between."""
ROLLED_OFF = 3
"""So many wells have changed at once: no hand does that."""
BACK_FOR = 0.3
"""Both cells carry the board again for so long (s): it has come back. A board that falls does not bounce back."""
HANGS_FOR = 4.0
"""A board that neither falls nor comes back for so long (s) is somebody else's question."""
NO_CRASH = 0.5


def begins(state: RefereeState, tip: LoadEvent) -> RefereeState:
    """The state once a pinnacle has come off its cell. `state` is what was known of the turn before it."""
    return state if state.tipping is not None else replace(state, tipping=Tipping(tip, replace(state, tipping=None)))


def take(setup: Setup, state: RefereeState, evidence: Evidence) -> Result:
    """Takes evidence while the board may be falling: nothing is ruled but the crash."""
    tipping = state.tipping
    assert tipping is not None
    if isinstance(evidence, LoadEvent):
        return (filed(state, evidence) if evidence.kind is not LoadEventKind.TIP else state), ()
    state = filed(state, evidence)
    if isinstance(evidence, LoadState):
        tipping = _weighed(tipping, evidence)
        state = replace(state, tipping=tipping)
    if _has_fallen(state, tipping, evidence):
        before = replace(tipping.before, load=state.load)
        since = tuple(p for p in state.pictures if p.t > tipping.tip.t_contact)
        return crashes.rule(setup, before, replace(tipping.tip, t=evidence.t), since)
    if isinstance(evidence, LoadState):
        state = _come_back(state, tipping, evidence)
    if state.tipping is not None and evidence.t - tipping.tip.t >= HANGS_FOR and not state.asked:
        answers = (Candidate(f"crash {state.position.side}", 1 - NO_CRASH), Candidate("nothing", NO_CRASH))
        return replace(state, tipping=None, asked=True), (Question(evidence.t, "crash", answers),)
    return state, ()


def _has_fallen(state: RefereeState, tipping: Tipping, evidence: Evidence) -> bool:
    if isinstance(evidence, BoardReading):
        changed = state.pictures[-1].contradicted(state.standing)
        return evidence.board_found and int(np.sum(changed)) >= ROLLED_OFF + _in_hand(tipping.before)
    lighter = tipping.lighter
    if not isinstance(evidence, LoadState) or lighter is None:
        return False
    much = (evidence.total_g or 0.0) < _least_g(tipping.before) - FALLS_G
    return evidence.t - lighter.t >= (MUCH_LIGHTER_FOR if much else LIGHT_FOR)


def _weighed(tipping: Tipping, load: LoadState) -> Tipping:
    """A board that rocks is light for a moment, and then on the other pinnacle; one that falls stays so."""
    if load.low_g is None or load.high_g is None:
        return tipping
    on_one = min(load.low_g, load.high_g) < OFF_G
    if not on_one or load.low_g + load.high_g >= _least_g(tipping.before):
        return replace(tipping, lighter=None)
    known = tipping.lighter
    return tipping if known is not None and _on_high(known) is _on_high(load) else replace(tipping, lighter=load)


def _on_high(load: LoadState) -> bool:
    return (load.high_g or 0.0) > (load.low_g or 0.0)


def _least_g(before: RefereeState) -> float:
    """The least that the board can weigh while it stands: one sphere more may be in somebody's hand than was felt."""
    if before.weight_g is None:
        return 0.85 * ((before.load.total_g or 0.0) if before.load is not None else 0.0)
    captures = any(move.capture for move in legal_moves(before.position))
    gone = max(1, _in_hand(before)) + (1 if captures and _in_hand(before) else 0)
    return before.weight_g - gone * before.sphere_g * SPREAD - SLACK_G


def _in_hand(state: RefereeState) -> int:
    """So many more spheres were lifted than placed."""
    kinds = [step.kind for step in state.steps]
    return max(0, kinds.count(LoadEventKind.LIFT) - kinds.count(LoadEventKind.PLACE))


def _come_back(state: RefereeState, tipping: Tipping, load: LoadState) -> RefereeState:
    """Forgets the tip once both cells have carried the board for a while."""
    if load.low_g is None or load.high_g is None or min(load.low_g, load.high_g) < OFF_G:
        return state if tipping.ends is None else replace(state, tipping=replace(tipping, ends=None))
    if tipping.ends is None:
        return replace(state, tipping=replace(tipping, ends=load.t))
    return replace(state, tipping=None, blurred=True) if load.t - tipping.ends >= BACK_FOR else state
