"""The simulated camera: draws a scene as a picture, fast enough for many frames a second.

The empty board is drawn once, spheres once for each well they come to stand in; the board with what stands on it is
kept until something changes. A frame then costs a copy, a hand pasted in, and noise.
"""

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules import Side
from companion.simulator.actions import Thing
from companion.simulator.backdrop import empty_board, lean_of, light_field
from companion.simulator.circumstances import USUAL, Circumstances, cover_marker, lit
from companion.simulator.hand_sprite import PX_PER_MM, hand_sprite
from companion.simulator.settings import SimulatedSettings
from companion.simulator.sphere_patch import SINK_MM, Patch, sphere_patch
from companion.simulator.statics import SPHERE_LETTERS
from companion.simulator.view import LIGHT, TABLE_Z_MM, USUAL_STAND, Floats, Stand, view_of
from companion.simulator.world import HandView, LooseSphere, Scene
from vision.geometry import CameraModel, Grid, MarkerLayout

Picture = NDArray[np.uint8]

NOISE_LEVELS = 2.2
"""White noise of the picture, one standard deviation in levels of 255."""
NOISE_TILE_PX = 64
"""The noise tile is so much larger than the picture; where it is cut from changes from frame to frame."""
FLICKER = 0.012
"""How far the light goes up and down, as a share."""
PATCHES_KEPT = 400
HELD_Z_MM = 30.0
"""Height at which a sphere between fingers is drawn once for all."""
CUP_BGR, COFFEE_BGR = (176.0, 188.0, 192.0), (22.0, 38.0, 64.0)
HAND_SHADOW = 0.45
"""Share of the light that a hand takes away beneath it."""


