"""A sphere that is larger than the others, or not where it should be, or lit otherwise, does not rest in its well."""

import cv2
import numpy as np
import pytest

from vision.reading import Content
from vision.sampling import REACH, STEPS
from vision.spheres_alike import outlines, unlike_spheres

STEP = 1.2  # of brightness at the outline
KINDS = np.array([Content.BLACK] * 6 + [Content.WHITE] * 6 + [Content.EMPTY])


def patch(radius=1.0, aside=(0.0, 0.0), light=1, towards=0.8, noise=0.03, seed=0, mottled=0.0):
    """A sphere on board as a patch shows it, lit from direction `towards` (radians)."""
    x, y = np.meshgrid(np.linspace(-REACH, REACH, STEPS), np.linspace(-REACH, REACH, STEPS))
    distance = np.hypot(x - aside[0], y - aside[1])
    inside = np.clip((radius - distance) / 0.14 + 0.5, 0, 1)
    shading = 0.5 * (np.cos(towards) * (x - aside[0]) + np.sin(towards) * (y - aside[1])) / radius
    grain = np.random.default_rng(seed).normal(0, noise, x.shape)
    if mottled:
        shading = cv2.resize(np.random.default_rng(seed).normal(0, mottled, (7, 7)), x.shape)
    return (inside * (light * STEP + shading) + grain).ravel()


def table(**odd):
    """Six black spheres, of which the fourth may be `odd`, six white ones and a bare well."""
    blacks = [patch(**{"light": -1, "seed": k} | (odd if k == 3 else {})) for k in range(6)]
    whites = [patch(light=1, seed=10 + k) for k in range(6)]
    return np.array([*blacks, *whites, np.zeros(STEPS * STEPS)], np.float32)


@pytest.mark.parametrize("radius", [0.85, 1.0, 1.15])
@pytest.mark.parametrize("aside", [(0.0, 0.0), (0.1, -0.05)])
def test_an_outline_is_measured_as_a_circle(radius, aside):
    circles = outlines(np.array([patch(radius, aside)], np.float32))
    assert circles.radius[0] == pytest.approx(radius, abs=0.05)
    assert circles.middle[0] == pytest.approx(aside, abs=0.06)


def test_spheres_that_all_rest_in_their_wells_are_alike():
    assert not unlike_spheres(table(), KINDS).any()


@pytest.mark.parametrize(
    "odd",
    [
        {"radius": 1.25},
        {"radius": 1.15, "aside": (0.25, 0.1)},
        {"aside": (0.0, -0.4)},
        {"towards": 0.8 + np.pi},
        {"mottled": 0.4},
    ],
    ids=["larger", "larger and aside", "aside", "lit from elsewhere", "mottled"],
)
def test_one_that_is_unlike_the_others_is_found_and_no_other(odd):
    assert list(np.flatnonzero(unlike_spheres(table(**odd), KINDS))) == [3]


def test_a_diameter_set_wrong_makes_no_sphere_odd():
    all_large = np.array([patch(1.2, light=-1, seed=k) for k in range(6)], np.float32)
    assert not unlike_spheres(all_large, np.array([Content.BLACK] * 6)).any()


def test_few_spheres_tell_nothing():
    few = np.array([patch(light=-1), patch(1.3, light=-1)], np.float32)
    assert not unlike_spheres(few, np.array([Content.BLACK] * 2)).any()


@pytest.mark.parametrize(
    "patches",
    [
        np.zeros((14, STEPS * STEPS), np.float32),
        np.full((14, STEPS * STEPS), -6.0, np.float32),
        np.eye(14, STEPS * STEPS, k=220, dtype=np.float32),
        np.random.default_rng(1).normal(0, 3, (14, STEPS * STEPS)).astype(np.float32),
    ],
    ids=["even", "dark", "one bright sample", "noise"],
)
def test_patches_without_any_outline_can_be_looked_at(patches):
    with np.errstate(all="raise"):
        unlike_spheres(patches, np.array([Content.BLACK] * 7 + [Content.WHITE] * 7))
