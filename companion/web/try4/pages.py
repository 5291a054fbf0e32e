"""The pages of Try 4 on the screen and their JSON, under /try4/."""

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from companion.table.try4_games import Try4Games
from companion.web.context import command as asked
from companion.web.guard import check_same_origin
from companion.web.referees import at_the_table, check_referee

MOST_DIGITS = 18
"""Of a game's number: it fits SQLite's signed 64 bits."""
NAME = "try4"

try4 = Blueprint(NAME, __name__, url_prefix="/try4", static_folder="static", template_folder="templates")


def add_try4(app: Flask, games: Try4Games, home: str = "Senryaku") -> None:
    """Lets an app serve these games; its first page, called `home` here, then has a link to them."""
    app.extensions[NAME] = games
    app.jinja_env.globals[NAME] = home
    app.register_blueprint(try4)


def _games() -> Try4Games:
    games: Try4Games = current_app.extensions[NAME]
    return games


@try4.get("/")
def game() -> str:
    """The game on the screen."""
    return render_template("try4/game.html")


@try4.get("/state")
def state() -> Response:
    """The game that `?game=` names, where it still goes on; else the newest."""
    asked = request.args.get("game", "")
    known = asked.isascii() and asked.isdigit() and len(asked) <= MOST_DIGITS
    return jsonify(_games().state(int(asked) if known else None))


@try4.get("/statistics")
def statistics() -> Response:
    """All finished games' totals."""
    return jsonify(_games().statistics())


@try4.post("/command")
def command() -> Response:
    """What a player does, at the table's own screen or on a paired device."""
    check_same_origin()
    if not at_the_table():
        check_referee()
    return jsonify(_games().command(asked()))
