"""`table.toml`: defaults, and every unknown or bad key refused by name with what is allowed."""

import pytest

from companion.rules import Side
from companion.table.settings import read_settings
from companion.table.toml_sections import BadSettings

LEAST = """
[board]
[markers]
centres_mm = { "0" = [-134.9, -114.9], "1" = [134.9, -114.9], "2" = [134.9, 114.9], "3" = [-134.9, 114.9] }
"""


@pytest.fixture
def settings(tmp_path):
    def read(text, least=LEAST):
        file = tmp_path / "table.toml"
        file.write_text(least + text)
        return read_settings(file)

    return read


def test_all_but_markers_and_board_has_a_default(settings, tmp_path):
    table = settings("")
    assert table.name == tmp_path.name
    assert (table.grid.pitch_mm, table.grid.sphere_diameter_mm) == (36.0, 25.0)
    assert table.axis == "ranks"
    assert table.cells.half_spacing_mm is None
    assert table.rules.track_steps == 7
    assert table.rules.first is Side.WHITE
    assert table.load_source == table.camera_source == "none"


def test_a_mat_alone_needs_no_board(settings):
    mat = settings('[try4]\ncolumns = 9\nrows = 7\ncell_mm = 34.0\ncolours = ["red"]\n', LEAST.replace("[board]", ""))
    assert mat.try4 is not None
    assert mat.try4.columns == 9


def test_every_recording_and_picture_with_truth_has_a_table_that_is_understood(shared):
    files = sorted((shared / "data").rglob("table*.toml"))
    assert len(files) > 40
    for file in files:
        read_settings(file)


def test_marker_centres_may_be_a_table_of_their_own(settings):
    text = '[board]\n[markers]\nsize_mm = 20.0\n[markers.centres_mm]\n"0" = [0, 0]\n"1" = [9, 0]\n"2" = [9, 9]\n'
    assert settings("", text).markers.centres_mm == {0: (0.0, 0.0), 1: (9.0, 0.0), 2: (9.0, 9.0)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[pinnacle]\n", "pinnacle: unknown; known here: board"),
        ("[pinnacles]\nhalf_spacing = 6\n", "[pinnacles] half_spacing: unknown; known here: axis, half_spacing_mm"),
        ("[pinnacles]\naxis = 'rows'\n", "[pinnacles] axis: 'rows' is not one of ranks, files"),
        ("[pinnacles]\nhalf_spacing_mm = -1\n", "a number from 0.1 to 200, not -1"),
        ("[load_cells]\nsource = 'usb'\n", "'usb' is not one of gpio, pico, none"),
        ("[load_cells.low]\ncounts_per_gram = 0\n", "[load_cells.low] counts_per_gram: should not be 0"),
        ("[load_cells.low]\ndata_pin = 41\n", "[load_cells.low] data_pin: should be a whole number from 0 to 27"),
        ("[load_cells]\nmiddle = 1\n", "[load_cells] middle: unknown"),
        ("[camera]\nsource = 'webcam'\n", "picamera2, v4l2:0"),
        ("[camera]\nmatrix = [[1, 2], [3, 4]]\n", "three rows of three numbers"),
        ("[camera]\nsize_px = [640]\n", "it holds 1"),
        ("[camera]\ndistortion = ['a']\n", "a list of numbers"),
        ("[spheres]\nwhite_coloured = 'blue'\n", "they must differ"),
        ("[rules]\nfirst = 'red'\n", "'red' is not one of white, black"),
        ("[rules]\ntrack_steps = 0\n", "from 1 to 99"),
        ("[rules]\nalternate_first = 'yes'\n", "true or false"),
        ("[referee]\nheld = 'forgive'\n", "accept, ask, log, ignore"),
        ("[referee]\nwarnings = 'me'\n", "all, spectators, nobody"),
        ("[panel]\nbuzzer = 3\nsafe_lamp = 3\n", "GPIO 3 is used twice"),
        (
            "[load_cells]\nsource = 'gpio'\n[load_cells.low]\ndata_pin = 5\nclock_pin = 6\n[panel]\nbuzzer = 6\n",
            "[load_cells.low] clock_pin: GPIO 6 is already [panel] buzzer",
        ),
        ("[web]\nport = 0\n", "from 1 to 65535"),
        ("[mqtt]\nbroker = 5\n", "a text in quotes"),
        ("pinnacles = 3\n", "pinnacles"),
    ],
)
def test_a_bad_key_is_refused_by_name_with_what_is_allowed(settings, text, says):
    with pytest.raises(BadSettings) as refused:
        settings(text) if not text.startswith("pinnacles =") else settings("", text + LEAST)
    assert says in str(refused.value)
    assert "table.toml" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("markers", "says"),
    [
        ('{ "0" = [0, 0], "1" = [1, 1] }', "at least three markers, it names 2"),
        ('{ "0" = [0, 0], "x" = [1, 1], "2" = [3, 4] }', "centres_mm.x"),
        ('{ "0" = [0], "1" = [1, 1], "2" = [3, 4] }', "centres_mm.0"),
        ("5", "should be a table"),
    ],
)
def test_bad_markers_are_named(settings, markers, says):
    with pytest.raises(BadSettings, match=says):
        settings("", f"[board]\n[markers]\ncentres_mm = {markers}\n")


def test_spheres_wider_than_their_wells_are_refused(settings):
    with pytest.raises(BadSettings, match="sphere_diameter_mm: should be less than well_pitch_mm"):
        settings("", LEAST.replace("[board]", "[board]\nsphere_diameter_mm = 40\n"))
