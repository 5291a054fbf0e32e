"""Reading drawn boards: what stands in each well, and what cannot be known."""

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import BadInput
from vision.pose_tracker import Footing
from vision.reader import BoardReader
from vision.reading import Content

MIDDLE = {"c3": "w", "d4": "b", "e2": "W", "f5": "B", "a1": "w", "g6": "b", "b2": "b", "a6": "w"}
QUICK = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SKIN = (120, 150, 200)


def new_reader(table):
    return BoardReader(table.grid, table.camera, table.markers, table.colours)


def names(table, reading, content):
    return {table.grid.name(w) for w, is_ in enumerate(reading.likeliest()) if is_ == content}


@pytest.fixture(params=["cold", "empty", "start", "both"])
def reader(request, table, draw_board, start_spheres):
    reader = new_reader(table)
    if request.param in ("empty", "both"):
        reader.learn_empty(draw_board(table, {}, table.pose()))
    if request.param in ("start", "both"):
        reader.learn_start(draw_board(table, start_spheres, table.pose()), table.contents(start_spheres))
    return reader


def test_every_well_is_read_whatever_was_learned_before(reader, table, draw_board):
    reading = reader.read(draw_board(table, MIDDLE, table.pose()), 4.2)
    assert reading.likeliest() == table.contents(MIDDLE)
    assert (reading.confident, reading.why, reading.board_found, reading.t) == (True, None, True, 4.2)


def test_probabilities_of_each_well_add_up_to_one(reader, table, draw_board):
    p = reader.read(draw_board(table, MIDDLE, table.pose()), 0.0).p
    assert p.shape == (42, 6)
    assert np.allclose(p.sum(axis=1), 1)
    assert p.min() >= 0


@QUICK
@given(tilt=st.floats(0, 30), turn=st.floats(0, 360), away=st.floats(720, 800))
def test_the_reading_does_not_depend_on_where_the_camera_is(table, draw_board, tilt, turn, away):
    reading = new_reader(table).read(draw_board(table, MIDDLE, table.pose(tilt, turn, away)), 0.0)
    assert reading.likeliest() == table.contents(MIDDLE)


@QUICK
@given(
    spheres=st.dictionaries(
        st.sampled_from([f"{f}{r}" for f in "abcdefg" for r in range(1, 7)]), st.sampled_from("wb"), max_size=12
    )
)
def test_any_position_of_plain_spheres_is_read(table, draw_board, spheres):
    reading = new_reader(table).read(draw_board(table, spheres, table.pose()), 0.0)
    assert reading.likeliest() == table.contents(spheres)


