"""How fast a mat of tiles is read, on one core."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.simulator.tiles_picture import draw_mat
from companion.simulator.tiles_scene import random_scene
from vision.tile_reader import TileReader


@pytest.fixture(autouse=True)
def _one_core():
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    yield
    cv2.setNumThreads(before)


@pytest.fixture(scope="module")
def scene():
    return random_scene(np.random.default_rng(41), 0.4)


@pytest.fixture(scope="module")
def picture(scene):
    return draw_mat(scene)


def reader_of(scene, side_told=True):
    grid = replace(scene.grid, tile_mm=scene.tile_mm if side_told else None)
    return TileReader(grid, scene.camera, scene.layout, ("red", "blue", "green", "yellow", "purple"))


@pytest.mark.parametrize("side_told", [True, False], ids=["tile_mm told", "tile_mm found out"])
def test_a_picture_read_from_nothing(benchmark, scene, picture, side_told):
    """As `read-tiles` reads: the mat is looked for in every picture. To be under 60 ms."""
    reading = benchmark(lambda: reader_of(scene, side_told).read(picture, 0.0))
    assert reading.board_found


def test_a_picture_read_with_the_mat_where_it_was(benchmark, scene, picture):
    reader = reader_of(scene)
    reader.read(picture, 0.0)
    assert benchmark(reader.read, picture, 1.0).board_found
