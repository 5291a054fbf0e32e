"""What real witnesses give, as one stream in order of time: a thread reads the cells, the camera is asked meanwhile."""

import queue
import threading
import time
from collections.abc import Callable, Iterator

from companion.table.interleaving import Interleaving
from companion.table.refereeing import Item
from firmware_bridge.readers import LoadSource
from firmware_bridge.samples import RawSample
from vision.cameras import Camera

WAIT_S = 0.02
IDLE_S = 0.25
"""A look at the clock is due so often, also when nothing comes: silence must be noticed."""


class LiveStream:
    """Iterates items in order of time, and None now and then when none comes, until both sources end or it is closed.

    Sources that never end by themselves end with `close`. An error of a source is raised to whoever iterates. Times are
    those of `clock`, and sources must use the same.
    """

    def __init__(
        self, loads: LoadSource | None, camera: Camera | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._loads, self._camera, self._clock = loads, camera, clock
        self._samples: queue.SimpleQueue[RawSample] = queue.SimpleQueue()
        self._order = Interleaving((loads is not None) + (camera is not None))
        self._error: BaseException | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._read_loads, name="load cells", daemon=True)
        if loads is not None:
            self._thread.start()

    def __iter__(self) -> Iterator[Item | None]:
        idle_since = self._clock()
        while not self._closing.is_set() and self._going():
            self._take()
            for item in self._order.ready(self._clock()):
                yield item
                idle_since = self._clock()  # what came while that item was dealt with is no silence
            if self._clock() - idle_since >= IDLE_S:
                yield None
                idle_since = self._clock()
        if self._error is not None:
            raise self._error
        yield from self._order.rest()

    def close(self) -> None:
        """Lets go of both sources. May be called more than once, and from another thread."""
        self._closing.set()
        for source in (self._loads, self._camera):
            if source is not None:
                source.close()

    def _take(self) -> None:
        """Waits a little for a picture or a sample, and puts what came into order."""
        if self._camera is not None and not self._camera.over:
            frame = self._camera.newest(WAIT_S)
            if frame is not None:
                self._order.add(frame, self._clock())
        elif self._samples.empty():
            self._closing.wait(WAIT_S)
        while not self._samples.empty():
            self._order.add(self._samples.get(), self._clock())

    def _going(self) -> bool:
        loads = self._loads is not None and (self._thread.is_alive() or not self._samples.empty())
        return self._error is None and (loads or (self._camera is not None and not self._camera.over))

    def _read_loads(self) -> None:
        assert self._loads is not None
        try:
            for sample in self._loads:
                self._samples.put(sample)
        except BaseException as error:
            self._error = error
