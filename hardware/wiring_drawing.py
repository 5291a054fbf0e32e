"""Draws the wiring as SVG from the pin table: pins in the middle, parts on both sides, a lane for each wire."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from companion.table.pin_table import HEADER, PICO_BOARD, Wire, cell_wires, panel_wires

WIDTH = 1180
PITCH = 22
TOP = 130
MIDDLE = WIDTH / 2
HALF = 62
"""From the middle of the board to where its wires begin."""
LANE = 11
BOX = 168
COLOURS = {
    "red": "#c62828",
    "black": "#222222",
    "green": "#2e7d32",
    "blue": "#1565c0",
    "grey": "#757575",
    "orange": "#ef6c00",
    "purple": "#6a1b9a",
}
LABELS = {
    "white_button": "White's button",
    "black_button": "Black's button",
    "referee_button": "referee's button",
    "safe_lamp": "safe, green",
    "near_lamp": "near, orange",
    "crash_lamp": "crash, red",
    "buzzer": "I/O",
}


@dataclass(frozen=True)
class Drawing:
    """One sheet. `rows`: of the board's two rows of pins; `header`: numbered in pairs, else around as a chip."""

    file: str
    title: str
    board: str
    rows: int
    header: bool
    wires: tuple[Wire, ...]
    notes: tuple[str, ...]


CELL_NOTES = (
    "Wires that cross do not touch. VCC of each HX711 (P5) at 3.3 V, never 5 V.",
    "80 samples a second: cut a SparkFun board's jumper RATE; lift a green board's chip pin 15, wire it to VCC.",
    "A SparkFun board calls DT and SCK DAT and CLK, and wants its VDD at 3.3 V too: join it to VCC.",
)
PICO_NOTE = "With a Pico (P6) nothing of the two HX711 is wired here; they go there instead: see pico.svg."
DRAWINGS = (
    Drawing(
        "pi5.svg",
        "Raspberry Pi 5: panel, and load cells at its own pins",
        "Raspberry Pi 5 (P1), 40-pin header, USB down",
        20,
        True,
        (*cell_wires(pico=False), *panel_wires()),
        (
            PICO_NOTE,
            "Camera (P7) at CAM/DISP 0 with the cable of 22 to 15 pins (P8). Supply 5.1 V, 5 A (P2).",
            *CELL_NOTES,
        ),
    ),
    Drawing(
        "pi4.svg",
        "Raspberry Pi 4: panel, and load cells at its own pins",
        "Raspberry Pi 4 B (P1), 40-pin header, USB down",
        20,
        True,
        (*cell_wires(pico=False), *panel_wires()),
        (
            PICO_NOTE,
            "Camera (P7) at CAMERA with the cable of 15 pins (P8). Supply 5.1 V, 3 A (P2).",
            *CELL_NOTES,
        ),
    ),
    Drawing(
        "pico.svg",
        "Raspberry Pi Pico: load cells",
        "Raspberry Pi Pico (P6), USB up",
        20,
        False,
        cell_wires(pico=True),
        ("USB cable (one that carries data) from the Pico to any USB port of the Pi (P1).", *CELL_NOTES),
    ),
)


def drawing(sheet: Drawing) -> str:
    """The sheet as SVG text; the same settings give the same text."""
    out: list[str] = []
    left = [w for w in sheet.wires if _is_left(sheet, _part_place(sheet, w))]
    right = [w for w in sheet.wires if w not in left]
    bottom = TOP + sheet.rows * PITCH
    foot = max(bottom, _parts(sheet, out, left, -1), _parts(sheet, out, right, 1)) + 40
    _board(sheet, out)
    for n, note in enumerate(sheet.notes):
        out.append(_text(40, foot + 24 * n, note, 15))
    height = foot + 24 * len(sheet.notes) + 10
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="sans-serif"><title>{escape(sheet.title)}</title>'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>{_text(40, 44, sheet.title, 24)}'
    )
    return "\n".join([head, *out, "</svg>", ""])


def _part_place(sheet: Drawing, wire: Wire) -> int:
    """A part stands on the side on which its first signal pin is."""
    return next(w.place for w in sheet.wires if w.part == wire.part and w.gpio is not None)


def _is_left(sheet: Drawing, place: int) -> bool:
    return place % 2 == 1 if sheet.header else place <= sheet.rows


def _pin_y(sheet: Drawing, place: int) -> float:
    row = (place - 1) // 2 if sheet.header else (place - 1 if place <= sheet.rows else 2 * sheet.rows - place)
    return TOP + (row + 0.5) * PITCH


