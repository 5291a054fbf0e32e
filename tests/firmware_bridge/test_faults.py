"""Faults of the load cells: named soon, explained, gone with their cause, and never mistaken for something played."""

import math
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from firmware_bridge.faults import REMEDIES, TABLE, CellFault, PairFault, explanation, state_names
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, RawSample
from firmware_bridge.tracker import LoadTracker
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

RATES = (80.0, 10.0)
FAULT_S = 5.0
Change = Callable[[int, RawSample, Trace], RawSample]


def moves(trace: Trace) -> None:
    """A lift and a place at each end."""
    for at, to in ((90.0, 54.0), (-90.0, -54.0)):
        trace.lift(at)
        trace.wait(1.2)
        trace.place(to)
        trace.wait(1.4)


def follow(samples: list[RawSample], trace: Trace, rate: float) -> tuple[list[LoadEvent], list[LoadState]]:
    tracker = LoadTracker(trace.cells(rate), wells_mm=RANKS_MM)
    events: list[LoadEvent] = []
    states: list[LoadState] = []
    for sample in samples:
        for item in tracker.feed(sample):
            if isinstance(item, LoadEvent):
                events.append(item)
            else:
                states.append(item)
    return events, states


def low_counts(counts: Callable[[int], int | None]) -> Change:
    return lambda i, s, trace: replace(s, low=counts(i))


def reversed_low(i: int, s: RawSample, trace: Trace) -> RawSample:
    assert s.low is not None
    return replace(s, low=trace.low.counts(-trace.low.grams(s.low)))


def off_by(grams: float) -> Change:
    def change(i: int, s: RawSample, trace: Trace) -> RawSample:
        assert s.low is not None
        return replace(s, low=trace.low.counts(trace.low.grams(s.low) + grams))

    return change


def loose_wire(share: float, analog: bool) -> Change:
    """Garbage in between: any code at all, or a load that jumps by some tens of grams."""
    chance = random.Random(5)

    def change(i: int, s: RawSample, trace: Trace) -> RawSample:
        if chance.random() >= share:
            return s
        if analog:
            return off_by(chance.choice((-1, 1)) * chance.uniform(40, 300))(i, s, trace)
        return replace(s, low=chance.randrange(COUNTS_MIN, COUNTS_MAX))

    return change


def bad_contact(i: int, s: RawSample, trace: Trace) -> RawSample:
    """A contact that opens and closes some times a second."""
    open_ = math.sin(23 * s.t) + math.sin(9.1 * s.t) > 0
    return off_by(-250.0 if open_ else 0.0)(i, s, trace)


def most_lost(i: int, s: RawSample, trace: Trace) -> RawSample:
    return s if i % 10 in (0, 4, 7) else replace(s, low=None)


def every_other_missing(i: int, s: RawSample, trace: Trace) -> RawSample:
    return replace(s, high=None) if i % 3 == 0 else s


def drifting(grams_per_s: float) -> Change:
    def change(i: int, s: RawSample, trace: Trace) -> RawSample:
        return off_by(grams_per_s * (s.t - START))(i, s, trace)

    return change


START = 10.0
"""When each fault begins: before it there is time for two moves."""
STUCK_AT = 123_456

CAUSES: dict[str, tuple[Change, str]] = {
    "unplugged": (low_counts(lambda i: None), "low no data"),
    "most samples lost": (
        lambda i, s, trace: s if i % 10 in (0, 4, 7) else replace(s, low=None),
        "low too few samples",
    ),
    "overloaded": (low_counts(lambda i: COUNTS_MAX), "low saturated"),
    "overloaded the other way": (low_counts(lambda i: COUNTS_MIN), "low saturated"),
    "hung": (low_counts(lambda i: STUCK_AT), "low stuck"),
    "hung at 0": (low_counts(lambda i: 0), "low stuck"),
    "loose data wire": (loose_wire(0.5, analog=False), "low erratic"),
    "loose cell wire": (loose_wire(0.6, analog=True), "low erratic"),
    "bad contact": (bad_contact, "low erratic"),
    "mounted upside down": (reversed_low, "low reversed"),
    "zero lost": (off_by(-430.0), "low below zero"),
    "one chip at another rate": (every_other_missing, "clocks apart"),
    "fast drift": (drifting(1.0), "low drift beyond budget"),
    "fast drift down": (drifting(-0.6), "low drift beyond budget"),
}
LATEST_S = {"fast drift": 5.0, "fast drift down": 5.0}


