"""`calibrate camera`: from views of a printed sheet to the camera's matrix and the bend of its lens."""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import cv2
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from companion.commands.output import json_option, print_json, stderr, stdout
from companion.commands.refused import CalibrationRefused
from companion.commands.sheet_file import write_sheet
from companion.errors import BadInput
from companion.table.settings import TableSettings, read_settings
from companion.table.settings_file import Changes, change_settings
from companion.table.sources import camera_source
from vision.board_pose import GUESSED_FOCAL_WIDTHS
from vision.cameras import Camera, StoredFrames, frames_of_folder
from vision.charuco import (
    ADVICE,
    LEAST_VIEWS,
    BadCalibration,
    Calibration,
    Collection,
    View,
    calibrate,
    held_still,
    see_sheet,
)
from vision.charuco_sheet import CharucoSheet

NO_PICTURE_S = 30.0
"""A camera from which no picture came for so long will not be waited for any more."""
LOOK_S = 0.1
SHOWN_PER_S = 8

Say = Callable[[str, Collection], None]


@click.command("camera")
@click.argument("table_file", metavar="[TABLE.toml]", required=False, type=click.Path(path_type=Path))
@click.option("--sheet", "sheet_file", type=click.Path(path_type=Path), help="Write the sheet to print: .pdf or .png.")
@click.option("--dpi", type=click.IntRange(72, 1200), default=300, help="Dots an inch of a .png sheet (300).")
@click.option("--pictures", type=click.Path(path_type=Path), help="Take the views from a folder of pictures instead.")
@json_option
def camera(table_file: Path | None, sheet_file: Path | None, dpi: int, pictures: Path | None, as_json: bool) -> None:
    """Calibrate the camera with a printed sheet.

    First --sheet sheet.pdf: print it in true size and glue it on something flat. Then, with the camera on its mount,
    hold the sheet before it as you are told; views are taken by themselves while you hold it still. Nothing is written
    before the views are enough and fit; the old settings stay in TABLE.toml.bak. Without a calibration the table works
    with a guess of the lens.
    """
    sheet = CharucoSheet()
    if sheet_file is not None:
        write_sheet(sheet_file, sheet, dpi)
        stderr.print(f"wrote {sheet_file}: print it at 100 %, and glue it flat on a stiff board", markup=False)
    if table_file is None:
        if sheet_file is None:
            raise BadInput("give the TABLE.toml to calibrate, or --sheet sheet.pdf for the sheet to print")
        return
    settings = read_settings(table_file, board_known=False)
    if sheet_file is not None and pictures is None and settings.camera_source == "none":
        return
    source = camera_source(settings, paced=False) if pictures is None else StoredFrames(frames_of_folder(pictures))
    collection = Collection(sheet)
    try:
        with _Screen() as screen:
            collect(source, collection, screen.say)
    finally:
        source.close()
    found = solved(collection, settings)
    kept = change_settings(table_file, changes_of(found))
    if as_json:
        print_json({**found_json(found), "written": str(table_file), "kept": str(kept)})
    else:
        _report(settings, found, table_file, kept)


def collect(source: Camera, collection: Collection, say: Say, clock: Callable[[], float] = time.monotonic) -> None:
    """Takes views until they are enough; of stored pictures all. Raises CalibrationRefused where no pictures come."""
    live = not isinstance(source, StoredFrames)
    before: View | None = None
    for grey in _greys(source, collection, say, clock):
        view = see_sheet(grey, collection.sheet)
        if isinstance(view, str):
            before = None
            say(view, collection)
            continue
        if live and (before is None or not held_still(view, before)):
            say("hold the sheet still", collection)
        else:
            say(collection.take(view), collection)
        before = view
        if live and collection.complete:
            return


def _greys(source: Camera, collection: Collection, say: Say, clock: Callable[[], float]) -> Iterator[Any]:
    last = clock()
    while not source.over:
        frame = source.newest(LOOK_S)
        if frame is not None:
            last = clock()
            yield cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY)
        elif not source.over:
            health = source.health
            say(f"{health.what}: {health.remedy}" if health.what else "waiting for a picture", collection)
            if clock() - last > NO_PICTURE_S:
                why = health.what or "nothing came from the camera"
                raise CalibrationRefused(f"not calibrated, nothing was written: {why}: {health.remedy}")


