"""Colours as logarithms of linear light: a change of light is a shift, and the names of hues are directions.

The three numbers are brightness, warmth and tint. In logarithms of colour the light of lamps and skies, from cold to
warm, lies on one line: Planck's law in Wien's form, at the middles of a camera's red, green and blue (610, 540 and
465 nm), gives its direction. Warmth is measured along it, tint across it: so tint hardly depends on the lamp, nor on
whether it is a lamp's light or a window's that a shadow keeps away.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput

Colours = NDArray[np.float32]  # (..., 3): brightness, warmth, tint; natural logarithms

DARK_FLOOR = 0.004  # of full scale: a camera's stray light and rounding; keeps logarithms of black finite
GREEN_WEIGHT = 0.6  # of green in brightness, the rest red: blue is noisy and falls to nothing under warm lamps

# sRGB to linear light (IEC 61966-2-1), then the logarithm, for each of the 256 levels
_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
LOG_OF_LEVEL = np.log(_LINEAR + DARK_FLOOR).astype(np.float32)

# First red against green and blue against yellow, then turned so that the lamps' line is the first axis
_OPPONENT = np.array([[0.0, 2 / 6**0.5], [-1 / 2**0.5, -1 / 6**0.5], [1 / 2**0.5, -1 / 6**0.5]])
_LAMPS = np.array([0.415, -0.910])
_TURN = np.array([[_LAMPS[0], -_LAMPS[1]], [_LAMPS[1], _LAMPS[0]]])
_BRIGHTNESS = np.array([[0.0], [GREEN_WEIGHT], [1 - GREEN_WEIGHT]])
_FROM_BGR = np.concatenate([_BRIGHTNESS, _OPPONENT @ _TURN], axis=1).astype(np.float32)

# Directions of painted surfaces in the plane of warmth and tint, degrees
HUES_DEG = {
    "red": 40.0,
    "orange": 8.0,
    "yellow": -15.0,
    "green": -120.0,
    "turquoise": -148.0,
    "cyan": -148.0,
    "blue": 180.0,
    "purple": 105.0,
    "violet": 125.0,
    "magenta": 80.0,
    "pink": 65.0,
}


# How bright they usually are against white paper, natural logarithm; pigments do not differ much in that
PAINT_BRIGHTNESS = {
    "red": -2.1,
    "orange": -1.6,
    "yellow": -0.8,
    "green": -2.2,
    "turquoise": -1.9,
    "cyan": -1.9,
    "blue": -2.8,
    "purple": -2.6,
    "violet": -2.7,
    "magenta": -2.0,
    "pink": -1.2,
}


def log_levels(bgr: NDArray[np.uint8]) -> Colours:
    """Logarithms of the linear light of pixels (..., 3) BGR."""
    if bgr.size == 0:
        return np.zeros(bgr.shape, np.float32)
    return np.asarray(cv2.LUT(bgr.reshape(-1, 3), LOG_OF_LEVEL), np.float32).reshape(bgr.shape)


def colours_of(levels: Colours) -> Colours:
    """Colours (..., 3) from logarithms of linear light (..., 3) BGR."""
    return np.asarray(levels @ _FROM_BGR, np.float32)


def brightness_of(levels: Colours) -> NDArray[np.float32]:
    """Brightness (...) alone, from logarithms of linear light (..., 3) BGR."""
    return np.asarray(levels[..., 1] * GREEN_WEIGHT + levels[..., 2] * (1 - GREEN_WEIGHT), np.float32)


def hue_of_name(name: str) -> float:
    """The direction of a named colour in the plane of warmth and tint, radians. Raises `BadInput` for other names."""
    try:
        return float(np.deg2rad(HUES_DEG[name.strip().lower()]))
    except KeyError:
        raise BadInput(f"[spheres] colour {name!r} is not known; known are {', '.join(HUES_DEG)}") from None


def brightness_of_name(name: str) -> float:
    """The usual brightness of a sphere of a named colour against white paper. Raises `BadInput` for other names."""
    hue_of_name(name)
    return PAINT_BRIGHTNESS[name.strip().lower()]
