"""Pictures of a recording: `frames.csv` with columns t_s,file, beside the pictures that it names."""

import csv
import logging
import math
import struct
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from companion.errors import BadInput
from vision.frames import Frame

log = logging.getLogger(__name__)

MOST_PIXELS = 50_000_000
"""Of a picture: more than any camera for a table has. Larger ones would take minutes and gigabytes."""
MOST_BYTES = 4 * MOST_PIXELS
"""Of a picture's file: as many without any compression."""
PNG_HEAD = b"\x89PNG\r\n\x1a\n"
JPEG_HEAD = b"\xff\xd8"
JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of the JPEG segments that tell a picture's size (ITU-T T.81, table B.1)."""
JPEG_BARE = frozenset(range(0xD0, 0xD9)) | {0x01}
"""Markers of JPEG segments without a length."""


class BadPicture(BadInput):
    """A file that is no picture, or a list of pictures that cannot be read."""


def read_picture(file: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A picture as BGR, shape (height, width, 3). Raises `BadPicture` naming the file."""
    try:
        large = file.stat().st_size > MOST_BYTES
        data = np.fromfile(file, dtype=np.uint8, count=0 if large else -1)
    except OSError as error:
        raise BadPicture(f"{file}: cannot be read ({error.strerror}); give a JPEG or PNG picture") from error
    if large:
        raise BadPicture(f"{file}: is larger than {MOST_BYTES // 10**6} MB; give a smaller picture")
    size = size_px(data.tobytes())
    if size is not None and size[0] * size[1] > MOST_PIXELS:
        raise BadPicture(
            f"{file}: {size[0]} x {size[1]} pixels are too many; give a picture of at most "
            f"{MOST_PIXELS // 10**6} megapixels"
        )
    try:
        image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except cv2.error:
        image = None
    if image is None:
        raise BadPicture(f"{file}: is not a picture that can be read; give a JPEG or PNG picture")
    return image.astype(np.uint8, copy=False)


def size_px(data: bytes) -> tuple[int, int] | None:
    """Width and height that a PNG or JPEG file tells before its pixels; None for another file, or a broken one."""
    try:
        if data.startswith(PNG_HEAD):
            width, height = struct.unpack_from(">II", data, 16)
            return width, height
        return _jpeg_size_px(data) if data.startswith(JPEG_HEAD) else None
    except (struct.error, IndexError):
        return None


def _jpeg_size_px(data: bytes) -> tuple[int, int] | None:
    """Goes from segment to segment: a marker, its length in two bytes, and for a frame bits, height and width."""
    at = len(JPEG_HEAD)
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif marker in JPEG_BARE:
            at += 2
        elif marker in JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        else:
            at += 2 + int(struct.unpack_from(">H", data, at + 2)[0])
    return None


def recorded_frames(list_file: Path) -> Iterator[Frame]:
    """The pictures that `frames.csv` names, in order.

    What a power cut leaves does not end a recording: a last line that is cut off, and a picture that cannot be read,
    are passed over with a warning in the log. Raises `BadPicture` naming file and line for any other line that is
    wrong, and where none of the pictures can be read.
    """
    unread: BadPicture | None = None
    read = 0
    for t, picture in list(_listed(list_file)):
        try:
            frame = Frame(t, read_picture(picture))
        except BadPicture as error:
            unread = error
            log.warning("passed over: %s", error)
            continue
        read += 1
        yield frame
    if unread is not None and not read:
        raise BadPicture(f"{list_file}: none of its pictures can be read; the last: {unread}")


def _listed(list_file: Path) -> Iterator[tuple[float, Path]]:
    try:
        text = list_file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadPicture(f"{list_file}: cannot be read ({error}); it should hold columns t_s,file") from error
    lines = text.splitlines()
    cut_off = len(lines) if not text.endswith("\n") else None
    rows = csv.reader(lines)
    if next(rows, None) != ["t_s", "file"]:
        raise BadPicture(f"{list_file}:1: the first line should be t_s,file")
    before = float("-inf")
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadPicture(f"{list_file}:{rows.line_num}: cannot be read ({error})") from error
        number = rows.line_num
        if not row:
            continue
        try:
            before, picture = _parsed(row, before, list_file, number)
        except BadPicture as error:
            if number != cut_off:
                raise
            log.warning("passed over, as the last line is cut off: %s", error)
            return
        yield before, picture


def _parsed(row: list[str], before: float, list_file: Path, number: int) -> tuple[float, Path]:
    where = f"{list_file}:{number}"
    if len(row) != 2:
        raise BadPicture(f"{where}: should be a time and a file name, not {','.join(row)[:60]!r}")
    try:
        # Python would also read 1_000 and the digits of other scripts.
        t = float(row[0]) if row[0].isascii() and "_" not in row[0] else math.nan
    except ValueError:
        t = math.nan
    if not math.isfinite(t):
        raise BadPicture(f"{where}: {row[0][:30]!r} is not a time in seconds")
    if not row[1].strip() or "\0" in row[1]:
        raise BadPicture(f"{where}: names no picture after the time {t:g}")
    picture = list_file.parent / row[1]
    if not picture.resolve().is_relative_to(list_file.parent.resolve()):
        raise BadPicture(f"{where}: {row[1]!r} lies outside the recording")
    if t < before:
        raise BadPicture(f"{where}: time {t:g} comes before the line above it")
    return t, picture
