"""From counts to grams: nothing invented, nothing impossible, faults that come and go."""

import math
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.conditioning import Conditioner, Loads
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, CellCalibration, LoadCells, RawSample

CELLS = LoadCells(CellCalibration(-1000.0, 440.0), CellCalibration(2500.0, -390.0))
COUNTS = st.integers(COUNTS_MIN, COUNTS_MAX) | st.integers(150_000, 180_000)


def conditioned(samples: list[RawSample], cells: LoadCells = CELLS) -> list[Loads]:
    conditioner = Conditioner(cells)
    return [loads for loads in map(conditioner.feed, samples) if loads is not None]


def steady(n: int, low_g: float = 400.0, high_g: float = 380.0, dt: float = 1 / 80) -> list[RawSample]:
    """A quiet board; the counts dither as noise makes them."""
    wobble = (0, 40, -30, 10, -50, 20, 35)
    return [
        RawSample(i * dt, CELLS.low.counts(low_g) + wobble[i % 7], CELLS.high.counts(high_g) - wobble[(3 * i) % 7])
        for i in range(n)
    ]


@given(st.lists(st.tuples(COUNTS | st.none(), COUNTS | st.none()), max_size=60))
def test_every_value_given_was_measured_at_its_own_time(rows: list[tuple[int | None, int | None]]) -> None:
    samples = [RawSample(i / 80, low, high) for i, (low, high) in enumerate(rows)]
    for loads, sample in zip(conditioned(samples), samples, strict=False):
        assert loads.t == sample.t
        for value, counts, cell in ((loads.low, sample.low, CELLS.low), (loads.high, sample.high, CELLS.high)):
            if value is not None:
                assert counts is not None
                assert value == pytest.approx(cell.grams(counts))


@given(st.lists(st.sampled_from([COUNTS_MIN, COUNTS_MAX, 170_000, None]), max_size=60))
def test_codes_of_saturation_never_become_a_load(lows: list[int | None]) -> None:
    for loads in conditioned([RawSample(i / 80, low, -150_000) for i, low in enumerate(lows)]):
        assert loads.low is None or loads.low == pytest.approx(CELLS.low.grams(170_000))


@given(st.integers(20, 50), st.sampled_from([-300.0, -8.0, 5.0, 40.0, 9000.0, 30_000.0]), st.booleans())
def test_a_lone_spike_is_left_out_and_all_else_passes(at: int, size: float, on_low: bool) -> None:
    samples = steady(70)
    s = samples[at]
    low, high = CELLS.low, CELLS.high
    samples[at] = (
        RawSample(s.t, (s.low or 0) + round(size * low.counts_per_gram), s.high)
        if on_low
        else RawSample(s.t, s.low, (s.high or 0) + round(size * high.counts_per_gram))
    )
    out = conditioned(samples)
    spoilt = [i for i, loads in enumerate(out) if loads.low is None or loads.high is None]
    assert spoilt == [at]


@given(st.floats(5, 14), st.floats(5, 200), st.floats(0, 6.28))
def test_rocking_passes_whole_once_it_is_under_way(hz: float, swing_g: float, phase: float) -> None:
    samples = []
    for i in range(200):
        rock = swing_g * math.sin(2 * math.pi * hz * i / 80 + phase) if i > 10 else 0.0
        samples.append(RawSample(i / 80, CELLS.low.counts(400 + rock), CELLS.high.counts(400 - rock)))
    lost = [loads.t for loads in conditioned(samples) if loads.low is None or loads.high is None]
    assert all(t < 0.5 for t in lost)
    assert len(lost) <= 6


def test_a_step_passes_whole() -> None:
    samples = steady(30) + [RawSample(s.t + 30 / 80, s.low, s.high) for s in steady(30, 250.0, 500.0)]
    assert all(loads.low is not None and loads.high is not None for loads in conditioned(samples))


def test_a_sample_that_goes_back_in_time_is_ignored() -> None:
    conditioner = Conditioner(CELLS)
    a, b, c = steady(3)
    conditioner.feed(a)
    conditioner.feed(c)
    assert conditioner.feed(b) is None
    after = conditioner.feed(RawSample(1.0, c.low, c.high))
    assert after is not None
    assert after.t == c.t