def _parts(sheet: Drawing, out: list[str], wires: Sequence[Wire], side: int) -> float:
    """Boxes on one side and the wires to them. Gives where they end."""
    parts = list(dict.fromkeys(w.part for w in wires))
    parts.sort(key=lambda part: min(_pin_y(sheet, w.place) for w in wires if w.part == part and w.gpio is not None))
    y, lane, over = float(TOP), 0, 0
    edge = MIDDLE + side * (WIDTH / 2 - 40 - BOX)
    for part in parts:
        of_it = [w for w in wires if w.part == part]
        tall = 40 + PITCH * len(of_it)
        x = min(edge, edge + side * BOX)
        out.append(
            f'<rect x="{x:g}" y="{y:g}" width="{BOX}" height="{tall}" rx="8" fill="#f4f1ea" stroke="#8d8371"/>'
            + _text(x + 12, y + 22, part, 15, bold=True)
        )
        for n, wire in enumerate(of_it):
            end = y + 44 + n * PITCH
            lane_x = MIDDLE + side * (HALF + 70 + lane * LANE)
            start = _pin_y(sheet, wire.place)
            begin_side = -1 if _is_left(sheet, wire.place) else 1
            begin = MIDDLE + begin_side * HALF
            points = [(begin, start), (lane_x, start), (lane_x, end), (edge, end)]
            if begin_side != side:
                above = TOP - 26 - 8 * over
                around = MIDDLE + begin_side * (HALF + 60 + 8 * over)
                over += 1
                points = [(begin, start), (around, start), (around, above), (lane_x, above), (lane_x, end), (edge, end)]
            path = " ".join(f"{px:g},{py:g}" for px, py in points)
            colour = COLOURS[wire.colour]
            label = f"{part} {wire.part_pin} to pin {wire.place} ({wire.place_name})"
            # where it crosses another that one passes below, but for the piece that it shares with it
            shared = any(w.place == wire.place for w in sheet.wires[: sheet.wires.index(wire)])
            halo = " L".join(f"{px:g},{py:g}" for px, py in points[1 if shared else 0 :])
            out.append(f'<path d="M{halo}" fill="none" stroke="#ffffff" stroke-width="7" stroke-linejoin="round"/>')
            out.append(
                f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="3" stroke-linejoin="round">'
                f"<title>{escape(label)}</title></polyline>"
            )
            if part == "lamps" and wire.gpio is not None:
                at = edge - side * 46
                out.append(
                    f'<rect x="{at - 20:g}" y="{end - 7:g}" width="40" height="14" fill="#fff8e1" stroke="#8d6e63"/>'
                    + _text(at, end + 4, "330 Ω", 10, "middle")
                )
            anchor = "start" if side > 0 else "end"
            out.append(_text(edge + side * 10, end + 5, LABELS.get(wire.part_pin, wire.part_pin), 13, anchor))
            lane += 1
        if "HX711" in part:
            out.append(_text(x + 12, y + tall + 15, "cell: red E+, black E-, white A-, green A+", 10))
        y += tall + 48  # keeps the ends of wires between the rows of pins
    return y


def _board(sheet: Drawing, out: list[str]) -> None:
    used = {w.place: w for w in sheet.wires}
    names = {place: n for n, place in (HEADER if sheet.header else PICO_BOARD).items()}
    prefix = "GPIO " if sheet.header else "GP"
    out.append(
        f'<rect x="{MIDDLE - HALF:g}" y="{TOP - 8}" width="{2 * HALF}" height="{sheet.rows * PITCH + 16}" rx="6" '
        f'fill="#e3efe5" stroke="#4e7a55"/>' + _text(MIDDLE, TOP - 60, sheet.board, 15, "middle", bold=True)
    )
    for place in range(1, 2 * sheet.rows + 1):
        side = -1 if _is_left(sheet, place) else 1
        y, wire = _pin_y(sheet, place), used.get(place)
        inner = 12 if sheet.header else HALF - 14
        fill = COLOURS[wire.colour] if wire else "#ffffff"
        out.append(f'<circle cx="{MIDDLE + side * inner:g}" cy="{y:g}" r="7" fill="{fill}" stroke="#4e7a55"/>')
        if wire:
            out.append(
                f'<line x1="{MIDDLE + side * (inner + 7):g}" y1="{y:g}" x2="{MIDDLE + side * HALF:g}" y2="{y:g}" '
                f'stroke="{fill}" stroke-width="3"/>'
            )
        number_x = MIDDLE + side * (27 if sheet.header else HALF - 28)
        out.append(_text(number_x, y - 3 if wire and sheet.header else y + 4, str(place), 9, "middle"))
        if wire:
            name = f"{prefix}{names[place]}" if place in names else wire.place_name
            anchor = "start" if side > 0 else "end"
            out.append(_text(MIDDLE + side * (HALF + 5), y - 4, name, 11, anchor))


def _text(x: float, y: float, text: str, size: int, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    where = f'x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {where}{weight} fill="#222222">{escape(text)}</text>'
