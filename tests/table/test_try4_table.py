"""Try 4 on a mat at run time, with a stand-in for the tile reader: turns are stored, the pages are told."""

import itertools

import numpy as np
import pytest

from companion.errors import BadInput, SenryakuError
from companion.log import LogNotSaved
from companion.log.try4_store import Setup, Try4Store, Way
from companion.rules.try4_text import placings_of
from companion.table.try4_games import STANDARD_SET
from companion.table.try4_palette import palette_json, palette_of
from companion.table.try4_table import BLIND_AFTER_S, CannotLearn, Try4Table
from vision.frames import Frame
from vision.tile_colours import TilePalette, named_palette, seen_palette
from vision.tile_mat import TileGrid
from vision.tile_reading import CellIs, CellReading, nothing_found, reading_of

GRID = TileGrid()
SETUP = Setup.of(7, 7, 2, STANDARD_SET, ("Ada", "Ben"))
PICTURE = np.zeros((30, 40, 3), np.uint8)


class ToldReader:
    """Reads whatever it was told."""

    def __init__(self):
        self.lies, self.unsure, self.hidden, self.found = "", "", "", True

    def read(self, image, t):
        if not self.found:
            return nothing_found(GRID, t, "markers 2 and 3 are not seen")
        cells = [CellReading(CellIs.EMPTY)] * GRID.cells
        for cell, tile in placings_of(self.lies).items():
            corners = ((1.0, 1.0), (5.0, 1.0), (5.0, 5.0), (1.0, 5.0))
            cells[cell.row * 7 + cell.column] = CellReading(CellIs.TILE, tile.colour, tile.number, 0.99, at_px=corners)
        for cell in placings_of(self.unsure):
            cells[cell.row * 7 + cell.column] = CellReading(CellIs.UNSURE)
        for cell in placings_of(self.hidden):
            cells[cell.row * 7 + cell.column] = CellReading(CellIs.HIDDEN)
        return reading_of(GRID, t, tuple(cells))

    def learn_colours(self, image, shown):
        if not self.lies:
            raise BadInput("no tile is seen at a1, where red should be shown")
        return named_palette([name for _, name in shown])


class Mat:
    """A table over a stand-in reader, shown pictures four times a second."""

    def __init__(self, file):
        self.reader, self.sounds, self.palettes = ToldReader(), [], []
        self.store = Try4Store.open(file)
        self.table = Try4Table(
            self.store,
            SETUP,
            ("red", "blue", "green", "yellow", "purple"),
            self.reader_of,
            itertools.count(1000.0).__next__,
            sounded=self.sounds.append,
        )
        self.t = 0.0

    def reader_of(self, palette: TilePalette | None):
        self.palettes.append(palette)
        return self.reader

    def shows(self, lies="", unsure="", hidden="", times=5):
        self.reader.lies, self.reader.unsure, self.reader.hidden = lies, unsure, hidden
        for _ in range(times):
            self.t += 0.25
            self.table.show(Frame(self.t, PICTURE))


@pytest.fixture
def mat(tmp_path):
    made = Mat(tmp_path / "mat.db")
    yield made
    made.store.close()


def test_play_stores_the_turn_and_the_pages_are_told(mat):
    seq = mat.table.state()["seq"]
    mat.shows("c3=red1")
    assert mat.table.live()["placed"] == {"c3": "red1"}
    mat.table.press()
    state = mat.table.state()
    assert state["seq"] > seq
    assert state["turns"][0]["tiles"] == {"c3": "red1"}
    assert state["player"] == 1
    assert mat.store.unfinished(Way.CAMERA)[0].game.board == placings_of("c3=red1")
    assert mat.sounds == [True]


def test_started_again_the_game_goes_on(mat, tmp_path):
    mat.shows("c3=red1")
    mat.table.press()
    mat.store.close()
    again = Mat(tmp_path / "mat.db")
    assert again.table.resumed
    again.shows("c3=red1 c4=red2 d3=red3 d4=red4")
    again.table.press()
    assert again.table.state()["totals"] == [0, 14]
    again.store.close()


def test_a_refused_turn_is_explained_once_with_its_cells(mat):
    mat.shows("c3=red1 f6=blue1")
    mat.table.press()
    mat.shows("c3=red1 f6=blue1")
    assert [(r["rule"], r["cells"]) for r in mat.table.state()["refused"]] == [("no_square", ["c3", "f6"])]
    assert mat.sounds == [False]
    mat.shows("c3=red1")
    assert mat.table.state()["refused"] == []


def test_an_unsure_tile_is_asked_about_and_answered(mat):
    mat.table.press()
    mat.shows(unsure="c3=red1")
    (question,) = mat.table.live()["questions"]
    assert question["cell"] == "c3"
    assert mat.table.live()["phase"] == "asking"
    mat.table.console({"do": "answer", "cell": "c3", "tile": "green2"})
    assert mat.table.state()["board"] == {"c3": "green2"}


def test_a_person_may_correct_any_cell_and_take_a_turn_back(mat):
    mat.shows("c3=red1")
    mat.table.console({"do": "answer", "cell": "c3", "tile": "red2"})
    mat.table.console({"do": "play"})
    assert mat.table.state()["board"] == {"c3": "red2"}
    mat.table.console({"do": "take_back"})
    assert mat.table.state()["turns"] == []


