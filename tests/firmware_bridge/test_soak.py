"""A day at the table: drift, play now and then, nothing invented, and no more kept at the end than at first.

By hand, for as long and at the rate that the amplifiers have:
`python tests/firmware_bridge/test_soak.py --hours 24 --rate 80` (some six minutes; exit 1 if anything is wrong).
"""

import argparse
import random
import resource
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from firmware_bridge.events import LoadEvent
from firmware_bridge.samples import RawSample
from firmware_bridge.tracker import LoadTracker
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

SHORT_RATE_HZ = 5
"""In the suite: half the amplifiers' slower rate; half the time to wait for, and no easier."""
DRIFT_G_PER_H = 20.0
TURN_H = 6
"""The drift turns after so many hours, or the cell would be overloaded by the evening."""
TURN_S = 2400
"""The day is cut into so long pieces: one move and then quiet, or, now and then, a game."""
GAME_EVERY = 9
MOVE_S = 16
"""A game's moves come this far apart."""
GAME_MOVES = 40
COUNTS_PER_G = 440
KEPT_AT_MOST = 3000
"""Some windows of a second or two, at 80 samples a second."""
LOW_COUNTS, HIGH_COUNTS = 172_000, 171_000


@dataclass(frozen=True, slots=True)
class Day:
    """How long, at what rate; `games`: whether in some of the pieces a whole game is played."""

    hours: float
    rate_hz: int
    games: bool = False

    def moves(self) -> list[int]:
        """How many moves each piece has."""
        pieces = round(self.hours * 3600 / TURN_S)
        return [0] + [GAME_MOVES if self.games and i % GAME_EVERY == GAME_EVERY - 1 else 1 for i in range(1, pieces)]


def a_move(start: float, end: float, rate_hz: int) -> list[tuple[int, int]]:
    """By how many counts a move changes both cells, sample by sample; it ends with a quiet board."""
    trace = Trace(half_spacing_mm=10.0, spheres_mm=[start] + [-90.0] * 6 + [90.0] * 7, noise_g=0.0, drift_g_per_s=0.0)
    trace.wait(1)
    trace.lift(start)
    trace.wait(1.5)
    trace.place(end)
    trace.wait(3)
    samples = trace.samples(rate_hz)
    low, high = samples[2].low, samples[2].high
    assert low is not None
    assert high is not None
    return [((s.low or 0) - low, (s.high or 0) - high) for s in samples]


