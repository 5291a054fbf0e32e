"""The referee's state after rulings that he was told, or that only some of were made."""

from collections.abc import Sequence
from dataclasses import replace

from companion.referee.hypotheses import CONTENT_OF_LETTER, Placement, placement_of
from companion.referee.rulings import Corrected, GameOver, Illegal, MoveMade, Restored, Ruling
from companion.referee.state import For, Phase, RefereeState, Setup, Waiting
from companion.referee.verdicts import cleared, end_game
from companion.rules import Move, Position, Side, legal_moves


def told(state: RefereeState, rulings: Sequence[Ruling]) -> RefereeState:
    """The state once these have happened. The evidence so far is used up by them."""
    for ruling in rulings:
        if isinstance(ruling, MoveMade | Corrected):
            state = moved_on(cleared(state), Position.parse(ruling.position))
            if isinstance(ruling, MoveMade):
                state = replace(state, last_mover=ruling.player, last_place=ruling.t)
        elif isinstance(ruling, Illegal):
            state = _wrong(cleared(state), ruling)
        elif isinstance(ruling, Restored):
            right = placement_of(state.position)
            state = replace(cleared(state), phase=Phase.PLAYING, wrong=None, standing=right)
        elif isinstance(ruling, GameOver):
            state = end_game(state, ruling)
    return state


def moved_on(state: RefereeState, position: Position) -> RefereeState:
    """The state in another position, which is one more of the game's line."""
    return replace(
        state,
        phase=Phase.PLAYING,
        position=position,
        standing=placement_of(position),
        wrong=None,
        touched=None,
        past=(*state.past, position),
        waiting=None,
    )


def _wrong(state: RefereeState, illegal: Illegal) -> RefereeState:
    move = Move.parse(illegal.move)
    white, black = state.illegal_moves
    by_white = illegal.player is Side.WHITE
    state = replace(state, illegal_moves=(white + by_white, black + (not by_white)))
    if move.from_well == move.to_well:
        return replace(state, touched=must_move(state.position, move.from_well))
    standing = state.standing if illegal.placement is None else placement_in(illegal.placement, state.position)
    return replace(state, phase=Phase.RESTORING, wrong=move, standing=standing)


def must_move(position: Position, well: int) -> int | None:
    """The well itself if its sphere, lifted and set back, must move now, or be captured; else None."""
    legal = legal_moves(position)
    return well if any(m.from_well == well or (m.capture and m.to_well == well) for m in legal) else None


def placement_in(ranks: str, position: Position) -> Placement:
    """What stands in each well according to six ranks of position text. Raises `InvalidPosition`."""
    letters = Position.from_placement(ranks, position.side)
    return tuple(CONTENT_OF_LETTER[letters.content(well)] for well in range(42))


def until_shown(setup: Setup, state: RefereeState, t: float) -> RefereeState:
    """The state that waits for the board to show the position: what was said by a person, the board need not show yet.

    Without a camera nobody could see it, and the person is believed.
    """
    if state.phase is not Phase.PLAYING or not setup.camera:
        return state
    return replace(state, waiting=Waiting(For.BOARD, t))
