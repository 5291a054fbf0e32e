"""Real witnesses as one stream: cells read by a thread, a camera asked meanwhile, silence noticed."""

import itertools
import threading
import time

import numpy as np
import pytest

from companion.errors import BadInput
from companion.table.live_stream import LiveStream
from firmware_bridge.samples import RawSample
from vision.cameras import PacedFrames
from vision.frames import Frame

IMAGE = np.zeros((4, 4, 3), np.uint8)


class Cells:
    """Samples from now on, until closed; `end` after so many."""

    def __init__(self, end=None, error=None, silent=False):
        self.closed = threading.Event()
        self.end, self.error, self.silent = end, error, silent

    def __iter__(self):
        for n in itertools.count():
            if self.closed.wait(0.005) or n == self.end:
                if self.error:
                    raise self.error
                return
            if not self.silent:
                yield RawSample(time.monotonic(), n, n)

    def close(self):
        self.closed.set()


def pictures(count, fps=50.0, clock=time.monotonic):
    return PacedFrames((Frame(n / fps, IMAGE) for n in range(count)), clock)


def test_samples_and_pictures_come_as_one_stream_in_order():
    stream = LiveStream(Cells(end=60), pictures(12))
    items = [item for item in stream if item is not None]
    assert [item.t for item in items] == sorted(item.t for item in items)
    assert sum(isinstance(item, Frame) for item in items) >= 10
    assert sum(isinstance(item, RawSample) for item in items) >= 55


def test_pictures_alone_all_come_and_then_it_ends():
    stream = LiveStream(None, pictures(9))
    assert len([item for item in stream if item is not None]) == 9


def test_cells_go_on_after_the_last_picture():
    stream = LiveStream(Cells(end=80), pictures(2))
    kinds = [type(item) for item in stream if item is not None]
    assert kinds.count(Frame) == 2
    assert kinds[-1] is RawSample


def test_silence_is_told():
    stream = LiveStream(Cells(silent=True), None)
    assert next(iter(stream)) is None
    stream.close()


def test_closing_ends_it():
    cells = Cells()
    stream = LiveStream(cells, pictures(1000))
    for item in stream:
        if isinstance(item, Frame):
            stream.close()
    assert cells.closed.is_set()
    stream.close()


def test_an_error_of_the_cells_is_not_swallowed():
    stream = LiveStream(Cells(end=3, error=BadInput("line 4 is no sample")), None)
    with pytest.raises(BadInput, match="line 4"):
        list(stream)
