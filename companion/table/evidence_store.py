"""The evidence of a log on the disk: one file a ruling, in a folder beside the log, within a budget.

A thread of its own writes, so that a slow disk keeps nobody waiting. A file is written under another name and then
renamed: whenever the program or the power dies, each is there whole or not at all.
"""

import contextlib
import os
import queue
import threading
from pathlib import Path

from companion.table.evidence_case import Case

BUDGET_BYTES = 500_000_000
"""About a hundred games: a ruling takes some 100 kB."""
STOP_S = 10.0


def evidence_folder(log: Path) -> Path:
    """Where the evidence of a log is kept: `demo.evidence` beside `demo.db`."""
    return log.with_name(f"{log.stem}.evidence")


def evidence_file(folder: Path, seq: int) -> Path:
    """The file with the evidence for event `seq`."""
    return folder / f"{seq:06}.zip"


def kept(folder: Path) -> dict[int, Path]:
    """The events that there is evidence for, oldest first, with their files."""
    files = folder.glob("*.zip") if folder.is_dir() else ()
    return {int(file.stem): file for file in sorted(files) if file.stem.isdigit()}


class EvidenceStore:
    """Keeps the evidence of one log. `save` and `protect` may be called from any thread."""

    def __init__(self, folder: Path, budget_bytes: int = BUDGET_BYTES) -> None:
        self.folder = folder
        self._budget = budget_bytes
        self._sizes: dict[int, int] | None = None
        self._protected = (0, frozenset[int]())
        self._jobs: queue.SimpleQueue[Case | None] = queue.SimpleQueue()
        self._problem: str | None = None
        self._thread = threading.Thread(target=self._work, name="evidence", daemon=True)
        self._thread.start()

    @property
    def problem(self) -> str | None:
        """Why the last piece of evidence could not be saved, None if it was."""
        return self._problem

    def protect(self, from_seq: int, seqs: frozenset[int] = frozenset()) -> None:
        """Events from `from_seq` on (the current game) and `seqs` (open questions) keep their evidence in any case."""
        self._protected = (from_seq, seqs)

    def save(self, case: Case) -> None:
        """Saves it soon; `problem` says if that failed."""
        self._jobs.put(case)

    def close(self) -> None:
        """Saves what is still to be saved, and ends."""
        self._jobs.put(None)
        self._thread.join(timeout=STOP_S)

    def _work(self) -> None:
        while (case := self._jobs.get()) is not None:
            try:
                self._write(case)
                self._problem = None
            except OSError as error:
                self._problem = f"{error.filename or self.folder}: {error.strerror or error}"

    def _write(self, case: Case) -> None:
        if self._sizes is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            for left in self.folder.glob("*.part"):
                left.unlink(missing_ok=True)
            self._sizes = {seq: file.stat().st_size for seq, file in kept(self.folder).items()}
        content = case.to_bytes()
        self._make_room(len(content))
        file = evidence_file(self.folder, case.seq)
        part = file.with_suffix(".part")
        try:
            with part.open("wb") as opened:
                opened.write(content)
                opened.flush()
                os.fsync(opened.fileno())
            part.replace(file)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        self._sizes[case.seq] = len(content)

    def _make_room(self, wanted: int) -> None:
        """Removes the oldest that is not protected until the new piece fits, or nothing is left that may go."""
        assert self._sizes is not None
        total = sum(self._sizes.values()) + wanted
        from_seq, seqs = self._protected
        for seq in sorted(self._sizes):
            if total <= self._budget:
                return
            if seq < from_seq and seq not in seqs:
                evidence_file(self.folder, seq).unlink(missing_ok=True)
                total -= self._sizes.pop(seq)
