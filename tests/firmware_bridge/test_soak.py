"""A day at the table: drift, hardly anything played, nothing invented, and no more kept at the end than at first."""

import random
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest

from firmware_bridge.events import LoadEvent
from firmware_bridge.samples import RawSample
from firmware_bridge.tracker import LoadTracker
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

RATE_HZ = 5
"""Half the amplifiers' slower rate: half the time to wait for, and no easier."""
HOURS = 24
DRIFT_G_PER_H = 20.0
TURN_H = 6
"""The drift turns after so many hours, or the cell would be overloaded by the evening."""
MOVE_EVERY_S = 2400


def a_move(start: float, end: float) -> list[tuple[int, int]]:
    """By how many counts a move changes both cells, sample by sample; it ends with a quiet board."""
    trace = Trace(half_spacing_mm=10.0, spheres_mm=[start] + [-90.0] * 6 + [90.0] * 7, noise_g=0.0, drift_g_per_s=0.0)
    trace.wait(1)
    trace.lift(start)
    trace.wait(1.5)
    trace.place(end)
    trace.wait(3)
    samples = trace.samples(RATE_HZ)
    low, high = samples[2].low, samples[2].high
    assert low is not None
    assert high is not None
    return [((s.low or 0) - low, (s.high or 0) - high) for s in samples]


def a_day() -> Iterator[RawSample]:
    """Every sample of the day. A sphere goes from 90 to 54 mm and back again, time and again."""
    chance = random.Random(11)
    noise = [(round(chance.gauss(0, 30)), round(chance.gauss(0, 30))) for _ in range(9973)]
    moves = (a_move(90.0, 54.0), a_move(54.0, 90.0))
    each = MOVE_EVERY_S * RATE_HZ
    low, high, drift, n = 172_000, 171_000, 0.0, 0
    for turn in range(HOURS * 3600 // MOVE_EVERY_S):
        move = moves[(turn - 1) % 2] if turn else [(0, 0)]
        up = turn * MOVE_EVERY_S // (TURN_H * 3600) % 2 == 0
        slope = (440 if up else -440) * DRIFT_G_PER_H / 3600 / RATE_HZ
        for off_low, off_high in move + [move[-1]] * (each - len(move)):
            noise_low, noise_high = noise[n % 9973]
            drift += slope
            yield RawSample(
                n / RATE_HZ, low + off_low + int(drift) + noise_low, high + off_high - int(0.4 * drift) + noise_high
            )
            n += 1
        low, high = low + move[-1][0], high + move[-1][1]


def kept(thing: Any, seen: set[int]) -> int:
    """How many values an object keeps, all the way down."""
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, list | tuple | set | deque):
        return len(thing) + sum(kept(x, seen) for x in thing)
    if isinstance(thing, dict):
        return len(thing) + sum(kept(x, seen) for x in thing.values())
    slots = [getattr(thing, name) for name in getattr(type(thing), "__slots__", ()) if hasattr(thing, name)]
    return sum(kept(x, seen) for x in slots) + (kept(vars(thing), seen) if hasattr(thing, "__dict__") else 0)


def test_a_day_of_drift_and_sparse_play_gives_only_what_was_played_and_keeps_no_more() -> None:
    trace = Trace(half_spacing_mm=10.0)
    tracker = LoadTracker(trace.cells(RATE_HZ), wells_mm=RANKS_MM)
    events: list[LoadEvent] = []
    sizes: list[int] = []
    for i, sample in enumerate(a_day()):
        for item in tracker.feed(sample):
            if isinstance(item, LoadEvent):
                events.append(item)
        if i % 1_800 == 900:
            sizes.append(kept(tracker, set()))
    assert [e.kind.value for e in events] == ["lift", "place"] * (HOURS * 3600 // MOVE_EVERY_S - 1)
    for move, (lift, place) in enumerate(zip(events[::2], events[1::2], strict=True), start=1):
        start, end = (90, 54) if move % 2 else (54, 90)
        assert lift.p_mm == pytest.approx(start, abs=4)
        assert place.p_mm == pytest.approx(end, abs=4)
    half = len(sizes) // 2
    assert max(sizes[half:]) < 1.1 * max(sizes[:half])
    assert max(sizes) < 2000
