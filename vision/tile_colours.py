"""The colours of tiles: as named, or as somebody showed them. They may be of the tile's face or of its ink.

A glossy tile is bleached by glare but keeps the direction of its colour in the plane of warmth and tint; so the
direction tells the colour, and how strong and how bright it is counts only between colours that were shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision.colour import HUES_DEG, Colours

GREYS = {"white": 0.0, "grey": -1.4, "gray": -1.4, "black": -3.0}  # brightness against white paper, natural logarithms
NAMED_SD_DEG = 13.0  # of a paint's direction around that of its colour's name
SEEN_SD_DEG = 7.0  # ... around that of a tile that was shown
FAINT = 0.06  # strength of colour at which noise turns a direction by a radian
GREY_STRENGTH = 0.12  # of what is called white, grey or black, standard deviation
LEAST_HUE = 0.22  # strength of colour from which a tile that is shown has a hue
BRIGHTNESS_SD, STRENGTH_SD = 0.8, 0.6  # of one tile here and there on the mat; strength as a logarithm
GREY_BRIGHTNESS_SD = 0.6
ALIKE = 0.35  # distance of two colours below which nobody should use both


class Carrier(StrEnum):
    """What of a tile has its colour."""

    BODY = "body"
    INK = "ink"


@dataclass(frozen=True, slots=True)
class TileColour:
    """One colour. `hue` in radians, None for white, grey and black; `brightness`, `strength` None where only named."""

    name: str
    hue: float | None
    brightness: float | None = None
    strength: float | None = None

    def fits(self, colours: Colours) -> NDArray[np.float64]:
        """How well tiles' colours (n, 3), relative to white paper, fit: logarithms of likelihood, (n,)."""
        colours = np.asarray(colours, np.float64)
        strength = np.hypot(colours[:, 1], colours[:, 2])
        if self.hue is None:
            cost = (strength / GREY_STRENGTH) ** 2
            return np.asarray(-(cost + ((colours[:, 0] - (self.brightness or 0.0)) / GREY_BRIGHTNESS_SD) ** 2) / 2)
        sd = np.hypot(
            np.deg2rad(NAMED_SD_DEG if self.strength is None else SEEN_SD_DEG), FAINT / np.maximum(strength, 1e-3)
        )
        off = (np.arctan2(colours[:, 2], colours[:, 1]) - self.hue + np.pi) % (2 * np.pi) - np.pi
        cost = (off / sd) ** 2
        if self.brightness is not None and self.strength is not None:
            cost = cost + ((colours[:, 0] - self.brightness) / BRIGHTNESS_SD) ** 2
            cost = cost + (np.log(np.maximum(strength, 0.02) / self.strength) / STRENGTH_SD) ** 2
        return np.asarray(-cost / 2)


@dataclass(frozen=True, slots=True)
class TilePalette:
    """The colours of a game's tiles, and what of a tile has them."""

    colours: tuple[TileColour, ...]
    carrier: Carrier = Carrier.BODY

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(colour.name for colour in self.colours)

    def probabilities(self, colours: Colours) -> NDArray[np.float64]:
        """Which colour tiles are, (n, names), from their colours (n, 3) relative to paper, or their inks' to faces."""
        fits = np.stack([c.fits(colours) for c in self.colours], axis=1)
        hued = np.array([c.hue is not None for c in self.colours])
        if hued.any() and not hued.all():
            # with greys about, a tile of hardly any colour is hardly a coloured one
            strength = np.hypot(colours[:, 1], colours[:, 2]).astype(np.float64)
            faint = np.log1p(-np.exp(-((strength / LEAST_HUE) ** 2)) + 1e-9)
            fits = fits + np.where(hued, faint[:, None], 0.0)
        odds = np.exp(fits - fits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def named_palette(names: Sequence[str]) -> TilePalette:
    """Colours by their names. Raises `BadInput` for one that is not known, or named twice."""
    colours = []
    for name in dict.fromkeys(names):
        if name in GREYS:
            colours.append(TileColour(name, None, GREYS[name]))
        elif name in HUES_DEG:
            colours.append(TileColour(name, float(np.deg2rad(HUES_DEG[name]))))
        else:
            known = ", ".join([*HUES_DEG, *GREYS])
            raise BadInput(f"[try4] colours: {name!r} is not known; show a tile of it, or take one of {known}")
    if not colours:
        raise BadInput("[try4] colours: none is named; name at least one")
    return TilePalette(tuple(colours))


def seen_palette(names: Sequence[str], bodies: Colours, inks: Colours) -> TilePalette:
    """Colours as tiles show them, one tile for each name: their faces' colours (n, 3) and their inks' (n, 3).

    Whichever differ more between the tiles have the colour. Raises `BadInput` where two tiles look alike.
    """
    options = [(Carrier.BODY, np.asarray(bodies, np.float64)), (Carrier.INK, np.asarray(inks, np.float64))]
    carrier, seen = max(options, key=lambda option: _least_distance(option[1]))
    for i, first in enumerate(names):
        for j in range(i):
            if names[j] != first and _distance(seen[i], seen[j]) < ALIKE:
                raise BadInput(f"the tiles shown for {names[j]} and {first} look alike; use colours that differ more")
    return TilePalette(tuple(_shown(name, colour) for name, colour in zip(names, seen, strict=True)), carrier)


def _shown(name: str, colour: NDArray[np.float64]) -> TileColour:
    strength = float(np.hypot(colour[1], colour[2]))
    if strength < LEAST_HUE:
        return TileColour(name, None, float(colour[0]))
    return TileColour(name, float(np.arctan2(colour[2], colour[1])), float(colour[0]), strength)


def _distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Differences of hue count fully, of brightness little."""
    return float(np.sqrt((0.3 * (one[0] - other[0])) ** 2 + np.sum((one[1:] - other[1:]) ** 2)))


def _least_distance(seen: NDArray[np.float64]) -> float:
    pairs = [_distance(seen[i], seen[j]) for i in range(len(seen)) for j in range(i)]
    return min(pairs, default=0.0)


def bent(palette: TilePalette, colours: Colours, sure: float = 0.97) -> TilePalette:
    """A named palette with its hues as the picture's own tiles (n, 3) show them, where some plainly are of a colour."""
    if not len(colours):
        return palette
    p = palette.probabilities(colours)
    plain = (p.max(axis=1) >= sure) & (np.hypot(colours[:, 1], colours[:, 2]) > 2 * LEAST_HUE)
    best = p.argmax(axis=1)
    shifted = []
    for k, known in enumerate(palette.colours):
        votes = colours[plain & (best == k)]
        if known.hue is None or known.strength is not None or not len(votes):
            shifted.append(known)
            continue
        off = (np.arctan2(votes[:, 2], votes[:, 1]) - known.hue + np.pi) % (2 * np.pi) - np.pi
        shifted.append(TileColour(known.name, known.hue + float(np.median(off)) * len(off) / (len(off) + 1)))
    return TilePalette(tuple(shifted), palette.carrier)
