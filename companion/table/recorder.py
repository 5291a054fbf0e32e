"""Writes what a table's witnesses give as a recording: at once to the disk, or from a ring in memory when asked.

The folder can be read at any moment, also after a power cut: a picture's file is whole before `frames.csv` names it,
and whoever reads passes over a last line that is cut off.
"""

import contextlib
import os
import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2

from companion.errors import BadInput, SenryakuError
from companion.rules import Position
from companion.table.recording import POSITION
from companion.table.refereeing import Item
from firmware_bridge.recording import HEADER
from firmware_bridge.samples import RawSample
from vision.frames import Frame

JPEG_QUALITY = 92
"""A sphere's colour comes through unchanged; 110 to 230 kB at 1280 x 960, by how much noise there is."""
FLUSH_S = 1.0
"""So much of the loads may be lost at a power cut."""
FREE_MB = 300
"""Less room than this is left to the log."""
RING_S = 60.0
RING_PICTURES_PER_S = 5.0
"""Kept in memory, 35 to 70 MB a minute at 1280 x 960."""


class CannotRecord(SenryakuError, OSError):
    """A recording cannot be written, or no more of it; what was written can be used."""


@dataclass(frozen=True, slots=True)
class AboutTable:
    """What a recording says of its table: the text of its `table.toml`, and files to lie beside it by name."""

    settings: str
    files: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, table_file: Path, beside: Iterable[str] = ("empty.jpg",)) -> Self:
        """Reads a `table.toml` and those of the named files beside it that are there. Raises BadInput."""
        try:
            text = table_file.read_text(encoding="utf-8")
            there = [table_file.parent / name for name in beside]
            return cls(text, {file.name: file.read_bytes() for file in there if file.is_file()})
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{table_file}: cannot be read ({error})") from error


@dataclass(frozen=True, slots=True)
class Packed:
    """A picture as JPEG."""

    t: float
    jpeg: bytes = field(repr=False)


def packed(frame: Frame) -> Packed | None:
    """None where it cannot be packed."""
    done, jpeg = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return Packed(frame.t, jpeg.tobytes()) if done else None


class Recorder:
    """A recording that is being written. Give it every item in order of time, and close it.

    Raises `BadInput` where the folder holds something already, `CannotRecord` where it cannot be written or the disk is
    nearly full.
    """

    def __init__(
        self, folder: Path, about: AboutTable, *, loads: bool, camera: bool, position: Position | None = None
    ) -> None:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BadInput(f"{folder}: is there already; give a new folder for the recording")
        self.folder = folder
        self.samples = self.pictures = 0
        self._flushed = self._last_t = float("-inf")
        self._open = contextlib.ExitStack()
        self._loads: TextIOWrapper | None = None
        self._frames: TextIOWrapper | None = None
        with self._writing():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "table.toml").write_text(about.settings, encoding="utf-8")
            for name, data in about.files.items():
                (folder / name).write_bytes(data)
            if position is not None:
                (folder / POSITION).write_text(f"{position.text()}\n", encoding="ascii")
            if loads:
                self._loads = self._new("load.csv", ",".join(HEADER))
            if camera:
                (folder / "frames").mkdir(exist_ok=True)
                self._frames = self._new("frames.csv", "t_s,file")

    def _new(self, name: str, header: str) -> TextIOWrapper:
        file = self._open.enter_context((self.folder / name).open("w", encoding="ascii", newline="\n"))
        file.write(header + "\n")
        return file

    def take(self, item: Item | Packed) -> None:
        """Writes one sample or picture. Raises `CannotRecord`."""
        with self._writing():
            if isinstance(item, RawSample):
                self._sample(item)
            else:
                self._picture(item if isinstance(item, Packed) else packed(item))
            if item.t - self._flushed >= FLUSH_S:
                self._flushed = item.t
                self._flush()

    def _sample(self, sample: RawSample) -> None:
        if self._loads is None:
            return
        t = round(sample.t, 4)
        if t <= self._last_t:  # a line must come after the one before it
            return
        self._last_t = t
        low, high = ("" if counts is None else str(counts) for counts in (sample.low, sample.high))
        self._loads.write(f"{t:.4f},{low},{high}\n")
        self.samples += 1

    def _picture(self, picture: Packed | None) -> None:
        if self._frames is None or picture is None:
            return
        name = f"frames/{self.pictures + 1:06}.jpg"
        (self.folder / name).write_bytes(picture.jpeg)
        self._frames.write(f"{picture.t:.4f},{name}\n")
        self.pictures += 1

    def _flush(self) -> None:
        for file in (self._loads, self._frames):
            if file is not None:
                file.flush()
        if shutil.disk_usage(self.folder).free < FREE_MB * 1e6:
            raise CannotRecord(f"{self.folder}: less than {FREE_MB} MB are free; what was recorded so far can be used")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.close()
            if isinstance(error, SenryakuError):
                raise
            raise CannotRecord(f"{self.folder}: cannot be written ({error.strerror or error})") from error

    def close(self) -> None:
        """Saves what is written; once is enough."""
        with contextlib.suppress(OSError):
            for file in (self._loads, self._frames):
                if file is not None and not file.closed:
                    file.flush()
                    os.fsync(file.fileno())
        with contextlib.suppress(OSError):
            self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@dataclass(slots=True)
