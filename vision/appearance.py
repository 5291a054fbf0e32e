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
SHADE_SHARE = 0.25  # of bare board that lies in shade, to begin with
GLEAM = 0.8  # how much brighter than its mean a bare board's brightest gleam is


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

HUE_SPREAD = float(np.deg2rad(13))
SATURATION, SATURATION_SPREAD = 2.1, 0.7  # length of the chroma of painted spheres
COLOURED_BRIGHTNESS, COLOURED_BRIGHTNESS_SPREAD = -1.9, 0.8

WHITE = Tint(np.array([-0.25, 0.02, -0.08], np.float32), np.array([0.45, 0.09, 0.12], np.float32))
BLACK = Tint(np.array([-3.0, 0.05, 0.03], np.float32), np.array([0.5, 0.15, 0.15], np.float32))


def normal(distance: Scores, spread: Scores | float) -> Scores:
    """Logarithm of a normal density."""
    return np.asarray(-0.5 * (distance / spread) ** 2 - np.log(spread) - 0.5 * LOG_2PI, np.float32)


def chroma_scores(z: Colours, expected: Colours, spread: Colours, blur: Scores) -> Scores:
    """Log density of the chroma of samples z (..., 3) around `expected` (..., 2); `blur` (...) widens it."""
    variance = spread**2 + blur[..., None] ** 2
    off = z[..., 1:] - expected
    return np.asarray(np.sum(-0.5 * off**2 / variance - 0.5 * np.log(variance), axis=-1) - LOG_2PI, np.float32)


def surface_scores(z: Colours, surface: Surface, shade: Colours, blur: Scores) -> Scores:
    """Log density of samples z (..., 3) if they show this surface. `shade` (2,): chroma gained per unit of shade."""
    if isinstance(surface, Hue):
        chroma = z[..., 1:]
        saturation = np.hypot(chroma[..., 0], chroma[..., 1])
        off = np.arctan2(chroma[..., 1], chroma[..., 0]) - surface.direction
        off = (off + np.pi) % (2 * np.pi) - np.pi
        return np.asarray(
            normal(off, HUE_SPREAD)
            + normal(saturation - SATURATION, SATURATION_SPREAD)
            - np.log(np.maximum(saturation, 0.3))
            + normal(z[..., 0] - COLOURED_BRIGHTNESS, COLOURED_BRIGHTNESS_SPREAD),
            np.float32,
        )
    off = z[..., 0] - surface.mean[0]
    expected = surface.mean[1:] + shade * np.minimum(off, 0)[..., None]
    return np.asarray(
        normal(off, float(surface.spread[0])) + chroma_scores(z, expected, surface.spread[1:], blur), np.float32
    )


def board_scores(z: Colours, board: Colours, spread: Colours, shade: Colours, blur: Scores) -> Scores:
    """Log density of samples z if they show bare board of tint `board` (..., 3), in the light or in a shadow."""
    off = z[..., 0] - board[..., 0]
    expected = board[..., 1:] + shade * np.minimum(off, 0)[..., None]
    lit = np.log(1 - SHADE_SHARE) + normal(off, float(spread[0]))
    inside = (off > -DEEPEST_SHADE) & (off < GLEAM)
    shaded = np.where(inside, np.log(SHADE_SHARE / (DEEPEST_SHADE + GLEAM)), -30.0)
    return np.asarray(np.logaddexp(lit, shaded) + chroma_scores(z, expected, spread[1:], blur), np.float32)


def noise_blur(raw: Colours) -> Scores:
    """How much sensor noise blurs the chroma of samples of this absolute colour (..., 3): (...)."""
    return np.asarray(SENSOR_NOISE / np.exp(raw[..., 0]), np.float32)


def fit_shade(z: Colours, board: Colours) -> Colours:
    """How the chroma of bare board changes with shade, (2,), from samples z (n, 3) most of which are bare board."""
    off = z - board
    depth = np.minimum(off[..., 0], 0).ravel()
    deep = depth < -SHADE_BEGINS
    if deep.sum() < MIN_SHADED:
        return np.zeros(2, np.float32)
    x, y = depth[deep], off[..., 1:].reshape(-1, 2)[deep]
    slope = np.zeros(2, np.float32)
    for _ in range(4):
        weight = 1 / (1 + np.sum(((y - x[:, None] * slope) / SHADE_SCATTER) ** 2, axis=1)) ** 2
        bend = (weight * x) @ y / ((weight * x) @ x + SHADE_RIDGE)
        slope = np.clip(bend, -MAX_SHADE_SLOPE, MAX_SHADE_SLOPE)
    return np.asarray(slope, np.float32)


SHADE_BEGINS = 0.4  # darker than this (natural logarithm) is a shadow and not the board's own pattern
MIN_SHADED = 60  # samples below which nothing is learned of shadows
SHADE_SCATTER = 0.12
SHADE_RIDGE = 20.0
MAX_SHADE_SLOPE = 0.35

Palette = Mapping[Content, Surface]
