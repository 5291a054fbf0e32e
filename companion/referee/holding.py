"""A board that is held: one press is one ruling, however long it lasts and however it wavers."""

from dataclasses import replace

from companion.referee import odds
from companion.referee.burden import comes_to_rest, holder, is_a_thing, is_looked_at
from companion.referee.rulings import Candidate, GameOver, Held, Question, Ruling
from companion.referee.state import Phase, RefereeState, Setup
from companion.referee.verdicts import end_game
from companion.referee.witness import camera_counts
from companion.rules import Side, Termination
from firmware_bridge.events import LoadState
from firmware_bridge.faults import troubled

Result = tuple[RefereeState, tuple[Ruling, ...]]


def watch_press(setup: Setup, state: RefereeState, load: LoadState) -> Result:
    """What bears on the board is ruled on once pictures show whose hand it is, and at the latest when it is gone."""
    if troubled(load.faults):
        return replace(state, press_since=None, press_ended=load.t), ()
    if not load.pressing:
        ended = load.t if state.press_ended is None else state.press_ended
        if load.t - ended >= odds.HELD_RELEASE:
            return replace(state, press_since=None, press_ended=ended, press_ruled=False), ()
        last = state.pressed[-1][0] if state.pressed else load.t
        state = replace(state, press_ended=ended)
        if state.press_since is None:
            return state, ()
        return _rule_if_held(setup, state, state.press_since, last, load.t)
    since = load.t if state.press_since is None else state.press_since
    pressed = (*(p for p in state.pressed if load.t - p[0] <= odds.PRESS_KEPT), (load.t, load.total_g or 0.0))
    state = replace(state, press_since=since, press_ended=None, pressed=pressed)
    waits = camera_counts(setup, state, load.t) and load.t - since < odds.HELD_AFTER + odds.HELD_LOOKS
    if waits and (not is_looked_at(state, since) or comes_to_rest(state)):
        return state, ()
    return _rule_if_held(setup, state, since, load.t, load.t)


def _rule_if_held(setup: Setup, state: RefereeState, since: float, last: float, t: float) -> Result:
    """Rules at `t` on a press that lasted, as far as is known, from `since` to `last`."""
    if state.press_ruled or last - since < odds.HELD_AFTER or state.phase is Phase.AWAIT_START or state.lost:
        return state, ()
    state = replace(state, press_ruled=True)
    if is_a_thing(state, since):
        return state, ()
    player = holder(setup, state, since)
    if player is None:
        answers = (*(Candidate(f"forfeit {side}", 0.25) for side in Side), Candidate("nothing", 0.5))
        return state, (Question(t, "held", answers),)
    held: tuple[Ruling, ...] = (Held(t, player),)
    if not state.match.rules.holding_forfeits:
        return state, held
    over = GameOver(t, player.other, Termination.FORFEIT.value, state.match.rules.points(Termination.FORFEIT))
    return end_game(state, over), (*held, over)
