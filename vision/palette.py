"""The colours of the four kinds of spheres: as named, as learned from a known position, as a picture bends them."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.appearance import BLACK, WHITE, NamedColour, SeenColour, Surface
from vision.colour import Colours, brightness_of_name, hue_of_name
from vision.geometry import SphereColours
from vision.reading import Content

Palette = Mapping[Content, Surface]

COLOURED = (Content.WHITE_COLOURED, Content.BLACK_COLOURED)
SPHERES = (Content.WHITE, Content.BLACK, *COLOURED)
# No sphere is evener than this in brightness, warmth and tint; another lamp changes strong colours most
PLAIN_FLOOR = np.array([0.35, 0.06, 0.06], np.float32)
COLOURED_FLOOR = np.array([0.45, 0.25, 0.2], np.float32)
SPREAD_WIDENED = 1.2  # other spheres, other places on the board
KNOWN_WEIGHT = 2.0  # of what was known before against what this one picture shows


def named_palette(colours: SphereColours | None) -> Palette:
    """What is known without any picture; None: there are no coloured spheres. Raises `BadInput` for an unknown name."""
    plain = {Content.WHITE: WHITE, Content.BLACK: BLACK}
    if colours is None:
        return plain
    return {
        **plain,
        **{
            content: NamedColour(hue_of_name(name), brightness_of_name(name))
            for content, name in zip(COLOURED, (colours.white_coloured, colours.black_coloured), strict=True)
        },
    }


def learn_palette(discs: Colours, contents: NDArray[np.int_]) -> dict[Content, SeenColour]:
    """The colours of the spheres that are there, from discs (wells, samples, 3) whose contents are known."""
    seen: dict[Content, SeenColour] = {}
    for content in SPHERES:
        of_it = discs[contents == content].reshape(-1, 3)
        if len(of_it):
            mean = np.median(of_it, axis=0)
            spread = 1.48 * SPREAD_WIDENED * np.median(np.abs(of_it - mean), axis=0)
            floor = COLOURED_FLOOR if content in COLOURED else PLAIN_FLOOR
            seen[content] = SeenColour(mean, np.maximum(spread, floor).astype(np.float32))
    return seen


def bend_palette(palette: Palette, discs: Colours, contents: NDArray[np.int_]) -> Palette:
    """The palette bent toward what a picture shows where a content is certain (others: `HIDDEN`).

    Where a coloured sphere seems to be in two places, neither is believed.
    """
    sure = contents.copy()
    for content in COLOURED:
        if np.count_nonzero(sure == content) > 1:
            sure[sure == content] = Content.HIDDEN
    bent = dict(palette)
    for content, seen in learn_palette(discs, sure).items():
        known = palette.get(content)
        if known is None:
            continue
        if isinstance(known, NamedColour):
            bent[content] = seen
            continue
        mean = (known.mean * KNOWN_WEIGHT + seen.mean) / (KNOWN_WEIGHT + 1)
        spread = known.spread if content in COLOURED else np.maximum(known.spread, seen.spread)
        bent[content] = SeenColour(mean, spread)
    return bent
