"""Games that were played: lists, replay, export, and what they say of the players."""

from flask import Blueprint, Response, abort, jsonify, render_template, request

from companion.errors import BadInput
from companion.log.export import TEXT_FORMATS, game_json, player_json, summary_json
from companion.log.history import GameRecord, players
from companion.web.context import settings, table

MIMETYPES = {"text": "text/plain", "csv": "text/csv", "json": "application/json"}
ENDINGS = {"text": "txt", "csv": "csv", "json": "json"}
SHOWN = 200
"""The newest games that a list shows; the log and `senryaku export` have all."""

history = Blueprint("history", __name__)


@history.get("/history")
def history_page() -> str:
    """All games, and the players."""
    records = table().history()
    listed = [summary_json(game) for game in reversed(records)][:SHOWN]
    return render_template(
        "history.html", settings=settings(), games=listed, players=[player_json(player) for player in players(records)]
    )


@history.get("/history/<int(max=999999999999):game_id>")
def replay_page(game_id: int) -> str:
    """One game, move by move."""
    return render_template("replay.html", settings=settings(), game=summary_json(_game(game_id)))


@history.get("/api/v1/games")
def all_games() -> Response:
    """The games, newest first."""
    return jsonify([summary_json(game) for game in reversed(table().history())][:SHOWN])


@history.get("/api/v1/games/<int(max=999999999999):game_id>")
def one_game(game_id: int) -> Response:
    """All of a game."""
    return jsonify(game_json(_game(game_id)))


@history.get("/api/v1/games/<int(max=999999999999):game_id>/export")
def export(game_id: int) -> Response:
    """A game as a file; `?format=` text, json or csv."""
    game, form = _game(game_id), request.args.get("format", "text")
    if form not in MIMETYPES:
        raise BadInput(f"format: should be one of {', '.join(MIMETYPES)}")
    answer = (
        jsonify(game_json(game)) if form == "json" else Response(TEXT_FORMATS[form](game), mimetype=MIMETYPES[form])
    )
    answer.headers["Content-Disposition"] = f'attachment; filename="game-{game.id}.{ENDINGS[form]}"'
    return answer


@history.get("/api/v1/players")
def all_players() -> Response:
    """What the finished games say of the players."""
    return jsonify([player_json(player) for player in players(table().history())])


def _game(game_id: int) -> GameRecord:
    found = next((game for game in table().history() if game.id == game_id), None)
    if found is None:
        abort(404, f"no game began with event {game_id}")
    return found
