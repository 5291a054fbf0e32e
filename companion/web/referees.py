"""Who may do what a referee does: devices that were paired with the code from the table's own screen."""

import ipaddress
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from flask import Blueprint, Flask, Response, current_app, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, SenryakuError
from companion.log.names import plain
from companion.web.addresses import reached_at
from companion.web.context import json_object, settings
from companion.web.guard import LOOPBACK_NAMES, check_same_origin, host_name, refusal
from companion.web.pairing import Pairing, TooManyTries, WrongCode
from companion.web.sessions import LASTS_S, NAME_LETTERS, Session, Sessions

COOKIE = "senryaku"
"""With the port at its end, as a browser sends a cookie to all ports of a machine."""
TOKEN_LETTERS = 200
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
"""What a proxy on this machine would add: then the browser is somewhere else."""
OPEN_TO_ALL = frozenset({"static", "referees.pair_page", "referees.session", "referees.pair", "pages.icon"})
"""What may be asked for where spectators need a code too."""

referees = Blueprint("referees", __name__)


class NotPaired(SenryakuError, PermissionError):
    """Only a paired device may do this."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The codes and the paired devices of one app."""

    sessions: Sessions
    pairing: Pairing = field(default_factory=Pairing)


def install(app: Flask) -> None:
    """Adds pairing to an app that has its settings. Where spectators need a code, nothing is shown without one."""
    app.extensions["senryaku"]["desk"] = Desk(Sessions(app.extensions["senryaku"]["settings"].sessions_file))
    app.register_blueprint(referees)

    @app.before_request
    def keep_out() -> AnyResponse | None:
        if settings().open_to_spectators or request.endpoint in OPEN_TO_ALL or at_the_table() or current():
            return None
        if request.path.startswith("/api/"):
            raise NotPaired("this table is not open to spectators: pair this device first, at /pair")
        return redirect(url_for("referees.pair_page"))

    @app.errorhandler(NotPaired)
    def not_paired(error: NotPaired) -> tuple[Response, int]:
        return refusal(str(error), 401)

    @app.errorhandler(WrongCode)
    def wrong(error: WrongCode) -> tuple[Response, int]:
        return jsonify(error=str(error)), 403

    @app.errorhandler(TooManyTries)
    def too_many(error: TooManyTries) -> tuple[Response, int]:
        answer = jsonify(error=str(error))
        answer.headers["Retry-After"] = str(max(1, round(error.wait_s)))
        return answer, 429


def desk_of(app: Flask) -> Desk:
    """The codes and paired devices of an app."""
    desk: Desk = app.extensions["senryaku"]["desk"]
    return desk


def show_code(app: Flask) -> str:
    """The code to show at the table now."""
    return desk_of(app).pairing.code(time.monotonic())


def current() -> Session | None:
    """The paired device that asks, None for anybody else."""
    token = request.cookies.get(_cookie())
    return None if not token or len(token) > TOKEN_LETTERS else _desk().sessions.find(token, time.time())


def check_referee() -> Session:
    """Refuses a write that no paired device of this table's own pages asks for. Raises `Refused`, `NotPaired`."""
    check_same_origin()
    session = current()
    if session is None:
        raise NotPaired("pair this device first: open /pair and type the code that the table's own screen shows")
    return session


def check_player() -> None:
    """Refuses a write of neither a paired device nor a table's own screen, where players play there."""
    check_same_origin()
    if not (settings().screen_plays and at_the_table()):
        check_referee()


def check_reader() -> Session:
    """Refuses what only paired devices may see. Raises `NotPaired`."""
    session = current()
    if session is None:
        raise NotPaired("only the referee's paired devices see this: pair this one first, at /pair")
    return session


def while_welcome(stream: Iterator[bytes]) -> Iterator[bytes]:
    """A stream for who asks now; at a table that is not open it ends when the device is sent away."""
    token = request.cookies.get(_cookie(), "")
    if settings().open_to_spectators or at_the_table():
        return stream
    sessions = _desk().sessions
    return takewhile(lambda _: sessions.find(token, time.time()) is not None, stream)


def at_the_table() -> bool:
    """Does the request come from a browser on the table's own machine, through no proxy?"""
    try:
        near = ipaddress.ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
    own_name = host_name(request.environ.get("HTTP_HOST", "")) in LOOPBACK_NAMES
    return near and own_name and not any(header in request.headers for header in PROXY_HEADERS)


@referees.get("/pair")
def pair_page() -> str:
    """Where a device is paired; on the table's own screen it shows the code."""
    return render_template("pair.html", settings=settings(), pair_at=reached_at("/pair"))


@referees.get("/api/v1/session")
def session() -> Response:
    """Is this device paired? The table's own screen is told the code too."""
    found = current()
    answer = {"paired": found is not None, "name": found.name if found else None, "id": found.id if found else None}
    if settings().console and at_the_table():
        answer["code"] = show_code(current_app)
    return jsonify(answer)


@referees.post("/api/v1/pair")
def pair() -> Response:
    """Pairs this device with the code that the table shows."""
    check_same_origin()
    if not settings().console:
        raise NotPaired("this page has no referee's console")
    asked = json_object('{"code": "123456", "name": "tablet"}')
    code, name = asked.get("code"), asked.get("name", "")
    if not isinstance(code, str) or not isinstance(name, str) or not code.strip():
        raise BadInput('pairing needs "code", the digits that the table shows, and may give "name"')
    _desk().pairing.check(_client(), "".join(code.split()), time.monotonic(), at_the_table())
    shown = plain(name)[:NAME_LETTERS]
    old = current()
    token, made = _desk().sessions.open(shown or "Unnamed device", time.time())
    if old is not None:
        _desk().sessions.revoke(old.id)
    answer = jsonify(paired=True, id=made.id, name=made.name)
    answer.set_cookie(
        _cookie(), token, max_age=int(LASTS_S), httponly=True, samesite="Strict", secure=request.is_secure, path="/"
    )
    return answer


@referees.get("/api/v1/sessions")
def all_sessions() -> Response:
    """The paired devices."""
    own = check_reader()
    found = _desk().sessions.all(time.time())
    return jsonify(
        [{"id": s.id, "name": s.name, "made": s.made, "used": s.used, "this": s.id == own.id} for s in found]
    )


@referees.delete("/api/v1/sessions/<session_id>")
def revoke(session_id: str) -> tuple[Response, int]:
    """Sends a device away, at once."""
    check_referee()
    if not _desk().sessions.revoke(session_id):
        return jsonify(error="no such device is paired"), 404
    return jsonify(done=True), 200


def _desk() -> Desk:
    return desk_of(current_app)


def _cookie() -> str:
    return f"{COOKIE}_{request.environ.get('SERVER_PORT', '')}"


def _client() -> str:
    """Who tries codes: an address, or the whole network of an IPv6 one, which a single person has to himself."""
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"
    return str(ipaddress.ip_network(f"{address}/64", strict=False)) if address.version == 6 else str(address)