FAULTS = {
    "no data": lambda i: None,
    "saturated": lambda i: COUNTS_MAX,
    "stuck": lambda i: 170_000,
    "erratic": lambda i: (COUNTS_MIN, 170_000, 900_000, None)[i % 4],
    "below zero": lambda i: -19_000 + i % 5,
    "reversed": lambda i: -60_000 + i % 5,
    "too few samples": lambda i: (170_000 + 30 * (i % 7)) if i % 10 in (0, 4, 7) else None,
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("rate", [80, 10])
def test_a_fault_is_named_while_it_lasts_and_goes_with_its_cause(name: str, rate: int) -> None:
    samples = steady(9 * rate, dt=1 / rate)
    for i in range(2 * rate, 6 * rate):
        samples[i] = RawSample(samples[i].t, FAULTS[name](i), samples[i].high)
    conditioner = Conditioner(CELLS)
    seen: list[tuple[float, tuple[str, ...]]] = []
    for sample in samples:
        loads = conditioner.feed(sample)
        seen.append((sample.t, conditioner.faults))
        if loads is not None and conditioner.faults:
            assert loads.low is None
            assert loads.high is not None
    assert all(faults == () for t, faults in seen if t < 2)
    assert all(faults == (f"low {name}",) for t, faults in seen if 5.9 < t < 6)
    assert seen[-1][1] == ()
    changes = sum(a[1] != b[1] for a, b in pairwise(seen))
    assert changes <= (4 if name == "erratic" else 2)


@dataclass
class Seen:
    """What was wrong at each sample."""

    t: float
    faults: tuple[str, ...]
    weaknesses: tuple[str, ...]
    notices: tuple[str, ...]


def watch(samples: list[RawSample]) -> list[Seen]:
    conditioner, seen = Conditioner(CELLS), []
    for sample in samples:
        conditioner.feed(sample)
        seen.append(Seen(sample.t, conditioner.faults, conditioner.weaknesses, conditioner.notices))
    return seen


def off_by(sample: RawSample, grams: float) -> RawSample:
    return RawSample(sample.t, (sample.low or 0) + round(grams * CELLS.low.counts_per_gram), sample.high)


@pytest.mark.parametrize("rate", [80, 10])
@pytest.mark.parametrize("grams", [-30_000.0, -900.0, 40.0, 900.0, 30_000.0])
def test_a_lone_spike_is_noticed_for_a_moment_and_is_no_fault_of_the_cell(rate: int, grams: float) -> None:
    samples = steady(6 * rate, dt=1 / rate)
    samples[2 * rate] = off_by(samples[2 * rate], grams)
    seen = watch(samples)
    assert not [s for s in seen if s.faults or s.weaknesses]
    noticed = [s.t for s in seen if s.notices]
    assert {name for s in seen for name in s.notices} == {"low spikes"}
    assert 2.0 <= noticed[0] < 2.25
    assert noticed[-1] < 4.2


@pytest.mark.parametrize(("rate", "every"), [(80, 16), (10, 6)])
@pytest.mark.parametrize("grams", [-900.0, 300.0, 30_000.0])
def test_many_spikes_are_a_fault_that_blinds_no_cell_and_goes_with_them(rate: int, every: int, grams: float) -> None:
    samples = steady(10 * rate, dt=1 / rate)
    for i in range(2 * rate, 6 * rate, every):
        samples[i] = off_by(samples[i], grams)
    seen = watch(samples)
    named = [s.t for s in seen if "low spikes" in s.weaknesses]
    assert not [s for s in seen if s.faults]
    assert {name for s in seen for name in s.weaknesses} == {"low spikes"}
    assert 2.0 < named[0] < 4.0
    assert 5.5 < named[-1] < 8.0
    assert len(named) == sum(named[0] <= s.t <= named[-1] for s in seen)
    given = sum(loads.low is not None for loads in conditioned(samples))
    assert given >= len(samples) - 4 * rate // every - 2


@pytest.mark.parametrize("rows_go_on", [True, False])
@pytest.mark.parametrize("rate", [80, 10])
def test_a_chip_that_resets_itself_is_named_once_it_is_back_and_for_some_seconds(rate: int, rows_go_on: bool) -> None:
    samples = steady(10 * rate, dt=1 / rate)
    gone = [s for s in samples if 2.0 <= s.t < 2.4]
    left = [RawSample(s.t, None, s.high) if s in gone else s for s in samples]
    seen = watch(left if rows_go_on else [s for s in samples if s not in gone])
    assert not [s for s in seen if s.faults]
    names = {"low dropouts"} if rows_go_on else {"low dropouts", "high dropouts"}
    assert {name for s in seen for name in s.weaknesses} == names
    named = [s.t for s in seen if s.weaknesses]
    assert 3.4 <= named[0] < 3.55
    assert 5.0 < named[-1] < 5.7


@pytest.mark.parametrize("grams", [-900.0, 900.0])
@pytest.mark.parametrize("rate", [80, 10])
def test_a_cell_below_zero_is_not_called_reversed_nor_well_for_a_single_spike(rate: int, grams: float) -> None:
    samples = steady(8 * rate, low_g=-45.0, dt=1 / rate)
    for at in (0, rate // 2, 4 * rate, 4 * rate + 1):
        samples[at] = off_by(samples[at], grams)
    seen = watch(samples)
    named = [s for s in seen if s.faults]
    assert {s.faults for s in named} == {("low below zero",)}
    assert len(named) > 6 * rate


def test_a_cell_that_reads_a_little_below_zero_is_called_reversed_once_a_board_stands_on_it() -> None:
    samples = steady(240, low_g=-35.0) + [RawSample(s.t + 3, s.low, s.high) for s in steady(240, low_g=-400.0)]
    seen = watch(samples)
    assert [s.faults for s in seen if 2 < s.t < 3] == [("low below zero",)] * 79
    assert {s.faults for s in seen if s.t > 3.2} == {("low reversed",)}
