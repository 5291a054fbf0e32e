"""Many boards at random: other spacings, axes, spheres, cells and hands. All that is played is found, nothing else."""

import random
from dataclasses import dataclass

import pytest

from firmware_bridge.events import LoadEvent, LoadEventKind
from firmware_bridge.tracker import LoadTracker
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

FILES_MM = tuple(36.0 * i for i in range(-3, 4))
BOARDS = 12
STAYS = 0.7
"""No step brings the centre of mass farther out than this share of the half spacing: the rocking would tip it."""
RANGE_MM = 80.0
"""A sphere is carried no farther."""


@dataclass
class Played:
    trace: Trace
    wells: tuple[float, ...]
    done: list[tuple[str, float, float]]


def a_board(seed: int) -> Played:
    """Some moves on a board made up by chance, with hands that touch more or less gently."""
    chance = random.Random(seed)
    wells = chance.choice((RANKS_MM, FILES_MM))
    sphere = chance.choice((20.0, 38.0))
    spacing = chance.uniform(4.5, 9.0) if sphere < 30 else chance.uniform(7.0, 14.0)
    trace = Trace(
        spacing,
        sphere,
        rocking_hz=5.0 + 1.1 * (spacing - 4.0),
        damping_per_s=chance.uniform(3.0, 5.0),
        noise_g=chance.choice((0.05, 0.1, 0.2, 0.3)),
        drift_g_per_s=chance.uniform(-0.002, 0.002),
        seed=seed,
        spheres_mm=[well for well in wells for _ in range(2)],
        gain_error=chance.uniform(-0.005, 0.005),
    )
    trace.wait(1.5)
    done = []

    def stays(change_g: float, at_mm: float) -> bool:
        moment = sphere * sum(trace.spheres_mm) + change_g * at_mm
        return abs(moment) < STAYS * spacing * (trace._weight + change_g)

    for _ in range(6):
        start = chance.choice(sorted({p for p in trace.spheres_mm if stays(-sphere, p)}))
        lifted = trace.lift(start, touch_g=chance.choice((5.0, 12.0, 25.0, 50.0)))
        trace.wait(chance.uniform(1.0, 1.6))
        end = chance.choice([w for w in wells if abs(w - start) < RANGE_MM and stays(sphere, w)] or [start])
        placed = trace.place(end, press_g=chance.choice((5.0, 15.0, 40.0)))
        done += [("lift", lifted, start), ("place", placed, end)]
        trace.wait(chance.uniform(1.2, 1.9))
        if chance.random() < 0.2:
            trace.push(chance.uniform(10, 120), chance.uniform(-30, 30), chance.uniform(0.2, 0.6)).wait(1.2)
    trace.wait(1)
    return Played(trace, wells, done)


@pytest.mark.parametrize("rate", [80.0, 10.0])
@pytest.mark.parametrize("seed", range(BOARDS))
def test_all_that_is_played_on_any_board_is_found_and_nothing_else(seed: int, rate: float) -> None:
    board = a_board(seed)
    tracker = LoadTracker(board.trace.cells(rate), wells_mm=board.wells)
    events: list[LoadEvent] = []
    for sample in board.trace.samples(rate):
        events += [x for x in tracker.feed(sample) if isinstance(x, LoadEvent)]
        assert not tracker.faults
    told = [e for e in events if e.kind is not LoadEventKind.FOREIGN]
    assert [e.kind.value for e in told] == [kind for kind, _, _ in board.done]
    for event, (_, t, p) in zip(told, board.done, strict=True):
        assert event.p_mm == pytest.approx(p, abs=6)
        assert -0.3 < event.t - t < 3
