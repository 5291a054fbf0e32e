"""`calibrate camera`: the sheet in true size, guidance in words, what it writes, and what it refuses."""

import json
import re
import struct

import cv2
import numpy as np
import pytest

from companion.cli import run
from companion.commands import calibrate_camera
from companion.commands.calibrate_camera import collect
from companion.commands.refused import CalibrationRefused
from companion.table.camera_sheet import PAGE_MM, POINTS_PER_MM, camera_sheet_pdf
from companion.table.settings import read_settings
from tests.vision.charuco_views import DISTORTION, MATRIX, POSES, SHEET, SIZE, render
from vision.camera_watch import CABLE, CameraHealth, CameraState
from vision.charuco import Collection, View, see_sheet
from vision.frames import Frame

TABLE = """# the club's table
[board]
[camera]  # above the lamp
source = 'none'
matrix = [
    [800.0, 0, 400],  # of the old lens
    [0, 800.0, 300],
    [0, 0, 1],
]  # measured in May
[markers]
centres_mm = { "0" = [-134.9, -114.9], "1" = [134.9, -114.9], "2" = [134.9, 114.9], "3" = [-134.9, 114.9] }
"""


@pytest.fixture(scope="module")
def pictures():
    return [render(pose) for pose in POSES]


@pytest.fixture
def folder(tmp_path, pictures):
    views = tmp_path / "views"
    views.mkdir()
    for n, picture in enumerate(pictures):
        cv2.imwrite(str(views / f"{n:02d}.png"), picture)
    return views


