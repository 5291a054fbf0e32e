"""Pictures of a recording: `frames.csv` with columns t_s,file, beside the pictures that it names."""

import csv
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from companion.errors import BadInput
from vision.frames import Frame


class BadPicture(BadInput):
    """A file that is no picture, or a list of pictures that cannot be read."""


def read_picture(file: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A picture as BGR, shape (height, width, 3). Raises `BadPicture` naming the file."""
    try:
        data = np.fromfile(file, dtype=np.uint8)
    except OSError as error:
        raise BadPicture(f"{file}: cannot be read ({error.strerror}); give a JPEG or PNG picture") from error
    image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if image is None:
        raise BadPicture(f"{file}: is not a picture that can be read; give a JPEG or PNG picture")
    return image.astype(np.uint8, copy=False)


def recorded_frames(list_file: Path) -> Iterator[Frame]:
    """The pictures that `frames.csv` names, in order. Raises `BadPicture` naming file and line."""
    times = list(_listed(list_file))
    for t, picture in times:
        yield Frame(t, read_picture(picture))


def _listed(list_file: Path) -> Iterator[tuple[float, Path]]:
    try:
        text = list_file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadPicture(f"{list_file}: cannot be read ({error}); it should hold columns t_s,file") from error
    rows = csv.reader(text.splitlines())
    if next(rows, None) != ["t_s", "file"]:
        raise BadPicture(f"{list_file}:1: the first line should be t_s,file")
    before = float("-inf")
    for number, row in enumerate(rows, start=2):
        if not row:
            continue
        if len(row) != 2:
            raise BadPicture(f"{list_file}:{number}: should be a time and a file name, not {','.join(row)!r}")
        try:
            t = float(row[0])
        except ValueError:
            raise BadPicture(f"{list_file}:{number}: {row[0]!r} is not a time in seconds") from None
        picture = list_file.parent / row[1]
        if not picture.resolve().is_relative_to(list_file.parent.resolve()):
            raise BadPicture(f"{list_file}:{number}: {row[1]!r} lies outside the recording")
        if not t >= before:
            raise BadPicture(f"{list_file}:{number}: time {t:g} comes before the line above it")
        before = t
        yield t, picture
