"""`traces`: both loads as they come, for setting up a table."""

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import click
from rich.console import Group
from rich.live import Live
from rich.text import Text

from companion.commands.output import FiniteFloat, stderr, stdout
from companion.commands.trace_plot import braille, span_of
from companion.errors import BadInput
from companion.simulator.table import SimulatedTable
from companion.table.pacing import paced
from companion.table.refereeing import wells_mm
from companion.table.settings import TableSettings, read_settings
from companion.table.sources import load_source
from firmware_bridge.events import LoadEvent, LoadState
from firmware_bridge.faults import REMEDIES
from firmware_bridge.readers import LoadSource, RecordingReader, SimulatedReader
from firmware_bridge.samples import RawSample
from firmware_bridge.tracker import LoadTracker

WIDTH, HEIGHT = 60, 4
LABELS, LEAST_WIDTH = 17, 8
"""Of one curve, in characters: 12 s, as there is a state every 0.1 s."""
LEAST_SPAN_G = 4.0
"""A curve is not drawn larger than this, or noise would look like a storm."""
EVENTS = 6


@click.command()
@click.argument("what", metavar="[TABLE.toml|LOAD.csv]", required=False, type=click.Path(path_type=Path))
@click.option("--table", "table_file", type=click.Path(path_type=Path), help="With LOAD.csv: the table it comes from.")
@click.option("--simulated", is_flag=True, help="A simulated table on which a game is played.")
@click.option("--seconds", type=FiniteFloat(min=0.1), help="Stop after so long.")
@click.option("--speed", type=FiniteFloat(min=0.01), default=1.0, help="Times real time, but for a real table.")
def traces(what: Path | None, table_file: Path | None, simulated: bool, seconds: float | None, speed: float) -> int:
    """Watch the loads of a table, or of a recorded load log, live. Ctrl-C ends it. Exit 1 if no sample came."""
    settings, source = _open(what, table_file, simulated)
    samples: Iterable[RawSample] = source
    if simulated or (what is not None and _is_log(what)):
        samples = (s for s in paced(source, speed, time.monotonic, time.sleep) if isinstance(s, RawSample))
    trace = Trace(settings, LoadTracker(settings.cells, wells_mm=wells_mm(settings)))
    try:
        _show(trace, samples if seconds is None else _first(samples, seconds))
    finally:
        source.close()
    if not trace.came:
        trouble = getattr(getattr(source, "health", None), "trouble", None)
        stderr.print(f"Not one sample came{f': {trouble}' if trouble else ''}", markup=False)
    return 0 if trace.came else 1


