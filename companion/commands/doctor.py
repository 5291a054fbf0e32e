"""`doctor`: every part of a table, one line each."""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import click

from companion.commands.findings import Check, Finding, log_folder, opencv, pins, python_version
from companion.commands.output import json_option, print_json, stderr, stdout
from companion.errors import BadInput, SenryakuError
from companion.simulator.bench import Bench
from companion.simulator.bench_faults import FAULT_NAMES, with_fault
from companion.table.data_folder import data_folder
from companion.table.settings import TableSettings, read_settings
from companion.table.sources import load_source
from firmware_bridge.diagnosis import CellReport, Diagnosis, diagnose
from firmware_bridge.gpio_process import NORMAL
from firmware_bridge.readers import LoadSource, SimulatedReader
from firmware_bridge.samples import RawSample

START_S = 20.0
"""A reader may take so long until its first sample."""
NO_BOARD_G = 80.0
"""What weighs less in all is no board."""


@click.command()
@click.argument("table_file", metavar="[TABLE.toml]", required=False, type=click.Path(path_type=Path))
@click.option("--seconds", type=click.FloatRange(5, 600), default=10.0, help="How long to watch the load cells (10).")
@click.option("--log-folder", "folder", type=click.Path(path_type=Path), help="Where the event log is kept.")
@click.option("--simulated", is_flag=True, help="Watch simulated load cells instead.")
@click.option("--fault", metavar="NAME", help=f"With --simulated, what is wrong: {', '.join(FAULT_NAMES)}.")
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
    """Check every part, one line each: ok, or what is wrong and what to do. Exit 1 if something is wrong.

    Leave the board alone meanwhile. Without a table only the computer itself is checked.
    """
    if fault is not None and not simulated:
        raise BadInput("--fault breaks simulated load cells only: give --simulated too")
    settings = None if table_file is None else read_settings(table_file)
    source = _simulated(seed, fault) if simulated else None
    checks: Sequence[Check] = (
        *general_checks(folder or data_folder()),
        lambda table: load_cells(table, source, seconds),
    )
    findings: list[Finding] = []
    for check in checks:
        for finding in check(settings):
            findings.append(finding)
            if not as_json:
                stdout.print(str(finding), style=None if finding.ok else "bold red", markup=False)
    ok = all(finding.ok for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": [finding.to_json() for finding in findings]})
    return 0 if ok else 1


def general_checks(folder: Path) -> tuple[Check, ...]:
    """What every computer is asked."""
    return python_version, opencv, pins, log_folder(folder)


def computer_findings(folder: Path, settings: TableSettings) -> list[dict[str, Any]]:
    """What the computer itself is found to be like, as JSON values; the table's parts are busy with their game."""
    return [finding.to_json() for check in general_checks(folder) for finding in check(settings)]


def load_cells(
    settings: TableSettings | None, simulated: tuple[TableSettings, LoadSource] | None, seconds: float
) -> list[Finding]:
    """How the load cells are doing, watched for so long."""
    part = "load cells"
    if simulated is not None:
        settings, source = simulated
    elif settings is None:
        return [Finding(part, True, "not looked at, give the table's table.toml for that")]
    elif settings.load_source == "none":
        return [Finding(part, True, 'this table has none ([load_cells] source is "none")')]
    else:
        try:
            source = load_source(settings)
        except SenryakuError as error:
            return [Finding(part, False, str(error), "Set it right in table.toml.")]
        stderr.print(f"Watching the load cells for {seconds:g} s; leave the board alone.", markup=False)
    try:
        found = diagnose(_watched(source, seconds), settings.cells)
        health = getattr(source, "health", None)
        trouble: str | None = getattr(health, "trouble", None)
        version: str | None = getattr(health, "version", None)
    finally:
        source.close()
    if trouble is not None and not found.low.rate_hz and not found.high.rate_hz:
        remedy = "Check that it is plugged in, and the source and pins under [load_cells] in table.toml."
        return [
            Finding(
                part, False, f"nothing comes from the {settings.load_source} reader: {trouble.rstrip('.?!')}", remedy
            )
        ]
    return [*findings_of(found), *_of_reader(version)]


def _of_reader(version: str | None) -> list[Finding]:
    """Which reader it is; one on a normal priority loses up to half of the samples once the computer is busy."""
    if version is None:
        return []
    if f"at {NORMAL} priority" in version:
        remedy = "Allow it: LimitRTPRIO=25 in its service, or a line `USER - rtprio 25` in /etc/security/limits.conf."
        return [Finding("load-cell reader", False, f"{version}: it may not run at real-time priority", remedy)]
    return [Finding("load-cell reader", True, version)]


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


def _simulated(seed: int, fault: str | None) -> tuple[TableSettings, LoadSource]:
    bench = Bench(seed, spheres=True)
    samples = bench if fault is None else with_fault(bench, fault, bench.cells, seed)
    return TableSettings("Simulated table", cells=bench.cells), SimulatedReader(samples)
