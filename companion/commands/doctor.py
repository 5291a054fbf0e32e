"""`doctor`: every part of a table, in order, one line each."""

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path

import click

from companion.commands.camera_checks import CAMERA_FAULTS, camera, simulated_camera
from companion.commands.computer import look_at_computer
from companion.commands.computer_checks import AFTER, BEFORE
from companion.commands.computer_faults import COMPUTER_FAULTS, computer_with
from companion.commands.findings import Finding, absent, wrong
from companion.commands.output import FiniteFloat, json_option, print_json, stderr, stdout
from companion.commands.panel_checks import PANEL_FAULTS, panel, simulated_panel
from companion.commands.reader_checks import READER_FAULTS, health_with, reader_findings
from companion.commands.run_session import EMPTY_BOARD
from companion.errors import BadInput, SenryakuError
from companion.simulator.bench import Bench
from companion.simulator.bench_faults import FAULT_NAMES, with_fault
from companion.table.data_folder import data_folder
from companion.table.pin_table import PANEL_PINS
from companion.table.settings import TableSettings, WebSettings, read_settings
from companion.table.sources import load_source
from firmware_bridge.diagnosis import CellReport, Diagnosis, diagnose
from firmware_bridge.link_reader import LinkHealth
from firmware_bridge.readers import LoadSource, SimulatedReader
from firmware_bridge.samples import RawSample

START_S = 20.0
"""A reader may take so long until its first sample."""
NO_BOARD_G = 80.0
"""What weighs less in all is no board."""
FAULTS = (*COMPUTER_FAULTS, *PANEL_FAULTS, *READER_FAULTS, *FAULT_NAMES, *CAMERA_FAULTS)
"""All that `--simulated --fault` can break."""