@dataclass(slots=True)
class Trace:
    """What is shown: the loads of the last seconds, and what happened. Give it every sample."""

    settings: TableSettings
    tracker: LoadTracker
    state: LoadState | None = None
    low: deque[float | None] = field(default_factory=lambda: deque(maxlen=2 * WIDTH))
    high: deque[float | None] = field(default_factory=lambda: deque(maxlen=2 * WIDTH))
    events: deque[str] = field(default_factory=lambda: deque(maxlen=EVENTS))
    came: bool = False
    """Whether either cell has given anything."""
    _faults: tuple[str, ...] = ()

    def take(self, sample: RawSample) -> list[str]:
        """Lines about what has just happened: load events, and faults that begin or end."""
        said: list[str] = []
        self.came = self.came or sample.low is not None or sample.high is not None
        for item in self.tracker.feed(sample):
            if isinstance(item, LoadEvent):
                said.append(_event(item))
                continue
            self.state = item
            self.low.append(item.low_g)
            self.high.append(item.high_g)
            said += [
                f"{item.t:9.2f} s  {fault}: {REMEDIES[fault]}" for fault in item.faults if fault not in self._faults
            ]
            said += [f"{item.t:9.2f} s  no longer {fault}" for fault in self._faults if fault not in item.faults]
            self._faults = item.faults
        self.events.extend(said)
        return said

    def picture(self) -> Group:
        """The curves, the numbers, and the last lines."""
        lines = []
        width = max(LEAST_WIDTH, min(WIDTH, stdout.width - LABELS))
        for name, values in (("low", self.low), ("high", self.high)):
            lowest, highest = span_of(values, LEAST_SPAN_G)
            for i, line in enumerate(braille(values, width, HEIGHT, LEAST_SPAN_G)):
                scale = highest if i == 0 else lowest if i == HEIGHT - 1 else None
                label = name if i == 1 else ""
                lines.append(f"{label:5}{'' if scale is None else f'{scale:.1f} g':>10} {line}")
        return Group(*map(Text, lines), *(Text(line, overflow="fold") for line in (self.numbers(), *self.events)))

    def numbers(self) -> str:
        """Loads, margin and what holds right now, in one line."""
        state = self.state
        if state is None:
            return "nothing has come yet"
        parts = [f"low {_grams(state.low_g)}", f"high {_grams(state.high_g)}", f"total {_grams(state.total_g)}"]
        parts.append(f"margin {self._margin(state)}")
        for holds, word in ((state.tipped, "TIPPED"), (state.touching, "touched"), (state.settled, "still")):
            if holds:
                parts.append(word)
        return "  ".join((*parts, *state.faults))

    def _margin(self, state: LoadState) -> str:
        spacing = self.settings.cells.half_spacing_mm
        if spacing is None:
            return "not known (calibrate first)"
        if state.low_g is None or state.high_g is None or not state.total_g or state.total_g < 1:
            return "none"
        return f"{spacing - abs(spacing * (state.high_g - state.low_g) / state.total_g):.2f} mm"


def _show(trace: Trace, samples: Iterable[RawSample]) -> None:
    """In a terminal the curves move; elsewhere a line for each thing that happens, and the curves at the end."""
    if not stdout.is_terminal:
        for sample in samples:
            for line in trace.take(sample):
                stdout.print(line, markup=False)
        stdout.print(trace.picture())
        return
    with Live(console=stdout, get_renderable=trace.picture, refresh_per_second=10):
        for sample in samples:
            trace.take(sample)


def _open(what: Path | None, table_file: Path | None, simulated: bool) -> tuple[TableSettings, LoadSource]:
    if simulated and (what is not None or table_file is not None):
        raise BadInput(f"traces: --simulated has a table of its own: leave {what or table_file} out")
    if simulated:
        table = SimulatedTable(frames_per_second=0)
        known = table.settings
        samples = (item for item in table if isinstance(item, RawSample))
        return TableSettings("Simulated table", known.grid, known.axis, cells=known.cells), SimulatedReader(samples)
    if what is None:
        raise BadInput("traces: give a TABLE.toml or a LOAD.csv, or --simulated")
    if _is_log(what):
        if table_file is None:
            raise BadInput(f"{what}: a load log needs its table's calibration: give --table TABLE.toml")
        return read_settings(table_file), RecordingReader(what)
    if table_file is not None:
        raise BadInput(f"traces: {what} is a table itself: --table goes with a LOAD.csv")
    settings = read_settings(what)
    return settings, load_source(settings)


def _is_log(file: Path) -> bool:
    return file.suffix.lower() == ".csv"


def _first(samples: Iterable[RawSample], seconds: float) -> Iterable[RawSample]:
    begun: list[float] = []

    def early(sample: RawSample) -> bool:
        begun.append(sample.t) if not begun else None
        return sample.t < begun[0] + seconds

    return takewhile(early, samples)


def _event(event: LoadEvent) -> str:
    mass = "" if event.mass_g is None else f" {event.mass_g:.1f} g"
    place = "" if event.p_mm is None else f" at {event.p_mm:+.1f} mm"
    place += "" if event.to_p_mm is None else f" to {event.to_p_mm:+.1f} mm"
    return f"{event.t:9.2f} s  {event.kind.value}{mass}{place}"


def _grams(grams: float | None) -> str:
    return "none" if grams is None else f"{grams:.1f} g"
