"""Tiles' colours that were shown to the camera, as JSON values, so that they are shown once and not at every start."""

from typing import Any

from vision.tile_colours import Carrier, TileColour, TilePalette


def palette_json(palette: TilePalette) -> dict[str, Any]:
    """As `palette_of` reads it."""
    return {
        "carrier": str(palette.carrier),
        "colours": [[c.name, c.hue, c.brightness, c.strength] for c in palette.colours],
    }


def palette_of(stored: dict[str, Any]) -> TilePalette:
    """A palette that `palette_json` wrote."""
    return TilePalette(tuple(TileColour(*colour) for colour in stored["colours"]), Carrier(stored["carrier"]))
