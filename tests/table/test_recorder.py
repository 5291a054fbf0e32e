"""Recordings: what is recorded is refereed like the table itself, and the last minute goes on in its game."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tomli_w

from companion.cli import run
from companion.commands.record import _about_simulated
from companion.errors import BadInput
from companion.log import EventLog
from companion.referee.state import begin
from companion.rules import MatchRules
from companion.simulator.table import SimulatedTable
from companion.table import recorder as recorder_module
from companion.table.recorder import CannotRecord, LastMinute, Recorder
from companion.table.recording import POSITION, Recording
from companion.table.refereeing import Refereeing, rulings
from companion.table.settings import read_settings
from firmware_bridge.samples import RawSample
from vision.frames import Frame

SECONDS = 26.0


@pytest.fixture(scope="module")
def film():
    """A simulated table's first seconds, its truth, and what a recording says of it."""
    table = SimulatedTable(5, frames_per_second=5.0)
    items = []
    for item in table:
        if item.t > SECONDS:
            break
        items.append(item)
    return items, table, _about_simulated(table)


@pytest.fixture(scope="module")
def watched(film, tmp_path_factory):
    """The moves that the table's own referee rules, and the position he knows of when each item comes."""
    items, table, about = film
    settings = settings_of(about, tmp_path_factory.mktemp("watched"))
    refereeing = Refereeing.of(settings, begin(MatchRules()), loads=True, camera=True, empty=table.empty_picture())
    positions, moves = [], []
    for item in items:
        positions.append(refereeing.state.position)
        moves += [ruling for ruling in refereeing.take(item) if ruling.kind == "move"]
    return positions, moves


def refereed(recording):
    refereeing = Refereeing.of(
        recording.settings, recording.beginning(), loads=True, camera=True, empty=recording.empty()
    )
    return list(rulings(refereeing, recording.items()))


def moves_of(found):
    return [str(ruling.move) for ruling in found if ruling.kind == "move"]


def test_what_is_recorded_is_refereed_like_the_table_itself(film, watched, tmp_path):
    items, _, about = film
    with Recorder(tmp_path / "r", about, loads=True, camera=True) as recorder:
        for item in items:
            recorder.take(item)
    recording = Recording.open(tmp_path / "r")
    assert recording.settings == settings_of(about, tmp_path)
    expected = [str(ruling.move) for ruling in watched[1]]
    assert len(expected) >= 2
    assert moves_of(refereed(recording)) == expected
    assert recorder.samples == sum(isinstance(item, RawSample) for item in items)
    assert recorder.pictures == sum(isinstance(item, Frame) for item in items)


def test_the_last_minute_begins_in_the_middle_of_its_game(film, watched, tmp_path):
    items, _, about = film
    positions, moves = watched
    ring = LastMinute(seconds=14.0, pictures_per_s=5.0)
    for item, position in zip(items, positions, strict=True):
        ring.note(item, position)
    kept = ring.taken()
    assert 13 < kept.seconds <= 14.01
    kept.write(tmp_path / "kept", about)
    recording = Recording.open(tmp_path / "kept")
    begins = items[-1].t - 14.0
    late = [str(r.move) for r in moves if r.t > begins + 2.5]
    assert late
    assert moves_of(refereed(recording))[-len(late) :] == late
    assert not list(tmp_path.glob(".*"))


def settings_of(about, tmp_path):

    file = tmp_path / "table.toml"
    file.write_text(about.settings)
    return read_settings(file)


def test_the_ring_forgets_what_is_old_and_thins_pictures(film):
    items, *_ = film
    ring = LastMinute(seconds=4.0, pictures_per_s=2.0)
    for item in items:
        ring.note(item)
    kept = ring.taken().items
    assert items[-1].t - kept[0].t <= 4.0
    pictures = [item.t for item in kept if not isinstance(item, RawSample)]
    assert 6 <= len(pictures) <= 9


def test_a_clock_that_begins_anew_begins_the_ring_anew():
    ring = LastMinute()
    for t in (5.0, 6.0, 1.0, 2.0):
        ring.note(RawSample(t, 1, 2))
    assert [item.t for item in ring.taken().items] == [1.0, 2.0]


