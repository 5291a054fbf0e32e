"""Every pin, part number, command and file in the pages is the one in the code."""

import math
import re
import sys
import tomllib
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest

from companion.cli import COMMANDS, senryaku
from companion.commands.camera_checks import CAMERA_FAULTS
from companion.commands.doctor import _simulated
from companion.commands.reader_checks import READER_FAULTS
from companion.table.pin_table import (
    CELL_PINS,
    HEADER,
    HEADER_3V3,
    HEADER_5V,
    HEADER_GROUND,
    PANEL_PINS,
    PICO_BOARD,
    PICO_GROUND,
    PICO_PINS,
    cell_wires,
    panel_wires,
)
from companion.table.settings import BUTTONS, LAMPS, read_settings
from firmware_bridge.pico_reader import VENDORS

ROOT = Path(__file__).resolve().parents[2]
HARDWARE = ROOT / "hardware"
PAGES = sorted([ROOT / "README.md", *HARDWARE.rglob("*.md")])
PARTS = {part["number"] for part in tomllib.loads((HARDWARE / "parts.toml").read_text())["part"]}


@pytest.fixture
def made(monkeypatch):
    monkeypatch.syspath_prepend(str(HARDWARE))
    for name in ("make_pages", "wiring_drawing"):
        sys.modules.pop(name, None)
    import make_pages

    return make_pages.pages()


def test_pages_and_drawings_are_as_the_program_makes_them_now(made):
    for file, text in made.items():
        assert file.read_text(encoding="utf-8") == text, f"{file.name} is old: make hardware"


def test_the_example_settings_have_the_pins_of_the_table():
    settings = read_settings(HARDWARE / "pi" / "table.toml")
    assert settings.panel == dict(PANEL_PINS)
    assert {"low": settings.low_pins, "high": settings.high_pins} == dict(CELL_PINS)


def test_the_pico_s_firmware_has_the_pins_of_the_table():
    code = (HARDWARE / "firmware" / "code.py").read_text()
    for name, cell in PICO_PINS.items():
        assert f"{name} = Cell(board.GP{cell.data}, board.GP{cell.clock})" in code
        assert f"{name} cell data GP{cell.data}, clock GP{cell.clock}" in code


def test_every_part_of_the_panel_has_a_pin_and_no_pin_has_two_parts():
    assert set(PANEL_PINS) == {*BUTTONS, *LAMPS}
    used = [*PANEL_PINS.values(), *(pin for cell in CELL_PINS.values() for pin in (cell.data, cell.clock))]
    assert len(set(used)) == len(used)
    assert not {0, 1, 2, 3, 14, 15} & set(used)


def test_the_header_has_forty_pins_each_of_one_kind():
    places = [*HEADER.values(), *HEADER_3V3, *HEADER_5V, *HEADER_GROUND]
    assert sorted(places) == list(range(1, 41))
    assert not set(PICO_BOARD.values()) & set(PICO_GROUND)


def test_a_signal_wire_ends_at_its_pin_and_no_signal_at_power():
    for wire in (*cell_wires(pico=False), *panel_wires()):
        if wire.gpio is not None:
            assert HEADER[wire.gpio] == wire.place
        else:
            assert wire.place in (*HEADER_3V3, *HEADER_5V, *HEADER_GROUND)
            assert (wire.place in HEADER_GROUND) == (wire.colour == "black")
    assert all(w.place in HEADER_3V3 for w in cell_wires(pico=False) if w.part_pin == "VCC")


@pytest.mark.parametrize(("file", "pico"), [("pi4.svg", False), ("pi5.svg", False), ("pico.svg", True)])
def test_a_drawing_shows_every_wire_once(file, pico):
    root = ElementTree.parse(HARDWARE / "wiring" / file).getroot()
    said = [line.findtext("{*}title") for line in root.iter("{http://www.w3.org/2000/svg}polyline")]
    wires = cell_wires(pico) if pico else (*cell_wires(pico), *panel_wires())
    assert sorted(said) == sorted(f"{w.part} {w.part_pin} to pin {w.place} ({w.place_name})" for w in wires)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_part_numbers_commands_targets_and_files_in_the_pages_are_there(page):
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"\bP\d+\b", text)) <= PARTS
    for command in re.findall(r"\bsenryaku (?:\[--[^]]*\] )?([a-z][a-z-]+)\b", code_in(text)):
        assert command in COMMANDS, f"senryaku {command}"
    for target in re.findall(r"\bmake ([a-z][a-z-]*)", code_in(text)):
        assert re.search(rf"^{target}( .*)?:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"make {target}"
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / link).exists(), link
    for file in re.findall(r"`((?:hardware|companion|tests|vision|firmware_bridge)/[\w./-]*)`", text):
        assert (ROOT / file).exists(), file


