"""From a picture of a mat to what lies in each cell."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision.board_pose import NoPose, Pose
from vision.colour import Colours, colours_of, log_levels
from vision.geometry import CameraModel, MarkerLayout
from vision.pose_tracker import PoseTracker, Sight
from vision.reading import picture_fault
from vision.sampling import paper_points_mm
from vision.tile_colours import Carrier, TilePalette, bent, named_palette, seen_palette
from vision.tile_cover import Cover, cells_covered, cells_laid_on, cover_of
from vision.tile_digits import DigitModel, shipped_model
from vision.tile_faces import Face, look_at_faces, number_certainty, tile_certainty
from vision.tile_joints import beyond, joined_squares, made_good
from vision.tile_mat import FlatMat, TileGrid, flatten
from vision.tile_reading import SURE, CellIs, CellReading, TileReading, nothing_found, reading_of
from vision.tile_squares import (
    PLAIN_SCORE,
    EdgeMap,
    best_side,
    edges_of,
    find_squares,
    square_corners,
    squares_of_mats_colour,
)

Image = NDArray[np.uint8]

NUMBERS = (1, 2, 3, 4)
TILE_HEIGHT_MM = 3.0  # of a tile's face above the mat, about: paper on card to moulded plastic
TRIED_SCORE = 0.5  # of a square from which its face is looked at
OPEN_SCORE = 0.62  # ... from which something square lies there, though nothing can be read on it
HALVED_FROM_PX = 450  # the shorter side of a halved picture in which markers are large enough to be found
HALF_SEEN_P = 0.5  # at the most of a tile beyond whose unseen side no other is read
LEAST_SIDES = 3  # tiles in sight from which their side is worth finding out
SIDES_FROM = 12  # ... of so many, or a few more
USUAL_SIDE_OF_CELL = 0.82


class TileReader:
    """Reads pictures of one mat. Learns the colours it is shown; without any it goes by their names."""

    def __init__(
        self,
        grid: TileGrid,
        camera: CameraModel,
        markers: MarkerLayout,
        colours: Sequence[str],
        numbers: Sequence[int] = NUMBERS,
        palette: TilePalette | None = None,
    ) -> None:
        """`palette`: colours learned before. Raises `BadInput` for colours or numbers that cannot be read."""
        bad = [number for number in numbers if not 0 <= number <= 9]
        if bad or not numbers:
            raise BadInput(f"[try4] tile_set: number {bad[0] if bad else 'none'} cannot be read; take 0 to 9")
        self._grid, self._markers = grid, markers
        self._names = tuple(dict.fromkeys(colours))
        self._palette = named_palette(self._names) if palette is None else palette
        self._numbers = tuple(sorted(set(numbers)))
        self._model: DigitModel = shipped_model().among(self._numbers)
        self._tracker = PoseTracker(markers, camera, quick=True)
        self._closer = PoseTracker(markers, camera)
        self._side: float | None = None
        self._sight: Sight | None = None

    @property
    def palette(self) -> TilePalette:
        """The colours that it goes by."""
        return self._palette

    @property
    def sight(self) -> Sight | None:
        """How the mat was seen in the last picture; None where it was not found."""
        return self._sight

    def learn_colours(self, image: Image, shown: Sequence[tuple[int, str]]) -> TilePalette:
        """Remember the colours of tiles that lie in known cells: (cell, name), each colour once.

        Raises `BadInput` where the mat or one of the tiles is not seen, or two colours look alike.
        """
        fault = picture_fault(image)
        pose = NoPose(fault) if fault else self._find(image)
        if isinstance(pose, NoPose):
            raise BadInput(pose.why)
        flat = flatten(image, pose, self._grid, TILE_HEIGHT_MM)
        faces = {face.square.cell: face for face in self._faces(image, pose, flat, [cell for cell, _ in shown])}
        for cell, name in shown:
            if cell not in faces or faces[cell].square.score < OPEN_SCORE:
                raise BadInput(f"no tile is seen at {self._grid.name(cell)}, where {name} should be shown")
        paper = self._paper(image, pose)
        seen = [faces[cell] for cell, _ in shown]
        bodies = np.array([face.body - paper for face in seen])
        inks = np.array([face.ink_colour - face.body for face in seen])
        self._palette = seen_palette([name for _, name in shown], bodies, inks)
        return self._palette

    def read(self, image: Image, t: float) -> TileReading:
        """What lies on the mat in a BGR picture taken at `t` seconds.

        Never raises: a picture without the mat, or what is no picture at all, gives a reading that says why.
        """
        self._sight = None
        fault = picture_fault(image)
        pose = NoPose(fault) if fault else self._find(image)
        if isinstance(pose, NoPose):
            return nothing_found(self._grid, t, pose.why)
        flat = flatten(image, pose, self._grid, TILE_HEIGHT_MM)
        cover = cover_of(flat)
        laid = cells_laid_on(flat, cover)
        faces = self._faces(image, pose, flat, laid, cover)
        read = self._judge(faces, self._paper(image, pose), laid)
        plain = [
            square_corners(face.square)
            for face in faces
            if face.square.cell in read and (_certain(read[face.square.cell]) or face.square.score >= PLAIN_SCORE)
        ]
        covered, strange = cells_covered(flat, cover, plain)
        near = covered | {other for cell in covered for other in self._grid.around(cell)}
        cells = []
        for cell in range(self._grid.cells):
            there = read.get(cell)
            if there is not None and (_certain(there) or cell not in near):
                cells.append(there)
            elif there is not None or cell in covered or (cell in strange and cell in near):
                cells.append(CellReading(CellIs.HIDDEN))
            else:
                cells.append(CellReading(CellIs.UNSURE if cell in strange else CellIs.EMPTY))
        return reading_of(self._grid, t, tuple(cells))

    def _find(self, image: Image) -> Pose | NoPose:
        """The mat's pose: from the halved picture where that shows the markers, which is much quicker."""
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        sight: Sight | NoPose = NoPose("")
        height, width = grey.shape[0] // 2, grey.shape[1] // 2
        halved = min(height, width) >= HALVED_FROM_PX
        if halved:
            even = grey[: height * 2, : width * 2]
            small = cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA)
            sight = self._tracker.update(np.asarray(small, np.uint8))
        if isinstance(sight, NoPose):
            sight, halved = self._closer.update(grey), False
        if isinstance(sight, NoPose):
            return sight
        self._sight = replace(sight, pose=sight.pose.scaled(2.0)) if halved else sight
        return self._sight.pose

    def _faces(
        self, image: Image, pose: Pose, flat: FlatMat, cells: Sequence[int], cover: Cover | None = None
    ) -> list[Face]:
        """The faces of what may be tiles in some cells.

        Where the cover is given also of tiles that touch, and where only edges show, as of a white tile on white paper.
        """
        edges = edges_of(flat)
        side = self._side_px(flat, edges, cells)
        squares = find_squares(flat, edges, cells, side)
        if cover is not None:
            squares = joined_squares(flat, edges, cover, squares, side)
            bare = [cell for cell in range(self._grid.cells) if cell not in cells]
            known = [square_corners(square) for square in squares]
            squares += squares_of_mats_colour(flat, edges, bare, known, side)
        tried = [square for square in squares if square.score >= TRIED_SCORE]
        return look_at_faces(image, pose, flat, TILE_HEIGHT_MM, tried, self._model, self._numbers)

    def _side_px(self, flat: FlatMat, edges: EdgeMap, cells: Sequence[int]) -> float:
        """A tile's side in the flat picture: as the settings say, or as it is found out once."""
        if self._grid.tile_mm is not None:
            return self._grid.tile_mm * flat.px_per_mm
        if self._side is None and len(cells) >= LEAST_SIDES:
            self._side = best_side(flat, edges, cells[:: max(1, len(cells) // SIDES_FROM)])
        return self._side or USUAL_SIDE_OF_CELL * self._grid.cell_mm * flat.px_per_mm

    def _paper(self, image: Image, pose: Pose) -> Colours:
        """The colour of the markers' white paper, (3,): the light."""
        points = paper_points_mm(self._markers)
        at = np.rint(pose.project(points.reshape(-1, 3))).astype(int)
        last = np.array([image.shape[1] - 1, image.shape[0] - 1])
        inside = np.all((at >= 0) & (at <= last), axis=1)
        at = np.clip(at, 0, last)
        colours = colours_of(log_levels(image[at[:, 1], at[:, 0]])).reshape(*points.shape[:2], 3)
        whole = inside.reshape(points.shape[:2]).all(axis=1)
        papers = np.median(colours, axis=1)[whole if whole.any() else slice(None)]
        return np.asarray(np.median(papers, axis=0), np.float32)

    def _judge(self, faces: Sequence[Face], paper: Colours, laid: Sequence[int]) -> dict[int, CellReading]:
        """What each face says of its cell; nothing where it is no tile's."""
        ink = self._palette.carrier is Carrier.INK
        if not faces:
            return {}
        colours = np.array([face.ink_colour - face.body if ink else face.body - paper for face in faces], np.float32)
        palette = bent(self._palette, colours)
        read: dict[int, CellReading] = {}
        joined: dict[int, list[int | None]] = {}
        whole: set[int] = set()
        squares = [face.square for face in faces]
        for face, p_colours in zip(faces, palette.probabilities(colours), strict=True):
            at, p_number = number_certainty(face.likeness, face.ink)
            best = int(p_colours.argmax())
            p_colour = float(p_colours[best])
            p_tile = tile_certainty(face, paper)
            p = p_number * p_colour * p_tile
            if p < SURE and face.square.score < OPEN_SCORE and face.square.cell in laid:
                continue
            if face.square.joined:
                others = beyond(face.square, squares)
                joined[face.square.cell] = [None if other is None else other.cell for other in others]
            if p_tile * p_colour >= SURE:
                whole.add(face.square.cell)
            read[face.square.cell] = CellReading(
                CellIs.TILE if p >= SURE else CellIs.UNSURE,
                palette.names[best],
                self._numbers[at],
                p,
                p_colour,
                p_number,
                tuple((float(x), float(y)) for x, y in face.corners_px),
            )
        return _with_neighbours(read, joined, whole)


def _with_neighbours(
    read: dict[int, CellReading], joined: Mapping[int, Sequence[int | None]], whole: set[int]
) -> dict[int, CellReading]:
    """What is read, less certain where a tile is said to touch another of its colour and there is no such tile."""
    pairs = {(cell, o) for cell, others in joined.items() for o in others if o is not None}
    alike = {(a, b) for a, b in pairs if b in read and read[a].colour == read[b].colour}
    for cell in joined.keys() - made_good(joined, alike, whole):
        is_ = CellIs.UNSURE if _certain(read[cell]) else read[cell].is_
        read[cell] = replace(read[cell], is_=is_, p=min(read[cell].p, HALF_SEEN_P))
    return read


def _certain(cell: CellReading) -> bool:
    return cell.is_ is CellIs.TILE
