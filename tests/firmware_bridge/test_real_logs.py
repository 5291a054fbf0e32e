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

from firmware_bridge.cell_health import DROPOUT_S, DROPOUT_TOLD_S, DROPOUT_WAIT_S, SILENCE_S
from firmware_bridge.conditioning import Conditioner
from firmware_bridge.events import LoadEvent, LoadEventKind
from firmware_bridge.faults import explanation
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


def one_cell_rows(path: Path) -> list[tuple[float, float]]:
    lines = [line.split(",") for line in path.read_text().split() if line[0].isdigit()]
    in_ms = path.name.startswith("bench")
    return [(float(t) * (1e-3 if in_ms else 1.0), float(g)) for t, g in lines]


def one_cell(path: Path) -> Followed:
    rows = one_cell_rows(path)
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
def test_lone_spikes_and_resets_of_less_than_half_a_second_blind_no_cell(shared: Path, name: str) -> None:
    got = one_cell(shared / "data" / "real_loads" / name)
    assert max(g for _, g in got.rows) > 700
    assert max(b[0] - a[0] for a, b in pairwise(got.rows)) > 0.4
    assert not [fault for fault in got.faults if explanation(fault).blinds]


@dataclass
class Cared:
    """What the conditioning alone makes of a log: faults that began, by time; notices; and what came out."""

    faults: list[tuple[float, str]]
    notices: set[str]
    left_out: int
    believed: list[tuple[float, float]]
    """Time, and grams on the low cell."""

    @property
    def named(self) -> set[str]:
        return {fault.removeprefix("low ").removeprefix("high ") for _, fault in self.faults}


def cared_for(samples: list[RawSample], rate: float) -> Cared:
    conditioner = Conditioner(LoadCells(CELL, CELL, rate, 6.0))
    result, before = Cared([], set(), 0, []), frozenset[str]()
    for sample in samples:
        loads = conditioner.feed(sample)
        now = frozenset(conditioner.faults + conditioner.weaknesses)
        result.faults += [(sample.t, fault) for fault in sorted(now - before)]
        result.notices.update(conditioner.notices)
        before = now
        if loads is not None:
            result.left_out += loads.low is None or loads.high is None
            if loads.low is not None:
                result.believed.append((loads.t, loads.low))
    return result


def of_one_chip(path: Path) -> tuple[list[RawSample], list[tuple[float, float]], float]:
    """The log as that of the low cell: what moves goes half to either side, what stands out alone is its own."""
    rows = one_cell_rows(path)
    rate = 1 / median(b[0] - a[0] for a, b in pairwise(rows))
    dither = (0, 30, -50, 80, -20, 60, -70)
    samples = []
    for i, (t, g) in enumerate(rows):
        half = (median(x for _, x in rows[max(0, i - 1) : i + 2]) + BOARD_G) / 2
        samples.append(RawSample(t, CELL.counts(g + BOARD_G - half), CELL.counts(half) + dither[i % 7]))
    return samples, rows, rate


@dataclass(frozen=True)
class Holds:
    """What is in a log, the faults that must be named, and what may be named as well."""

    what: str
    must: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()


RESETS = frozenset({"dropouts"})
GARBAGE = frozenset({"dropouts", "erratic"})
BELOW_NOTHING = frozenset({"spikes", "reversed", "below zero"})
LOGS = {
    "coffee_brew.csv": Holds("a brew: a dripper set down, water poured"),
    "coffee_coldstart.csv": Holds("10 minutes of warming up"),
    "coffee_startup.csv": Holds("half a minute of rest"),
    "bench_83sps.csv": Holds("10 s of shaking at 83/s"),
    "pi_bitbang_01.csv": Holds("a Pi timed in Python, handled: 5 resets", RESETS, frozenset({"spikes"})),
    "pi_bitbang_02.csv": Holds("4 resets", RESETS),
    "pi_bitbang_03.csv": Holds("2 resets, one spike of 51 kg", RESETS),
    "pi_bitbang_04.csv": Holds("garbage to -2 kg, 217 resets in 150 s", GARBAGE, BELOW_NOTHING),
    "pi_bitbang_05.csv": Holds("the same again", GARBAGE, BELOW_NOTHING),
    "pi_bitbang_06.csv": Holds("1 reset, a press of 8 kg, a spike of 4", RESETS),
    "pi_bitbang_07.csv": Holds("4 resets", RESETS),
    "pi_bitbang_08.csv": Holds("4 resets, and 15 s stuck at 8.3 kg", RESETS | {"stuck"}),
    "pi_bitbang_09.csv": Holds("3 resets, a spike of 4 kg", RESETS),
    "two_cells_1.csv": Holds("people shift their weight; serial garbage"),
    "two_cells_2.csv": Holds("the same; serial garbage"),
    "two_cells_3.csv": Holds("the same; serial garbage"),
}


