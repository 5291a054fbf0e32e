"""How likely a colour is for each thing that a well may hold.

Colours are relative to white paper in the same light. Every likelihood allows for shade: in the shade a surface is
darker and takes on the warmth of the light that still reaches it, the same for all surfaces in a picture.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.colour import Colours
from vision.reading import Content

Scores = NDArray[np.float32]

# Density of "anything at all" over brightness (5 wide) and chroma (4 by 4): what no surface explains better than this
# is something foreign
ANYTHING = -float(np.log(5 * 4 * 4))
SENSOR_NOISE = 0.0015  # of full scale, linear: noise of a working picture's pixel, which blurs the chroma of dark ones
IMPOSSIBLE = -30.0

DEEPEST_SHADE = 2.6  # how much darker than in the light a board's shaded part may be, natural logarithm
GLEAM = 0.8  # how much brighter than usual a bare board's brightest gleam is
LIT_BOARD, SHADED_BOARD = 0.4, 0.25  # shares of bare board in full light, and of any brightness (a shadow's edge)
DEEPEST_SHADE_OF_SPHERES = 2.0
LIT_SPHERES, SHADED_SPHERES = 0.5, 0.2  # the same of spheres; what is left is shaded as the board around is

SHADE_BEGINS = 0.3  # darker than this is a shadow and not the board's own pattern
BOARD_STRAY = 0.15  # samples farther off in tint are not bare board
MIN_SHADED = 40  # samples below which nothing is learned of shadows
LEAST_SCATTER, MAX_SCATTER, MAX_SLOPE = 0.1, 0.2, 0.8

HUE_SPREAD = float(np.deg2rad(16))
SATURATION, SATURATION_SPREAD = 2.0, 0.6  # least length of the chroma of painted spheres, usually
COLOURED_BRIGHTNESS_SPREAD = 1.0

# How far the median of a sphere's disc strays in brightness (upward: downward lies shade), warmth and tint
MIDDLE_SPREADS = {
    Content.WHITE: (0.5, 0.12, 0.05),
    Content.BLACK: (0.3, 0.3, 0.12),
    Content.WHITE_COLOURED: (0.6, 0.35, 0.25),
    Content.BLACK_COLOURED: (0.6, 0.35, 0.25),
}
# How much deeper in the shade than the board around it a white sphere may be, and how sharp that limit is
SHADED_ALONE, SHADED_ALONE_SPREAD = 0.5, 0.15
STRAY_LIMIT = 25.0  # of a single squared deviation
SPHERE_STRAY_ALLOWED = 8.0  # nats of deviation at which a disc is as likely something else as that sphere


@dataclass(frozen=True, slots=True, eq=False)
class SeenColour:
    """A surface's colour relative to white paper, (3,), and how far its samples stray, (3,)."""

    mean: Colours
    spread: Colours


@dataclass(frozen=True, slots=True)
class NamedColour:
    """A coloured sphere of which only the name is known: the direction of its chroma, radians, and its brightness."""

    hue: float
    brightness: float


Surface = SeenColour | NamedColour

# Any white and any black sphere, as many makes show them
WHITE = SeenColour(np.array([-0.25, 0.08, -0.02], np.float32), np.array([0.45, 0.12, 0.07], np.float32))
BLACK = SeenColour(np.array([-3.0, 0.0, 0.06], np.float32), np.array([0.5, 0.15, 0.12], np.float32))


@dataclass(frozen=True, slots=True)
class Shade:
    """How light in the shade differs from full light: in warmth by `slope` per unit of depth, give or take `scatter`.

    Depth is the logarithm of brightness, negative in the shade.
    """

    slope: float
    scatter: float


def normal(distance: NDArray[np.floating], spread: float) -> Scores:
    """Logarithm of a normal density."""
    return np.asarray(-0.5 * (distance / spread) ** 2 - np.log(spread * np.sqrt(2 * np.pi)), np.float32)


def noise_blur(absolute: Colours) -> Scores:
    """By how much sensor noise blurs the chroma of samples of this absolute colour (..., 3): (...)."""
    return np.asarray(SENSOR_NOISE * np.exp(-absolute[..., 0]), np.float32)


def fit_shade(off: Colours) -> Shade:
    """How the light changes in the shade, from samples (n, 3) less the lit bare board's colour, most of them bare."""
    depth, warmth, tint = off.T
    shaded = (depth < -SHADE_BEGINS) & (depth > -DEEPEST_SHADE) & (np.abs(tint) < BOARD_STRAY)
    if shaded.sum() < MIN_SHADED:
        return Shade(0.0, LEAST_SCATTER)
    ratio = warmth[shaded] / depth[shaded]
    slope = float(np.clip(np.median(ratio), -MAX_SLOPE, MAX_SLOPE))
    scatter = float(np.clip(1.48 * np.median(np.abs(ratio - slope)), LEAST_SCATTER, MAX_SCATTER))
    return Shade(slope, scatter)


