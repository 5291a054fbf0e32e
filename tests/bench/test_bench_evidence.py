"""What keeping evidence costs: per second of a running table, and per ruling."""

import numpy as np

from companion.table.evidence import Lately
from firmware_bridge.samples import RawSample
from vision.frames import Frame

PICTURE = np.clip(np.random.default_rng(1).normal(120, 8, (480, 640, 3)), 0, 255).astype(np.uint8)


def second(lately, at):
    for n in range(80):
        lately.note(RawSample(at + n / 80, n, n))
    for n in range(15):
        lately.note(Frame(at + n / 15, PICTURE), True)


def test_a_second_of_80_samples_and_15_pictures(benchmark):
    lately = Lately()
    at = iter(range(10**9))
    benchmark(lambda: second(lately, float(next(at))))


def test_the_stretch_of_a_ruling(benchmark):
    lately = Lately()
    for at in range(90):
        second(lately, float(at))
    assert len(benchmark(lambda: lately.stretch(80.0, 90.0)).samples) > 500
