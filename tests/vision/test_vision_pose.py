"""Finding the board: from its markers to a pose, or a reason why not."""

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import BadInput
from vision.board_pose import NoPose, Pose, find_pose
from vision.geometry import CameraModel, MarkerLayout
from vision.markers import dictionary_named, find_markers, likeness, marker_cells
from vision.pose_tracker import Footing, PoseTracker, Sight

ALL = (0, 1, 2, 3)
CORNER = 40.0  # mm: enough to cover a marker


def grey(picture):
    return picture[..., 1]


def hide_marker(cover_board, picture, pose, table, marker):
    x, y = table.markers.centres_mm[marker]
    square = [(x - CORNER, y - CORNER), (x + CORNER, y - CORNER), (x + CORNER, y + CORNER), (x - CORNER, y + CORNER)]
    return cover_board(picture, pose, square, (60, 60, 60))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tilt=st.floats(0, 30), turn=st.floats(0, 360), away=st.floats(720, 820))
def test_the_board_is_found_where_it_lies_however_the_camera_is_tilted_and_turned(table, draw_board, tilt, turn, away):
    true = table.pose(tilt, turn, away)
    found = find_pose(grey(draw_board(table, {}, true)), table.markers, table.camera)
    assert isinstance(found, Pose), found
    wells = np.array([(*table.grid.centre_mm(w), 11.0) for w in range(table.grid.wells)])
    assert np.abs(found.project(wells) - true.project(wells)).max() < 1.5


@pytest.mark.parametrize("missing", ALL)
def test_three_of_four_markers_suffice(table, draw_board, cover_board, missing):
    true = table.pose()
    picture = hide_marker(cover_board, draw_board(table, {}, true), true, table, missing)
    found = find_pose(grey(picture), table.markers, table.camera)
    assert isinstance(found, Pose)
    assert found.markers == tuple(i for i in ALL if i != missing)
    assert np.abs(found.camera_mm - true.camera_mm).max() < 12


def test_two_markers_do_not_suffice_and_are_named(table, draw_board, cover_board):
    pose = table.pose()
    picture = draw_board(table, {}, pose)
    for marker in (1, 2):
        picture = hide_marker(cover_board, picture, pose, table, marker)
    found = find_pose(grey(picture), table.markers, table.camera)
    assert isinstance(found, NoPose)
    assert "only number 0 and 3" in found.why


def test_a_picture_without_a_board_says_so(table):
    found = find_pose(np.full((480, 640), 90, np.uint8), table.markers, table.camera)
    assert isinstance(found, NoPose)
    assert "too few markers in sight: none" in found.why


def test_a_mirrored_picture_is_refused(table, draw_board):
    mirrored = np.ascontiguousarray(grey(draw_board(table, {}, table.pose()))[:, ::-1])
    assert isinstance(find_pose(mirrored, table.markers, table.camera), NoPose)


def test_markers_that_lie_elsewhere_than_the_settings_say_are_refused(table, draw_board):
    centres = dict(table.markers.centres_mm)
    centres[0], centres[1] = centres[1], centres[0]
    found = find_pose(grey(draw_board(table, {}, table.pose())), MarkerLayout(centres), table.camera)
    assert isinstance(found, NoPose)


def test_a_second_marker_of_the_same_id_and_foreign_ones_are_left_out(table, draw_board):
    true = table.pose()
    picture = draw_board(table, {}, true)
    dictionary = dictionary_named("DICT_4X4_50")
    for marker, at in ((0, (10, 10)), (7, (560, 12)), (2, (12, 420))):
        picture[at[1] - 6 : at[1] + 46, at[0] - 6 : at[0] + 46] = 230
        picture[at[1] : at[1] + 40, at[0] : at[0] + 40] = cv2.aruco.generateImageMarker(dictionary, marker, 40)[
            ..., None
        ]
    found = find_pose(grey(picture), table.markers, table.camera)
    assert isinstance(found, Pose)
    assert found.markers == ALL
    assert np.abs(found.camera_mm - true.camera_mm).max() < 8


def test_without_a_camera_matrix_one_is_guessed_well_enough_to_hit_the_spheres(table, draw_board):
    true = table.pose(25.0)
    found = find_pose(grey(draw_board(table, {}, true)), table.markers, CameraModel())
    assert isinstance(found, Pose)
    spheres = np.array([(*table.grid.centre_mm(w), 11.0) for w in range(table.grid.wells)])
    assert np.abs(found.project(spheres) - true.project(spheres)).max() < 3


