"""The evidence for one ruling as a page to read, for an appeal. It needs nothing but the files beside it."""

import csv
import io
from datetime import UTC, datetime
from html import escape
from typing import Any

from companion.table.evidence_case import AFTER_NAME, BEFORE_NAME, LOAD_NAME, Case
from firmware_bridge.samples import CellCalibration

WIDTH, HEIGHT, EDGE = 900, 260, 46
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:940px;margin:2em auto;padding:0 1em;color:#1d1d1b}"
    "figure{display:inline-block;width:49%;margin:0}img{width:100%}table{border-collapse:collapse}"
    "td,th{text-align:left;padding:.2em 1em .2em 0;border-bottom:1px solid #ccc}svg{width:100%;height:auto}"
    "polyline{fill:none;stroke-width:1.5}.low{stroke:#1f5fa8}.high{stroke:#b3541e}"
    ".mark{stroke:#777;stroke-dasharray:4 4}code{overflow-wrap:anywhere}"
)


def page(case: Case) -> bytes:
    """The page as HTML."""
    about = case.about
    event = about["event"]
    when = datetime.fromtimestamp(event["time"], UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    parts = [
        f"<h1>{escape(str(about['says']))}</h1>",
        f"<p>Event {event['seq']} of the log, {when}, reported by {escape(event['origin'].replace('_', ' '))}.</p>",
        f"<p><strong>The rule:</strong> {escape(str(about['rule']))}</p>" if about["rule"] else "",
        f"<p>Position before: <code>{escape(about['position_before'])}</code></p>",
        _pictures(case),
        _hypotheses(about["hypotheses"]),
        _load_events(about["load_events"]),
        _trace(case),
        f"<p>Digest of the event in the log: <code>{escape(event['digest'])}</code>. "
        "<code>senryaku verify LOG</code> tells whether the log is whole.</p>",
    ]
    title = f"Evidence for event {event['seq']}"
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'.encode()


def _pictures(case: Case) -> str:
    figures = []
    for name, what in ((BEFORE_NAME, "before"), (AFTER_NAME, "after")):
        if name in case.files:
            t = case.about["pictures"][name]["t_s"]
            caption = f"<figcaption>{what}, {t:.2f} s</figcaption>"
            figures.append(f'<figure><img src="{name}" alt="The board {what} it">{caption}</figure>')
    return "<h2>Pictures</h2>" + (" ".join(figures) or "<p>There was no camera picture.</p>")


def _hypotheses(hypotheses: list[dict[str, Any]]) -> str:
    if not hypotheses:
        return "<h2>Explanations</h2><p>This was not weighed against other explanations.</p>"
    rows = "".join(
        f"<tr><td>{escape(str(h['says']))}</td><td>{escape(str(h['meaning']).replace('_', ' '))}</td>"
        f"<td>{escape(str(h['player'] or ''))}</td><td>{escape(str(h['reason'] or '').replace('_', ' '))}</td>"
        f"<td>{h['p']:.3g}</td></tr>"
        for h in hypotheses
    )
    head = "<tr><th>What</th><th>Meaning</th><th>Player</th><th>Reason</th><th>Probability</th></tr>"
    return f"<h2>Explanations</h2><table>{head}{rows}</table>"


def _load_events(events: list[dict[str, Any]]) -> str:
    if not events:
        return ""
    rows = "".join(
        f"<tr><td>{e['t']:.2f} s</td><td>{escape(str(e['kind']))}</td><td>{_value(e['mass_g'], 'g')}</td>"
        f"<td>{_value(e['p_mm'], 'mm')}</td></tr>"
        for e in events
    )
    head = "<tr><th>Known at</th><th>What</th><th>Mass</th><th>From the centre line</th></tr>"
    return f"<h2>Lifts and placings felt</h2><table>{head}{rows}</table>"


def _value(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.1f} {unit}"


def _trace(case: Case) -> str:
    """Both loads over time, in grams, with the moment at which the change began."""
    if LOAD_NAME not in case.files:
        return "<h2>Loads</h2><p>There was no load cell.</p>"
    lines = {name: grams(case, name) for name in ("low", "high")}
    points = [point for line in lines.values() for point in line]
    if not points:
        return "<h2>Loads</h2><p>The load cells gave no reading.</p>"
    (t0, t1), (g0, g1) = ((min(v), max(v)) for v in zip(*points, strict=True))
    span_t, span_g = max(t1 - t0, 1e-3), max(g1 - g0, 1.0)

    def at(t: float, g: float) -> str:
        x = EDGE + (t - t0) / span_t * (WIDTH - 2 * EDGE)
        return f"{x:.1f},{HEIGHT - EDGE - (g - g0) / span_g * (HEIGHT - 2 * EDGE):.1f}"

    drawn = "".join(
        f'<polyline class="{name}" points="{" ".join(at(*point) for point in line)}"/>' for name, line in lines.items()
    )
    x = at(min(max(case.about["since_s"], t0), t1), g0).split(",")[0]
    mark = f'<line class="mark" x1="{x}" x2="{x}" y1="{EDGE}" y2="{HEIGHT - EDGE}"/>'
    texts = (
        f'<text x="4" y="{EDGE}">{g1:.0f} g</text><text x="4" y="{HEIGHT - EDGE}">{g0:.0f} g</text>'
        f'<text x="{EDGE}" y="{HEIGHT - 12}">{t0:.1f} s</text>'
        f'<text x="{WIDTH - EDGE}" y="{HEIGHT - 12}" text-anchor="end">{t1:.1f} s</text>'
        f'<text x="{EDGE}" y="20" fill="#1f5fa8">low</text><text x="{EDGE + 50}" y="20" fill="#b3541e">high</text>'
    )
    drawing = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Both loads">{mark}{drawn}{texts}</svg>'
    return f"<h2>Loads</h2><p>The dashed line is where the change began.</p>{drawing}"


def grams(case: Case, name: str) -> list[tuple[float, float]]:
    """One cell's trace, `(s, g)` for every reading there is."""
    cell = CellCalibration(**case.about["calibration"][name])
    rows = csv.DictReader(io.StringIO(case.files[LOAD_NAME].decode()))
    return [(float(r["t_s"]), cell.grams(int(r[f"{name}_counts"]))) for r in rows if r[f"{name}_counts"]]
