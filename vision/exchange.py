"""Does the camera give red for blue? Told from the board's own tint, and from coloured spheres whose colours are named.

Which of the two formats a camera really delivers is a common mistake (see raspberrypi/picamera2#848).
"""

from collections.abc import Mapping

import numpy as np

from vision.appearance import SeenColour, Surface
from vision.colour import Colours, colours_of
from vision.palette import COLOURED
from vision.reading import Content

TELLS_APART = 0.25  # how far a tint must lie from its own exchange to say anything
MUCH_NEARER = 0.4  # share of the way, below which one is much nearer than the other
CHROMATIC = 0.6  # least length of a sphere's chroma that says anything

# Brightness, warmth and tint of a change in blue, green and red alone; from colours back to those, exchanged, and again
_OF_BGR = colours_of(np.eye(3, dtype=np.float32))
_EXCHANGED = np.linalg.inv(_OF_BGR) @ np.eye(3, dtype=np.float32)[::-1] @ _OF_BGR


def exchanged(colours: Colours) -> Colours:
    """Colours (..., 3) relative to white as they are with red and blue exchanged."""
    return np.asarray(colours @ _EXCHANGED, np.float32)


def board_exchanged(tint: Colours, known: Colours) -> bool:
    """Does a board of this `tint` (3,) relative to paper look like the `known` one (3,) with red and blue exchanged?"""
    seen, right, wrong = tint[1:], known[1:], exchanged(known)[1:]
    if float(np.linalg.norm(wrong - right)) < TELLS_APART:
        return False
    return float(np.linalg.norm(seen - wrong)) < MUCH_NEARER * float(np.linalg.norm(seen - right))


def spheres_exchanged(seen: Mapping[Content, Surface], hues: Mapping[Content, float]) -> bool:
    """Do the coloured spheres (`seen`) have their names' hues, radians, only with red and blue exchanged?

    A red sphere and a blue one whose names stand the wrong way round in the settings look the same: this cannot tell.
    """
    off: list[tuple[float, float]] = []
    for content in COLOURED:
        surface = seen.get(content)
        if not isinstance(surface, SeenColour) or content not in hues:
            return False
        ways = (surface.mean, exchanged(surface.mean))
        if any(float(np.hypot(*way[1:])) < CHROMATIC for way in ways):
            return False
        here, there = (abs(_turn(float(np.arctan2(way[2], way[1])) - hues[content])) for way in ways)
        off.append((here, there))
    return all(there < MUCH_NEARER * here for here, there in off)


def _turn(angle: float) -> float:
    """The same angle between -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi
