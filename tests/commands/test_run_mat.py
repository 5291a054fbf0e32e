"""`run` on a table with a Try 4 mat: pictures from a folder, commands over the web, started again after SIGTERM."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import tomli_w
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from companion.commands import try4_run
from companion.commands.try4_run import LOOK_S, names_of, setup_for, watch
from companion.errors import BadInput
from companion.log.try4_store import Try4Store
from companion.simulator.tiles_picture import draw_mat
from companion.simulator.tiles_scene import MatScene, TileOnMat
from companion.table.settings import Try4Settings, read_settings
from companion.table.try4_table import PLAYERS
from vision.camera_watch import CameraHealth, CameraState
from vision.frames import Frame

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0
SCENE = MatScene(noise=0.0)


def table_toml(folder, **more):
    """A table with a mat alone, whose camera is a folder of pictures."""
    layout = SCENE.layout
    values = {
        "name": "Mat",
        "try4": {"columns": 7, "rows": 7, "cell_mm": 34.0, "tile_mm": 28.0},
        "camera": {
            "source": "./pictures",
            "fps": 4,
            "size_px": [1280, 960],
            "matrix": [list(map(float, row)) for row in SCENE.camera.matrix],
        },
        "markers": {
            "dictionary": layout.dictionary,
            "size_mm": layout.size_mm,
            "centres_mm": {str(n): list(map(float, at)) for n, at in layout.centres_mm.items()},
        },
        **more,
    }
    file = folder / "table.toml"
    file.write_text(tomli_w.dumps(values))
    return file


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Running:
    """A program that plays on a mat, and what its pages say."""

    def __init__(self, file, log):
        self.port = free_port()
        asked = ["run", str(file), "--log", str(log), "--port", str(self.port), "--no-browser"]
        self.program = subprocess.Popen(
            [sys.executable, "-P", "-m", "companion.cli", *asked],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def look(self, what):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{what}", timeout=5) as answer:
            return json.load(answer)

    def ask(self, **command):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/console",
            json.dumps(command).encode(),
            {"Content-Type": "application/json", "X-Senryaku": "1"},
        )
        with urllib.request.urlopen(request, timeout=5) as answer:
            return json.load(answer)

    def until(self, holds):
        """What `holds` gives once it is true."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            assert self.program.poll() is None, self.program.stderr.read()
            with contextlib.suppress(OSError):
                found = holds()
                if found:
                    return found
            time.sleep(0.1)
        raise AssertionError("it did not come about in time")

    def end(self):
        self.program.send_signal(signal.SIGTERM)
        _, said = self.program.communicate(timeout=PATIENCE_S)
        return self.program.returncode, said


