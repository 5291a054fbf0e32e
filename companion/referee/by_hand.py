"""What a person does at the referee's console: starts a game, enters a move, sets the position, ends the game.

Each gives the state after it and the rulings that go to the log. What a person says is so, whatever the witnesses make
of it; from then on they wait until the board shows it. Raises `NotNow` for what cannot be done in this state.
"""

from dataclasses import replace

from companion.errors import BadInput, SenryakuError
from companion.referee.hypotheses import Hypothesis, Meaning, move_steps, placement_of
from companion.referee.rulings import Corrected, GameOver, Ruling, Start
from companion.referee.state import Phase, RefereeState, Setup
from companion.referee.told import moved_on, told, until_shown
from companion.referee.verdicts import cleared, ending, settle, started
from companion.rules import Move, Position, Side, Termination, normalised, play

Result = tuple[RefereeState, tuple[Ruling, ...]]


class NotNow(SenryakuError, ValueError):
    """Something that cannot be done at this moment; the message says why, and what can be done."""


def start(setup: Setup, state: RefereeState, t: float) -> Result:
    """The next game of the match begins in its start position."""
    if state.phase is not Phase.AWAIT_START:
        raise NotNow("the game is not over yet: end it first, or declare it void")
    position = Position.start(state.match.first_of_next_game)
    return until_shown(setup, started(state, position, t), t), (Start(t, position.text()),)


def enter_move(setup: Setup, state: RefereeState, move: Move, t: float) -> Result:
    """A legal move is made. Raises `IllegalMove` with all reasons, or BadInput, where it is none."""
    _refuse_without_a_game(state)
    position = state.position
    move = normalised(position, move)
    after = placement_of(play(position, move))
    made = Hypothesis(Meaning.MOVE, move_steps(placement_of(position), move), after, 0.0, (move,), player=position.side)
    state, rulings = settle(replace(state, waiting=None), made, 1.0, t)
    return until_shown(setup, state, t), rulings


def set_position(setup: Setup, state: RefereeState, position: Position, t: float) -> Result:
    """The game goes on from another position; it ends where the player to move has no move.

    Raises BadInput where a coloured sphere is missing: whoever takes one wins by a move, not by how spheres are set.
    """
    missing = next((side.capitalize() for side in Side if not position.coloured(side)), None)
    if missing is not None:
        raise BadInput(f"{missing}'s coloured sphere is missing: set the position with it, or award the game instead")
    if state.phase is Phase.AWAIT_START and state.match.games:
        raise NotNow("no game is on: start the next one, or take back the end of the last one")
    state = moved_on(cleared(state), position)
    corrected = Corrected(t, position.text())
    over = ending(state, t)
    if over is not None:
        return told(state, [over]), (corrected, over)
    return until_shown(setup, state, t), (corrected,)


def end(
    state: RefereeState, termination: Termination, winner: Side | None, t: float, awarded: bool | None = None
) -> Result:
    """The game ends by a person's word: forfeit, resignation, void, or what the witnesses have missed."""
    _refuse_without_a_game(state)
    over = GameOver(t, winner, termination.value, state.match.rules.points(termination), awarded)
    return told(state, [over]), (over,)


def _refuse_without_a_game(state: RefereeState) -> None:
    if state.phase is Phase.AWAIT_START:
        raise NotNow("no game is on: start one first, or take back the end of the last one")
