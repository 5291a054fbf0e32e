"""Printed sheets are in true size: a marker of 22 mm is 22 mm on the page."""

import re
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import run
from companion.table.board_sheets import PITCH_OF_SPHERE, PLACE_OF_SPHERE, USUAL
from companion.table.settings import read_settings
from tests.firmware_bridge.calibration_bench import table_file
from vision.geometry import MarkerLayout
from vision.markers import find_markers

DPI = 300
PX_PER_MM = DPI / 25.4

seen = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs pdftoppm (poppler-utils) to see the page")


def page(file, tmp_path):
    command = ["pdftoppm", "-r", str(DPI), "-gray", "-singlefile", str(file), str(tmp_path / "page")]
    subprocess.run(command, check=True)
    return cv2.imread(str(tmp_path / "page.pgm"), cv2.IMREAD_GRAYSCALE)


def ruler_px(picture):
    """The longest thin line near the foot of the page."""
    foot = picture[-round(15 * PX_PER_MM) :] < 128
    return max(max((len(run) for run in "".join("1" if p else "0" for p in row).split("0")), default=0) for row in foot)


@seen
@pytest.mark.parametrize("size_mm", [22.0, 30.0])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_a_printed_marker_is_as_large_as_it_says_and_is_found(tmp_path, size_mm, paper):
    table = table_file(tmp_path)
    table.write_text(
        re.sub(r"\[markers\]\n", f"[markers]\nsize_mm = {size_mm}\n", re.sub(r"size_mm = .*\n", "", table.read_text()))
    )
    settings = read_settings(table)
    assert settings.markers.size_mm == size_mm
    file = tmp_path / "markers.pdf"
    assert run(["print", "markers", str(file), "--table", str(table), "--paper", paper]) == 0
    picture = page(file, tmp_path)
    found = find_markers(picture, settings.markers)
    assert set(found) == set(settings.markers.centres_mm)
    for corners in (sightings[0] for sightings in found.values()):
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) / PX_PER_MM
        assert sides == pytest.approx([size_mm] * 4, abs=0.15)
    assert ruler_px(picture) / PX_PER_MM == pytest.approx(100, abs=0.3)


@seen
def test_a_scoring_board_has_a_place_for_every_step_at_the_spheres_pitch(tmp_path):
    file = tmp_path / "score.pdf"
    assert run(["print", "scoring-board", str(file)]) == 0
    picture = page(file, tmp_path)
    diameter = 25 * PLACE_OF_SPHERE * PX_PER_MM
    contours, _ = cv2.findContours((picture < 100).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    circles = [cv2.boundingRect(c) for c in contours]
    xs = sorted(x + w / 2 for x, y, w, h in circles if abs(w - diameter) < 8 and abs(h - diameter) < 8)
    places = [float(np.mean(group)) for group in _groups(xs)]
    assert len(places) == 8
    assert np.diff(places) / PX_PER_MM == pytest.approx([25 * PITCH_OF_SPHERE] * 7, abs=0.3)


def _groups(xs):
    groups = [[xs[0]]]
    for x in xs[1:]:
        if x - groups[-1][-1] > 20:
            groups.append([])
        groups[-1].append(x)
    return groups


def test_the_usual_markers_are_those_of_the_table_that_the_pages_describe():
    settings = read_settings(Path(__file__).parents[2] / "hardware" / "pi" / "table.toml")
    assert settings.markers == MarkerLayout(USUAL.centres_mm)


def test_the_same_settings_give_the_same_file(tmp_path):
    for name in ("a.pdf", "b.pdf"):
        assert run(["print", "markers", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_what_does_not_fit_is_said(tmp_path, capsys):
    table = table_file(tmp_path)
    good = re.sub(r"size_mm = .*\n", "", table.read_text())
    table.write_text(good.replace("[markers]\n", "[markers]\nsize_mm = 400.0\n"))
    assert run(["print", "markers", str(tmp_path / "x.pdf"), "--table", str(table)]) == 2
    assert "400 mm do not fit" in capsys.readouterr().err
    table.write_text(f"{good}\n[rules]\ntrack_steps = 30\n")
    assert run(["print", "scoring-board", str(tmp_path / "x.pdf"), "--table", str(table)]) == 2
    assert "track_steps: 30 steps" in capsys.readouterr().err
    assert run(["print", "markers", str(tmp_path / "no" / "x.pdf")]) == 1
