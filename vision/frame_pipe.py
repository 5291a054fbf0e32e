"""What a camera grabber writes, taken apart: pictures and texts, whatever nonsense comes between them."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.camera_grabber import FAILURE, HEADER, MAGIC, NOTE, PICTURE, header

MOST_BYTES = 64_000_000
"""Of a payload: no camera's picture is larger (20 megapixels)."""
MOST_TEXT = 2000


@dataclass(frozen=True, slots=True, eq=False)
class GrabbedPicture:
    """`t` of CLOCK_MONOTONIC, `image` BGR (height, width, 3)."""

    t: float
    image: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class GrabberText:
    """`failure`: these are the grabber's last words, and say why it ends."""

    text: str
    failure: bool


Message = GrabbedPicture | GrabberText


@dataclass(slots=True)
class FramePipe:
    """Takes bytes as they come. `junk`: how many made no sense."""

    junk: int = 0
    _data: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> list[Message]:
        """The messages that are complete now; of several pictures only the newest."""
        self._data += data
        messages: list[Message] = []
        while True:
            message = self._next()
            if message is None:
                return messages
            if isinstance(message, GrabbedPicture):
                messages = [m for m in messages if not isinstance(m, GrabbedPicture)]
            messages.append(message)

    def _next(self) -> Message | None:
        while True:
            self._skip_to_magic()
            if len(self._data) < HEADER.size:
                return None
            _, kind, width, height, t, length, _ = HEADER.unpack_from(self._data)
            proper = bytes(self._data[: HEADER.size]) == header(kind, t, width, height, length)
            if proper and _makes_sense(kind, width, height, length):
                break
            self._drop(1)
        end = HEADER.size + length
        if len(self._data) < end:
            return None
        payload = bytes(memoryview(self._data)[HEADER.size : end])
        del self._data[:end]
        if kind == PICTURE:
            return GrabbedPicture(t, np.frombuffer(payload, np.uint8).reshape(height, width, 3))
        return GrabberText(payload.decode("utf-8", "replace"), kind == FAILURE)

    def _skip_to_magic(self) -> None:
        at = self._data.find(MAGIC)
        if at < 0:
            at = max(0, len(self._data) - len(MAGIC) + 1)
        self._drop(at)

    def _drop(self, count: int) -> None:
        self.junk += count
        del self._data[:count]


def _makes_sense(kind: int, width: int, height: int, length: int) -> bool:
    if kind == PICTURE:
        return length == width * height * 3 and 0 < length <= MOST_BYTES
    return kind in (NOTE, FAILURE) and length <= MOST_TEXT
