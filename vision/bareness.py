"""Is it bare board that a well shows? Told from its grain and colour, with and without a picture of the empty board.

What covers a well as smoothly as a hand does can have the board's colour within a few per cent. But it lacks the
board's grain, and its tint (see `colour`) is seldom quite the board's, which no lamp and no shadow changes.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import STRAY_LIMIT, Scores, Shade
from vision.colour import Colours
from vision.medians import median, quantile
from vision.sampling import IN_DISC, STEPS, patch_radii

USUAL_SHARE = 0.3  # the quantile of wells that is surely bare, even under a hand
GRAIN_WINDOW = 9  # samples across over which a local correlation is taken
FINE_WINDOW = 5  # samples across below which brightness counts as grain
GRAIN_FLOOR = 0.01  # noise of brightness is never less
GRAIN_EDGE = 2.5  # brightness is cut off at so many times what the grain explains: more is the edge of a shadow
GRAIN_KEPT = 0.9  # of the correlation that noise allows is left when the lamp is another
LOCAL_SPREAD, WHOLE_SPREAD = 0.22, 0.17  # of a correlation by chance: in a window, over a disc
GRAIN_LIMIT = 12.0  # nats that grain may say at most
TINY = 1e-9
DISC_SAMPLES = np.flatnonzero(IN_DISC)

# All around its outline a sphere is brighter or darker than the board behind, in all parts of it but the hardest
OUTLINE_PARTS, HARDEST_PARTS = 12, 2
INSIDE, OUTSIDE = (0.7, 0.93), (1.07, 1.3)  # rings that are compared, in sphere radii

TINT_SPREAD = 0.025
WARMTH_SPREAD, WARMTH_SPREAD_SHADED = 0.08, 0.2  # in the light, and more per unit of depth in the shade
BRIGHT_SPREAD = 0.3  # above the board's usual brightness; below it lie shadows, which say nothing
GRAIN_SPREAD = 0.4  # of the logarithm of the grain's strength from well to well
ACROSS_SPREAD = 0.15  # of the logarithm of its strength along over that across the board
# Of the step in brightness at a sphere's outline among bare wells, at least: where the colour is no such sphere's,
# and where it could be; or so much as a quantile of those differ that seem bare: not all need be
OUTLINE_SPREAD, OUTLINE_SPREAD_LIKE, OUTLINE_SHARE = 0.1, 0.04, 0.7
# Deviation, nats, at which a well is as likely bare as covered, where its colour and grain must tell, and where its
# grain is compared with the empty board's
STRAY_ALLOWED, STRAY_SOFTNESS = 6.8, 0.5
STRAY_ALLOWED_KNOWN = 8.0
MIN_BARE_WELLS = 8  # that are needed to tell what is usual


@dataclass(frozen=True, slots=True, eq=False)
class BareGrain:
    """The grain of the empty board's patches: `fine` and its mean square around, `power`, (wells, STEPS x STEPS) each.

    `on_disc` (wells,): its mean square over each disc.
    """

    fine: Scores
    power: Scores
    on_disc: Scores


def bare_grain(brightness: Scores) -> BareGrain:
    """The grain in the brightness of the empty board's patches, (wells, STEPS x STEPS)."""
    grain = fine(brightness)
    power = grain**2
    return BareGrain(grain, window_mean(power, GRAIN_WINDOW), power.take(DISC_SAMPLES, axis=1).mean(axis=1))


def grain_scores(now: Scores, bare: Scores, grain: BareGrain) -> tuple[Scores, Scores]:
    """How much better the board's own pattern explains what patches show than anything else: by sample, by disc.

    `now` and `bare` (wells, STEPS x STEPS): brightness in this picture and of the empty board, whose `grain` it is.
    Bare board shows its grain in any light, so the two correlate; whatever covers it does not. Nats, (wells, STEPS x
    STEPS) and (wells,).
    """
    fine_now, fine_bare = fine(now), grain.fine
    usual = quantile(median(np.abs(fine_now - fine_bare)), USUAL_SHARE)
    # Half of the noise is in the picture of the empty board, half in this one: so it is never more than twice what
    # there is here, even if all of the board is covered
    here = quantile(median(np.abs(fine_now)), USUAL_SHARE)
    noise = max(1.48 * min(float(usual), 2**0.5 * float(here)), GRAIN_FLOOR)
    # ... and the less the brighter it is
    noise_bare, noise_now = noise**2 / 2, noise**2 / 2 * np.exp(np.clip(bare - now, -2, 2))
    limit = GRAIN_EDGE * np.sqrt(grain.power + noise_now)
    fine_now = np.minimum(np.maximum(fine_now, -limit), limit)
    both, power = fine_now * fine_bare, fine_now**2
    local = correlation_scores(
        window_mean(both, GRAIN_WINDOW),
        window_mean(power, GRAIN_WINDOW),
        grain.power,
        noise_now,
        noise_bare,
        LOCAL_SPREAD,
    )
    both, power, noise_now = (part.take(DISC_SAMPLES, axis=1).mean(axis=1) for part in (both, power, noise_now))
    return local, correlation_scores(both, power, grain.on_disc, noise_now, noise_bare, WHOLE_SPREAD)


