"""`doctor`: every fault is named with its part and a remedy, and a sound table is found sound."""

import json

import numpy as np
import pytest

from companion.cli import run
from companion.commands import doctor, findings
from companion.commands.findings import Finding, log_folder, opencv, pins, python_version
from companion.simulator.bench import Bench
from companion.simulator.bench_faults import FAULT_NAMES, with_fault
from companion.table.settings import Pins, TableSettings
from firmware_bridge.diagnosis import diagnose
from firmware_bridge.readers import SimulatedReader
from firmware_bridge.samples import LoadCells, RawSample
from tests.firmware_bridge.calibration_bench import TABLE, table_file


@pytest.fixture
def cells_only(monkeypatch):
    """The computer on which the tests run is not looked at."""
    monkeypatch.setattr(doctor, "general_checks", lambda _: ())


def report(capsys, *options):
    code = run(["doctor", *options, "--json"])
    out = json.loads(capsys.readouterr().out)
    assert code == (0 if out["ok"] else 1)
    assert out["ok"] is all(f["ok"] for f in out["findings"])
    return {f["part"]: f for f in out["findings"]}


@pytest.mark.usefixtures("cells_only")
@pytest.mark.parametrize("seed", range(4))
def test_sound_cells_are_found_sound(capsys, seed):
    found = report(capsys, "--simulated", "--seed", str(seed))
    assert list(found) == ["low load cell", "high load cell", "load cells"]
    assert all(f["ok"] for f in found.values()), found
    for name in ("low", "high"):
        what = found[f"{name} load cell"]["what"]
        assert all(word in what for word in ("samples a second", "dropped", "noise", "drift", "warm"))
    assert "right way up" in found["load cells"]["what"]


SHOWS_AS = {
    "no data": "no data",
    "too few samples": "too few samples",
    "saturated": "saturated",
    "stuck": "stuck",
    "erratic": "erratic",
    "reversed": "reversed",
    "below zero": "below zero",
    "drift beyond budget": "drift",
    "spikes": "spikes",
    "dropouts": "dropouts",
    "noisy": "noisy",
    "losing samples": "lost",
    "clocks apart": "clocks apart",
    "sample rate wrong": "sample rate wrong",
}


@pytest.mark.usefixtures("cells_only")
@pytest.mark.parametrize("fault", FAULT_NAMES)
def test_each_fault_is_named_with_its_part_and_a_remedy(capsys, fault):
    found = report(capsys, "--simulated", "--fault", fault)
    cell, _, name = fault.partition(" ")
    of_one = cell in ("low", "high")
    wrong = [part for part, f in found.items() if not f["ok"]]
    assert wrong == [f"{cell} load cell" if of_one else "load cells"]
    finding = found[wrong[0]]
    assert SHOWS_AS[name if of_one else fault] in finding["what"]
    assert len(finding["remedy"]) > 20
    assert "\n" not in finding["what"] + finding["remedy"]


