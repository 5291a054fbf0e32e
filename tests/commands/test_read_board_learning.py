"""`read-board` learns from no picture that shows something else than it is said to."""

import cv2
import numpy as np
import pytest

from companion.cli import run
from companion.simulator.picture import camera_for
from companion.simulator.settings import simulated_settings
from companion.simulator.statics import START_SPHERES
from companion.simulator.view import view_of
from companion.simulator.world import Scene

SETTINGS = simulated_settings(0)
LATER = {(well + 7 if well in (0, 3) else well): sphere for well, sphere in START_SPHERES.items()}
REFUSED, CERTAIN = 2, 0


def other_board(picture):
    """The same picture with a board of darker, redder wood of another grain between its markers."""
    view = view_of(SETTINGS.camera)
    corners = np.array([(x, y, 0.0) for x, y in ((-118, -98), (118, -98), (118, 98), (-118, 98))])
    mask = np.zeros(picture.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, np.rint(view.project(corners)).astype(np.int32), 1.0)
    grain = cv2.GaussianBlur(np.random.default_rng(4).normal(0, 1, picture.shape[:2]), (0, 0), sigmaX=2, sigmaY=9)
    wood = np.array([0.35, 0.5, 0.8]) * (1 + 0.25 * grain / grain.std())[..., None]
    return np.clip(picture * (1 - mask[..., None] * (1 - wood)), 0, 255).astype(np.uint8)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    camera = camera_for(SETTINGS, 1.0, 0)
    centres = ", ".join(f'"{n}" = [{x}, {y}]' for n, (x, y) in SETTINGS.markers.centres_mm.items())
    (tmp_path / "table.toml").write_text(
        f"""
[board]
well_pitch_mm = {SETTINGS.grid.pitch_mm}
sphere_diameter_mm = {SETTINGS.grid.sphere_diameter_mm}
[camera]
size_px = {list(SETTINGS.camera.size_px)}
matrix = {[list(row) for row in SETTINGS.camera.matrix]}
[markers]
size_mm = {SETTINGS.markers.size_mm}
centres_mm = {{ {centres} }}
[spheres]
white_coloured = "{SETTINGS.colours.white_coloured}"
black_coloured = "{SETTINGS.colours.black_coloured}"
"""
    )
    cv2.imwrite("start.png", camera.draw(Scene(tuple(sorted(START_SPHERES.items()))), 0.0))
    cv2.imwrite("later.png", camera.draw(Scene(tuple(sorted(LATER.items()))), 1.0))
    cv2.imwrite("empty.png", camera.empty())
    cv2.imwrite("other.png", other_board(camera.empty()))
    return tmp_path


def test_the_pictures_they_are_said_to_be_are_taken(folder):
    arguments = ["later.png", "--table", "table.toml", "--start", "start.png", "--empty", "empty.png"]
    assert run(["read-board", *arguments]) == CERTAIN


def test_a_start_picture_of_another_position_is_refused_with_the_wells(folder, capsys):
    assert run(["read-board", "start.png", "--table", "table.toml", "--start", "later.png"]) == REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert "later.png: is not the start position: nothing on a1, d1, white on a2, white coloured on d2" in err
    assert len(err.strip().splitlines()) == 1


def test_an_empty_board_s_picture_is_no_start_picture(folder, capsys):
    assert run(["read-board", "later.png", "--table", "table.toml", "--start", "empty.png"]) == REFUSED
    assert "empty.png: is not the start position: nothing on a1, b1" in capsys.readouterr().err


def test_an_empty_picture_of_another_table_is_refused_with_both_files(folder, capsys):
    assert run(["read-board", "later.png", "--table", "table.toml", "--empty", "other.png"]) == REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert "other.png: is of another table than later.png" in err
    assert len(err.strip().splitlines()) == 1
