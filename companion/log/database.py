"""The log's file as SQLite sees it: opened with care, made and brought up to date where needed."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from companion.errors import BadInput, SenryakuError

APPLICATION_ID = 0x53454E52
"""Marks an SQLite file as a log of this program ("SENR")."""

FORMAT = 1
"""Number of the newest schema file; PRAGMA user_version says up to which one a file has been brought."""

BUSY_S = 5.0
"""How long to wait for somebody who looks into the file with another program, seconds."""


DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file may raise; the second where the damage is in a text, also that of SQLite's message."""


class BadLog(BadInput):
    """A file that is no log, is from a newer version, or has been damaged or changed."""


class LogNotSaved(SenryakuError, OSError):
    """Something could not be written to the log. Nothing of it counts as having happened."""


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A read-only connection to a log; raises BadLog."""
    if not path.is_file():
        raise BadLog(f"{path}: there is no such log")
    with reading(path):
        try:
            return _checked_connection(path, "mode=ro")
        except sqlite3.OperationalError as error:
            # On a medium that cannot be written to, SQLite can read only what needs no help files beside it.
            if (error.sqlite_errorcode & 0xFF) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            wal = path.with_name(path.name + "-wal")
            if wal.is_file() and wal.stat().st_size:
                raise BadLog(
                    f"{path}: some events are still in {wal.name}; copy both files to a folder that can be written to"
                ) from None
            return _checked_connection(path, "mode=ro&immutable=1")


def _checked_connection(path: Path, how: str) -> sqlite3.Connection:
    connection = _connect(path, how)
    try:
        _refuse_strangers(path, connection, empty_is_new=False)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?{how}", uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )


def connect_to_write(path: Path) -> sqlite3.Connection:
    """A connection to a log of the newest format, made if there is none; raises BadLog or LogNotSaved."""
    if path.exists() and not path.is_file():
        raise BadLog(f"{path}: this is no file, so it holds no log")
    is_new = not path.exists()
    try:
        connection = _connect(path, "mode=rwc")
    except sqlite3.Error as error:
        raise LogNotSaved(f"{path}: the log cannot be opened for writing: {one_line(error)}") from None
    try:
        _refuse_strangers(path, connection, empty_is_new=True)
        damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if damage != "ok":
            raise BadLog(f"{path}: the file is damaged: {one_line(damage)}; `senryaku verify` lists all that is wrong")
        _prepare(connection)
        if is_new:
            _sync_folder(path.parent)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError | OSError):
            raise LogNotSaved(f"{path}: the log cannot be opened for writing: {one_line(error)}") from None
        if isinstance(error, DAMAGE):
            raise BadLog(f"{path}: this is no log, or a damaged one: {one_line(error)}") from None
        raise
    return connection


def one_line(report: object) -> str:
    """What SQLite says, or quotes from a damaged file, may have several lines; a message of ours has one."""
    return " ".join(str(report).split())


def _refuse_strangers(path: Path, connection: sqlite3.Connection, empty_is_new: bool) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if (application, version, tables) == (0, 0, 0):
        # Also what is left when the power goes while a log is being made.
        if not empty_is_new:
            raise BadLog(f"{path}: the file is empty and holds no log")
    elif application != APPLICATION_ID:
        raise BadLog(f"{path}: this is a database of another program, not a log")
    elif version > FORMAT:
        raise BadLog(f"{path}: a newer version wrote this log (format {version}; this version reads up to {FORMAT})")


@cache
def schema(number: int) -> str:
    """The SQL that brings a log from the format before to this one."""
    return resources.files("companion.log").joinpath(f"schema_{number:03}.sql").read_text(encoding="utf-8")


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    for number in range(version + 1, FORMAT + 1):
        marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number};"
        connection.executescript(f"BEGIN IMMEDIATE; {schema(number)}; {marks} COMMIT;")
    # A file that may only be read is found out now and not at the first ruling.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is done inside happens, or nothing of it. Raises what happens inside, and sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # After some errors SQLite has rolled back by itself.
        with contextlib.suppress(sqlite3.Error):
            connection.rollback()
        raise


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns SQLite's errors while reading into one line that names the file."""
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:
        raise BadLog(f"{path}: the log cannot be read: {one_line(error)}") from None
    except DAMAGE as error:
        raise BadLog(f"{path}: this is no log, or a damaged one: {one_line(error)}") from None


def make_folder(folder: Path) -> None:
    """Makes a folder and those above it, so that they are still there after a power cut. Raises OSError."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        _sync_folder(made.parent)


def _sync_folder(folder: Path) -> None:
    """Makes the folder's entries survive a power cut, which a file's own sync does not."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
