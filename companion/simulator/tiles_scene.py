"""A simulated Try 4 mat: what lies on it, how it is lit, and where the camera is. Random ones for tests."""

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_pose import Pose
from vision.geometry import CameraModel, MarkerLayout
from vision.tile_glyphs import PLAIN, Hand, random_hand
from vision.tile_mat import TileGrid

Bgr = tuple[float, float, float]
"""Reflectances of blue, green and red, 0 to 1, in linear light."""

PAINTS: dict[str, Bgr] = {
    "red": (0.045, 0.045, 0.46),
    "blue": (0.42, 0.11, 0.03),
    "green": (0.08, 0.27, 0.035),
    "yellow": (0.05, 0.55, 0.70),
    "purple": (0.33, 0.05, 0.22),
    "orange": (0.03, 0.22, 0.72),
    "turquoise": (0.38, 0.40, 0.03),
    "pink": (0.35, 0.22, 0.75),
    "white": (0.80, 0.83, 0.85),
    "black": (0.035, 0.035, 0.035),
    "ivory": (0.50, 0.68, 0.75),
}
MATS: tuple[Bgr, ...] = (
    (0.75, 0.77, 0.78),
    (0.30, 0.28, 0.27),
    (0.16, 0.30, 0.14),
    (0.09, 0.07, 0.11),
    (0.20, 0.30, 0.38),
    (0.07, 0.05, 0.05),
    (0.40, 0.36, 0.30),
)
TABLES: tuple[Bgr, ...] = ((0.10, 0.16, 0.28), (0.5, 0.52, 0.52), (0.16, 0.22, 0.12), (0.35, 0.25, 0.24))
MARKER_INSET_MM = 14.6
CAMERA = CameraModel((1280, 960), ((1276.0, 0, 639.5), (0, 1276.0, 479.5), (0, 0, 1)))


@dataclass(frozen=True, slots=True)
class TileOnMat:
    """A tile: its cell, colour and number, how far off the cell's middle it lies and how it is turned (anticlockwise).

    `face_down`: only its back is seen. `lean`: by how much it is tilted, which moves the glare on it.
    """

    cell: int
    colour: str
    number: int
    off_mm: tuple[float, float] = (0.0, 0.0)
    angle_deg: float = 0.0
    face_down: bool = False
    hand: Hand = PLAIN
    frame: bool = False
    dark_ink: bool = False
    lean: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class HandOnMat:
    """A hand: where the point between its finger tips is, and how it is turned; `skin` darkens it."""

    at_mm: tuple[float, float]
    angle_deg: float = 0.0
    flat: bool = True
    skin: float = 1.0


@dataclass(frozen=True, slots=True)
class MatLight:
    """The light: its colour, how it falls off (`slope` across and up, a half mat's width), a glare and the shadows.

    `glare`: strength of the lamp's reflection around `glare_at_mm`, `glare_mm` wide; 1 bleaches a tile.
    """

    colour: Bgr = (1.0, 1.0, 1.0)
    level: float = 0.8
    slope: tuple[float, float] = (0.0, 0.0)
    glare: float = 0.0
    glare_at_mm: tuple[float, float] = (0.0, 0.0)
    glare_mm: float = 60.0
    shadow_mm: tuple[float, float] = (3.0, -3.0)
    shadow: float = 0.5


@dataclass(frozen=True, slots=True)
class MatScene:
    """Everything about one picture of a mat."""

    grid: TileGrid = TileGrid()
    tile_mm: float = 28.0
    tile_height_mm: float = 4.0
    tiles: tuple[TileOnMat, ...] = ()
    hands: tuple[HandOnMat, ...] = ()
    light: MatLight = MatLight()
    mat: Bgr = MATS[0]
    line: float = 0.3
    table: Bgr = TABLES[0]
    camera: CameraModel = CAMERA
    away_mm: float = 560.0
    lean_deg: float = 10.0
    around_deg: float = 0.0
    turn_deg: float = 0.0
    noise: float = 1.5
    blur_px: float = 0.8
    shaken_px: float = 0.0
    seed: int = 0
    ink_has_colour: bool = False
    markers: MarkerLayout = field(default_factory=lambda: MarkerLayout({}))

    @property
    def size_mm(self) -> tuple[float, float]:
        """The whole sheet: the grid and a margin for the markers."""
        width, height = self.grid.size_mm
        return width + 2 * self.grid.cell_mm, height + 2 * self.grid.cell_mm

    @property
    def layout(self) -> MarkerLayout:
        """The markers in the sheet's corners, where none are given."""
        if self.markers.centres_mm:
            return self.markers
        x, y = (side / 2 - MARKER_INSET_MM for side in self.size_mm)
        return MarkerLayout({0: (-x, -y), 1: (x, -y), 2: (x, y), 3: (-x, y)})

    @property
    def pose(self) -> Pose:
        """Where the camera sees the mat: `lean_deg` off the vertical, from the side `around_deg`."""
        lean, around, turn = (np.deg2rad(v) for v in (180 - self.lean_deg, self.around_deg, self.turn_deg))
        about_x = np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]])
        turned = _about_z(turn + around) @ about_x @ _about_z(around)
        rotation, _ = cv2.Rodrigues(turned)
        size = self.camera.size_px or (1280, 960)
        move = np.array([[0.0], [0.0], [self.away_mm]])
        matrix = np.array(self.camera.matrix, np.float64)
        return Pose(np.asarray(rotation, np.float64), move, matrix, np.array(self.camera.distortion), size, 0.0, ())

    def with_tiles(self, *tiles: TileOnMat) -> "MatScene":
        return replace(self, tiles=tiles)


