"""The live check of the light: each fault is named, with a remedy, and good light is left alone."""

import numpy as np
import pytest

from vision.frames import Frame
from vision.light_check import REMEDIES, FlickerCheck, LightFault, check_light


def lit(picture, light):
    """The picture with linear light times `light`, a number or one a pixel."""
    linear = (picture / 255.0) ** 2.2 * light
    return (np.clip(linear, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)


def faults(problems):
    return {problem.fault for problem in problems}


@pytest.fixture
def pose(table):
    return table.pose()


@pytest.fixture
def good(table, draw_board, start_spheres, pose):
    return draw_board(table, start_spheres, pose)


def spot(picture, pose, x, y, reach_mm, light):
    """The picture with something of that light around a place on the board."""
    at = pose.project(np.array([(x, y, 0.0), (x + reach_mm, y, 0.0)]))
    reach = np.hypot(*(at[1] - at[0]))
    v, u = np.mgrid[: picture.shape[0], : picture.shape[1]]
    near = np.exp(-((((u - at[0, 0]) ** 2 + (v - at[0, 1]) ** 2) / reach**2) ** 2))
    return lit(picture, (1 + near * (light - 1))[..., None])


def test_good_light_has_no_faults(table, good, pose):
    assert check_light(good, pose, table.grid) == ()


def test_a_dark_board_is_named(table, good, pose):
    assert faults(check_light(lit(good, 0.05), pose, table.grid)) == {LightFault.DARK}


def test_an_overexposed_board_is_named(table, good, pose):
    assert LightFault.CLIPPED in faults(check_light(lit(good, 4.0), pose, table.grid))


def test_a_patch_of_sun_is_called_glare_and_placed(table, good, pose):
    problems = check_light(spot(good, pose, 80, 0, 45, 5.0), pose, table.grid)
    glare = next(p for p in problems if p.fault is LightFault.GLARE)
    assert "on the right" in str(glare)


def test_a_shadow_is_named_and_placed(table, good, pose):
    (problem,) = check_light(spot(good, pose, 0, -90, 60, 0.12), pose, table.grid)
    assert problem.fault is LightFault.SHADOW
    assert "near White" in str(problem)


def test_a_lamp_close_to_one_side_is_called_uneven(table, good, pose):
    slope = np.exp(np.linspace(-2.2, 0.4, good.shape[1]))[None, :, None]
    problems = check_light(lit(good, slope), pose, table.grid)
    assert LightFault.UNEVEN in faults(problems)


def watched(table, pose, pictures, apart_s=0.1):
    check = FlickerCheck(table.grid)
    problems = ()
    for n, picture in enumerate(pictures):
        problems = check.feed(Frame(n * apart_s, picture), pose)
    return faults(problems)


def noisy(picture, n):
    rng = np.random.default_rng(n)
    return np.clip(picture + rng.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)


def test_steady_light_does_not_flicker(table, good, pose):
    assert watched(table, pose, [noisy(good, n) for n in range(12)]) == set()


def test_a_hand_that_comes_and_goes_is_no_flicker(table, good, pose, cover_board):
    hand = cover_board(good, pose, [(-4, -170), (66, -170), (66, 18), (-4, 18)], (110, 140, 190))
    assert watched(table, pose, [noisy(hand if n % 3 else good, n) for n in range(12)]) == set()


def test_light_that_changes_from_picture_to_picture_flickers(table, good, pose):
    assert watched(table, pose, [lit(good, 1 + 0.15 * np.sin(n * 2)) for n in range(12)]) == {LightFault.FLICKER}


def test_bands_that_wander_over_the_picture_are_named(table, good, pose):
    rows = np.arange(480)
    bands = [lit(good, (1 + 0.12 * np.sin(rows / 20 + n * 1.7))[:, None, None]) for n in range(12)]
    assert LightFault.BANDING in watched(table, pose, bands)


def test_pictures_far_apart_tell_nothing_of_flicker(table, good, pose):
    assert watched(table, pose, [lit(good, 1 + 0.2 * (n % 2)) for n in range(12)], apart_s=2.0) == set()


def test_too_few_pictures_tell_nothing(table, good, pose):
    assert watched(table, pose, [lit(good, 1 + 0.2 * (n % 2)) for n in range(5)]) == set()


def test_every_fault_has_a_remedy():
    assert set(REMEDIES) == set(LightFault)
