"""What a table's balance has taught, kept in a file beside its log: board and spheres, and every player's hand.

Written by a thread of its own under another name and then renamed, so that the file is whole whenever the program or
the power dies, and a slow disk keeps nobody waiting.
"""

import contextlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.balance import Hand, Learned
from companion.errors import BadInput

VERSION = 1
STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class Kept:
    """What was learned of a table: its board and spheres (None before the first game), hands by player's name."""

    learned: Learned | None = None
    hands: Mapping[str, Hand] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a file: `from_json` reads them."""
        return {
            "version": VERSION,
            "learned": None if self.learned is None else self.learned.to_json(),
            "hands": {name: hand.to_json() for name, hand in self.hands.items()},
        }

    @classmethod
    def from_json(cls, value: Any) -> "Kept":
        """Reads what `to_json` wrote; raises BadInput."""
        try:
            if value["version"] != VERSION:
                raise BadInput(f"version is {value['version']!r}; this program writes and reads {VERSION}")
            learned = None if value["learned"] is None else Learned.from_json(value["learned"])
            return cls(learned, {str(name): Hand.from_json(hand) for name, hand in value["hands"].items()})
        except (KeyError, TypeError, AttributeError) as error:
            raise BadInput(f"it lacks what was learned of a table: {error!r}") from None


def balance_file(log: Path) -> Path:
    """Where it is kept: `demo.balance.json` beside `demo.db`."""
    return log.with_name(f"{log.stem}.balance.json")


def read_kept(file: Path) -> Kept:
    """What was kept; nothing where there is no file yet. Raises BadInput naming the file where it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Kept()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: cannot be read: {error}") from None
    try:
        return Kept.from_json(json.loads(text))
    except (json.JSONDecodeError, BadInput) as error:
        raise BadInput(f"{file}: {error}; without this file the table learns anew") from None


def write_kept(file: Path, kept: Kept) -> None:
    """Writes it so that the old file or the new one is there whole at any moment. Raises OSError."""
    part = file.with_name(file.name + ".part")
    try:
        with part.open("w", encoding="utf-8") as opened:
            json.dump(kept.to_json(), opened, allow_nan=False)
            opened.flush()
            os.fsync(opened.fileno())
        part.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):  # a file system that cannot do this has renamed all the same
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class BalanceKeeper:
    """Keeps one table's file up to date: only the newest counts, so what is overtaken is never written."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._changed = threading.Condition()
        self._newest: Kept | None = None
        self._closed = False
        self._problem: str | None = None
        self._thread = threading.Thread(target=self._work, name="balance file", daemon=True)
        self._thread.start()

    @property
    def problem(self) -> str | None:
        """Why it could not be written last time, None if it was."""
        return self._problem

    def keep(self, kept: Kept) -> None:
        """Writes it soon; never waits for the disk."""
        with self._changed:
            self._newest = kept
            self._changed.notify()

    def close(self) -> None:
        """Writes what is still to be written, and ends."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(timeout=STOP_S)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._newest is not None)
                kept, self._newest = self._newest, None
                if kept is None:
                    return
            try:
                write_kept(self.file, kept)
                self._problem = None
            except OSError as error:
                self._problem = f"{error.filename or self.file}: {error.strerror or error}"
