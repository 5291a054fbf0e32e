"""The zero, and what the board should weigh: followed only where the spheres are known, and only so far."""

import json
import math
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput
from firmware_bridge.events import LoadEvent
from firmware_bridge.samples import CellCalibration, LoadCells, RawSample
from firmware_bridge.tracker import LoadTracker
from firmware_bridge.zero import BUDGET_G, BUDGET_G_PER_HOUR, FOLLOWED_G_PER_HOUR, Zero
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

CELLS = LoadCells(CellCalibration(-105_000.0, 440.0), CellCalibration(60_000.0, -440.0), 10.0, 6.0)
TOTAL_G, MOMENT_GMM = 780.0, 600.0
LOW_G, HIGH_G = 340.0, 440.0
"""What that total and moment give on pinnacles 6 mm from the middle."""
DITHER = (0, 40, -30, 10, -50, 20, 35)


def at_rest(seconds: float, start: float = 0.0, low_per_h: float = 0.0, low_off: float = 0.0) -> Iterator[RawSample]:
    """A quiet board whose low cell drifts."""
    for i in range(round(seconds * 10)):
        t = start + i / 10
        low = LOW_G + low_off + low_per_h * t / 3600
        yield RawSample(t, CELLS.low.counts(low) + DITHER[i % 7], CELLS.high.counts(HIGH_G) - DITHER[(3 * i) % 7])


def feed(tracker: LoadTracker, samples: Iterable[RawSample]) -> list[LoadEvent]:
    return [item for s in samples for item in tracker.feed(s) if isinstance(item, LoadEvent)]


def settled(expected: bool = True, low_off: float = 0.0) -> LoadTracker:
    tracker = LoadTracker(CELLS, wells_mm=RANKS_MM)
    feed(tracker, at_rest(2, low_off=low_off))
    if expected:
        tracker.expect(TOTAL_G, MOMENT_GMM)
    return tracker


def test_the_zero_is_the_calibrations_and_never_taken_from_what_lies_on_the_board_at_the_start() -> None:
    tracker = settled(expected=False)
    feed(tracker, at_rest(600, 2, low_per_h=60))
    assert tracker.zero == Zero()


def test_slow_drift_is_followed_where_the_spheres_are_known_and_the_loads_stay_right() -> None:
    tracker = settled()
    events = feed(tracker, at_rest(3600, 2, low_per_h=6))
    assert not events
    assert not tracker.faults
    assert tracker.zero.low_g == pytest.approx(6, abs=1)
    assert tracker.zero.high_g == pytest.approx(0, abs=0.3)


def test_the_zero_is_not_followed_while_the_loads_do_not_match_the_spheres() -> None:
    tracker = settled(low_off=20)
    feed(tracker, at_rest(600, 2, low_off=20))
    assert tracker.faults == ("low drift beyond budget",)
    assert abs(tracker.zero.low_g) < 0.01


def test_drift_beyond_the_budget_is_named_within_five_seconds_and_goes_with_its_cause() -> None:
    tracker = settled()
    feed(tracker, at_rest(5, 2, low_off=18))
    tracker.expect(TOTAL_G, MOMENT_GMM)
    feed(tracker, at_rest(5, 7, low_off=18))
    assert tracker.faults == ("low drift beyond budget",)
    feed(tracker, at_rest(5, 12))
    tracker.expect(TOTAL_G, MOMENT_GMM)
    feed(tracker, at_rest(5, 17))
    assert not tracker.faults


def test_a_zero_that_moved_too_far_is_out_of_budget_and_is_left_alone_from_then_on() -> None:
    tracker = settled()
    samples = at_rest(4 * 3600, 2, low_per_h=15)
    named = None
    for sample in samples:
        tracker.feed(sample)
        if "zero out of budget" in tracker.faults:
            named = sample.t
            break
    assert named is not None
    assert 1800 < named < 3 * 3600
    at = tracker.zero.low_g
    feed(tracker, samples)
    assert tracker.zero.low_g <= at + 0.1
    assert tracker.zero.low_g <= BUDGET_G + 0.1


@pytest.mark.parametrize(("low", "high"), [(LOW_G, HIGH_G), (HIGH_G, LOW_G)])
def test_swapped_cells_are_noticed_once_the_board_is_not_symmetrical(low: float, high: float) -> None:
    tracker = LoadTracker(CELLS, wells_mm=RANKS_MM)
    samples = [
        RawSample(i / 10, CELLS.low.counts(low) + DITHER[i % 7], CELLS.high.counts(high) - DITHER[(3 * i) % 7])
        for i in range(70)
    ]
    feed(tracker, samples[:20])
    tracker.expect(TOTAL_G, MOMENT_GMM)
    feed(tracker, samples[20:])
    assert tracker.faults == (("cells swapped",) if low > high else ())


