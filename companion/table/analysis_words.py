"""An analysis in words, and as a page that needs nothing besides."""

from dataclasses import dataclass
from html import escape

from companion.balance.learned import BOARD_MASS
from companion.referee.words import TERMINATIONS
from companion.rules import Side
from companion.table.analysis import LIKELY, NEAR_MISS_MM, Analysis, Ply

WIDTH, HEIGHT, EDGE = 900, 240, 44
NEAR_MM = 1.0
STYLE = (
    "body{font:17px/1.5 system-ui,sans-serif;max-width:940px;margin:2em auto;padding:0 1em;"
    "color:#1d1d1b;background:#fff}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25em .8em .25em 0;"
    "border-bottom:1px solid #ccc;font-variant-numeric:tabular-nums}svg{width:100%;height:auto}"
    "tr.near td{background:#fdf0d5}tr.lost td{background:#f8ddd0;font-weight:600}"
    ".line{fill:none;stroke:#1d1d1b;stroke-width:2}.axis{stroke:#777}.band{fill:#e69f00;opacity:.25}"
    ".near{fill:#e69f00;stroke:#1d1d1b}.crash{stroke:#d55e00;stroke-width:5}.touch{fill:#1d1d1b}"
    ".stem{fill:none;stroke:#d55e00;stroke-dasharray:3 4}"
)


def headline(analysis: Analysis) -> str:
    """Who played, and how it ended."""
    record = analysis.record
    players = f"{record.names[Side.WHITE]} against {record.names[Side.BLACK]}, {len(record.moves)} moves"
    over = record.over
    if over is None:
        return f"{players}: not finished"
    if over.winner is None:
        return f"{players}: void"
    if record.awarded:
        return f"{players}: {record.names[over.winner]} wins by award"
    return f"{players}: {record.names[over.winner]} wins {TERMINATIONS.get(str(over.termination), '')}".rstrip()


def known_words(analysis: Analysis) -> str:
    """What was known of the board at the end."""
    known = analysis.record.known
    if known is None:
        return "Without load cells nothing is known of margins and risks."
    sphere = sum(known.masses_g) / len(known.masses_g)
    spacing = known.half_spacing_mm[0]
    return (
        f"By then play had taught: half spacing {spacing:.2f} mm, board {known.values[BOARD_MASS]:.0f} g, "
        f"spheres {sphere:.1f} g."
    )


def lost_words(analysis: Analysis) -> str:
    """The move that lost it, in one line; empty where none did."""
    lost = analysis.lost_by
    if lost is None:
        over = analysis.record.over
        return "" if over is None or over.winner is None else "No single move lost it: no better one was found."
    what = f"{lost.n}. {lost.move}" if lost.move else f"Turn {lost.n}"
    better = f"; better was {lost.better}" if lost.better and lost.move else ""
    return f"Lost by {analysis.record.names[lost.player]} with {what}: {lost.why}{better}."


def remarks(ply: Ply) -> str:
    """What is remarkable about a move, in words; mostly nothing."""
    said = []
    felt = [mm for mm in ply.felt_mm if mm is not None]
    if ply.near_miss:
        said.append(f"near miss{f', {min(felt):.1f} mm felt' if felt else ''}")
    for capture in ply.missed:
        risk = "" if capture.risk is None else f" ({_percent(capture.risk)} crash)"
        said.append(f"missed {capture.move}{risk}")
    return "; ".join(said)


def rows(analysis: Analysis) -> list[tuple[str, ...]]:
    """Number, player, move, margins of its steps, risk, the safest move's risk, remarks."""
    found: list[tuple[str, ...]] = []
    for ply in analysis.plies:
        steps = () if ply.made is None else ply.made.steps
        found.append(
            (
                str(ply.n),
                analysis.record.names[ply.player],
                ply.move,
                ", ".join(f"{s.step} {s.margin_mm:.1f}" for s in steps),
                "" if ply.made is None else _percent(ply.made.risk),
                "" if ply.safest is None else f"{ply.safest.move} {_percent(ply.safest.risk)}",
                remarks(ply),
            )
        )
    return found


HEADS = ("no.", "player", "move", "margins (mm)", "crash risk", "safest", "remarks")


def page(analysis: Analysis) -> str:
    """The analysis as an HTML page with the margin over the game."""
    lost = analysis.lost_by
    table = "".join(
        f"<tr{_class(ply, lost is not None and lost.move is not None and lost.n == ply.n)}>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row)
        + "</tr>"
        for ply, row in zip(analysis.plies, rows(analysis), strict=True)
    )
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADS)
    title = escape(headline(analysis))
    parts = [
        f"<h1>{title}</h1>",
        f"<p><strong>{escape(lost_words(analysis))}</strong></p>",
        f"<p>{escape(known_words(analysis))} Risks are those by hindsight, for the hand of the player who moved.</p>",
        plot(analysis),
        f"<table><thead><tr>{head}</tr></thead><tbody>{table}</tbody></table>",
    ]
    body = "".join(parts)
    meta = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    return f'<!doctype html><html lang="en"><head>{meta}<style>{STYLE}</style></head><body>{body}</body></html>\n'


