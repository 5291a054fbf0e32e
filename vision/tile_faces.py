"""The faces of the tiles that were found: cut out upright, their colour and their digit weighed."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_pose import Points, Pose
from vision.colour import Colours, colours_of, log_levels
from vision.tile_digits import DigitModel, Floats, ink_middle, normal_patches
from vision.tile_ink import Ink, Region, inks_on
from vision.tile_mat import FlatMat
from vision.tile_squares import TileSquare, square_corners

FACE_PX = 44  # along a tile's side: a digit is some 18 pixels high
FRAME_OF_SIDE = 0.09  # on each side: a frame may be printed there, and the tile's edge is near
TURNS_DEG = tuple(float(quarter * 90 + off) for quarter in range(4) for off in (-6, 0, 6))
MOST_OFF_PX = 7.0  # of a face that a square may lie off
PARTS = 4  # each way into which a face is parted to see whether it is of one colour
LEAST_OF_PART = 0.4  # of a part must be free of ink to tell its colour
MOST_VIVID = 1.4  # times the face's tint that a part of it may have
BARE = 1e-6  # of full ink: less is none
DARKEST_SHARE = 0.4  # of a face with the least glare, which show its colour best

# Logistics of certainty, each a level and a slope: how much more a digit resembles its best than its second best (the
# level lower where the best is good), how well it resembles it at all, how plainly the ink shows, how large it is
# (rms distance from its middle, pixels: a scrap of a digit beside a finger may resemble a whole one), how plainly the
# weakest side of a square does; and against it, of how many colours its face is. Set by simulated mats in fonts that no
# template was made from.
MARGIN = (0.004, 130.0)
FOR_LIKENESS = (0.86, 25.0)
LIKENESS = (0.805, 60.0)
CONTRAST = (2.0, 2.0)
SIZE = (3.2, 6.0)
SQUARE = (0.44, 25.0)
PATCHY = (0.4, -20.0)


def face_region() -> Region:
    """Where on a face its digit may be."""
    edge = round(FACE_PX * FRAME_OF_SIDE)
    region = np.zeros((FACE_PX, FACE_PX), bool)
    region[edge:-edge, edge:-edge] = True
    return region


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One tile's face. `body` and `ink_colour` (3,): colours as the camera has them; `corners_px` (4, 2).

    `parts` (n, 3): the colours of its parts, without ink; a finger over a part of it has another than the rest.
    `likeness` (numbers,): of its ink with each number that is possible; None where there is no ink.
    """

    square: TileSquare
    corners_px: Points
    ink: Ink
    body: Colours
    ink_colour: Colours
    parts: Colours
    likeness: Floats | None


def look_at_faces(
    image: NDArray[np.uint8],
    pose: Pose,
    flat: FlatMat,
    height_mm: float,
    squares: Sequence[TileSquare],
    model: DigitModel,
    numbers: Sequence[int],
) -> list[Face]:
    """Cuts out and weighs the faces of tiles."""
    if not squares:
        return []
    corners = corners_in_picture(pose, flat, height_mm, squares)
    faces = np.stack([_cut_out(image, four) for four in corners])
    region = face_region()
    inks = inks_on(faces, region)
    # a digit stands in its tile's middle: where it reaches the edge, the square lies a little off
    off = [k for k, ink in enumerate(inks) if ink.cut]
    if off:
        moved = np.stack([_moved_to_ink(corners[k], inks[k]) for k in off])
        again = np.stack([_cut_out(image, four) for four in moved])
        for k, four, face, ink in zip(off, moved, again, inks_on(again, region), strict=True):
            if not ink.cut:
                corners[k], faces[k], inks[k] = four, face, ink
    levels = colours_of(log_levels(faces))
    patches = [normal_patches(ink.mask, TURNS_DEG) for ink in inks]
    there = [k for k, patch in enumerate(patches) if patch is not None]
    likeness: dict[int, Floats] = {}
    if there:
        stack = np.stack([patch for patch in patches if patch is not None])
        likeness = dict(zip(there, model.likenesses(stack, numbers).max(axis=1), strict=True))
    colours = _colours(levels, inks, region)
    return [Face(square, corners[k], inks[k], *colours[k], likeness.get(k)) for k, square in enumerate(squares)]


def corners_in_picture(pose: Pose, flat: FlatMat, height_mm: float, squares: Sequence[TileSquare]) -> Points:
    """The corners of squares in the camera's picture, (n, 4, 2)."""
    pixels = np.concatenate([square_corners(square) for square in squares])
    x, y = flat.place(pixels[:, 0], pixels[:, 1])
    return pose.project(np.stack([x, y, np.full(len(x), height_mm)], axis=1)).reshape(-1, 4, 2)


