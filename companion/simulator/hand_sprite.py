"""Pictures of a hand from above: modelled as a relief of round limbs, lit, and drawn once; then only moved about."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulator.view import LIGHT

PX_PER_MM = 1.75
LEFT_MM, RIGHT_MM, AHEAD_MM, BACK_MM = 70.0, 80.0, 40.0, 320.0
"""What a sprite covers, from the point between the finger tips; the arm comes from below."""
SKIN = np.array([0.50, 0.62, 0.84])
BLUSH = np.array([0.42, 0.47, 0.80])
SLEEVES = {"white": np.array([0.42, 0.30, 0.22]), "black": np.array([0.28, 0.36, 0.30])}
"""Colours, BGR of display values; each player wears another shirt."""

Joint = tuple[float, float, float, float]
"""A round point of a limb: x, y, height and radius in mm."""

GRIP: tuple[tuple[Joint, ...], ...] = (
    ((-14, -4, 10, 7.5), (-24, -28, 18, 9.0), (-27, -52, 24, 11.0), (-14, -92, 24, 14)),
    ((10, 13, 9, 6.6), (12, -5, 26, 7.8), (5, -31, 38, 9.0), (-8, -66, 36, 10.5), (-6, -100, 30, 13)),
    ((23, 7, 10, 6.8), (27, -9, 28, 8.0), (22, -35, 41, 9.4), (11, -68, 39, 11.0), (6, -102, 32, 13)),
    ((36, -7, 10, 6.4), (41, -21, 26, 7.6), (38, -44, 37, 8.8), (27, -72, 36, 10.4), (18, -104, 31, 13)),
    ((45, -24, 10, 5.6), (51, -36, 22, 6.6), (49, -56, 31, 7.8), (41, -79, 32, 9.6), (28, -108, 29, 12)),
)
FLAT: tuple[tuple[Joint, ...], ...] = (
    ((-52, -18, 9, 7.6), (-46, -40, 12, 9.2), (-34, -66, 15, 12.0), (-14, -98, 20, 15)),
    ((-20, 14, 7, 6.8), (-19, -8, 9, 7.8), (-15, -36, 13, 9.0), (-10, -70, 20, 11.5), (-6, -104, 24, 14)),
    ((5, 22, 7, 7.0), (6, -2, 9, 8.0), (7, -34, 13, 9.2), (8, -70, 21, 11.8), (6, -104, 25, 14)),
    ((29, 14, 7, 6.6), (28, -8, 9, 7.6), (27, -38, 13, 8.8), (25, -72, 20, 11.2), (18, -106, 24, 14)),
    ((53, -12, 7, 5.8), (51, -28, 9, 6.6), (46, -52, 12, 7.8), (39, -80, 18, 10.4), (28, -110, 23, 13)),
)
ARM: tuple[Joint, ...] = (
    (10, -112, 27, 20),
    (9, -142, 27, 20),
    (7, -172, 28, 20.5),
    (4, -230, 30, 25),
    (0, -380, 32, 30),
)
PALM: tuple[tuple[Joint, ...], ...] = (
    ((-4, -84, 26, 16), (4, -124, 25, 18)),
    ((14, -82, 27, 17), (12, -124, 25, 19)),
    ((28, -88, 25, 15), (18, -126, 24, 18)),
)
CUFF_MM = -196.0
"""Where the sleeve begins."""


@dataclass(frozen=True, slots=True, eq=False)
class HandSprite:
    """A hand from above, fingers up: `colour` BGR premultiplied by `cover`, shape (h, w, 3), and `cover` (h, w), uint8.

    The point between the finger tips lies at `origin` (pixels), `PX_PER_MM` pixels a mm.
    """

    colour: NDArray[np.uint8]
    cover: NDArray[np.uint8]
    shadow: NDArray[np.uint8]
    origin: tuple[float, float]


@lru_cache(maxsize=4)
def hand_sprite(flat: bool, player: str) -> HandSprite:
    """The open or the gripping hand of a player."""
    fine = PX_PER_MM * 2
    x = np.arange(-LEFT_MM, RIGHT_MM, 1 / fine, dtype=np.float32) + 0.5 / fine
    y = AHEAD_MM - (np.arange(0, AHEAD_MM + BACK_MM, 1 / fine, dtype=np.float32) + 0.5 / fine)
    xx, yy = np.meshgrid(x, y)
    fingers = FLAT if flat else GRIP
    height = np.full(xx.shape, -60.0, np.float32)
    for limb in fingers:
        height = np.maximum(height, _limb(xx, yy, limb))
    hand = height
    for limb in (*PALM, ARM):
        hand = _blend(hand, _limb(xx, yy, limb), 5.0)
    sleeve = yy < CUFF_MM + 2.5 * np.sin(xx / 9)
    cloth = _limb(xx, yy, tuple((a, b, c, r + 5.0) for a, b, c, r in ARM))
    folds = 1.4 * np.sin((yy + 0.5 * xx) / 7.0) * np.sin(xx / 13.0 + yy / 31.0)
    relief = np.where(sleeve, np.maximum(hand, np.where(cloth > -50, cloth + folds, cloth)), hand)
    cover = (relief > -50).astype(np.float32)
    # A sprite is drawn with its fingers up; Black's hand is shown the other way round, so the light comes from there.
    toward = LIGHT if player == "white" else LIGHT * np.array([-1.0, -1.0, 1.0])
    colour = _light_up(_paint(xx, yy, sleeve, fingers, SLEEVES[player]), relief, sleeve, toward)
    half = (xx.shape[1] // 2, xx.shape[0] // 2)
    small = cv2.resize(colour * cover[..., None], half, interpolation=cv2.INTER_AREA)
    share = cv2.resize(cover, half, interpolation=cv2.INTER_AREA)
    shadow = cv2.GaussianBlur(share, (0, 0), 5.0 * PX_PER_MM)
    origin = (LEFT_MM * PX_PER_MM - 0.5, AHEAD_MM * PX_PER_MM - 0.5)
    return HandSprite(_bytes(small), _bytes(share), _bytes(shadow), origin)


def _bytes(values: NDArray[Any]) -> NDArray[np.uint8]:
    return np.asarray(np.clip(values * 255 + 0.5, 0, 255).astype(np.uint8))


def _limb(x: NDArray[np.float32], y: NDArray[np.float32], joints: tuple[Joint, ...]) -> NDArray[np.float32]:
    """Height of a chain of round points swept from joint to joint; -60 beside it."""
    top = np.full(x.shape, -60.0, np.float32)
    for (ax, ay, az, ar), (bx, by, bz, br) in pairwise(joints):
        dx, dy = bx - ax, by - ay
        length2 = dx * dx + dy * dy
        reach = max(ar, br) + 1
        box = (
            (x > min(ax, bx) - reach)
            & (x < max(ax, bx) + reach)
            & (y > min(ay, by) - reach)
            & (y < max(ay, by) + reach)
        )
        px, py = x[box], y[box]
        u = np.clip(((px - ax) * dx + (py - ay) * dy) / length2, 0, 1)
        r = ar + (br - ar) * u
        gap2 = (px - ax - u * dx) ** 2 + (py - ay - u * dy) ** 2
        z = az + (bz - az) * u + np.sqrt(np.maximum(r * r - gap2, 0))
        top[box] = np.maximum(top[box], np.where(gap2 < r * r, z, -60.0))
    return top


def _blend(a: NDArray[np.float32], b: NDArray[np.float32], soft: float) -> NDArray[np.float32]:
    """The higher of two reliefs, with a rounded seam."""
    both = (a > -50) & (b > -50)
    h = np.clip(0.5 + 0.5 * (a - b) / soft, 0, 1)
    smooth = b + (a - b) * h + soft * h * (1 - h)
    return np.asarray(np.where(both, smooth, np.maximum(a, b)).astype(np.float32))


def _paint(
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    sleeve: NDArray[np.bool_],
    fingers: tuple[tuple[Joint, ...], ...],
    cloth: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Skin, redder at joints and tips, with nails; and the sleeve."""
    warm = np.zeros_like(x)
    for limb in fingers:
        for joint, strength in ((limb[0], 0.55), (limb[-3], 0.45), (limb[-2], 0.5)):
            d2 = (x - joint[0]) ** 2 + (y - joint[1]) ** 2
            warm += strength * np.exp(-d2 / (1.1 * joint[3]) ** 2)
    spots = np.random.default_rng(11).normal(size=(60, 24)).astype(np.float32)
    mottle = cv2.resize(spots, (x.shape[1], x.shape[0]), interpolation=cv2.INTER_CUBIC)
    skin = SKIN + (BLUSH - SKIN) * np.clip(warm + 0.07 * mottle, 0, 0.85)[..., None]
    skin = _nails(skin, x, y, fingers)
    weave = 1 + 0.05 * np.sin(x * 4.2) * np.sin(y * 4.2)
    return np.where(sleeve[..., None], cloth * weave[..., None] * 1.25, skin)


