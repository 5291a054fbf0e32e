"""Without a calibration the lens is guessed from the markers, well enough to read the board."""

from dataclasses import replace

import numpy as np
import pytest

from vision.geometry import CameraModel
from vision.reader import BoardReader

SPHERES = {"a2": "w", "g2": "w", "b4": "W", "d3": "b", "g5": "b", "a6": "B", "e1": "w", "d6": "b"}
MOST_OFF_PX = 3.0
"""A sphere's radius is 16 pixels here."""


@pytest.mark.parametrize("focal_px", [500, 600, 900, 1200])  # of pictures 640 wide: 65 to 30 degrees across
@pytest.mark.parametrize("tilt_deg", [0, 12, 28])
def test_a_board_is_read_through_a_lens_that_nobody_measured(table, draw_board, start_spheres, focal_px, tilt_deg):
    camera = CameraModel((640, 480), ((focal_px, 0, 319.5), (0, focal_px, 239.5), (0, 0, 1)))
    table = replace(table, camera=camera)
    pose = table.pose(tilt_deg, 3.0, away_mm=620 * focal_px / 760)
    reader = BoardReader(table.grid, CameraModel(), table.markers, table.colours)
    reader.learn_empty(draw_board(table, {}, pose))
    reader.learn_start(draw_board(table, start_spheres, pose), table.contents(start_spheres))
    reading = reader.read(draw_board(table, SPHERES, pose), 0.0)
    assert reading.likeliest() == table.contents(SPHERES)
    assert reader.sight is not None
    tops = np.array([(*table.grid.centre_mm(well), table.grid.sphere_diameter_mm) for well in range(42)])
    assert np.linalg.norm(reader.sight.pose.project(tops) - pose.project(tops), axis=1).max() < 2 * MOST_OFF_PX
    middles = tops * [1, 1, 0.5]
    assert np.linalg.norm(reader.sight.pose.project(middles) - pose.project(middles), axis=1).max() < MOST_OFF_PX