def spoilt(cause: str, rate: float, seconds: float = FAULT_S) -> tuple[Trace, list[RawSample]]:
    trace = Trace(half_spacing_mm=10.0).wait(1.5)
    moves(trace)
    assert trace.now < START - 0.5
    trace.wait(START - trace.now + seconds + 5)
    moves(trace)
    change = CAUSES[cause][0]
    samples = [change(i, s, trace) if START <= s.t < START + seconds else s for i, s in enumerate(trace.samples(rate))]
    return trace, samples


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("cause", CAUSES)
def test_a_fault_is_named_soon_goes_with_its_cause_and_play_goes_on(cause: str, rate: float) -> None:
    trace, samples = spoilt(cause, rate)
    name = CAUSES[cause][1]
    events, states = follow(samples, trace, rate)
    seen = [s.t for s in states if name in s.faults]
    assert START < seen[0] < START + LATEST_S.get(cause, 2.0)
    assert seen[-1] > START + FAULT_S - 0.2
    assert not [s for s in states if s.t > START + FAULT_S + 4.0 and s.faults]
    assert not [s for s in states if s.t < START and s.faults]
    assert {f for s in states for f in s.faults} == {name}
    played = [e for e in events if e.kind is not LoadEventKind.FOREIGN]
    told = [(e.kind.value, min(RANKS_MM, key=lambda p: abs(p - (e.p_mm or 0)))) for e in played]
    assert told == [("lift", 90.0), ("place", 54.0), ("lift", -90.0), ("place", -54.0)] * 2
    assert not [e for e in played if START - 0.5 < e.t < START + FAULT_S + 5]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("cause", ["unplugged", "overloaded", "hung", "loose data wire", "mounted upside down"])
def test_a_blind_cell_gives_no_load_and_the_other_still_does(cause: str, rate: float) -> None:
    trace, samples = spoilt(cause, rate)
    _, states = follow(samples, trace, rate)
    during = [s for s in states if s.faults]
    assert during
    assert all(s.low_g is None and s.high_g is not None and s.total_g is None for s in during)


@pytest.mark.parametrize("rate", RATES)
def test_what_changed_on_the_board_during_a_fault_is_no_event_afterwards(rate: float) -> None:
    trace = Trace(half_spacing_mm=10.0).wait(1.5)
    moves(trace)
    trace.wait(START - trace.now + 2)
    trace.lift(90.0)
    trace.wait(5)
    trace.lift(-90.0)
    trace.wait(1.5)
    samples = [replace(s, low=None) if START < s.t < START + 4 else s for s in trace.samples(rate)]
    events, _ = follow(samples, trace, rate)
    after = [e for e in events if e.t > START]
    assert [e.kind for e in after] == [LoadEventKind.LIFT]
    assert after[0].p_mm == pytest.approx(-90, abs=6)


@pytest.mark.parametrize("rate", RATES)
def test_a_sphere_in_hand_when_a_fault_comes_can_be_placed_after_it(rate: float) -> None:
    trace = Trace(half_spacing_mm=10.0).wait(1.5)
    moves(trace)
    trace.lift(90.0)
    trace.wait(1.5)
    gone = trace.now
    trace.wait(4)
    placed = trace.place(18.0)
    trace.wait(1.6)
    samples = [replace(s, high=None) if gone < s.t < gone + 2 else s for s in trace.samples(rate)]
    events, _ = follow(samples, trace, rate)
    assert [e.kind for e in events[4:]] == [LoadEventKind.LIFT, LoadEventKind.PLACE]
    assert events[-1].t < placed + 1.5
    assert events[-1].p_mm == pytest.approx(18, abs=6)