@click.command()
@click.argument("table_file", metavar="[TABLE.toml]", required=False, type=click.Path(path_type=Path))
@click.option("--seconds", type=FiniteFloat(5, 600), default=10.0, help="How long to watch the load cells (10).")
@click.option("--log-folder", "folder", type=click.Path(path_type=Path), help="Where the event log is kept.")
@click.option("--simulated", is_flag=True, help="Look at a simulated table and computer instead.")
@click.option("--fault", metavar="NAME", help=f"With --simulated, what is wrong: {', '.join(FAULTS)}.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="With --simulated: which table.")
@json_option
def doctor(
    table_file: Path | None,
    seconds: float,
    folder: Path | None,
    simulated: bool,
    fault: str | None,
    seed: int,
    as_json: bool,
) -> int:
    """Check every part, one line each: ok, not there, or what is wrong and what to do. Exit 1 if something is wrong.

    Leave the board alone meanwhile. Without a table only the computer itself is checked.
    """
    if simulated and table_file is not None:
        raise BadInput(f"doctor: --simulated looks at a table of its own: leave {table_file} out")
    if fault is not None and not simulated:
        raise BadInput("--fault breaks a simulated table only: give --simulated too")
    if fault is not None and fault not in FAULTS:
        raise BadInput(f"fault {fault!r} is not one of {', '.join(FAULTS)}")
    findings: list[Finding] = []
    looks = _simulated(fault, seed, seconds) if simulated else _real(table_file, folder or data_folder(), seconds)
    for finding in looks:
        findings.append(finding)
        if not as_json:
            stdout.print(str(finding), style=None if finding.ok else "bold red", markup=False)
    ok = all(finding.ok for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": [finding.to_json() for finding in findings]})
    return 0 if ok else 1


def _real(table_file: Path | None, folder: Path, seconds: float) -> Iterator[Finding]:
    settings = None if table_file is None else read_settings(table_file)
    empty = None if table_file is None else table_file.parent / EMPTY_BOARD
    computer = look_at_computer(folder)
    yield from (check(computer, settings) for check in BEFORE)
    yield panel(settings)
    yield from load_cells(settings, seconds)
    yield from camera(settings, empty if empty is not None and empty.is_file() else None, time.monotonic)
    yield from (check(computer, settings) for check in AFTER)


def _simulated(fault: str | None, seed: int, seconds: float) -> Iterator[Finding]:
    """The same checks on a table made of software, with one thing wrong or none."""
    bench = Bench(seed, spheres=True)
    settings = simulated_table(bench, fault)
    computer = computer_with(fault if fault in COMPUTER_FAULTS else None)
    samples = with_fault(bench, fault, bench.cells, seed) if fault in FAULT_NAMES else bench
    health = health_with(settings.load_source, fault if fault in READER_FAULTS else None)
    yield from (check(computer, settings) for check in BEFORE)
    yield simulated_panel(settings, fault)
    yield from _of_loads(settings, SimulatedReader(samples if health.connected else ()), seconds, lambda: health)
    yield from simulated_camera(fault if fault in CAMERA_FAULTS else None, seed)
    yield from (check(computer, settings) for check in AFTER)


def simulated_table(bench: Bench, fault: str | None) -> TableSettings:
    """A table with a part of every kind; read by a Pico where the fault is one of the Pico."""
    return TableSettings(
        "Simulated table",
        cells=bench.cells,
        load_source="pico" if fault in READER_FAULTS else "gpio",
        panel=dict(PANEL_PINS),
        web=WebSettings("0.0.0.0", trusted_hosts=("table1.local",)),
    )


def load_cells(settings: TableSettings | None, seconds: float) -> list[Finding]:
    """How the load cells and what reads them are doing, watched for so long."""
    part = "load cells"
    if settings is None:
        return [absent(part, "not looked at, give the table's table.toml for that")]
    if settings.load_source == "none":
        return [absent(part, 'this table has none ([load_cells] source is "none")')]
    try:
        source = load_source(settings)
    except SenryakuError as error:
        return [wrong(part, str(error), "Set it right in table.toml.")]
    stderr.print(f"Watching the load cells for {seconds:g} s; leave the board alone.", markup=False)
    return _of_loads(settings, source, seconds, lambda: getattr(source, "health", None))


def _of_loads(
    settings: TableSettings, source: LoadSource, seconds: float, health: Callable[[], LinkHealth | None]
) -> list[Finding]:
    try:
        found = diagnose(_watched(source, seconds), settings.cells)
        how = health()
    finally:
        source.close()
    silent = not found.low.rate_hz and not found.high.rate_hz
    of_reader = reader_findings(settings.load_source, how, silent)
    if silent and any(not finding.ok for finding in of_reader):
        return [*of_reader, absent("load cells", "not looked at: nothing comes from their reader")]
    return [*of_reader, *findings_of(found)]


def findings_of(found: Diagnosis) -> list[Finding]:
    """A line for each cell, and one for what concerns both."""
    lines = [_of_cell(report) for report in (found.low, found.high)]
    lines += [Finding("load cells", False, *fault) for fault in found.pair_faults]
    if all(line.ok for line in lines):
        total = found.load_g or 0.0
        board = (
            f"{total:.0f} g on them, both the right way up"
            if total >= NO_BOARD_G
            else "no board on them, so which way up they are cannot be told"
        )
        lines.append(Finding("load cells", True, board))
    return lines


def _of_cell(report: CellReport) -> Finding:
    part = f"{report.name} load cell"
    if not report.faults:
        return Finding(part, True, str(report))
    what = "; ".join(what for what, _ in report.faults)
    return Finding(part, False, f"{what} ({report})", " ".join(remedy for _, remedy in report.faults))


def _watched(samples: Iterable[RawSample], seconds: float) -> Iterable[RawSample]:
    """So many seconds from the first reading on; a source that never gives one is not waited for much longer."""
    begun: float | None = None
    first: float | None = None

    def more(sample: RawSample) -> bool:
        nonlocal begun, first
        first = sample.t if first is None else first
        if begun is None and (sample.low is not None or sample.high is not None):
            begun = sample.t
        return sample.t < first + START_S if begun is None else sample.t < begun + seconds

    return (s for s in takewhile(more, samples) if begun is not None)
