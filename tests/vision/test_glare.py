"""Light that lies over a sphere like a veil must not change its colour for certain."""

import numpy as np
import pytest

from vision.reader import BoardReader
from vision.reading import Content


@pytest.mark.parametrize("levels", [40, 60, 80, 100])
def test_a_black_sphere_behind_a_veil_of_glare_is_never_a_white_one(table, draw_board, start_spheres, levels):
    pose = table.pose()
    reader = BoardReader(table.grid, table.camera, table.markers, table.colours)
    reader.learn_empty(draw_board(table, {}, pose))
    reader.learn_start(draw_board(table, start_spheres, pose), table.contents(start_spheres))
    picture = draw_board(table, start_spheres, pose)
    well = [table.grid.name(w) for w in range(table.grid.wells)].index("c6")
    ((u, v),) = pose.project(np.array([(*table.grid.centre_mm(well), 12.0)]))
    row, column = np.ogrid[: picture.shape[0], : picture.shape[1]]
    veil = levels / (1 + np.exp((np.hypot(row - v, column - u) / 55 - 1) * 14))
    veiled = np.clip(picture + veil[..., None], 0, 255).astype(np.uint8)
    reading = reader.read(veiled, 0.0)
    assert reading.p[well, Content.WHITE] < 0.5
