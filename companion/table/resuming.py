"""From what the log remembers to a referee who goes on from there."""

from dataclasses import replace

from companion.log import GameState, TableState
from companion.referee.handling import after_crash
from companion.referee.rulings import GameOver, Held, Illegal, Restored
from companion.referee.state import For, RefereeState, Waiting, begin, resume
from companion.referee.told import must_move, placement_in
from companion.rules import Match, MatchRules, Move


def referee_state(state: TableState, rules: MatchRules, t: float = 0.0) -> RefereeState:
    """The referee in the same game, or waiting for the next one to be set up. `rules` hold where no match is on."""
    match = Match(rules) if state.match is None else state.match.score
    if match.over:
        match = Match(match.rules)
    game = state.game
    if game is None or game.over is not None:
        waiting = begin(match.rules)
        return RefereeState(match, waiting.phase)
    resumed = replace(_in_game(match, game), past=game.line, illegal_moves=game.illegal_moves)
    return resumed if game.question is None else _asked(resumed, str(game.question.payload["about"]), t)


def _in_game(match: Match, game: GameState) -> RefereeState:
    """With the sphere that is out of place, or that must move as it was touched."""
    if game.restore is None:
        return resume(match, game.position, None, None)
    seen = game.restore.payload
    move = Move.parse(seen["move"])
    if move.from_well == move.to_well:
        own_turn = seen["player"] == game.position.side
        touched = must_move(game.position, move.from_well) if own_turn else None
        return replace(resume(match, game.position, None, None), touched=touched)
    standing = placement_in(seen["placement"], game.position) if seen.get("placement") else None
    return resume(match, game.position, standing, None if standing is None else move)


def _asked(state: RefereeState, about: str, t: float) -> RefereeState:
    """With the question that is open. What a yes would have brought is no longer known, only what it is about."""
    if about == "crash":
        return after_crash(state, t, asked=True)
    if about in (Illegal.kind, Restored.kind, GameOver.kind):
        return replace(state, waiting=Waiting(For.ANSWER, t, True, about, board_settles=about == Illegal.kind))
    return state if about == Held.kind else replace(state, asked=True)