def _about_z(angle: float) -> NDArray[np.float64]:
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def random_scene(rng: np.random.Generator, hard: float = 0.5, hands: bool = False) -> MatScene:
    """A mat as it may lie on some table; `hard` from 0 (even light, tiles in rows) to 1."""
    grid = TileGrid(int(rng.integers(7, 10)), 7, 34.0)
    colours = ("red", "blue", "green", "yellow", "purple")
    cells = rng.permutation(grid.cells)[: int(rng.integers(10, 36))]
    style = random_hand(rng)
    tiles = tuple(
        random_tile(rng, int(cell), str(rng.choice(colours)), int(rng.integers(1, 5)), hard, style) for cell in cells
    )
    mat = MATS[int(rng.integers(len(MATS)))]
    seed = int(rng.integers(1 << 30))
    half = grid.size_mm[0] / 2
    return MatScene(
        grid,
        tile_mm=float(rng.uniform(25, 30)),
        tile_height_mm=float(rng.uniform(1.0, 6.0)),
        tiles=tiles,
        hands=(random_hand_on(rng, grid),) if hands else (),
        light=random_light(rng, hard, half),
        mat=(mat[0] * float(rng.uniform(0.8, 1.2)), mat[1], mat[2] * float(rng.uniform(0.8, 1.2))),
        table=TABLES[int(rng.integers(len(TABLES)))],
        line=float(rng.choice([0.25, 0.5, 2.2])) if max(mat) < 0.4 else float(rng.uniform(0.2, 0.5)),
        away_mm=float(rng.uniform(490, 660)),
        lean_deg=float(rng.uniform(0, 8 + 14 * hard)),
        around_deg=float(rng.uniform(0, 360)),
        turn_deg=float(rng.normal(0, 2 + 6 * hard)),
        noise=float(rng.uniform(0.5, 2 + 5 * hard)),
        blur_px=float(rng.uniform(0.5, 0.9 + 0.6 * hard)),
        shaken_px=float(rng.uniform(0, 3 * hard)) if rng.random() < 0.4 else 0.0,
        seed=seed,
    )


def random_tile(
    rng: np.random.Generator, cell: int, colour: str, number: int, hard: float, style: Hand | None = None
) -> TileOnMat:
    """A tile laid down by a hand that does not take much care. `style`: how its digit is drawn, else anyhow."""
    quarters = 90.0 * int(rng.integers(4)) if rng.random() < hard else 0.0
    anyhow = float(rng.uniform(0, 360)) if rng.random() < hard * 0.2 else None
    angle = quarters + float(rng.normal(0, 1 + 7 * hard)) if anyhow is None else anyhow
    spread = 0.6 + 1.4 * hard if anyhow is None else 0.3
    off = rng.normal(0, spread, 2)
    return TileOnMat(
        cell,
        colour,
        number,
        (float(off[0]), float(off[1])),
        angle,
        hand=random_hand(rng) if style is None or rng.random() < 0.3 else style,
        frame=bool(rng.random() < 0.4),
        dark_ink=bool(rng.random() < 0.35),
        lean=(float(rng.normal(0, 1)), float(rng.normal(0, 1))),
    )


def random_light(rng: np.random.Generator, hard: float, half_mm: float) -> MatLight:
    """A room's light: warm or cold, from one side, with a lamp that mirrors in glossy tiles."""
    warm = float(rng.normal(0, 0.25))
    return MatLight(
        (float(np.exp(-warm)), 1.0, float(np.exp(warm * 0.8))),
        level=float(rng.uniform(0.35, 0.95)),
        slope=(float(rng.normal(0, 0.35 * hard)), float(rng.normal(0, 0.35 * hard))),
        glare=float(rng.uniform(0, 0.5 * hard)) if rng.random() < 0.5 else 0.0,
        glare_at_mm=(float(rng.uniform(-half_mm, half_mm)), float(rng.uniform(-100, 100))),
        glare_mm=float(rng.uniform(30, 90)),
        shadow_mm=(float(rng.normal(0, 4)), float(rng.normal(0, 4))),
        shadow=float(rng.uniform(0.2, 0.7)),
    )


def random_hand_on(rng: np.random.Generator, grid: TileGrid) -> HandOnMat:
    """A hand that reaches in from the front or a side."""
    width, height = grid.size_mm
    at = (float(rng.uniform(-0.4, 0.4) * width), float(rng.uniform(-0.4, 0.2) * height))
    return HandOnMat(at, float(rng.normal(0, 25)), bool(rng.random() < 0.6), float(rng.uniform(0.3, 1.0)))