class Camera:
    """Draws scenes. `draw` gives the same bytes for the same scenes in the same order."""

    def __init__(self, settings: SimulatedSettings, noise: float, seed: int) -> None:
        self._settings = settings
        self._stand = USUAL_STAND
        self._view = view_of(settings.camera)
        rng = np.random.default_rng([seed, 7])
        self._phase = float(rng.uniform(0, math.tau))
        self._rng = rng
        self._noise = noise
        self._seed = seed
        self._radius = settings.grid.sphere_diameter_mm / 2
        self._standing_key: object = None
        self._standing: Picture | None = None
        self._names = {
            "w": "white",
            "b": "black",
            "W": settings.colours.white_coloured,
            "B": settings.colours.black_coloured,
        }

    def empty(self) -> Picture:
        """The empty board where it stands now, with the camera's noise."""
        return self._expose(self._backdrop(0), 0.0)

    def draw(self, scene: Scene, t: float, befallen: Circumstances = USUAL) -> Picture:
        """The picture of a scene at a time; BGR, shape (height, width, 3)."""
        if befallen.stand != self._stand:
            self._go_to(befallen.stand)
        picture = self._board_with_spheres(scene).copy()
        markers = self._settings.markers
        for marker in sorted(befallen.covered):
            cover_marker(picture, self._view, markers.centres_mm[marker], markers.size_mm)
        for hand in scene.hands:
            self._shade_by_hand(picture, hand)
        for sphere in scene.in_hand:
            self._paste_held(picture, sphere)
        for hand in scene.hands:
            self._paste_hand(picture, hand)
        return self._expose(lit(picture, self._view, befallen.lighting), t)

    def _go_to(self, stand: Stand) -> None:
        """Looks from and at another place: nothing that was drawn before is good any more."""
        self._stand = stand
        self._view = view_of(self._settings.camera, stand)
        self._standing_key = None

    def _board_with_spheres(self, scene: Scene) -> Picture:
        key = (scene.spheres, scene.loose, scene.tipped, scene.slide_mm, scene.things)
        if self._standing is None or key != self._standing_key:
            picture = self._backdrop(scene.tipped).copy()
            patches = [self._in_well(well, sphere, scene) for well, sphere in scene.spheres]
            patches += [self._lying(sphere) for sphere in scene.loose]
            patches += [self._strange(thing) for thing in scene.things if thing.letter]
            for patch in patches:
                _shade(picture, patch)
            for patch in patches:
                _cover(picture, patch)
            for thing in scene.things:
                if not thing.letter:
                    self._draw_cup(picture, thing)
            self._standing, self._standing_key = picture, key
        return self._standing

    def _backdrop(self, tipped: int) -> Picture:
        s = self._settings
        centres = tuple(sorted(s.markers.centres_mm.items()))
        spacing_mm = s.cells.half_spacing_mm or 0.0
        return _backdrop(s.camera, s.grid, centres, s.markers.size_mm, tipped, s.axis, spacing_mm, self._stand)

    def _in_well(self, well: int, sphere: int, scene: Scene) -> Patch:
        x, y = self._settings.grid.centre_mm(well)
        centre = np.array([x, y, self._radius - SINK_MM])
        if not scene.tipped:
            return self._patch(sphere, centre, 0.0)
        origin, axes = lean_of(scene.tipped, self._settings.axis, self._settings.cells.half_spacing_mm or 0.0)
        centre[1 if self._settings.axis == "ranks" else 0] += scene.slide_mm
        place = origin + axes @ centre
        return self._patch(sphere, place, float(place[2]) - self._radius)

    def _lying(self, sphere: LooseSphere) -> Patch:
        """On the table, or on the board while it rolls."""
        z = sphere.z_mm + self._radius
        if sphere.z_mm >= -SINK_MM:
            return self._patch(sphere.sphere, np.array([sphere.x_mm, sphere.y_mm, z]), 0.0)
        return self._patch(sphere.sphere, np.array([*self._stand.to_board(sphere.x_mm, sphere.y_mm), z]), TABLE_Z_MM)

    def _strange(self, thing: Thing) -> Patch:
        """A sphere that is none of the fourteen."""
        place = np.array([thing.x_mm, thing.y_mm, self._radius - SINK_MM])
        return self._patch(SPHERE_LETTERS.index(thing.letter), place, 0.0)

    def _draw_cup(self, picture: Picture, thing: Thing) -> None:
        """A cup of coffee from above."""
        place = np.array([thing.x_mm, thing.y_mm, thing.height_mm])
        u, v = (int(x) for x in self._view.project(place[None])[0])
        radius = self._view.scale(place) * thing.radius_mm
        for share, colour in ((1.0, CUP_BGR), (0.88, COFFEE_BGR)):
            cv2.circle(picture, (u, v), int(radius * share), colour, -1, cv2.LINE_AA)

    def _patch(self, sphere: int, centre: Floats, ground_mm: float) -> Patch:
        name = self._names[SPHERE_LETTERS[sphere]]
        x, y, z = (round(float(v), 1) for v in centre)
        return _patch(self._settings.camera, self._stand, name, (x, y, z), self._radius, ground_mm)

    def _paste_held(self, picture: Picture, held: LooseSphere) -> None:
        """A sphere between fingers: the picture of one over the board's middle, moved and sized."""
        over = np.array([0.0, 0.0, HELD_Z_MM + self._radius])
        patch = self._patch(held.sphere, over, -HELD_Z_MM)
        centre = np.array([held.x_mm, held.y_mm, held.z_mm + self._radius])
        size = self._view.scale(centre) / self._view.scale(over)
        (u, v), (u0, v0) = self._view.project(np.stack([centre, over]))
        matrix = np.array([[size, 0, u - size * (u0 - patch.x)], [0, size, v - size * (v0 - patch.y)]])
        _warp_onto(picture, patch.colour, patch.cover[..., 0], matrix)

    def hand_matrix(self, hand: HandView, drop_mm: float = 0.0) -> Floats:
        """From a sprite's pixels to the picture's, for finger tips at the hand's place; dropped onto its shadow."""
        tip = np.array([hand.x_mm, hand.y_mm, hand.z_mm])
        if drop_mm:
            tip = tip - LIGHT * (drop_mm / LIGHT[2])
        scale = self._view.scale(tip) / PX_PER_MM
        u, v = self._view.project(tip[None])[0]
        # The arm comes from where its owner sits, so the hand turns a little as it reaches to either side.
        turn = -0.0022 * hand.x_mm if hand.side is Side.WHITE else math.pi + 0.0022 * hand.x_mm
        c, s = scale * math.cos(turn), scale * math.sin(turn)
        ox, oy = hand_sprite(hand.flat, str(hand.side)).origin
        return np.array([[c, -s, u - c * ox + s * oy], [s, c, v - s * ox - c * oy]])

    def _shade_by_hand(self, picture: Picture, hand: HandView) -> None:
        sprite = hand_sprite(hand.flat, str(hand.side))
        box, matrix = _fit(self.hand_matrix(hand, hand.z_mm + 12.0), sprite.shadow.shape, picture.shape)
        if box is None:
            return
        x0, y0, x1, y1 = box
        dark = cv2.warpAffine(sprite.shadow, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_NEAREST)
        keep = cv2.cvtColor(cv2.addWeighted(dark, -HAND_SHADOW, dark, 0, 255), cv2.COLOR_GRAY2BGR)
        part = picture[y0:y1, x0:x1]
        cv2.multiply(part, keep, dst=part, scale=1 / 255)

    def _paste_hand(self, picture: Picture, hand: HandView) -> None:
        sprite = hand_sprite(hand.flat, str(hand.side))
        _warp_onto(picture, sprite.colour, sprite.cover, self.hand_matrix(hand))

    def _expose(self, picture: Picture, t: float) -> Picture:
        """Light that wavers a little, and noise."""
        gain = 1 + FLICKER * self._noise * (
            0.7 * math.sin(0.13 * t + self._phase) + 0.3 * math.sin(0.71 * t + 2 * self._phase)
        )
        height, width = picture.shape[:2]
        dx, dy = (int(v) for v in self._rng.integers(0, NOISE_TILE_PX, 2))
        tile = _noise_tile(self._view.size_px, NOISE_LEVELS * self._noise, self._seed)[
            dy : dy + height, dx : dx + width
        ]
        return np.asarray(cv2.addWeighted(picture, gain, tile, 1.0, -128.0))


