"""The referee: evidence in, rulings out. Pure: no clock, no thread, no file.

`take` is the only door. It files the evidence, and whenever the board is quiet it asks `explain` what happened. What
that finds passes `handled`, where the table's policy and the rules for single witnesses decide what becomes of it.
"""

from dataclasses import replace
from itertools import takewhile

from companion.referee import odds, tipping, waiting
from companion.referee.explain import before_lift, explain
from companion.referee.filing import Evidence, filed
from companion.referee.handling import handled
from companion.referee.holding import watch_press
from companion.referee.hypotheses import placement_of
from companion.referee.naming import told_apart
from companion.referee.rulings import Ruling, Start
from companion.referee.state import Phase, RefereeState, Setup
from companion.referee.verdicts import started
from companion.rules import Position
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from vision.reading import BoardReading

Rulings = tuple[Ruling, ...]
Result = tuple[RefereeState, Rulings]


def take(setup: Setup, state: RefereeState, evidence: Evidence) -> Result:
    """Takes one piece of evidence, in order of time, and gives the rulings that it leads to."""
    if state.waiting is not None:
        return waiting.take(setup, state, evidence, _judged)
    after, rulings = _judged(setup, state, evidence)
    return handled(setup, replace(state, tipping=None), after, rulings) if rulings else (after, ())


def _judged(setup: Setup, state: RefereeState, evidence: Evidence) -> Result:
    """What the evidence leads to by itself, before the table's policy."""
    if state.tipping is not None:
        return tipping.take(setup, state, evidence)
    if isinstance(evidence, BoardReading):
        return _judge(setup, filed(state, evidence), evidence.t)
    if isinstance(evidence, LoadState):
        state, held = watch_press(setup, filed(state, evidence), evidence)
        return (state, held) if held else _judge(setup, state, evidence.t)
    return _take_load_event(setup, state, evidence)


def _take_load_event(setup: Setup, state: RefereeState, event: LoadEvent) -> Result:
    if state.phase is Phase.AWAIT_START or event.t_contact <= state.used_until:
        return state, ()
    if event.kind is LoadEventKind.TIP:
        return tipping.begins(before_lift(setup, state, event)[0], event), ()
    if event.kind is LoadEventKind.FOREIGN:
        return filed(state, event), ()
    rulings: Rulings = ()
    if event.kind is LoadEventKind.LIFT:
        state, rulings = before_lift(setup, state, event)
        rulings = told_apart(state, rulings)
        if state.phase is Phase.AWAIT_START:
            return state, rulings
    state, more = _judge(setup, filed(state, event), event.t)
    return state, (*rulings, *more)


def _judge(setup: Setup, state: RefereeState, t: float) -> Result:
    if state.phase is Phase.AWAIT_START:
        return _await_start(setup, state, t)
    after, rulings = explain(setup, state, t)
    return after, told_apart(after, rulings)


def _await_start(setup: Setup, state: RefereeState, t: float) -> Result:
    """A game starts once its start position has been seen to stand, all of it, with nobody touching the board.

    Without a camera nobody can see it: a table with load cells alone is taken to begin in the start position. Every
    further game is started at the console, as nobody knows when the spheres have been set up again.
    """
    position = Position.start(state.match.first_of_next_game)
    touching = state.load is not None and state.load.touching
    if setup.camera:
        start = placement_of(position)
        clear = list(takewhile(lambda p: p.sees_all() and p.shows(start), reversed(state.pictures)))
        needed = odds.START_STANDS if touching else odds.STEADY_PICTURES
        if not clear or clear[0].t - clear[-1].t < needed:
            return state, ()
    elif state.load is None or touching or not state.load.settled or state.match.games or not state.set_up:
        return state, ()
    return started(state, position, t), (Start(t, position.text()),)
