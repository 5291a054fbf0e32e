"""`score-tiles`, `read-tiles` and `print` do what the contract says, and refuse bad input in one line."""

import json
import shutil
import subprocess

import cv2
import numpy as np
import pytest

from companion.cli import run
from companion.simulator.tiles_picture import draw_mat
from companion.simulator.tiles_scene import HandOnMat, MatScene, TileOnMat
from vision.board_pose import Pose, find_pose
from vision.geometry import CameraModel, MarkerLayout

EXAMPLE = """set: red 1 2 3 4 1 2; blue 1 2 3
c3=red1
c4=red2 d3=red3 d4=red4
e3=red2 e4=red1
c5=blue1 d5=blue3 e5=blue2
"""
SCENE = MatScene(tiles=(TileOnMat(0, "red", 1), TileOnMat(25, "blue", 4)))


def table_text(scene=SCENE):
    centres = ", ".join(f'"{n}" = [{x}, {y}]' for n, (x, y) in scene.layout.centres_mm.items())
    matrix = [list(row) for row in scene.camera.matrix]
    return f"""
[try4]
columns = 7
rows = 7
cell_mm = 34.0
tile_mm = {scene.tile_mm}
colours = ["red", "blue", "green", "yellow", "purple"]
[camera]
size_px = [1280, 960]
matrix = {matrix}
[markers]
size_mm = {scene.layout.size_mm}
centres_mm = {{ {centres} }}
"""


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text(table_text())
    return file


def picture_in(folder, scene=SCENE, name="mat.png"):
    file = folder / name
    cv2.imwrite(str(file), draw_mat(scene))
    return file


def refused(capsys, *arguments, code=2):
    assert run([str(a) for a in arguments]) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_a_game_is_scored_turn_by_turn(capsys, tmp_path):
    file = tmp_path / "game.txt"
    file.write_text(EXAMPLE)
    assert run(["score-tiles", str(file), "--json"]) == 0
    scored = json.loads(capsys.readouterr().out)
    assert scored["total"] == 52
    assert scored["over"] is True
    assert scored["turns"][1] == {
        "score": 14,
        "squares": [{"cells": ["c3", "d3", "c4", "d4"], "colour": 4, "number": 10}],
    }
    assert run(["score-tiles", str(file)]) == 0
    assert "total: 52; the game is over" in capsys.readouterr().out


def test_players_have_their_totals(capsys, tmp_path):
    file = tmp_path / "game.txt"
    file.write_text("players: 2\n" + EXAMPLE)
    assert run(["score-tiles", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["totals"] == [14, 38]


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("a1=red1\na1=blue1\n", 1, "line 2: a1 (by red1): already taken"),
        ("a1=red1\nb1=blue1 c1=blue2\n", 1, "line 2: 2 tiles complete no square"),
        ("a1\n", 2, "line 1: 'a1' is no placing"),
        ("set: red\n", 2, "line 1: tile set"),
    ],
)
def test_a_bad_game_is_refused_with_file_line_and_rule(capsys, tmp_path, text, code, says):
    file = tmp_path / "game.txt"
    file.write_text(text)
    assert f"{file}: {says}" in refused(capsys, "score-tiles", file, "--json", code=code)


def test_what_is_no_text_is_refused(capsys, tmp_path):
    file = tmp_path / "game.txt"
    assert "cannot be read" in refused(capsys, "score-tiles", file)
    file.write_bytes(b"\xff\xfe\x00")
    assert "is no text" in refused(capsys, "score-tiles", file)


