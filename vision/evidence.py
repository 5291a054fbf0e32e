"""What the colours and the grain of one picture say of each well: gathered, then judged with the spheres' colours."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.appearance import (
    ANYTHING,
    IMPOSSIBLE,
    SPHERE_STRAY_ALLOWED,
    Scores,
    SeenColour,
    Shade,
    board_scores,
    fit_shade,
    noise_blur,
    sphere_scores,
    sphere_strays,
)
from vision.bareness import (
    STRAY_ALLOWED,
    STRAY_ALLOWED_KNOWN,
    STRAY_SOFTNESS,
    USUAL_SHARE,
    BareGrain,
    grain_scores,
    stray_scores,
)
from vision.colour import Colours
from vision.medians import median, quantile
from vision.oddness import (
    beside,
    darkest,
    dull,
    flat,
    ghosts,
    glared_whites,
    leaning,
    odd_bare,
    odd_blacks,
    odd_whites,
    overgrown,
    oversized,
    paleness_of,
    shaded_blacks,
)
from vision.palette import SPHERES, Palette, bend_palette
from vision.reading import Content
from vision.sampling import COLOURED_SAMPLES, DISC, RIM
from vision.spheres_alike import unlike_spheres
from vision.weighing import Probabilities, Tally, chance, probabilities, tally
from vision.wells_alike import Finish, finish_of, unlike_bare

SURE = 0.99  # a well's reading below this probability is uncertain
ODD = 0.9  # the most that is believed of a well that looks odd for what it seems to hold: likely, but not certain
NEVER = 1000.0  # nats against a content that the game does not have
GRAIN_TOLERANCE = 3.0  # nats that a bare well's grain may speak against it
GRAIN_SURE, GRAIN_SURE_SCORE = 6.0, 0.0  # grain that speaks so clearly settles it whatever the colour: log density
# A disc that is no other than the rim around it has no outline: whatever it is, it is no sphere. Nats of contrast
CONTRAST_SPREAD = np.array([0.3, 0.08, 0.05], np.float32)  # of brightness, warmth and tint on one surface
LEAST_CONTRAST, CONTRAST_SOFTNESS = 1.3, 0.12
# Something in plain sight: so much of the rim is bare board, and so many nats of contrast set it off
CLEAR_AROUND, PLAIN_CONTRAST = 0.95, 6.0
MOSTLY_CLEAR = 0.6  # share of the rim that is bare board where a sphere, and no hand, covers a part of it
BRIGHTEST_AROUND = 0.2  # how much brighter than usual the board around a well may be, natural logarithm
# How far bare board strays in brightness, warmth and tint: at least and at most, with and without the empty board
KNOWN_SPREAD = ((0.2, 0.05, 0.025), (0.3, 0.1, 0.06))
UNKNOWN_SPREAD = ((0.3, 0.08, 0.03), (0.5, 0.15, 0.08))


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """The wells' patches relative to white paper: `brightness` (wells, STEPS x STEPS), `colours` (wells, samples, 3).

    The colours are at `COLOURED_SAMPLES`.
    """

    brightness: Scores
    colours: Colours


@dataclass(frozen=True, slots=True, eq=False)
class BarePatches:
    """The patches of the empty board, as `Patches`, and their grain."""

    brightness: Scores
    colours: Colours
    grain: BareGrain


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Of every well, before any sphere's colour is considered.

    `absolute` (wells, samples, 3): colours as the camera has them; `board` and `plain` (wells, samples): log densities
    as bare board, with its grain and by colour alone; `around` (wells, 1): depth of the shade; `middles` and `strays`
    (wells, 3): discs' median colours, and less the bare board's; `rims` (wells, 3): those around; `contrast` (wells,):
    nats by which disc and rim differ; `grain` (wells,): nats for the board's own grain, None without a picture of the
    empty board; `finish`: of the patches, None with such a picture.
    """

    patches: Patches
    absolute: Colours
    blur: Scores
    shade: Shade
    around: Scores
    board: Scores
    plain: Scores
    middles: Colours
    strays: Colours
    rims: Colours
    contrast: Scores
    grain: Scores | None
    finish: Finish | None


