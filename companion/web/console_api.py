"""What only the referee's devices see and do: settings in force, evidence, the console's commands."""

import io
import math

from flask import Blueprint, Response, jsonify, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput
from companion.table.evidence_case import AFTER_NAME, BEFORE_NAME, LOAD_NAME
from companion.table.evidence_page import grams, page
from companion.web.context import command, settings, table
from companion.web.guard import Refused, check_same_origin
from companion.web.referees import check_player, check_reader, current

PICTURES = {"before": BEFORE_NAME, "after": AFTER_NAME}

console_api = Blueprint("console", __name__)


@console_api.get("/console")
def console_page() -> str | AnyResponse:
    """The referee's console."""
    if current() is None:
        return redirect(url_for("referees.pair_page"))
    return render_template("console.html", settings=settings())


@console_api.post("/api/v1/console")
def console() -> Response:
    """What a person asks at the referee's console."""
    check_same_origin()
    if not settings().console:
        raise Refused("nobody may overrule the referee from this page")
    check_player()
    return jsonify(table().console(command()))


@console_api.get("/api/v1/desk")
def desk() -> Response:
    """Settings in force, what is wrong with the start position, which rulings there is evidence for."""
    check_reader()
    return jsonify(table().desk())


@console_api.get("/api/v1/loads")
def loads() -> Response:
    """The loads of the last minute; `?since=` leaves out what was given before."""
    try:
        since = float(request.args.get("since", "-1e9"))
    except ValueError:
        since = math.nan
    if not math.isfinite(since):
        raise BadInput("since: a time on the table's clock is wanted, s, such as 12.5")
    return jsonify(table().loads(since))


@console_api.get("/api/v1/evidence/<int(max=999999999999):seq>")
def evidence(seq: int) -> Response:
    """What a ruling was based on; `loads` are `[t, low, high]` (s, g), what is missing is null."""
    check_reader()
    case = table().evidence(seq)
    found = {name: file in case.files for name, file in PICTURES.items()}
    traces = {name: dict(grams(case, name)) for name in ("low", "high")} if LOAD_NAME in case.files else {}
    times = sorted(set().union(*traces.values()))
    points = [[t, *(None if (v := traces[name].get(t)) is None else round(v, 2) for name in traces)] for t in times]
    return jsonify({**case.about, "has": found, "loads": points})


@console_api.get("/api/v1/evidence/<int(max=999999999999):seq>/<any(before, after):when>.jpg")
def evidence_picture(seq: int, when: str) -> Response:
    """The picture before or after what was ruled on."""
    check_reader()
    jpeg = table().evidence(seq).files.get(PICTURES[when])
    if jpeg is None:
        raise BadInput(f"there is no picture {when} event {seq}")
    return Response(jpeg, mimetype="image/jpeg")


@console_api.get("/api/v1/evidence/<int(max=999999999999):seq>.zip")
def evidence_file(seq: int) -> Response:
    """All of it as one file for an appeal, with a page to read."""
    check_reader()
    case = table().evidence(seq)
    packed = io.BytesIO(case.to_bytes({"index.html": page(case)}))
    return send_file(packed, mimetype="application/zip", as_attachment=True, download_name=f"evidence-{seq}.zip")
