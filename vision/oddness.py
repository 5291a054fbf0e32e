"""Does a well look odd for what it is read as? Told from one picture, much of it without anything learned of the board.

A patch of glare has a white sphere's colour, and a white sphere in the shade a bare well's. But light that fell on the
board falls off around its middle, and whitens the board there too; a sphere ends at its outline, and the board behind
it keeps its colour. And a bare well has the tint of the board just around it, whatever light or shadow lies on both.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.appearance import ANYTHING, Scores, Shade
from vision.bareness import outline_step
from vision.colour import Colours
from vision.medians import median
from vision.sampling import COLOURED_SAMPLES, DISC, RIM, STEPS, patch_radii

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
# Step of brightness all around a sphere's outline that no shadow leaves on a bare well: two pictures in one
GHOST_STEP = 0.34
LEAST_DARKNESS = 0.35  # of a black sphere inside its outline against the board behind, in the middling part of it ...
LEAST_DARKNESS_ANYWHERE = 0.1  # ... and in all of its parts but the hardest: a shadow's edge crosses it
# Of a disc against the darkest part of the board around: more brightness than a black sphere has, less of it than shade
# has; warmth and tint of the same shade, and all three where it can be nothing else
BRIGHTER_THAN_SHADE, DARKER_THAN_SHADE, SHADE_TINT = 0.3, 0.5, (0.15, 0.05)
SAME_LIGHT, SAME_TINT = 0.25, (0.1, 0.03)
DARKEST_SHARE = 0.25  # of the rim
DARK_ENOUGH = 1.2  # by which a board must be brighter than black spheres for that

# A disc's spread of brightness is never less, natural logarithm, where it is darker than overexposed ones; a polished
# black sphere mirrors what is around it and has more, and more than that share of what is usual among them
LEAST_SHADING, OVEREXPOSED = 0.06, -0.06
LEAST_MIRRORED, MIRRORED_SHARE, LEAST_BLACKS = 0.19, 0.5, 3
MIDDLE_REACH = 0.7  # of a disc that is looked at for its shading, in sphere radii
# Step of brightness beyond a sphere's outline that shows something larger: at least, and as a share of that at it
LARGE_STEP, LARGE_SHARE = 0.5, 1.2
# A sphere that is larger than one in the well covers so much of the rim, and ends beyond it: in all parts but some
GROWN_RIM, GROWN_STEP, GROWN_STEP_KNOWN, GROWN_PARTS = 0.2, 0.4, 0.75, 3
CLEARLY = 2.0  # nats by which a sample must look more like a sphere than like bare board
# Shares of a disc and of its rim that do where a sphere lies beside a well; and where the board's grain is known; and
# where they lie on one side: so long is the mean of the directions to them
BESIDE, BESIDE_KNOWN = (0.17, 0.14), (0.1, 0.1)
BESIDE_EDGE, ONE_SIDED_EDGE = (0.06, 0.2), 0.6
LEANING, ONE_SIDED = (0.12, 0.1), 0.7  # the same of what is no bare board at all


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


def ghosts(brightness: Scores, bare: Odd) -> Odd:
    """Which wells (wells,), if bare, show a sphere's outline through the board's grain; `bare`: those that seem so.

    Cameras that average pictures in time show a sphere that has just come or gone like that.
    """
    if not bare.any():
        return np.zeros(len(bare), np.bool_)
    step = outline_step(brightness)
    return np.asarray(np.abs(step - median(step[bare])) > GHOST_STEP)


def odd_blacks(brightness: Scores, expected: float) -> Odd:
    """Which wells (wells,) are not dark enough inside a sphere's outline for a black one.

    `expected`: how much brighter than a black sphere the board is.
    """
    if expected < DARK_ENOUGH:
        return np.zeros(len(brightness), np.bool_)
    rings = (brightness @ _rings()).reshape(len(brightness), len(RINGS), PARTS)
    darker = np.sort(rings[:, 2] - rings[:, 1], axis=1)
    seen = (darker[:, PARTS // 2 - 1] > LEAST_DARKNESS) & (darker[:, HARDEST_PARTS] > LEAST_DARKNESS_ANYWHERE)
    return np.asarray(~seen)


def dull(brightness: Scores, blacks: Odd) -> Odd:
    """Which wells (wells,) hold something too even for a black sphere such as the others are that seem so, `blacks`."""
    shading = _shading(brightness)
    if blacks.sum() < LEAST_BLACKS:
        return np.zeros(len(shading), np.bool_)
    usual = float(median(shading[blacks]))
    return np.asarray(shading < min(LEAST_MIRRORED, MIRRORED_SHARE * usual))


def shaded_blacks(brightness: Scores, apart: Colours) -> Odd:
    """Which wells (wells,), if black, may only lie in the shadow whose edge crosses them.

    `apart` (wells, 3): discs' colours less that of the darkest part of the board around. Deep shade is as dark as a
    black sphere, but it has the board's tint; and a white sphere in it is brighter than the board there.
    """
    rings = (brightness @ _rings()).reshape(len(brightness), len(RINGS), PARTS)
    darker = np.sort(rings[:, 2] - rings[:, 1], axis=1)
    middling = darker[:, PARTS // 2 - 1]
    crossed = (middling < LEAST_DARKNESS) | (darker[:, HARDEST_PARTS] < LEAST_DARKNESS_ANYWHERE)
    light, (warmth, tint) = apart[:, 0], np.abs(apart[:, 1:]).T
    alike = (light > -DARKER_THAN_SHADE) & (warmth < SHADE_TINT[0]) & (tint < SHADE_TINT[1])
    same = (np.abs(light) < SAME_LIGHT) & (warmth < SAME_TINT[0]) & (tint < SAME_TINT[1])
    return np.asarray((crossed & (alike | (light > BRIGHTER_THAN_SHADE))) | (same & (middling < 2 * LEAST_DARKNESS)))


def flat(brightness: Scores, absolute: Scores) -> Odd:
    """Which wells (wells,) hold something evener than a sphere ever is, where it is not overexposed: a coin, a button.

    `absolute` (wells, samples): the discs' brightness as the camera has it.
    """
    return np.asarray((_shading(brightness) < LEAST_SHADING) & (absolute.max(axis=1) < OVEREXPOSED))


def _shading(brightness: Scores) -> Scores:
    return np.asarray(brightness[:, patch_radii() < MIDDLE_REACH].std(axis=1))


def darkest(rims: Colours) -> Colours:
    """The colour of the darkest part of each well's surroundings (wells, samples, 3): (wells, 3)."""
    few = rims[..., 0].argsort(axis=1)[:, : round(DARKEST_SHARE * rims.shape[1])]
    return np.asarray(median(np.take_along_axis(rims, few[..., None], axis=1), axis=1), np.float32)


