"""Whether it was the camera or the board that moved is told from what lies around the board."""

import cv2
import numpy as np
import pytest

from vision.moved import Mover, Surroundings


@pytest.fixture
def still(table, draw_board):
    return draw_board(table, {}, table.pose())


def on_tablecloth(picture, pose, table, shift=0):
    """The picture with a pattern around the board, moved sideways by so many pixels."""
    cloth = np.random.default_rng(4).normal(120, 40, (picture.shape[0] // 8 + 1, picture.shape[1] // 8 + 9))
    cloth = cv2.resize(np.clip(cloth, 0, 255).astype(np.uint8), None, fx=8, fy=8)[: picture.shape[0]]
    cloth = cloth[:, shift : shift + picture.shape[1]]
    half = np.array(table.grid.size_mm) / 2
    corners = np.array([(x * half[0], y * half[1], 0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(pose.project(corners)).astype(np.int32), 1)
    return np.where(mask[..., None] == 1, picture, cloth[..., None]).astype(np.uint8)


def test_the_board_moved_where_its_surroundings_stayed(table, draw_board, still):
    pose, elsewhere = table.pose(), table.pose(aim=(8, 5))
    surroundings = Surroundings(table.grid)
    surroundings.remember(on_tablecloth(still, pose, table), pose)
    moved = on_tablecloth(draw_board(table, {}, elsewhere), elsewhere, table)
    assert surroundings.mover(moved, elsewhere) is Mover.BOARD


def test_the_camera_moved_where_all_moved(table, draw_board, still):
    pose, elsewhere = table.pose(), table.pose(aim=(8, 5))
    surroundings = Surroundings(table.grid)
    surroundings.remember(on_tablecloth(still, pose, table), pose)
    moved = on_tablecloth(draw_board(table, {}, elsewhere), elsewhere, table, 12)
    assert surroundings.mover(moved, elsewhere) is Mover.CAMERA


def test_an_even_table_does_not_tell(table, still):
    surroundings = Surroundings(table.grid)
    assert surroundings.mover(still, table.pose()) is Mover.EITHER
