"""Looks a log over: is the file sound, is the chain whole, is every event as it was written?"""

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from companion.log.database import DAMAGE, BadLog, connect_to_read, one_line, schema
from companion.log.events import FIRST_PREVIOUS
from companion.log.store import COLUMNS, read_row


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a log; `seq` is the event that it is about, None if it is about the file as a whole."""

    path: Path
    seq: int | None
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def verify(path: Path | str) -> list[Problem]:
    """Everything that is wrong with a log, empty if nothing is. The log may be in use meanwhile.

    Events missing at the very end cannot be noticed from the file alone: a chain has no last link.
    """
    path = Path(path)
    try:
        connection = connect_to_read(path)
    except BadLog as error:
        return [Problem(path, None, str(error).removeprefix(f"{path}: "))]
    problems = []
    try:
        # One transaction, so that all checks see the same log while it is being written.
        connection.execute("BEGIN")
        problems += _damage(path, connection)
        problems += _schema_changes(path, connection)
        problems += _broken_links(path, connection)
    except DAMAGE as error:
        problems.append(Problem(path, None, f"the file is damaged: {one_line(error)}"))
    finally:
        connection.close()
    return problems


def _damage(path: Path, connection: sqlite3.Connection) -> list[Problem]:
    found = [one_line(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    return [Problem(path, None, f"the file is damaged: {text}") for text in found if text != "ok"]


def _schema_changes(path: Path, connection: sqlite3.Connection) -> list[Problem]:
    """The guards against changing events may have been taken away by hand."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    with contextlib.closing(sqlite3.connect(":memory:")) as fresh:
        for number in range(1, version + 1):
            fresh.executescript(schema(number))
        should, is_so = (dict(c.execute("SELECT name, sql FROM sqlite_schema")) for c in (fresh, connection))
    changed = sorted(name for name in should.keys() | is_so.keys() if should.get(name) != is_so.get(name))
    return [Problem(path, None, f"{name} in the file is not as this program made it") for name in changed]


def _broken_links(path: Path, connection: sqlite3.Connection) -> list[Problem]:
    problems = []
    seq, previous = 0, FIRST_PREVIOUS
    for row in connection.execute(f"SELECT {COLUMNS} FROM event ORDER BY seq"):
        _, problem = read_row(row, seq, previous)
        if problem is not None:
            problems.append(Problem(path, row[0] if row[0] == seq + 1 else seq + 1, problem))
        seq, previous = row[0], row[-1]
    return problems
