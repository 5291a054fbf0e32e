"""What befalls a simulated table's camera: where it and the board stand, the light, what lies on the markers."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulator.view import USUAL_STAND, Floats, Stand, View

Picture = NDArray[np.uint8]

GAMMA = 2.2
"""Levels of a picture are the linear light to the power of 1 / 2.2, nearly (IEC 61966-2-1)."""
LAMP_COLOUR = np.array([0.75, 0.95, 1.05], np.float32)
"""A lamp's light against the window's, BGR: warm white against daylight."""
LAMP_AT = (0.25, 0.30)
"""Where in the picture (-1 to 1 each way) the lamp is nearest."""
CARD_OF_MARKER = 1.9
"""Side of what lies on a marker, in marker sides."""
CARD_Z_MM = 3.0
CARD_BGR = np.array([138.0, 120.0, 96.0])


@dataclass(frozen=True, slots=True)
class Spot:
    """A round patch of light: where its middle falls on the board and its radius, mm.

    `light` is what it adds to the light there, as a share; `glare` what it adds to every level, from 0 to 255: a lamp
    that is mirrored.
    """

    x_mm: float
    y_mm: float
    reach_mm: float
    light: float = 0.0
    glare: float = 0.0


@dataclass(frozen=True, slots=True)
class Lighting:
    """`lamp`: what the lamp adds to the usual light, as a share of it; negative where it has been switched off."""

    lamp: float = 0.0
    spot: Spot | None = None


USUAL_LIGHT = Lighting()


@dataclass(frozen=True, slots=True)
class Circumstances:
    """`covered` names the markers on which something lies."""

    stand: Stand = USUAL_STAND
    lighting: Lighting = USUAL_LIGHT
    covered: frozenset[int] = frozenset()


USUAL = Circumstances()


def cover_marker(picture: Picture, view: View, centre_mm: tuple[float, float], size_mm: float) -> None:
    """Lays something even and grey on a marker."""
    half = size_mm * CARD_OF_MARKER / 2
    x, y = centre_mm
    corners = np.array([(x + a * half, y + b * half, CARD_Z_MM) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    cv2.fillPoly(picture, [np.rint(view.project(corners)).astype(np.int32)], CARD_BGR.tolist(), cv2.LINE_AA)


def lit(picture: Picture, view: View, lighting: Lighting) -> Picture:
    """The picture in another light, seen with an exposure that is locked."""
    if lighting == USUAL_LIGHT:
        return picture
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.linspace(-1, 1, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32))
    near = np.exp(-((x - LAMP_AT[0]) ** 2 + (y - LAMP_AT[1]) ** 2) / 2.0)
    light = 1 + lighting.lamp * near[..., None] * LAMP_COLOUR
    glare = np.zeros((), np.float32)
    if lighting.spot is not None:
        inside = _spot(lighting.spot, view, (height, width))[..., None]
        light = light + lighting.spot.light * inside
        glare = np.float32(lighting.spot.glare) * inside
    levels = picture * np.maximum(light, 0.01) ** (1 / GAMMA) + glare
    return np.asarray(np.clip(levels, 0, 255).astype(np.uint8))


def _spot(spot: Spot, view: View, shape: tuple[int, int]) -> NDArray[np.float32]:
    """1 inside, 0 outside, soft at the edge."""
    middle: Floats = np.array([[spot.x_mm, spot.y_mm, 0.0]])
    (u, v), reach = view.project(middle)[0], view.scale(middle[0]) * spot.reach_mm
    row, column = np.ogrid[: shape[0], : shape[1]]
    away = np.hypot(row - v, column - u) / reach
    return np.asarray(1 / (1 + np.exp(np.clip((away - 1) * 14, -30, 30))), np.float32)
