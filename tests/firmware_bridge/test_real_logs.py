"""The tracker on logs of real scales, which lie beside the project: nothing invented where nothing happens.

They are of one cell each: half of it goes to either side, as of a weight in the middle of a board. In the two-cell logs
people stand on the cells; a kilogram there is ten grams here.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from firmware_bridge.events import LoadEvent, LoadEventKind
from firmware_bridge.samples import CellCalibration, LoadCells, RawSample
from firmware_bridge.tracker import LoadTracker

PI_LOGS = tuple(f"pi_bitbang_{i:02}.csv" for i in range(1, 10))
COFFEE_LOGS = ("coffee_brew.csv", "coffee_coldstart.csv", "coffee_startup.csv")
TWO_CELLS = ("two_cells_1.csv", "two_cells_2.csv", "two_cells_3.csv")
CELL = CellCalibration(0.0, 400.0)
BOARD_G = 400.0
STEP_G = 6.0
"""A change of the median by less is no sphere's."""


@dataclass
class Followed:
    """What came of a log: events, times with each fault, and the log itself as time and total in grams."""

    events: list[LoadEvent]
    faults: dict[str, list[float]]
    rows: list[tuple[float, float]]
    believed: int

    @property
    def told(self) -> list[LoadEvent]:
        return [e for e in self.events if e.kind is not LoadEventKind.FOREIGN]


def follow(samples: list[RawSample], rows: list[tuple[float, float]], rate: float) -> Followed:
    tracker = LoadTracker(LoadCells(CELL, CELL, rate, 6.0))
    result = Followed([], defaultdict(list), rows, 0)
    for sample in samples:
        for item in tracker.feed(sample):
            if isinstance(item, LoadEvent):
                result.events.append(item)
        for fault in tracker.faults:
            result.faults[fault].append(sample.t)
    return result


def one_cell(path: Path) -> Followed:
    lines = [line.split(",") for line in path.read_text().split() if line[0].isdigit()]
    in_ms = path.name.startswith("bench")
    rows = [(float(t) * (1e-3 if in_ms else 1.0), float(g)) for t, g in lines]
    rate = (len(rows) - 1) / (rows[-1][0] - rows[0][0])
    gaps = [b[0] - a[0] for a, b in pairwise(rows)]
    rate = 1 / median(gaps) if rate > 0 else rate
    dither = (0, 3, -5, 8, -2, 6, -7)
    samples = [
        RawSample(t, CELL.counts((g + BOARD_G) / 2), CELL.counts((g + BOARD_G) / 2) + dither[i % 7])
        for i, (t, g) in enumerate(rows)
    ]
    return follow(samples, rows, rate)


def quiet_spans(rows: list[tuple[float, float]], seconds: float = 5.0) -> list[tuple[float, float]]:
    """Where the medians of five samples stay within a few grams for so long."""
    medians = [(rows[i][0], median(g for _, g in rows[max(0, i - 2) : i + 3])) for i in range(len(rows))]
    spans: list[tuple[float, float]] = []
    start = 0
    for i in range(len(medians)):
        while max(g for _, g in medians[start : i + 1]) - min(g for _, g in medians[start : i + 1]) > STEP_G:
            if medians[i - 1][0] - medians[start][0] >= seconds and (not spans or medians[i - 1][0] > spans[-1][1]):
                spans.append((medians[start][0], medians[i - 1][0]))
            start += 1
    if medians[-1][0] - medians[start][0] >= seconds:
        spans.append((medians[start][0], medians[-1][0]))
    return spans


def within(t: float, spans: list[tuple[float, float]]) -> bool:
    """Whether t lies in a span that began long enough before for anything earlier to be over."""
    return any(a + 3.5 < t < b for a, b in spans)


def covered_s(spans: list[tuple[float, float]]) -> float:
    total, end = 0.0, float("-inf")
    for a, b in sorted(spans):
        total += max(0.0, b - max(a, end))
        end = max(end, b)
    return total


