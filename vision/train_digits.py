"""Makes `vision/tile_digits.json`, the templates that digits are read by: `python -m vision.train_digits`.

Digits are drawn by many hands, blurred as a camera does, and grouped by likeness; the middles of the groups are the
templates. The seed is fixed, so the same file comes out again.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np

from vision.tile_digits import LEVELS, SIDE, Floats, normal_patches, standardised
from vision.tile_glyphs import draw, random_hand

SEED = 20
HANDS = 1400
TEMPLATES_A_DIGIT = 44
ROUNDS = 12
CANVAS_PX, HEIGHT_PX = 40, 26.0
BLURS_PX = (1.0, 4.0)
SHAKEN_SHARE = 0.3  # of the digits are drawn as a moving camera sees them ...
SHAKEN_PX = 6.0  # ... moved at most so far while it looked
FAINTEST = 0.2  # ink that is fainter is not seen
SKEW_DEG = 4.0  # how far from upright a digit may be whose tile is


def drawn(digit: int, count: int, rng: np.random.Generator) -> Floats:
    """Normal patches of one digit by `count` hands, (count, SIDE, SIDE)."""
    patches = []
    for _ in range(count):
        hand = random_hand(rng)
        ink = draw(digit, hand, CANVAS_PX, HEIGHT_PX, float(rng.uniform(*BLURS_PX)))
        if rng.random() < SHAKEN_SHARE:
            ink = _shaken(ink, float(rng.uniform(2, SHAKEN_PX)), float(rng.uniform(0, np.pi)))
        turned = normal_patches(ink, [float(rng.normal(0, SKEW_DEG))])
        assert turned is not None
        patches.append(turned[0])
    return np.array(patches, np.float32)


def _shaken(ink: Floats, length: float, direction: float) -> Floats:
    """Ink that moved along a line while it was looked at; its strongest is full ink again."""
    steps = np.linspace(-0.5, 0.5, 7) * length
    height, width = ink.shape
    total = np.zeros_like(ink)
    for step in steps:
        dy, dx = round(step * np.sin(direction)), round(step * np.cos(direction))
        total += np.roll(ink, (dy, dx), axis=(0, 1))
    total /= np.quantile(total[total > 0], 0.8)
    assert total.shape == (height, width)
    return np.where(total < FAINTEST, 0, np.minimum(total, 1)).astype(np.float32)


def grouped(flat: Floats, count: int, rng: np.random.Generator) -> Floats:
    """The middles of `count` groups of rows (n, m): k-means by correlation."""
    middles = flat[rng.permutation(len(flat))[:count]]
    for _ in range(ROUNDS):
        nearest = (flat @ middles.T).argmax(axis=1)
        sums = [flat[nearest == k].sum(axis=0) if (nearest == k).any() else middles[k] for k in range(count)]
        middles = standardised(np.array(sums, np.float32))
    return middles


def templates_of(digit: int, rng: np.random.Generator) -> list[bytes]:
    """The templates of one digit, each `SIDE` times `SIDE` levels."""
    flat = standardised(drawn(digit, HANDS, rng).reshape(HANDS, SIDE * SIDE))
    templates = []
    for middle in grouped(flat, TEMPLATES_A_DIGIT, rng):
        low, high = float(middle.min()), float(middle.max())
        templates.append(np.rint((middle - low) / (high - low) * LEVELS).astype(np.uint8).tobytes())
    return templates


def main(target: Path) -> None:
    """Writes the templates to `target`."""
    templates: list[str] = []
    digits: list[int] = []
    for digit in range(10):
        rng = np.random.default_rng(SEED + digit)
        templates += [base64.b64encode(levels).decode() for levels in templates_of(digit, rng)]
        digits += [digit] * TEMPLATES_A_DIGIT
    target.write_text(json.dumps({"side": SIDE, "digits": digits, "templates": templates}, indent=0) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("tile_digits.json"))
