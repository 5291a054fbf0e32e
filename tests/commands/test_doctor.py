"""`doctor`: every fault is named with its part and a remedy, and a sound table is found sound."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.cli import run
from companion.commands import computer, doctor
from companion.commands.camera_checks import CAMERA_FAULTS, simulated_camera
from companion.commands.computer import Computer, look_at_computer
from companion.commands.computer_checks import AFTER, BEFORE, disk, gpio_rights, opencv, pins, python_version
from companion.commands.computer_faults import COMPUTER_FAULTS, SOUND
from companion.commands.findings import Finding
from companion.commands.panel_checks import PANEL_FAULTS, panel, simulated_panel
from companion.commands.reader_checks import PICO_FIRMWARE, READER_FAULTS
from companion.simulator.bench import Bench
from companion.simulator.bench_faults import FAULT_NAMES, with_fault
from companion.table.settings import Pins, TableSettings, WebSettings
from firmware_bridge.diagnosis import diagnose
from firmware_bridge.link_reader import LinkHealth
from firmware_bridge.readers import SimulatedReader
from firmware_bridge.sample_link import LinkCounts
from firmware_bridge.samples import LoadCells, RawSample
from tests.firmware_bridge.calibration_bench import TABLE, table_file

COMPUTER_PARTS = [
    "Python",
    "OpenCV",
    "GPIO rights",
    "pin factory",
    "real-time priority",
    "power",
    "disk",
    "clock",
    "network name",
    "browser",
    "backup",
]
CAMERA_PARTS = [
    "camera pictures",
    "camera delay",
    "camera sharpness",
    "camera markers",
    "camera alignment",
    "camera exposure",
    "camera light",
    "camera flicker",
    "camera stand",
    "camera light steady",
]
CELL_PARTS = ["load-cell reader", "low load cell", "high load cell", "load cells"]


@pytest.fixture
def sound_computer(monkeypatch):
    """The computer on which the tests run is not looked at."""
    monkeypatch.setattr(doctor, "look_at_computer", lambda _: SOUND)


@pytest.fixture
def no_camera(monkeypatch):
    """Drawing a camera's pictures takes a second or two."""
    monkeypatch.setattr(doctor, "simulated_camera", lambda *_: [])


@pytest.fixture(scope="module")
def panels():
    """What was found of a panel, by its pins and its fault."""
    return {}


@pytest.fixture(autouse=True)
def each_panel_once(monkeypatch, panels):
    """Letting go of three buttons takes 0.2 s, and a panel knows of no other part's fault."""

    def found(settings, fault):
        key = (tuple(settings.panel.items()), fault if fault in PANEL_FAULTS else None)
        if key not in panels:
            panels[key] = simulated_panel(settings, fault)
        return panels[key]

    monkeypatch.setattr(doctor, "simulated_panel", found)


def report(capsys, *options):
    code = run(["doctor", *options, "--json"])
    out = json.loads(capsys.readouterr().out)
    assert code == (0 if out["ok"] else 1)
    assert out["ok"] is all(f["ok"] for f in out["findings"])
    return {f["part"]: f for f in out["findings"]}


@pytest.mark.parametrize("seed", range(2))
def test_a_sound_table_is_found_sound_in_order_and_every_part_is_there(capsys, seed):
    found = report(capsys, "--simulated", "--seed", str(seed))
    assert list(found) == [*COMPUTER_PARTS[:6], "panel", *CELL_PARTS, *CAMERA_PARTS, *COMPUTER_PARTS[6:]]
    assert all(f["ok"] and f["there"] for f in found.values()), found
    for name in ("low", "high"):
        what = found[f"{name} load cell"]["what"]
        assert all(word in what for word in ("samples a second", "dropped", "noise", "drift", "warm"))
    assert "right way up" in found["load cells"]["what"]


@pytest.mark.usefixtures("no_camera")
@pytest.mark.parametrize(("fault", "part"), [*COMPUTER_FAULTS.items(), *PANEL_FAULTS.items(), *READER_FAULTS.items()])
def test_each_fault_of_computer_and_reader_is_named_with_a_remedy(capsys, fault, part):
    found = report(capsys, "--simulated", "--seconds", "5", "--fault", fault)
    wrong = {name: f for name, f in found.items() if not f["ok"]}
    assert list(wrong) == [part], wrong
    assert len(wrong[part]["what"]) > 3
    assert len(wrong[part]["remedy"]) > 15
    assert "\n" not in wrong[part]["what"] + wrong[part]["remedy"]


