"""Setting a table up while it runs: calibration, corners, colours, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from companion.commands.calibrate_people import SimulatedHand, simulated_bench
from companion.errors import BadInput, SenryakuError
from companion.log import EventLog
from companion.rules import MatchRules
from companion.simulator.table import SimulatedTable
from companion.table.refereeing import Refereeing
from companion.table.resuming import referee_state
from companion.table.setting_up import SettingUp
from companion.table.settings import TableSettings, read_settings
from companion.table.table import Table
from firmware_bridge.readers import SimulatedReader
from vision.frames import Frame

TEXT = """
name = "Table 1"  # mine
[board]
[load_cells]
source = "pico"
[markers]
centres_mm = { "0" = [-170, -150], "1" = [170, -150], "2" = [170, 150], "3" = [-170, 150] }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def log(tmp_path: Path):
    with EventLog.open(tmp_path / "table.db") as opened:
        yield opened


def table_on(log: EventLog, settings: TableSettings, setting_up: SettingUp) -> Table:
    from companion.log import fold

    state = referee_state(fold(log.events()), settings.rules)
    refereeing = Refereeing.of(settings, state, loads=True, camera=False)
    return Table(log, refereeing, lambda: 1_800_000_000.0, setting_up=setting_up)


def test_the_cells_are_calibrated_step_by_step_and_the_game_rests_meanwhile(log: EventLog, file: Path) -> None:
    settings = read_settings(file)
    table = table_on(log, settings, SettingUp(settings, file))
    table.begin_match("Ada", "Ben", MatchRules())
    table.console({"do": "start"})
    before = log.last_seq
    bench = simulated_bench(settings, 3, 20.0)
    hand = SimulatedHand(bench, settings.grid)
    table.set_up_step({"do": "calibrate", "mass_g": 20})
    assert table.set_up()["load_cells"]["calibration"]["asks"] == "Leave the cells alone while they warm up."
    setting_up = table._setting_up
    assert setting_up is not None
    for sample in SimulatedReader(bench):
        table.take(sample)
        state = setting_up._calibrating
        assert state is not None
        assert state.problem is None
        if state.done:
            break
        assert table._refereeing.paused
        if hand.confirms(state):
            table.set_up_step({"do": "confirm"})
    shown = table.set_up()
    assert shown["written"] == ["load cells"]
    found = shown["load_cells"]["calibration"]["found"]
    assert found["half_spacing_mm"] == pytest.approx(6.0, abs=0.3)
    now = read_settings(file)
    assert now.cells.half_spacing_mm == found["half_spacing_mm"]
    assert "# mine" in file.read_text()
    table.take(next(iter(SimulatedReader(bench))))
    assert not table._refereeing.paused
    assert [e.kind for e in log.events(before) if e.kind not in ("fault", "fault_over")] == []


def test_a_calibration_that_is_stopped_changes_nothing(log: EventLog, file: Path) -> None:
    settings = read_settings(file)
    table = table_on(log, settings, SettingUp(settings, file))
    table.set_up_step({"do": "calibrate"})
    table.set_up_step({"do": "stop"})
    assert table.set_up()["load_cells"]["calibration"] is None
    assert file.read_text() == TEXT
    with pytest.raises(SenryakuError, match="no calibration is going on"):
        table.set_up_step({"do": "confirm"})


