"""Calibrating a camera from drawn views of the printed sheet."""

import numpy as np
import pytest

from tests.vision.charuco_views import DISTORTION, MATRIX, POSES, SHEET, SIZE, render
from vision.charuco import (
    ADVICE,
    BadCalibration,
    Collection,
    Place,
    View,
    calibrate,
    places_of,
    see_sheet,
)
from vision.charuco_sheet import CharucoSheet


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