def test_real_scales_at_rest_give_no_false_event(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared / "data" / "real_loads"
    false, seconds = 0, 0.0
    for name in (*PI_LOGS, *COFFEE_LOGS):
        got = one_cell(folder / name)
        quiet = quiet_spans(got.rows)
        seconds += covered_s(quiet)
        wrong = [e for e in got.told if within(e.t, quiet)]
        false += len(wrong)
    with capsys.disabled():
        print(f"\nreal logs: {false} false events in {seconds / 3600:.2f} quiet hours")
    assert seconds > 1800
    assert false == 0


@pytest.mark.parametrize("name", ["coffee_coldstart.csv", "coffee_startup.csv", "bench_83sps.csv"])
def test_a_log_in_which_nothing_happens_has_neither_event_nor_fault(shared: Path, name: str) -> None:
    got = one_cell(shared / "data" / "real_loads" / name)
    assert not got.events
    assert not got.faults


def test_the_steps_of_a_brew_are_found_with_their_weight(shared: Path) -> None:
    got = one_cell(shared / "data" / "real_loads" / "coffee_brew.csv")
    steps = [e for e in got.told if e.kind is LoadEventKind.PLACE]
    assert not got.faults
    times = [t for t, _ in got.rows]
    for event in steps:
        i, j = bisect_left(times, event.t_contact - 8), bisect_right(times, event.t_contact - 4)
        before = median(g for _, g in got.rows[i:j])
        k = bisect_left(times, event.t - 0.3)
        after = median(g for _, g in got.rows[k : k + 5])
        assert event.mass_g is not None
        assert after - before > 0.5 * event.mass_g
    assert 52 < (steps[0].mass_g or 0) < 53.5


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("pi_bitbang_04.csv", "low erratic"),
        ("pi_bitbang_05.csv", "low erratic"),
        ("pi_bitbang_08.csv", "low stuck"),
    ],
)
def test_the_faults_of_real_readers_are_named(shared: Path, name: str, fault: str) -> None:
    got = one_cell(shared / "data" / "real_loads" / name)
    assert fault in got.faults


@pytest.mark.parametrize("name", ["pi_bitbang_03.csv", "pi_bitbang_06.csv", "pi_bitbang_07.csv", "pi_bitbang_09.csv"])
def test_lone_spikes_and_resets_of_less_than_half_a_second_are_no_fault(shared: Path, name: str) -> None:
    got = one_cell(shared / "data" / "real_loads" / name)
    assert max(g for _, g in got.rows) > 700
    assert max(b[0] - a[0] for a, b in pairwise(got.rows)) > 0.4
    assert not got.faults


def two_cells(path: Path) -> Followed:
    rows: list[tuple[float, float]] = []
    samples: list[RawSample] = []
    last: dict[str, float] = {}
    start = None
    for line in path.read_text().splitlines()[1:]:
        when, side, kg = line.split(",")
        start = float(when) if start is None else start
        last[side] = float(kg) * 10.0
        t = float(when) - start
        if len(last) == 2 and (not samples or t > samples[-1].t + 0.02):
            samples.append(RawSample(t, CELL.counts(last["Left"]), CELL.counts(last["Right"])))
            rows.append((t, last["Left"] + last["Right"]))
            last = {}
    return follow(samples, rows, 1 / median(b.t - a.t for a, b in pairwise(samples)))


@pytest.mark.parametrize("name", TWO_CELLS)
def test_people_who_shift_their_weight_make_no_sphere_and_garbage_makes_no_load(shared: Path, name: str) -> None:
    got = two_cells(shared / "data" / "real_loads" / name)
    assert max(total for _, total in got.rows) > 5000  # the garbage is there
    assert not [e for e in got.told if e.mass_g is not None and e.mass_g > 60]
    quiet = quiet_spans(got.rows)
    assert not [e for e in got.told if within(e.t, quiet)]