class LastMinute:
    """A ring of the last samples and pictures in memory. `note` is called with every item, from one thread."""

    seconds: float = RING_S
    pictures_per_s: float = RING_PICTURES_PER_S
    _items: deque[RawSample | Packed] = field(default_factory=deque)
    _positions: deque[tuple[float, Position | None]] = field(default_factory=deque)
    _pictured: float = float("-inf")

    def note(self, item: Item, position: Position | None = None) -> None:
        """Takes one sample or picture; `position` is the game's before it, None where no game is on."""
        if self._items and item.t < self._items[-1].t:  # another clock
            self._items.clear()
            self._positions.clear()
            self._pictured = float("-inf")
        if not self._positions or self._positions[-1][1] is not position:
            self._positions.append((item.t, position))
        if isinstance(item, RawSample):
            self._items.append(item)
        elif item.t - self._pictured >= 1 / self.pictures_per_s - 0.01:
            picture = packed(item)
            if picture is not None:
                self._items.append(picture)
                self._pictured = item.t
        while self._items and self._items[0].t < item.t - self.seconds:
            self._items.popleft()
        while len(self._positions) > 1 and self._positions[1][0] <= item.t - self.seconds:
            self._positions.popleft()

    def taken(self) -> "Kept":
        """What it holds now, to be written elsewhere meanwhile."""
        return Kept(tuple(self._items), self._positions[0][1] if self._positions else None)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a ring held, and the position at its beginning."""

    items: tuple[RawSample | Packed, ...] = field(repr=False)
    position: Position | None

    @property
    def seconds(self) -> float:
        return self.items[-1].t - self.items[0].t if self.items else 0.0

    def write(self, folder: Path, about: AboutTable) -> None:
        """Writes it as a recording, which is there whole or not at all. Raises like `Recorder`."""
        if not self.items:
            raise BadInput(f"{folder}: nothing has come from the table yet, so there is nothing to keep")
        if folder.exists():
            raise BadInput(f"{folder}: is there already; give a new folder for the recording")
        part = folder.with_name(f".{folder.name}.part")
        loads = any(isinstance(item, RawSample) for item in self.items)
        camera = any(isinstance(item, Packed) for item in self.items)
        with Recorder(part, about, loads=loads, camera=camera, position=self.position) as recorder:
            for item in self.items:
                recorder.take(item)
        try:
            part.rename(folder)
        except OSError as error:
            raise CannotRecord(f"{folder}: cannot be written ({error.strerror or error})") from error
