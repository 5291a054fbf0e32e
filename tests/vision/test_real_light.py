"""Printed markers in real photographs: all of them are found, and none that is not there."""

import re
from pathlib import Path

import numpy as np
import pytest

from vision.board_pose import NoPose, find_pose
from vision.geometry import CameraModel, MarkerLayout
from vision.markers import find_markers, find_small_markers
from vision.recorded_frames import read_picture

CUBES = MarkerLayout({0: (0, 0)}, dictionary="DICT_APRILTAG_36h11")  # every cube in the pictures carries id 0
OTHERS = MarkerLayout(dict.fromkeys((1, 2, 7, 100, 300, 586), (0, 0)), dictionary="DICT_APRILTAG_36h11")
FOUR = MarkerLayout(dict.fromkeys(range(4), (0, 0)))
SHEETS = {  # rough middles of the four markers, px, as a person sees them
    "board-v2": {0: (321, 372), 1: (1051, 377), 2: (1312, 915), 3: (201, 957)},
    "full-board-v2": {0: (432, 415), 1: (1092, 421), 2: (1267, 934), 3: (309, 937)},
    "full-board": {0: (305, 134), 1: (1233, 122), 2: (1460, 1005), 3: (119, 1027)},
}
CUBE_PICTURES = ("33369213973_9d9bb4cc96_c", "34085369442_304b6bafd9_c", "34139872896_defdb2f8d9_c")
CLOSE_PX, CLOSE_BLURRED_PX = 3.5, 7.0  # corners of rounded, partly shaded cubes, up to 50 px wide
MOST_BLURRED = 2  # of all markers


def green(folder: Path, name: str) -> np.ndarray:
    return read_picture(folder / f"{name}.jpg")[..., 1]


def true_corners(folder: Path, name: str) -> list[np.ndarray]:
    lines = (folder / f"{name}.txt").read_text().splitlines()
    return [np.array([p.split() for p in re.findall(r"\(([^)]*)\)", line)], float) for line in lines if line.strip()]


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Of the corners that are farthest apart, whichever corner is named first, px."""
    ways = [np.roll(way, k, axis=0) for way in (one, one[::-1]) for k in range(4)]
    return min(float(np.linalg.norm(way - other, axis=1).max()) for way in ways)


def test_every_small_marker_with_known_corners_is_found(shared):
    folder, blurred, markers = shared / "data/real_light", 0, 0
    for name in CUBE_PICTURES:
        found = find_small_markers(green(folder, name), CUBES)
        assert set(found) == {0}
        for true in true_corners(folder, name):
            nearest = min(distance(corners, true) for corners in found[0])
            assert nearest < CLOSE_BLURRED_PX, (name, true)
            blurred += nearest > CLOSE_PX
            markers += 1
    assert markers == 47
    assert blurred <= MOST_BLURRED


@pytest.mark.parametrize("name", CUBE_PICTURES)
def test_each_small_marker_is_found_once_and_no_other_id_is(shared, name):
    picture = green(shared / "data/real_light", name)
    middles = np.array([corners.mean(axis=0) for corners in find_small_markers(picture, CUBES)[0]])
    apart = np.linalg.norm(middles[:, None] - middles, axis=2) + 99 * np.eye(len(middles))
    assert apart.min() > 4
    assert find_small_markers(picture, OTHERS) == {}


@pytest.mark.parametrize("name", SHEETS)
def test_the_four_markers_of_a_printed_board_are_found_and_nothing_else(shared, name):
    for found in (
        find_markers(green(shared / "data/real_light", name), FOUR),
        find_small_markers(green(shared / "data/real_light", name), FOUR),
    ):
        assert {i: len(seen) for i, seen in found.items()} == {0: 1, 1: 1, 2: 1, 3: 1}
        for marker, middle in SHEETS[name].items():
            assert np.linalg.norm(found[marker][0].mean(axis=0) - middle) < 5


@pytest.mark.parametrize("name", CUBE_PICTURES)
def test_no_board_is_seen_among_markers_of_another_kind(shared, name):
    layout = MarkerLayout({0: (-134, -114), 1: (134, -114), 2: (134, 114), 3: (-134, 114)})
    assert isinstance(find_pose(green(shared / "data/real_light", name), layout, CameraModel(), closely=True), NoPose)
