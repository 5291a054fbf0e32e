#!/usr/bin/env python3
"""Makes what must agree with the program: PARTS.md from parts.toml, PINS.md and wiring/*.svg from the pin table.

Run from the project: `make hardware`. A test makes them anew and compares.
"""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from wiring_drawing import DRAWINGS, drawing  # noqa: E402

from companion.table.pin_table import cell_wires, panel_wires  # noqa: E402

MADE = "<!-- Made by hardware/make_pages.py; do not edit. -->"


def parts_page() -> str:
    """The parts list as Markdown."""
    parts = tomllib.loads((HERE / "parts.toml").read_text(encoding="utf-8"))["part"]
    rows = [
        f"| {p['number']} | {p['count']} | {p['what']} | {p['kind']} | {p['or'] or '-'} | {p['for']} | "
        f"{p['count'] * p['eur']:.2f} |"
        for p in parts
    ]
    total = sum(p["count"] * p["eur"] for p in parts)
    return "\n".join(
        [
            MADE,
            "# Parts",
            "",
            f"About {total:.0f} euro in all, without board and spheres. Prices are what small shops asked in 2026.",
            "",
            "| number | pieces | part | kind | or | for | euro |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def pins_page() -> str:
    """The pin table as Markdown."""
    lines = [
        MADE,
        "# Pins",
        "",
        "The program, the drawings and this page have their pins from one place, `companion/table/pin_table.py`.",
        "Other pins may be used: say so in `table.toml`. Amplifiers (P5) run on 3.3 V, never on 5 V: their data pin",
        "would give the Pi more than it bears.",
        "",
    ]
    tables = (
        ('Load cells at a Pico (P6): `source = "pico"`', "pin of the Pico", cell_wires(pico=True), "GP"),
        ('Load cells at the Pi (P1): `source = "gpio"`', "pin of the header", cell_wires(pico=False), "GPIO"),
        ("Panel at the Pi (P1)", "pin of the header", panel_wires(), "GPIO"),
    )
    for title, place, wires, name in tables:
        lines += [f"## {title}", "", f"| part | its pin | {place} | called | wire |", "| --- | --- | --- | --- | --- |"]
        for w in wires:
            called = w.place_name.replace("GPIO", name)
            lines.append(f"| {w.part} | {w.part_pin} | {w.place} | {called} | {w.colour} |")
        lines.append("")
    lines += [
        "Each button (P9) closes its pin to ground; the Pi's own resistor holds it at 3.3 V else. Each lamp (P10) has",
        "a resistor (P11) between pin and its long leg. The buzzer (P12) has a transistor of its own and takes its",
        "current from 5 V. A load cell's (P4) wires go to its amplifier (P5): red E+, black E-, white A-, green A+.",
        "The buttons' other contacts meet at the buttons' ground pin, the lamps' short legs at the lamps'.",
        "",
        "An amplifier of the SparkFun kind calls DT and SCK DAT and CLK; its VDD wants 3.3 V too, join it to VCC.",
        "For 80 samples a second cut its jumper RATE; on a green one lift the chip's pin 15 and wire it to VCC.",
        "",
        "| drawing | for |",
        "| --- | --- |",
        *(f"| [wiring/{d.file}](wiring/{d.file}) | {d.title} |" for d in DRAWINGS),
        "",
    ]
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """All that is made, by its file."""
    made = {HERE / "PARTS.md": parts_page(), HERE / "PINS.md": pins_page()}
    return made | {HERE / "wiring" / d.file: drawing(d) for d in DRAWINGS}


if __name__ == "__main__":
    for file, text in pages().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        print(file.relative_to(HERE.parent))
