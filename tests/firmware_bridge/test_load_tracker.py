"""The load tracker on traces made from simple physics."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from firmware_bridge.samples import COUNTS_MAX, CellCalibration, LoadCells, RawSample
from firmware_bridge.tracker import LoadTracker
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

RATES = (80.0, 10.0)
LATEST_S = {80.0: 0.9, 10.0: 1.7}
"""After the contact an event must be known by then: the hand leaves 0.2 s after it."""


def outputs(
    samples: list[RawSample], cells: LoadCells, wells: tuple[float, ...] | None = RANKS_MM
) -> tuple[list[LoadEvent], list[LoadState]]:
    tracker = LoadTracker(cells, wells_mm=wells)
    events: list[LoadEvent] = []
    states: list[LoadState] = []
    for sample in samples:
        for item in tracker.feed(sample):
            if isinstance(item, LoadEvent):
                events.append(item)
            else:
                states.append(item)
    return events, states


def run(trace: Trace, rate: float = 80.0) -> tuple[list[LoadEvent], list[LoadState]]:
    return outputs(trace.samples(rate), trace.cells(rate))


def told(events: list[LoadEvent]) -> list[LoadEvent]:
    return [e for e in events if e.kind is not LoadEventKind.FOREIGN]


def game(trace: Trace, moves: int = 4) -> list[tuple[LoadEventKind, float, float]]:
    """Plays some moves; gives what was done as kind, time of contact and place."""
    done = []
    trace.wait(1.5)
    for n in range(moves):
        start = -90.0 if n % 2 else 90.0
        end = start / 90 * (54.0 if n < 2 else 18.0)
        done.append((LoadEventKind.LIFT, trace.lift(start), start))
        trace.wait(1.2)
        done.append((LoadEventKind.PLACE, trace.place(end), end))
        trace.wait(1.3)
    return done


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(
    ("half_spacing", "sphere", "rocking"), [(8.0, 20.0, 9.5), (12.0, 38.0, 14.0), (5.0, 20.0, 6.0), (6.0, 12.0, 7.0)]
)
def test_lifts_and_places_are_found_where_and_when_they_happen(
    rate: float, half_spacing: float, sphere: float, rocking: float
) -> None:
    trace = Trace(half_spacing, sphere, rocking)
    done = game(trace)
    events, _ = run(trace, rate)
    assert [e.kind for e in events] == [kind for kind, _, _ in done]
    for event, (_, t, p) in zip(events, done, strict=True):
        assert abs(event.t_contact - t) < 0.15 + 1 / rate
        assert event.t_contact < event.t < t + LATEST_S[rate]
        assert event.p_mm == pytest.approx(p, abs=6)
        assert event.mass_g == pytest.approx(sphere, abs=1.2)
    late = list(zip(events, done, strict=True))[4:]
    assert max(abs((e.p_mm or 0) - p) for e, (_, _, p) in late) < 3


def test_places_lie_within_their_standard_deviations() -> None:
    off = []
    for seed in range(6):
        trace = Trace(seed=seed, gain_error=0.002 * (seed - 2.5))
        done = game(trace)
        events, _ = run(trace)
        off += [((e.p_mm or 0) - p) / e.p_sd_mm for e, (_, _, p) in zip(events, done, strict=True)]
    assert max(map(abs, off)) < 4
    assert sum(x * x for x in off) / len(off) < 2


@pytest.mark.parametrize("rate", RATES)
def test_nothing_happens_on_a_quiet_board_that_drifts(rate: float) -> None:
    events, states = run(Trace(drift_g_per_s=0.015).wait(150 if rate < 20 else 60), rate)
    assert not events
    assert not any(s.touching for s in states)
    assert states[-1].settled


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("grams", "at", "seconds"), [(80.0, 54.0, 0.5), (20.0, -90.0, 0.3), (150.0, 0.0, 1.5)])
def test_a_press_becomes_neither_lift_nor_place(rate: float, grams: float, at: float, seconds: float) -> None:
    trace = Trace(half_spacing_mm=12).wait(1.5).push(grams, at, seconds).wait(2)
    events, states = run(trace, rate)
    assert not told(events)
    assert any(s.touching for s in states)
    assert not states[-1].touching


@pytest.mark.parametrize("rate", RATES)
def test_a_still_finger_of_a_spheres_weight_is_no_sphere(rate: float) -> None:
    trace = Trace()
    done = game(trace, moves=2)
    trace.push(20, 54, 0.1).wait(5.0, 20, 54, waver=0.03).wait(2)
    trace.lift(54.0)
    trace.wait(1.5)
    events, states = run(trace, rate)
    assert [e.kind for e in told(events)] == [*(kind for kind, _, _ in done), LoadEventKind.LIFT]
    assert events[-1].p_mm == pytest.approx(54, abs=6)
    assert any(s.touching for s in states)


def test_a_sphere_that_nobody_was_seen_to_lift_is_a_place_once_it_has_lain_there_for_a_while() -> None:
    trace = Trace()
    done = game(trace, moves=2)
    placed = trace.place(18.0)
    trace.wait(2.5)
    events, _ = run(trace)
    assert [e.kind for e in events[len(done) :]] == [LoadEventKind.PLACE]
    assert placed + 1 < events[-1].t < placed + 2
    assert events[-1].p_mm == pytest.approx(18, abs=6)


@pytest.mark.parametrize("rate", RATES)
def test_two_steps_with_hardly_a_rest_between_them_are_both_told(rate: float) -> None:
    trace = Trace(half_spacing_mm=12, rocking_hz=14, damping_per_s=6)
    done = game(trace)
    trace.lift(90.0)
    trace.wait(1.4)
    trace.place(18.0, press_g=10)
    trace.wait(0.3)
    trace.lift(-18.0, touch_g=6)
    trace.wait(2)
    events, _ = run(trace, rate)
    rest = events[len(done) :]
    assert [(e.kind.value, rank(e)) for e in rest] == [("lift", 90.0), ("place", 18.0), ("lift", -18.0)]


@pytest.mark.parametrize("rate", RATES)
def test_a_board_that_is_taken_off_and_put_back_plays_no_move(rate: float) -> None:
    trace = Trace(half_spacing_mm=10)
    done = game(trace, moves=1)
    board = trace._weight
    trace.take_away(board - 0.5, 0).wait(5).take_away(0.5 - board, 0).wait(3)
    trace.lift(-90.0)
    trace.wait(1.5)
    events, states = run(trace, rate)
    assert [e.kind for e in told(events)] == [*(kind for kind, _, _ in done), LoadEventKind.LIFT]
    assert not any(s.faults for s in states)


def test_all_spheres_taken_off_and_set_up_again_are_no_moves() -> None:
    trace = Trace(half_spacing_mm=10)
    done = game(trace, moves=1)
    spheres = trace.sphere_g * len(trace.spheres_mm)
    moment = trace._moment / spheres
    trace.take_away(spheres, moment).wait(6).take_away(-spheres, moment).wait(6)
    trace.lift(-90.0)
    trace.wait(1.5)
    events, _ = run(trace)
    assert [e.kind for e in told(events)] == [*(kind for kind, _, _ in done), LoadEventKind.LIFT]


@pytest.mark.parametrize("rate", RATES)
def test_a_hand_that_holds_the_board_is_seen_pressing_until_it_goes(rate: float) -> None:
    trace = Trace().wait(2).push(60, 0, 0.2).wait(2.5, 110, 5, waver=0.1).wait(2)
    events, states = run(trace, rate)
    assert not told(events)
    held = [s for s in states if 3.0 < s.t < 4.6]
    assert held
    assert all(s.touching and s.pressing for s in held)
    assert all(s.touching_since == pytest.approx(2.0, abs=0.25) for s in held)
    assert not [s for s in states if s.t > 6.0 and s.touching]


def test_a_board_held_while_spheres_change_places_tells_no_single_move_and_the_next_lift_is_right() -> None:
    trace = Trace().wait(2)
    trace.wait(0.5, 130, 10, waver=0.1)
    for at, to in ((90.0, 18.0), (-90.0, -54.0), (90.0, 54.0)):
        trace.take_away(20, at).wait(0.4, 130, 10, waver=0.1).take_away(-20, to).wait(0.4, 130, 10, waver=0.1)
        trace.spheres_mm.remove(at)
        trace.spheres_mm.append(to)
    trace.wait(0.8)
    trace.lift(-90.0)
    trace.wait(1.5)
    events, _ = run(trace)
    assert [(e.kind, round(e.p_mm or 0, -1)) for e in told(events)] == [(LoadEventKind.LIFT, -90.0)]


@pytest.mark.parametrize("rate", RATES)
def test_a_rolled_sphere_is_a_roll_of_the_right_length(rate: float) -> None:
    trace = Trace()
    done = game(trace, moves=2)
    arrived = trace.roll(54.0, 18.0)
    trace.wait(2.5)
    events, _ = run(trace, rate)
    assert [e.kind for e in events] == [*(kind for kind, _, _ in done), LoadEventKind.ROLL]
    roll = events[-1]
    assert roll.p_mm is not None
    assert roll.to_p_mm is not None
    assert roll.to_p_mm - roll.p_mm == pytest.approx(-36, abs=3)
    assert roll.to_p_mm == pytest.approx(18, abs=6)
    assert arrived < roll.t < arrived + 3


def test_a_sphere_rolled_so_slowly_that_it_might_be_drift_is_still_noticed() -> None:
    trace = Trace()
    done = game(trace, moves=2)
    trace.roll(54.0, 18.0, seconds=12, push_g=0.5)
    trace.wait(3)
    trace.lift(18.0)
    trace.wait(1.5)
    events, _ = run(trace)
    rest = events[len(done) :]
    assert {e.kind for e in rest[:-1]} <= {LoadEventKind.FOREIGN, LoadEventKind.ROLL}
    assert rest[:-1]
    assert rest[-1].kind is LoadEventKind.LIFT
    assert rest[-1].p_mm == pytest.approx(18, abs=6)


@pytest.mark.parametrize("rate", RATES)
def test_a_sphere_left_between_wells_is_foreign_until_it_is_put_right(rate: float) -> None:
    trace = Trace()
    done = game(trace)
    trace.lift(90.0)
    trace.wait(1.2)
    trace.place(72.0)
    trace.wait(2)
    trace.lift(72.0)
    trace.wait(1.2)
    trace.place(54.0)
    trace.wait(1.5)
    events, _ = run(trace, rate)
    kinds = [e.kind for e in events[len(done) :]]
    assert kinds == [LoadEventKind.LIFT, LoadEventKind.FOREIGN, LoadEventKind.FOREIGN, LoadEventKind.PLACE]
    assert events[-1].p_mm == pytest.approx(54, abs=6)


def test_an_object_left_on_the_board_does_not_hide_later_moves() -> None:
    trace = Trace()
    done = game(trace, moves=2)
    trace.take_away(-7, 30).wait(6)
    lifted = trace.lift(90.0)
    trace.wait(1.5)
    events, states = run(trace)
    assert [e.kind for e in events[len(done) :]] == [LoadEventKind.FOREIGN, LoadEventKind.LIFT]
    assert events[-1].p_mm == pytest.approx(90, abs=6)
    assert not [s for s in states if lifted - 0.6 < s.t < lifted - 0.4 and s.touching]


@pytest.mark.parametrize(("rate", "latest"), [(80.0, 0.4), (10.0, 0.65)])
def test_a_board_that_tips_is_told_once_and_soon(rate: float, latest: float) -> None:
    trace = Trace(half_spacing_mm=5.0)
    trace.wait(2)
    trace.take_away(3 * 20, -90.0).wait(2)
    onset = trace.first_unloaded()
    events, states = run(trace, rate)
    tips = [e for e in events if e.kind is LoadEventKind.TIP]
    assert len(tips) == 1
    assert onset + 0.2 < tips[0].t < onset + latest
    assert tips[0].t_contact == pytest.approx(onset, abs=0.15)
    assert states[-1].tipped
    assert not told(events)[1:]


@pytest.mark.parametrize("rate", RATES)
def test_a_board_set_up_again_after_a_crash_is_followed_again(rate: float) -> None:
    trace = Trace(half_spacing_mm=5.0)
    trace.wait(2).take_away(3 * 20, -90.0).wait(1.5).take_away(-3 * 20, -90.0).wait(3)
    trace.lift(90.0)
    trace.wait(1.5)
    events, states = run(trace, rate)
    assert [e.kind for e in told(events)] == [LoadEventKind.TIP, LoadEventKind.LIFT]
    assert not states[-1].tipped


@pytest.mark.parametrize(("grams", "seconds"), [(60.0, 0.25), (250.0, 0.4)])
def test_a_press_that_unloads_a_pinnacle_for_a_moment_is_no_tip(grams: float, seconds: float) -> None:
    trace = Trace(half_spacing_mm=5.0).wait(2).push(grams, 90, seconds).wait(2)
    low = [trace.low.grams(s.low or 0) for s in trace.samples()]
    assert min(low) < 5  # it does unload it
    events, states = run(trace)
    assert not told(events)
    assert not any(s.tipped for s in states)


@pytest.mark.parametrize("cell", ["low", "high"])
def test_an_unplugged_cell_is_a_fault_and_never_an_event(cell: str) -> None:
    trace = Trace()
    done = game(trace, moves=1)
    trace.wait(3)
    samples = trace.samples()
    gone = trace.now - 3.0
    dead = [replace(s, **{cell: None}) if gone < s.t < gone + 2 else s for s in samples]
    events, states = outputs(dead, trace.cells())
    assert [e.kind for e in events] == [kind for kind, _, _ in done]
    during = [s for s in states if gone + 1.2 < s.t < gone + 1.9]
    assert during
    assert all(s.faults == (f"{cell} no data",) for s in during)
    assert all((s.low_g if cell == "low" else s.high_g) is None for s in during)
    assert states[-1].faults == ()
    assert states[-1].total_g is not None


@pytest.mark.parametrize("counts", [0, COUNTS_MAX])
def test_a_cell_that_stops_reading_does_not_tip_the_board(counts: int) -> None:
    trace = Trace(half_spacing_mm=5.0, low=CellCalibration(0.0, 440.0)).wait(5)
    samples = [replace(s, low=counts) if s.t > 3 else s for s in trace.samples()]
    events, states = outputs(samples, trace.cells())
    assert not events
    assert states[-1].faults


def test_a_lift_made_while_no_samples_came_is_found_afterwards() -> None:
    trace = Trace()
    done = game(trace, moves=2)
    trace.lift(90.0)
    lifted = trace.now
    trace.wait(2)
    samples = [s for s in trace.samples() if not lifted - 0.3 < s.t < lifted + 0.3]
    events, _ = outputs(samples, trace.cells())
    assert [e.kind for e in events[len(done) :]] == [LoadEventKind.LIFT]
    assert events[-1].p_mm == pytest.approx(90, abs=6)


def test_a_cell_mounted_upside_down_makes_no_difference() -> None:
    upright, turned = Trace(), Trace(low=CellCalibration(1000.0, -440.0))
    for trace in (upright, turned):
        game(trace, moves=2)
    a, b = run(upright)[0], run(turned)[0]
    assert [e.kind for e in a] == [e.kind for e in b]
    for e, f in zip(a, b, strict=True):
        assert e.p_mm == pytest.approx(f.p_mm, abs=0.1)


def test_without_a_half_spacing_places_are_relative_and_say_so() -> None:
    trace = Trace(half_spacing_mm=9.0)
    done = game(trace)
    events, _ = outputs(trace.samples(), trace.cells(known=False), wells=None)
    assert [e.kind for e in events] == [kind for kind, _, _ in done]
    for event, (_, _, p) in zip(events, done, strict=True):
        assert event.p_mm == pytest.approx(p * 6 / 9, abs=3)
        assert event.p_sd_mm > 0.3 * abs(p) * 6 / 9


def test_without_a_half_spacing_the_wells_teach_the_scale() -> None:
    trace = Trace(half_spacing_mm=9.0)
    game(trace, moves=4)
    done = game(trace, moves=2)
    events, _ = outputs(trace.samples(), trace.cells(known=False))
    for event, (kind, _, p) in zip(events[-4:], done, strict=True):
        assert event.kind is kind
        assert event.p_mm == pytest.approx(p, abs=3)


def test_the_mass_of_the_spheres_is_learned() -> None:
    trace = Trace(sphere_g=38.0)
    game(trace)
    tracker = LoadTracker(trace.cells(), wells_mm=RANKS_MM)
    for sample in trace.samples():
        tracker.feed(sample)
    assert tracker.spheres.usual_g == pytest.approx(38, abs=0.5)


@pytest.mark.parametrize("rate", RATES)
def test_a_state_is_given_at_least_ten_times_a_second(rate: float) -> None:
    trace = Trace()
    game(trace, moves=1)
    _, states = run(trace, rate)
    assert max(b.t - a.t for a, b in pairwise(states)) < 0.1 + 1.01 / rate


def test_the_same_samples_give_the_same_answers() -> None:
    trace = Trace()
    game(trace, moves=2)
    samples = trace.samples()
    assert outputs(samples, trace.cells()) == outputs(samples, trace.cells())


def rank(event: LoadEvent) -> float:
    """The rank nearest to an event's place."""
    return min(RANKS_MM, key=lambda p: abs(p - (event.p_mm or 0)))


