"""`read-board` and `load-events`: what the two witnesses see and feel, each alone."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from vision.board_pose import Pose
from vision.evidence import SURE
from vision.reading import BoardReading, Content
from vision.reading_json import reading_json
from vision.recorded_frames import read_picture

table_option = click.option(
    "--table", "table_file", type=click.Path(path_type=Path), required=True, help="The table's table.toml."
)

SPHERES_NOTICED = 3
"""So many spheres, each certain, and a board is not empty; one or two could be a trick of the light."""
WELLS_NOTICED = 3
"""So many wells that certainly hold something else, and a picture does not show the start position."""
BARE_NOTICED, LOOK_BARE = 8, 0.25
"""So many wells certainly bare, of which a smaller share looks so beside the empty board: it is another one."""
START = [Content(content) for content in placement_of(Position.start())]


Image = NDArray[np.uint8]


class CannotWrite(BadInput, OSError):
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
    learned = _learned_from(read_settings(table_file), start, empty)
    problems: list[SenryakuError] = []
    targets: list[Path | None] = [None] * len(images)
    if annotate_dir is not None:
        with _noted(problems):
            targets = picture_targets(annotate_dir, images)
    results: list[dict[str, Any]] = []
    for file, target in zip(images, targets, strict=True):
        with _noted(problems):  # the others are read all the same
            picture = read_picture(file)
            reading, pose = _read(learned, file, picture)
            results.append(reading_json(str(file), reading, learned.settings.grid))
            if not as_json:
                _print_reading(file, reading, results[-1])
            if target is not None:
                write_picture(target, annotate(picture, reading, learned.settings.grid, pose))
    if as_json and (results or not problems):
        print_json(results)
    for problem in problems[:-1]:
        stderr.print(str(problem), markup=False)
    if problems:
        raise problems[-1]
    return 0 if all(r["confident"] for r in results) else 1


@dataclass(frozen=True, slots=True)
class _Learned:
    """A table, and the pictures to learn it from: file and picture of each."""

    settings: TableSettings
    start: tuple[Path, Image] | None
    empty: tuple[Path, Image] | None


def _learned_from(settings: TableSettings, start: Path | None, empty: Path | None) -> _Learned:
    """Raises `BadInput` for a picture that does not show what it should."""
    of_empty = None if empty is None else (empty, read_picture(empty))
    of_start = None if start is None else (start, read_picture(start))
    if of_empty is not None:
        _refuse_spheres(*of_empty, settings)
    if of_start is not None:
        _refuse_other_position(*of_start, settings)
    return _Learned(settings, of_start, of_empty)


def _read(learned: _Learned, file: Path, picture: Image) -> tuple[BoardReading, Pose | None]:
    """Each picture is read by itself: a later one owes nothing to an earlier one."""
    reader = board_reader(learned.settings, picture if learned.empty is None else learned.empty[1])
    if learned.empty is not None:
        with _about(learned.empty[0]):
            reader.learn_empty(learned.empty[1])
    if learned.start is not None:
        with _about(learned.start[0]):
            reader.learn_start(learned.start[1], START)
    reading = reader.read(picture, 0.0)
    if learned.empty is not None:
        _refuse_other_table(learned.empty[0], file, picture, learned.settings, reading)
    return reading, reader.sight.pose if reader.sight else None


@contextlib.contextmanager
def _noted(problems: list[SenryakuError]) -> Iterator[None]:
    """What goes wrong with one picture is told after the others."""
    try:
        yield
    except SenryakuError as error:
        problems.append(error)


@contextlib.contextmanager
def _about(file: Path) -> Iterator[None]:
    """The reader does not know which file a picture came from."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from error


def _refuse_spheres(file: Path, picture: Image, settings: TableSettings) -> None:
    """Spheres learnt as the bare board would be read as empty wells ever after, and with certainty."""
    reading = board_reader(settings, picture).read(picture, 0.0)
    spheres = [
        settings.grid.name(well)
        for well, content in enumerate(reading.likeliest())
        if content not in (Content.EMPTY, Content.HIDDEN) and reading.p[well].max() >= SURE
    ]
    if len(spheres) >= SPHERES_NOTICED:
        raise BadInput(f"{file}: is not an empty board: spheres on {', '.join(spheres)}")


def _refuse_other_position(file: Path, picture: Image, settings: TableSettings) -> None:
    """Spheres learnt in the wrong places would be taken for others ever after, and with certainty."""
    reading = board_reader(settings, picture).read(picture, 0.0)
    other = [
        (settings.grid.name(well), content)
        for well, (content, start) in enumerate(zip(reading.likeliest(), START, strict=True))
        if content not in (start, Content.HIDDEN) and reading.p[well].max() >= SURE
    ]
    if len(other) >= WELLS_NOTICED:
        bare = [name for name, content in other if content is Content.EMPTY]
        wrong = [f"{content.word.replace('_', ' ')} on {name}" for name, content in other if content != Content.EMPTY]
        said = ([f"nothing on {', '.join(bare)}"] if bare else []) + wrong
        raise BadInput(f"{file}: is not the start position: {', '.join(said)}")


def _refuse_other_table(
    empty: Path, file: Path, picture: Image, settings: TableSettings, reading: BoardReading
) -> None:
    """On another board's empty picture hardly a bare well of this one looks bare."""
    seen_bare = reading.p[:, Content.EMPTY] >= SURE
    if not reading.board_found or seen_bare.sum() >= BARE_NOTICED:
        return
    alone = board_reader(settings, picture).read(picture, 0.0)
    bare = alone.p[:, Content.EMPTY] >= SURE
    if bare.sum() >= BARE_NOTICED and np.count_nonzero(bare & seen_bare) < LOOK_BARE * bare.sum():
        raise BadInput(f"{empty}: is of another table than {file}: its bare wells look unlike those there")


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
