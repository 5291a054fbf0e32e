"""The file of Try 4's games as SQLite sees it: opened with care, made and brought up to date where needed."""

import sqlite3
from importlib import resources
from pathlib import Path

from companion.log.database import BUSY_S, BadLog, LogNotSaved, one_line

APPLICATION_ID = 0x54525934
"""Marks an SQLite file as games of Try 4 ("TRY4")."""
FORMAT = 1
"""Number of the newest schema file."""


def connect_to_games(path: Path) -> sqlite3.Connection:
    """A connection to a file of games of the newest format, made if there is none; raises BadLog or LogNotSaved."""
    if path.exists() and not path.is_file():
        raise BadLog(f"{path}: this is no file, so it holds no games")
    try:
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise LogNotSaved(f"{path}: cannot be opened for writing: {one_line(error)}") from None
    try:
        _prepare(path, connection)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise LogNotSaved(f"{path}: cannot be opened for writing: {one_line(error)}") from None
        if isinstance(error, sqlite3.Error | UnicodeDecodeError):
            raise BadLog(f"{path}: these are no games of Try 4, or damaged ones: {one_line(error)}") from None
        raise
    return connection


def _prepare(path: Path, connection: sqlite3.Connection) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if (application, version, tables) != (0, 0, 0):
        if application != APPLICATION_ID:
            raise BadLog(f"{path}: this is a file of another program, not games of Try 4")
        if version > FORMAT:
            raise BadLog(f"{path}: a newer version wrote this file (format {version}; this one reads up to {FORMAT})")
        damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if damage != "ok":
            raise BadLog(f"{path}: the file is damaged: {one_line(damage)}; move it away to begin anew")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    for number in range(version + 1, FORMAT + 1):
        sql = resources.files("companion.log").joinpath(f"try4_{number:03}.sql").read_text(encoding="utf-8")
        marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number};"
        connection.executescript(f"BEGIN IMMEDIATE; {sql}; {marks} COMMIT;")
