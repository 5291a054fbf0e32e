"""The digit on a tile's face: what stands out from the face's own smooth colour.

Glare and shadow change a face smoothly, a digit does not. So a smooth surface is laid through the face's colours,
robustly, and the ink is what differs from it in one direction of colour.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.medians import median
from vision.tile_digits import Floats

Region = NDArray[np.bool_]

ROUNDS = 5  # of laying the surface, each time trusting less what differs
START_SCALE = 60.0  # grey levels that are let pass at first ...
LEAST_SCALE = 5.0  # ... and at last: noise and texture of a face
RIDGE = np.diag([1e-3, 1.0, 1.0, 3.0, 3.0, 3.0]).astype(np.float32) * 0.02  # keeps the surface near flat
MOST_PLACES = 400  # of a face through which the surface is laid
PEAK_SHARE = 0.03  # the strongest of so much of a face is ink, where there is ink: a thin 1 covers that much
STRONG_SHARE = 0.5  # of the peak's strength: certainly ink
FAINTEST_SHARE = 0.2  # of full ink: less is the face's texture
HELD_TOGETHER = 0.4  # of full ink: what is at least so dark belongs to one digit
CERTAIN_SHARE = 0.7  # of full ink: shows the ink's colour
REST_SHARE, REST_NOISES = 0.3, 8.0  # of the peak's strength, and of the noise: what is so strong is ink, or ...
REST_AWAY_PX = 2  # ... so far from any ink something else
SPECK_PX = 8  # less is no digit
FRINGE_PX = 2  # of a region into which a frame may come
MOST_OF_BLOT = 0.6  # of the ink must be left without it
AROUND_PX = 1  # how far beyond its certain part the blurred edge of ink reaches


@dataclass(frozen=True, slots=True, eq=False)
class Ink:
    """What is on a face. `mask` (h, w): 0 no ink to 1 full ink, of the digit alone.

    `strength`: how much ink differs from the face, grey levels; `noise`: how much the bare face differs from smooth.
    `cut`: the ink reaches the edge of what was looked at. `rest`: the share of the face that differs as much as ink and
    is not the digit's, as where a finger covers it.
    """

    mask: Floats
    strength: float
    noise: float
    cut: bool
    rest: float = 0.0

    @property
    def certain(self) -> Region:
        """Where there is nothing but ink."""
        return self.mask > CERTAIN_SHARE


@lru_cache(maxsize=16)
def _terms(height: int, width: int) -> Floats:
    """Terms of a surface of the second degree over a face, (h * w, 6)."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = x.ravel() / max(width - 1, 1) * 2 - 1, y.ravel() / max(height - 1, 1) * 2 - 1
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1).astype(np.float32)


