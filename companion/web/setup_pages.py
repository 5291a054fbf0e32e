"""Setting a table up step by step, for someone who has never seen a terminal."""

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.web.context import command, settings, table
from companion.web.guard import Refused, check_same_origin
from companion.web.referees import check_reader, check_referee, current

setup = Blueprint("setup", __name__)


@setup.get("/setup")
def setup_page() -> str | AnyResponse:
    """All steps on one page."""
    if current() is None:
        return redirect(url_for("referees.pair_page"))
    return render_template("setup.html", settings=settings())


@setup.get("/api/v1/setup")
def view() -> Response:
    """What camera and cells make of the table now."""
    check_reader()
    return jsonify(table().set_up())


@setup.post("/api/v1/setup")
def step() -> Response:
    """A step of the set-up."""
    check_same_origin()
    if not settings().console:
        raise Refused("nobody may set this table up from this page")
    check_referee()
    return jsonify(table().set_up_step(command()))


@setup.get("/print/<what>.pdf")
def printable(what: str) -> Response:
    """A sheet in true size with this table's measures; `?paper=` a4, a3 or letter."""
    check_reader()  # drawing one keeps a small computer busy for a while
    return Response(table().sheet(what, request.args.get("paper", "a4")), mimetype="application/pdf")
