"""The state as JSON values: the one shape that screens, exports and messages get."""

from typing import Any

from companion.errors import BadInput
from companion.log.events import Event
from companion.log.fold import redo_event, undo_event
from companion.log.names import plain
from companion.log.state import GameState, MatchState, PlayedMove, TableState
from companion.referee.misplaced import Astray, left_out_of_place
from companion.rules import repetitions


def state_json(state: TableState) -> dict[str, Any]:
    """Everything that the log knows about the table now, in JSON values."""
    rulings, last = [ruling_json(event) for event in state.rulings()], state.last_ruling()
    undo, redo = undo_event(state), redo_event(state)
    return {
        "seq": state.seq,
        "match": None if state.match is None else _match(state.match),
        "game": None if state.game is None else {**_game(state.game), "paused_s": _paused_s(state, state.game)},
        "paused_since": None if state.paused is None else state.paused.time,
        "paused_by": None if state.paused is None else state.paused.payload.get("player"),
        "last_ruling": None if last is None else ruling_json(last),
        "recent": rulings,
        "faults": [{name: plain(f.payload[name]) for name in ("witness", "what", "remedy")} for f in state.faults],
        "can_undo": None if undo is None else {"seq": undo[1]["undoes"][0], "says": undo[1]["says"]},
        "can_redo": None if redo is None else {"seq": redo[1]["redoes"], "says": redo[1]["says"]},
    }


def ruling_json(event: Event) -> dict[str, Any]:
    """A ruling as it stands among the recent ones."""
    return {**event.payload, "seq": event.seq, "time": event.time, "kind": event.kind}


def _match(match: MatchState) -> dict[str, Any]:
    score = match.score
    return {
        "white": match.white,
        "black": match.black,
        "steps": score.rules.track_steps,
        "white_steps": score.white,
        "black_steps": score.black,
        "games_played": score.games,
        "over": score.over,
        "winner": None if score.winner is None else str(score.winner),
    }


def _paused_s(state: TableState, game: GameState) -> float:
    """How long the game has rested in pauses that are over."""
    if game.started is None:
        return 0.0
    ended = float("inf") if game.ended is None else game.ended
    return sum(max(0.0, min(until, ended) - max(since, game.started)) for since, until in state.pauses)


def _game(game: GameState) -> dict[str, Any]:
    over = game.over
    return {
        "number": game.number,
        "position": game.position.text(),
        "side": str(game.position.side),
        "start": game.start.text(),
        "started": game.started,
        "ended": game.ended,
        "over": None
        if over is None
        else {
            "winner": None if over.winner is None else str(over.winner),
            "termination": str(over.termination),
            "points": over.points,
        },
        "moves": [
            {"seq": move.seq, "n": n, "player": str(move.player), "move": move.move, **_more(move)}
            for n, move in enumerate(game.moves, start=1)
        ],
        "waiting": _waiting(game),
        "repetition": max(1, repetitions(game.line)),
    }


def _more(move: PlayedMove) -> dict[str, Any]:
    known = {"let_stand": move.let_stand, "balance": move.balance}
    return {name: value for name, value in known.items() if value is not None}


def _waiting(game: GameState) -> dict[str, Any] | None:
    """What the game waits for. A question comes first: while it is open, nobody knows what has to be put back."""
    if game.question is not None:
        asked = game.question.payload
        question = {"seq": game.question.seq, "about": asked["about"], "candidates": asked["candidates"]}
        if asked.get("placement"):
            question["placement"] = asked["placement"]
        return {"for": "answer", "question": question}
    if game.restore is not None:
        seen = game.restore.payload
        return {
            "for": "restore",
            "illegal": {name: seen[name] for name in ("player", "move", "reason")},
            "position": seen["position"],
            "placement": seen.get("placement"),
            "misplaced": [astray.to_json() for astray in to_put_back(game)],
        }
    return None


def to_put_back(game: GameState) -> tuple[Astray, ...]:
    """The spheres that an illegal move has left out of place, in the order in which they can be put back."""
    if game.restore is None:
        return ()
    seen = game.restore.payload
    try:
        return left_out_of_place(seen["move"], game.position, seen.get("placement"))
    except BadInput:
        return ()  # a log may say anything