@pytest.mark.parametrize("swapped", [False, True])
def test_swapped_cells_are_noticed_by_a_single_move_away_from_symmetry(swapped: bool) -> None:
    trace = Trace(half_spacing_mm=10.0).wait(2)
    told = []
    for at, to in ((90.0, 54.0), (-90.0, -54.0), (90.0, 18.0)):
        trace.lift(at)
        trace.wait(1.2)
        trace.place(to)
        trace.wait(5)
        told.append((trace.now, trace._weight, trace._moment))
    cells = trace.cells()
    if swapped:
        cells = LoadCells(cells.high, cells.low, cells.sample_rate_hz, cells.half_spacing_mm)
    tracker = LoadTracker(cells, wells_mm=RANKS_MM)
    tracker.expect(780.0, 0.0)
    faults = set()
    after_second = None
    for s in trace.samples():
        raw = RawSample(s.t, s.high, s.low) if swapped else s
        tracker.feed(raw)
        if told and s.t > told[0][0] - 3.5:
            tracker.expect(told[0][1], told[0][2])
            if s.t > told[0][0] - 0.1:
                told.pop(0)
                after_second = set(tracker.faults)
                faults |= after_second
    assert faults == ({"cells swapped"} if swapped else set())


def test_a_sphere_moved_makes_the_expectation_void_until_it_is_told_again() -> None:
    trace = Trace(half_spacing_mm=10.0).wait(3)
    trace.lift(90.0)
    trace.wait(8)
    tracker = LoadTracker(trace.cells(), wells_mm=RANKS_MM)
    for s in trace.samples():
        if s.t < 2:
            tracker.expect(780.0, 0.0)
        tracker.feed(s)
        assert not tracker.faults


def test_the_zero_survives_a_restart_and_not_a_calibration() -> None:
    zero = Zero(3.5, -1.25, 2.0, -0.5)
    kept = json.loads(json.dumps(zero.to_json(CELLS)))
    assert Zero.from_json(kept, CELLS) == zero
    calibrated = LoadCells(CellCalibration(-104_000.0, 440.0), CELLS.high, 10.0, 6.0)
    assert Zero.from_json(kept, calibrated) == Zero()
    tracker = LoadTracker(CELLS, wells_mm=RANKS_MM, zero=zero)
    feed(tracker, at_rest(2))
    states = [x for s in at_rest(2, 2) for x in tracker.feed(s) if not isinstance(x, LoadEvent)]
    assert states[-1].low_g == pytest.approx(LOW_G - 3.5, abs=0.2)
    assert states[-1].high_g == pytest.approx(HIGH_G + 1.25, abs=0.2)
    assert (tracker.zero.low_g, tracker.zero.high_g) == (3.5, -1.25)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ([], "object"),
        ({"zero": 3}, "object"),
        ({"zero": {"low_g": 1.0}}, "must have"),
        ({"zero": {"low_g": "x", "high_g": 0.0, "low_moved_g": 0.0, "high_moved_g": 0.0}}, "number of grams"),
        ({"zero": {"low_g": math.nan, "high_g": 0.0, "low_moved_g": 0.0, "high_moved_g": 0.0}}, "number of grams"),
        ({"zero": {"low_g": True, "high_g": 0.0, "low_moved_g": 0.0, "high_moved_g": 0.0}}, "number of grams"),
    ],
)
def test_a_kept_zero_that_is_damaged_is_refused_in_one_line(change: object, says: str) -> None:
    data: object = change
    if isinstance(change, dict):
        data = {**Zero().to_json(CELLS), **change}
    with pytest.raises(BadInput, match=says) as refused:
        Zero.from_json(data, CELLS)
    assert "\n" not in str(refused.value)


@given(st.lists(st.tuples(st.floats(-40, 40), st.floats(-40, 40), st.floats(0.5, 5)), max_size=200))
def test_however_the_loads_are_off_the_zero_keeps_within_its_budget(rows: list[tuple[float, float, float]]) -> None:
    zero = Zero()
    for low, high, seconds in rows:
        before, zero = zero, zero.followed(low, high, seconds)
        most = FOLLOWED_G_PER_HOUR * seconds / 3600 + 1e-9
        assert abs(zero.low_g - before.low_g) <= most
        assert abs(zero.high_g - before.high_g) <= most
        assert max(abs(zero.low_g), abs(zero.high_g)) <= BUDGET_G + most


def test_drift_that_stays_within_the_hourly_budget_never_is_out_of_it_until_the_grams_are_used_up() -> None:
    zero, seconds = Zero(), 0.0
    while not zero.out_of_budget:
        zero = zero.followed(2.0 * seconds / 3600 - zero.low_g, 0.0, 10.0)
        seconds += 10
    assert abs(zero.low_g) == pytest.approx(BUDGET_G, abs=0.1)
    assert abs(zero.low_moved_g) < BUDGET_G_PER_HOUR / 2
