"""The rooms of the house: which may import which."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ["rules", "balance", "referee", "log", "table", "simulator", "tournament", "web", "commands"]
SENSORS = {"firmware_bridge", "vision"}
FOR_ALL = "companion.errors"
PURE = ["companion/rules", "companion/balance", "companion/referee"]
IMPURE = {
    "time",
    "datetime",
    "threading",
    "socket",
    "sqlite3",
    "subprocess",
    "os",
    "io",
    "pathlib",
    "random",
    "asyncio",
}


def imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(name: str) -> str:
    parts = name.split(".")
    if parts[0] in SENSORS:
        return parts[0]
    return parts[1] if parts[0] == "companion" and len(parts) > 1 else ""


def files_of(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def test_there_are_rooms_to_look_at():
    assert all(files_of(f"companion/{room}") for room in ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_rooms_above_it(room):
    allowed = {*ROOMS[: ROOMS.index(room) + 1], *SENSORS, "errors", ""}
    for file in files_of(f"companion/{room}"):
        wrong = {n for n in imported(file) if n.split(".")[0] in {"companion", *SENSORS} and room_of(n) not in allowed}
        assert not wrong, f"{file.relative_to(ROOT)} imports {sorted(wrong)}"


@pytest.mark.parametrize("room", ["rules", "balance"])
def test_the_rules_and_the_balance_know_no_sensors(room):
    for file in files_of(f"companion/{room}"):
        assert not {n for n in imported(file) if n.split(".")[0] in SENSORS}, file


@pytest.mark.parametrize("sensor", sorted(SENSORS))
def test_the_sensor_packages_know_nothing_of_the_game_or_of_each_other(sensor):
    others = {"companion", *SENSORS} - {sensor}
    for file in files_of(sensor):
        wrong = {n for n in imported(file) if n.split(".")[0] in others and not n.startswith(FOR_ALL)}
        assert not wrong, f"{file.relative_to(ROOT)} imports {sorted(wrong)}"


@pytest.mark.parametrize("folder", PURE)
def test_what_decides_has_no_clock_no_thread_and_no_file(folder):
    for file in files_of(folder):
        assert not {n for n in imported(file) if n.split(".")[0] in IMPURE}, file


def test_blinka_is_imported_nowhere_but_in_the_adapter():
    """It prints to stdout when it is imported off a Pi."""
    for folder in ("companion", "vision", "firmware_bridge"):
        for file in files_of(folder):
            tops = {n.split(".")[0] for n in imported(file)}
            if tops & {"board", "digitalio", "microcontroller", "adafruit_hx711"}:
                assert file.parent.name == "firmware_bridge", file