def test_nothing_to_keep_is_said(film, tmp_path):
    with pytest.raises(BadInput, match="nothing has come"):
        LastMinute().taken().write(tmp_path / "kept", film[2])


def test_a_folder_with_something_in_it_is_not_written_to(film, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "x").touch()
    with pytest.raises(BadInput, match="is there already"):
        Recorder(tmp_path / "there", film[2], loads=True, camera=False)


def test_a_recording_can_be_read_at_any_moment(film, tmp_path):
    items, _, about = film
    recorder = Recorder(tmp_path / "r", about, loads=True, camera=True)
    for item in items[:1500]:
        recorder.take(item)
    # the power goes here: nothing was closed
    there = list(Recording.open(tmp_path / "r").items())
    assert there[-1].t > items[1499].t - 2.5
    recorder.close()


def test_a_full_disk_ends_the_recording_and_what_there_is_can_be_used(film, tmp_path, monkeypatch):
    items, _, about = film
    recorder = Recorder(tmp_path / "r", about, loads=True, camera=True)
    usage = type("Usage", (), {"free": 1000})
    for item in items[:500]:
        recorder.take(item)
    monkeypatch.setattr(recorder_module.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(CannotRecord, match="MB are free"):
        all(recorder.take(item) is None for item in items[500:])
    assert len(list(Recording.open(tmp_path / "r").items())) > 400


def test_a_position_that_is_none_is_named(film, tmp_path):
    items, _, about = film
    with Recorder(tmp_path / "r", about, loads=True, camera=False) as recorder:
        recorder.take(items[0])
    (tmp_path / "r" / POSITION).write_text("nonsense")
    with pytest.raises(BadInput, match=POSITION):
        Recording.open(tmp_path / "r").beginning()


def test_the_command_records_a_simulated_table_that_replays(tmp_path, capsys):
    folder = tmp_path / "made"
    assert run(["record", "--simulated", str(folder), "--seconds", "2", "--fps", "2"]) == 0
    assert "samples" in capsys.readouterr().out
    assert run(["replay", str(folder)]) == 0
    assert run(["record", "--simulated", str(folder), "--seconds", "1"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_the_command_keeps_the_end_when_it_was_never_asked(tmp_path, capsys):
    folder = tmp_path / "made"
    assert run(["record", "--simulated", str(folder), "--seconds", "3", "--last", "2"]) == 0
    assert f"{folder}: the last 2 s" in capsys.readouterr().out
    assert run(["replay", str(folder)]) == 0


@pytest.mark.parametrize("line", [["record"], ["record", "x.toml"], ["record", "--keep"]])
def test_what_is_missing_is_named(line, capsys):
    assert run(line) == 2
    assert "give a TABLE.toml" in (err := capsys.readouterr().err) or "needs the TABLE.toml" in err


def test_a_table_that_does_not_run_keeps_nothing(tmp_path, capsys):
    assert run(["record", "--keep", "--log", str(tmp_path / "log.db")]) == 1
    assert "senryaku run" in capsys.readouterr().err


def test_a_running_table_keeps_its_last_minute_when_asked(tmp_path, capsys):
    file = tmp_path / "table.toml"
    values = {
        "name": "Club",
        "board": {"well_pitch_mm": 36.0},
        "camera": {"source": "simulated"},
        "markers": {"centres_mm": {str(k): [x, y] for k, (x, y) in enumerate([(-1, -1), (1, -1), (1, 1), (-1, 1)])}},
    }
    file.write_text(tomli_w.dumps(values))
    log = tmp_path / "club.db"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-P", "-m", "companion.cli", "run", str(file), "--log", str(log), "--port", "18473"]
    with subprocess.Popen([*command, "--no-browser"], stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            end = time.monotonic() + 60
            while time.monotonic() < end and not _started(log):
                time.sleep(0.2)
            assert run(["record", "--keep", "--log", str(log)]) == 0
        finally:
            process.send_signal(signal.SIGTERM)
    folder = capsys.readouterr().out.strip()
    recording = Recording.open(Path(folder))
    assert recording.camera
    assert len(list(recording.items())) >= 2
    assert process.returncode == 0


def _started(log):
    try:
        with EventLog.read(log) as reader:
            return reader.last_seq >= 2
    except BadInput:
        return False
