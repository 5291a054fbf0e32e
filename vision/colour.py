"""Colours as logarithms of linear light: a change of light is a shift, and the names of hues are directions."""

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput

Colours = NDArray[np.float32]  # (..., 3): brightness, red against green, blue against yellow; natural logarithms

DARK_FLOOR = 0.004  # of full scale: a camera's stray light and rounding; keeps logarithms of black finite
GREEN_WEIGHT = 0.6  # of green in brightness, the rest red: blue is noisy and falls to nothing under warm lamps

# sRGB to linear light (IEC 61966-2-1), then the logarithm, for each of the 256 levels
_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
LOG_OF_LEVEL = np.log(_LINEAR + DARK_FLOOR).astype(np.float32)

_FROM_BGR = np.array(
    [
        [0.0, 0.0, 2 / 6**0.5],
        [GREEN_WEIGHT, -1 / 2**0.5, -1 / 6**0.5],
        [1 - GREEN_WEIGHT, 1 / 2**0.5, -1 / 6**0.5],
    ],
    np.float32,
)

# Directions of surface colours in the plane (red against green, blue against yellow), degrees, as paints have them
HUES_DEG = {
    "red": -25.0,
    "orange": -57.0,
    "yellow": -80.0,
    "green": 175.0,
    "turquoise": 146.0,
    "cyan": 146.0,
    "blue": 114.0,
    "purple": 40.0,
    "violet": 60.0,
    "magenta": 15.0,
    "pink": 0.0,
}


def log_colours(bgr: NDArray[np.uint8]) -> Colours:
    """Pixels (..., 3) BGR to colours (..., 3)."""
    return np.asarray(LOG_OF_LEVEL[bgr] @ _FROM_BGR, np.float32)


def hue_of_name(name: str) -> float:
    """The direction of a named colour, radians; raises `BadInput` for a name that is not known."""
    try:
        return float(np.deg2rad(HUES_DEG[name.strip().lower()]))
    except KeyError:
        known = ", ".join(HUES_DEG)
        raise BadInput(f"[spheres] colour {name!r} is not known; known are {known}") from None
