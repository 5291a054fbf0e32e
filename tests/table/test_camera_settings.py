"""`[camera]` of a table.toml: every kind of source, how pictures are taken, corners in place of markers."""

import pytest

from companion.table.camera_settings import Taking
from companion.table.settings import read_settings
from companion.table.toml_sections import BadSettings

MARKERS = '[markers]\ncentres_mm = { "0" = [-134, -114], "1" = [134, -114], "2" = [134, 114], "3" = [-134, 114] }\n'
CORNERS = "corners_px = [[100, 80], [540, 82], [600.5, 400], [40, 398]]\n"


@pytest.fixture
def settings(tmp_path):
    def read(camera, rest="[board]\n" + MARKERS):
        file = tmp_path / "table.toml"
        file.write_text(f"{rest}[camera]\n{camera}")
        return read_settings(file)

    return read


@pytest.mark.parametrize("source", ["picamera2", "v4l2:0", "v4l2:12", "simulated", "none"])
def test_named_sources_are_taken_as_they_are(settings, source):
    assert settings(f"source = '{source}'\n").camera_source == source


@pytest.mark.parametrize("source", ["film.mp4", "games/monday", "./pictures", "frames.csv"])
def test_a_path_counts_from_the_folder_of_the_table_and_need_not_be_there(settings, source, tmp_path):
    assert settings(f"source = '{source}'\n").camera_source == str(tmp_path / source)


def test_a_path_may_be_absolute(settings):
    assert settings("source = '/media/film.avi'\n").camera_source == "/media/film.avi"


def test_how_pictures_are_taken_can_be_said(settings):
    table = settings("fps = 10\nmains_hz = 60\nexposure_ms = 8.3\ngain = 2\n")
    assert table.taking == Taking(10.0, 60, 8.3, 2.0)
    assert settings("").taking == Taking(15.0, 50, None, None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("source = 'webcam'", "[camera] source: 'webcam' is not one of picamera2, v4l2:0"),
        ("source = 'v4l2:front'", "'v4l2:front' is not one of"),
        ("source = ''", "'' is not one of"),
        ("source = 3", "a text in quotes"),
        ("fps = 0", "[camera] fps: should be a number from 0.1 to 240, not 0"),
        ("mains_hz = 55", "[camera] mains_hz: should be 50 or 60"),
        ("mains_hz = 'eu'", "mains_hz: should be a whole number"),
        ("exposure_ms = -1", "[camera] exposure_ms: should be a number from 0.01 to 1000"),
        ("gain = true", "[camera] gain"),
        ("shutter = 1", "[camera] shutter: unknown; known here: corners_picture"),
        (CORNERS, "[camera] corners_px: needs size_px too"),
        ("size_px = [640, 480]\ncorners_px = [[1, 2], [3, 4]]", "should be 4 points [x, y]"),
        ("size_px = [640, 480]\ncorners_px = [[1, 2], [3, 4], [5, 6], ['a', 1]]", "should be 4 points [x, y]"),
        ("size_px = [320, 240]\n" + CORNERS, "[540, 82] lies outside a picture of 320 x 240"),
        ("corners_picture = 'a.png'", "there are no corners_px"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(settings, text, says):
    with pytest.raises(BadSettings) as refused:
        settings(text + "\n")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_board_with_corners_needs_no_markers(settings, tmp_path):
    table = settings("size_px = [640, 480]\ncorners_picture = 'c.png'\n" + CORNERS, "[board]\n")
    assert table.markers.centres_mm == {}
    assert table.corners is not None
    assert table.corners.pixels[2] == (600.5, 400.0)
    assert table.corners.picture == tmp_path / "c.png"


def test_a_board_without_corners_and_markers_is_refused_and_told_of_both(settings):
    with pytest.raises(BadSettings, match=r"markers.*corners_px"):
        settings("", "[board]\n")


def test_a_board_whose_ranks_lie_closer_and_whose_pieces_are_flat_can_be_described(settings):
    board = "[board]\nwell_pitch_mm = 30\nrank_pitch_mm = 28\nsphere_diameter_mm = 22\npiece_height_mm = 9\n" + MARKERS
    table = settings("", board)
    assert table.grid.pitches_mm == (30.0, 28.0)
    assert table.grid.height_mm == 9.0
    assert table.along_mm == 28.0


def test_spheres_wider_than_the_ranks_are_apart_are_refused(settings):
    with pytest.raises(BadSettings, match="sphere_diameter_mm: should be less than rank_pitch_mm"):
        settings("", "[board]\nrank_pitch_mm = 20\n" + MARKERS)
