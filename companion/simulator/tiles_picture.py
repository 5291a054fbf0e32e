"""Pictures of a simulated Try 4 mat: sheet, grid, tiles with sides and shadows, glare, hands, a camera's faults.

All light is linear until the end, so that glare bleaches and shadows darken as in a camera.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulator.hand_sprite import PX_PER_MM as HAND_PX_PER_MM
from companion.simulator.hand_sprite import hand_sprite
from companion.simulator.tiles_scene import PAINTS, HandOnMat, MatScene, TileOnMat
from vision.markers import dictionary_named
from vision.tile_glyphs import Hand, draw

Picture = NDArray[np.uint8]
Light = NDArray[np.float32]
Glyph = Callable[[int, Hand, int, float], NDArray[np.float32]]
"""Draws a digit: number, hand, size of the mask and height of the digit in pixels."""

SHEET_PX_PER_MM = 4.0
FACE_PX = 120
DIGIT_OF_SIDE = 0.46
INK_LIGHT, INK_DARK = 0.85, 0.03
BACK = (0.62, 0.66, 0.68)
SIDE_SHADE = 0.6
PAPER, PRINT = 0.85, 0.03
HAND_HEIGHT_MM = 30.0
GRAIN = 0.02


def draw_mat(scene: MatScene, glyph: Glyph = draw) -> Picture:
    """The picture that the camera takes: BGR, shape (height, width, 3)."""
    rng = np.random.default_rng(scene.seed)
    width, height = scene.camera.size_px or (1280, 960)
    picture = np.empty((height, width, 3), np.float32)
    picture[:] = np.array(scene.table, np.float32) * (1 + _mottled(rng, (height, width), 9) * 0.12)[..., None]
    _lay(picture, _sheet(scene, rng), _corners(scene, scene.size_mm, (0, 0), 0, 0))
    light = _light_over(scene)
    picture *= light
    eye = scene.pose.camera_mm[:2]
    nearest_last = sorted(scene.tiles, key=lambda t: -float(np.hypot(*(np.array(_middle(scene, t)) - eye))))
    for tile in nearest_last:
        _lay_tile(picture, light, scene, tile, rng, glyph)
    shown = np.clip(picture * scene.light.level, 0, 1) ** (1 / 2.2)
    for hand in scene.hands:
        _lay_hand(shown, scene, hand)
    return _taken(shown, scene, rng)


def truth_of(scene: MatScene) -> dict[str, tuple[str, int]]:
    """What a reading should say: cell to colour and number, of the tiles that lie face up."""
    return {scene.grid.name(t.cell): (t.colour, t.number) for t in scene.tiles if not t.face_down}


def covered_share(scene: MatScene) -> dict[str, float]:
    """How much of each cell the hands cover, 0 to 1."""
    size = scene.camera.size_px or (1280, 960)
    cover = np.zeros((size[1], size[0]), np.float32)
    for hand in scene.hands:
        cover = np.maximum(cover, _hand_over(scene, hand)[1])
    shares = {}
    side = scene.grid.cell_mm
    for cell in range(scene.grid.cells):
        corners = _corners(scene, (side, side), scene.grid.centre_mm(cell), 0, scene.tile_height_mm)
        mask = np.zeros(cover.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.rint(corners).astype(np.int32), 1)
        shares[scene.grid.name(cell)] = float(cover[mask > 0].mean()) if mask.any() else 0.0
    return shares


def _middle(scene: MatScene, tile: TileOnMat) -> tuple[float, float]:
    x, y = scene.grid.centre_mm(tile.cell)
    return x + tile.off_mm[0], y + tile.off_mm[1]


def _corners(
    scene: MatScene, size_mm: tuple[float, float], at_mm: tuple[float, float], angle_deg: float, z_mm: float
) -> NDArray[np.float32]:
    """Pixels of a rectangle's corners, from its own top left on clockwise, (4, 2)."""
    turn = np.deg2rad(angle_deg)
    across, up = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    half = (size_mm[0] / 2, size_mm[1] / 2)
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    places = [np.array(at_mm) + i * half[0] * across + j * half[1] * up for i, j in signs]
    return scene.pose.project(np.array([(*place, z_mm) for place in places])).astype(np.float32)