def gather(patches: Patches, absolute: Colours, gaps: Colours, board: Colours, bare: BarePatches | None) -> Evidence:
    """Compares patches with the bare board: with its picture, `bare`, or else with its tint, `board` (3,).

    `absolute`: the patches' colours as the camera has them; `gaps` (gaps, 3): bare patches of board less its tint.
    """
    off = patches.colours - (board if bare is None else bare.colours)
    rims = off[:, RIM]
    likeness = grain = None
    if bare is None:
        shade = fit_shade(np.concatenate([rims.reshape(-1, 3), gaps]))
    else:
        local, grain = grain_scores(patches.brightness, bare.brightness, bare.grain)
        likeness = local[:, COLOURED_SAMPLES]
        shade = fit_shade(rims[likeness[:, RIM] > 0])
    around = np.minimum(median(rims[..., 0], axis=1), BRIGHTEST_AROUND)[:, None]
    strays = median(off[:, DISC], axis=1)
    spread = np.clip(usual_spread(off[:, DISC], strays), *(UNKNOWN_SPREAD if bare is None else KNOWN_SPREAD))
    blur = noise_blur(absolute)
    plain = board_scores(off, around, spread.astype(np.float32), shade, blur)
    full = plain
    if likeness is not None:
        full = plain + likeness
        full = np.where(likeness > GRAIN_SURE, np.maximum(full, GRAIN_SURE_SCORE), full)
    middles = median(patches.colours[:, DISC], axis=1)
    surroundings = median(patches.colours[:, RIM], axis=1)
    apart = (middles - surroundings) / CONTRAST_SPREAD
    contrast = np.asarray(np.sum(apart**2, axis=1) / 2, np.float32)
    finish = finish_of(patches.brightness) if bare is None else None
    return Evidence(
        patches, absolute, blur, shade, around, full, plain, middles, strays, surroundings, contrast, grain, finish
    )