def _light_up(
    colour: NDArray[np.float64], relief: NDArray[np.float32], sleeve: NDArray[np.bool_], toward: NDArray[np.float64]
) -> NDArray[np.float32]:
    """The colours in the light from `toward`, darker in the hollows; skin shines a little."""
    cover = (relief > -50).astype(np.float32)
    base = np.where(relief > -50, relief, 0.0).astype(np.float32)
    smooth = cv2.GaussianBlur(base, (0, 0), 2.2)
    down, right = np.gradient(smooth, 1 / (PX_PER_MM * 2))
    lit = (-right * toward[0] + down * toward[1] + toward[2]) / np.sqrt(1 + right**2 + down**2)
    hollow = np.clip((base - _around(base, cover)) / 30 + 0.95, 0.62, 1.06)
    light = 0.40 + 0.62 * np.clip((lit + 0.15) / 1.15, 0, 1)
    shine = np.where(sleeve, 0, 0.05 * np.clip(lit, 0, 1) ** 18)
    return np.asarray(np.clip(colour * (light * hollow)[..., None] + shine[..., None], 0, 1).astype(np.float32))


def _around(base: NDArray[np.float32], cover: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean height of the surroundings, some 9 mm wide: what lies deeper gets less light."""
    shape = (base.shape[1], base.shape[0])
    small = (shape[0] // 4, shape[1] // 4)
    height, share = (cv2.resize(a, small, interpolation=cv2.INTER_AREA) for a in (base, cover))
    sigma = 9 * PX_PER_MM / 4
    mean = cv2.GaussianBlur(height, (0, 0), sigma) / np.maximum(cv2.GaussianBlur(share, (0, 0), sigma), 0.05)
    return np.asarray(cv2.resize(mean, shape, interpolation=cv2.INTER_LINEAR))


def _nails(
    skin: NDArray[np.float64], x: NDArray[np.float32], y: NDArray[np.float32], fingers: tuple[tuple[Joint, ...], ...]
) -> NDArray[np.float64]:
    """A nail on every finger's end."""
    nail = np.array([0.66, 0.70, 0.90])
    fine = PX_PER_MM * 2
    for limb in fingers:
        (ax, ay, _, r), (bx, by, _, _) = limb[0], limb[1]
        length = float(np.hypot(bx - ax, by - ay))
        ux, uy = (bx - ax) / length, (by - ay) / length
        row, column, reach = int((AHEAD_MM - ay) * fine), int((ax + LEFT_MM) * fine), int(2 * r * fine)
        near = slice(max(row - reach, 0), row + reach), slice(max(column - reach, 0), column + reach)
        dx, dy = x[near] - ax, y[near] - ay
        along, across = dx * ux + dy * uy, -dx * uy + dy * ux
        round_ = ((along - 0.15 * r) / (0.75 * r)) ** 2 + (across / (0.58 * r)) ** 2
        on = 0.55 * np.clip((1 - round_) / 0.25, 0, 1)[..., None]
        skin[near] = skin[near] * (1 - on) + nail * on
    return skin
