"""Red given for blue: noticed from the board's tint and from the coloured spheres, and read the other way."""

import numpy as np
import pytest

from vision.appearance import SeenColour
from vision.exchange import board_exchanged, exchanged, spheres_exchanged
from vision.reader import BoardReader
from vision.reading import Content

WOOD, GREY = np.array([-1.2, 0.67, 0.03], np.float32), np.array([-1.0, 0.02, 0.0], np.float32)


def spheres(white, black):
    """Coloured spheres of these hues, degrees."""
    spread = np.full(3, 0.2, np.float32)

    def of(hue):
        return SeenColour(
            np.array([-1.5, 2 * np.cos(np.deg2rad(hue)), 2 * np.sin(np.deg2rad(hue))], np.float32), spread
        )

    return {Content.WHITE_COLOURED: of(white), Content.BLACK_COLOURED: of(black)}


def exchanged_spheres(seen):
    return {content: SeenColour(exchanged(colour.mean), colour.spread) for content, colour in seen.items()}


def test_exchanging_twice_changes_nothing():
    colours = np.random.default_rng(1).normal(size=(20, 3)).astype(np.float32)
    assert exchanged(exchanged(colours)) == pytest.approx(colours, abs=1e-4)


def test_a_board_of_wood_tells_but_a_grey_one_cannot():
    assert board_exchanged(exchanged(WOOD), WOOD)
    assert not board_exchanged(WOOD, WOOD)
    assert not board_exchanged(exchanged(GREY), GREY)


def test_spheres_whose_colours_are_named_tell():
    hues = {Content.WHITE_COLOURED: np.deg2rad(80.0), Content.BLACK_COLOURED: np.deg2rad(180.0)}
    right = spheres(84, 175)
    assert not spheres_exchanged(right, hues)
    assert spheres_exchanged(exchanged_spheres(right), hues)


def test_one_sphere_alone_does_not_tell():
    hues = {Content.WHITE_COLOURED: np.deg2rad(80.0)}
    assert not spheres_exchanged(exchanged_spheres(spheres(84, 175)), hues)


def test_a_picture_with_red_and_blue_exchanged_is_read_the_other_way(table, draw_board, start_spheres):
    reader = BoardReader(table.grid, table.camera, table.markers, table.colours)
    reader.learn_empty(draw_board(table, {}, table.pose()))
    start = draw_board(table, start_spheres, table.pose())
    reader.learn_start(start, table.contents(start_spheres))
    exchanged_picture = np.ascontiguousarray(start[..., ::-1])
    assert reader.read(exchanged_picture, 0.0).likeliest() == table.contents(start_spheres)
    assert reader.exchanged
    assert reader.read(start, 1.0).likeliest() == table.contents(start_spheres)
    assert not reader.exchanged


def test_names_that_do_not_fit_are_noticed_at_the_start_position(table, draw_board, start_spheres):
    reader = BoardReader(table.grid, table.camera, table.markers, table.colours)
    picture = np.ascontiguousarray(draw_board(table, start_spheres, table.pose())[..., ::-1])
    reader.learn_start(picture, table.contents(start_spheres))
    assert reader.names_exchanged
    reader.learn_start(np.ascontiguousarray(picture[..., ::-1]), table.contents(start_spheres))
    assert not reader.names_exchanged
