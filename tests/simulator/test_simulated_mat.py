"""The simulated mat shows what its scene says, where the scene says."""

from dataclasses import replace

import numpy as np
import pytest

from companion.simulator.tiles_picture import covered_share, draw_mat, truth_of
from companion.simulator.tiles_scene import HandOnMat, MatScene, TileOnMat, random_scene
from vision.board_pose import Pose, find_pose


def test_the_same_scene_gives_the_same_picture():
    scene = random_scene(np.random.default_rng(3))
    assert np.array_equal(draw_mat(scene), draw_mat(scene))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_markers_are_found_where_the_scene_puts_the_camera(seed):
    scene = random_scene(np.random.default_rng(seed), 0.5)
    pose = find_pose(draw_mat(scene)[..., 1], scene.layout, scene.camera)
    assert isinstance(pose, Pose)
    places = np.array([(*scene.grid.centre_mm(k), 0.0) for k in range(scene.grid.cells)])
    assert np.abs(pose.project(places) - scene.pose.project(places)).max() < 2


def test_a_tile_shows_where_it_lies_and_nowhere_else():
    bare = MatScene(noise=0.0)
    laid = bare.with_tiles(TileOnMat(24, "red", 1))
    changed = np.abs(draw_mat(laid).astype(int) - draw_mat(bare)).max(axis=2) > 12
    ys, xs = np.nonzero(changed)
    middle = bare.pose.project(np.array([(*bare.grid.centre_mm(24), 2.0)]))[0]
    assert np.hypot(xs.mean() - middle[0], ys.mean() - middle[1]) < 8
    assert np.hypot(xs - middle[0], ys - middle[1]).max() < 75


def test_a_tile_turned_over_is_no_truth_to_be_read():
    scene = MatScene(tiles=(TileOnMat(0, "red", 1), TileOnMat(1, "blue", 2, face_down=True)))
    assert truth_of(scene) == {"a1": ("red", 1)}


def test_a_hand_covers_cells_only_where_it_is():
    scene = MatScene(hands=(HandOnMat((0.0, 0.0)),))
    shares = covered_share(scene)
    assert shares["d2"] > 0.9
    assert shares["a7"] == 0.0
    assert max(covered_share(replace(scene, hands=())).values()) == 0.0
