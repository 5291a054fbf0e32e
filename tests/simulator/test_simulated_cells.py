"""The simulated load cells give counts that mean the loads, with the faults of real ones."""

import numpy as np
import pytest

from companion.simulator.board import TICK_S
from companion.simulator.cells import Cells, known_cells
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN

LOADS = (400.0, 380.0)


def samples(seconds, rate=80, **options):
    known = known_cells(np.random.default_rng(1), rate, 6.0)
    cells = Cells(known, LOADS, np.random.default_rng(2), **options)
    found, tick = [], 0
    while cells.next_t < seconds:
        due = int(cells.next_t / TICK_S)
        cells.follow([LOADS] * (due - tick))
        tick = due
        found.append(cells.read())
    return known, found


def test_grams_by_the_known_calibration_are_nearly_the_true_ones():
    known, found = samples(20, spikes=0.0)
    lows = [known.low.grams(s.low) for s in found if s is not None and s.low is not None]
    assert np.mean(lows) == pytest.approx(400, rel=0.02)
    assert np.mean(lows) != pytest.approx(400, abs=0.05)


def test_noise_is_about_a_tenth_of_a_gram():
    known, found = samples(20, spikes=0.0)
    lows = np.array([known.low.grams(s.low) for s in found if s is not None and s.low is not None])
    assert 0.06 < np.std(np.diff(lows)) / np.sqrt(2) < 0.14


def test_without_noise_the_readings_stand_still():
    _, found = samples(5, spikes=0.0, noise=0.0)
    assert len({s.high for s in found if s is not None and s.high is not None}) == 1


@pytest.mark.parametrize("rate", [10, 80])
def test_samples_come_at_the_rate_with_a_little_jitter(rate):
    _, found = samples(30, rate)
    times = np.array([s.t for s in found if s is not None])
    steps = np.diff(times)
    assert np.median(steps) == pytest.approx(1 / rate, rel=0.02)
    assert np.all(steps > 0)
    assert np.std(steps[steps < 1.5 / rate]) > 0


def test_some_samples_are_missing_and_some_are_wild():
    _, found = samples(200)
    assert 0 < sum(s is None for s in found) < len(found) * 0.01
    assert any(s is not None and (s.low is None) != (s.high is None) for s in found)
    wild = sum(s is not None and s.low in (COUNTS_MIN, COUNTS_MAX) for s in found)
    assert 0 < wild < len(found) * 0.01


def test_a_step_is_followed_with_settling():
    known = known_cells(np.random.default_rng(1), 10, 6.0)
    cells = Cells(known, (0.0, 0.0), np.random.default_rng(2), noise=0.0, spikes=0.0)
    readings = []
    for _ in range(12):
        cells.follow([(0.0, 100.0)] * 10)
        sample = cells.read()
        if sample is not None and sample.high is not None:
            readings.append(known.high.grams(sample.high))
    steps = np.diff(readings)
    assert np.all(steps > 0)
    assert readings[-1] == pytest.approx(100, rel=0.03)
    assert readings[0] < 60


def test_the_two_cells_are_not_read_at_the_same_moment():
    known = known_cells(np.random.default_rng(1), 80, 6.0)
    cells = Cells(known, (0.0, 0.0), np.random.default_rng(2), noise=0.0, spikes=0.0)
    loads = [(float(i), float(i)) for i in range(200)]
    cells.follow(loads)
    sample = cells.read()
    assert sample is not None
    assert sample.low is not None
    assert sample.high is not None
    assert known.low.grams(sample.low) < known.high.grams(sample.high) - 0.5
