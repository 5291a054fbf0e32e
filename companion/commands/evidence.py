"""`evidence`: what a ruling was based on, as one file for an appeal."""

import os
from pathlib import Path

import click

from companion.commands.output import json_option, print_json, stdout
from companion.errors import BadInput
from companion.log import Event, EventLog
from companion.table.evidence_case import Case
from companion.table.evidence_lookup import case_for
from companion.table.evidence_page import page
from companion.table.evidence_store import evidence_folder, kept


@click.command()
@click.argument("log_file", metavar="LOG", type=click.Path(path_type=Path))
@click.argument("seq", metavar="[SEQ]", type=click.IntRange(min=1), required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The zip file to write.")
@json_option
def evidence(log_file: Path, seq: int | None, output: Path | None, as_json: bool) -> None:
    """Export what a ruling was based on: pictures, loads, the explanations with their odds, the rule.

    SEQ is the number of its event in LOG. The zip that is written holds a page to read, index.html. Without SEQ the
    events are listed that there is evidence for.
    """
    with EventLog.read(log_file) as log:
        events = {event.seq: event for event in log.events()}
    folder = evidence_folder(log_file)
    if seq is None:
        if output is not None:
            raise BadInput("-o needs SEQ, the number of an event; without it the events are only listed")
        _list(events, folder, as_json)
        return
    case = _case(log_file, events, folder, seq)
    output = output or Path(f"evidence-{seq}.zip")
    _write(output, case.to_bytes({"index.html": page(case)}))
    if as_json:
        print_json({"event": seq, "says": case.about["says"], "file": str(output)})
    else:
        stdout.print(f"{output}: {case.about['says']}", markup=False)


def _case(log_file: Path, events: dict[int, Event], folder: Path, seq: int) -> Case:
    if seq not in events:
        raise BadInput(f"{log_file}: there is no event {seq}; its events are 1 to {len(events)}")
    return case_for(folder, events[seq])


def _list(events: dict[int, Event], folder: Path, as_json: bool) -> None:
    found = [events[seq] for seq in kept(folder) if seq in events]
    if as_json:
        print_json([{"event": event.seq, "kind": event.kind, "time": event.time} for event in found])
        return
    for event in found:
        what = event.payload.get("move") or event.payload.get("termination") or event.payload.get("about") or ""
        stdout.print(f"{event.seq:6}  {event.kind.replace('_', ' '):10} {what}", markup=False)
    if not found:
        stdout.print(f"{folder}: no evidence is kept here", markup=False)


def _write(file: Path, content: bytes) -> None:
    """Raises BadInput where it cannot be written, or is there already."""
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(handle, "wb") as opened:
            opened.write(content)
    except FileExistsError as error:
        raise BadInput(f"{file}: is there already; name another file with -o") from error
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror or error}") from error
