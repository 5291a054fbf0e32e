"""How likely a sample's colour is for each thing that a well may hold.

Colours are relative to white paper in the same light. Each likelihood allows for shade: in shade a surface is darker
and takes on the tint of the light that still reaches it, the same for every surface in a picture.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.colour import Colours
from vision.reading import Content

Scores = NDArray[np.float32]

LOG_2PI = float(np.log(2 * np.pi))
SENSOR_NOISE = 0.0015  # of full scale, linear: noise of a working picture's pixel, which blurs the chroma of dark ones
# Density of "anything at all" over brightness (5 wide) and chroma (4 by 4): what no surface explains better than this
# is something foreign
ANYTHING = -float(np.log(5 * 4 * 4))
DEEPEST_SHADE = 2.6  # how much darker than in the light a board's shaded part may be, natural logarithm
GLEAM = 0.8  # how much brighter than its mean a bare board's brightest gleam is
DEEPEST_SHADE_OF_SPHERES = 2.0
LIT_SPHERES = 0.5  # of a sphere's samples that are in full light; others as the board around ...
SHADED_SPHERES = 0.2  # ... and this share of their samples that shadows of other things make darker
LIT_SHARE = 0.4  # of bare board that is in full light; more is as light as the board around ...
SHADE_SHARE = 0.25  # ... and this share may be anything, as at the edge of a shadow
SHADE_BEGINS = 0.3  # darker than this is a shadow and not the board's own pattern
BOARD_STRAY = 0.15  # samples farther off in tint are not bare board
MIN_SHADED = 40  # samples below which nothing is learned of shadows
LEAST_SCATTER, MAX_SCATTER, MAX_SLOPE = 0.1, 0.2, 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Tint:
    """A surface's colour relative to white paper, (3,), and how far its samples stray, (3,)."""

    mean: Colours
    spread: Colours


@dataclass(frozen=True, slots=True)
class Hue:
    """A coloured sphere of which only the name is known: the direction of its chroma, radians."""

    direction: float


Surface = Tint | Hue

HUE_SPREAD = float(np.deg2rad(16))
SATURATION, SATURATION_SPREAD = 2.1, 0.9  # length of the chroma of painted spheres
COLOURED_BRIGHTNESS, COLOURED_BRIGHTNESS_SPREAD = -1.9, 1.0

WHITE = Tint(np.array([-0.25, 0.08, -0.02], np.float32), np.array([0.45, 0.12, 0.07], np.float32))
BLACK = Tint(np.array([-3.0, 0.0, 0.06], np.float32), np.array([0.5, 0.15, 0.12], np.float32))


def normal(distance: Scores, spread: Scores | float) -> Scores:
    """Logarithm of a normal density."""
    return np.asarray(-0.5 * (distance / spread) ** 2 - np.log(spread) - 0.5 * LOG_2PI, np.float32)


@dataclass(frozen=True, slots=True)
class Shade:
    """How light in the shade differs from full light: by `slope` in warmth per unit of depth, give or take.

    Depth is the logarithm of brightness, negative in the shade; `scatter` is the give and take, per unit of depth.
    """

    slope: float
    scatter: float


def chroma_scores(z: Colours, chroma: Colours, spread: Colours, depth: Scores, shade: Shade, blur: Scores) -> Scores:
    """Log density of the chroma of samples z (..., 3) of a surface of that chroma (..., 2) at that depth in the shade.

    `blur` (...) widens it by noise, `spread` (2,) by the surface's own pattern.
    """
    off = z[..., 1:] - chroma
    along = off[..., 0] - shade.slope * depth
    across = off[..., 1]
    wide = float(spread[1]) ** 2 + blur**2
    wider = float(spread[0]) ** 2 + blur**2 + (shade.scatter * depth) ** 2
    return np.asarray(
        -0.5 * (along**2 / wider + across**2 / wide + np.log(wider) + np.log(wide)) - LOG_2PI, np.float32
    )


