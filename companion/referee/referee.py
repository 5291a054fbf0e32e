"""The referee: evidence in, rulings out. Pure: no clock, no thread, no file.

`take` is the only door. It files the evidence, and whenever the board is quiet it asks `explain` what happened.
"""

from dataclasses import replace
from itertools import takewhile

from companion.referee import crashes, odds
from companion.referee.explain import explain
from companion.referee.hypotheses import placement_of
from companion.referee.rulings import GameOver, Held, Ruling, Start
from companion.referee.seen import Seen
from companion.referee.state import Phase, RefereeState, Setup
from companion.referee.verdicts import end_game, started
from companion.referee.witness import blinds
from companion.rules import Position, Termination
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from vision.reading import BoardReading

Evidence = LoadEvent | LoadState | BoardReading
Result = tuple[RefereeState, tuple[Ruling, ...]]


def take(setup: Setup, state: RefereeState, evidence: Evidence) -> Result:
    """Takes one piece of evidence, in order of time, and gives the rulings that it leads to."""
    if isinstance(evidence, BoardReading):
        state = _with_picture(state, Seen.of(evidence))
        return _judge(setup, state, evidence.t)
    if isinstance(evidence, LoadState):
        return _take_load_state(setup, state, evidence)
    return _take_load_event(setup, state, evidence)


def _with_picture(state: RefereeState, seen: Seen) -> RefereeState:
    """Keeps the newest picture always, older ones only so far apart as they may tell something new."""
    pictures = state.pictures
    if len(pictures) >= 2 and pictures[-1].t - pictures[-2].t < odds.PICTURE_SPACING:
        pictures = pictures[:-1]
    return replace(state, pictures=(*pictures, seen)[-odds.KEEP_PICTURES :])


def _take_load_state(setup: Setup, state: RefereeState, load: LoadState) -> Result:
    blind = any(blinds(fault) for fault in load.faults)
    fault_since = (load.t if state.fault_since is None else state.fault_since) if blind else None
    state = replace(state, load=load, fault_since=fault_since, rests=_rests(state.rests, load))
    state = _weigh(state, load)
    state, held = _watch_press(state, load)
    if held:
        return state, held
    return _judge(setup, state, load.t)


def _rests(rests: tuple[LoadState, ...], load: LoadState) -> tuple[LoadState, ...]:
    """The last few load states in which nobody touched the board."""
    if load.low_g is None or load.high_g is None or load.touching or load.tipped:
        return rests
    return (*rests, load)[-odds.KEEP_RESTS :]


def _weigh(state: RefereeState, load: LoadState) -> RefereeState:
    """Follows the board's weight while nothing happens, and how light it becomes while a hand is there."""
    total = load.total_g
    if total is None or load.touching or load.tipped or load.faults:
        return state
    hand_away = not state.pictures or state.pictures[-1].sees_all()
    if state.changed_since is None and hand_away:
        old = total if state.weight_g is None or state.lightest_g is not None else state.weight_g
        return replace(state, weight_g=old + odds.WEIGHT_FOLLOWS * (total - old), lightest_g=None)
    lightest = total if state.lightest_g is None else min(state.lightest_g, total)
    return replace(state, lightest_g=lightest)


def _take_load_event(setup: Setup, state: RefereeState, event: LoadEvent) -> Result:
    if state.phase is Phase.AWAIT_START or event.t_contact <= state.used_until:
        return state, ()
    if event.kind is LoadEventKind.TIP:
        return crashes.rule(setup, state, event)
    if event.kind is LoadEventKind.FOREIGN:
        return state, ()
    return _judge(setup, replace(state, steps=(*state.steps, event)), event.t)


def _judge(setup: Setup, state: RefereeState, t: float) -> Result:
    if state.phase is Phase.AWAIT_START:
        return _await_start(setup, state, t)
    return explain(setup, state, t)


def _await_start(setup: Setup, state: RefereeState, t: float) -> Result:
    """A game starts once its start position has been seen to stand, all of it, with nobody touching the board.

    Without a camera nobody can see it: a table with load cells alone is taken to begin in the start position.
    """
    position = Position.start(state.match.first_of_next_game)
    touching = state.load is not None and state.load.touching
    if setup.camera:
        start = placement_of(position)
        clear = list(takewhile(lambda p: p.sees_all() and p.shows(start), reversed(state.pictures)))
        needed = odds.START_STANDS if touching else odds.STEADY_PICTURES
        if not clear or clear[0].t - clear[-1].t < needed:
            return state, ()
    elif state.load is None or touching or not state.load.settled or state.match.games:
        return state, ()
    return started(state, position, t), (Start(t, position.text()),)


def _watch_press(state: RefereeState, load: LoadState) -> Result:
    """One press is one ruling, however long it lasts and however it wavers."""
    if load.faults:
        return replace(state, press_since=None, press_ended=load.t), ()
    if not load.pressing:
        ended = load.t if state.press_ended is None else state.press_ended
        if load.t - ended >= odds.HELD_RELEASE:
            return replace(state, press_since=None, press_ended=ended, press_ruled=False), ()
        return replace(state, press_ended=ended), ()
    since = load.t if state.press_since is None else state.press_since
    state = replace(state, press_since=since, press_ended=None)
    if state.press_ruled or load.t - since < odds.HELD_AFTER or state.phase is Phase.AWAIT_START or state.lost:
        return state, ()
    state = replace(state, press_ruled=True)
    player = state.position.side
    held: tuple[Ruling, ...] = (Held(load.t, player),)
    if not state.match.rules.holding_forfeits:
        return state, held
    over = GameOver(load.t, player.other, Termination.FORFEIT.value, state.match.rules.points(Termination.FORFEIT))
    return end_game(state, over), (*held, over)
