"""Pictures of boards drawn with OpenCV, small and quick, with everything about them known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.board_pose import Pose
from vision.geometry import CameraModel, Grid, MarkerLayout, SphereColours
from vision.reading import Content

Image = NDArray[np.uint8]

PX_PER_MM = 4
START: dict[str, str] = {f"{f}1": "w" for f in "abcefg"} | {"d1": "W"} | {f"{f}6": "b" for f in "abcefg"} | {"d6": "B"}
PAINTS = {"w": (215, 222, 225), "b": (32, 30, 28), "W": (40, 30, 190), "B": (190, 60, 25)}  # BGR: red and blue
CONTENTS = {
    "w": Content.WHITE,
    "b": Content.BLACK,
    "W": Content.WHITE_COLOURED,
    "B": Content.BLACK_COLOURED,
}


@dataclass(frozen=True)
class Table:
    """A table to draw and to read: what a settings file would say."""

    grid: Grid = Grid()
    camera: CameraModel = CameraModel((640, 480), ((760.0, 0, 319.5), (0, 760.0, 239.5), (0, 0, 1)))
    markers: MarkerLayout = field(
        default_factory=lambda: MarkerLayout({0: (-134, -114), 1: (134, -114), 2: (134, 114), 3: (-134, 114)})
    )
    colours: SphereColours = SphereColours("red", "blue")

    def contents(self, spheres: Mapping[str, str]) -> list[Content]:
        names = [self.grid.name(w) for w in range(self.grid.wells)]
        return [CONTENTS[spheres[name]] if name in spheres else Content.EMPTY for name in names]

    def pose(
        self, tilt_deg: float = 12.0, turn_deg: float = 0.0, away_mm: float = 560.0, aim: tuple[float, float] = (0, 0)
    ) -> Pose:
        """A camera above the board, looking at its middle (or `aim`), leaning over White's side."""
        lean, turn = np.deg2rad(180 - tilt_deg), np.deg2rad(turn_deg)
        about_x = np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]])
        about_z = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
        rotation, _ = cv2.Rodrigues(about_z @ about_x)
        move = np.array([0.0, 0.0, away_mm]) - about_z @ about_x @ np.array([*aim, 0.0])
        matrix = np.array(self.camera.matrix)
        return Pose(rotation, move.reshape(3, 1), matrix, np.zeros(5), (640, 480), 0.0, (0, 1, 2, 3))


def board_texture(table: Table, seed: int) -> NDArray[np.float32]:
    """The board from above at `PX_PER_MM`: wood with grain along the files, wells, markers on white paper."""
    rng = np.random.default_rng(seed)
    width, height = (round(s * PX_PER_MM) for s in table.grid.size_mm)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), sigmaX=22, sigmaY=2.5)
    grain *= 0.09 / grain.std()
    wood = np.array([85, 135, 172], np.float32) * (1 + grain[..., None])
    for well in range(table.grid.wells):
        x, y = table.grid.centre_mm(well)
        at = (round(width / 2 + x * PX_PER_MM), round(height / 2 - y * PX_PER_MM))
        cv2.circle(wood, at, round(9 * PX_PER_MM), (70, 110, 140), 3, cv2.LINE_AA)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = round(table.markers.size_mm * PX_PER_MM)
    for marker, (x, y) in table.markers.centres_mm.items():
        left, top = round(width / 2 + x * PX_PER_MM - side / 2), round(height / 2 - y * PX_PER_MM - side / 2)
        margin = 2 * PX_PER_MM
        wood[top - margin : top + side + margin, left - margin : left + side + margin] = 228
        printed = cv2.aruco.generateImageMarker(dictionary, marker, side).astype(np.float32)
        wood[top : top + side, left : left + side] = (28 + printed * (200 / 255))[..., None]
    return wood


def draw(table: Table, spheres: Mapping[str, str], pose: Pose, seed: int = 3) -> Image:
    """A picture of the board with spheres, {well: letter}."""
    rng = np.random.default_rng(seed + 100)
    texture = board_texture(table, seed)
    height, width = texture.shape[:2]
    turn, _ = cv2.Rodrigues(pose.rotation)
    to_picture = pose.matrix @ np.column_stack([turn[:, 0], turn[:, 1], pose.translation.ravel()])
    to_mm = np.array(
        [[1 / PX_PER_MM, 0, -width / 2 / PX_PER_MM], [0, -1 / PX_PER_MM, height / 2 / PX_PER_MM], [0, 0, 1]]
    )
    picture = np.full((480, 640, 3), (120, 118, 110), np.float32)
    fine = cv2.GaussianBlur(texture, (0, 0), 1.2)
    picture = cv2.warpPerspective(
        fine, to_picture @ to_mm, (640, 480), picture, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT
    )
    radius = table.grid.sphere_diameter_mm / 2
    names = {table.grid.name(w): w for w in range(table.grid.wells)}
    for name, letter in spheres.items():
        x, y = table.grid.centre_mm(names[name])
        paint = np.array(PAINTS[letter], np.float32)
        for share, light in ((1.0, 0.75), (0.85, 0.9), (0.6, 1.0), (0.3, 1.08)):
            cv2.fillPoly(picture, [disc(pose, x, y, radius - 1, radius * share)], (paint * light).tolist(), cv2.LINE_AA)
        cv2.fillPoly(picture, [disc(pose, x + 3, y + 4, radius * 1.6, radius * 0.12)], (250, 250, 250), cv2.LINE_AA)
    picture += rng.normal(0, 2.0, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


def disc(pose: Pose, x: float, y: float, z: float, radius: float) -> NDArray[np.int32]:
    """The outline in pixels of a disc that faces the camera."""
    sight = np.array([x, y, z]) - pose.camera_mm
    sight /= np.linalg.norm(sight)
    across = np.cross(sight, [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    up = np.cross(across, sight)
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)[:, None]
    ring = np.array([x, y, z]) + radius * (np.cos(angle) * across + np.sin(angle) * up)
    return np.rint(pose.project(ring)).astype(np.int32)


def cover(picture: Image, pose: Pose, corners_mm: list[tuple[float, float]], ink: tuple[int, int, int]) -> Image:
    """The picture with something flat and smooth held over a part of the board."""
    covered = picture.copy()
    outline = pose.project(np.array([(*corner, 25.0) for corner in corners_mm]))
    cv2.fillPoly(covered, [np.rint(outline).astype(np.int32)], ink, cv2.LINE_AA)
    return covered


def shade(picture: Image, pose: Pose, corners_mm: list[tuple[float, float]], light: float) -> Image:
    """The picture with a shadow on a part of the board: `light` is the share of linear light that is left."""
    mask = np.zeros(picture.shape[:2], np.float32)
    outline = pose.project(np.array([(*corner, 0.0) for corner in corners_mm]))
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 1.0)
    left = 1 - cv2.GaussianBlur(mask, (0, 0), 2) * (1 - light ** (1 / 2.2))
    return np.clip(picture * left[..., None], 0, 255).astype(np.uint8)


@pytest.fixture(scope="session")
def table() -> Table:
    return Table()


@pytest.fixture(scope="session")
def start_spheres() -> dict[str, str]:
    return dict(START)


@pytest.fixture(scope="session")
def draw_board() -> Callable[..., Image]:
    """draw(table, spheres, pose, seed=3) -> picture."""
    return draw


@pytest.fixture(scope="session")
def cover_board() -> Callable[..., Image]:
    """cover(picture, pose, corners_mm, ink) -> picture."""
    return cover


@pytest.fixture(scope="session")
def shade_board() -> Callable[..., Image]:
    """shade(picture, pose, corners_mm, light) -> picture."""
    return shade
