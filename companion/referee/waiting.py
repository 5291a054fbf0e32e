"""While the referee waits: for the board to show the position, for an answer, or for what became of a crash.

A crash that nobody can be seen to have caused is settled in one of three ways:
- a person answers who tipped the board, or that it did not crash;
- the game goes on: a legal move is made while both cells are loaded;
- the board stands as before: both cells loaded, nobody touching it, all spheres in plain sight where they belong, for
  `STANDS_AGAIN`. (Without a camera: as heavy as before, and balanced as before.) Then it was a knock at the table.

Until then nobody is accused of anything else: a board set up anew for the next game is no illegal move.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile

from companion.referee import odds
from companion.referee.filing import Evidence, filed
from companion.referee.handling import after_crash, handled
from companion.referee.hypotheses import placement_of
from companion.referee.rulings import Candidate, MoveMade, Question, Restored, Ruling
from companion.referee.state import For, Phase, RefereeState, Setup, Waiting
from companion.referee.verdicts import cleared
from companion.referee.witness import camera_counts, loads_count
from companion.rules import Side, legal_moves
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState

Result = tuple[RefereeState, tuple[Ruling, ...]]
Judge = Callable[[Setup, RefereeState, Evidence], Result]
STANDS_AGAIN = 5.0
"""A board that has tipped (s) is not up again with fourteen spheres in place so soon; one that was knocked is."""
BALANCED_G = 4.0
"""Each cell carries what it carried before, give or take so much (g): a sphere that left weighs more."""


def take(setup: Setup, state: RefereeState, evidence: Evidence, judge: Judge) -> Result:
    """Takes evidence while `state` waits. `judge` is what the referee would make of it otherwise."""
    waiting = state.waiting
    assert waiting is not None
    if waiting.what is For.CRASH:
        return _after_a_crash(setup, state, evidence, judge)
    if isinstance(evidence, LoadEvent):
        return _crash_meanwhile(state, evidence) if evidence.kind is LoadEventKind.TIP else (state, ())
    state = filed(state, evidence)
    if not waiting.board_settles or not legal_moves(state.position):
        return state, ()
    if waiting.what is For.ANSWER:
        settled = _stood_for(state) >= odds.RIGHT_AGAIN
    else:
        settled = _stood_for(state) >= 0 or _nobody_sees(setup, state, waiting, evidence.t)
    return over(state, evidence.t) if settled else (state, ())


def over(state: RefereeState, t: float) -> Result:
    """The board stands as it should: the waiting is over, and whoever was asked is told that it has settled itself."""
    asked = state.waiting is not None and state.waiting.asked
    state = replace(cleared(state), waiting=None)
    if state.phase is Phase.RESTORING:
        return state, ()
    state = replace(state, standing=placement_of(state.position))
    return state, (Restored(t, state.position.text()),) if asked else ()


def _nobody_sees(setup: Setup, state: RefereeState, waiting: Waiting, t: float) -> bool:
    """The camera is lost: nobody could see whether the board shows what a person has said, who is believed."""
    lost = not camera_counts(setup, state, t) and t - waiting.since > odds.CAMERA_LOST_AFTER
    return lost and loads_count(setup, state, t)


def _stood_for(state: RefereeState) -> float:
    """For how long (s) all of the position has been in plain sight, -1 where it is not."""
    right = placement_of(state.position)
    clear = list(takewhile(lambda p: p.sees_all() and p.shows(right), reversed(state.pictures)))
    return clear[0].t - clear[-1].t if clear else -1.0


def _crash_meanwhile(state: RefereeState, tip: LoadEvent) -> Result:
    """The board tips while something else is open: whose turn it is is not certain then."""
    candidates = (*(Candidate(f"crash {side}", 0.4) for side in Side), Candidate("nothing", 0.2))
    return after_crash(state, tip.t, asked=True), (Question(tip.t, "crash", candidates),)


def _after_a_crash(setup: Setup, state: RefereeState, evidence: Evidence, judge: Judge) -> Result:
    if isinstance(evidence, LoadEvent) and evidence.kind is LoadEventKind.TIP:
        return state, ()
    after, rulings = judge(setup, state, evidence)
    if rulings and isinstance(rulings[0], MoveMade | Restored) and _both_loaded(after.load):
        return handled(setup, replace(state, waiting=None), replace(after, waiting=None), rulings)
    state = _note_rest(filed(state, evidence) if rulings else after)
    return over(state, evidence.t) if _stands_again(setup, state, evidence.t) else (state, ())


def _both_loaded(load: LoadState | None) -> bool:
    return load is not None and not load.tipped and load.low_g is not None and load.high_g is not None


def _note_rest(state: RefereeState) -> RefereeState:
    """Notes since when the board has been at rest, both cells loaded as they were before."""
    waiting, load = state.waiting, state.load
    assert waiting is not None
    at_rest = load is not None and _both_loaded(load) and not load.touching and _balanced(load, waiting.rest)
    since = None if load is None or not at_rest else waiting.stood_since or load.t
    return state if since == waiting.stood_since else replace(state, waiting=replace(waiting, stood_since=since))


def _balanced(load: LoadState, rest: LoadState | None) -> bool:
    if rest is None or rest.low_g is None or rest.high_g is None or load.low_g is None or load.high_g is None:
        return True
    return max(abs(load.low_g - rest.low_g), abs(load.high_g - rest.high_g)) <= BALANCED_G


def _stands_again(setup: Setup, state: RefereeState, t: float) -> bool:
    """Has the board stood as before for long enough, by both witnesses where there are two?"""
    assert state.waiting is not None
    since = state.waiting.stood_since
    if since is None or t - since < STANDS_AGAIN:
        return False
    return _stood_for(state) >= STANDS_AGAIN if setup.camera else True