def _lay(picture: Light, sheet: Light, corners: NDArray[np.float32]) -> None:
    """Draws a flat sheet over the picture."""
    rows, columns = sheet.shape[:2]
    edges = np.array([(-0.5, -0.5), (columns - 0.5, -0.5), (columns - 0.5, rows - 0.5), (-0.5, rows - 0.5)], np.float32)
    turn = cv2.getPerspectiveTransform(edges, corners)
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 2, [picture.shape[1], picture.shape[0]])
    if (high <= low).any():
        return
    shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]], np.float64)
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    scale = np.sqrt(abs(float(cv2.contourArea(corners))) / (rows * columns))
    soft = cv2.GaussianBlur(sheet, (0, 0), 0.4 / scale) if scale < 0.8 else sheet
    colour = cv2.warpPerspective(soft, shift @ turn, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(mask, np.rint((corners - low) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    share = (mask / np.float32(255))[..., None]
    part = picture[low[1] : high[1], low[0] : high[0]]
    part[:] = part * (1 - share) + colour * share


def _sheet(scene: MatScene, rng: np.random.Generator) -> Light:
    """The mat from above: its colour, grid lines, tiles' shadows and markers."""
    width, height = (round(side * SHEET_PX_PER_MM) for side in scene.size_mm)
    sheet = np.empty((height, width, 3), np.float32)
    sheet[:] = np.array(scene.mat, np.float32) * (1 + GRAIN * _mottled(rng, (height, width), 12))[..., None]

    def to_px(x: float, y: float) -> tuple[int, int]:
        return round(width / 2 + x * SHEET_PX_PER_MM), round(height / 2 - y * SHEET_PX_PER_MM)

    half_w, half_h = (side / 2 for side in scene.grid.size_mm)
    ink = [min(channel * scene.line, 0.8) for channel in scene.mat]
    for column in range(scene.grid.columns + 1):
        x = column * scene.grid.cell_mm - half_w
        cv2.line(sheet, to_px(x, -half_h), to_px(x, half_h), ink, 3, cv2.LINE_AA)
    for row in range(scene.grid.rows + 1):
        y = row * scene.grid.cell_mm - half_h
        cv2.line(sheet, to_px(-half_w, y), to_px(half_w, y), ink, 3, cv2.LINE_AA)
    shade = np.zeros((height, width), np.float32)
    reach = scene.tile_height_mm / 4
    for tile in scene.tiles:
        x, y = _middle(scene, tile)
        at = to_px(x + scene.light.shadow_mm[0] * reach, y + scene.light.shadow_mm[1] * reach)
        side = scene.tile_mm * SHEET_PX_PER_MM
        box = cv2.boxPoints((at, (side, side), -tile.angle_deg))
        cv2.fillConvexPoly(shade, np.rint(box).astype(np.int32), 1.0)
    sheet *= 1 - scene.light.shadow * cv2.GaussianBlur(shade, (0, 0), 4)[..., None]
    _stick_markers(sheet, scene, to_px)
    return sheet


def _stick_markers(sheet: Light, scene: MatScene, to_px: Callable[[float, float], tuple[int, int]]) -> None:
    layout = scene.layout
    side = round(layout.size_mm * SHEET_PX_PER_MM)
    margin = round(2.5 * SHEET_PX_PER_MM)
    for marker, (x, y) in layout.centres_mm.items():
        column, row = to_px(x, y)
        left, top = column - side // 2, row - side // 2
        sheet[max(top - margin, 0) : top + side + margin, max(left - margin, 0) : left + side + margin] = PAPER
        cells = cv2.aruco.generateImageMarker(dictionary_named(layout.dictionary), marker, side) > 127
        sheet[top : top + side, left : left + side] = np.where(cells, PAPER, PRINT)[..., None]


def _light_over(scene: MatScene) -> Light:
    """The light at each pixel, (h, w, 3)."""
    width, height = scene.camera.size_px or (1280, 960)
    x, y = np.meshgrid(np.linspace(-1, 1, width, dtype=np.float32), np.linspace(1, -1, height, dtype=np.float32))
    field = np.exp(scene.light.slope[0] * x + scene.light.slope[1] * y)
    return np.asarray(field[..., None] * np.array(scene.light.colour, np.float32))


def _lay_tile(
    picture: Light, light: Light, scene: MatScene, tile: TileOnMat, rng: np.random.Generator, glyph: Glyph
) -> None:
    at, size = _middle(scene, tile), (scene.tile_mm, scene.tile_mm)
    top = _corners(scene, size, at, tile.angle_deg, scene.tile_height_mm)
    foot = _corners(scene, size, at, tile.angle_deg, 0.0)
    paint = np.array(PAINTS["ivory"] if scene.ink_has_colour else PAINTS[tile.colour], np.float32)
    paint = paint * np.exp(rng.normal(0, 0.08, 3)).astype(np.float32)
    row, column = (int(v) for v in np.clip(top.mean(axis=0)[::-1], 0, np.array(light.shape[:2]) - 1))
    here = light[row, column]
    sides = np.rint(np.concatenate([top, foot])).astype(np.int32)
    cv2.fillConvexPoly(picture, cv2.convexHull(sides), (paint * SIDE_SHADE * here).tolist(), cv2.LINE_AA)
    face = _face(scene, tile, paint, glyph) * here
    glare = _glare(scene, tile, at)[..., None] * np.array(scene.light.colour, np.float32)
    _lay(picture, face + glare, top)


def _face(scene: MatScene, tile: TileOnMat, paint: NDArray[np.float32], glyph: Glyph) -> Light:
    face = np.empty((FACE_PX, FACE_PX, 3), np.float32)
    if tile.face_down:
        face[:] = BACK if scene.ink_has_colour else paint
        return face
    face[:] = paint
    if scene.ink_has_colour:
        ink = np.array(PAINTS[tile.colour], np.float32)
    else:
        ink = np.full(3, INK_DARK if tile.dark_ink else INK_LIGHT, np.float32)
    mask = glyph(tile.number, tile.hand, FACE_PX, FACE_PX * DIGIT_OF_SIDE)
    if tile.frame:
        inset = round(FACE_PX * 0.055)
        cv2.rectangle(mask, (inset, inset), (FACE_PX - 1 - inset, FACE_PX - 1 - inset), 1.0, 2)
    return np.asarray(face + mask[..., None] * (ink - face), np.float32)


def _glare(scene: MatScene, tile: TileOnMat, at: tuple[float, float]) -> Light:
    """The lamp's reflection on a tile's face, added to whatever is printed there, (FACE_PX, FACE_PX)."""
    steps = (np.arange(FACE_PX) + 0.5) / FACE_PX - 0.5
    turn = np.deg2rad(tile.angle_deg)
    u, v = np.meshgrid(steps * scene.tile_mm, -steps * scene.tile_mm)
    x = at[0] + u * np.cos(turn) - v * np.sin(turn) + 8 * tile.lean[0] - scene.light.glare_at_mm[0]
    y = at[1] + u * np.sin(turn) + v * np.cos(turn) + 8 * tile.lean[1] - scene.light.glare_at_mm[1]
    near = np.exp(-(x * x + y * y) / (2 * scene.light.glare_mm**2))
    return np.asarray(scene.light.glare * near / scene.light.level, np.float32)


def _lay_hand(shown: Light, scene: MatScene, hand: HandOnMat) -> None:
    colour, cover, shadow = _hand_over(scene, hand)
    shown *= (1 - 0.35 * shadow)[..., None]
    shown *= (1 - cover)[..., None]
    tone = hand.skin * float(np.clip(scene.light.level, 0.3, 1.0)) ** (1 / 2.2)
    shown += colour * np.float32(tone)


def _hand_over(scene: MatScene, hand: HandOnMat) -> tuple[Light, Light, Light]:
    """The hand's colour (premultiplied), cover and shadow as the camera sees them."""
    sprite = hand_sprite(hand.flat, "white")
    height, width = sprite.cover.shape
    size_mm = (width / HAND_PX_PER_MM, height / HAND_PX_PER_MM)
    turn = np.deg2rad(hand.angle_deg)
    off = np.array([width / 2 - sprite.origin[0], sprite.origin[1] - height / 2]) / HAND_PX_PER_MM
    x = hand.at_mm[0] + float(off[0] * np.cos(turn) - off[1] * np.sin(turn))
    y = hand.at_mm[1] + float(off[0] * np.sin(turn) + off[1] * np.cos(turn))
    size = scene.camera.size_px or (1280, 960)
    edges = np.array([(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)], np.float32)
    layers = []
    for layer, z in ((sprite.colour, HAND_HEIGHT_MM), (sprite.cover, HAND_HEIGHT_MM), (sprite.shadow, 0.0)):
        corners = _corners(scene, size_mm, (x, y), hand.angle_deg, z)
        matrix = cv2.getPerspectiveTransform(edges, corners)
        layers.append(np.asarray(cv2.warpPerspective(layer, matrix, size) / 255, np.float32))
    return layers[0], layers[1], layers[2]


def _taken(shown: Light, scene: MatScene, rng: np.random.Generator) -> Picture:
    """As a camera takes it: soft, perhaps shaken, noisy."""
    soft = cv2.GaussianBlur(shown, (0, 0), scene.blur_px)
    if scene.shaken_px > 0.5:
        steps = max(2, round(scene.shaken_px))
        kernel = np.zeros((2 * steps + 1, 2 * steps + 1), np.float32)
        angle = float(rng.uniform(0, np.pi))
        end = (steps + np.cos(angle) * steps / 2, steps + np.sin(angle) * steps / 2)
        start = (2 * steps - end[0], 2 * steps - end[1])
        cv2.line(kernel, (round(start[0]), round(start[1])), (round(end[0]), round(end[1])), 1.0, 1, cv2.LINE_AA)
        soft = cv2.filter2D(soft, -1, kernel / kernel.sum())
    noisy = soft * 255 + rng.normal(0, scene.noise, soft.shape)
    return np.asarray(np.clip(noisy + 0.5, 0, 255).astype(np.uint8))


def _mottled(rng: np.random.Generator, shape: tuple[int, int], cell_px: int) -> Light:
    """Soft random blotches around 0, about -1 to 1."""
    small = rng.normal(0, 1, (shape[0] // cell_px + 2, shape[1] // cell_px + 2)).astype(np.float32)
    return np.asarray(cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32)
