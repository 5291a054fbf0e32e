"""What the spheres of one picture have in common, and which do not share it: their outline's circle, their shading.

All rest in their wells under one light. A sphere that is held up is nearer to the camera, so it is larger, or it is not
quite over its well; and something flat is lit otherwise than the spheres around it. How spheres usually look comes from
the picture itself, so that neither a diameter set slightly wrong nor the side where the shadows lie makes one odd.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.appearance import Scores
from vision.bareness import TINY, fine, window_mean
from vision.medians import median
from vision.reading import Content
from vision.sampling import REACH, STEPS, patch_radii

Odd = NDArray[np.bool_]

LEAST_OTHERS = 3  # spheres, to tell what is usual among them
LIGHT = np.array([content in (Content.WHITE, Content.WHITE_COLOURED) for content in Content])

# Rays on which the outline is looked for, between these distances in sphere radii
RAYS, FROM, TO, RAY_STEP = 24, 0.6, 1.36, 0.05
FAINT, FULL_WEIGHT = 0.15, 1.0  # steps of brightness, natural logarithm: below is no outline; above counts no more
LEAST_RAYS = 8  # with an outline, for a circle
RIDGE = 1e-6  # with which a circle can be fitted to any rays
FIT_ROUNDS, FIT_SPREAD = 6, 0.06  # of the robust fit; sphere radii that an outline strays from a circle
# Plain outlines only; so much farther than usual a circle reaches on one side, or is so much larger, in sphere radii.
# On true spheres in rendered pictures with plain outlines at most 0.29 and 0.19, but for one table set wrong
PLAIN, FARTHER, LARGER = 0.5, 0.31, 0.2
# Shading: of what is nearer to the middle than this, where it is not overexposed; correlation with the others' below
# which it is another (true spheres have more than -0.26 unless the edge of a hard shadow crosses them)
SHADING_REACH, SHADING_WINDOW, LEAST_SHADING, LEAST_ALIKE = 0.75, 3, 0.1, -0.3
# ... or below which it is, where it is so much rougher than theirs: mottled metal. Logarithm of the mean square of what
# is fine, over a floor
ROUGH_ALIKE, ROUGHER, ROUGH_FLOOR = 0.25, 0.6, 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Circles:
    """Outlines as circles: `middle` (n, 2) and `radius` (n,) in sphere radii, `step` (n,) of brightness on the way."""

    middle: NDArray[np.floating]
    radius: NDArray[np.floating]
    step: NDArray[np.floating]


def unlike_spheres(brightness: Scores, contents: NDArray[np.intp]) -> Odd:
    """Which wells (wells,) hold what looks like a sphere, but unlike the other spheres of the picture.

    `brightness` (wells, STEPS x STEPS) of the patches; `contents` (wells,): the likeliest of each, as `Content`.
    """
    odd = np.zeros(len(contents), np.bool_)
    wells = np.flatnonzero((contents != Content.EMPTY) & (contents != Content.HIDDEN))
    if len(wells) <= LEAST_OTHERS:
        return odd
    patches, kinds = brightness[wells], contents[wells]
    odd[wells] = _held_up(outlines(patches), LIGHT[kinds]) | _lit_otherwise(patches, kinds)
    return odd


def outlines(brightness: Scores) -> Circles:
    """The circle of the sharpest step of brightness around the middle of each patch (n, STEPS x STEPS)."""
    along = (brightness @ _rays()).reshape(len(brightness), RAYS, -1)
    steps = np.abs(along[..., 2:] - along[..., :-2])
    sharpest = steps.argmax(axis=2)
    step = np.take_along_axis(steps, sharpest[..., None], axis=2)[..., 0]
    distance = (FROM + RAY_STEP * (sharpest + 1)).astype(np.float32)
    clear = np.where(step > FAINT, np.minimum(step, FULL_WEIGHT), 0)
    terms, products = _terms()
    fit = np.zeros((len(brightness), 3))
    fit[:, 0] = (clear * distance).sum(axis=1) / np.maximum(clear.sum(axis=1), TINY)
    for _ in range(FIT_ROUNDS):
        weight = clear / (1 + ((distance - fit @ terms.T) / FIT_SPREAD) ** 2)
        normal = (weight @ products).reshape(-1, 3, 3) + RIDGE * np.eye(3)
        fit = np.linalg.solve(normal, ((weight * distance) @ terms)[..., None])[..., 0]
    seen = (step > FAINT).sum(axis=1) >= LEAST_RAYS
    return Circles(fit[:, 1:], np.where(seen, fit[:, 0], np.nan), step.mean(axis=1))


def _held_up(circles: Circles, light: Odd) -> Odd:
    """Which outlines reach farther than those of the other spheres, light ones compared with `light` (n,) ones."""
    odd = np.zeros(len(light), np.bool_)
    found = np.flatnonzero(~np.isnan(circles.radius))
    shapes = np.column_stack([circles.radius, circles.middle])
    for shade in (False, True):
        group = found[light[found] == shade]
        few = len(group) <= LEAST_OTHERS
        wells = found if few else group
        if len(wells) <= LEAST_OTHERS or not len(group):
            continue
        more = shapes[wells] - _usual(shapes[wells])
        reach = more[:, 0] + np.hypot(more[:, 1], more[:, 2])
        far = (circles.step[wells] > PLAIN) & ((more[:, 0] > LARGER) | (reach > FARTHER))
        odd[wells[far & (light[wells] == shade)]] = True
    return odd


def _lit_otherwise(brightness: Scores, kinds: NDArray[np.intp]) -> Odd:
    """Which plain spheres are bright and dark in other places than the others of their `kinds` (n,)."""
    odd = np.zeros(len(kinds), np.bool_)
    middle = patch_radii() < SHADING_REACH
    shading = window_mean(brightness, SHADING_WINDOW)[:, middle]
    shading = shading - shading.mean(axis=1, keepdims=True)
    power = (shading**2).sum(axis=1)
    rough = np.log((fine(brightness)[:, middle] ** 2).mean(axis=1) + ROUGH_FLOOR)
    shaded = power > LEAST_SHADING**2 * shading.shape[1]
    for content in (Content.WHITE, Content.BLACK):
        wells = np.flatnonzero(kinds == content)
        if len(wells) <= LEAST_OTHERS:
            continue
        usual = _usual(shading[wells])
        both = power[wells] * (usual**2).sum(axis=1)
        alike = (shading[wells] * usual).sum(axis=1) / np.sqrt(both + TINY)
        rougher = rough[wells] - _usual(rough[wells, None])[:, 0]
        odd[wells] = (alike < LEAST_ALIKE) | ((alike < ROUGH_ALIKE) & (rougher > ROUGHER))
    return np.asarray(odd & shaded)


def _usual(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """For each of `values` (n, k) the median of all the others."""
    count = len(values)
    others = np.arange(count - 1)[None] + (np.arange(count - 1)[None] >= np.arange(count)[:, None])
    return median(values[others], axis=1)


def _angles() -> NDArray[np.float64]:
    return np.asarray(np.arange(RAYS) * 2 * np.pi / RAYS)


@lru_cache(maxsize=1)
def _terms() -> tuple[Scores, Scores]:
    """(rays, 3): the terms of a circle's distance along each ray; (rays, 9): their products."""
    angles = _angles()
    terms = np.stack([np.ones(RAYS), np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    return terms, (terms[:, :, None] * terms[:, None]).reshape(RAYS, 9)


@lru_cache(maxsize=1)
def _rays() -> Scores:
    """(STEPS x STEPS, rays x distances): a patch times this is its brightness along the rays, between samples."""
    distances = np.arange(FROM, TO, RAY_STEP)
    x, y = (np.outer(turn(_angles()), distances).ravel() for turn in (np.cos, np.sin))
    columns, rows = ((axis + REACH) / (2 * REACH) * (STEPS - 1) for axis in (x, y))
    near = [
        np.maximum(0, 1 - np.abs(places[None] - np.arange(STEPS)[:, None])) for places in (rows, columns)
    ]  # how much each row and column has to say to each place
    return np.asarray((near[0][:, None] * near[1][None]).reshape(STEPS * STEPS, -1), np.float32)