def test_colours_are_kept_in_the_settings(file: Path) -> None:
    setting_up = SettingUp(read_settings(file), file)
    setting_up.carry_out({"do": "colours", "white_coloured": "red", "black_coloured": "green"}, None)
    assert read_settings(file).colours.white_coloured == "red"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ({"do": "sing"}, "'sing' is no step of the set-up"),
        ({}, "no step"),
        ({"do": "colours", "white_coloured": "mauve", "black_coloured": "blue"}, "white_coloured: should be one of"),
        ({"do": "colours", "white_coloured": "blue", "black_coloured": "blue"}, "the same colour"),
        ({"do": "calibrate", "mass_g": 0}, "mass_g"),
        ({"do": "calibrate", "mass_g": True}, "mass_g"),
        ({"do": "calibrate", "mass_g": "20"}, "mass_g"),
        ({"do": "calibrate", "mass_g": float("nan")}, "mass_g"),
        ({"do": "corners"}, "four points"),
        ({"do": "corners", "corners": [[1, 2], [3, 4], [5, 6], [7]]}, "four points"),
        ({"do": "corners", "corners": [[1, 2], [3, 4], [5, 6], [7, "8"]]}, "four points"),
        ({"do": "corners", "corners": [[1, 1], [2, 2], [3, 3], [4, 4]]}, "corners: "),
    ],
)
def test_a_step_that_makes_no_sense_is_refused_by_name(file: Path, command: dict[str, object], says: str) -> None:
    setting_up = SettingUp(read_settings(file), file)
    with pytest.raises(BadInput, match=says):
        setting_up.carry_out(command, Frame(1.0, np.zeros((480, 640, 3), np.uint8)))
    assert file.read_text() == TEXT


def test_a_simulated_table_has_nothing_to_write() -> None:
    setting_up = SettingUp(TableSettings("Simulated"), None, lambda: [{"part": "disk", "ok": True}])
    for command in ({"do": "calibrate"}, {"do": "corners"}, {"do": "colours"}):
        with pytest.raises(SenryakuError, match="simulated table"):
            setting_up.carry_out(command, None)
    assert setting_up.carry_out({"do": "doctor"}, None)["findings"] == [{"part": "disk", "ok": True}]


def test_markers_board_and_light_are_shown_as_the_camera_sees_them(log: EventLog) -> None:
    simulated = SimulatedTable(seed=2)
    known = simulated.settings
    settings = TableSettings("Table 1", grid=known.grid, camera=known.camera, markers=known.markers)
    refereeing = Refereeing.of(
        settings, referee_state_of(log), loads=False, camera=True, empty=simulated.empty_picture()
    )
    setting_up = SettingUp(settings, None)
    assert setting_up.view(refereeing, None)["camera"]["board"] is None
    frame = Frame(0.1, simulated.picture())
    refereeing.take(frame)
    seen = setting_up.view(refereeing, frame)["camera"]
    assert sorted(seen["found"]) == ["0", "1", "2", "3"]
    assert seen["size_px"] == [640, 480]
    assert seen["light"] == []
    a6, g6, g1, a1 = seen["board"]
    assert a6[0] < g6[0]
    assert a1[0] < g1[0]
    assert a6[1] < a1[1]


def referee_state_of(log: EventLog):
    from companion.log import fold

    return referee_state(fold(log.events()), MatchRules())


def test_corners_that_a_person_points_at_are_kept(tmp_path: Path) -> None:
    simulated = SimulatedTable(seed=2)
    file = tmp_path / "table.toml"
    file.write_text('name = "Table 1"\n[board]\n[camera]\nsource = "none"\n')
    settings = read_settings(file, board_known=False)
    picture = simulated.picture()
    known = simulated.settings
    refereeing = Refereeing.of(
        TableSettings("Table 1", grid=known.grid, camera=known.camera, markers=known.markers),
        referee_state_of_nothing(),
        loads=False,
        camera=True,
        empty=simulated.empty_picture(),
    )
    refereeing.take(Frame(0.1, picture))
    sight = refereeing.reader.sight
    assert sight is not None
    wells = [known.grid.centre_mm(well) for well in (35, 41, 6, 0)]
    corners = sight.pose.project(np.array([(*mm, 0.0) for mm in wells]))
    setting_up = SettingUp(settings, file)
    setting_up.carry_out({"do": "corners", "corners": corners.tolist()}, Frame(0.2, picture))
    assert read_settings(file).corners is not None


def referee_state_of_nothing():
    from companion.log import TableState

    return referee_state(TableState(), MatchRules())