def a_day(day: Day) -> Iterator[RawSample]:
    """Every sample of the day. A sphere goes from 90 to 54 mm and back again, time and again."""
    chance = random.Random(11)
    rate = day.rate_hz
    noise = [(round(chance.gauss(0, 30)), round(chance.gauss(0, 30))) for _ in range(9973)]
    there_and_back = (a_move(90.0, 54.0, rate), a_move(54.0, 90.0, rate))
    low, high, drift, n, played = LOW_COUNTS, HIGH_COUNTS, 0.0, 0, 0
    for piece, moves in enumerate(day.moves()):
        up = piece * TURN_S // (TURN_H * 3600) % 2 == 0
        slope = (COUNTS_PER_G if up else -COUNTS_PER_G) * DRIFT_G_PER_H / 3600 / rate
        left = TURN_S * rate
        for k in range(max(1, moves)):
            move = there_and_back[played % 2] if moves else [(0, 0)]
            played += moves > 0
            each = left if k >= moves - 1 else MOVE_S * rate
            left -= each
            for off_low, off_high in move:
                noise_low, noise_high = noise[n % 9973]
                drift += slope
                gone = int(drift)
                yield RawSample(
                    n / rate, low + off_low + gone + noise_low, high + off_high - gone * 2 // 5 + noise_high
                )
                n += 1
            low, high = low + move[-1][0], high + move[-1][1]
            for _ in range(each - len(move)):
                noise_low, noise_high = noise[n % 9973]
                drift += slope
                gone = int(drift)
                yield RawSample(n / rate, low + gone + noise_low, high - gone * 2 // 5 + noise_high)
                n += 1


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


@dataclass
class Soaked:
    """What came of a day; `kept` and `rss_mb` are taken 48 times an hour, the latter only where it can be told."""

    events: list[LoadEvent] = field(default_factory=list)
    faults: set[str] = field(default_factory=set)
    samples: int = 0
    kept: list[int] = field(default_factory=list)
    rss_mb: list[float] = field(default_factory=list)

    def wrong(self, day: Day) -> list[str]:
        """What is not as it should be, a line each."""
        found = []
        kinds = [e.kind.value for e in self.events]
        if kinds != ["lift", "place"] * sum(day.moves()):
            found.append(f"{len(kinds)} events for {sum(day.moves())} moves of a lift and a place each")
        for move, (lift, place) in enumerate(zip(self.events[::2], self.events[1::2], strict=False)):
            wells = (90.0, 54.0) if move % 2 == 0 else (54.0, 90.0)
            if any(abs((e.p_mm or 0.0) - p) > 4 for e, p in zip((lift, place), wells, strict=True)):
                found.append(f"move {move + 1} at {lift.p_mm} to {place.p_mm} mm, not {wells}")
        if any(b.t <= a.t for a, b in pairwise(self.events)):
            found.append("events out of order")
        half = len(self.kept) // 2
        if max(self.kept[half:]) >= 1.1 * max(self.kept[:half]) or max(self.kept) >= KEPT_AT_MOST:
            found.append(f"{max(self.kept[:half])} values kept at first, {max(self.kept[half:])} at last")
        return found


def soak(day: Day) -> Soaked:
    """Follows the day; a second after each move the table tells what should stand on the cells, as the referee does."""
    trace = Trace(half_spacing_mm=10.0)
    tracker = LoadTracker(trace.cells(day.rate_hz), wells_mm=RANKS_MM)
    low_g, high_g = trace.low.grams(LOW_COUNTS), trace.high.grams(HIGH_COUNTS)
    total_g, moments = low_g + high_g, [10.0 * (high_g - low_g), 10.0 * (high_g - low_g) + 20.0 * (54.0 - 90.0)]
    result = Soaked()
    feed, every, tell_t = tracker.feed, 75 * day.rate_hz, 2.0
    for sample in a_day(day):
        for item in feed(sample):
            if isinstance(item, LoadEvent):
                result.events.append(item)
                tell_t = item.t + 1.0
        if sample.t >= tell_t and len(result.events) % 2 == 0:
            tracker.expect(total_g, moments[len(result.events) // 2 % 2])
            tell_t = float("inf")
        if result.samples % every == every // 2:
            result.kept.append(kept(tracker, set()))
            result.rss_mb.append(resident_mb())
            result.faults.update(tracker.faults)
        result.samples += 1
    return result


def resident_mb() -> float:
    """This process's memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 2**20


def test_half_a_day_of_drift_and_sparse_play_gives_only_what_was_played_and_keeps_no_more() -> None:
    day = Day(12, SHORT_RATE_HZ)
    assert soak(day).wrong(day) == []


def test_some_hours_with_a_game_in_them_give_only_what_was_played() -> None:
    day = Day(6, SHORT_RATE_HZ, games=True)
    assert sum(day.moves()) > GAME_MOVES
    assert soak(day).wrong(day) == []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--rate", type=int, default=80, help="samples a second")
    given = parser.parse_args()
    day = Day(given.hours, given.rate, games=True)
    began = time.process_time()
    got = soak(day)
    took = time.process_time() - began
    print(f"{day.hours:g} h at {day.rate_hz} samples a second: {got.samples} samples, {took:.0f} s of processor time")
    print(
        f"{sum(day.moves())} moves played, {len(got.events)} events told, faults named: {sorted(got.faults) or 'none'}"
    )
    tenth = max(1, len(got.rss_mb) // 10)
    first, last = got.rss_mb[tenth], got.rss_mb[-1]
    print(
        f"memory {first:.1f} MB after a tenth, {last:.1f} MB at the end; values kept {got.kept[tenth]}, {got.kept[-1]}"
    )
    wrong = got.wrong(day)
    print("\n".join(wrong) or "nothing wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
