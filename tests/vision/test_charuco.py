"""Calibrating a camera from drawn views of the printed sheet."""

import cv2
import numpy as np
import pytest

from vision.charuco import (
    ADVICE,
    BadCalibration,
    CharucoSheet,
    Collection,
    Place,
    View,
    calibrate,
    places_of,
    see_sheet,
)

SHEET = CharucoSheet()
SIZE = (960, 720)
MATRIX = np.array([[1010.0, 0, 470.0], [0, 1005.0, 365.0], [0, 0, 1]])
DISTORTION = np.array([-0.09, 0.04, 0.0008, -0.0006, 0.0])
MIDDLE = np.array([SHEET.columns, SHEET.rows]) * SHEET.square_mm / 2
# where the sheet's middle is (x, y, distance; mm) and how it is turned (about x, y, z; degrees)
POSES = [
    (-90, 0, 480, 8, 0, 0),
    (90, 0, 480, -8, 0, 3),
    (0, -50, 470, 0, 6, -4),
    (0, 55, 470, 0, -6, 2),
    (0, 0, 430, 0, 32, 0),
    (0, 0, 430, 0, -32, 0),
    (0, 0, 430, 32, 0, 0),
    (0, 0, 430, -32, 0, 0),
    (-60, 40, 520, 20, 20, 25),
    (60, -40, 520, -20, 20, -25),
    (40, 30, 600, 15, -25, 90),
    (-50, -30, 560, -25, -20, 10),
]


def render(pose, matrix=MATRIX, distortion=DISTORTION, blur=0.7):
    """A picture of the sheet, through the lens."""
    x, y, away, *turn = pose
    rotation, _ = cv2.Rodrigues(np.deg2rad(np.array(turn, float)))
    printed = cv2.copyMakeBorder(SHEET.draw(4.0), 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=255)
    printed = cv2.GaussianBlur(printed, (0, 0), 1.0)
    columns, rows = np.meshgrid(np.arange(SIZE[0], dtype=np.float32), np.arange(SIZE[1], dtype=np.float32))
    pixels = np.stack([columns.ravel(), rows.ravel()], axis=1)[:, None]
    rays = cv2.undistortPoints(pixels, matrix, distortion).reshape(-1, 2)
    rays = np.column_stack([rays, np.ones(len(rays))]) @ rotation
    eye = -rotation.T @ np.array([x, y, away], float)
    flat = eye + rays * (-eye[2:] / rays[:, 2:])
    at = ((flat[:, :2] + MIDDLE) * 4.0 + 60 - 0.5).astype(np.float32).reshape(SIZE[1], SIZE[0], 2)
    seen = cv2.remap(printed, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=90)
    noisy = cv2.GaussianBlur(seen, (0, 0), blur) * 0.8 + 20 + np.random.default_rng(1).normal(0, 1.5, seen.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def pictures():
    return [render(pose) for pose in POSES]


@pytest.fixture(scope="module")
def views(pictures):
    seen = [see_sheet(picture, SHEET) for picture in pictures]
    assert all(isinstance(view, View) for view in seen), seen
    return seen


def test_drawn_views_give_back_the_camera(views):
    found = calibrate(views, SHEET)
    assert found.error_px < 0.3
    assert found.camera.size_px == SIZE
    assert np.allclose(np.array(found.camera.matrix), MATRIX, atol=12)
    assert found.camera.distortion[0] == pytest.approx(DISTORTION[0], abs=0.03)
    assert found.views == len(views)


def test_the_collection_takes_each_new_view_and_says_when_it_is_enough(pictures):
    collection = Collection(SHEET)
    said = [collection.offer(picture) for picture in pictures]
    assert collection.complete
    assert said[-1] == "that is enough"
    assert any("edge of the picture" in line for line in said)
    assert any("tilt the sheet" in line for line in said)


def test_the_first_advice_is_what_the_first_view_lacks(pictures):
    collection = Collection(SHEET)
    assert ADVICE[Place.RIGHT] in collection.offer(pictures[0])
    assert ADVICE[Place.RIGHT] not in collection.offer(pictures[1])


def test_the_same_view_is_not_taken_twice(pictures):
    collection = Collection(SHEET)
    collection.offer(pictures[4])
    assert "there already" in collection.offer(render((1, 0, 431, 0, 32, 0)))
    assert len(collection.views) == 1


@pytest.mark.parametrize(
    ("pose", "place"),
    [
        ((-90, 0, 480, 0, 0, 0), Place.LEFT),
        ((90, 0, 480, 0, 0, 0), Place.RIGHT),
        ((0, -60, 480, 0, 0, 0), Place.TOP),
        ((0, 60, 480, 0, 0, 0), Place.BOTTOM),
        ((0, 0, 430, 0, -30, 0), Place.TILT_LEFT),
        ((0, 0, 430, 0, 30, 0), Place.TILT_RIGHT),
        ((0, 0, 430, -30, 0, 0), Place.TILT_DOWN),
        ((0, 0, 430, 30, 0, 0), Place.TILT_UP),
    ],
)
def test_where_and_how_the_sheet_is_held_is_told_as_the_picture_shows_it(pose, place):
    view = see_sheet(render(pose), SHEET)
    assert isinstance(view, View)
    there = places_of(view, SHEET)
    assert place in there
    tilts = {Place.TILT_LEFT, Place.TILT_RIGHT, Place.TILT_UP, Place.TILT_DOWN}
    assert there & tilts == {place} & tilts


def test_pictures_without_the_sheet_and_blurred_ones_are_refused_with_what_to_do():
    collection = Collection(SHEET)
    assert "hold all of it" in collection.offer(np.full((720, 960), 90, np.uint8))
    assert "blurred" in collection.offer(render(POSES[4], blur=3.2))
    assert collection.views == []


def test_pictures_of_another_size_are_refused(pictures):
    collection = Collection(SHEET)
    collection.offer(pictures[0])
    assert "size" in collection.offer(np.ascontiguousarray(pictures[4][:700]))


def test_too_few_views_and_views_too_alike_are_refused(views):
    with pytest.raises(BadCalibration, match="at least 10"):
        calibrate(views[:9], SHEET)
    flat = [View(v.ids, v.pixels + k, v.size_px) for k, v in enumerate([views[0]] * 12)]
    with pytest.raises(BadCalibration, match="move the sheet to the right"):
        calibrate(flat, SHEET)


def test_views_that_do_not_fit_one_camera_are_refused(views):
    rng = np.random.default_rng(2)
    bent = [View(v.ids, v.pixels + rng.normal(0, 4, v.pixels.shape), v.size_px) for v in views]
    with pytest.raises(BadCalibration, match="flat and stiff"):
        calibrate(bent, SHEET)


def test_one_bad_view_is_left_out(views):
    rng = np.random.default_rng(3)
    bad = View(views[9].ids, views[9].pixels + rng.normal(0, 5, views[9].pixels.shape), SIZE)
    found = calibrate([*views[:9], bad, *views[10:]], SHEET)
    assert found.views == len(views) - 1
    assert found.error_px < 0.4


def test_a_sheet_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="3 x 3"):
        _ = CharucoSheet(columns=2).board
