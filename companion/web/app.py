"""The Flask application of one table: the scoring board's page and its JSON."""

import io

import segno
from flask import Blueprint, Flask, Response, abort, current_app, jsonify, render_template, request

from companion.errors import BadInput
from companion.web import referees
from companion.web.addresses import reached_at
from companion.web.console_api import console_api
from companion.web.context import command, table
from companion.web.feed import Feed, Seats
from companion.web.guard import Refused, check_same_origin, protect
from companion.web.history_pages import history
from companion.web.modules import modules_of
from companion.web.openapi import document
from companion.web.packing import pack_static
from companion.web.referees import check_player, while_welcome
from companion.web.setup_pages import setup
from companion.web.view import BOARD_PAGE, TableView, WebSettings

MAX_BODY_BYTES = 2048
"""A command is a few words; anything longer is none."""
MAX_SEQ_DIGITS = 18
"""Sequence numbers fit SQLite's signed 64 bits."""
FULL_RETRY_S = 30
"""After how long a browser that found all streams taken may ask for one again; it polls until then."""

pages = Blueprint("pages", __name__)
api = Blueprint("api", __name__, url_prefix="/api/v1")


def create_app(view: TableView, settings: WebSettings | None = None) -> Flask:
    """The web application of `view`. `feed_of(app).close()` ends its streams."""
    settings = settings or WebSettings()
    app = Flask(__name__)
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY_BYTES, MAX_FORM_MEMORY_SIZE=MAX_BODY_BYTES)
    app.url_map.merge_slashes = False  # no address is sent elsewhere: what is not there is not there
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["senryaku"] = {
        "table": view,
        "settings": settings,
        "feed": Feed(view),
        "seats": Seats(settings.max_streams),
    }
    app.jinja_env.globals["modules_of"] = modules_of
    protect(app, settings)
    pack_static(app)
    referees.install(app)
    app.register_blueprint(pages)
    app.register_blueprint(api)
    app.register_blueprint(console_api)
    app.register_blueprint(history)
    app.register_blueprint(setup)
    return app


def feed_of(app: Flask) -> Feed:
    """The feed that an app's streams come from."""
    feed: Feed = app.extensions["senryaku"]["feed"]
    return feed


def settings_of(app: Flask) -> WebSettings:
    """The settings an app was made with."""
    settings: WebSettings = app.extensions["senryaku"]["settings"]
    return settings


@pages.get("/")
def board() -> str:
    """The scoring board, or what else this table shows; `?wall` for a television, `?kiosk` for a touch screen."""
    settings = settings_of(current_app)
    modes = {mode: mode in request.args for mode in ("wall", "kiosk")}
    parts = _parts() if settings.page == BOARD_PAGE else {}
    return render_template(settings.page, settings=settings, watch_at=reached_at("/"), **modes, **parts)


def _parts() -> dict[str, bool]:
    """Which parts the page shows as soon as it is live: their room is there from the first, so that nothing jumps."""
    game, live = table().state().get("game") or {}, table().live()
    for_all = live.get("warnings_for") == "all" or "watch" in request.args
    return {
        "has_risks": bool(live.get("risks")) and for_all,
        "has_margins": any("balance" in move for move in game.get("moves", ())),
    }


@pages.get("/qr.svg")
def qr() -> Response:
    """A QR code of the scoring board's address for phones, or with `?to=pair` of the page that pairs them."""
    address = reached_at("/pair" if request.args.get("to") == "pair" else "/")
    if address is None:
        abort(404, "only this machine reaches this table: set the host under [web] in table.toml")
    drawn = io.BytesIO()
    segno.make_qr(address, error="m").save(drawn, kind="svg", omitsize=True, border=2, light="#fff", xmldecl=False)
    return Response(drawn.getvalue(), mimetype="image/svg+xml")


@pages.get("/favicon.ico")
def icon() -> Response:
    return current_app.send_static_file("icon.svg")


@pages.get("/picture.jpg")
def picture() -> Response:
    """The newest camera picture; `?drawn` with what was read in it."""
    jpeg = table().picture(drawn="drawn" in request.args)
    if jpeg is None:
        abort(404, "there is no camera picture yet")
    return Response(jpeg, mimetype="image/jpeg")


@pages.get("/api")
def api_page() -> str:
    """What programs can ask of this table."""
    return render_template("api.html", settings=settings_of(current_app), document=document())


@pages.get("/api/v1/openapi.json")
def openapi() -> Response:
    """The same for programs."""
    return jsonify(document())


@api.get("/state")
def state() -> Response:
    """The whole state, as in the stream."""
    return jsonify(table().state())


@api.get("/live")
def live() -> Response:
    """The live values, as in the stream."""
    return jsonify(table().live())


@api.get("/events")
def events() -> Response:
    """The stream of Server-Sent Events; `Last-Event-ID` or `?after=` names the last event already seen."""
    after = _last_seen()
    seat = current_app.extensions["senryaku"]["seats"].take()
    if seat is None:
        full = jsonify(error="all live streams of this table are taken: poll /api/v1/state")
        full.status_code = 503
        full.headers["Retry-After"] = str(FULL_RETRY_S)
        return full
    stream = while_welcome(feed_of(current_app).stream(after))
    response = Response(stream, mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    response.call_on_close(seat.give_back)
    return response


def _last_seen() -> int | None:
    """The browser's last event. A bad header counts as none, as no page could mend it; a bad `after` is refused."""
    asked = request.args.get("after")
    if asked is not None and not _is_seq(asked):
        raise BadInput("after: a sequence number of the log is wanted, such as 12")
    header = request.headers.get("Last-Event-ID", "")
    seen = header if _is_seq(header) else asked
    return None if seen is None else int(seen)


def _is_seq(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_SEQ_DIGITS


@api.post("/demo")
def demo() -> Response:
    """A hand at the simulated table."""
    check_same_origin()
    if not settings_of(current_app).simulated:
        raise Refused("this is a real table: its spheres are moved by hand")
    check_player()
    return jsonify(table().ask(command()))
