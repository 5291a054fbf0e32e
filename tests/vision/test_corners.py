"""Boards whose corners somebody pointed out, instead of markers."""

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import BadInput
from vision.board_pose import NoPose, Pose, pose_from_corners
from vision.geometry import CameraModel, Grid
from vision.landmarks import LandmarkTracker
from vision.pieces import PieceReader
from vision.pose_tracker import Footing, Sight
from vision.reader import BoardReader
from vision.reading import Content

SIZE = (640, 480)
MIDDLE = {"d1": "W", "c3": "w", "e4": "b", "d5": "B", "a1": "w", "g6": "b"}


def clicked(table, pose):
    """Where a6, g6, g1 and a1 are seen."""
    last = table.grid.wells - 1
    wells = (last - 6, last, 6, 0)
    return pose.project(np.array([(*table.grid.centre_mm(w), 0.0) for w in wells]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tilt=st.floats(0, 35), turn=st.floats(0, 360), away=st.floats(560, 900))
def test_four_corners_give_the_pose(table, tilt, turn, away):
    true = table.pose(tilt, turn, away)
    found = pose_from_corners(clicked(table, true), table.grid, table.camera, SIZE)
    assert isinstance(found, Pose)
    assert np.abs(found.camera_mm - true.camera_mm).max() < 1


def test_corners_clicked_a_little_wrong_still_hit_the_wells(table):
    true = table.pose(20)
    clicks = clicked(table, true) + np.array([(1.5, -1), (-1, 1.5), (1, 1), (-1.5, -1)])
    found = pose_from_corners(clicks, table.grid, table.camera, SIZE)
    assert isinstance(found, Pose)
    wells = np.array([(*table.grid.centre_mm(w), 11.0) for w in range(42)])
    assert np.abs(found.project(wells) - true.project(wells)).max() < 4


@pytest.mark.parametrize("order", [(1, 0, 3, 2), (0, 2, 1, 3), (0, 0, 1, 2)])
def test_corners_in_a_wrong_order_are_refused(table, order):
    found = pose_from_corners(clicked(table, table.pose(20))[list(order)], table.grid, table.camera, SIZE)
    assert isinstance(found, NoPose)
    assert found.why


def test_corners_of_a_board_of_another_shape_are_refused(table):
    found = pose_from_corners(clicked(table, table.pose(5)), Grid(files=19, ranks=19), table.camera, SIZE)
    assert isinstance(found, NoPose)
    assert "pixels off" in found.why


def test_a_board_without_markers_is_read_once_its_corners_are_known(table, draw_board, start_spheres):
    pose = table.pose()
    empty, picture = draw_board(table, {}, pose), draw_board(table, MIDDLE, pose)
    reader = BoardReader(table.grid, table.camera, None, table.colours)
    assert not reader.read(picture, 0.0).board_found
    reader.place_corners(empty, clicked(table, pose))
    reader.learn_empty(empty)
    reader.learn_start(draw_board(table, start_spheres, pose), table.contents(start_spheres))
    reading = reader.read(picture, 0.0)
    assert reading.likeliest() == table.contents(MIDDLE)


def test_a_pose_can_be_given_and_taken_back(table, draw_board):
    picture = draw_board(table, MIDDLE, table.pose())
    reader = BoardReader(table.grid, table.camera, None, table.colours)
    reader.place(table.pose())
    assert reader.read(picture, 0.0).board_found
    assert not reader.read(picture[:400], 0.0).board_found
    reader.place(None)
    assert not reader.read(picture, 0.0).board_found


def test_corners_that_cannot_be_are_refused(table, draw_board):
    picture = draw_board(table, {}, table.pose())
    reader = BoardReader(table.grid, table.camera, None, table.colours)
    with pytest.raises(BadInput, match="corners"):
        reader.place_corners(picture, np.zeros((4, 2)))


@pytest.fixture
def tracker(table, draw_board, start_spheres):
    pose = table.pose(away_mm=640)
    return LandmarkTracker(
        draw_board(table, start_spheres, pose)[..., 1], clicked(table, pose), table.grid, table.camera
    )


def test_while_nothing_moves_the_corners_hold_whatever_is_played(table, draw_board, tracker):
    sight = tracker.update(draw_board(table, MIDDLE, table.pose(away_mm=640))[..., 1])
    assert isinstance(sight, Sight)
    assert (sight.footing, sight.moved) == (Footing.GIVEN, False)


@pytest.mark.parametrize("aim", [(12, 4), (-9, 9)])
def test_a_shifted_board_is_noticed_and_followed(table, draw_board, tracker, aim):
    true = table.pose(away_mm=640, aim=aim)
    picture = draw_board(table, MIDDLE, true)[..., 1]
    sight = tracker.update(picture)
    assert isinstance(sight, Sight)
    assert (sight.footing, sight.moved) == (Footing.FOLLOWED, True)
    wells = np.array([(*table.grid.centre_mm(w), 0.0) for w in range(42)])
    assert np.abs(sight.pose.project(wells) - true.project(wells)).max() < 2.5
    after = tracker.update(picture)
    assert isinstance(after, Sight)
    assert not after.moved
    assert after.pose is sight.pose


def test_a_hand_over_a_corner_moves_nothing(table, draw_board, cover_board, tracker):
    pose = table.pose(away_mm=640)
    covered = cover_board(
        draw_board(table, MIDDLE, pose), pose, [(20, -180), (200, -180), (200, 30), (20, 30)], (90, 120, 180)
    )
    sight = tracker.update(covered[..., 1])
    assert isinstance(sight, Sight)
    assert not sight.moved
    assert sight.footing is Footing.GIVEN


def test_a_picture_of_something_else_is_held_and_certain_of_nothing(table, draw_board):
    pose = table.pose(away_mm=640)
    picture = draw_board(table, MIDDLE, pose)
    reader = BoardReader(table.grid, table.camera, None, table.colours)
    reader.place_corners(picture, clicked(table, pose))
    other = np.full_like(picture, 120)
    reading = reader.read(other, 0.0)
    assert reader.sight is not None
    assert reader.sight.footing is Footing.HELD
    assert not reading.confident


def stones(grid: Grid, pose: Pose, laid: dict[int, int], size=(900, 900), seed=4):
    """A board with lines and round flat stones, drawn from above."""
    rng = np.random.default_rng(seed)
    picture = np.full((size[1], size[0], 3), (120, 165, 200), np.float32)
    for k in range(grid.files):
        ends = [(*grid.centre_mm(k), 0.0), (*grid.centre_mm((grid.ranks - 1) * grid.files + k), 0.0)]
        a, b = np.rint(pose.project(np.array(ends))).astype(int).tolist()
        cv2.line(picture, a, b, (50, 70, 80), 1, cv2.LINE_AA)
    for k in range(grid.ranks):
        ends = [(*grid.centre_mm(k * grid.files), 0.0), (*grid.centre_mm(k * grid.files + grid.files - 1), 0.0)]
        a, b = np.rint(pose.project(np.array(ends))).astype(int).tolist()
        cv2.line(picture, a, b, (50, 70, 80), 1, cv2.LINE_AA)
    for well, level in laid.items():
        x, y = np.array(grid.centre_mm(well)) + rng.uniform(-2.5, 2.5, 2)
        ring = [(x + 10.6 * np.cos(t), y + 10.6 * np.sin(t), 4.5) for t in np.linspace(0, 2 * np.pi, 40)]
        cv2.fillPoly(picture, [np.rint(pose.project(np.array(ring))).astype(np.int32)], [level] * 3, cv2.LINE_AA)
        ring = [(x + 9.0 * np.cos(t), y + 9.0 * np.sin(t), 4.5) for t in np.linspace(0, 2 * np.pi, 40)]
        lit = [min(255, level + 25)] * 3
        cv2.fillPoly(picture, [np.rint(pose.project(np.array(ring))).astype(np.int32)], lit, cv2.LINE_AA)
    return np.clip(picture + rng.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("seed", range(6))
def test_a_board_that_was_moved_out_of_reach_is_never_followed_by_chance(table, draw_board, tracker, seed):
    pose = table.pose(away_mm=640, aim=(45 + 5 * seed, -40), turn_deg=4 * seed)
    for look in range(4):
        sight = tracker.update(draw_board(table, MIDDLE, pose, seed=3 + look)[..., 1])
        assert isinstance(sight, Sight)
        assert sight.footing is Footing.HELD


@pytest.mark.parametrize(("files", "ranks"), [(9, 9), (13, 13), (19, 19), (7, 10)])
def test_stones_are_read_on_a_board_of_any_size_though_they_touch(files, ranks):
    grid = Grid(files, ranks, 22.0, 21.2, rank_pitch_mm=23.0, piece_height_mm=9.0)
    away = max(files * 22, ranks * 23) * 1.6
    camera = CameraModel((900, 900), ((1200.0, 0, 449.5), (0, 1200.0, 449.5), (0, 0, 1)))
    move = np.array([[0.0], [0.0], [away]])
    pose = Pose(
        np.array([[np.pi - 0.15], [0.0], [0.0]]), move, np.array(camera.matrix), np.zeros(5), (900, 900), 0.0, ()
    )
    rng = np.random.default_rng(files)
    laid = {
        int(w): int(level)
        for w, level in zip(rng.permutation(grid.wells)[::2], rng.choice([20, 205], 999), strict=False)
    }
    reader = PieceReader(grid, camera)
    reader.place(pose)
    reading = reader.read(stones(grid, pose, laid), 0.0)
    expected = [Content.EMPTY] * grid.wells
    for well, level in laid.items():
        expected[well] = Content.BLACK if level < 100 else Content.WHITE
    assert reading.likeliest() == expected


def test_a_piece_reader_without_a_board_says_so():
    reader = PieceReader(Grid(19, 19), CameraModel())
    reading = reader.read(np.full((480, 640, 3), 90, np.uint8), 1.0)
    assert not reading.board_found
    assert reading.p.shape == (361, 6)
    assert reader.read("no picture", 0.0).why
