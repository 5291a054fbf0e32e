"""`verify`: is a log whole?"""

import contextlib
import sqlite3
from pathlib import Path

import click

from companion.commands.output import json_option, print_json, stdout
from companion.errors import BadInput
from companion.log import EventLog
from companion.log import verify as verify_log
from companion.log.database import APPLICATION_ID

SQLITE_HEAD = b"SQLite format 3\0"
"""How every SQLite file begins (SQLite's file format)."""


@click.command()
@click.argument("log_file", metavar="LOG", type=click.Path(path_type=Path))
@json_option
def verify(log_file: Path, as_json: bool) -> int:
    """Check the chain of a log: nothing missing, nothing changed. Exit 1 if something is.

    Two things cannot be noticed from the file alone: events missing at the very end, and a log in use or cut off that
    was copied without the -wal file beside it, which holds its newest events. So compare the number of events too.
    """
    _refuse_what_is_no_log(log_file)
    problems = verify_log(log_file)
    events = None if problems else _events(log_file)
    if as_json:
        told = [{"seq": problem.seq, "what": problem.what} for problem in problems]
        print_json({"log": str(log_file), "whole": not problems, "events": events, "problems": told})
    for problem in () if as_json else problems:
        stdout.print(str(problem), markup=False)
    if not as_json and not problems:
        stdout.print(f"{log_file}: {events} event{'' if events == 1 else 's'}, whole", markup=False)
    return 1 if problems else 0


def _events(log_file: Path) -> int:
    """In a whole log they are numbered from 1 on without a gap."""
    with EventLog.read(log_file) as log:
        return log.last_seq


def _refuse_what_is_no_log(file: Path) -> None:
    """A file that never was a log is a mistake in the command, not a broken log."""
    try:
        with file.open("rb") as opened:
            head = opened.read(len(SQLITE_HEAD))
    except OSError as error:
        raise BadInput(
            f"{file}: cannot be read ({error.strerror}); give the log of a table, such as demo.db"
        ) from error
    if head != SQLITE_HEAD:
        raise BadInput(f"{file}: is no log; give the log of a table, such as demo.db")
    if _is_strangers(file):
        raise BadInput(f"{file}: is a database of another program; give the log of a table, such as demo.db")


def _is_strangers(file: Path) -> bool:
    """Asked through SQLite, as in a log in use the newest truth lies beside the file. False where it cannot be told."""
    try:
        with contextlib.closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    except (sqlite3.Error, UnicodeDecodeError):
        return False
    return bool(application != APPLICATION_ID and (application or tables))
