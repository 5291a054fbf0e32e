"""What the bare wells of one picture have in common, and which do not share it: texture, and the well's own marks.

Without a picture of the empty board only the other wells tell how a bare one looks. Something flat may lie over a well
or a part of it and have the board's colour: but it is smoother than that part of a well usually is, or hides the rim
and the dimple that the others show. Where wells can hardly be seen the latter tells nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.appearance import Scores
from vision.bareness import TINY, fine, window_mean
from vision.medians import median, quantile
from vision.sampling import patch_radii

TEXTURE_WINDOW, TEXTURE_FLOOR = 7, 1e-5  # samples across over which texture is taken together; square of the least
MARKS_WINDOW = 11  # samples across: what is coarser is light
LEAST_BARE = 8  # wells that seem bare, to tell what is usual
# A flat thing has less texture than that part of a bare well usually has, by so much (natural logarithm of its
# square), and in more than such a share of the disc
SMOOTHER, SMOOTH_SHARE, REACH = 2.2, 0.07, 0.95
MARKS_REACH = 1.0  # of a patch, in sphere radii, that shows the well's marks
# Correlation with the usual marks: usually at least, for it to tell anything; of an odd well at most, and so many
# times what it usually strays below what is usual
TELLING, LEAST_ALIKE, STRAYS = 0.35, 0.15, 4.0
STRAY_SHARE, STRAY_OF_SHARE = 0.2, 0.84  # the quantile that tells how far it strays, in standard deviations


@dataclass(frozen=True, slots=True, eq=False)
class Finish:
    """Of the patches (wells, STEPS x STEPS): `texture`, logarithm of its mean square around each sample; `marks`,

    brightness less that of the neighbourhood.
    """

    texture: Scores
    marks: Scores


def finish_of(brightness: Scores) -> Finish:
    """The finish of patches (wells, STEPS x STEPS)."""
    texture = np.log(window_mean(fine(brightness) ** 2, TEXTURE_WINDOW) + TEXTURE_FLOOR)
    return Finish(np.asarray(texture, np.float32), brightness - window_mean(brightness, MARKS_WINDOW))


def unlike_bare(finish: Finish, bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which wells (wells,) do not share what those have in common that seem bare, `bare` (wells,)."""
    if bare.sum() < LEAST_BARE:
        return np.zeros(len(bare), np.bool_)
    return _smooth(finish.texture, bare) | _unmarked(finish.marks, bare)


def _smooth(texture: Scores, bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which wells have a part that is smoother than it is in bare ones."""
    inside = texture[:, patch_radii() < REACH]
    return np.asarray((inside < median(inside[bare], axis=0) - SMOOTHER).mean(axis=1) > SMOOTH_SHARE)


def _unmarked(marks: Scores, bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which wells lack the marks that bare ones show."""
    inside = marks[:, patch_radii() < MARKS_REACH]
    usual = median(inside[bare], axis=0)
    limit = np.abs(usual) + 1.48 * median(np.abs(inside[bare] - usual), axis=0)  # a shadow's edge is no mark
    inside = np.clip(inside, -limit, limit)
    alike = np.asarray(inside @ usual / np.sqrt((inside**2).sum(axis=1) * (usual @ usual) + TINY), dtype=np.float32)
    middling = float(np.median(alike[bare]))
    spread = (middling - float(quantile(alike[bare], STRAY_SHARE))) / STRAY_OF_SHARE
    odd = (alike < LEAST_ALIKE) & (alike < middling - STRAYS * spread)
    return np.asarray(odd & (middling > TELLING))
