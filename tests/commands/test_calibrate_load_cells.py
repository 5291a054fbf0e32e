"""`calibrate load-cells`: what it writes is right, and where anything is wrong nothing is written."""

import json
import os
import sys
from math import hypot, sqrt

import pytest

from companion.cli import run
from companion.commands import calibrate
from companion.commands.calibrate_people import Keyboard
from companion.simulator.bench import Bench
from companion.simulator.cells import WALK_G_PER_ROOT_S
from companion.table.settings import read_settings
from firmware_bridge.calibration import Calibrating, Plan
from firmware_bridge.calibration_fit import Mass, Well
from firmware_bridge.readers import SimulatedReader
from firmware_bridge.samples import LoadCells
from tests.firmware_bridge.calibration_bench import TABLE, table_file

FAR = 4.5
COMMAND = ["calibrate", "load-cells"]


@pytest.fixture
def bench_used(monkeypatch):
    """The benches that the command has made."""
    made = []
    real = calibrate.simulated_bench
    monkeypatch.setattr(calibrate, "simulated_bench", lambda *a: made.append(real(*a)) or made[-1])
    return made


@pytest.mark.parametrize("axis", ["ranks", "files"])
@pytest.mark.parametrize("seed", [0, 1])
def test_it_works_from_start_to_end_on_the_simulated_table(tmp_path, capsys, bench_used, axis, seed):
    file = table_file(tmp_path, TABLE + f"[pinnacles]\naxis = '{axis}'  # as built\n")
    assert run([*COMMAND, str(file), "--simulated", "--seed", str(seed), "--mass", "20.5", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    (bench,) = bench_used
    written = tmp_path / "table.simulated.toml"
    settings = read_settings(written)
    assert (settings.axis, said["scale_known"], said["written"]) == (axis, True, str(written))
    assert settings.cells.half_spacing_mm == said["half_spacing_mm"]
    assert abs(said["half_spacing_mm"] - bench.spec.half_spacing_mm) < FAR * said["half_spacing_sd_mm"]
    for i, (name, cell) in enumerate((("low", settings.cells.low), ("high", settings.cells.high))):
        true, stated = bench.true_cells[i], said[name]
        assert (cell.offset_counts, cell.counts_per_gram) == (stated["offset_counts"], stated["counts_per_gram"])
        assert abs(cell.counts_per_gram - true.counts_per_gram) < FAR * stated["counts_per_gram_sd"]
        wandered = WALK_G_PER_ROOT_S * sqrt(bench.t) * true.counts_per_gram
        assert abs(cell.offset_counts - bench.true_offset(i)) < FAR * hypot(stated["offset_sd"], wandered)


def test_it_keeps_comments_and_all_other_settings_and_the_old_file(tmp_path, capsys):
    text = (
        TABLE
        + "[load_cells]\nsource = 'pico' # at the back\n[load_cells.low]\noffset_counts = 5 # guess\n[web]\nport = 81\n"
    )
    file = table_file(tmp_path, text)
    assert run([*COMMAND, str(file), "--simulated", "--mass", "20"]) == 0
    new = (tmp_path / "table.simulated.toml").read_text()
    assert file.read_text() == text, "a try on a simulated table must not touch the real one's settings"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["table.simulated.toml", "table.toml"]
    for kept in ("# the club's table", "'pico' # at the back", "# guess", "port = 81"):
        assert kept in new
    settings = read_settings(tmp_path / "table.simulated.toml")
    assert (settings.load_source, settings.web.port) == ("pico", 81)
    assert settings.cells.low.offset_counts != 5
    out = capsys.readouterr().out
    assert "half spacing" in out
    assert "written to" in out
    assert "table's settings stay" in out


def test_it_says_that_an_unknown_mass_keeps_the_scale(tmp_path, capsys):
    file = table_file(tmp_path)
    assert run([*COMMAND, str(file), "--simulated"]) == 0
    out = capsys.readouterr().out
    assert "grams keep their old scale, which nobody has set yet" in out
    assert "--mass" in out
    cells = read_settings(file).cells
    assert cells.low.counts_per_gram * cells.high.counts_per_gram == pytest.approx(440.0**2, rel=1e-5)


def untouched(file, text, code, expected, capsys, *names):
    out, err = capsys.readouterr()
    assert code == expected, err
    assert file.read_text() == text
    assert [p.name for p in file.parent.iterdir()] == [file.name]
    assert out == ""
    assert "Traceback" not in err
    last = err.strip().splitlines()[-1] if err.strip() else ""
    for name in names:
        assert name in last
    return err


def test_a_reversed_cell_is_refused_and_nothing_is_written(tmp_path, capsys, monkeypatch):
    file = table_file(tmp_path)
    monkeypatch.setattr(calibrate, "simulated_bench", lambda *_: Bench(0, turned=(True, False)))
    code = run([*COMMAND, str(file), "--simulated", "--mass", "20"])
    untouched(file, TABLE, code, 1, capsys, "nothing was written", "Low cell", "less with the board on")


def test_ctrl_c_leaves_the_file_untouched(tmp_path, capsys, monkeypatch):
    def interrupted(self, state):
        if state.step.value == "check":
            raise KeyboardInterrupt
        return real(self, state)

    real = calibrate.SimulatedHand.confirms
    monkeypatch.setattr(calibrate.SimulatedHand, "confirms", interrupted)
    file = table_file(tmp_path)
    untouched(file, TABLE, run([*COMMAND, str(file), "--simulated", "--mass", "20"]), 130, capsys)


def test_nobody_at_the_keyboard_is_refused(tmp_path, capsys, monkeypatch):
    text = TABLE + "[load_cells]\nsource = 'pico'\n"
    file = table_file(tmp_path, text)
    source = SimulatedReader(Bench(0))
    monkeypatch.setattr(calibrate, "load_source", lambda _: source)
    with open(os.devnull) as nobody:  # noqa: PTH123 (it is no file to have a path)
        monkeypatch.setattr(sys, "stdin", nobody)
        code = run([*COMMAND, str(file), "--mass", "20"])
    untouched(file, text, code, 1, capsys, "nothing was written", "warm up", "keyboard")
    assert list(source) == []  # it was closed


def test_a_table_without_load_cells_says_what_to_set(tmp_path, capsys):
    file = table_file(tmp_path)
    err = untouched(file, TABLE, run([*COMMAND, str(file)]), 2, capsys, "source", "pico", "--simulated")
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("--mass 500", "at most"),
        ("--mass 0", "--mass"),
        ("--mass some", "--mass"),
        ("--mass inf", "finite"),
        ("--mass nan", "finite"),
        ("--mass 20 --mass-sd nan", "finite"),
        ("--mass 20 --mass-sd 5", "weigh it"),
        ("--wells d1,d6,d6", "must differ"),
        ("--wells d1,d6", "--wells"),
        ("--wells d6,d1,d2", "nearer to the high pinnacle"),
        ("--wells d1,d9,d2", "d9"),
    ],
)
def test_bad_options_get_one_line(tmp_path, capsys, options, names):
    file = table_file(tmp_path)
    code = run([*COMMAND, str(file), "--simulated", *options.split()])
    err = untouched(file, TABLE, code, 2, capsys, names)
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize("part", ["nothing", "camera-1"])
def test_other_parts_cannot_be_calibrated(tmp_path, capsys, part):
    assert run(["calibrate", part, str(table_file(tmp_path))]) == 2
    assert part in capsys.readouterr().err