def test_a_turn_read_from_pictures_is_played_and_is_still_there_after_a_stop(tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    picture = draw_mat(SCENE.with_tiles(TileOnMat(24, "red", 3, angle_deg=97.0)))
    cv2.imwrite(str(pictures / "0000.jpg"), picture)
    for k in range(1, 400):
        (pictures / f"{k:04}.jpg").hardlink_to(pictures / "0000.jpg")
    running = Running(table_toml(tmp_path), tmp_path / "mat.db")
    assert running.until(lambda: running.look("live")["placed"]) == {"d4": "red3"}
    running.ask(do="play")
    assert running.until(lambda: running.look("state")["turns"])[0]["tiles"] == {"d4": "red3"}
    code, said = running.end()
    assert code == 0, said
    again = Running(table_toml(tmp_path), tmp_path / "mat.db")
    assert again.until(lambda: again.look("state")["board"]) == {"d4": "red3"}
    code, said = again.end()
    assert "the unfinished game goes on after turn 1" in said
    assert "Traceback" not in said


def test_a_button_on_the_panel_is_play(tmp_path):
    file = table_toml(tmp_path, panel={"referee_button": 21, "buzzer": 20})
    presses = []
    before, Device.pin_factory = Device.pin_factory, MockFactory()
    try:
        with ExitStack() as parts:
            (panel,) = try4_run._panel(read_settings(file), lambda: presses.append(1), parts)
            pin = Device.pin_factory.pin(21)
            pin.drive_low()
            until = time.monotonic() + 5
            while not presses and time.monotonic() < until:
                time.sleep(0.01)
            try4_run._sound([panel], False)
    finally:
        Device.pin_factory.close()
        Device.pin_factory = before
    assert presses == [1]


def test_a_panel_that_cannot_be_opened_is_left_out_and_said(tmp_path, capsys):
    file = table_toml(tmp_path, panel={"referee_button": 21})
    before, Device.pin_factory = Device.pin_factory, MockFactory()
    Device.pin_factory.pin(21)
    try:
        with ExitStack() as parts, contextlib.ExitStack() as held:
            from gpiozero import LED

            held.enter_context(LED(21))
            assert try4_run._panel(read_settings(file), lambda: None, parts) == []
    finally:
        Device.pin_factory.close()
        Device.pin_factory = before
    assert "The panel is left out: panel: GPIO 21" in capsys.readouterr().err


class Pictures:
    """A camera that gives these frames, then is over."""

    def __init__(self, *frames, health=None):
        self.frames = list(frames)
        self.health = health or CameraHealth(CameraState.OK)

    @property
    def over(self):
        return not self.frames

    def newest(self, wait_s):
        return self.frames.pop(0)


class Told:
    def __init__(self):
        self.shown, self.silences = [], []

    def show(self, frame):
        self.shown.append(frame.t)

    def silence(self, t, fault=None):
        self.silences.append(fault)


def test_no_more_pictures_are_read_than_are_of_use():
    frames = [Frame(k / 15, np.zeros((4, 4, 3), np.uint8)) for k in range(30)]
    told = Told()
    watch(told, Pictures(*frames), lambda: 0.0)
    assert min(np.diff(told.shown)) >= LOOK_S
    assert len(told.shown) >= 9


def test_a_camera_that_gives_nothing_is_said_with_its_remedy():
    told = Told()
    watch(
        told, Pictures(None, health=CameraHealth(CameraState.GONE, "no pictures come", "check the cable")), lambda: 1.0
    )
    assert told.silences == ["no pictures come: check the cable"]


def test_players_are_named_or_as_last_time(tmp_path):
    with Try4Store.open(tmp_path / "mat.db") as store:
        settings = Try4Settings(colours=("red", "red", "blue", "green", "pink"))
        assert setup_for(settings, [], store).rules.players == 1
        setup = setup_for(settings, names_of("Ada, Ben,Cem"), store)
        assert setup.names == ("Ada", "Ben", "Cem")
        assert setup.tile_set.startswith("red 1 1 2 3 4; red 1 1 2 3 4; blue")
        store.prefer(PLAYERS, {"players": 3, "names": list(setup.names)})
        assert setup_for(settings, [], store) == setup
        own = replace(settings, tile_set="red 1 2 3 4", colours=("red",))
        assert len(setup_for(own, ["Ada"], store).rules.tiles.tiles) == 4


@pytest.mark.parametrize("players", ["Ada,,Ben", "a,b,c,d,e", ""])
def test_bad_names_are_refused(players):
    with pytest.raises(BadInput, match="should be one to 4 names"):
        names_of(players)


def test_a_table_without_a_mat_is_refused_in_one_line(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text('[board]\n[markers]\ncentres_mm = { "0" = [0, 0], "1" = [9, 0], "2" = [9, 9] }\n')
    done = subprocess.run(
        [sys.executable, "-P", "-m", "companion.cli", "run", str(file), "--try4", "--no-browser"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(tmp_path)},
    )
    assert done.returncode == 2
    assert "[try4] is missing" in done.stderr
    assert "Traceback" not in done.stderr
