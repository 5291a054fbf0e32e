"""A game as text to read, as JSON, and as a table of its rulings (CSV)."""

import csv
import io
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from companion.log.fold import plays
from companion.log.history import GameRecord, PlayerRecord
from companion.log.kinds import Kind
from companion.log.state_json import ruling_json
from companion.referee.words import event_in_words
from companion.rules import Outcome, Side

COLUMNS = ("seq", "time", "kind", "player", "move", "reason", "position", "winner", "termination", "points", "says")


def result_words(over: Outcome | None, awarded: bool = False) -> str:
    """For example `White wins by capture`."""
    if over is None:
        return "not over"
    if over.winner is None:
        return "void"
    how = "award" if awarded else over.termination.replace("_", " ")
    return f"{str(over.winner).capitalize()} wins by {how}"


def summary_json(game: GameRecord) -> dict[str, Any]:
    """What a list of games says of one."""
    over = game.over
    return {
        "id": game.id,
        "match": game.match,
        "number": game.number,
        "white": game.white,
        "black": game.black,
        "started": game.started,
        "ended": game.ended,
        "moves": len(game.moves),
        "result": None
        if over is None
        else {
            "winner": None if over.winner is None else str(over.winner),
            "termination": str(over.termination),
            "points": over.points,
        },
        "says": result_words(over, game.awarded),
        "score": None if game.score is None else {"white": game.score[0], "black": game.score[1], "steps": game.track},
    }


def game_json(game: GameRecord) -> dict[str, Any]:
    """All of a game."""
    return {
        **summary_json(game),
        "start": game.start.text(),
        "moves": [
            {
                "n": n,
                "seq": move.seq,
                "player": str(move.player),
                "move": move.move,
                "position": move.position.text(),
                "time": move.time,
                "seconds": round(move.seconds, 2),
                "choices": move.choices,
                "missed": move.missed,
                "exposed": move.exposed,
                "let_stand": move.let_stand,
                "balance": None if move.balance is None else dict(move.balance),
            }
            for n, move in enumerate(game.moves, start=1)
        ],
        "rulings": [
            {**ruling_json(event), "says": event_in_words(event.kind, event.payload)} for event in game.rulings
        ],
    }


def player_json(player: PlayerRecord) -> dict[str, Any]:
    mean = player.seconds_a_move
    return {
        "name": player.name,
        "games": player.games,
        "won": player.won,
        "lost": player.lost,
        "captures": player.captures,
        "crashes": player.crashes,
        "illegal": player.illegal,
        "moves": player.moves,
        "seconds_a_move": None if mean is None else round(mean, 2),
    }


def game_text(game: GameRecord) -> str:
    """A game to read: who, when, how it ended, and the moves by turns with what else was ruled between them."""
    over, lines = game.over, [f"{game.white} (White) against {game.black} (Black), game {game.number}"]
    lines.append(f"Started {_when(game.started)}" + (f", ended {_when(game.ended)}" if game.ended else ""))
    points = "" if over is None or over.winner is None else f", {over.points} point{'' if over.points == 1 else 's'}"
    lines.append(f"Result: {result_words(over, game.awarded)}{points}")
    if game.score is not None:
        lines.append(f"Scoring board: White {game.score[0]}, Black {game.score[1]} of {game.track} steps")
    lines += [f"Start: {game.start.text()}", "", *_turns(game)]
    return "\n".join(lines) + "\n"


def _turns(game: GameRecord) -> list[str]:
    """Numbered turns, a line each; what was ruled between two moves has a line of its own."""
    lines: list[str] = []
    number, first, last = 0, game.start.side, None
    open_turn = False
    for event in game.rulings:
        if plays(event):
            player, move = Side(event.payload["player"]), _with_marks(event.payload)
            begins = player is first
            # Whoever moves twice running, as after a position set by hand, has begun another turn.
            if begins or player is last or last is None:
                number += 1
            if begins:
                lines.append(f"{number:3}. {move}")
            elif open_turn:
                lines[-1] += f"    {move}"
            else:
                lines.append(f"{number:3}. ...      {move}")
            open_turn, last = begins, player
        elif event.kind != Kind.START:
            lines.append(f"     ({event_in_words(event.kind, event.payload)})")
            open_turn = False
    return lines


def _with_marks(payload: Mapping[str, Any]) -> str:
    stands = payload.get("let_stand")
    return f"{payload['move']} (illegal: {stands.replace('_', ' ')}, let stand)" if stands else str(payload["move"])


def game_csv(game: GameRecord) -> str:
    """The rulings of a game, one a row; times in UTC."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for event in game.rulings:
        values = {**event.payload, "seq": event.seq, "time": _when(event.time), "kind": event.kind}
        values["says"] = event_in_words(event.kind, event.payload)
        table.writerow([_cell(values.get(column)) for column in COLUMNS])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula is marked as text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


def _when(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, OSError, ValueError):
        return "at a time that is no date"


TEXT_FORMATS: dict[str, Callable[[GameRecord], str]] = {"text": game_text, "csv": game_csv}
"""The formats besides JSON."""