def test_a_bad_file_is_refused_before_anybody_does_anything(tmp_path, capsys):
    file = table_file(tmp_path, TABLE + "[pinnacles]\naxis = 'rank'\n")
    assert run([*COMMAND, str(file), "--simulated"]) == 2
    assert "axis" in capsys.readouterr().err
    assert run([*COMMAND, str(tmp_path / "missing.toml"), "--simulated"]) == 2
    assert "missing.toml" in capsys.readouterr().err


def test_only_an_enter_that_was_waited_for_counts(monkeypatch):
    wells = (Well("d1", -90.0), Well("d6", 90.0), Well("d2", -54.0))
    measuring = Calibrating(Plan(LoadCells(), wells, Mass(20.0)))
    waiting = Calibrating(measuring.plan, waiting=True)
    read, write = os.pipe()
    with os.fdopen(read) as keyboard, os.fdopen(write, "w", buffering=1) as fingers:
        monkeypatch.setattr(sys, "stdin", keyboard)
        person = Keyboard()
        assert not person.confirms(waiting)
        fingers.write("\n")
        assert not person.confirms(measuring)
        assert not person.confirms(waiting)
        fingers.write("\n")
        assert person.confirms(waiting)
        assert not person.confirms(waiting)
        fingers.close()
        with pytest.raises(EOFError):
            person.confirms(waiting)
