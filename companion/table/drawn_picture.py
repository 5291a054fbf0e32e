"""The newest picture with what was read in it, for the set-up page and whoever asks what the camera makes of it."""

import cv2

from vision.annotate import annotate
from vision.frames import Frame
from vision.geometry import Grid
from vision.pose_tracker import Sight
from vision.reading import BoardReading

JPEG_QUALITY = 80
"""Good enough to see spheres and marks, about 40 kB at 640 x 480."""


def drawn_jpeg(
    frame: Frame | None, reading: BoardReading | None, sight: Sight | None, grid: Grid, least_t: float | None = None
) -> bytes | None:
    """A JPEG of `frame` with its reading drawn in; None where there is no frame, or none newer than `least_t`.

    A reading of another picture is not drawn: hands and spheres would not be where it says. `sight` is how the reader
    saw the board in the reading's picture (`BoardReader.sight`).
    """
    if frame is None or (least_t is not None and frame.t <= least_t):
        return None
    image = frame.image
    if reading is not None and reading.t == frame.t:
        pose = None if sight is None or sight.pose.size_px != (image.shape[1], image.shape[0]) else sight.pose
        image = annotate(image, reading, grid, pose)
    done, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return jpeg.tobytes() if done else None