def _class(ply: Ply, lost: bool) -> str:
    return ' class="lost"' if lost else ' class="near"' if ply.near_miss else ""


def plot(analysis: Analysis) -> str:
    """The margin over the game as an SVG drawing; each touch says in its title what it was. Empty without margins."""
    touches = _touches(analysis)
    if not touches:
        return ""
    most = max(2.0, *(touch.margin_mm for touch in touches))
    last = max(8.0, touches[-1].at)

    def xy(at: float, margin: float) -> tuple[float, float]:
        return (
            EDGE + (WIDTH - 2 * EDGE) * at / last,
            HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * max(0.0, margin) / most,
        )

    line = " ".join("{:.1f},{:.1f}".format(*xy(touch.at, touch.margin_mm)) for touch in touches)
    bottom, near = xy(0, 0)[1], xy(0, NEAR_MM)[1]
    stems = "".join(
        '<path class="stem" d="M{:.1f} {:.1f}V{:.1f}"/>'.format(*xy(t.at, t.margin_mm), xy(t.at, t.least_mm)[1])
        for t in touches
        if t.kind != "touch"
    )
    marks = "".join(_mark(*xy(touch.at, touch.least_mm), touch.kind, touch.words) for touch in touches)
    drawing = (
        f'<rect class="band" x="{EDGE}" y="{near:.1f}" width="{WIDTH - 2 * EDGE}" height="{bottom - near:.1f}"/>'
        f'<path class="axis" fill="none" d="M{EDGE} {EDGE}V{bottom:.1f}H{WIDTH - EDGE}"/>'
        f'<polyline class="line" points="{line}"/>{stems}{marks}'
        f'<text x="4" y="{EDGE}">{most:.1f} mm</text><text x="4" y="{bottom:.1f}">0</text>'
        f'<text x="{WIDTH - EDGE}" y="{HEIGHT - 12}" text-anchor="end">move {len(analysis.plies)}</text>'
    )
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Margin over the game">{drawing}</svg>'


@dataclass(frozen=True, slots=True)
class _Touch:
    """One touch on the plot: its place in the game, the margin after it, and where it is marked.

    `kind` is touch, near or crash; the latter two are marked at the least margin that was felt.
    """

    at: float
    margin_mm: float
    least_mm: float
    kind: str
    words: str


def _touches(analysis: Analysis) -> list[_Touch]:
    found = []
    for ply in analysis.plies:
        steps = () if ply.made is None else ply.made.steps
        felt = ply.felt_mm or (None,) * len(steps)
        riskiest = max((step.risk for step in steps), default=0.0)
        likely = ply.made is not None and ply.made.risk > LIKELY
        for n, (step, mm) in enumerate(zip(steps, felt, strict=False)):
            near = (mm is not None and mm < NEAR_MISS_MM) or (likely and step.risk == riskiest)
            least = step.margin_mm if mm is None or not near else min(mm, step.margin_mm)
            words = f"{ply.n}. {ply.move}, {step.step}: margin {step.margin_mm:.1f} mm, risk {_percent(step.risk)}"
            words += f", {mm:.1f} mm felt" if near and mm is not None else ""
            at = ply.n - 1 + (n + 1) / len(steps)
            found.append(_Touch(at, step.margin_mm, least, "near" if near else "touch", words))
    crash = analysis.record.crash
    if crash is not None and found:
        steps_said = (crash.get("balance") or {}).get("steps") or [{}]
        margin = float(steps_said[0].get("margin_mm") or 0.0)
        words = f"Crash on the {crash.get('step', 'touch')}"
        found.append(_Touch(len(analysis.plies) + 0.6, margin, 0.0, "crash", words))
    return found


def _mark(x: float, y: float, kind: str, words: str) -> str:
    title = f"<title>{escape(words)}</title>"
    if kind == "crash":
        return f'<path class="crash" d="M{x - 8:.1f} {y - 8:.1f}l16 16m0 -16l-16 16">{title}</path>'
    if kind == "near":
        return f'<path class="near" d="M{x:.1f} {y - 9:.1f}l8 15h-16z">{title}</path>'
    return f'<circle class="touch" cx="{x:.1f}" cy="{y:.1f}" r="4">{title}</circle>'


def _percent(risk: float) -> str:
    return f"{100 * risk:.1f}%" if risk < 0.1 else f"{100 * risk:.0f}%"