def correlation_scores(
    both: Scores, now: Scores, bare: Scores, noise_now: Scores, noise_bare: float, spread: float
) -> Scores:
    """Nats by which a correlation speaks for bare board: from the mean product, the mean squares and the noises'."""
    seen = both / np.sqrt(now * bare + TINY)
    signal = np.maximum(bare - noise_bare, 0)
    expected = GRAIN_KEPT * signal / np.sqrt((signal + noise_bare) * (signal + noise_now) + TINY)
    scores = (seen**2 - (seen - expected) ** 2) / (2 * spread**2)
    return np.asarray(np.clip(scores, -GRAIN_LIMIT, GRAIN_LIMIT), np.float32)


def stray_scores(
    middles: Colours,
    likely: NDArray[np.bool_],
    shade: Shade,
    brightness: Scores | None = None,
    likes: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
) -> Scores:
    """Nats by which each well differs from what bare wells of this very picture look like, (wells,).

    `middles` (wells, 3): discs' median colours less the bare board's. `likely` (wells,): wells that seem bare, most of
    which are. Where the empty board's grain is not known: `brightness` (wells, STEPS x STEPS) of the patches, and
    `likes` (wells,), whether the discs' colours could be a white sphere's, and a black one's.
    """
    if likely.sum() < MIN_BARE_WELLS:
        return np.zeros(len(middles), np.float32)
    light, warmth, tint = (middles - np.median(middles[likely], axis=0)).T
    depth = np.minimum(light, 0)
    spread = max(TINT_SPREAD, 1.5 * 1.48 * float(np.median(np.abs(tint[likely]))))
    strays = [
        tint / spread,
        (warmth - shade.slope * depth) / (WARMTH_SPREAD - WARMTH_SPREAD_SHADED * depth),
        np.maximum(light, 0) / BRIGHT_SPREAD,
    ]
    if brightness is not None and likes is not None:
        strength, along = grain_strength(brightness)
        strays.append((strength - np.median(strength[likely])) / GRAIN_SPREAD)
        strays.append(np.maximum(along - np.median(along[likely]), 0) / ACROSS_SPREAD)
        step = outline_step(brightness)
        step -= np.median(step[likely])
        usual = float(quantile(np.abs(step[likely]), OUTLINE_SHARE))
        outlined = np.where(step > 0, likes[0], likes[1])
        strays.append(step / np.maximum(np.where(outlined, OUTLINE_SPREAD_LIKE, OUTLINE_SPREAD), usual))
    return np.asarray(sum(np.minimum(s**2, STRAY_LIMIT) for s in strays) / 2, np.float32)


def grain_strength(brightness: Scores) -> tuple[Scores, Scores]:
    """Logarithms of the grain's strength on discs, and of its change along the board over that across it, (wells,)."""
    inner = IN_DISC.reshape(STEPS, STEPS)[1:-1, 1:-1]
    square = brightness.reshape(-1, STEPS, STEPS)
    across = np.abs(square[:, 2:] - square[:, :-2])[:, :, 1:-1][:, inner]
    along = np.abs(square[:, :, 2:] - square[:, :, :-2])[:, 1:-1][:, inner]
    strength = 2 * np.log(np.sqrt(np.abs(fine(brightness)[:, IN_DISC])).mean(axis=1) + TINY)
    ratio = np.log((np.sqrt(along).mean(axis=1) + TINY) / (np.sqrt(across).mean(axis=1) + TINY))
    return np.asarray(strength, np.float32), np.asarray(ratio, np.float32)


def outline_step(brightness: Scores) -> Scores:
    """By how much patches (wells, STEPS x STEPS) are brighter inside a sphere's outline than outside, all around it.

    Negative where they are darker; 0 where here one is brighter and there the other, as on bare board. (wells,).
    """
    steps = np.sort(brightness @ _ring_parts(), axis=1)
    brighter, darker = steps[:, HARDEST_PARTS], steps[:, -1 - HARDEST_PARTS]
    return np.asarray(np.maximum(brighter, 0) + np.minimum(darker, 0), np.float32)


@lru_cache(maxsize=1)
def _ring_parts() -> Scores:
    """(STEPS x STEPS, OUTLINE_PARTS): a patch times this is the mean inside less that outside, in each part."""
    steps = np.linspace(-1, 1, STEPS)
    across, up = np.meshgrid(steps, steps)
    part = ((np.arctan2(up, across).ravel() / (2 * np.pi) + 0.5) * OUTLINE_PARTS).astype(np.intp) % OUTLINE_PARTS
    radii = patch_radii()
    rings = [(radii > low) & (radii < high) for low, high in (INSIDE, OUTSIDE)]
    inside, outside = (np.stack([ring & (part == k) for k in range(OUTLINE_PARTS)], axis=1) for ring in rings)
    return np.asarray(inside / inside.sum(axis=0) - outside / outside.sum(axis=0), np.float32)


def fine(values: Scores) -> Scores:
    """Values (wells, STEPS x STEPS) less their neighbourhood's mean."""
    return np.asarray(values - window_mean(values, FINE_WINDOW), np.float32)


def window_mean(values: Scores, side: int) -> Scores:
    """Means over neighbourhoods of `side` x `side` samples in each patch (wells, STEPS x STEPS)."""
    wells = len(values)
    columns = np.ascontiguousarray(values.reshape(wells, STEPS, STEPS).transpose(1, 0, 2)).reshape(STEPS, -1)
    down = cv2.blur(columns, (1, side), borderType=cv2.BORDER_REPLICATE)
    rows = np.ascontiguousarray(down.reshape(STEPS, wells, STEPS).transpose(1, 0, 2)).reshape(-1, STEPS)
    mean = cv2.blur(rows, (side, 1), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(mean.reshape(wells, -1), np.float32)
