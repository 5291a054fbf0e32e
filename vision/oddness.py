"""Does a well look odd for what it is read as? Told from one picture, much of it without anything learned of the board.

A patch of glare has a white sphere's colour, and a white sphere in the shade a bare well's. But light that fell on the
board falls off around its middle, and whitens the board there too; a sphere ends at its outline, and the board behind
it keeps its colour. And a bare well has the tint of the board just around it, whatever light or shadow lies on both.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.appearance import ANYTHING, Scores, Shade
from vision.colour import Colours
from vision.sampling import DISC, RIM, STEPS, patch_radii

Odd = NDArray[np.bool_]

PARTS = 8  # of a well's surroundings, looked at one by one
RINGS = ((0.45, 0.65), (0.75, 0.95), (1.05, 1.22), (1.22, 1.42))  # two on a sphere, two behind it, in its radii
HARDEST_PARTS = 2  # in which the outline need not show

# How white spheres usually look, and how far they stray from it on the side where glare lies: brightness of the board
# nearer to them less that farther off (a sphere keeps light away from it), that of the board around against usual,
# how much sharper than any other step their outline is; natural logarithms
FALLING_OFF, FALLING_OFF_SPREAD = -0.05, 0.08
GLEAMING_SPREAD = 0.1
OUTLINE, OUTLINE_SPREAD = 0.2, 0.2
# ... and how far their warmth has gone from that of the board around to a white sphere's: all of the way
PALENESS_SPREAD = 0.2
WHITE_ODD = 7.0  # sum of squared deviations ...
SIGN_LIMIT = 6.5  # ... of which no sign alone gives so much
CLEAR_OUTLINE = 0.4  # ... and with one so sharp it is a sphere all the same
DARKER_THAN_BEHIND = -0.7  # outline of a black sphere in glare; that of a white one is hardly below -0.6
LEAST_WARMTH = 0.25  # by which board and sphere must differ for warmth to tell anything

# A bare well goes less of the way to a white sphere's warmth, or differs less from its surroundings (nats of contrast)
BARE_PALENESS, BARE_CONTRAST = 0.2, 2.5
BARE_CONTRAST_ALONE = 4.0  # where warmth tells nothing
LEAST_DARKNESS = 0.35  # of a black sphere inside its outline against the board behind, in the middling part of it
DARK_ENOUGH = 1.2  # by which a board must be brighter than black spheres for that

# A disc's spread of brightness is never less, natural logarithm, where it is darker than overexposed ones
LEAST_SHADING, OVEREXPOSED = 0.06, -0.06
MIDDLE_REACH = 0.7  # of a disc that is looked at for its shading, in sphere radii
# Step of brightness beyond a sphere's outline that shows something larger: at least, and as a share of that at it
LARGE_STEP, LARGE_SHARE = 0.5, 1.2
CLEARLY = 2.0  # nats by which a sample must look more like a sphere than like bare board
BESIDE_DISC, BESIDE_RIM = 0.17, 0.14  # shares of a disc and of its rim that do where a sphere lies beside a well


def odd_whites(brightness: Scores, paleness: Scores | None, gleaming: Scores) -> Odd:
    """Which wells (wells,) do not look like a white sphere does, if that is what they hold.

    `brightness` (wells, STEPS x STEPS) of the patches; `paleness` as `paleness_of`; `gleaming` (wells,): how much
    brighter than usual the board around is.
    """
    falling_off, outline = _white_signs(brightness)
    strays = (
        np.maximum(falling_off - FALLING_OFF, 0) / FALLING_OFF_SPREAD,
        np.maximum(gleaming, 0) / GLEAMING_SPREAD,
        np.minimum(outline - OUTLINE, 0) / OUTLINE_SPREAD,
        0 if paleness is None else np.minimum(paleness - 1, 0) / PALENESS_SPREAD,
    )
    oddness = sum(np.minimum(np.square(stray), SIGN_LIMIT) for stray in strays)
    return np.asarray((oddness > WHITE_ODD) & (outline < CLEAR_OUTLINE))


def glared_whites(brightness: Scores) -> Odd:
    """Which wells (wells,) are no white sphere but glare on a black one, whose outline is darker than the board behind.

    For a board that is known bare, which tells all else; `brightness` (wells, STEPS x STEPS) of the patches.
    """
    _, outline = _white_signs(brightness)
    return np.asarray(outline < DARKER_THAN_BEHIND)


def _white_signs(brightness: Scores) -> tuple[Scores, Scores]:
    """Of each well (wells,): how brightness falls off around it, and how sharp its outline is."""
    inner, edge, near, far = np.moveaxis((brightness @ _rings()).reshape(len(brightness), len(RINGS), PARTS), 1, 0)
    outline = np.sort(edge - near - np.maximum(inner - edge, near - far), axis=1)[:, HARDEST_PARTS]
    return np.asarray((near - far).mean(axis=1)), np.asarray(outline)


def odd_bare(paleness: Scores | None, contrast: Scores) -> Odd:
    """Which wells (wells,) do not look bare: `paleness` as `paleness_of`, `contrast` nats to their surroundings."""
    if paleness is None:
        return np.asarray(contrast > BARE_CONTRAST_ALONE)
    return np.asarray((paleness > BARE_PALENESS) & (contrast > BARE_CONTRAST))


def odd_blacks(brightness: Scores, expected: float) -> Odd:
    """Which wells (wells,) are not dark enough inside a sphere's outline for a black one.

    `expected`: how much brighter than a black sphere the board is.
    """
    if expected < DARK_ENOUGH:
        return np.zeros(len(brightness), np.bool_)
    rings = (brightness @ _rings()).reshape(len(brightness), len(RINGS), PARTS)
    return np.asarray(np.sort(rings[:, 1] - rings[:, 2], axis=1)[:, PARTS // 2] > -LEAST_DARKNESS)


def flat(brightness: Scores, absolute: Scores) -> Odd:
    """Which wells (wells,) hold something evener than a sphere ever is, where it is not overexposed: a coin, a button.

    `absolute` (wells, samples): the discs' brightness as the camera has it.
    """
    spread = brightness[:, patch_radii() < MIDDLE_REACH].std(axis=1)
    return np.asarray((spread < LEAST_SHADING) & (absolute.max(axis=1) < OVEREXPOSED))


def oversized(brightness: Scores) -> Odd:
    """Which wells (wells,) show no step at a sphere's outline, but a clear one beyond it: a sphere held up, a cup."""
    rings = (brightness @ _rings()).reshape(len(brightness), len(RINGS), PARTS)
    _, edge, near, far = np.sort(np.moveaxis(rings, 1, 0), axis=2)[..., PARTS // 2]
    return np.asarray(np.abs(far - near) > np.maximum(LARGE_STEP, LARGE_SHARE * np.abs(near - edge)))


def beside(sphere: Scores, plain: Scores) -> Odd:
    """Which wells (wells,), if bare, have a sphere lying beside their middle, partly over them.

    `sphere` and `plain` (wells, samples): log densities as the likeliest sphere, and as bare board by colour.
    """
    like = (sphere > plain + CLEARLY) & (sphere > ANYTHING + CLEARLY / 4)
    return np.asarray((like[:, DISC].mean(axis=1) > BESIDE_DISC) & (like[:, RIM].mean(axis=1) > BESIDE_RIM))


def paleness_of(apart: Colours, board: Colours, white: Colours, shade: Shade) -> Scores | None:
    """How far discs' warmth has gone from their surroundings' to a white sphere's: 0 on bare board, 1 on a sphere.

    `apart` (wells, 3): discs' colours less those around; `board` and `white` (3,): the colours of the bare board and of
    white spheres. None where the two are too much alike in warmth to tell.
    """
    between = float(board[1] - white[1])
    if abs(between) < LEAST_WARMTH:
        return None
    return np.asarray((shade.slope * np.minimum(apart[:, 0], 0) - apart[:, 1]) / between, np.float32)


@lru_cache(maxsize=1)
def _rings() -> Scores:
    """(STEPS x STEPS, rings x PARTS): a patch times this is its mean in each part of each ring."""
    steps = np.linspace(-1, 1, STEPS)
    across, up = np.meshgrid(steps, steps)
    part = ((np.arctan2(up, across).ravel() / (2 * np.pi) + 0.5) * PARTS).astype(np.intp) % PARTS
    radii = patch_radii()
    pieces = [(radii > low) & (radii < high) & (part == k) for low, high in RINGS for k in range(PARTS)]
    return np.asarray(np.stack([piece / piece.sum() for piece in pieces], axis=1), np.float32)
