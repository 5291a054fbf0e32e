"""`calibrate corners`: where a board without markers lies, named once."""

import cv2
import numpy as np
import pytest

from companion.cli import run
from companion.simulator.table import SimulatedTable
from companion.table.settings import read_settings
from vision.reader import BoardReader

WELLS = (35, 41, 6, 0)  # a6, g6, g1, a1


@pytest.fixture(scope="module")
def seen():
    """A picture of an empty board, and where its corner wells are in it."""
    table = SimulatedTable(5)
    settings, picture = table.settings, table.empty_picture()
    reader = BoardReader(settings.grid, settings.camera, settings.markers, settings.colours)
    reader.read(picture, 0.0)
    pose = reader.sight.pose
    return picture, pose.project(np.array([(*settings.grid.centre_mm(well), 0.0) for well in WELLS]))


@pytest.fixture
def table_toml(tmp_path, seen):
    cv2.imwrite(str(tmp_path / "board.png"), seen[0])
    file = tmp_path / "table.toml"
    file.write_text("# no markers here\n[board]\n[camera]\nsource = 'board.png'\n")
    return file


def words(corners):
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def give(table_toml, corners, *more):
    picture = table_toml.with_name("board.png")
    return run(["calibrate", "corners", str(table_toml), "--picture", str(picture), "--corners", corners, *more])


def test_corners_are_kept_with_their_picture_and_the_board_is_found_by_them(table_toml, seen):
    assert give(table_toml, words(seen[1]), "--check", str(table_toml.with_name("check.jpg"))) == 0
    settings = read_settings(table_toml)
    assert np.allclose(settings.corners.pixels, seen[1], atol=0.06)
    assert np.array_equal(cv2.imread(str(settings.corners.picture)), seen[0])
    assert settings.camera.size_px == (640, 480)
    assert "# no markers here" in table_toml.read_text()
    assert cv2.imread(str(table_toml.with_name("check.jpg"))).shape == seen[0].shape


def test_without_corners_a_picture_is_taken_and_it_says_what_to_do(tmp_path, seen, capsys):
    (tmp_path / "pictures").mkdir()
    cv2.imwrite(str(tmp_path / "pictures" / "a.png"), seen[0])
    file = tmp_path / "table.toml"
    file.write_text("[board]\n[camera]\nsource = 'pictures'\n")
    assert run(["calibrate", "corners", str(file)]) == 0
    out = capsys.readouterr().out
    assert "table.corners.png" in out
    assert "--corners" in out
    assert np.array_equal(cv2.imread(str(tmp_path / "table.corners.png")), seen[0])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: words(c[[1, 0, 3, 2]]), "in the order in which White sees them"),
        (lambda c: words(c[[0, 2, 1, 3]]), "in order"),
        (lambda c: words(c[:3]), "four points"),
        (lambda c: "a b c d", "four points"),
        (lambda c: words(c * [1, 0.4]), "corners"),
    ],
)
def test_corners_that_cannot_be_are_refused_in_one_line_and_nothing_is_written(table_toml, seen, capsys, change, says):
    before = table_toml.read_text()
    assert give(table_toml, change(seen[1])) == 2
    assert table_toml.read_text() == before
    assert says in capsys.readouterr().err
    assert not table_toml.with_name("table.corners.png").exists()


def test_a_board_on_which_nothing_can_be_known_again_is_refused(table_toml, seen, capsys):
    cv2.imwrite(str(table_toml.with_name("board.png")), np.full((480, 640, 3), 120, np.uint8))
    assert give(table_toml, words(seen[1])) == 2
    assert "use markers" in capsys.readouterr().err


def test_a_picture_of_another_size_than_the_tables_is_refused(table_toml, seen, capsys):
    table_toml.write_text(table_toml.read_text() + "size_px = [800, 600]\n")
    assert give(table_toml, words(seen[1])) == 2
    assert "800 x 600" in capsys.readouterr().err
