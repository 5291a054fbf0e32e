"""What is measured of a camera, and what is said of it: every part has a line, what is wrong a remedy."""

import cv2
import numpy as np
import pytest

from vision.board_pose import pose_from_corners
from vision.camera_findings import camera_lines
from vision.camera_health import CameraCheckup, CameraFigures
from vision.camera_watch import CABLE, CameraHealth, CameraState
from vision.frames import Frame
from vision.geometry import CameraModel, MarkerLayout
from vision.sharpness import edge_width_px

EMPTY_HANDED = CameraFigures()


@pytest.fixture
def good(table, draw_board, start_spheres):
    return draw_board(table, start_spheres, table.pose())


def noisy(picture, n):
    return np.clip(picture + np.random.default_rng(n).normal(0, 2, picture.shape), 0, 255).astype(np.uint8)


def watched(table, pictures, apart_s=0.1, late_s=0.05, markers=None, camera=None):
    checkup = CameraCheckup(table.grid, markers or table.markers, camera or table.camera)
    for n, picture in enumerate(pictures):
        checkup.feed(Frame(n * apart_s, picture), n * apart_s + late_s)
    return checkup.figures


def wrong(lines):
    assert all(line.remedy for line in lines if not line.ok)
    return {line.part for line in lines if not line.ok}


@pytest.mark.parametrize("sigma", [1.0, 2.0, 4.0])
def test_a_blurred_step_is_as_wide_as_its_blur(sigma):
    picture = np.full((300, 300), 40, np.uint8)
    picture[60:240, 60:240] = 210
    assert edge_width_px(picture) == pytest.approx(1.0)
    blurred = cv2.GaussianBlur(picture, (0, 0), sigma)
    assert edge_width_px(blurred) == pytest.approx(2.5 * sigma, rel=0.25)


def test_a_picture_of_nothing_has_no_sharpness():
    assert edge_width_px(np.full((200, 200), 90, np.uint8)) is None
    assert edge_width_px(noisy(np.full((200, 200), 90, np.uint8), 1)) is None


def test_a_good_camera_has_nothing_wrong_and_says_all_it_measured(table, good):
    figures = watched(table, [noisy(good, n) for n in range(14)])
    assert figures.rate == pytest.approx(10)
    assert figures.longest_wait_s == pytest.approx(0.1)
    assert figures.age_s == pytest.approx(0.05)
    assert figures.markers == dict.fromkeys(range(4), 1.0)
    assert figures.error_px < 0.5
    assert figures.error_mm < 0.5
    lines = camera_lines(figures, CameraHealth(CameraState.OK), wanted_fps=10)
    assert wrong(lines) == set()
    named = [line.part for line in lines]
    assert named == ["pictures", "delay", "sharpness", "markers", "alignment", "exposure", "light", "flicker"]


def test_pictures_that_come_slowly_or_late_are_named(table, good):
    pictures = [noisy(good, n) for n in range(4)]
    assert "pictures" in wrong(camera_lines(watched(table, pictures, apart_s=0.3), wanted_fps=15))
    assert "pictures" in wrong(camera_lines(watched(table, pictures, apart_s=2.0)))
    assert wrong(camera_lines(watched(table, pictures, late_s=0.9))) == {"delay"}


def test_a_lens_out_of_focus_is_named_even_where_no_marker_can_be_read(table, good):
    figures = watched(table, [noisy(cv2.GaussianBlur(good, (0, 0), 5), n) for n in range(4)])
    assert figures.no_board
    lines = camera_lines(figures)
    assert {"sharpness", "markers", "alignment"} <= wrong(lines)
    assert "turn the lens" in next(line.remedy for line in lines if line.part == "sharpness")


def test_a_covered_lens_is_named(table):
    lines = camera_lines(watched(table, [noisy(np.full((480, 640, 3), 3, np.uint8), n) for n in range(4)]))
    assert "sharpness" in wrong(lines)
    assert "lens cap" in next(line.remedy for line in lines if line.part == "sharpness")


def test_a_marker_that_is_covered_is_named(table, good, cover_board):
    hidden = cover_board(good, table.pose(), [(110, 90), (160, 90), (160, 140), (110, 140)], (90, 90, 90))
    figures = watched(table, [noisy(hidden, n) for n in range(4)])
    assert figures.markers[2] == 0
    (line,) = (line for line in camera_lines(figures) if line.part == "markers")
    assert not line.ok
    assert line.what.startswith("2 is not found")


def test_markers_that_do_not_lie_where_the_settings_say_are_named(table, good):
    astray = MarkerLayout({**table.markers.centres_mm, 1: (134, -107)})
    figures = watched(table, [noisy(good, n) for n in range(4)], markers=astray)
    lines = camera_lines(figures)
    assert wrong(lines) == {"alignment"}
    assert "marker 1 does not lie" in next(line.what for line in lines if not line.ok)
    all_astray = MarkerLayout({m: (x * 1.1, y) for m, (x, y) in table.markers.centres_mm.items()})
    assert "alignment" in wrong(camera_lines(watched(table, [good], markers=all_astray)))


def test_a_guessed_lens_is_said_and_is_no_fault(table, good):
    figures = watched(table, [noisy(good, n) for n in range(4)], camera=CameraModel())
    (line,) = (line for line in camera_lines(figures, lens_guessed=True) if line.part == "alignment")
    assert line.ok
    assert "calibrate camera" in line.what


def test_dark_and_flickering_light_are_named(table, good):
    dark = [(noisy(good, n) * 0.18).astype(np.uint8) for n in range(4)]
    assert "exposure" in wrong(camera_lines(watched(table, dark)))
    flickering = [(noisy(good, n) * (0.8 + 0.1 * (n % 2))).astype(np.uint8) for n in range(14)]
    assert wrong(camera_lines(watched(table, flickering))) == {"flicker"}


def test_a_board_without_markers_is_measured_where_its_corners_were_named(table, good):
    wells = [table.grid.wells - table.grid.files, table.grid.wells - 1, table.grid.files - 1, 0]
    corners = table.pose().project(np.array([(*table.grid.centre_mm(well), 0.0) for well in wells]))
    pose = pose_from_corners(corners, table.grid, table.camera, (640, 480))
    checkup = CameraCheckup(table.grid, None, table.camera, pose)
    for n in range(12):
        checkup.feed(Frame(n * 0.1, noisy(good, n)), n * 0.1)
    lines = camera_lines(checkup.figures, by_corners=True)
    assert wrong(lines) == set()
    assert "markers" not in {line.part for line in lines}
    assert "flicker" in {line.part for line in lines}


def test_what_the_camera_itself_says_comes_first():
    gone = CameraHealth(CameraState.GONE, "/dev/video0 is gone: the camera was unplugged", CABLE)
    (line,) = camera_lines(EMPTY_HANDED, gone)
    assert not line.ok
    assert line.what == gone.what


def test_no_picture_at_all_is_one_line(table):
    (line,) = camera_lines(watched(table, []))
    assert line.what == "no picture came"
    assert not line.ok
    (line,) = camera_lines(watched(table, [np.zeros((10, 10), np.uint8)]))
    assert line.what.startswith("image: a BGR picture is needed")
