"""A backup: one zip file with every log of a folder as it stood at one moment, its evidence, and the table's settings.

backup.json            format, time, and for each log its number of events
logs/NAME.db           a whole log, copied through SQLite, so also while a table writes to it
evidence/NAME/N.zip    what was seen and felt at event N
table/NAME             table.toml, empty.jpg and other files of the table's folder
"""

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from companion.errors import BadInput, SenryakuError
from companion.log import EventLog, verify
from companion.log.lock import WriterLock
from companion.log.try4_file import APPLICATION_ID as TRY4
from companion.table.evidence_store import evidence_folder

FORMAT = 1
ABOUT = "backup.json"
MARK = "last-backup.json"
"""In the folder of the logs: when they were copied last."""
LEARNED = ".balance.json"
"""What a table has learned of its balance, beside its log."""
TABLE_FILES = (".toml", ".jpg", ".png")
BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside a log in use; of another log it would spoil the one put in its place."""


class BadBackup(BadInput):
    """A file that is no backup, or a broken one."""


class CannotCopy(SenryakuError, OSError):
    """A backup cannot be written, or its files cannot be put in place."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What went into a backup or came out of one: events (of Try 4: games) by the log's file name."""

    file: Path
    events: dict[str, int]
    evidence: int = 0


def last_backup(folder: Path) -> float | None:
    """When the logs of a folder were copied away last (seconds since 1970); None for never."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return float(json.loads((folder / MARK).read_text(encoding="utf-8"))["time"])
    return None


def write_backup(folder: Path, target: Path, table_file: Path | None, now: float, evidence: bool = True) -> Copied:
    """Copies all logs of `folder` into the zip file `target`, reads it back, and notes the time in the folder.

    The file is whole or not there. Raises BadInput for a log that is not whole or where there is none, `CannotCopy`.
    """
    logs = sorted(folder.glob("*.db")) if folder.is_dir() else []
    if not logs:
        raise BadInput(f"{folder}: holds no log, so there is nothing to back up")
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            copied = _write(part, logs, table_file, now, evidence, Path(scratch))
        _sync(part)
        with zipfile.ZipFile(part) as archive:
            broken = archive.testzip()
        if broken is not None:
            raise CannotCopy(f"{target}: {broken} does not read back as it was written; try another disk")
        part.replace(target)
        _sync(target.parent)
        with contextlib.suppress(OSError):  # logs on a disk that can only be read are backed up all the same
            _note(folder, now)
    except (OSError, sqlite3.Error, zipfile.BadZipFile) as error:
        if isinstance(error, SenryakuError):
            raise
        raise CannotCopy(f"{target}: cannot be written ({_why(error)})") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return Copied(target, copied[0], copied[1])


def _write(
    part: Path, logs: list[Path], table_file: Path | None, now: float, evidence: bool, scratch: Path
) -> tuple[dict[str, int], int]:
    events: dict[str, int] = {}
    pieces = 0
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for log in logs:
            copy = scratch / log.name
            events[log.name] = _copy_log(log, copy)
            archive.write(copy, f"logs/{log.name}")
            copy.unlink()
            for piece in sorted(evidence_folder(log).glob("*.zip")) if evidence else ():
                archive.write(piece, f"evidence/{log.stem}/{piece.name}", zipfile.ZIP_STORED)
                pieces += 1
        for file in sorted(logs[0].parent.glob(f"*{LEARNED}")):
            archive.write(file, f"learned/{file.name}")
        for file in sorted(table_file.parent.iterdir()) if table_file is not None else ():
            if file.is_file() and file.suffix in TABLE_FILES:
                archive.write(file, f"table/{file.name}")
        about = {"format": FORMAT, "time": now, "logs": events}
        archive.writestr(ABOUT, json.dumps(about, indent=1))
    return events, pieces


def _copy_log(log: Path, copy: Path) -> int:
    """Copies a log that may be in use, and gives how many events it holds. Raises BadInput if it is not whole."""
    with (
        contextlib.closing(sqlite3.connect(f"{log.resolve().as_uri()}?mode=ro", uri=True)) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
    return _events(copy, log.name)


def _events(copy: Path, name: str) -> int:
    """How many events a log holds, or games a file of Try 4's games. Raises `BadBackup` if it is not whole."""
    with contextlib.closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as file:
        try:
            if file.execute("PRAGMA application_id").fetchone()[0] == TRY4:
                damage = file.execute("PRAGMA integrity_check(1)").fetchone()[0]
                if damage != "ok":
                    raise BadBackup(f"{name}: is damaged: {' '.join(damage.split())}")
                return int(file.execute("SELECT count(*) FROM game").fetchone()[0])
        except sqlite3.DatabaseError as error:
            raise BadBackup(f"{name}: is not whole: {_why(error)}") from error
    problems = verify(copy)
    if problems:
        raise BadBackup(f"{name}: is not whole: {problems[0].what}; `senryaku verify` lists all that is wrong")
    with EventLog.read(copy) as log:
        return log.last_seq