@pytest.mark.usefixtures("cells_only")
def test_it_prints_a_line_for_each_part(capsys):
    assert run(["doctor", "--simulated", "--fault", "low stuck"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("low load cell: WRONG: stuck")
    assert lines[1].startswith("high load cell: ok")
    assert len(lines) == 2


@pytest.mark.usefixtures("cells_only")
def test_what_is_not_there_is_said_and_is_not_wrong(tmp_path, capsys):
    assert report(capsys)["load cells"]["what"].startswith("not looked at")
    assert report(capsys, str(table_file(tmp_path)))["load cells"]["what"].startswith("this table has none")


class SilentSource:
    """A reader whose part is not plugged in: it says nothing, every so often."""

    class health:  # noqa: N801 (the name is the reader's)
        trouble = "no Pico at any USB port: plug it in"

    closed = False

    def __iter__(self):
        return (RawSample(float(t), None, None) for t in range(10_000))

    def close(self):
        self.closed = True


@pytest.mark.usefixtures("cells_only")
def test_a_reader_that_gives_nothing_is_wrong_and_its_trouble_is_told(tmp_path, capsys, monkeypatch):
    source = SilentSource()
    monkeypatch.setattr(doctor, "load_source", lambda _: source)
    found = report(capsys, str(table_file(tmp_path, TABLE + "[load_cells]\nsource = 'pico'\n")))
    assert "no Pico at any USB port" in found["load cells"]["what"]
    assert found["load cells"]["remedy"]
    assert source.closed


@pytest.mark.usefixtures("cells_only")
def test_a_real_source_is_watched_from_its_first_reading_and_closed(tmp_path, capsys, monkeypatch):
    bench = Bench(0, spheres=True)

    def late():
        yield from (RawSample(t / 10, None, None) for t in range(80))
        yield from (RawSample(s.t + 8, s.low, s.high) for s in bench)

    source = SimulatedReader(late())
    monkeypatch.setattr(doctor, "load_source", lambda _: source)
    low, high = bench.cells.low, bench.cells.high
    text = TABLE + "[load_cells]\nsource = 'gpio'\n"
    for name, cell in (("low", low), ("high", high)):
        text += f"[load_cells.{name}]\noffset_counts = {cell.offset_counts}\ncounts_per_gram = {cell.counts_per_gram}\n"
    found = report(capsys, str(table_file(tmp_path, text)))
    assert all(f["ok"] for f in found.values()), found
    assert bench.t == pytest.approx(10, abs=0.5)
    assert list(source) == []


@pytest.mark.usefixtures("cells_only")
def test_pins_that_are_missing_are_told(tmp_path, capsys):
    found = report(capsys, str(table_file(tmp_path, TABLE + "[load_cells]\nsource = 'gpio'\n")))
    assert "data_pin" in found["load cells"]["what"]


def test_an_empty_pair_of_cells_says_that_polarity_cannot_be_told():
    bench = Bench(0)
    bench.board_off()
    samples = [s for s, _ in zip(bench, range(900), strict=False)]
    lines = doctor.findings_of(diagnose(samples, bench.cells))
    assert all(line.ok for line in lines)
    assert "no board" in lines[-1].what


@pytest.mark.parametrize("samples", [[], [RawSample(0.0, None, None)], [RawSample(0.0, 5, 6)]])
def test_hardly_any_samples_are_no_reason_to_fall_over(samples):
    assert len(doctor.findings_of(diagnose(samples, LoadCells()))) >= 2


def test_a_fault_needs_the_simulated_cells_and_a_known_name(capsys):
    for line in (["doctor", "--fault", "low stuck"], ["doctor", "--simulated", "--fault", "tired"]):
        assert run(line) == 2
        err = capsys.readouterr().err
        assert len(err.strip().splitlines()) == 1
        assert "fault" in err


def test_the_same_fault_is_the_same_samples():
    def some():
        bench = Bench(3)
        return [s for s, _ in zip(with_fault(bench, "low erratic", bench.cells, 3), range(200), strict=False)]

    assert some() == some()


def test_this_computer_runs_the_tests_and_so_is_found_fit():
    assert [python_version(None)[0].ok, opencv(None)[0].ok] == [True, True]


def test_an_old_opencv_is_told_with_the_remedy(monkeypatch):
    import cv2

    monkeypatch.setattr(cv2, "__version__", "4.6.0")
    (finding,) = opencv(None)
    assert (finding.ok, finding.what) == (False, "4.6.0")
    assert "pip install" in finding.remedy


def test_pins_are_only_missed_by_a_table_that_needs_them(monkeypatch):
    import gpiozero

    def none():
        raise gpiozero.BadPinFactory("Unable to load any default pin factory!")

    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    monkeypatch.setattr(gpiozero.Device, "ensure_pin_factory", staticmethod(none))
    needs = TableSettings("t", load_source="gpio", low_pins=Pins(5, 6), high_pins=Pins(13, 19))
    with_panel = TableSettings("t", panel={"buzzer": 12})
    assert [pins(s)[0].ok for s in (None, TableSettings("t"), needs, with_panel)] == [True, True, False, False]
    assert "python3-lgpio" in pins(needs)[0].remedy


def test_pins_that_are_there_are_named(monkeypatch):
    import gpiozero
    from gpiozero.pins.mock import MockFactory

    factory = MockFactory()
    monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)
    assert pins(None)[0].what == "gpiozero uses MockFactory"
    assert gpiozero.Device.pin_factory is factory


def ticking(seconds):
    times = iter(np.arange(0, 1000, seconds))
    return lambda: float(next(times))


def test_a_fast_disk_is_right_and_a_slow_one_is_not(tmp_path):
    assert log_folder(tmp_path / "not" / "yet", ticking(0.01))(None)[0].ok
    (slow,) = log_folder(tmp_path, ticking(0.8))(None)
    assert (slow.ok, "800 ms" in slow.what) == (False, True)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_and_one_that_cannot_be_written_are_told(tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": 5_000_000})
    monkeypatch.setattr(findings.shutil, "disk_usage", lambda _: usage)
    assert "Free" in log_folder(tmp_path, ticking(0.01))(None)[0].remedy

    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(findings.tempfile, "TemporaryFile", refuse)
    (finding,) = log_folder(tmp_path, ticking(0.01))(None)
    assert (finding.ok, "Permission denied" in finding.what) == (False, True)


def test_a_finding_is_one_line():
    assert str(Finding("disk", False, "full", "Free some.")) == "disk: WRONG: full. Free some."
    assert str(Finding("disk", True, "4 ms")) == "disk: ok: 4 ms"