def chroma_scores(off: Colours, spread: Colours, shade: Shade, blur: Scores) -> Scores:
    """Log density of the chroma of samples whose colours are `off` (..., 3) from a surface of that spread (3,).

    `blur` (...) widens it by noise.
    """
    depth = np.minimum(off[..., 0], 0)
    noise = blur * blur
    tint = noise + np.float32(spread[2] ** 2)
    warmth = noise + np.float32(spread[1] ** 2) + np.float32(shade.scatter**2) * depth * depth
    astray = (off[..., 1] - np.float32(shade.slope) * depth) ** 2 / warmth + off[..., 2] ** 2 / tint
    return np.asarray(-0.5 * (astray + np.log(warmth * tint)) - np.log(2 * np.pi), np.float32)


def brightness_scores(off: Scores, around: Scores, spread: float, lit: float, shaded: float, deepest: float) -> Scores:
    """Log density of brightness `off` (...) from a surface's in full light.

    A share `lit` of it is in full light, a share `shaded` anywhere down to `deepest`, the rest as deep in the shade as
    the board around, `around` (...).
    """
    at_edge = np.where((off > -deepest) & (off < GLEAM), shaded / (deepest + GLEAM), np.exp(IMPOSSIBLE))
    scale = 1 / (spread * np.sqrt(2 * np.pi))
    in_light = np.exp(-0.5 * (off / spread) ** 2) * (lit * scale)
    alike = np.exp(-0.5 * ((off - around) / spread) ** 2) * ((1 - lit - shaded) * scale)
    return np.asarray(np.log(at_edge + in_light + alike), np.float32)


def board_scores(off: Colours, around: Scores, spread: Colours, shade: Shade, blur: Scores) -> Scores:
    """Log density of samples whose colours are `off` (..., 3) from the bare board's, if that is what they show."""
    brightness = brightness_scores(off[..., 0], around, float(spread[0]), LIT_BOARD, SHADED_BOARD, DEEPEST_SHADE)
    return np.asarray(brightness + chroma_scores(off, spread, shade, blur), np.float32)


def sphere_scores(z: Colours, surface: Surface, around: Scores, shade: Shade, blur: Scores) -> Scores:
    """Log density of samples z (..., 3) if they show a sphere of this surface."""
    if isinstance(surface, NamedColour):
        return named_scores(z, surface)
    off = z - surface.mean
    firm = Shade(shade.slope, LEAST_SCATTER)
    brightness = brightness_scores(
        off[..., 0], around, float(surface.spread[0]), LIT_SPHERES, SHADED_SPHERES, DEEPEST_SHADE_OF_SPHERES
    )
    return np.asarray(brightness + chroma_scores(off, surface.spread, firm, blur), np.float32)


def named_scores(z: Colours, surface: NamedColour) -> Scores:
    """Log density of samples z (..., 3) if they show a sphere of which only the colour's name is known."""
    saturation = np.hypot(z[..., 1], z[..., 2])
    off = np.arctan2(z[..., 2], z[..., 1]) - np.float32(surface.hue)
    off -= np.float32(2 * np.pi) * np.rint(off * np.float32(1 / (2 * np.pi)))
    return np.asarray(
        normal(off, HUE_SPREAD)
        + normal(np.minimum(saturation - SATURATION, 0), SATURATION_SPREAD)
        - np.log(np.clip(saturation, 0.3, SATURATION))
        + normal(z[..., 0] - np.float32(surface.brightness), COLOURED_BRIGHTNESS_SPREAD),
        np.float32,
    )


def sphere_strays(middles: Colours, surface: Surface, content: Content, shade: Shade, around: Scores) -> Scores:
    """Nats by which discs' median colours (wells, 3) stray from a sphere's: (wells,).

    Samples of a sphere vary with what shines on and in it, their median hardly. Where the board around it (`around`,
    (wells, 1)) lies in the light, a white sphere is not in deep shade: then it is a black one behind a veil of glare.
    """
    if isinstance(surface, NamedColour):
        return np.zeros(len(middles), np.float32)
    brightness, warmth, tint = (middles - surface.mean).T
    depth = np.minimum(brightness, 0)
    spread = MIDDLE_SPREADS[content]
    strays = [
        np.maximum(brightness, 0) / spread[0],
        (warmth - shade.slope * depth) / (spread[1] - LEAST_SCATTER * depth),
        tint / spread[2],
    ]
    if content is Content.WHITE:
        strays.append(np.minimum(brightness - np.minimum(around[:, 0], 0) + SHADED_ALONE, 0) / SHADED_ALONE_SPREAD)
    return np.asarray(sum(np.minimum(s**2, STRAY_LIMIT) for s in strays) / 2, np.float32)