@pytest.mark.parametrize("fault", CAMERA_FAULTS)
def test_each_mishap_of_the_camera_is_named_with_a_remedy(fault):
    wrong = {finding.part: finding for finding in simulated_camera(fault, 3) if not finding.ok}
    assert wrong, "nothing was noticed"
    assert set(CAMERA_FAULTS[fault]) & set(wrong), wrong
    assert all(len(finding.remedy) > 15 and "\n" not in str(finding) for finding in wrong.values())
    assert not any("senryaku doctor" in finding.remedy for finding in wrong.values()), "it is the doctor that speaks"


@pytest.mark.parametrize("seed", [2, 4])
def test_nothing_is_wrong_with_a_sound_camera(seed):
    findings = simulated_camera(None, seed)
    assert [str(f) for f in findings if not f.ok] == []
    assert [f.part for f in findings] == CAMERA_PARTS


@pytest.mark.usefixtures("no_camera")
@pytest.mark.usefixtures("no_camera")
def test_no_two_faults_of_a_part_are_told_in_the_same_words(capsys):
    told = [report(capsys, "--simulated", "--seconds", "5", "--fault", f)[p] for f, p in COMPUTER_FAULTS.items()]
    assert len({(f["part"], f["what"]) for f in told}) == len(told)


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


@pytest.mark.usefixtures("no_camera")
@pytest.mark.parametrize("fault", FAULT_NAMES)
def test_each_fault_of_the_cells_is_named_with_its_part_and_a_remedy(capsys, fault):
    found = report(capsys, "--simulated", "--fault", fault)
    cell, _, name = fault.partition(" ")
    of_one = cell in ("low", "high")
    wrong = [part for part, f in found.items() if not f["ok"]]
    assert wrong == [f"{cell} load cell" if of_one else "load cells"]
    finding = found[wrong[0]]
    assert SHOWS_AS[name if of_one else fault] in finding["what"]
    assert len(finding["remedy"]) > 20
    assert "\n" not in finding["what"] + finding["remedy"]


