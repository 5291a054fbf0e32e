"""`run`: a table refereed by its camera from a folder, a video file, the simulator, and one that hangs."""

import shutil
import sys
import textwrap
import threading
import time

import cv2
import numpy as np
import pytest
import tomli_w

from companion.cli import run
from companion.commands import run_session
from companion.commands.run_session import RunSession
from companion.log import EventLog, contradictions
from companion.referee.state import begin
from companion.rules import MatchRules
from companion.simulator.table import SimulatedTable
from companion.table.refereeing import Refereeing, rulings
from companion.table.settings import read_settings
from vision.camera_watch import Deadlines
from vision.frames import Frame
from vision.grabber_camera import GrabberCamera

SECONDS = 16.0
FPS = 5.0
TIMES_REAL = 8.0
PATIENCE_S = 60.0


def quick_clock():
    return time.monotonic() * TIMES_REAL


@pytest.fixture(scope="module")
def film():
    """Pictures of a simulated match, its empty board, its settings, and the moves that were made."""
    table = SimulatedTable(3, frames_per_second=FPS)
    frames = []
    for item in table:
        if item.t > SECONDS:
            break
        if isinstance(item, Frame):
            frames.append(item)
    moves = [line["move"] for line in table.truth if line["kind"] == "move" and line["t"] < SECONDS - 2]
    assert len(moves) >= 2
    return frames, table.empty_picture(), table.settings, moves


@pytest.fixture
def table_toml(tmp_path, film):
    """table_toml(camera) writes a table.toml for the film, with those keys in [camera]."""
    settings = film[2]

    def write(name="Club", markers=True, **camera):
        values = {
            "name": name,
            "board": {"well_pitch_mm": settings.grid.pitch_mm},
            "camera": {
                "size_px": list(settings.camera.size_px),
                "matrix": [list(row) for row in settings.camera.matrix],
                **camera,
            },
            "markers": {"centres_mm": {str(k): list(v) for k, v in settings.markers.centres_mm.items()}},
            "spheres": {
                "white_coloured": settings.colours.white_coloured,
                "black_coloured": settings.colours.black_coloured,
            },
        }
        if not markers:
            del values["markers"]
        file = tmp_path / "table.toml"
        file.write_text(tomli_w.dumps(values))
        return file

    return write


@pytest.fixture(scope="module")
def written(tmp_path_factory, film):
    """The film's pictures, and the empty board's, as files."""
    whole = tmp_path_factory.mktemp("film")
    (whole / "pictures").mkdir()
    for n, frame in enumerate(film[0]):
        cv2.imwrite(str(whole / "pictures" / f"{n:05d}.png"), frame.image, (cv2.IMWRITE_PNG_COMPRESSION, 1))
    cv2.imwrite(str(whole / "empty.jpg"), film[1])
    return whole


@pytest.fixture
def folder(tmp_path, written):
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return tmp_path / "pictures"


def events_of(session):
    return session.table.events_after(0)


def moves_in(events):
    return [event["payload"]["move"] for event in events if event["kind"] == "move"]


def played(file, tmp_path):
    with RunSession.open(file, tmp_path / "log.db", ("Ada", "Ben"), clock=quick_clock) as session:
        session.play()
        return events_of(session)


def test_a_folder_of_pictures_is_refereed_like_the_same_pictures_replayed(table_toml, folder, film, tmp_path):
    file = table_toml(source="pictures", fps=FPS)
    events = played(file, tmp_path)
    settings = read_settings(file)
    refereeing = Refereeing.of(
        settings, begin(MatchRules()), loads=False, camera=True, empty=cv2.imread(str(tmp_path / "empty.jpg"))
    )
    frames = (Frame(n / FPS, frame.image) for n, frame in enumerate(film[0]))
    replayed = [ruling.move for ruling in rulings(refereeing, frames) if ruling.kind == "move"]
    assert moves_in(events) == [str(move) for move in replayed]
    assert moves_in(events)[: len(film[3])] == film[3]
    assert [event["kind"] for event in events][:2] == ["match", "start"]
    assert {event["origin"] for event in events if event["kind"] == "move"} == {"camera"}