def test_a_camera_that_sees_nothing_is_named_and_the_game_goes_on_by_hand(mat):
    mat.shows("c3=red1")
    mat.table.press()
    mat.reader.found = False
    for k in range(1, 20):
        mat.table.show(Frame(mat.t + k * 0.25, PICTURE))
    live = mat.table.live()
    assert live["blind"]
    assert live["fault"] == "markers 2 and 3 are not seen"
    mat.table.console({"do": "answer", "cell": "d5", "tile": "blue1"})
    mat.table.press()
    assert mat.table.state()["board"] == {"c3": "red1", "d5": "blue1"}


def test_silence_is_noticed_with_what_the_camera_says(mat):
    mat.shows("c3=red1")
    mat.table.silence(mat.t + 0.5)
    assert not mat.table.live()["blind"]
    mat.table.silence(mat.t + BLIND_AFTER_S + 1, "the camera sends nothing: check its cable")
    assert mat.table.live()["fault"] == "the camera sends nothing: check its cable"
    assert mat.table.live()["blind"]


def test_a_new_game_for_other_players_and_back(mat):
    mat.shows("c3=red1")
    mat.table.press()
    mat.table.console({"do": "begin", "players": 3, "names": ["Ada", "Ben", "Cem"]})
    state = mat.table.state()
    assert (state["players"], state["names"], state["board"]) == (3, ["Ada", "Ben", "Cem"], {})
    assert state["cleared"] is not None
    mat.table.console({"do": "bring_back"})
    assert mat.table.state()["board"] == {"c3": "red1"}


def test_colours_are_shown_once_and_known_after_a_restart(mat, tmp_path):
    with pytest.raises(CannotLearn, match="no camera picture"):
        mat.table.console({"do": "learn"})
    mat.shows("")
    with pytest.raises(CannotLearn, match="no tile is seen at a1"):
        mat.table.console({"do": "learn"})
    mat.shows("a1=red1")
    mat.table.console({"do": "learn"})
    assert mat.table.state()["learned"]
    mat.store.close()
    again = Mat(tmp_path / "mat.db")
    assert again.palettes[0] == mat.palettes[-1]
    again.table.console({"do": "forget_colours"})
    assert not again.table.state()["learned"]
    again.store.close()


def test_a_palette_survives_being_stored():
    bodies = np.array([[0.0, 0.6, 0.1], [-0.2, -0.5, 0.4], [0.1, 0.01, 0.0]], np.float32)
    palette = seen_palette(["red", "blue", "white"], bodies, np.zeros_like(bodies))
    assert palette_of(palette_json(palette)) == palette


@pytest.mark.parametrize(
    "command",
    [
        {"do": "fly"},
        {"do": "answer"},
        {"do": "answer", "cell": "z9", "tile": "red1"},
        {"do": "answer", "cell": "a1", "tile": "?"},
        {"do": "answer", "cell": "a1", "tile": 3},
        {"do": "begin", "players": 9},
        {"do": "begin", "names": [1]},
        {"do": "take_back"},
        {"do": "bring_back"},
        {"do": ["play"]},
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(mat, command):
    with pytest.raises(SenryakuError) as refused:
        mat.table.console(command)
    assert "\n" not in str(refused.value)


def test_a_turn_that_cannot_be_saved_is_not_played(mat):
    mat.shows("c3=red1")
    mat.store.close()
    with pytest.raises((LogNotSaved, BadInput)):
        mat.table.press()
    assert not mat.table.mat.game.turns


def test_pages_that_wait_are_woken_by_a_turn(mat):
    seq, live = mat.table.wait_for_change(0, None, 0.0)
    mat.shows("c3=red1")
    assert mat.table.wait_for_change(seq, live, 0.0)[1] > live
    mat.table.press()
    assert mat.table.wait_for_change(seq, None, 0.0)[0] > seq


def test_the_page_can_draw_what_is_read_over_the_picture(mat):
    mat.shows("c3=red1")
    live = mat.table.live()
    assert live["size_px"] == [40, 30]
    assert live["drawn"] == [
        {"cell": "c3", "at_px": [[1.0, 1.0], [5.0, 1.0], [5.0, 5.0], [1.0, 5.0]], "tile": "red1", "sure": True}
    ]
    assert mat.table.picture().startswith(b"\xff\xd8")


def test_a_second_press_for_a_turn_that_was_played_is_none_of_the_next(mat):
    mat.shows("c3=red1")
    mat.table.console({"do": "play", "turns": 0})
    mat.table.console({"do": "play", "turns": 0})
    assert len(mat.table.state()["turns"]) == 1
    assert mat.table.state()["refused"] == []


def test_tiles_beside_what_is_hidden_are_shown_meanwhile(mat):
    mat.shows("c3=red1")
    mat.shows("d4=blue1", hidden="c3=red1", times=2)
    live = mat.table.live()
    assert live["placed"] == {"c3": "red1", "d4": "blue1"}
    assert live["hidden"] == ["c3"]