def test_a_picture_of_a_mat_is_read(capsys, tmp_path, table):
    file = picture_in(tmp_path)
    assert run(["read-tiles", str(file), "--table", str(table), "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["image"] == str(file)
    assert entry["board_found"] is True
    assert entry["confident"] is True
    assert entry["hidden"] == []
    assert [(t["cell"], t["colour"], t["number"]) for t in entry["tiles"]] == [("a1", "red", 1), ("e4", "blue", 4)]
    assert all(t["p"] > 0.95 for t in entry["tiles"])
    assert run(["read-tiles", str(file), "--table", str(table)]) == 0
    assert "blue4" in capsys.readouterr().out


def test_an_uncertain_picture_is_no_success(capsys, tmp_path, table):
    file = picture_in(tmp_path, SCENE.with_tiles(TileOnMat(0, "red", 1, face_down=True)))
    assert run(["read-tiles", str(file), "--table", str(table), "--json"]) == 1
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["confident"] is False
    assert entry["unsure"] == ["a1"]


def test_colours_are_learned_from_a_picture_that_shows_them(capsys, tmp_path, table):
    text = table.read_text().replace('["red", "blue", "green", "yellow", "purple"]', '["rust", "ink"]')
    table.write_text(text)
    shown = picture_in(tmp_path, SCENE.with_tiles(TileOnMat(0, "red", 2), TileOnMat(1, "blue", 2)), "shown.png")
    file = picture_in(tmp_path)
    assert run(["read-tiles", str(file), "--table", str(table), "--shown", str(shown), "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert [(t["cell"], t["colour"]) for t in entry["tiles"]] == [("a1", "rust"), ("e4", "ink")]
    assert "'rust' is not known" in refused(capsys, "read-tiles", file, "--table", table)


def test_a_table_without_a_mat_is_refused(capsys, tmp_path, table):
    table.write_text("[board]\n" + table.read_text()[table.read_text().index("[markers]") :])
    assert "[try4] is missing" in refused(capsys, "read-tiles", picture_in(tmp_path), "--table", table)


def test_the_printed_mat_comes_with_the_settings_that_fit_it(capsys, tmp_path, table):
    file = tmp_path / "mat.pdf"
    assert run(["print", "mat", str(file)]) == 0
    settings = capsys.readouterr().out
    assert file.read_bytes().startswith(b"%PDF")
    table.write_text(settings)
    assert run(["print", "mat", str(tmp_path / "again.pdf"), "--table", str(table)]) == 0
    assert (tmp_path / "again.pdf").read_bytes() == file.read_bytes()


def test_bad_sizes_and_colours_are_refused(capsys, tmp_path, table):
    file = tmp_path / "x.pdf"
    good = table.read_text()
    table.write_text(good.replace("cell_mm", "mat_mm = [100.0, 100.0]\ncell_mm"))
    assert "mat_mm: 100 x 100 mm is smaller than the grid" in refused(capsys, "print", "mat", file, "--table", table)
    table.write_text(good.replace('"red"', '"beige"'))
    assert "'beige' cannot be printed" in refused(capsys, "print", "tiles", file, "--table", table)
    assert "cannot be written" in refused(capsys, "print", "tiles", tmp_path / "no" / "x.pdf", code=1)


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs pdftoppm (poppler-utils) to see the page")
def test_the_printed_mat_is_in_true_size_and_its_markers_are_found(tmp_path):
    file = tmp_path / "mat.pdf"
    assert run(["print", "mat", str(file), "--paper", "whole"]) == 0
    subprocess.run(["pdftoppm", "-r", "127", "-gray", "-singlefile", str(file), str(tmp_path / "page")], check=True)
    page = cv2.imread(str(tmp_path / "page.pgm"), cv2.IMREAD_GRAYSCALE)
    px_per_mm = 127 / 25.4
    markers = MarkerLayout({0: (-133.5, -133.5), 1: (133.5, -133.5), 2: (133.5, 133.5), 3: (-133.5, 133.5)})
    size = (page.shape[1], page.shape[0])
    camera = CameraModel(size, ((8000.0, 0, size[0] / 2), (0, 8000.0, size[1] / 2), (0, 0, 1)))
    pose = find_pose(np.ascontiguousarray(page), markers, camera)
    assert isinstance(pose, Pose)
    assert len(pose.markers) == 4
    ends = pose.project(np.array([(-119.0, 0, 0), (119.0, 0, 0)]))
    assert np.linalg.norm(ends[1] - ends[0]) / px_per_mm == pytest.approx(238.0, abs=0.3)


def test_cells_that_are_not_seen_are_said_in_words_and_drawn_where_asked(tmp_path, table, capsys):
    scene = MatScene(tiles=SCENE.tiles, hands=(HandOnMat((20.0, -20.0)),))
    file, folder = picture_in(tmp_path, scene), tmp_path / "drawn"
    assert run(["read-tiles", str(file), "--table", str(table), "--annotate", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "certain;" in said.splitlines()[0]
    assert "cells not seen" in said.splitlines()[0]
    assert "? is a cell that is not seen" in said
    drawn, plain = cv2.imread(str(folder / "mat.annotated.jpg")), cv2.imread(str(file))
    assert drawn.shape == plain.shape
    assert np.abs(drawn.astype(int) - plain).max() > 100


def test_a_game_without_a_turn_is_said_to_have_none(tmp_path, capsys):
    file = tmp_path / "game.txt"
    file.write_text("# nothing\n")
    assert run(["score-tiles", str(file)]) == 0
    assert "no turn is written in it" in capsys.readouterr().err


def test_a_comma_between_tiles_is_refused_with_what_would_be_right(tmp_path, capsys):
    file = tmp_path / "game.txt"
    file.write_text("c3=red1, c4=red2\n")
    assert run(["score-tiles", str(file)]) == 2
    assert "line 1: 'c3=red1,' has a comma; put spaces between tiles" in capsys.readouterr().err


def test_help_shows_the_text_of_a_game_with_its_first_lines(capsys):
    assert run(["score-tiles", "--help"]) == 0
    said = capsys.readouterr().out
    assert "board: 7x7\n" in said
    assert "players: 2\n" in said


def test_a_sheet_with_another_ending_is_refused(tmp_path, capsys):
    assert run(["print", "mat", str(tmp_path / "x.png")]) == 2
    assert "let the name end in .pdf" in capsys.readouterr().err
    assert not (tmp_path / "x.png").exists()