@QUICK
@given(gain=st.floats(0.45, 1.15), red=st.floats(0.85, 1.15), blue=st.floats(0.8, 1.2))
def test_exposure_and_colour_cast_do_not_change_the_reading(table, draw_board, gain, red, blue):
    linear = (draw_board(table, MIDDLE, table.pose()) / 255.0) ** 2.2 * [gain * blue, gain, gain * red]
    picture = (np.clip(linear, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)
    assert new_reader(table).read(picture, 0.0).likeliest() == table.contents(MIDDLE)


def test_the_lamp_may_change_after_learning(table, draw_board, start_spheres):
    reader = new_reader(table)
    reader.learn_empty(draw_board(table, {}, table.pose()))
    reader.learn_start(draw_board(table, start_spheres, table.pose()), table.contents(start_spheres))
    warm = np.clip(draw_board(table, MIDDLE, table.pose()) * [0.55, 0.8, 1.0], 0, 255).astype(np.uint8)
    reading = reader.read(warm, 0.0)
    assert reading.likeliest() == table.contents(MIDDLE)
    assert reading.confident


def test_a_shadow_is_not_a_cover(reader, table, draw_board, shade_board):
    pose = table.pose()
    picture = shade_board(draw_board(table, MIDDLE, pose), pose, [(-150, -52), (90, -52), (40, 40), (-150, 40)], 0.3)
    assert reader.read(picture, 0.0).likeliest() == table.contents(MIDDLE)


@pytest.mark.parametrize(
    "ink", [SKIN, (60, 75, 110), (200, 190, 190), (25, 25, 25)], ids=["pale", "dark", "cup", "sleeve"]
)
def test_covered_wells_are_hidden_and_the_others_read(reader, table, draw_board, cover_board, ink):
    pose = table.pose()
    picture = cover_board(draw_board(table, MIDDLE, pose), pose, [(-4, -170), (66, -170), (66, 18), (-4, 18)], ink)
    reading = reader.read(picture, 0.0)
    right = table.contents(MIDDLE)
    wrong = [table.grid.name(w) for w, c in enumerate(reading.likeliest()) if c not in (right[w], Content.HIDDEN)]
    assert wrong == []
    hidden = names(table, reading, Content.HIDDEN)
    assert {"e1", "e2", "e3"} <= hidden
    assert hidden <= {f"{f}{r}" for f in "def" for r in range(1, 5)}


def test_a_covered_board_is_read_as_hidden_throughout(table, draw_board, cover_board):
    pose = table.pose()
    reader = new_reader(table)
    reader.learn_empty(draw_board(table, {}, pose))
    inside = [(-118, -104), (118, -104), (118, 98), (-118, 98)]
    reading = reader.read(cover_board(draw_board(table, MIDDLE, pose), pose, inside, SKIN), 0.0)
    assert set(reading.likeliest()) == {Content.HIDDEN}


def test_two_spheres_of_the_same_colour_are_never_read(table, draw_board):
    reading = new_reader(table).read(draw_board(table, {"c3": "W", "e5": "W", "d2": "w"}, table.pose()), 0.0)
    assert len(names(table, reading, Content.WHITE_COLOURED)) <= 1


def test_a_picture_without_markers_gives_no_board_and_says_why(table):
    reader = new_reader(table)
    reading = reader.read(np.full((480, 640, 3), 120, np.uint8), 1.0)
    assert (reading.board_found, reading.confident) == (False, False)
    assert "markers" in (reading.why or "")
    assert set(reading.likeliest()) == {Content.HIDDEN}
    assert reader.sight is None


@pytest.mark.parametrize(
    "thing",
    [
        None,
        "picture.jpg",
        np.zeros((480, 640), np.uint8),
        np.zeros((480, 640, 3)),
        np.zeros((0, 0, 3), np.uint8),
        np.zeros((9, 900, 3), np.uint8),
    ],
)
def test_what_is_no_picture_gives_no_board_and_says_so(table, thing):
    reading = new_reader(table).read(thing, 0.0)
    assert not reading.board_found
    assert reading.why


def test_while_no_marker_is_in_sight_nothing_is_certain(table, draw_board):
    pose = table.pose()
    picture = draw_board(table, MIDDLE, pose)
    reader = new_reader(table)
    reader.read(picture, 0.0)
    for x, y in table.markers.centres_mm.values():
        at = pose.project(np.array([(x, y, 0.0)])).astype(int)[0]
        cv2.circle(picture, tuple(int(v) for v in at), 30, (60, 60, 60), -1)
    reading = reader.read(picture, 0.0)
    assert reader.sight is not None
    assert reader.sight.footing is Footing.HELD
    assert reading.board_found
    assert not reading.confident
    assert "marker" in (reading.why or "")


def test_a_shifted_board_is_noticed_and_read_all_the_same(table, draw_board):
    reader = new_reader(table)
    reader.learn_empty(draw_board(table, {}, table.pose()))
    reader.read(draw_board(table, MIDDLE, table.pose()), 0.0)
    reading = reader.read(draw_board(table, MIDDLE, table.pose(aim=(18, -10))), 1.0)
    assert reader.sight is not None
    assert reader.sight.moved
    assert reading.likeliest() == table.contents(MIDDLE)


def test_learning_from_a_picture_without_a_board_is_refused(table):
    blank = np.full((480, 640, 3), 120, np.uint8)
    with pytest.raises(BadInput, match="markers"):
        new_reader(table).learn_empty(blank)
    with pytest.raises(BadInput, match="markers"):
        new_reader(table).learn_known(blank, [Content.EMPTY] * 42)


def test_learning_needs_the_content_of_every_well(table, draw_board):
    with pytest.raises(BadInput, match="41 wells given, 42 needed"):
        new_reader(table).learn_start(draw_board(table, {}, table.pose()), [Content.EMPTY] * 41)


def test_odd_spheres_are_read_once_they_were_shown(table, draw_board):
    """Spheres of quite another colour than the settings name, learned from a later position."""
    wrong = new_reader(type(table)(colours=type(table.colours)("green", "yellow")))
    spheres = {"b2": "W", "f4": "B", "c5": "w", "d3": "b"}
    wrong.learn_known(draw_board(table, spheres, table.pose()), table.contents(spheres))
    assert wrong.read(draw_board(table, MIDDLE, table.pose()), 0.0).likeliest() == table.contents(MIDDLE)


def test_an_unknown_colour_name_is_refused_with_the_known_ones(table):
    with pytest.raises(BadInput, match=r"'mud'.*red"):
        BoardReader(table.grid, table.camera, table.markers, type(table.colours)("mud", "blue"))
