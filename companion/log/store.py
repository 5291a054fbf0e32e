"""The log's events: read in order with their chain checked, and appended by one writer, safe on the disk at once."""

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from companion.errors import BadInput
from companion.log.database import (
    BadLog,
    LogNotSaved,
    connect_to_read,
    connect_to_write,
    make_folder,
    one_line,
    reading,
    transaction,
)
from companion.log.events import FIRST_PREVIOUS, Entry, Event, canonical_json, chained, digest_of
from companion.log.kinds import check_event
from companion.log.lock import LogInUse, WriterLock

COLUMNS = "seq, time, kind, origin, payload, digest"


class LogReader:
    """A log opened only for reading, also while another process writes to it. Safe to use from many threads."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Use `EventLog.read` or `EventLog.open`."""
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()

    def events(self, after: int = 0) -> list[Event]:
        """All events with a sequence number above `after`, in order.

        The chain is checked on the way; raises BadLog naming the first event that is not as it was written.
        """
        with self._lock, reading(self.path):
            last = self._connection.execute("SELECT seq, digest FROM event WHERE seq = ?", (after,)).fetchone()
            found = self._connection.execute(f"SELECT {COLUMNS} FROM event WHERE seq > ? ORDER BY seq", (after,))
            rows = found.fetchall()
        seq, previous = last or (0, FIRST_PREVIOUS)
        events = []
        for row in rows:
            event, problem = read_row(row, seq, previous)
            if event is None or problem:
                raise BadLog(f"{self.path}: {problem}; `senryaku verify` lists all that is wrong")
            events.append(event)
            seq, previous = event.seq, event.digest
        return events

    @property
    def last_seq(self) -> int:
        """The sequence number of the last event, 0 for none."""
        with self._lock, reading(self.path):
            return int(self._connection.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0])

    def close(self) -> None:
        """Closes the file; once is enough."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class EventLog(LogReader):
    """A log opened for writing. There is one writer at a time; its threads take turns."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock) -> None:
        """Use `EventLog.open`."""
        super().__init__(path, connection)
        self._writer = lock
        self._closed = False
        self._head: tuple[int, str] | None = None
        """Sequence number and digest of the last event; None where they have to be looked up."""

    @classmethod
    def open(cls, path: Path | str) -> "EventLog":
        """Opens a log for writing, and makes it (and its folder) where there is none.

        Raises LogInUse if somebody else writes to it, BadLog for a file that is no log, is from a newer version or is
        damaged, and LogNotSaved if the place cannot be written to.
        """
        path = Path(path)
        if path.is_dir():
            raise BadLog(f"{path}: is a folder; a log is a file, such as demo.db")
        try:
            make_folder(path.parent)
            lock = WriterLock(path)
        except LogInUse:
            raise
        except OSError as error:
            raise LogNotSaved(f"{path}: the log cannot be opened for writing: {error.strerror or error}") from None
        with contextlib.ExitStack() as undo:
            undo.callback(lock.release)
            connection = connect_to_write(path)
            undo.callback(connection.close)
            log = cls(path, connection, lock)
            log.events()  # refuses a broken chain
            undo.pop_all()
        return log

    @staticmethod
    def read(path: Path | str) -> LogReader:
        """Opens a log for reading only; raises BadLog for a file that is no log, is missing or from a newer version."""
        path = Path(path)
        return LogReader(path, connect_to_read(path))

    def append(self, time: float, kind: str, origin: str, payload: Mapping[str, Any]) -> Event:
        """Writes one event; when this returns it survives a power cut. `time` is in seconds since 1970.

        Raises BadInput for an event that is not as its kind must be, LogNotSaved if it could not be saved.
        """
        return self.append_all([Entry(time, kind, origin, payload)])[0]

    def append_all(self, entries: Iterable[Entry | tuple[float, str, str, Mapping[str, Any]]]) -> list[Event]:
        """Writes several events, all of them or none. Raises like `append`."""
        wanted = [Entry(*entry) for entry in entries]
        with self._lock:
            if self._closed:
                raise LogNotSaved(f"{self.path}: the log is closed")
            # Looked up anew unless all goes well: after an error only the file knows what is in it.
            head, self._head = self._head, None
            try:
                with transaction(self._connection):
                    seq, previous = head or self._look_up_head()
                    events = []
                    for entry in wanted:
                        events.append(chained(previous, seq + 1, entry))
                        seq, previous = events[-1].seq, events[-1].digest
                    self._connection.executemany(
                        f"INSERT INTO event ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
                        [(e.seq, e.time, e.kind, e.origin, canonical_json(e.payload), e.digest) for e in events],
                    )
            except sqlite3.Error as error:
                raise LogNotSaved(f"{self.path}: the log could not be saved: {one_line(error)}") from error
            self._head = (seq, previous)
            return events

    def _look_up_head(self) -> tuple[int, str]:
        row = self._connection.execute("SELECT seq, digest FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        return row or (0, FIRST_PREVIOUS)

    def close(self) -> None:
        """Closes the file and lets the next writer in; once is enough."""
        with self._lock:
            self._closed = True
            super().close()
            self._writer.release()


def read_row(row: tuple[Any, ...], last_seq: int, previous: str) -> tuple[Event | None, str | None]:
    """The event in a row that stands after event `last_seq`, and what is wrong there, None if nothing is."""
    seq, time, kind, origin, text, digest = row
    try:
        payload = json.loads(text)
        event = Event(seq, time, kind, origin, payload, digest)
        if seq != last_seq + 1:
            gap = f"event {last_seq + 1} is" if seq == last_seq + 2 else f"events {last_seq + 1} to {seq - 1} are"
            return event, f"{gap} missing"
        if text != canonical_json(payload) or digest != digest_of(previous, seq, Entry(time, kind, origin, payload)):
            return event, f"event {seq} was changed: it does not match its digest and that of the event before"
        check_event(kind, origin, payload)
    except (BadInput, TypeError, ValueError, RecursionError) as error:
        return None, f"event {seq} cannot be read: {one_line(error)}"
    return event, None
