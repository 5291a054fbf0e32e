"""Keeps where somebody saw a board's corners: the pixels in its `table.toml`, the picture beside it."""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from companion.table.settings import read_settings
from companion.table.settings_file import CannotWrite, change_settings
from vision.board_pose import NoPose, Points, Pose, pose_from_corners
from vision.landmarks import LandmarkTracker

Image = NDArray[np.uint8]


def corners_picture(table_file: Path) -> Path:
    """Where the picture is kept."""
    return table_file.with_name(f"{table_file.stem}.corners.png")


def keep_picture(table_file: Path, image: Image) -> Path:
    """Writes the picture in which corners are to be named. Raises `CannotWrite`."""
    file = corners_picture(table_file)
    _, data = cv2.imencode(".png", image)
    try:
        file.write_bytes(data.tobytes())
    except OSError as error:
        raise CannotWrite(f"{file}: cannot be written ({error.strerror})") from error
    return file


def keep_corners(table_file: Path, image: Image, corners_px: Points) -> tuple[Pose, Path]:
    """Writes corners (4, 2), seen in `image`: centres of the wells a6, g6, g1, a1, as White sees them.

    Gives the board's pose and where the old settings are kept. Raises `BadInput` where the corners cannot be this
    board's, or could not be followed; `BadSettings`, `CannotWrite`.
    """
    settings = read_settings(table_file, board_known=False)
    size = (image.shape[1], image.shape[0])
    if settings.camera.size_px not in (None, size):
        assert settings.camera.size_px is not None
        width, height = settings.camera.size_px
        raise BadInput(f"corners: the picture is {size[0]} x {size[1]} pixels, the table's are {width} x {height}")
    pose = pose_from_corners(corners_px, settings.grid, settings.camera, size)
    if isinstance(pose, NoPose):
        raise BadInput(f"corners: {pose.why}")
    LandmarkTracker(image[..., 1], corners_px, settings.grid, settings.camera)
    picture = keep_picture(table_file, image)
    kept = change_settings(
        table_file,
        {
            ("camera", "size_px"): list(size),
            ("camera", "corners_px"): [[round(float(v), 1) for v in corner] for corner in corners_px],
            ("camera", "corners_picture"): picture.name,
        },
    )
    return pose, kept