def read_backup(archive: Path, folder: Path, table_folder: Path | None, replace: bool) -> Copied:
    """Puts a backup's logs into `folder`, and its table files into `table_folder` where that is given.

    Nothing is put in place before every log in it is found whole. A log that is there already stays, unless `replace`:
    then it is kept beside as NAME.db.before. Raises `BadBackup`, `CannotCopy`, or LogInUse where a table runs.
    """
    if not archive.is_file():
        raise BadBackup(f"{archive}: there is no such file; give one that `senryaku backup` has made")
    try:
        with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(archive) as opened:
            about = _about(archive, opened)
            names = [_safe(archive, info.filename) for info in opened.infolist() if not info.is_dir()]
            opened.extractall(scratch)
            found = Path(scratch)
            events = {log.name: _events(log, log.name) for log in sorted((found / "logs").glob("*.db"))}
            if events != about["logs"]:
                raise BadBackup(f"{archive}: holds {events}, and not the events that it says: {about['logs']}")
            folder.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as held:
                for name in events:
                    held.callback(_held(folder / name, replace).release)
                for name in events:
                    _put_log(found / "logs" / name, folder / name)
                pieces = _put_rest(found, names, folder, table_folder)
    except (zipfile.BadZipFile, EOFError) as error:
        raise BadBackup(f"{archive}: is no backup, or a broken one ({_why(error)})") from error
    except OSError as error:
        if isinstance(error, SenryakuError):
            raise
        place = error.filename or archive
        raise CannotCopy(f"{place}: cannot be restored ({_why(error)})") from error
    return Copied(archive, events, pieces)


def _about(archive: Path, opened: zipfile.ZipFile) -> dict[str, Any]:
    try:
        about = json.loads(opened.read(ABOUT))
        form = about["format"]
        if not isinstance(about["logs"], dict):
            raise TypeError
    except (KeyError, ValueError, TypeError) as error:
        raise BadBackup(f"{archive}: is no backup of this program (no {ABOUT} in it)") from error
    if form != FORMAT:
        raise BadBackup(f"{archive}: is a backup of format {form}; this version reads format {FORMAT}")
    return dict(about)


def _safe(archive: Path, name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name:
        raise BadBackup(f"{archive}: {name!r} lies outside of the backup")
    return name


def _held(log: Path, replace: bool) -> WriterLock:
    """Keeps tables away from a log meanwhile. Raises where it is there and may not be replaced, or is in use."""
    if log.exists() and not replace:
        raise CannotCopy(f"{log}: is there already; restore into another folder, or say --replace (it is kept beside)")
    return WriterLock(log)


def _put_log(found: Path, log: Path) -> None:
    if log.exists():
        for suffix in ("", *BESIDE):
            old = log.with_name(log.name + suffix)
            if old.exists():
                old.replace(log.with_name(f"{log.name}.before{suffix}"))
    fresh = log.with_name(log.name + ".part")
    shutil.copyfile(found, fresh)
    _sync(fresh)
    fresh.replace(log)
    _sync(log.parent)


def _put_rest(found: Path, names: list[str], folder: Path, table_folder: Path | None) -> int:
    pieces = 0
    for name in names:
        parts = PurePosixPath(name).parts
        if parts[0] == "evidence" and len(parts) == 3:
            target = evidence_folder(folder / f"{parts[1]}.db") / parts[2]
            pieces += 1
        elif parts[0] == "learned" and len(parts) == 2 and parts[1].endswith(LEARNED):
            target = folder / parts[1]
        elif parts[0] == "table" and len(parts) == 2 and table_folder is not None:
            target = table_folder / parts[1]
            if target.exists():
                target.replace(target.with_name(target.name + ".before"))
        else:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found / name, target)
    return pieces


def _note(folder: Path, now: float) -> None:
    fresh = folder / f".{MARK}.part"
    fresh.write_text(json.dumps({"time": now}), encoding="utf-8")
    _sync(fresh)
    fresh.replace(folder / MARK)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _why(error: Exception) -> str:
    return " ".join(str(getattr(error, "strerror", None) or error).split())
