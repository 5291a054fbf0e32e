"""Small pictures of single spheres: ray traced once for each place, then only pasted."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from companion.simulator.view import LIGHT, Floats, View

OVERSAMPLED = 3
SINK_MM = 1.8
"""How deep a sphere sits in its well."""
ALBEDO: dict[str, tuple[float, float, float]] = {
    "white": (0.74, 0.79, 0.80),
    "black": (0.012, 0.011, 0.011),
    "magenta": (0.30, 0.015, 0.62),
    "blue": (0.56, 0.10, 0.02),
    "red": (0.03, 0.02, 0.55),
    "green": (0.06, 0.30, 0.03),
    "yellow": (0.02, 0.50, 0.72),
    "orange": (0.01, 0.22, 0.75),
    "purple": (0.30, 0.02, 0.20),
}
"""Share of light given back, linear BGR."""
GLOSS = {"white": 0.75}
KEY, SKY, BOUNCE = 0.95, 0.42, 0.16
"""Strength of the window, the room's ceiling and the wood beneath."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A sphere's picture, its top left corner at (x, y) in pixels.

    `colour` BGR already multiplied by `cover`, both uint8 of shape (h, w, 3), as is `shade`: what its shadow leaves of
    the light. Paste by `picture * shade / 255 * (255 - cover) / 255 + colour`.
    """

    x: int
    y: int
    colour: NDArray[np.uint8]
    cover: NDArray[np.uint8]
    shade: NDArray[np.uint8]


def albedo(name: str) -> Floats:
    """Linear BGR of a sphere's colour by name; raises BadInput on a name not known here."""
    if name not in ALBEDO:
        raise BadInput(f"sphere colour {name!r} cannot be drawn; known are {', '.join(ALBEDO)}")
    return np.array(ALBEDO[name])


def sphere_patch(view: View, name: str, centre: Floats, radius_mm: float, ground_z_mm: float, light: float) -> Patch:
    """Draws one sphere with its soft shadow on the plane at `ground_z_mm`. `light`: how light it is there."""
    middle = view.project(centre[None])[0]
    reach = int(view.scale(centre) * radius_mm * 2.6) + 4
    x0, y0 = int(middle[0]) - reach, int(middle[1]) - reach
    size = 2 * reach + 1
    at = (np.arange(size * OVERSAMPLED) + 0.5) / OVERSAMPLED - 0.5
    u, v = np.meshgrid(x0 + at, y0 + at)
    rays = view.rays(u, v)
    colour, cover = _shade_sphere(view, rays, name, centre, radius_mm, light)
    ones = (size, size)
    small = cv2.resize(colour, ones, interpolation=cv2.INTER_AREA)
    share = cv2.resize(cover, ones, interpolation=cv2.INTER_AREA)
    fine = rays[OVERSAMPLED // 2 :: OVERSAMPLED, OVERSAMPLED // 2 :: OVERSAMPLED]
    shade = _shadow(view, fine, centre, radius_mm, ground_z_mm)
    return Patch(
        x0,
        y0,
        _bytes(small),
        _bytes(np.repeat(share[..., None], 3, axis=2)),
        _bytes(np.repeat(shade[..., None], 3, axis=2)),
    )


def _bytes(values: NDArray[Any]) -> NDArray[np.uint8]:
    return np.asarray(np.clip(values * 255 + 0.5, 0, 255).astype(np.uint8))


def _shade_sphere(
    view: View, rays: Floats, name: str, centre: Floats, radius: float, light: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Colour (premultiplied, display values) and cover of every ray."""
    to = centre - view.centre
    along = rays @ to
    miss2 = float(to @ to) - along**2
    hit = miss2 < radius**2
    cover = hit.astype(np.float32)
    colour = np.zeros((*hit.shape, 3), np.float32)
    if hit.any():
        depth = along[hit] - np.sqrt(radius**2 - miss2[hit])
        colour[hit] = _shown(rays[hit], depth, name, to, radius, light)
    return colour, cover


def _shown(rays: Floats, depth: Floats, name: str, to: Floats, radius: float, light: float) -> Floats:
    """The display values, (n, 3), where rays (n, 3) meet the sphere after `depth`."""
    normal = (rays * depth[..., None] - to) / radius
    facing = np.clip(-(normal * rays).sum(-1), 0, 1)
    window = np.clip((normal @ LIGHT + 0.12) / 1.12, 0, 1)
    up = 0.5 + 0.5 * normal[..., 2]
    diffuse = (KEY * window + SKY * up)[..., None] + BOUNCE * (1 - up)[..., None] * np.array([0.4, 0.65, 0.95])
    mirrored = rays + 2 * facing[..., None] * normal
    shine = 0.04 + 0.70 * (1 - facing) ** 5
    room = _room(mirrored)
    gloss = GLOSS.get(name, 1.0)
    linear = albedo(name) * diffuse * 0.74 + gloss * shine[..., None] * room
    return np.asarray(np.clip(linear * light**2.2, 0, 1) ** (1 / 2.2))


def _room(direction: Floats) -> Floats:
    """What a glossy sphere mirrors: ceiling, wood, a window with a cross bar, and a lamp."""
    up = np.clip(0.5 + 0.5 * direction[..., 2], 0, 1)
    room = (0.55 * up**2)[..., None] + (1 - up)[..., None] * np.array([0.10, 0.17, 0.26])
    side = np.cross(LIGHT, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    high = np.cross(side, LIGHT)
    a, b, ahead = direction @ side, direction @ high, direction @ LIGHT
    pane = _box(a, 0.20) * _box(b, 0.26) * (ahead > 0)
    bars = np.clip(np.minimum(np.abs(a), np.abs(b)) / 0.03, 0.25, 1)
    lamp_at = np.array([0.52, -0.30, 0.80])
    lamp_at /= np.linalg.norm(lamp_at)
    lamp = np.clip((direction @ lamp_at - 0.990) / 0.006, 0, 1)
    return np.asarray(room + (22.0 * pane * bars + 9.0 * lamp)[..., None] * np.array([1.0, 0.98, 0.95]))


def _box(value: Floats, half: float) -> Floats:
    return np.asarray(np.clip((half - np.abs(value)) / 0.05, 0, 1))


def _shadow(view: View, rays: Floats, centre: Floats, radius: float, ground: float) -> Floats:
    """What is left of the light on the plane: less where the sphere hides the sky, and where it hides the window."""
    depth = (ground - view.centre[2]) / rays[..., 2]
    point = view.centre + rays * depth[..., None]
    offset = point - centre
    height = max(float(centre[2]) - ground, 1.0)
    flat2 = offset[..., 0] ** 2 + offset[..., 1] ** 2
    sky = radius**2 * height / (flat2 + height**2) ** 1.5
    away = -LIGHT / LIGHT[2]
    middle = height * away[:2]
    along = np.linalg.norm(away[:2])
    d = offset[..., :2] - middle
    forward = d @ (away[:2] / along)
    across2 = (d**2).sum(-1) - forward**2
    stretch = np.sqrt(1 + along**2)
    far = np.sqrt((forward / stretch) ** 2 + across2)
    soft = radius * (0.22 + 0.018 * (height - radius))
    window = 1 / (1 + np.exp(np.clip((far - radius * 0.93) / max(soft * 0.5, 0.5), -30, 30)))
    shade = (1 - 0.62 * np.clip(sky, 0, 1)) * (1 - 0.40 * window)
    # Nothing must be left of it at the patch's rim, or its square would show.
    rim = np.clip((2.35 * radius - np.sqrt(flat2)) / (0.7 * radius), 0, 1)
    return np.asarray(1 - (1 - shade) * rim)
