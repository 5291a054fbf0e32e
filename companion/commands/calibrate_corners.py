"""`calibrate corners`: where a board without markers lies, named once in a picture."""

import time
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from companion.commands.output import stderr, stdout
from companion.commands.refused import CalibrationRefused
from companion.errors import BadInput
from companion.table.corners_file import keep_corners, keep_picture
from companion.table.settings import TableSettings, read_settings
from companion.table.sources import camera_source
from vision.board_pose import Pose
from vision.geometry import Grid
from vision.recorded_frames import read_picture

SETTLE_S, LONGEST_S = 5.0, 30.0
"""A camera's exposure comes to rest within the first; after the second no picture is to be expected."""
RING = (0, 220, 255)


@click.command("corners")
@click.argument("table_file", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--corners", "named", help="Pixels of the wells a6 g6 g1 a1: 'x,y x,y x,y x,y'.")
@click.option("--picture", type=click.Path(path_type=Path), help="The picture they are seen in; else one is taken.")
@click.option("--check", "check_file", type=click.Path(path_type=Path), help="Draw the wells into a picture to check.")
def corners(table_file: Path, named: str | None, picture: Path | None, check_file: Path | None) -> None:
    """Tell where a board without markers lies, by its four corner wells.

    Without --corners a picture is taken and kept beside the table: look up there, with any viewer, at which pixels the
    middles of the wells a6, g6, g1 and a1 are, and give them. From then on the board is followed by what is around its
    wells; where that cannot be, the screen says so.
    """
    settings = read_settings(table_file, board_known=False)
    points = None if named is None else _points(named)
    image = _one_picture(settings) if picture is None else read_picture(picture)
    if points is None:
        file = keep_picture(table_file, image)
        stdout.print(f"Look up the middles of a6, g6, g1 and a1 in {file}, then give", markup=False)
        again = f"senryaku calibrate corners {table_file} --picture {file} --corners 'x,y x,y x,y x,y'"
        stdout.print(f"  {again}", markup=False)
        return
    pose, kept = keep_corners(table_file, image, points)
    if check_file is not None:
        _write(check_file, _drawn(image, pose, settings.grid))
    stdout.print(f"Written to {table_file}, the old settings are in {kept}.", markup=False)


def _points(named: str) -> NDArray[np.float64]:
    try:
        points = np.array([[float(v) for v in point.split(",")] for point in named.split()])
    except ValueError:
        points = np.zeros(0)
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise BadInput(f"--corners {named}: should be four points, a6 g6 g1 a1, such as '102,80 540,82 600,400 40,398'")
    return points


def _one_picture(settings: TableSettings) -> NDArray[np.uint8]:
    """The newest once the exposure has come to rest; of stored ones the first."""
    source = camera_source(settings, paced=False)
    began, image = time.monotonic(), None
    try:
        while not source.over and time.monotonic() - began < (SETTLE_S if image is not None else LONGEST_S):
            frame = source.newest(0.1)
            image = image if frame is None else frame.image
            if image is not None and settings.camera_source != "picamera2" and "v4l2:" not in settings.camera_source:
                break
        health = source.health
    finally:
        source.close()
    if image is None:
        raise CalibrationRefused(f"nothing was written: {health.what or 'no picture came'}: {health.remedy}")
    return image


def _drawn(image: NDArray[np.uint8], pose: Pose, grid: Grid) -> NDArray[np.uint8]:
    drawn = image.copy()
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    for well in range(grid.wells):
        x, y = grid.centre_mm(well)
        radius = grid.sphere_diameter_mm / 2
        ring = np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle), 0 * angle], axis=1)
        cv2.polylines(drawn, [np.rint(pose.project(ring)).astype(np.int32)], True, RING, 2, cv2.LINE_AA)
    for well in (0, grid.wells - 1):
        at = np.rint(pose.project(np.array([(*grid.centre_mm(well), 0.0)]))[0]).astype(int).tolist()
        cv2.putText(drawn, grid.name(well), at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, RING, 2, cv2.LINE_AA)
    return drawn


def _write(file: Path, image: NDArray[np.uint8]) -> None:
    try:
        done, data = cv2.imencode(file.suffix or ".png", image)
    except cv2.error:
        done = False
    if not done:
        raise BadInput(f"--check {file}: should end in .png or .jpg")
    try:
        file.write_bytes(data.tobytes())
    except OSError as error:
        raise CalibrationRefused(f"{file}: cannot be written ({error.strerror})") from error
    stderr.print(f"wrote {file}: every ring should lie on its well", markup=False)
