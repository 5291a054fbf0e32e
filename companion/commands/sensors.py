"""`read-board` and `load-events`: what the two witnesses see and feel, each alone."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from companion.commands.output import json_option, print_json, stderr, stdout
from companion.errors import BadInput, SenryakuError
from companion.referee.hypotheses import placement_of
from companion.rules import Position
from companion.table.board_reader import board_reader
from companion.table.refereeing import wells_mm
from companion.table.settings import TableSettings, read_settings
from firmware_bridge.recording import load_events_of
from vision.annotate import annotate
from vision.evidence import SURE
from vision.reading import BoardReading, Content
from vision.reading_json import reading_json
from vision.recorded_frames import read_picture

table_option = click.option(
    "--table", "table_file", type=click.Path(path_type=Path), required=True, help="The table's table.toml."
)

SPHERES_NOTICED = 3
"""So many spheres, each certain, and a board is not empty; one or two could be a trick of the light."""


class CannotWrite(SenryakuError, OSError):
    """A picture cannot be written where it should be."""


@click.command()
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="IMAGE...")
@table_option
@click.option("--start", type=click.Path(path_type=Path), help="A picture of the start position to learn from.")
@click.option("--empty", type=click.Path(path_type=Path), help="A picture of the empty board.")
@click.option(
    "--annotate", "annotate_dir", type=click.Path(path_type=Path), help="Write pictures with the reading here."
)
@json_option
def read_board(
    images: tuple[Path, ...],
    table_file: Path,
    start: Path | None,
    empty: Path | None,
    annotate_dir: Path | None,
    as_json: bool,
) -> int:
    """Say what stands in each well on each IMAGE. Exit 1 if a reading is not certain."""
    settings = read_settings(table_file)
    pictures = [(file, read_picture(file)) for file in images]
    empty_picture = None if empty is None else read_picture(empty)
    start_picture = None if start is None else read_picture(start)
    if empty is not None and empty_picture is not None:
        _refuse_spheres(empty, empty_picture, settings)
    targets = [None] * len(images) if annotate_dir is None else picture_targets(annotate_dir, images)
    results: list[dict[str, Any]] = []
    for (file, picture), target in zip(pictures, targets, strict=True):
        # Each picture is read by itself: a later one owes nothing to an earlier one.
        reader = board_reader(settings, empty_picture if empty_picture is not None else picture)
        if empty is not None and empty_picture is not None:
            with _about(empty):
                reader.learn_empty(empty_picture)
        if start is not None and start_picture is not None:
            with _about(start):
                reader.learn_start(start_picture, [Content(c) for c in placement_of(Position.start())])
        reading = reader.read(picture, 0.0)
        results.append(reading_json(str(file), reading, settings.grid))
        if target is not None:
            pose = reader.sight.pose if reader.sight else None
            write_picture(target, annotate(picture, reading, settings.grid, pose))
        if not as_json:
            _print_reading(file, reading, results[-1])
    if as_json:
        print_json(results)
    return 0 if all(r["confident"] for r in results) else 1


@contextlib.contextmanager
def _about(file: Path) -> Iterator[None]:
    """The reader does not know which file a picture came from."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from error


def _refuse_spheres(file: Path, picture: NDArray[np.uint8], settings: TableSettings) -> None:
    """Spheres learnt as the bare board would be read as empty wells ever after, and with certainty."""
    reading = board_reader(settings, picture).read(picture, 0.0)
    spheres = [
        settings.grid.name(well)
        for well, content in enumerate(reading.likeliest())
        if content not in (Content.EMPTY, Content.HIDDEN) and reading.p[well].max() >= SURE
    ]
    if len(spheres) >= SPHERES_NOTICED:
        raise BadInput(f"{file}: is not an empty board: spheres on {', '.join(spheres)}")


def picture_targets(folder: Path, images: Sequence[Path]) -> list[Path | None]:
    """Where each picture goes: named after its image, with a number where two images have the same name."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"{folder}: is no folder that pictures can be written to ({error.strerror})") from error
    names: list[str] = []
    for image in images:
        name, number = image.stem, 1
        while name in names:
            number += 1
            name = f"{image.stem}-{number}"
        names.append(name)
    return [folder / f"{name}.annotated.jpg" for name in names]


def write_picture(target: Path, picture: NDArray[np.uint8]) -> None:
    """Writes an annotated picture and says so. Raises `CannotWrite`."""
    _, data = cv2.imencode(target.suffix, picture)
    try:
        target.write_bytes(data.tobytes())
    except OSError as error:
        raise CannotWrite(f"{target}: cannot be written ({error.strerror})") from error
    stderr.print(f"wrote {target}", markup=False)


LETTERS = {"empty": ".", "white": "w", "black": "b", "white_coloured": "W", "black_coloured": "B", "hidden": "?"}


def _print_reading(file: Path, reading: BoardReading, result: dict[str, Any]) -> None:
    stdout.print(f"{file}: {'certain' if result['confident'] else 'not certain: ' + str(result['why'])}", markup=False)
    if not reading.board_found:
        return
    for rank in range(6, 0, -1):
        row = " ".join(LETTERS[result["wells"][f"{file_letter}{rank}"]["is"]] for file_letter in "abcdefg")
        stdout.print(f"  {rank}  {row}", markup=False)
    stdout.print("     a b c d e f g")


@click.command()
@click.argument("load_file", metavar="LOAD.csv", type=click.Path(path_type=Path))
@table_option
@json_option
def load_events(load_file: Path, table_file: Path, as_json: bool) -> None:
    """Print the lifts, placings, rolls, foreign touches and tips in a load log, as they become known."""
    settings = read_settings(table_file)
    told = 0
    for event in load_events_of(load_file, settings.cells, wells_mm(settings)):
        told += 1
        if as_json:
            print_json(event.to_json())
            continue
        place = "" if event.p_mm is None else f" at {event.p_mm:+.1f} mm"
        place += "" if event.to_p_mm is None else f" to {event.to_p_mm:+.1f} mm"
        mass = "" if event.mass_g is None else f" {event.mass_g:.1f} g"
        stdout.print(f"{event.t:9.2f} s  {event.kind.value}{mass}{place}  ({event.confidence:.0%} sure)")
    if not told:
        stderr.print(f"{load_file}: no lift, placing, roll, touch or tip in it", markup=False)
