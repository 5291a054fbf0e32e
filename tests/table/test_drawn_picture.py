"""The newest picture with its reading drawn in, as the set-up page shows it."""

import cv2
import numpy as np
import pytest

from companion.simulator.table import SimulatedTable
from companion.table.drawn_picture import drawn_jpeg
from vision.frames import Frame
from vision.reader import BoardReader


@pytest.fixture(scope="module")
def seen():
    simulated = SimulatedTable(3)
    settings = simulated.settings
    reader = BoardReader(settings.grid, settings.camera, settings.markers, settings.colours)
    frame = Frame(2.0, simulated.picture())
    return frame, reader.read(frame.image, 2.0), reader.sight, settings.grid


def decoded(jpeg):
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).astype(int)


def test_the_reading_is_drawn_into_its_own_picture(seen):
    frame, reading, sight, grid = seen
    drawn = decoded(drawn_jpeg(frame, reading, sight, grid))
    assert drawn.shape == frame.image.shape
    assert (np.abs(drawn - frame.image).max(axis=2) > 60).mean() > 0.02


def test_a_reading_of_another_picture_is_not_drawn(seen):
    frame, reading, sight, grid = seen
    later = Frame(3.0, frame.image)
    assert drawn_jpeg(later, reading, sight, grid) == drawn_jpeg(later, None, None, grid)
    assert (np.abs(decoded(drawn_jpeg(later, reading, sight, grid)) - frame.image).max(axis=2) > 60).mean() < 0.01


def test_a_pose_of_pictures_of_another_size_is_not_used(seen):
    frame, reading, sight, grid = seen
    small = Frame(2.0, np.ascontiguousarray(frame.image[::2, ::2]))
    assert drawn_jpeg(small, reading, sight, grid) == drawn_jpeg(small, reading, None, grid)


def test_where_there_is_no_newer_picture_there_is_none_to_send(seen):
    frame, reading, sight, grid = seen
    assert drawn_jpeg(None, None, None, grid) is None
    assert drawn_jpeg(frame, reading, sight, grid, least_t=2.0) is None
    assert drawn_jpeg(frame, reading, sight, grid, least_t=1.9) is not None