def usual_spread(off: Colours, middles: Colours) -> Colours:
    """How far samples (wells, samples, 3) of bare wells stray from their wells' medians (wells, 3): (3,).

    Most wells are bare, but not all: so it is that of a well below the middle.
    """
    astray = median(np.abs(off - middles[:, None]), axis=1)
    return np.asarray(1.48 * quantile(astray, USUAL_SHARE), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """`p` (wells, 6): probabilities of the contents. (wells,) each: `astray`, a sphere lies beside the well;

    `foreign`, something in plain sight is no sphere; `unlike`, what looks like a sphere is not as the others are.
    `middles` (wells, 3): discs' median colours relative to paper.
    """

    p: Probabilities
    middles: Colours
    astray: NDArray[np.bool_]
    foreign: NDArray[np.bool_]
    unlike: NDArray[np.bool_]


def judge(evidence: Evidence, palette: Palette) -> Judgement:
    """What the wells hold. What is certain in this picture helps with what is not."""
    first = _judge_with(evidence, palette)
    if first.p.max(axis=1).min() > SURE:
        return first
    sure = np.where(first.p.max(axis=1) > SURE, first.p.argmax(axis=1), Content.HIDDEN)
    return _judge_with(evidence, bend_palette(palette, evidence.patches.colours[:, DISC], sure), first.unlike)


def _judge_with(evidence: Evidence, palette: Palette, unlike: NDArray[np.bool_] | None = None) -> Judgement:
    z = evidence.patches.colours
    spheres = [
        sphere_scores(z, palette[c], evidence.around, evidence.shade, evidence.blur)
        if c in palette
        else np.full_like(evidence.board, IMPOSSIBLE)
        for c in SPHERES
    ]
    scores = np.stack([evidence.board, *spheres])
    strays = [
        sphere_strays(evidence.middles, palette[c], c, evidence.shade, evidence.around)
        if c in palette
        else np.full(len(z), NEVER, np.float32)
        for c in SPHERES
    ]
    count = tally(scores[..., DISC], scores[..., RIM], evidence.plain[:, RIM], np.stack([0 * strays[0], *strays]))
    outlined = chance((evidence.contrast - LEAST_CONTRAST) / CONTRAST_SOFTNESS)
    own = [
        _bare_chance(evidence, count, strays),
        *(chance(SPHERE_STRAY_ALLOWED - stray) * outlined for stray in strays),
    ]
    sphere = scores[1:].max(axis=0)
    astray = beside(sphere, evidence.board, evidence.grain is not None)
    if unlike is None:
        seen = np.where(count.visible > 0.5, count.best, Content.HIDDEN)
        unlike = unlike_spheres(evidence.patches.brightness, seen)
    empty, *odd = _odd(evidence, palette, count, sphere, astray)
    doubtful = [empty, *(wells | unlike for wells in odd)]
    own = [np.where(wells, np.minimum(likely, ODD), likely) for wells, likely in zip(doubtful, own, strict=True)]
    p = probabilities(count, np.stack(own))
    hidden = p.argmax(axis=1) == Content.HIDDEN
    bare_around = (evidence.plain[:, RIM] > ANYTHING).mean(axis=1) > CLEAR_AROUND
    foreign = hidden & bare_around & (evidence.contrast > PLAIN_CONTRAST)
    # A hand looks neither like the board nor like spheres; with the board known a covered well is known for one
    no_hand = (np.maximum(sphere, evidence.plain)[:, RIM] > ANYTHING).mean(axis=1) > CLEAR_AROUND
    no_hand &= ((evidence.plain[:, RIM] > ANYTHING).mean(axis=1) > MOSTLY_CLEAR) & (evidence.grain is None)
    astray &= (p.argmax(axis=1) == Content.EMPTY) | (hidden & no_hand)
    if evidence.grain is not None and hidden.any():  # a hand's edge may look like a sphere's: then it is only uncertain
        astray[:] = False
    return Judgement(p, evidence.middles, astray, foreign & ~astray, unlike)


def _odd(
    evidence: Evidence, palette: Palette, count: Tally, sphere: Scores, astray: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """For each content, empty and `SPHERES`, the wells (wells,) that look odd for it.

    `sphere` (wells, samples): log densities as the likeliest sphere; `astray` (wells,): those that one lies beside.
    """
    brightness = evidence.patches.brightness
    white, black = (palette[c] for c in (Content.WHITE, Content.BLACK))
    board = evidence.middles - evidence.strays
    even = flat(brightness, evidence.absolute[:, DISC, 0])
    known = evidence.grain is not None
    large = overgrown(brightness, sphere, evidence.plain, known) | (oversized(brightness) & (not known))
    odd = [astray, even, even | large, even | large, even | large]
    gleaming = (evidence.rims - board)[:, 0]
    if known:
        odd[Content.WHITE] = even | glared_whites(brightness)
        odd[Content.EMPTY] = astray | ghosts(brightness, _likely(count, Content.EMPTY))
    elif isinstance(white, SeenColour):
        paleness = paleness_of(evidence.middles - evidence.rims, np.median(board, axis=0), white.mean, evidence.shade)
        odd[Content.WHITE] = even | odd_whites(brightness, paleness, gleaming)
        odd[Content.EMPTY] = astray | odd_bare(paleness, evidence.contrast)
    if evidence.finish is not None:
        odd[Content.EMPTY] = odd[Content.EMPTY] | leaning(sphere, evidence.plain)
        odd[Content.EMPTY] |= unlike_bare(evidence.finish, _likely(count, Content.EMPTY))
    shade = darkest(evidence.patches.colours[:, RIM])
    odd[Content.BLACK] = odd[Content.BLACK] | shaded_blacks(brightness, evidence.middles - shade)
    odd[Content.BLACK] |= dull(brightness, _likely(count, Content.BLACK))
    if isinstance(black, SeenColour) and not known:
        odd[Content.BLACK] |= odd_blacks(brightness, float(np.median(board[:, 0]) - black.mean[0]))
    return odd


def _likely(count: Tally, content: Content) -> NDArray[np.bool_]:
    return np.asarray((count.best == content) & (count.visible > 0.5))


def _bare_chance(evidence: Evidence, count: Tally, spheres: list[Scores]) -> Probabilities:
    """The chance that a well which seems bare is: its grain is the board's, and it looks like the other bare wells.

    `spheres`: nats by which the discs stray from each of `SPHERES`.
    """
    grain = evidence.grain
    likely = _likely(count, Content.EMPTY)
    if grain is None:
        white, black = (spheres[SPHERES.index(c)] < SPHERE_STRAY_ALLOWED for c in (Content.WHITE, Content.BLACK))
        stray = stray_scores(evidence.strays, likely, evidence.shade, evidence.patches.brightness, (white, black))
        return chance((STRAY_ALLOWED - stray) / STRAY_SOFTNESS)
    likely &= grain + GRAIN_TOLERANCE > 0
    stray = stray_scores(evidence.strays, likely, evidence.shade)
    return chance(np.minimum(grain + GRAIN_TOLERANCE, STRAY_ALLOWED_KNOWN - stray + np.maximum(grain, 0)))