def test_a_video_file_is_refereed(table_toml, film, tmp_path):
    video = cv2.VideoWriter(str(tmp_path / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (640, 480))
    for frame in film[0]:
        video.write(frame.image)
    video.release()
    assert moves_in(played(table_toml(source="film.avi"), tmp_path))[: len(film[3])] == film[3]


def test_stopped_and_started_again_the_same_match_goes_on(table_toml, folder, tmp_path, film):
    file = table_toml(source="pictures", fps=FPS)
    played(file, tmp_path)
    with RunSession.open(file, tmp_path / "log.db", ("Ada", "Ben"), clock=quick_clock) as session:
        assert session.resumed
        assert moves_in(events_of(session))[: len(film[3])] == film[3]
    with RunSession.open(file, tmp_path / "log.db", ("Ada", "Ben"), fresh=True, clock=quick_clock) as session:
        assert not session.resumed
        assert events_of(session)[-1]["kind"] == "match"


def test_a_simulated_camera_needs_nothing(table_toml, tmp_path):
    file = table_toml(source="simulated")
    with RunSession.open(file, tmp_path / "log.db", ("Ada", "Ben"), clock=quick_clock) as session:
        threading.Thread(target=_stop_once, args=(session, "move"), daemon=True).start()
        session.play()
        assert moves_in(events_of(session))


def _stop_once(session, kind):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and all(event["kind"] != kind for event in events_of(session)):
        time.sleep(0.05)
    session.stop()


GRABBER = """
    import itertools, sys, time
    import os
    import cv2
    from pathlib import Path
    from vision.camera_grabber import PICTURE, message
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    starts = open(sys.argv[2], "a+"); starts.write("x"); starts.flush(); starts.seek(0); start = len(starts.read())
    images = [cv2.imread(str(f)) for f in sorted(Path(sys.argv[1]).iterdir())[:8]]
    for n in itertools.count():
        if start == 1 and n == 30:
            time.sleep(600)
        image = images[n % len(images)]
        out.write(message(PICTURE, time.monotonic(), image.tobytes(), image.shape[1], image.shape[0]))
        time.sleep(0.05)
"""


def test_a_camera_that_hangs_is_named_with_a_remedy_restarted_and_comes_back(table_toml, folder, tmp_path, monkeypatch):
    script = tmp_path / "grabber.py"
    script.write_text(textwrap.dedent(GRABBER))
    command = [sys.executable, str(script), str(folder), str(tmp_path / "starts")]
    deadlines = Deadlines(first_picture=30, next_picture=0.6, same_picture=5, too_old=20, restart=1.0)
    cameras = []

    def camera(settings, clock):
        cameras.append(GrabberCamera(command, clock, deadlines))
        return cameras[-1]

    monkeypatch.setattr(run_session, "camera_source", camera)
    with RunSession.open(table_toml(source="picamera2"), tmp_path / "log.db", ("Ada", "Ben")) as session:
        threading.Thread(target=_stop_once, args=(session, "fault_over"), daemon=True).start()
        session.play()
        events = events_of(session)
    (fault,) = [e["payload"] for e in events if e["kind"] == "fault" and "hangs" in e["payload"]["what"]]
    assert fault["witness"] == "camera"
    assert "cable" in fault["remedy"]
    assert any(e["kind"] == "fault_over" and e["payload"]["what"] == fault["what"] for e in events)
    assert cameras[0].restarts >= 1
    assert not any(e["kind"] in ("illegal", "move") for e in events)


@pytest.fixture
def cornered(table_toml, folder, film):
    """A table.toml of the film whose board has no markers, and whose corners were named in the first picture."""
    settings = film[2]
    file = table_toml(source="pictures", fps=FPS)
    refereeing = Refereeing.of(read_settings(file), begin(MatchRules()), loads=False, camera=True)
    refereeing.take(film[0][0])
    pose = refereeing.reader.sight.pose
    grid = settings.grid
    wells = (35, 41, 6, 0)
    corners = pose.project(np.array([(*grid.centre_mm(well), 0.0) for well in wells]))
    words = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    file = table_toml(source="pictures", fps=FPS, markers=False)
    assert run(["run", str(file), "--log", str(file.with_name("log.db"))]) == 2
    given = ["calibrate", "corners", str(file), "--picture", str(folder / "00000.png"), "--corners", words]
    assert run(given) == 0
    return file


def test_a_board_without_markers_is_refereed_by_its_corners(cornered, film, tmp_path):
    assert moves_in(played(cornered, tmp_path))[: len(film[3])] == film[3]


def test_a_board_without_markers_that_was_moved_too_far_is_named_and_nothing_is_ruled(cornered, folder, tmp_path):
    for file in sorted(folder.iterdir())[15:]:
        cv2.imwrite(str(file), np.roll(cv2.imread(str(file)), (70, 90), (0, 1)))
    events = played(cornered, tmp_path)
    (fault,) = [e["payload"] for e in events if e["kind"] == "fault" and "corners" in e["payload"]["what"]]
    assert "calibrate corners" in fault["remedy"]
    assert not any(e["kind"] in ("move", "illegal", "question", "crash") for e in events)


@pytest.mark.parametrize(
    ("camera", "says"),
    [
        ({"source": "none"}, "nobody watches this table"),
        ({"source": "gone/away"}, "there is no such video file or folder"),
        ({"source": "table.toml"}, "is not a video that can be read"),
    ],
)
def test_a_table_that_cannot_run_says_why_in_one_line(table_toml, tmp_path, capsys, camera, says):
    code = run(["run", str(table_toml(**camera)), "--log", str(tmp_path / "log.db"), "--port", "18431", "--no-browser"])
    assert code == 2
    err = capsys.readouterr().err
    assert says in err.strip().splitlines()[-1]
    assert "Traceback" not in err


def test_an_empty_picture_without_a_board_is_named(table_toml, folder, tmp_path, capsys):
    cv2.imwrite(str(tmp_path / "empty.jpg"), np.full((480, 640, 3), 90, np.uint8))
    assert run(["run", str(table_toml(source="pictures")), "--log", str(tmp_path / "log.db")]) == 2
    assert "empty.jpg" in capsys.readouterr().err


def test_the_command_runs_a_table_to_the_end_of_its_pictures(table_toml, folder, tmp_path, capsys):
    file = table_toml(source="pictures", fps=100)
    log = tmp_path / "log.db"
    assert run(["run", str(file), "--log", str(log), "--port", "18432", "--no-browser", "--players", "Ada, Ben"]) == 0
    assert "http://127.0.0.1:18432" in capsys.readouterr().err
    with EventLog.read(log) as reader:
        events = reader.events()
    assert events[0].payload["white"] == "Ada"
    assert contradictions(events) == []


def test_players_are_two_names(table_toml, capsys):
    assert run(["run", str(table_toml(source="simulated")), "--players", "Ada"]) == 2
    assert "Ada,Ben" in capsys.readouterr().err
