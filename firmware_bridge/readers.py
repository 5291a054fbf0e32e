"""Where samples come from. A source is read to its end, or closed."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from firmware_bridge.recording import read_samples
from firmware_bridge.samples import RawSample


class LoadSource(Protocol):
    """Something that gives samples of both cells, in the order of their times.

    A source that waits for its part gives `RawSample(t, None, None)` when nothing came for a while, so that silence
    can become a fault: what decides has no clock.
    """

    def __iter__(self) -> Iterator[RawSample]: ...

    def close(self) -> None:
        """Lets go of the part; may be called more than once, and ends the iteration."""
        ...


class RecordingReader:
    """The samples of a recorded `load.csv`.

    Raises:
        BadInput: while iterating, for a file or line that is wrong.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._closed = False

    def __iter__(self) -> Iterator[RawSample]:
        for sample in read_samples(self._path):
            if self._closed:
                return
            yield sample

    def close(self) -> None:
        """Ends the iteration."""
        self._closed = True


class SimulatedReader:
    """Samples made by software: any iterable of them as a `LoadSource`."""

    def __init__(self, samples: Iterable[RawSample]) -> None:
        self._samples = samples
        self._closed = False

    def __iter__(self) -> Iterator[RawSample]:
        for sample in self._samples:
            if self._closed:
                return
            yield sample

    def close(self) -> None:
        """Ends the iteration."""
        self._closed = True