@pytest.fixture
def table_toml(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text(TABLE)
    return file


def test_a_folder_of_views_gives_the_camera_and_comments_stay(table_toml, folder, capsys):
    assert run(["calibrate", "camera", str(table_toml), "--pictures", str(folder), "--json"]) == 0
    out, err = capsys.readouterr()
    said = json.loads(out)
    camera = read_settings(table_toml).camera
    assert camera.size_px == SIZE
    assert np.allclose(np.array(camera.matrix), MATRIX, atol=12)
    assert camera.distortion[0] == pytest.approx(DISTORTION[0], abs=0.03)
    assert [list(row) for row in camera.matrix] == said["matrix"]
    assert said["error_px"] < 0.3
    new = table_toml.read_text()
    for kept in ("# the club's table", "# above the lamp", "# measured in May"):
        assert kept in new
    assert table_toml.with_name("table.toml.bak").read_text() == TABLE
    assert "of at least 10 views" in err
    assert "% of the picture covered" in err
    assert "tilt the sheet" in err


def test_it_can_be_done_again(table_toml, folder):
    for _ in range(2):
        assert run(["calibrate", "camera", str(table_toml), "--pictures", str(folder)]) == 0
    assert "# above the lamp" in table_toml.read_text()


def refused(table_toml, arguments, capsys, code, *words):
    before = table_toml.read_text()
    assert run(["calibrate", "camera", str(table_toml), *arguments]) == code
    assert table_toml.read_text() == before
    assert not table_toml.with_name("table.toml.bak").exists()
    last = capsys.readouterr().err.strip().splitlines()[-1]
    for word in words:
        assert word in last


def test_too_few_views_are_refused_with_what_to_do(table_toml, folder, capsys):
    for file in sorted(folder.iterdir())[8:]:
        file.unlink()
    refused(table_toml, ["--pictures", str(folder)], capsys, 1, "nothing was written", "8 good views", "at least 10")


def test_pictures_without_the_sheet_are_refused(table_toml, tmp_path, capsys):
    cv2.imwrite(str(tmp_path / "a.png"), np.full((480, 640, 3), 90, np.uint8))
    refused(table_toml, ["--pictures", str(tmp_path)], capsys, 1, "no picture shows the sheet", "--sheet")


def test_views_of_another_size_than_the_tables_pictures_are_refused(table_toml, folder, capsys):
    table_toml.write_text(TABLE.replace("source", "size_px = [640, 480]\nsource"))
    refused(table_toml, ["--pictures", str(folder)], capsys, 1, "960 x 720", "640 x 480", "size_px")


def test_a_folder_that_is_not_there_and_a_table_without_a_camera_are_named(table_toml, tmp_path, capsys):
    refused(table_toml, ["--pictures", str(tmp_path / "gone")], capsys, 2, "gone", "not a folder")
    refused(table_toml, [], capsys, 2, 'source is "none"')


class Held:
    """A camera before which somebody holds the sheet as told, moving in between."""

    def __init__(self, pictures, health=None):
        self.pictures, self.health, self.over = list(pictures), health or CameraHealth(CameraState.OK), False

    def newest(self, wait_s):
        if not self.pictures:
            return None
        return Frame(0.0, cv2.cvtColor(self.pictures.pop(0), cv2.COLOR_GRAY2BGR))

    def close(self):
        pass


def test_before_a_live_camera_a_view_is_taken_once_the_sheet_is_held_still(pictures):
    said = []
    steady = [again for picture in pictures for again in (picture, picture)]
    collection = Collection(SHEET)
    collect(Held(steady), collection, lambda what, _: said.append(what))
    assert collection.complete
    assert said.count("hold the sheet still") == sum(what.startswith(("view", "that")) for what in said)


def test_a_sheet_that_moves_is_not_taken(pictures):
    collection = Collection(SHEET)
    ticks = iter(range(0, 10_000, 20))
    with pytest.raises(CalibrationRefused):
        collect(Held(pictures), collection, lambda *_: None, lambda: float(next(ticks)))
    assert collection.views == []


def test_a_camera_that_gives_nothing_is_named_with_its_remedy():
    dead = Held([], CameraHealth(CameraState.GONE, "the camera's process ended", CABLE))
    ticks, said = iter(range(0, 10_000, 10)), []
    with pytest.raises(CalibrationRefused, match="process ended: check the camera's cable"):
        collect(dead, Collection(SHEET), lambda what, _: said.append(what), lambda: float(next(ticks)))
    assert any("cable" in what for what in said)


def test_ctrl_c_leaves_the_file_untouched(table_toml, folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrate_camera, "see_sheet", interrupted)
    assert run(["calibrate", "camera", str(table_toml), "--pictures", str(folder)]) == 130
    assert table_toml.read_text() == TABLE


def test_the_pdf_sheet_is_the_sheet_in_true_size():
    pdf = camera_sheet_pdf(SHEET).decode("latin-1")
    assert f"MediaBox [0 0 {PAGE_MM[0] * POINTS_PER_MM:.4f} {PAGE_MM[1] * POINTS_PER_MM:.4f}]" in pdf
    assert f"{POINTS_PER_MM:.8f} 0 0 {POINTS_PER_MM:.8f} 0 0 cm" in pdf
    page = np.full((round(PAGE_MM[1] * 5), round(PAGE_MM[0] * 5)), 255, np.uint8)
    for found in re.finditer(r"^([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+) re$", pdf, re.MULTILINE):
        x, y, w, h = (float(v) for v in found.groups())
        assert x >= 0
        assert x + w <= PAGE_MM[0]
        assert y >= 0
        assert y + h <= PAGE_MM[1]
        top = PAGE_MM[1] - y - h
        page[round(top * 5) : round((top + h) * 5), round(x * 5) : round((x + w) * 5)] = 0
    view = see_sheet(cv2.GaussianBlur(page, (0, 0), 0.7), SHEET)
    assert isinstance(view, View)
    assert len(view.ids) == SHEET.corners
    across = view.pixels[1] - view.pixels[0]
    assert np.linalg.norm(across) == pytest.approx(SHEET.square_mm * 5, abs=0.3)


def test_the_png_sheet_knows_its_size_on_paper(tmp_path, capsys):
    file = tmp_path / "sheet.png"
    assert run(["calibrate", "camera", "--sheet", str(file), "--dpi", "150"]) == 0
    data = file.read_bytes()
    at = data.index(b"pHYs") + 4
    assert struct.unpack(">IIB", data[at : at + 9]) == (5906, 5906, 1)
    view = see_sheet(cv2.imread(str(file), cv2.IMREAD_GRAYSCALE), SHEET)
    assert isinstance(view, View)
    apart = np.linalg.norm(view.pixels[1] - view.pixels[0])
    assert apart == pytest.approx(SHEET.square_mm * 150 / 25.4, abs=0.3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--sheet", "sheet.jpg"], ".pdf or .png"), ([], "TABLE.toml"), (["--sheet", "/no/such/sheet.pdf"], "/no/such")],
)
def test_a_sheet_that_cannot_be_written_and_no_table_get_one_line(arguments, says, capsys):
    assert run(["calibrate", "camera", *arguments]) in (1, 2)
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert says in line
