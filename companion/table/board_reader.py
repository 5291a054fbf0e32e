"""The board reader that a table's settings ask for: it finds the board by markers, or where its corners were seen."""

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from companion.table.camera_settings import BoardCorners
from companion.table.settings import TableSettings
from vision.board_pose import NoPose, pose_from_corners
from vision.reader import BoardReader
from vision.recorded_frames import read_picture

Image = NDArray[np.uint8]


def board_reader(settings: TableSettings, seen_in: Image | None = None) -> BoardReader:
    """A reader for a table's pictures.

    Where the table's board has no markers, its corners are placed in the picture they were seen in, else in `seen_in`;
    where there is neither the reader waits for `place`. Raises `BadInput` where the corners cannot be this board's.
    """
    corners = settings.corners
    markers = settings.markers if corners is None else None
    reader = BoardReader(settings.grid, settings.camera, markers, settings.colours)
    if corners is not None:
        _check(corners, settings)
        picture = seen_in if corners.picture is None else read_picture(corners.picture)
        if picture is not None:
            place(reader, settings, picture)
    return reader


def waits_for_picture(settings: TableSettings, seen_in: Image | None = None) -> bool:
    """Must the first picture of the board show it where its corners were seen?"""
    return settings.corners is not None and settings.corners.picture is None and seen_in is None


def place(reader: BoardReader, settings: TableSettings, image: Image) -> None:
    """Tells the reader that this picture shows the board where its corners were seen. Raises `BadInput`."""
    assert settings.corners is not None
    assert settings.camera.size_px is not None
    scale = np.array([image.shape[1], image.shape[0]]) / settings.camera.size_px
    pixels = (np.array(settings.corners.pixels) + 0.5) * scale - 0.5
    reader.place_corners(image, pixels)


def _check(corners: BoardCorners, settings: TableSettings) -> None:
    assert settings.camera.size_px is not None
    pose = pose_from_corners(np.array(corners.pixels), settings.grid, settings.camera, settings.camera.size_px)
    if isinstance(pose, NoPose):
        raise BadInput(f"{settings.name}: [camera] corners_px: {pose.why}")
