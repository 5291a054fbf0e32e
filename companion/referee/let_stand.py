"""An illegal move that is let stand: what the game goes on from."""

from companion.referee.rulings import Corrected, MoveMade, Restored, Ruling
from companion.rules import Move, Position, Side, legal_moves, normalised, play


def let_stand(
    t: float, position: Position, text: str, player: Side, placement: str | None, reason: str
) -> tuple[Ruling, ...]:
    """The rulings by which `text` of `player`, illegal for `reason`, stands; `placement` are the ranks with it.

    A move that broke only how it was made (rolled, another sphere touched) is then a move like any other. A sphere that
    was set back may be left alone. Anything else sets the position: the board as it is, the opponent to move. Raises
    `InvalidPosition` where the board as it is cannot be a position.
    """
    move = Move.parse(text)
    if move.from_well == move.to_well:
        return (Restored(t, position.text()),)
    if player is position.side:
        move = normalised(position, move)
        if move in legal_moves(position):
            return (MoveMade(t, player, str(move), play(position, move).text(), 1.0, reason),)
    ranks = placement or position.placement()
    return (Corrected(t, _as_it_stands(position, move, player, ranks).text(), player, text, reason),)


def _as_it_stands(position: Position, move: Move, player: Side, ranks: str) -> Position:
    bare = Position.from_placement(ranks, player.other)
    resting = {side: position.resting(side) & bare.spheres(side) & ~bare.coloured(side) for side in Side}
    resting[player] = (1 << move.to_well) & bare.spheres(player) & ~bare.coloured(player)
    return Position.from_placement(ranks, player.other, resting[Side.WHITE], resting[Side.BLACK])
