"""Setting a table up step by step, for someone who has never seen a terminal."""

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput
from companion.rules.try4_tiles import TileSet
from companion.table.settings import Try4Settings
from companion.table.tile_sheets import PAPERS_MM, mat_pdf, mat_plan, tile_side_mm, tiles_pdf
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


@setup.get("/print/<any(mat, tiles):what>.pdf")
def printable(what: str) -> Response:
    """A sheet in true size, the Try 4 mat or its tiles; `?paper=` a4, a3 or letter."""
    check_reader()  # drawing one keeps a small computer busy for a while
    paper = request.args.get("paper", "a4")
    if paper not in PAPERS_MM:
        raise BadInput(f"paper: should be one of {', '.join(PAPERS_MM)}")
    try4 = Try4Settings()
    if what == "mat":
        pdf = mat_pdf(mat_plan(try4), paper)
    else:
        pdf = tiles_pdf(TileSet.standard(try4.colours), tile_side_mm(try4), paper)
    return Response(pdf, mimetype="application/pdf")