def oversized(brightness: Scores) -> Odd:
    """Which wells (wells,) show no step at a sphere's outline, but a clear one beyond it: a sphere held up, a cup."""
    rings = (brightness @ _rings()).reshape(len(brightness), len(RINGS), PARTS)
    _, edge, near, far = np.sort(np.moveaxis(rings, 1, 0), axis=2)[..., PARTS // 2]
    return np.asarray(np.abs(far - near) > np.maximum(LARGE_STEP, LARGE_SHARE * np.abs(near - edge)))


def overgrown(brightness: Scores, sphere: Scores, plain: Scores, known: bool) -> Odd:
    """Which wells (wells,), if spheres, are larger than one that rests there, or lie beside its place: held over it.

    `sphere` and `plain` (wells, samples): log densities as the likeliest sphere, and as bare board by colour. Where the
    board's grain is `known` no doubt is cast on what a low sun does around a sphere.
    """
    grown = ((sphere > plain) & (sphere > ANYTHING))[:, RIM].mean(axis=1) > GROWN_RIM
    rings = (brightness @ _rings()).reshape(len(brightness), len(RINGS), PARTS)
    steps = np.sort(np.abs(rings[:, 3] - rings[:, 2]), axis=1)[:, PARTS - GROWN_PARTS]
    return np.asarray(grown & (steps > (GROWN_STEP_KNOWN if known else GROWN_STEP)))


def beside(sphere: Scores, board: Scores, known: bool) -> Odd:
    """Which wells (wells,), if bare, have a sphere lying beside their middle, partly over them.

    `sphere` and `board` (wells, samples): log densities as the likeliest sphere, and as bare board, whose grain may be
    `known`.
    """
    like = (sphere > board + CLEARLY) & (sphere > ANYTHING + CLEARLY / 4)
    disc, rim = like[:, DISC].mean(axis=1), like[:, RIM].mean(axis=1)
    if known:
        return np.asarray((disc > BESIDE_KNOWN[0]) & (rim > BESIDE_KNOWN[1]))
    edge = (disc > BESIDE_EDGE[0]) & (rim > BESIDE_EDGE[1]) & (_lopsidedness(like) > ONE_SIDED_EDGE)
    return np.asarray(((disc > BESIDE[0]) & (rim > BESIDE[1])) | edge)


def leaning(sphere: Scores, plain: Scores) -> Odd:
    """Which wells (wells,), if bare, have anything lying over one side of them. As `overgrown`."""
    other = (plain < ANYTHING) | ((sphere > plain + CLEARLY) & (sphere > ANYTHING + CLEARLY / 4))
    of_disc, of_rim = LEANING
    much = (other[:, DISC].mean(axis=1) > of_disc) & (other[:, RIM].mean(axis=1) > of_rim)
    return np.asarray(much & (_lopsidedness(other) > ONE_SIDED))


def _lopsidedness(samples: Odd) -> Scores:
    """How far samples (wells, samples) lie all on one side of their wells' middles: 1, or all around: 0."""
    return np.asarray(np.hypot(*(samples @ _directions()).T) / np.maximum(samples.sum(axis=1), 1))


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
def _directions() -> Scores:
    """(samples, 2): unit vectors from a patch's middle to its samples at `COLOURED_SAMPLES`."""
    steps = np.linspace(-1, 1, STEPS)
    places = np.stack([axis.ravel()[COLOURED_SAMPLES] for axis in np.meshgrid(steps, steps)], axis=1)
    return np.asarray(places / np.maximum(np.hypot(*places.T), 1e-6)[:, None], np.float32)


@lru_cache(maxsize=1)
def _rings() -> Scores:
    """(STEPS x STEPS, rings x PARTS): a patch times this is its mean in each part of each ring."""
    steps = np.linspace(-1, 1, STEPS)
    across, up = np.meshgrid(steps, steps)
    part = ((np.arctan2(up, across).ravel() / (2 * np.pi) + 0.5) * PARTS).astype(np.intp) % PARTS
    radii = patch_radii()
    pieces = [(radii > low) & (radii < high) & (part == k) for low, high in RINGS for k in range(PARTS)]
    return np.asarray(np.stack([piece / piece.sum() for piece in pieces], axis=1), np.float32)