def _spoilt_game() -> tuple[Trace, list[RawSample], list[LoadEvent]]:
    trace = Trace()
    game(trace, moves=2)
    samples = trace.samples()
    return trace, samples, outputs(samples, trace.cells())[0]


TRACE, CLEAN, CLEAN_EVENTS = _spoilt_game()


@settings(max_examples=25, deadline=None)
@given(
    spikes=st.lists(st.tuples(st.integers(3, 900 // 25), st.integers(0, 22), st.booleans(), st.booleans()), max_size=12)
)
def test_flipped_bits_and_lost_samples_change_no_event(spikes: list[tuple[int, int, bool, bool]]) -> None:
    samples = list(CLEAN)
    for place, bit, low, lost in spikes:
        i = min(place * 25, len(samples) - 1)  # not two at once: a third of a second apart
        s = samples[i]
        if lost:
            samples[i] = RawSample(s.t, None, None)
        elif low:
            samples[i] = replace(s, low=(s.low or 0) ^ (1 << bit))
        else:
            samples[i] = replace(s, high=(s.high or 0) ^ (1 << bit))
    events, _ = outputs(samples, TRACE.cells())
    assert [(e.kind, rank(e)) for e in events] == [(e.kind, rank(e)) for e in CLEAN_EVENTS]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 5), st.integers() | st.none(), st.integers() | st.none()), max_size=80))
def test_any_samples_at_all_are_taken_without_an_error(rows: list[tuple[float, int | None, int | None]]) -> None:
    outputs([RawSample(t, low, high) for t, low, high in rows], LoadCells())