def code_in(text):
    """What stands in code: between backticks and in indented blocks."""
    return "\n".join([*re.findall(r"`([^`\n]+)`", text), *re.findall(r"^    (.+)$", text, re.MULTILINE)])


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_options_that_pages_give_to_commands_are_there(page):
    for line in re.findall(r"\bsenryaku(?:-table)? ([a-z][a-z-]+[^\n`;|]*)", code_in(page.read_text(encoding="utf-8"))):
        name, *words = line.split()
        options = {word.partition("=")[0].strip("[],") for word in words if word.lstrip("[").startswith("--")}
        command = senryaku.get_command(None, name)
        known = set(_options(command))
        assert options <= known | {"--help"}, (line, options - known)


def _options(command):
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)
    if isinstance(command, click.Group):
        for name in command.commands:
            yield from _options(command.commands[name])


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_a_pin_that_a_page_names_for_a_part_is_the_part_s(page):
    for name, pin in re.findall(r"\b(\w+_(?:button|lamp)|buzzer) = (\d+)", page.read_text(encoding="utf-8")):
        assert PANEL_PINS[name] == int(pin)


def test_the_udev_rules_name_the_vendors_that_the_reader_looks_for():
    rules = (HARDWARE / "pi" / "99-senryaku.rules").read_text()
    assert {int(v, 16) for v in re.findall(r'idVendor}=="(\w+)"', rules)} == set(VENDORS)


def measures(model):
    """The plain numbers that an OpenSCAD file sets."""
    text = (HARDWARE / "models" / f"{model}.scad").read_text()
    return {name: float(value) for name, value in re.findall(r"^(\w+) = ([\d.]+);", text, re.MULTILINE)}


def kind_of(number):
    parts = tomllib.loads((HARDWARE / "parts.toml").read_text())["part"]
    return next(part["kind"] for part in parts if part["number"] == number)


def test_the_screws_in_the_parts_list_are_as_long_as_the_models_want():
    m, wood, sunk, cell = measures("common"), 18.0, 12.0, 12.7
    assert f"plywood {wood:g} mm" in kind_of("P14")
    lengths = [(thread, float(mm)) for thread, mm in re.findall(r"(M\d) x (\d+)", kind_of("P13"))]
    length = dict(reversed(lengths))  # M4: the first, for the pinnacle
    washer = 1.0
    in_cell = length["M5"] - washer - (wood - sunk) - m["plate"] - m["spacer"]
    assert 5 <= in_cell <= cell, "from below through base, mount and spacer into the cell"
    assert length["M3"] > m["plate"] + m["spacer"] - m["stop_play"], "from below up to the cell's free end"
    assert length["M3"] < m["plate"] + m["spacer"] + wood - 5, "its head stays in the base's hole"
    assert 5 <= length["M4"] - washer - (m["saddle_top"] - 2.5) <= cell, "through the saddle into the cell"
    joint = m["tube"] + 2 * m["fit"] + 8
    assert dict(lengths)["M4"] >= joint + 2 * washer + 3.2, "through a joint of the arm, with its nut"


def test_the_tube_in_the_parts_list_reaches_up_to_the_camera_s_height():
    m = measures("common")
    board, view = (300.0, 260.0), (66.0, 41.0)
    height = max((half / 2 + 25) / math.tan(math.radians(angle / 2)) for half, angle in zip(board, view, strict=True))
    tip = m["plate"] + m["spacer"] + 12.7 + m["saddle_top"] + m["tip_height"]
    upright = float(re.search(r"(\d+) mm upright", kind_of("P15"))[1])
    assert upright == pytest.approx(height + tip - 5, abs=5)


def test_each_part_number_is_used_once_and_in_order():
    parts = tomllib.loads((HARDWARE / "parts.toml").read_text())["part"]
    assert [part["number"] for part in parts] == [f"P{n}" for n in range(1, len(parts) + 1)]
    assert set(COMMANDS) >= {"doctor", "record", "backup", "restore", "calibrate"}


def test_the_page_for_trouble_has_every_line_of_the_doctor_in_its_order():
    text = (HARDWARE / "TROUBLE.md").read_text()
    listed = [part for cell in re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE) for part in cell.split(", ")]
    parts = [finding.part for finding in _simulated(None, 0, 5.0)]
    assert [part for part in listed if part in parts] == parts
    assert {"Pico", *READER_FAULTS.values(), *chain.from_iterable(CAMERA_FAULTS.values())} <= set(listed)


def test_the_settings_and_units_that_pages_name_are_those_of_the_service():
    unit = (HARDWARE / "pi" / "senryaku.service").read_text()
    for place in ("/etc/senryaku/table.toml", "/opt/senryaku/current", "/var/lib/senryaku", "LimitRTPRIO=25"):
        assert place in unit
    assert f"LG_WD=/run/{re.search(r'RuntimeDirectory=(.*)', unit)[1]}" in unit