def test_log_by_log_what_is_in_it_is_named_and_nothing_else(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, lines = shared / "data" / "real_loads", list[str]()
    wrong: list[object] = []
    for name, holds in LOGS.items():
        if name in TWO_CELLS:
            samples, rows = two_cells_rows(folder / name)
            rate, got = 1 / median(b.t - a.t for a, b in pairwise(samples)), two_cells(folder / name)
        else:
            samples, rows, rate = of_one_chip(folder / name)
            got = one_cell(folder / name)
        cared, quiet = cared_for(samples, rate), quiet_spans(rows)
        false = [e for e in got.told if within(e.t, quiet)]
        resets = [b[0] for a, b in pairwise(rows) if DROPOUT_S < b[0] - a[0] <= SILENCE_S]
        named_at = [t for t, fault in cared.faults if "dropouts" in fault]
        unnamed = [
            t for t in resets if not any(t - DROPOUT_TOLD_S - 0.1 <= at <= t + DROPOUT_WAIT_S + 0.1 for at in named_at)
        ]
        lines.append(
            f"{name:22}{holds.what:42}{covered_s(quiet) / 3600:5.2f} h quiet, {len(false)} false; {len(got.told)} told;"
            f" {cared.left_out:3} left out; {len(resets)} resets; named: {', '.join(sorted(cared.named)) or 'nothing'};"
            f" noticed: {', '.join(sorted(cared.notices)) or 'nothing'}"
        )
        if false or not holds.must <= cared.named <= holds.must | holds.may:
            wrong.append((name, false, cared.faults))
        if unnamed and not holds.must & {"erratic", "stuck"}:
            wrong.append((name, unnamed, named_at))
    with capsys.disabled():
        print("", *lines, sep="\n")
    assert wrong == []


@pytest.mark.parametrize("name", ["pi_bitbang_03.csv", "pi_bitbang_06.csv", "pi_bitbang_09.csv"])
def test_a_lone_spike_of_kilograms_never_becomes_a_load(shared: Path, name: str) -> None:
    samples, rows, rate = of_one_chip(shared / "data" / "real_loads" / name)
    spikes = {
        rows[i][0]
        for i in range(1, len(rows) - 1)
        if rows[i][1] > 3000 and max(rows[i - 1][1], rows[i + 1][1]) < 0.2 * rows[i][1]
    }
    believed = cared_for(samples, rate).believed
    assert spikes
    assert not spikes & {t for t, _ in believed}
    assert len(believed) > 0.9 * len(rows)


@pytest.mark.parametrize("name", TWO_CELLS)
def test_garbage_on_a_serial_line_is_noticed_as_a_spike_and_left_out(shared: Path, name: str) -> None:
    samples, _ = two_cells_rows(shared / "data" / "real_loads" / name)
    cared = cared_for(samples, 1 / median(b.t - a.t for a, b in pairwise(samples)))
    assert {notice.split()[1] for notice in cared.notices} == {"spikes"}
    assert not [g for _, g in cared.believed if g > 5000]


def two_cells_rows(path: Path) -> tuple[list[RawSample], list[tuple[float, float]]]:
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
    return samples, rows


def two_cells(path: Path) -> Followed:
    samples, rows = two_cells_rows(path)
    return follow(samples, rows, 1 / median(b.t - a.t for a, b in pairwise(samples)))


@pytest.mark.parametrize("name", TWO_CELLS)
def test_people_who_shift_their_weight_make_no_sphere_and_garbage_makes_no_load(shared: Path, name: str) -> None:
    got = two_cells(shared / "data" / "real_loads" / name)
    assert max(total for _, total in got.rows) > 5000  # the garbage is there
    assert not [e for e in got.told if e.mass_g is not None and e.mass_g > 60]
    quiet = quiet_spans(got.rows)
    assert not [e for e in got.told if within(e.t, quiet)]
