"""A recording: a folder with a table's raw sensor data, played back as one stream."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from companion.referee.state import RefereeState, begin, resume
from companion.rules import Match, Position
from companion.table.refereeing import Item
from companion.table.settings import TableSettings, read_settings
from firmware_bridge.recording import read_samples
from vision.recorded_frames import read_picture, recorded_frames

POSITION = "position.txt"
"""In a recording that begins in the middle of a game: the position at its beginning, as a position text."""


class BadRecording(BadInput):
    """A folder that is no recording."""


@dataclass(frozen=True, slots=True)
class Recording:
    """`loads` and `camera` tell which witnesses it holds; at least one."""

    folder: Path
    settings: TableSettings
    loads: bool
    camera: bool

    @classmethod
    def open(cls, folder: Path) -> "Recording":
        """Raises `BadRecording` or `BadSettings` naming what is missing."""
        if not folder.is_dir():
            raise BadRecording(
                f"{folder}: is not a folder; a recording is a folder with table.toml, load.csv, frames.csv"
            )
        settings = read_settings(folder / "table.toml")
        loads, camera = (folder / "load.csv").is_file(), (folder / "frames.csv").is_file()
        if not (loads or camera):
            raise BadRecording(
                f"{folder}: holds neither load.csv nor frames.csv; a recording needs at least one of them"
            )
        return cls(folder, settings, loads, camera)

    def items(self) -> Iterator[Item]:
        """Samples and pictures in order of time."""
        streams: list[Iterator[Item]] = []
        if self.loads:
            streams.append(iter(read_samples(self.folder / "load.csv")))
        if self.camera:
            streams.append(recorded_frames(self.folder / "frames.csv"))
        return heapq.merge(*streams, key=lambda item: item.t)

    def empty(self) -> NDArray[np.uint8] | None:
        """The picture of the empty board, where there is one."""
        file = self.folder / "empty.jpg"
        return read_picture(file) if self.camera and file.is_file() else None

    def beginning(self) -> RefereeState:
        """The referee's state before the first item: the game that it begins in, or waiting for one to start.

        Raises BadInput for a `position.txt` that holds none.
        """
        file = self.folder / POSITION
        if not file.is_file():
            return begin(self.settings.rules)
        try:
            position = Position.parse(file.read_text(encoding="ascii").strip())
        except (OSError, UnicodeDecodeError, BadInput) as error:
            raise BadRecording(f"{file}: holds no position that can be read ({error})") from error
        return resume(Match(self.settings.rules), position, None, None)