def surface_scores(z: Colours, surface: Surface, around: Scores, shade: Shade, blur: Scores) -> Scores:
    """Log density of samples z (..., 3) if they show this surface; `around` (...): depth of the shade on the board there."""
    if isinstance(surface, Hue):
        chroma = z[..., 1:]
        saturation = np.hypot(chroma[..., 0], chroma[..., 1])
        off = np.arctan2(chroma[..., 1], chroma[..., 0]) - surface.direction
        off = (off + np.pi) % (2 * np.pi) - np.pi
        return np.asarray(
            normal(off, HUE_SPREAD)
            + normal(np.minimum(saturation - SATURATION, 0), SATURATION_SPREAD)
            - np.log(np.clip(saturation, 0.3, SATURATION))
            + normal(z[..., 0] - COLOURED_BRIGHTNESS, COLOURED_BRIGHTNESS_SPREAD),
            np.float32,
        )
    off = z[..., 0] - surface.mean[0]
    firm = Shade(shade.slope, LEAST_SCATTER)
    chroma_part = chroma_scores(z, surface.mean[1:], surface.spread[1:], np.minimum(off, 0), firm, blur)
    inside = (off > -DEEPEST_SHADE_OF_SPHERES) & (off < GLEAM)
    shaded = np.where(inside, np.log(SHADED_SPHERES / (DEEPEST_SHADE_OF_SPHERES + GLEAM)), -30.0)
    lit = np.log(LIT_SPHERES) + normal(off, float(surface.spread[0]))
    alike = np.log(1 - LIT_SPHERES - SHADED_SPHERES) + normal(off - around, float(surface.spread[0]))
    return np.asarray(np.logaddexp(np.logaddexp(lit, alike), shaded) + chroma_part, np.float32)


def surface_strays(middles: Colours, surface: Surface, content: Content, shade: Shade) -> Scores:
    """Nats by which discs' median colours (wells, 3) stray from a surface's: (wells,).

    Samples of a sphere vary with what shines on and in it, their median hardly.
    """
    if isinstance(surface, Hue):
        return np.zeros(len(middles), np.float32)
    brightness, warmth, tint = (middles - surface.mean).T
    depth = np.minimum(brightness, 0)
    spread = MIDDLE_SPREADS[content]
    strays = [(warmth - shade.slope * depth) / (spread[1] - LEAST_SCATTER * depth), tint / spread[2]]
    strays.append(np.maximum(brightness, 0) / spread[0])
    return np.asarray(sum(np.minimum(s**2, STRAY_LIMIT) for s in strays) / 2, np.float32)


def board_scores(
    z: Colours, board: Colours, spread: Colours, around: Scores, shade: Shade, blur: Scores
) -> Scores:
    """Log density of samples z (..., 3) if they show bare board of tint `board` (..., 3), in the light or in a shadow.

    `around` (...): how deep in the shade the board around is.
    """
    off = z[..., 0] - board[..., 0]
    width = float(spread[0])
    lit = np.log(LIT_SHARE) + normal(off, width)
    alike = np.log(1 - LIT_SHARE - SHADE_SHARE) + normal(off - around, width)
    inside = (off > -DEEPEST_SHADE) & (off < GLEAM)
    shaded = np.where(inside, np.log(SHADE_SHARE / (DEEPEST_SHADE + GLEAM)), -30.0)
    brightness = np.logaddexp(np.logaddexp(lit, alike), shaded)
    chroma_part = chroma_scores(z, board[..., 1:], spread[1:], np.minimum(off, 0), shade, blur)
    return np.asarray(brightness + chroma_part, np.float32)


def noise_blur(raw: Colours) -> Scores:
    """How much sensor noise blurs the chroma of samples of this absolute colour (..., 3): (...)."""
    return np.asarray(SENSOR_NOISE / np.exp(raw[..., 0]), np.float32)


def fit_shade(off: Colours) -> Shade:
    """How the light changes in the shade, from samples (n, 3) less the lit bare board's colour, most of them bare board."""
    depth, along, across = off[:, 0], off[:, 1], off[:, 2]
    shaded = (depth < -SHADE_BEGINS) & (depth > -DEEPEST_SHADE) & (np.abs(across) < BOARD_STRAY)
    if shaded.sum() < MIN_SHADED:
        return Shade(0.0, LEAST_SCATTER)
    ratio = along[shaded] / depth[shaded]
    slope = float(np.clip(np.median(ratio), -MAX_SLOPE, MAX_SLOPE))
    scatter = float(np.clip(1.48 * np.median(np.abs(ratio - slope)), LEAST_SCATTER, MAX_SCATTER))
    return Shade(slope, scatter)


Palette = Mapping[Content, Surface]
# How far the median of a disc strays in brightness (upward: downward lies shade), warmth and tint
MIDDLE_SPREADS = {
    Content.WHITE: (0.5, 0.12, 0.05),
    Content.BLACK: (0.4, 0.3, 0.12),
    Content.WHITE_COLOURED: (0.6, 0.35, 0.25),
    Content.BLACK_COLOURED: (0.6, 0.35, 0.25),
}
STRAY_LIMIT = 25.0  # of a single squared deviation
