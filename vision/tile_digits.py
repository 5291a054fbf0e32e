"""Which digit a patch of ink is: compared with templates, turned to every angle that it may have.

A template is a digit as some font draws it, brought to one size about its middle. The likeness of ink and template
is their correlation, so each answer can be shown: this ink, that template, so far alike.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

SIDE = 20  # pixels along a template
SPREAD_PX = 4.5  # rms distance of ink from its middle in a template: a digit is then some 14 pixels high
LEAST_INK_PX = 12  # fewer pixels of ink in a patch are no digit
LEVELS = 255  # of a stored template


@dataclass(frozen=True, slots=True, eq=False)
class DigitModel:
    """Templates (n, SIDE * SIDE), each of mean 0 and length 1, and the digit of each (n,)."""

    templates: Floats
    digits: NDArray[np.int_]

    def among(self, allowed: Sequence[int]) -> "DigitModel":
        """Only the templates of some digits."""
        keep = np.isin(self.digits, list(allowed))
        return DigitModel(self.templates[keep], self.digits[keep])

    def with_more(self, masks: Floats, digits: Sequence[int]) -> "DigitModel":
        """Also templates that were shown: upright normal patches (n, SIDE, SIDE) of known digits."""
        flat = standardised(masks.reshape(len(masks), -1))
        return DigitModel(np.concatenate([self.templates, flat]), np.concatenate([self.digits, np.array(digits, int)]))

    def likenesses(self, patches: Floats, allowed: Sequence[int]) -> Floats:
        """The best likeness of patches (..., SIDE, SIDE) with each allowed digit's templates: (..., len(allowed))."""
        flat = standardised(patches.reshape(-1, SIDE * SIDE))
        alike = flat @ self.templates.T
        best = [alike[:, self.digits == digit].max(axis=1, initial=-1.0) for digit in allowed]
        return np.stack(best, axis=-1).reshape(*patches.shape[:-2], len(allowed))


@lru_cache(maxsize=1)
def shipped_model() -> DigitModel:
    """The templates that come with the program; made by `vision.train_digits`."""
    stored = json.loads(resources.files("vision").joinpath("tile_digits.json").read_text(encoding="utf-8"))
    levels = np.array([list(base64.b64decode(row)) for row in stored["templates"]], np.float32)
    return DigitModel(standardised((levels / LEVELS).astype(np.float32)), np.array(stored["digits"], int))


def standardised(flat: Floats) -> Floats:
    """Rows (n, m) brought to mean 0 and length 1; rows without contrast become 0."""
    off = flat - flat.mean(axis=1, keepdims=True)
    length = np.sqrt((off * off).sum(axis=1, keepdims=True))
    return np.asarray(off / np.maximum(length, 1e-6), np.float32)


def normal_patches(ink: Floats, angles_deg: Sequence[float] | NDArray[np.float64]) -> Floats | None:
    """Ink (height, width) brought to the templates' size about its middle, turned back by each angle: (n, SIDE, SIDE).

    An angle is how far the digit is turned anticlockwise as seen. None where there is too little ink.
    """
    if float(ink.sum()) < LEAST_INK_PX:
        return None
    x, y, spread = ink_middle(ink)
    scale = max(spread, 1e-3) / SPREAD_PX
    offsets = _offsets() * scale
    turn = np.deg2rad(np.asarray(angles_deg, np.float32))[:, None]
    cos, sin = np.cos(turn), np.sin(turn)
    across = x + offsets[0] * cos + offsets[1] * sin
    down = y - offsets[0] * sin + offsets[1] * cos
    taken = cv2.remap(ink, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0.0)
    return np.asarray(taken, np.float32).reshape(-1, SIDE, SIDE)


def ink_middle(ink: Floats) -> tuple[float, float, float]:
    """The middle of some ink (height, width), column and row, and its rms distance from there, all pixels."""
    ys, xs = np.nonzero(ink > 0)
    weight = ink[ys, xs] / max(float(ink.sum()), 1e-6)
    x, y = float(weight @ xs), float(weight @ ys)
    return x, y, float(np.sqrt(weight @ ((xs - x) ** 2 + (ys - y) ** 2)))


@lru_cache(maxsize=1)
def _offsets() -> Floats:
    """Where a template's pixels lie from its middle, (2, SIDE * SIDE)."""
    steps = np.arange(SIDE, dtype=np.float32) - (SIDE - 1) / 2
    across, down = np.meshgrid(steps, steps)
    return np.stack([across.ravel(), down.ravel()])
