"""From what the log remembers to a referee who goes on from there."""

from companion.log import TableState
from companion.referee.hypotheses import CONTENT_OF_LETTER
from companion.referee.state import RefereeState, begin, resume
from companion.rules import Match, MatchRules, Move, Position


def referee_state(state: TableState, rules: MatchRules) -> RefereeState:
    """The referee in the same game, or waiting for the next one to be set up. `rules` hold where no match is on."""
    match = Match(rules) if state.match is None else state.match.score
    if match.over:
        match = Match(match.rules)
    game = state.game
    if game is None or game.over is not None:
        waiting = begin(match.rules)
        return RefereeState(match, waiting.phase)
    if game.restore is None:
        return resume(match, game.position, None, None)
    seen = game.restore.payload
    standing = _placement(seen["placement"], game.position) if seen.get("placement") else None
    move = Move.parse(seen["move"])
    if move.from_well == move.to_well or standing is None:
        return resume(match, game.position, None, None)
    return resume(match, game.position, standing, move)


def _placement(ranks: str, position: Position) -> tuple[int, ...]:
    letters = Position.from_placement(ranks, position.side)
    return tuple(CONTENT_OF_LETTER[letters.content(well)] for well in range(42))
