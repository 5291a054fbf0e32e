"""The simulated camera: draws a scene as a picture, fast enough for many frames a second.

The empty board is drawn once, spheres once for each well they come to stand in; the board with what stands on it is
kept until something changes. A frame then costs a copy, a hand pasted in, and noise.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulator.backdrop import empty_board, light_field
from companion.simulator.hand_sprite import PX_PER_MM, HandSprite, hand_sprite
from companion.simulator.settings import SimulatedSettings
from companion.simulator.sphere_patch import SINK_MM, Patch, sphere_patch
from companion.simulator.statics import SPHERE_LETTERS
from companion.simulator.view import LIGHT, TABLE_Z_MM, View, view_of
from companion.simulator.world import HandView, LooseSphere, Scene
from companion.rules import Side

Picture = NDArray[np.uint8]

NOISE_LEVELS = 2.2
"""White noise of the picture, one standard deviation in levels of 255."""
NOISE_TILE_PX = 64
"""The noise tile is so much larger than the picture; where it is cut from changes from frame to frame."""
FLICKER = 0.012
"""How far the light goes up and down, as a share."""
PATCHES_KEPT = 400


class Camera:
    """Draws scenes. `draw` gives the same bytes for the same scenes in the same order."""

    def __init__(self, settings: SimulatedSettings, noise: float, seed: int) -> None:
        self._settings = settings
        self._view = view_of(settings.camera)
        self._light = light_field(self._view)
        rng = np.random.default_rng([seed, 7])
        self._phase = float(rng.uniform(0, math.tau))
        self._rng = rng
        self._noise = noise
        self._tile = _noise_tile(self._view.size_px, NOISE_LEVELS * noise, seed)
        self._patches: dict[tuple[str, float, float, float, float], Patch] = {}
        self._standing_key: object = None
        self._standing: Picture = self._backdrop(0)
        self._names = {
            "w": "white",
            "b": "black",
            "W": settings.colours.white_coloured,
            "B": settings.colours.black_coloured,
        }

    def empty(self) -> Picture:
        """The empty board, with the camera's noise."""
        return self._expose(self._backdrop(0), 0.0)

    def draw(self, scene: Scene, t: float) -> Picture:
        """The picture of a scene at a time; BGR, shape (height, width, 3)."""
        picture = self._board_with_spheres(scene).copy()
        for hand in scene.hands:
            self._shade_by_hand(picture, hand)
        for sphere in scene.in_hand:
            self._paste(picture, self._patch(sphere, 0.0))
        for hand in scene.hands:
            self._paste_hand(picture, hand)
        return self._expose(picture, t)

    def _board_with_spheres(self, scene: Scene) -> Picture:
        key = (scene.spheres, scene.loose, scene.tipped, scene.shed)
        if key != self._standing_key:
            picture = self._backdrop(scene.tipped).copy()
            patches = [self._patch(self._in_well(well, sphere, scene), -SINK_MM) for well, sphere in scene.spheres]
            patches += [
                self._patch(s, TABLE_Z_MM if s.z_mm < -SINK_MM else 0.0) for s in scene.loose
            ]
            for patch in patches:
                self._shade(picture, patch)
            for patch in patches:
                self._cover(picture, patch)
            self._standing, self._standing_key = picture, key
        return self._standing

    def _backdrop(self, tipped: int) -> Picture:
        s = self._settings
        spacing = s.cells.half_spacing_mm or 6.0
        return _backdrop(self._view_key(), s.grid, tuple(sorted(s.markers.centres_mm.items())), tipped, s.axis, spacing,
                         lambda: empty_board(self._view, s.grid, s.markers, tipped, s.axis, spacing))

    def _view_key(self) -> tuple[object, ...]:
        return (self._settings.camera.size_px, self._settings.camera.matrix)
