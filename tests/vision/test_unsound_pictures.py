"""Pictures that lack what every picture of the board shows are not read for certain, and it is said why."""

import cv2
import numpy as np
import pytest

from vision.annotate import annotate
from vision.evidence import SURE
from vision.reader import BoardReader
from vision.reading import Content
from vision.soundness import COARSE, DARK, FLAT, GREY, NO_WOOD, OTHER_COLOURS

SPHERES = {"a1": "w", "c2": "w", "f3": "w", "d1": "W", "b5": "b", "g6": "b", "d6": "B"}


def new_reader(table):
    return BoardReader(table.grid, table.camera, table.markers, table.colours)


def well_named(table, name):
    return [table.grid.name(w) for w in range(table.grid.wells)].index(name)


def seen_at(table, x, y):
    """Where a sphere's middle at x, y is seen, and its radius: pixels."""
    (u, v), (edge, _) = table.pose().project(np.array([(x, y, 11.5), (x + 12.5, y, 11.5)]))
    return round(u), round(v), round(edge - u)


def faded(picture, kept):
    grey = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR).astype(float)
    return np.clip(grey + (picture - grey) * kept, 0, 255).astype(np.uint8)


def scaled(picture, share, added=0.0):
    return np.clip(picture * share + added, 0, 255).astype(np.uint8)


def coarse(picture):
    return cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 3])[1], cv2.IMREAD_COLOR)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda picture: faded(picture, 0.0), GREY),
        (lambda picture: faded(picture, 0.12), GREY),
        (lambda picture: scaled(picture, 0.5, 100), FLAT),
        (lambda picture: scaled(picture, 0.15, 110), FLAT),
        (lambda picture: scaled(picture, 0.12), DARK),
        (lambda picture: np.ascontiguousarray(picture[..., ::-1]), NO_WOOD),
        (coarse, COARSE),
    ],
)
def test_a_picture_that_lacks_light_colour_or_detail_is_not_certain_of_any_well(table, draw_board, spoil, why):
    reading = new_reader(table).read(spoil(draw_board(table, SPHERES, table.pose())), 0.0)
    assert not reading.confident
    assert reading.why == why
    assert reading.p[:, : Content.HIDDEN].max() < SURE


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.45])
def test_a_picture_that_lost_the_colour_the_empty_board_had_is_not_certain(table, draw_board, kept):
    reader = new_reader(table)
    reader.learn_empty(draw_board(table, {}, table.pose()))
    reading = reader.read(faded(draw_board(table, SPHERES, table.pose()), kept), 0.0)
    assert (reading.confident, reading.why) == (False, GREY)


def test_a_board_whose_colour_has_turned_since_it_was_learned_is_not_certain(table, draw_board):
    reader = new_reader(table)
    reader.learn_empty(draw_board(table, {}, table.pose()))
    turned = cv2.cvtColor(draw_board(table, SPHERES, table.pose()), cv2.COLOR_BGR2HSV)
    turned[..., 0] = (turned[..., 0].astype(int) + 14) % 180
    reading = reader.read(cv2.cvtColor(turned, cv2.COLOR_HSV2BGR), 0.0)
    assert (reading.confident, reading.why) == (False, OTHER_COLOURS)


@pytest.mark.parametrize("letter", ["w", "b", "W"])
def test_a_sphere_a_third_of_the_way_to_the_next_well_is_not_an_empty_well_for_certain(table, draw_board, letter):
    picture = draw_board(table, {**SPHERES, "d3": letter}, table.pose())
    u, v, radius = seen_at(table, *table.grid.centre_mm(well_named(table, "d3")))
    beside, _, _ = seen_at(table, table.grid.centre_mm(well_named(table, "d3"))[0] + 13, 0.0)
    bare = draw_board(table, SPHERES, table.pose())
    mask = cv2.circle(np.zeros(bare.shape[:2], np.uint8), (beside, v), radius, 1, -1)
    moved = np.where(mask[..., None] > 0, np.roll(picture, beside - u, axis=1), bare)
    reading = new_reader(table).read(moved, 0.0)
    assert reading.p[well_named(table, "d3"), Content.EMPTY] < SURE
    assert not reading.confident


@pytest.mark.parametrize("ink", [(25, 25, 25), (128, 128, 128), (235, 235, 235), (40, 40, 200)])
def test_a_flat_disc_is_no_sphere_for_certain(table, draw_board, ink):
    picture = draw_board(table, SPHERES, table.pose())
    u, v, radius = seen_at(table, *table.grid.centre_mm(well_named(table, "d3")))
    reading = new_reader(table).read(cv2.circle(picture, (u, v), radius, ink, -1, cv2.LINE_AA), 0.0)
    assert reading.p[well_named(table, "d3"), : Content.HIDDEN].max() < SURE
    assert not reading.confident


def test_wells_that_do_not_lie_where_the_settings_say_are_named(table, draw_board):
    spheres = {f"{file}{rank}": "wb"[rank % 2] for file in "bdf" for rank in (2, 3, 4, 5)} | {"g1": "W", "g6": "B"}
    picture = draw_board(table, spheres, table.pose())
    rows = round(table.pose().project(np.array([(0.0, 0.0, 0.0)]))[0, 1])
    torn = picture.copy()
    torn[rows - 60 : rows + 60] = np.roll(picture[rows - 60 : rows + 60], 18, axis=1)
    reading = new_reader(table).read(torn, 0.0)
    assert not reading.confident
    assert "the wells do not lie where the settings say" in reading.why


def test_a_ball_of_another_colour_is_named_and_drawn_in_red(table, draw_board):
    picture = draw_board(table, SPHERES, table.pose())
    u, v, radius = seen_at(table, *table.grid.centre_mm(well_named(table, "d3")))
    for share, ink in ((1.0, (60, 150, 40)), (0.7, (70, 180, 50)), (0.35, (90, 210, 70))):
        cv2.circle(picture, (u, v), round(radius * share), ink, -1, cv2.LINE_AA)
    reader = new_reader(table)
    reading = reader.read(picture, 0.0)
    assert not reading.confident
    assert reading.foreign == (well_named(table, "d3"),)
    assert "something else on d3, of no sphere's colour" in reading.why
    drawn = annotate(picture, reading, table.grid, reader.sight.pose)
    near = drawn[v - radius : v + radius, u - radius : u + radius].astype(int)
    assert ((near[..., 2] > 180) & (near[..., :2].max(axis=2) < 110)).sum() > radius


def test_a_turned_picture_without_the_board_says_so(table):
    reading = new_reader(table).read(np.full((640, 480, 3), 120, np.uint8), 0.0)
    assert "turned by 90 degrees" in reading.why
    assert "size_px says 640 x 480" in reading.why