def shaken(trace: Trace, seconds: float, grams: float, hz: float, at_mm: float) -> Trace:
    """A hand that knocks on the board again and again."""
    knock = 1 / hz
    for n in range(round(seconds * hz)):
        trace.push(grams * (1 + 0.5 * math.sin(n)), at_mm, knock * 0.6).wait(knock * 0.4)
    return trace


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("grams", "hz", "at_mm"), [(300.0, 9.0, 0.0), (800.0, 13.0, 10.0), (150.0, 20.0, -60.0)])
@pytest.mark.parametrize("seconds", [0.3, 0.9])
def test_a_short_rough_touch_is_no_fault(rate: float, grams: float, hz: float, at_mm: float, seconds: float) -> None:
    trace = Trace(half_spacing_mm=10.0).wait(1.5)
    shaken(trace, seconds, grams, hz, at_mm).wait(3)
    _, states = follow(trace.samples(rate), trace, rate)
    assert not [s for s in states if s.faults]


def late(samples: list[RawSample], by: int) -> list[RawSample]:
    return [replace(s, high=samples[max(0, i - by)].high) for i, s in enumerate(samples)]


@pytest.mark.parametrize(("rate", "names"), [(80.0, {"clocks apart"}), (10.0, {"clocks apart", "low erratic"})])
def test_a_cell_that_lags_behind_the_other_is_noticed_within_a_few_touches(rate: float, names: set[str]) -> None:
    trace = Trace(half_spacing_mm=10.0, rocking_hz=5.0).wait(2)
    moves(trace)
    samples = trace.samples(rate)
    _, states = follow(late(samples, 4), trace, rate)
    assert {fault for s in states for fault in s.faults} & names
    _, states = follow(samples, trace, rate)
    assert not [s for s in states if s.faults]


@pytest.mark.parametrize(("true", "said"), [(10.0, 80.0), (80.0, 10.0)])
def test_a_wrong_sample_rate_is_named(true: float, said: float) -> None:
    trace = Trace().wait(4)
    tracker = LoadTracker(replace(trace.cells(true), sample_rate_hz=said), wells_mm=RANKS_MM)
    named = [s.t for s in trace.samples(true) for state in [tracker.feed(s)] if "sample rate wrong" in tracker.faults]
    assert named[0] < 2


def test_lost_samples_that_a_busy_computer_drops_are_no_fault_and_hide_no_move() -> None:
    chance = random.Random(3)
    trace = Trace(half_spacing_mm=10.0).wait(1.5)
    moves(trace)
    samples = [s for s in trace.samples() if chance.random() > 0.35]
    events, states = follow(samples, trace, 80.0)
    assert [e.kind.value for e in events] == ["lift", "place"] * 2
    assert not [s for s in states if s.faults]


@pytest.mark.parametrize("rate", RATES)
def test_a_pause_in_the_samples_is_neither_fault_nor_event(rate: float) -> None:
    trace = Trace(half_spacing_mm=10.0).wait(1.5)
    moves(trace)
    trace.wait(30)
    moves(trace)
    samples = [s for s in trace.samples(rate) if not 10 < s.t < 30]
    events, states = follow(samples, trace, rate)
    assert [e.kind.value for e in events] == ["lift", "place"] * 4
    assert not [s for s in states if s.faults]


def test_every_fault_has_one_line_of_what_is_seen_and_one_of_what_to_do() -> None:
    assert set(TABLE) == {*CellFault, *PairFault}
    assert set(REMEDIES) == set(state_names())
    for name in state_names():
        told = explanation(name)
        assert REMEDIES[name] == told.remedy
        for line in (told.seen, told.remedy):
            assert line
            assert "\n" not in line
            assert len(line) < 121
        assert told.remedy.endswith(".")
    with pytest.raises(KeyError):
        explanation("low spirits")