def _moved_to_ink(corners: Points, ink: Ink) -> Points:
    """A face's corners (4, 2) in the picture, moved along its sides so that the ink's middle is the face's."""
    rows, columns = np.nonzero(ink.certain)
    if not len(rows):
        return corners
    middle = (FACE_PX - 1) / 2
    across, down = (np.clip((v.min() + v.max()) / 2 - middle, -MOST_OFF_PX, MOST_OFF_PX) for v in (columns, rows))
    return np.asarray(corners + ((corners[1] - corners[0]) * across + (corners[3] - corners[0]) * down) / FACE_PX)


def _cut_out(image: NDArray[np.uint8], corners: Points) -> NDArray[np.uint8]:
    edge = FACE_PX - 0.5
    target = np.array([(-0.5, -0.5), (edge, -0.5), (edge, edge), (-0.5, edge)], np.float32)
    turn = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    return np.asarray(cv2.warpPerspective(image, turn, (FACE_PX, FACE_PX), flags=cv2.INTER_LINEAR), np.uint8)


def patchiness(face: Face, paper: Colours) -> float:
    """How far the tint of any part of a face is from what glare or shadow could make of the whole face's."""
    body, parts = (face.body - paper)[1:], (face.parts - paper)[:, 1:]
    share = np.clip(parts @ body / max(float(body @ body), 1e-6), 0.0, MOST_VIVID)
    return float(np.linalg.norm(parts - share[:, None] * body, axis=1).max(initial=0.0))


def _colours(levels: Colours, inks: Sequence[Ink], region: Region) -> list[tuple[Colours, Colours, Colours]]:
    """For each face (n, h, w, 3): its colour where glare bleaches it least, its ink's, (3,) both; its parts' (m, 3).

    `region` is a rectangle of the faces.
    """
    rows, columns = np.flatnonzero(region.any(axis=1)), np.flatnonzero(region.any(axis=0))
    inner = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
    whole = levels[:, inner[0], inner[1]]
    flat = whole.reshape(len(inks), -1, 3)
    free = np.stack([ink.mask[inner].ravel() < BARE for ink in inks])
    ink = np.stack([ink.certain[inner].ravel() for ink in inks])
    count = free.sum(axis=1)
    ordered = np.sort(np.where(free, flat[..., 0], np.float32(np.inf)), axis=1)
    last = np.minimum(np.rint(count * DARKEST_SHARE).astype(int), ordered.shape[1] - 1)
    middling = ordered[np.arange(len(inks)), last]
    body = _means(flat, free & (flat[..., 0] <= middling[:, None]))
    colour = np.where(ink.max(axis=1)[:, None], _means(flat, ink), body)
    side = whole.shape[1] // PARTS * PARTS
    blocks = (len(inks), PARTS, side // PARTS, PARTS, side // PARTS)
    bare = free.reshape(whole.shape[:3])[:, :side, :side]
    counts = bare.reshape(blocks).sum(axis=(2, 4)).reshape(len(inks), -1)
    sums = (whole[:, :side, :side] * bare[..., None]).reshape(*blocks, 3).sum(axis=(2, 4)).reshape(len(inks), -1, 3)
    parts = sums / np.maximum(counts, 1)[..., None]
    enough = counts > LEAST_OF_PART * (side // PARTS) ** 2
    return [(body[k], colour[k], np.asarray(parts[k][enough[k]], np.float32)) for k in range(len(inks))]


def _means(values: Colours, chosen: NDArray[np.bool_]) -> Colours:
    """Means (n, 3) of the chosen (n, m) of values (n, m, 3)."""
    weight = chosen.astype(np.float32)
    sums = (weight[:, None, :] @ values)[:, 0]
    return np.asarray(sums / np.maximum(weight.sum(axis=1), 1)[:, None], np.float32)


def number_certainty(likeness: Floats | None, ink: Ink) -> tuple[int, float]:
    """Which of the possible numbers is likeliest (its place among them), and how certain that is."""
    if likeness is None:
        return 0, 0.0
    order = np.sort(likeness)
    best = float(order[-1])
    margin = best - (float(order[-2]) if len(order) > 1 else 0.0)
    z = min(_odds(margin, MARGIN) + _odds(best, FOR_LIKENESS), _odds(margin, MARGIN) * 2)
    z = min(z, _odds(best, LIKENESS), _odds(ink.strength / ink.noise, CONTRAST))
    z = min(z, _odds(ink_middle(ink.mask)[2], SIZE))
    if ink.cut:
        z = min(z, 0.0)
    return int(likeness.argmax()), _logistic(z)


def tile_certainty(face: Face, paper: Colours) -> float:
    """How certain it is that a square is a whole tile with nothing over it."""
    return _logistic(min(_odds(face.square.weakest, SQUARE), _odds(patchiness(face, paper), PATCHY)))


def _odds(value: float, level_slope: tuple[float, float]) -> float:
    return (value - level_slope[0]) * level_slope[1]


def _logistic(z: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(z, -30, 30))))