def camera_for(settings: SimulatedSettings, noise: float, seed: int) -> Camera:
    """The camera over a simulated table."""
    return Camera(settings, noise, seed)


@lru_cache(maxsize=24)
def _backdrop(
    camera: CameraModel,
    grid: Grid,
    centres: tuple[tuple[int, tuple[float, float]], ...],
    marker_mm: float,
    tipped: int,
    axis: str,
    spacing_mm: float,
    stand: Stand,
) -> Picture:
    markers = MarkerLayout(dict(centres), size_mm=marker_mm)
    return empty_board(camera, grid, markers, tipped, axis, spacing_mm, stand)


@lru_cache(maxsize=PATCHES_KEPT)
def _patch(
    camera: CameraModel, stand: Stand, name: str, centre: tuple[float, float, float], radius: float, ground_mm: float
) -> Patch:
    view, at = view_of(camera, stand), np.array(centre)
    light = _light(camera)
    height, width = light.shape
    u, v = view.project(at[None])[0]
    here = float(light[min(max(int(v), 0), height - 1), min(max(int(u), 0), width - 1)])
    return sphere_patch(view, name, at, radius, ground_mm, here)


@lru_cache(maxsize=2)
def _light(camera: CameraModel) -> NDArray[np.float32]:
    """The light in the room: it stays where it is when the camera is moved."""
    return light_field(view_of(camera))


@lru_cache(maxsize=4)
def _noise_tile(size_px: tuple[int, int], levels: float, seed: int) -> Picture:
    """Noise about 128; a little of it is shared by neighbours, as after a camera's own denoising."""
    shape = (size_px[1] + NOISE_TILE_PX, size_px[0] + NOISE_TILE_PX, 3)
    white = np.random.default_rng([seed, 8]).normal(0, 1, shape).astype(np.float32)
    soft = 0.7 * white + 0.9 * cv2.GaussianBlur(white, (0, 0), 0.8)
    return np.asarray(np.clip(128.5 + levels * soft, 0, 255).astype(np.uint8))


def _part(picture: Picture, patch: Patch) -> tuple[Picture, slice, slice]:
    """The part of a picture where a patch lies, and the part of the patch that lies in the picture."""
    height, width = patch.cover.shape[:2]
    x0, y0 = max(patch.x, 0), max(patch.y, 0)
    x1, y1 = min(patch.x + width, picture.shape[1]), min(patch.y + height, picture.shape[0])
    x1, y1 = max(x1, x0), max(y1, y0)
    return picture[y0:y1, x0:x1], slice(y0 - patch.y, y1 - patch.y), slice(x0 - patch.x, x1 - patch.x)


def _shade(picture: Picture, patch: Patch) -> None:
    part, rows, columns = _part(picture, patch)
    if part.size:
        cv2.multiply(part, patch.shade[rows, columns], dst=part, scale=1 / 255)


def _cover(picture: Picture, patch: Patch) -> None:
    part, rows, columns = _part(picture, patch)
    if part.size:
        cv2.multiply(part, 255 - patch.cover[rows, columns], dst=part, scale=1 / 255)
        cv2.add(part, patch.colour[rows, columns], dst=part)


def _fit(
    matrix: Floats, sprite: tuple[int, ...], picture: tuple[int, ...]
) -> tuple[tuple[int, int, int, int] | None, Floats]:
    """The box of the picture that a sprite falls into, and the matrix from the sprite into that box."""
    corners = np.array([[0, 0, 1], [sprite[1], 0, 1], [0, sprite[0], 1], [sprite[1], sprite[0], 1]], dtype=np.float64)
    at = corners @ matrix.T
    x0, y0 = (max(int(v), 0) for v in np.floor(at.min(axis=0)))
    x1, y1 = min(int(at[:, 0].max()) + 1, picture[1]), min(int(at[:, 1].max()) + 1, picture[0])
    if x1 <= x0 or y1 <= y0:
        return None, matrix
    return (x0, y0, x1, y1), matrix - np.array([[0, 0, x0], [0, 0, y0]])


def _warp_onto(picture: Picture, colour: Picture, cover: Picture, matrix: Floats) -> None:
    """Pastes a sprite whose colour is already multiplied by its cover."""
    box, inner = _fit(matrix, cover.shape, picture.shape)
    if box is None:
        return
    x0, y0, x1, y1 = box
    size = (x1 - x0, y1 - y0)
    keep = cv2.cvtColor(cv2.bitwise_not(cv2.warpAffine(cover, inner, size)), cv2.COLOR_GRAY2BGR)
    part = picture[y0:y1, x0:x1]
    cv2.multiply(part, keep, dst=part, scale=1 / 255)
    cv2.add(part, cv2.warpAffine(colour, inner, size), dst=part)