def off_smooth(faces: Floats, region: Region) -> Floats:
    """How far faces (n, 3, h, w) are from smooth surfaces laid through a region (h, w) of them: (n, 3, its pixels)."""
    at = np.flatnonzero(region.ravel())
    terms, colours = _terms(*region.shape)[at], faces.reshape(len(faces), 3, -1)[:, :, at]
    some = slice(None, None, max(1, len(at) // MOST_PLACES))
    a, seen = terms[some], np.ascontiguousarray(colours[:, :, some])
    products = (a[:, :, None] * a[:, None, :]).reshape(len(a), 36)
    fit = np.zeros((len(faces), 3, 6), np.float32)
    fit[:, :, 0] = median(seen, axis=2)
    for step in range(ROUNDS):
        off = _squared(seen - fit @ a.T)
        scale = np.maximum(max(START_SCALE * 0.5**step, LEAST_SCALE), 1.5 * np.sqrt(median(off, axis=1)))
        trust = 1 + off / (scale * scale)[:, None].astype(np.float32)
        weight = 1 / (trust * trust)
        ridge = RIDGE * weight.sum(axis=1)[:, None, None]
        flat = np.zeros_like(fit)
        flat[:, :, 0] = fit[:, :, 0]
        left = (weight @ products).reshape(-1, 6, 6) + ridge
        right = (weight[:, None] * seen) @ a + flat @ ridge
        fit = np.linalg.solve(left, right.transpose(0, 2, 1)).transpose(0, 2, 1).astype(np.float32)
    return np.asarray(colours - fit @ terms.T, np.float32)


def _squared(off: Floats) -> Floats:
    """Squared lengths (n, m) of differences of colour (n, 3, m)."""
    return np.asarray(off[:, 0] * off[:, 0] + off[:, 1] * off[:, 1] + off[:, 2] * off[:, 2], np.float32)


def inks_on(faces: NDArray[np.uint8], region: Region) -> list[Ink]:
    """The digits on faces (n, h, w, 3), BGR, looked for in a region (h, w) of them."""
    if not len(faces):
        return []
    at = region.ravel()
    off = off_smooth(np.ascontiguousarray(faces.transpose(0, 3, 1, 2), np.float32), region)
    size = np.sqrt(_squared(off))
    noise = median(size, axis=1) + np.float32(0.5)
    count = max(4, round(PEAK_SHARE * size.shape[1]))
    peak = np.partition(size, -count, axis=1)[:, -count:].mean(axis=1)
    strong = size > STRONG_SHARE * peak[:, None]
    spread = off * strong[:, None]
    _, axes = np.linalg.eigh(spread @ spread.transpose(0, 2, 1))
    along = (axes[:, None, :, -1] @ off)[:, 0]
    along *= np.where((along * strong).sum(axis=1) < 0, np.float32(-1), np.float32(1))[:, None]
    certain = strong & (along > 0)
    level = (along * certain).sum(axis=1) / np.maximum(certain.sum(axis=1), 1)
    masks = np.zeros((len(faces), len(at)), np.float32)
    shown = np.clip(along / np.maximum(level, 1e-3).astype(np.float32)[:, None], 0, 1)
    masks[:, at] = np.where(shown < FAINTEST_SHARE, 0, shown)
    inks = []
    for k, mask in enumerate(masks.reshape(-1, *region.shape)):
        alone, cut = _digit_alone(mask, region)
        others = size[k] > max(REST_SHARE * peak[k], REST_NOISES * noise[k])
        wide = cv2.dilate(alone, np.ones((2 * REST_AWAY_PX + 1,) * 2, np.uint8)).ravel()[at] > 0
        inks.append(Ink(alone, float(level[k]), float(noise[k]), cut, float((others & ~wide).mean())))
    return inks


def _digit_alone(mask: Floats, region: Region) -> tuple[Floats, bool]:
    """The digit's part of a mask, and whether it reaches the edge of the region.

    A frame, or the tile's edge, may come a little into the region and touch the digit: then it is looked at without
    the outermost part.
    """
    edge, inner, inner_edge = _rims(region.shape, region.tobytes())
    first, whole = _largest_blot(mask, edge)
    if whole or not first.any():
        return first, not whole
    second, whole = _largest_blot(np.where(inner, mask, 0).astype(np.float32), inner_edge)
    if whole and float(second.sum()) > MOST_OF_BLOT * float(first.sum()):
        return second, False
    return first, True


@lru_cache(maxsize=16)
def _rims(shape: tuple[int, ...], region: bytes) -> tuple[NDArray[np.intp], Region, NDArray[np.intp]]:
    """The pixels (n,) at a region's edge, the region without its outermost part, and the pixels at the edge of that."""
    whole = np.frombuffer(region, bool).reshape(shape)

    def smaller(by: int, of: Region) -> Region:
        return np.asarray(cv2.erode(of.astype(np.uint8), np.ones((2 * by + 1,) * 2, np.uint8), borderValue=0)) > 0

    inner = smaller(FRINGE_PX, whole)
    return np.flatnonzero(whole & ~smaller(1, whole)), inner, np.flatnonzero(inner & ~smaller(1, inner))


def _largest_blot(mask: Floats, edge: NDArray[np.intp]) -> tuple[Floats, bool]:
    """The mask of the largest blot that reaches none of some pixels (n,), else of any; and whether it reaches none."""
    blots = (mask > HELD_TOGETHER).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(blots, connectivity=8)
    touching = set(labels.ravel()[edge].tolist())
    best, whole, largest = 0, False, 0
    for k, area in enumerate(stats[:, cv2.CC_STAT_AREA].tolist()):
        if k > 0 and area >= SPECK_PX and (k not in touching, area) > (whole, largest):
            best, whole, largest = k, k not in touching, area
    if best == 0:
        return np.zeros_like(mask), False
    near = cv2.dilate((labels == best).astype(np.uint8), np.ones((2 * AROUND_PX + 1,) * 2, np.uint8))
    return np.where(near > 0, mask, 0).astype(np.float32), whole