def test_a_matrix_of_another_picture_size_is_scaled(table, draw_board):
    true = table.pose()
    half = cv2.resize(draw_board(table, {}, true), (320, 240), interpolation=cv2.INTER_AREA)
    found = find_pose(grey(half), table.markers, table.camera)
    assert isinstance(found, Pose)
    assert np.abs(found.camera_mm - true.camera_mm).max() < 15


def test_board_points_and_pixels_map_back_and_forth(table):
    pose = table.pose(20, 40)
    places = np.array([(-100.0, 80.0, 0.0), (3.0, -40.0, 0.0)])
    assert np.allclose(pose.to_board(pose.project(places)), places, atol=1e-6)


def test_a_blurred_marker_is_still_found(table, draw_board):
    blurred = cv2.GaussianBlur(draw_board(table, {}, table.pose()), (0, 0), 2.0)
    assert set(find_markers(grey(blurred), table.markers)) == set(ALL)


def test_a_marker_resembles_itself_and_no_other():
    for one in range(4):
        values = marker_cells("DICT_4X4_50", one).ravel() * 180.0 + 20
        alike = [likeness(values, marker_cells("DICT_4X4_50", other)) for other in range(4)]
        assert alike[one] == pytest.approx(1)
        assert sorted(alike)[-2] < 0.72


def test_an_unknown_dictionary_is_named():
    with pytest.raises(BadInput, match="DICT_9X9"):
        dictionary_named("DICT_9X9")


def test_while_nothing_moves_the_very_same_pose_is_kept(table, draw_board):
    pose = table.pose()
    tracker = PoseTracker(table.markers, table.camera)
    first = tracker.update(grey(draw_board(table, {}, pose, 3)))
    second = tracker.update(grey(draw_board(table, {"c3": "w"}, pose, 3)))
    assert isinstance(first, Sight)
    assert isinstance(second, Sight)
    assert second.footing is Footing.KEPT
    assert second.pose is first.pose


def test_the_last_pose_is_held_while_every_marker_is_covered(table, draw_board, cover_board):
    pose = table.pose()
    picture = draw_board(table, {}, pose)
    tracker = PoseTracker(table.markers, table.camera)
    first = tracker.update(grey(picture))
    for marker in ALL:
        picture = hide_marker(cover_board, picture, pose, table, marker)
    held = tracker.update(grey(picture))
    assert isinstance(first, Sight)
    assert isinstance(held, Sight)
    assert held.footing is Footing.HELD
    assert held.pose is first.pose


def test_one_marker_in_sight_confirms_the_pose(table, draw_board, cover_board):
    pose = table.pose()
    picture = draw_board(table, {}, pose)
    tracker = PoseTracker(table.markers, table.camera)
    tracker.update(grey(picture))
    for marker in (0, 1, 2):
        picture = hide_marker(cover_board, picture, pose, table, marker)
    sight = tracker.update(grey(picture))
    assert isinstance(sight, Sight)
    assert (sight.footing, sight.markers, sight.moved) == (Footing.KEPT, (3,), False)


def test_a_rocking_board_is_followed_and_not_called_moved(table, draw_board):
    tracker = PoseTracker(table.markers, table.camera)
    tracker.update(grey(draw_board(table, {}, table.pose(12))))
    sight = tracker.update(grey(draw_board(table, {}, table.pose(13))))
    assert isinstance(sight, Sight)
    assert sight.footing in (Footing.FOLLOWED, Footing.FOUND)
    assert not sight.moved
    assert np.abs(sight.pose.camera_mm - table.pose(13).camera_mm).max() < 8


def test_a_board_that_was_shifted_is_found_again_and_called_moved(table, draw_board):
    tracker = PoseTracker(table.markers, table.camera)
    tracker.update(grey(draw_board(table, {}, table.pose())))
    sight = tracker.update(grey(draw_board(table, {}, table.pose(aim=(20, 5)))))
    assert isinstance(sight, Sight)
    assert sight.moved
    after = tracker.update(grey(draw_board(table, {}, table.pose(aim=(20, 5)))))
    assert isinstance(after, Sight)
    assert not after.moved


def test_a_board_never_seen_is_not_held(table):
    tracker = PoseTracker(table.markers, table.camera)
    assert isinstance(tracker.update(np.full((480, 640), 90, np.uint8)), NoPose)


def test_a_forgotten_pose_is_searched_for_anew(table, draw_board):
    picture = grey(draw_board(table, {}, table.pose()))
    tracker = PoseTracker(table.markers, table.camera)
    tracker.update(picture)
    tracker.forget()
    sight = tracker.update(picture)
    assert isinstance(sight, Sight)
    assert sight.footing is Footing.FOUND
