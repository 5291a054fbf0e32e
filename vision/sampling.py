"""Where in a picture to look for each well: pixel places computed once a pose, then read with one indexing.

Each well is looked at in a square patch that faces the camera: in its middle the disc that a sphere resting in the
well shows, around it a rim of board. Between the wells small patches of bare board are looked at, and on the markers
their white paper.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_pose import Points, Pose
from vision.geometry import Grid, MarkerLayout
from vision.markers import cell_points_mm, marker_cells, marker_points_mm

Indices = NDArray[np.intp]

LEAST_RADIUS_PX = 8.0  # a picture is halved while a sphere's radius stays above this: enough to see, and little noise
STEPS = 21  # samples along a side of a well's square patch ...
REACH = 1.4  # ... which extends so many sphere radii from the centre each way
INNER_REACH = 0.85  # in sphere radii: nearer to the outline a sphere is dark and its neighbourhood shines in it
RIM_REACH = (1.12, 1.42)  # the board just around a sphere, in sphere radii
SINK_MM = 1.0  # a sphere's lowest point lies about this much below the board's top, in its well
GAP_RADIUS_MM = 2.5  # of the patch of bare board that is looked at in a gap
GAP_POINTS = 9
PAPER_POINTS = 16  # white cells of a marker that are looked at, and black ones


@dataclass(frozen=True, slots=True, eq=False)
class SampleMap:
    """Where to look: flat indices into a working picture of `shape` (height, width), a picture halved `halvings` times.

    `patches` (wells, STEPS x STEPS), `gaps` (gaps, points), `paper` and `ink` (markers, points). `on_board`: where the
    lines of sight of the patches' pixels meet the board, (wells x STEPS x STEPS, 2) mm.
    """

    pose: Pose
    shape: tuple[int, int]
    halvings: int
    patches: Indices
    gaps: Indices
    paper: Indices
    ink: Indices
    on_board: Points

    @property
    def view(self) -> Pose:
        """The pose as the working picture has it."""
        return self.pose.scaled(0.5**self.halvings)


@lru_cache(maxsize=8)
def gap_centres_mm(grid: Grid) -> Points:
    """Points of bare board between and around the wells, (n, 2) mm: where four wells meet, without the four corners."""
    x = (np.arange(grid.files + 1) - grid.files / 2) * grid.pitches_mm[0]
    y = (np.arange(grid.ranks + 1) - grid.ranks / 2) * grid.pitches_mm[1]
    across, up = np.meshgrid(x, y)
    corner = (np.abs(across) == x.max()) & (np.abs(up) == y.max())
    return np.stack([across[~corner], up[~corner]], axis=1)


def halvings_for(pose: Pose, grid: Grid) -> int:
    """How many times to halve a picture seen with that pose."""
    distance = float(np.linalg.norm(pose.camera_mm))
    radius_px = grid.sphere_diameter_mm / 2 * float(pose.matrix[0, 0]) / distance
    return max(0, int(np.floor(np.log2(radius_px / LEAST_RADIUS_PX))))


def shrink(image: NDArray[np.uint8], halvings: int) -> NDArray[np.uint8]:
    """The working picture: each of its pixels the mean of those it stands for."""
    for _ in range(halvings):
        height, width = image.shape[0] // 2, image.shape[1] // 2
        even = image[: height * 2, : width * 2]
        image = np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return image


def patch_radii() -> Points:
    """How far each sample of a patch is from its centre, in sphere radii: (STEPS x STEPS,)."""
    steps = np.linspace(-REACH, REACH, STEPS)
    return np.hypot(*np.meshgrid(steps, steps)).ravel()


IN_DISC = patch_radii() < INNER_REACH
IN_RIM = (patch_radii() > RIM_REACH[0]) & (patch_radii() < RIM_REACH[1])
# Colours are looked at in every other sample only, as on a chessboard: first those of the disc, then those of the rim
_OTHER = np.arange(STEPS * STEPS) % 2 == 0
COLOURED_SAMPLES = np.concatenate([np.flatnonzero(IN_DISC & _OTHER), np.flatnonzero(IN_RIM & _OTHER)])
DISC_COLOURS = np.count_nonzero(IN_DISC & _OTHER)
DISC, RIM = slice(0, DISC_COLOURS), slice(DISC_COLOURS, None)


def patch_points_mm(grid: Grid, eye: Points) -> Points:
    """Patches through the centres of spheres in the wells, facing a camera at `eye`: (wells, STEPS x STEPS, 3) mm.

    Scaled so that a sphere's outline, which is seen a little before its centre's plane, is a circle of one radius.
    """
    radius = grid.sphere_diameter_mm / 2
    centres = np.array([(*grid.centre_mm(w), grid.height_mm / 2 - SINK_MM) for w in range(grid.wells)])
    sight = centres - eye
    distance = np.linalg.norm(sight, axis=1, keepdims=True)
    sight /= distance
    silhouette = radius * distance / np.sqrt(distance**2 - radius**2)
    across = np.cross(sight, np.array([0.0, 1.0, 0.0]))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    up = np.cross(across, sight)
    lean = sight[:, 2:3] ** 2
    up *= np.sqrt(lean + (1 - lean) * (grid.height_mm / grid.sphere_diameter_mm) ** 2)
    steps = np.linspace(-REACH, REACH, STEPS)
    x, y = (axis.ravel()[None, :, None] for axis in np.meshgrid(steps, steps))
    spread = silhouette[:, :, None] * (across[:, None] * x + up[:, None] * y)
    return np.asarray(centres[:, None] + spread, np.float64)


def gap_points_mm(grid: Grid) -> Points:
    """Samples of bare board in the gaps: (gaps, points, 3) mm."""
    steps = np.linspace(-GAP_RADIUS_MM, GAP_RADIUS_MM, round(GAP_POINTS**0.5))
    offsets = np.array([(x, y, 0.0) for y in steps for x in steps])
    centres = np.pad(gap_centres_mm(grid), ((0, 0), (0, 1)))
    return np.asarray(centres[:, None] + offsets, np.float64)


def paper_points_mm(layout: MarkerLayout, white: bool = True) -> Points:
    """The white (or black) cells of the printed markers: (markers, points, 3) mm, filled up by repeating."""
    points = [np.zeros((0, PAPER_POINTS, 3))]
    for marker in sorted(layout.centres_mm):
        cells = cell_points_mm(marker_points_mm(layout, marker), layout.dictionary)[
            marker_cells(layout.dictionary, marker).ravel() == white
        ]
        points.append(np.resize(cells, (1, PAPER_POINTS, 3)))
    return np.concatenate(points)


def build_map(pose: Pose, grid: Grid, layout: MarkerLayout) -> SampleMap:
    """All places to look at for a pose."""
    halvings = halvings_for(pose, grid)
    shape = (pose.size_px[1] >> halvings, pose.size_px[0] >> halvings)
    parts = [patch_points_mm(grid, pose.camera_mm), gap_points_mm(grid)]
    parts += [paper_points_mm(layout), paper_points_mm(layout, white=False)]
    view = pose.scaled(0.5**halvings)
    pixels = np.rint(view.project(np.concatenate([part.reshape(-1, 3) for part in parts])))
    pixels = np.clip(pixels, 0, np.array([shape[1] - 1, shape[0] - 1]))
    at = pixels.astype(np.intp)
    flat = at[:, 1] * shape[1] + at[:, 0]
    cuts = np.cumsum([part.shape[0] * part.shape[1] for part in parts])[:-1]
    patches, gaps, paper, ink = (
        piece.reshape(part.shape[:2]) for piece, part in zip(np.split(flat, cuts), parts, strict=True)
    )
    return SampleMap(pose, shape, halvings, patches, gaps, paper, ink, view.to_board(pixels[: cuts[0]])[:, :2])


def sample_board(image: NDArray[np.uint8], view: Pose, places_mm: Points) -> NDArray[np.uint8]:
    """What a picture seen with `view` shows at places on the board (n, 2) mm, between pixels: (n, channels)."""
    at = view.project(np.pad(places_mm, ((0, 0), (0, 1)))).astype(np.float32)
    rows = at.reshape(-1, STEPS, 2)  # OpenCV wants fewer than 32767 in a row
    picked = cv2.remap(image, rows[..., 0], rows[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(picked.reshape(-1, image.shape[2]), np.uint8)