def solved(collection: Collection, settings: TableSettings) -> Calibration:
    """The camera that the views tell. Raises CalibrationRefused saying what does not fit and what to do."""
    try:
        if not collection.views:
            raise BadCalibration("no picture shows the sheet well: print it with --sheet, and hold all of it into view")
        _refuse_other_size(collection.views[0].size_px, settings)
        return calibrate(collection.views, collection.sheet)
    except BadCalibration as error:
        count = len(collection.views)
        raise CalibrationRefused(f"not calibrated, nothing was written ({count} good views): {error}") from error


def _refuse_other_size(size_px: tuple[int, int], settings: TableSettings) -> None:
    wanted = settings.camera.size_px
    if wanted is not None and wanted != size_px:
        raise BadCalibration(
            f"the views are {size_px[0]} x {size_px[1]} pixels, the table's pictures {wanted[0]} x {wanted[1]}: take "
            "them in that size, or set size_px in [camera]"
        )


def changes_of(found: Calibration) -> Changes:
    """What of it goes into `table.toml`."""
    assert found.camera.matrix is not None
    assert found.camera.size_px is not None
    return {
        ("camera", "size_px"): list(found.camera.size_px),
        ("camera", "matrix"): [[round(v, 3) for v in row] for row in found.camera.matrix],
        ("camera", "distortion"): [round(v, 6) for v in found.camera.distortion],
    }


def found_json(found: Calibration) -> dict[str, Any]:
    """What was found: pixels, and one standard deviation of the focal length."""
    return {
        **{path[-1]: value for path, value in changes_of(found).items()},
        "error_px": round(found.error_px, 3),
        "focal_sd_px": round(found.focal_sd_px, 2),
        "views": found.views,
    }


def _report(settings: TableSettings, found: Calibration, file: Path, kept: Path) -> None:
    camera, old = found.camera, settings.camera
    assert camera.matrix is not None
    assert camera.size_px is not None
    width = camera.size_px[0]
    guess = f"guessed, about {GUESSED_FOCAL_WIDTHS * max(camera.size_px):.0f}"
    table = Grid("", "before", "now", "one sd", box=None, pad_edge=False)
    before = guess if old.matrix is None else f"{old.matrix[0][0]:.1f}"
    table.add_row("focal length, pixels", before, f"{camera.matrix[0][0]:.1f}", f"{found.focal_sd_px:.1f}")
    angle = 2 * math.degrees(math.atan(width / 2 / camera.matrix[0][0]))
    table.add_row("angle of view across, degrees", "", f"{angle:.1f}", "")
    table.add_row("optical centre, pixels", "", f"{camera.matrix[0][2]:.1f}, {camera.matrix[1][2]:.1f}", "")
    table.add_row("bend of the lens (k1)", f"{old.distortion[0]:.3f}", f"{camera.distortion[0]:.3f}", "")
    stdout.print(table)
    stdout.print(f"{found.views} views fit it within {found.error_px:.2f} pixels (rms).", markup=False)
    stdout.print(f"Written to {file}, the old settings are in {kept}.", markup=False)


class _Screen:
    """Says on stderr what to do with the sheet and how far it is; without a terminal a line for each change."""

    def __init__(self) -> None:
        self._said = ""
        self._live = (
            Live(console=stderr, refresh_per_second=SHOWN_PER_S, transient=True) if stderr.is_terminal else None
        )

    def __enter__(self) -> "_Screen":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, what: str, collection: Collection) -> None:
        if self._live is not None:
            self._live.update(Text(f"{progress(collection)}\n{what}"))
        if what != self._said and (self._live is None or what.startswith("view ")):
            stderr.print(what if self._live is not None else f"{progress(collection)}: {what}", markup=False)
        self._said = what


def progress(collection: Collection) -> str:
    """How many views there are and what they lack, in words."""
    count, lacks = len(collection.views), collection.lacks
    parts = [f"{count} of at least {LEAST_VIEWS} views", f"{collection.covered:.0%} of the picture covered"]
    wanted = [place.value for place in lacks if ADVICE[place] and place.value != "more"]
    if wanted:
        parts.append(f"still wanted: {', '.join(wanted)}")
    return ", ".join(parts)
