"""What is read from one picture alone is not certain where light or shadow makes a well look like something else."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.evidence import SURE
from vision.reader import BoardReader
from vision.reading import Content

SPHERES = {"a1": "w", "c2": "w", "f3": "w", "d1": "W", "b5": "b", "g6": "b", "d6": "B"}


def read_alone(table, picture: NDArray[np.uint8]):
    return BoardReader(table.grid, table.camera, table.markers, table.colours).read(picture, 0.0)


def away(table, picture, name: str, aside: tuple[float, float] = (0.0, 0.0)) -> NDArray[np.float64]:
    """How far each pixel is from the middle of a sphere in that well, in its radii."""
    pose = table.pose()
    x, y = table.grid.centre_mm([table.grid.name(w) for w in range(table.grid.wells)].index(name))
    (u, v), (edge, _) = pose.project(np.array([(x, y, 12.0), (x + table.grid.sphere_diameter_mm / 2, y, 12.0)]))
    row, column = np.ogrid[: picture.shape[0], : picture.shape[1]]
    return np.hypot(column - u - aside[0] * (edge - u), row - v - aside[1] * (edge - u)) / (edge - u)


def lit(picture, added: NDArray[np.float64], left: NDArray[np.float64] | float = 1.0) -> NDArray[np.uint8]:
    """The picture with light added, after only a share of its own is left, both of full scale and linear."""
    linear = (picture / 255.0) ** 2.2 * np.asarray(left)[..., None] + added[..., None]
    return (np.clip(linear, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)


@pytest.mark.parametrize("aside", [(0.0, 0.0), (0.3, -0.2), (-0.4, 0.3)])
@pytest.mark.parametrize("sharpness", [3, 4])
@pytest.mark.parametrize("reach", [0.9, 1.0, 1.3, 1.7])
def test_a_glare_on_an_empty_well_is_never_a_white_sphere_for_certain(table, draw_board, aside, sharpness, reach):
    picture = draw_board(table, SPHERES, table.pose())
    for strength in (0.3, 0.6, 0.8):
        glare = strength * np.exp(-((away(table, picture, "d4", aside) / reach) ** sharpness))
        reading = read_alone(table, lit(picture, glare))
        well = [table.grid.name(w) for w in range(table.grid.wells)].index("d4")
        assert reading.p[well, Content.WHITE] < SURE
        assert not reading.confident or reading.likeliest()[well] in (Content.EMPTY, Content.HIDDEN)


@pytest.mark.parametrize("left", [0.1, 0.15, 0.2, 0.25, 0.3, 0.4])
@pytest.mark.parametrize("reach", [1.5, 2.5, 4.0])
def test_a_white_sphere_in_a_shadow_is_never_an_empty_well_for_certain(table, draw_board, left, reach):
    picture = draw_board(table, SPHERES, table.pose())
    inside = 1 / (1 + np.exp((away(table, picture, "f3") - reach) * 12))
    reading = read_alone(table, lit(picture, np.zeros(picture.shape[:2]), 1 - (1 - left) * inside))
    well = [table.grid.name(w) for w in range(table.grid.wells)].index("f3")
    assert reading.p[well, Content.EMPTY] < SURE
    assert not reading.confident or reading.likeliest()[well] in (Content.WHITE, Content.HIDDEN)


def test_a_clear_picture_alone_is_read_with_certainty(table, draw_board):
    reading = read_alone(table, draw_board(table, SPHERES, table.pose()))
    assert reading.likeliest() == table.contents(SPHERES)
    assert reading.confident
