"""What happens on the board while something else is still going on, and what only looks like a sphere."""

import numpy as np
import pytest

from firmware_bridge.events import LoadEvent, LoadEventKind
from firmware_bridge.levels import Level
from firmware_bridge.overlap import AtStep, difference_at_step, only_well
from firmware_bridge.tracker import LoadTracker
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

RATES = (80.0, 10.0)
NEAR_WELL_MM = 6.0


def events_of(trace: Trace, rate: float) -> tuple[list[LoadEvent], LoadTracker]:
    cells = trace.cells(rate)
    tracker = LoadTracker(cells, wells_mm=RANKS_MM)
    items = [item for sample in trace.samples(rate) for item in tracker.feed(sample)]
    return [item for item in items if isinstance(item, LoadEvent)], tracker


def played() -> Trace:
    """A trace on which the tracker has come to know spheres and wells: two moves, nothing in hand."""
    trace = Trace(half_spacing_mm=12, rocking_hz=14, damping_per_s=5)
    trace.wait(1.5)
    for start, end in ((90.0, 54.0), (-90.0, -54.0)):
        trace.lift(start)
        trace.wait(1.2)
        trace.place(end)
        trace.wait(1.5)
    return trace


@pytest.mark.parametrize(
    ("rate", "rolled_mm"),
    # at 10 a second a roll by a whole well cannot be told from rocking
    [(80.0, -50.0), (80.0, -36.0), (80.0, 27.0), (80.0, 36.0), (10.0, -50.0), (10.0, 27.0)],
)
def test_a_sphere_lifted_while_another_one_rolls_is_a_lift_from_its_own_well(rate: float, rolled_mm: float) -> None:
    trace = played()
    lifted = trace.lift(-90.0)
    trace.wait(0.1)
    trace.roll(54.0, 54.0 + rolled_mm, seconds=0.7, push_g=0.0)
    trace.wait(2.0)
    events, _ = events_of(trace, rate)
    last = [e for e in events if e.t > lifted]
    assert [e.kind for e in last] in (
        [LoadEventKind.LIFT, other] for other in (LoadEventKind.FOREIGN, LoadEventKind.ROLL)
    )
    assert last[0].p_mm == pytest.approx(-90.0, abs=NEAR_WELL_MM)
    assert last[0].t_contact == pytest.approx(lifted, abs=0.3)


@pytest.mark.parametrize("rate", RATES)
def test_after_a_lift_with_a_roll_the_sphere_is_in_hand_and_its_place_is_told(rate: float) -> None:
    trace = played()
    trace.lift(-90.0)
    trace.wait(0.25)
    trace.roll(54.0, 4.0, seconds=0.7, push_g=0.0)
    trace.wait(1.5)
    placed = trace.place(18.0)
    trace.wait(2.0)
    events, tracker = events_of(trace, rate)
    assert events[-1].kind is LoadEventKind.PLACE
    assert events[-1].p_mm == pytest.approx(18.0, abs=NEAR_WELL_MM)
    assert placed < events[-1].t < placed + 1.7
    assert not tracker.spheres.in_hand_g


def ramp(at_step_g: float, start_s: float, lasts_s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, Level]:
    """A sphere of 20 g leaves at 0.5 s; high - low is then so much more than in the end, and goes there on a ramp."""
    t = np.arange(0, 2.5, 1 / 80)
    total = np.where(t < 0.5, 520.0, 500.0)
    difference = at_step_g * (1 - np.clip((t - 0.5 - start_s) / lasts_s, 0, 1)) + 20 * np.sin(88 * t) * np.exp(-5 * t)
    return t, (total - difference) / 2, (total + difference) / 2, Level(2.5, 250.0, 250.0)


@pytest.mark.parametrize("at_step_g", [-60.0, 0.0, 45.0])
@pytest.mark.parametrize("start_s", [0.1, 0.3])
def test_the_moment_at_a_step_lies_between_the_bounds_that_are_given(at_step_g: float, start_s: float) -> None:
    found = difference_at_step(*ramp(at_step_g, start_s, 0.5), sphere_g=20.0, grams_per_mm=2.0, period_s=1 / 80)
    assert found is not None
    assert found.least_g - 2 <= at_step_g <= found.most_g + 2
    assert found.most_g - found.least_g <= 0.6 * abs(at_step_g) + 4


def test_a_moment_that_runs_along_no_ramp_says_nothing() -> None:
    t, low, high, after = ramp(0.0, 0.1, 0.5)
    hump = np.where((t > 0.9) & (t < 1.6), 60.0, 0.0)
    assert difference_at_step(t, low - hump / 2, high + hump / 2, after, 20.0, 2.0, 1 / 80) is None


def test_too_short_a_time_after_a_step_says_nothing() -> None:
    t, low, high, after = ramp(40.0, 0.1, 0.5)
    early = t < 0.8
    assert difference_at_step(t[early], low[early], high[early], after, 20.0, 2.0, 1 / 80) is None


def test_a_place_at_the_step_counts_only_where_one_well_alone_fits() -> None:
    wells = [0.0, 72.0, 144.0]
    assert only_well(AtStep(60.0, 80.0), wells, 2.0) == 72.0
    assert only_well(AtStep(75.0, 80.0), wells, 2.0) == 75.0
    assert only_well(AtStep(30.0, 42.0), wells, 2.0) is None
    assert only_well(AtStep(-5.0, 70.0), wells, 2.0) is None


@pytest.mark.parametrize("rate", RATES)
def test_a_finger_that_came_and_went_between_wells_leaves_no_sphere_in_hand(rate: float) -> None:
    trace = played()
    for _ in range(2):
        trace.take_away(-20.0, 4.0).wait(1.4).take_away(20.0, 4.0).wait(1.5)
    events, tracker = events_of(trace, rate)
    assert not tracker.spheres.in_hand_g
    assert all(e.kind is LoadEventKind.FOREIGN for e in events[4:])


def test_a_finger_in_a_well_that_trembles_is_no_sphere_however_little_its_levels_show_of_it() -> None:
    trace = played()
    for push in [20.0 + 0.8 * np.sin(57 * i / 1600) for i in range(int(2.4 * 1600))]:
        trace.asked.append((trace._weight + push, trace._moment + push * 18.0))
    trace.now += 2.4
    trace.wait(1.5)
    events, _ = events_of(trace, 80.0)
    assert all(e.kind is LoadEventKind.FOREIGN for e in events[4:])
