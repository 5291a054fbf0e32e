"""One writer to a log: a lock that the system itself releases when the process that holds it dies."""

import fcntl
import os
import threading
from pathlib import Path

from companion.errors import SenryakuError

_held: dict[Path, int] = {}
"""Lock files that this process holds, with the process id: a record lock does not refuse the process that has it."""
_guard = threading.Lock()


class LogInUse(SenryakuError, OSError):
    """Another process, or another part of this one, writes to the log."""


class WriterLock:
    """Holds `NAME.lock` beside the log, with the process id in it for people and messages.

    A record lock (`lockf`) and not `flock`, because a child process that outlives a killed table must not keep it. The
    file stays when the lock is released: removing it would let two openers lock two different files of that name.
    Raises LogInUse, or OSError if the file cannot be made.
    """

    def __init__(self, log: Path) -> None:
        self._path = log.with_name(log.name + ".lock").resolve()
        with _guard:
            # A record lock goes when any handle of its file is closed, so a file that is held is not opened again.
            if _held.get(self._path) == os.getpid():
                raise LogInUse(f"{log}: this process (pid {os.getpid()}) writes to this log already")
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                holder = _holder(self._file)
                os.close(self._file)
                raise LogInUse(f"{log}: {holder} writes to this log; stop it first, or use another log") from None
            except OSError:
                os.close(self._file)
                raise
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)
            _held[self._path] = os.getpid()

    def release(self) -> None:
        """Lets go; once is enough."""
        with _guard:
            if _held.pop(self._path, None) is not None:
                os.ftruncate(self._file, 0)
                os.close(self._file)


def _holder(file: int) -> str:
    pid = os.pread(file, 20, 0).decode("ascii", "replace").strip()
    return f"the process with pid {pid}" if pid.isdigit() else "another process"