@pytest.mark.usefixtures("no_camera")
def test_it_prints_a_line_for_each_part(capsys):
    assert run(["doctor", "--simulated", "--fault", "low stuck"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("low load cell: WRONG: stuck") for line in lines)
    assert any(line.startswith("high load cell: ok") for line in lines)
    assert len(lines) == len(COMPUTER_PARTS) + 4


@pytest.mark.usefixtures("sound_computer")
def test_what_is_not_there_is_said_and_is_not_wrong(tmp_path, capsys):
    cells = report(capsys)["load cells"]
    assert (cells["what"].startswith("not looked at"), cells["there"], cells["ok"]) == (True, False, True)
    cells = report(capsys, str(table_file(tmp_path)))["load cells"]
    assert (cells["what"].startswith("this table has none"), cells["there"]) == (True, False)


def test_without_any_hardware_every_line_says_what_is_not_there(tmp_path, capsys, monkeypatch):
    bare = Computer(opencv="5.0.0", folder=tmp_path, free_mb=9000, sync_s=0.01, now=1.8e9, name="laptop")
    monkeypatch.setattr(doctor, "look_at_computer", lambda _: bare)
    found = report(capsys)
    assert all(f["ok"] for f in found.values()), found
    gone = [part for part, f in found.items() if not f["there"]]
    assert gone == [*COMPUTER_PARTS[2:6], "panel", "load cells", "camera", "browser", "backup"]


class SilentSource:
    """A reader whose part is not plugged in: it says nothing, every so often."""

    health = LinkHealth(False, "no Pico at any USB port: plug it in", None, 0, 0, LinkCounts(), {}, None, None)

    closed = False

    def __iter__(self):
        return (RawSample(float(t), None, None) for t in range(10_000))

    def close(self):
        self.closed = True


@pytest.mark.usefixtures("sound_computer")
def test_a_reader_that_gives_nothing_is_wrong_and_its_trouble_is_told(tmp_path, capsys, monkeypatch):
    source = SilentSource()
    monkeypatch.setattr(doctor, "load_source", lambda _: source)
    found = report(capsys, str(table_file(tmp_path, TABLE + "[load_cells]\nsource = 'pico'\n")))
    assert "no Pico at any USB port" in found["Pico"]["what"]
    assert found["Pico"]["remedy"]
    assert not found["load cells"]["there"]
    assert source.closed


@pytest.mark.usefixtures("sound_computer")
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


@pytest.mark.usefixtures("sound_computer")
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


def test_this_computer_runs_the_tests_and_so_is_found_fit(tmp_path):
    here = look_at_computer(tmp_path / "not" / "yet")
    assert [python_version(here, None).ok, opencv(here, None).ok] == [True, True]
    assert here.folder == tmp_path
    assert here.sync_s > 0
    assert here.free_mb > 0
    for check in (*BEFORE, *AFTER):
        assert "\n" not in str(check(here, None))
    assert list(tmp_path.iterdir()) == []


def test_how_long_saving_takes_is_measured(tmp_path):
    assert look_at_computer(tmp_path, ticking(0.8)).sync_s == pytest.approx(0.8)


def test_a_disk_that_cannot_be_written_is_a_fact_and_no_error(tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(computer.tempfile, "TemporaryFile", refuse)
    assert look_at_computer(tmp_path).disk_trouble == "Permission denied"


@pytest.mark.parametrize("place", ["a file", "a file/logs", "link", f"{300 * 'x'}/logs"])
def test_a_log_folder_that_cannot_be_made_is_wrong_and_named(tmp_path, place):
    (tmp_path / "a file").write_text("")
    (tmp_path / "link").symlink_to("nowhere")
    finding = disk(look_at_computer(tmp_path / place), None)
    assert not finding.ok
    assert str(tmp_path / place.split("/")[0]) in finding.what
    assert "--log-folder" in finding.remedy


def test_pins_are_only_missed_by_a_table_that_needs_them():
    bare = replace(SOUND, gpio_chips=(), pin_factory="", pin_trouble="Unable to load any default pin factory!")
    needs = TableSettings("t", load_source="gpio", low_pins=Pins(5, 6), high_pins=Pins(13, 19))
    with_panel = TableSettings("t", panel={"buzzer": 12})
    tables = (None, TableSettings("t"), needs, with_panel)
    assert [pins(bare, s).ok for s in tables] == [True, True, False, False]
    assert [gpio_rights(bare, s).ok for s in tables] == [True, True, False, False]
    assert "python3-lgpio" in pins(bare, needs).remedy


def test_pins_that_are_there_are_named_and_left_as_they_were(tmp_path, monkeypatch):
    import gpiozero
    from gpiozero.pins.mock import MockFactory

    factory = MockFactory()
    monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)
    assert look_at_computer(tmp_path).pin_factory == "MockFactory"
    assert gpiozero.Device.pin_factory is factory


def test_a_panel_that_has_the_pin_of_a_load_cell_is_named():
    table = TableSettings("t", load_source="gpio", low_pins=Pins(5, 6), high_pins=Pins(13, 19), panel={"buzzer": 13})
    assert "buzzer (GPIO 13) has the pin of a load cell" in panel(table).what
    assert not panel(table).ok


def test_a_page_for_this_computer_only_needs_no_name():
    network = AFTER[2]
    table = TableSettings("t", web=WebSettings())
    assert network(replace(SOUND, name="raspberrypi"), table).ok
    assert not network(replace(SOUND, name="raspberrypi"), replace(table, web=WebSettings("0.0.0.0"))).ok


def test_the_firmware_that_is_expected_is_the_one_in_the_folder():
    text = (Path(__file__).parents[2] / "hardware" / "firmware" / "code.py").read_text()
    assert f'VERSION = "{PICO_FIRMWARE}"' in text


def ticking(seconds):
    times = iter(np.arange(0, 1000, seconds))
    return lambda: float(next(times))


def test_a_finding_is_one_line():
    assert str(Finding("disk", False, "full", "Free some.")) == "disk: WRONG: full. Free some."
    assert str(Finding("disk", True, "4 ms")) == "disk: ok: 4 ms"
