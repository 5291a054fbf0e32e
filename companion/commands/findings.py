"""What the doctor finds, and how it looks at the computer itself."""

import os
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from companion.table.settings import TableSettings

OLDEST_PYTHON = (3, 11)
OLDEST_OPENCV = (4, 11)
FREE_MB = 200
"""A match takes less than one; a log that cannot grow loses the game."""
SLOW_SYNC_S = 0.5
"""An event waits for the disk. A good SD card takes 0.01 to 0.05 s; from here on a ruling comes late."""
SYNCS = 5
SYNC_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: a part, whether it is all right, what there is or what is wrong, and what to do about it."""

    part: str
    ok: bool
    what: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.part}: {'ok' if self.ok else 'WRONG'}: {self.what}{'. ' if self.remedy else ''}{self.remedy}"


Check = Callable[[TableSettings | None], Sequence[Finding]]
"""Looks at one part of a table; None where no table was given."""


def python_version(_: TableSettings | None) -> list[Finding]:
    """Is this Python new enough?"""
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info[:2] >= OLDEST_PYTHON
    return [
        Finding("Python", ok, version, "" if ok else f"Install Python {OLDEST_PYTHON[0]}.{OLDEST_PYTHON[1]} or newer.")
    ]


def opencv(_: TableSettings | None) -> list[Finding]:
    """Can pictures be read?"""
    remedy = "Install it with: pip install opencv-python-headless"
    try:
        import cv2
    except Exception as error:
        return [Finding("OpenCV", False, f"cannot be used ({' '.join(str(error).split())})", remedy)]
    ok = tuple(int(n) for n in cv2.__version__.split(".")[:2]) >= OLDEST_OPENCV
    return [Finding("OpenCV", ok, cv2.__version__, "" if ok else f"{remedy}>={OLDEST_OPENCV[0]}.{OLDEST_OPENCV[1]}")]


def pins(settings: TableSettings | None) -> list[Finding]:
    """Are there GPIO pins? Only a table with something on them needs any."""
    needed = settings is not None and (bool(settings.panel) or settings.load_source == "gpio")
    try:
        import gpiozero

        there_before = gpiozero.Device.pin_factory
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells of each kind of pins that it could not use
            gpiozero.Device.ensure_pin_factory()
        factory = gpiozero.Device.pin_factory
        kind = type(factory).__name__
        if there_before is None and factory is not None:
            factory.close()
            gpiozero.Device.pin_factory = None
        return [Finding("GPIO pins", True, f"gpiozero uses {kind}")]
    except Exception as error:
        if not needed:
            return [Finding("GPIO pins", True, "none on this computer, and none are needed")]
        why = " ".join(str(error).split()) or type(error).__name__
        remedy = "On a Raspberry Pi install them with: sudo apt install python3-lgpio"
        return [Finding("GPIO pins", False, f"none on this computer, but the table has parts on them ({why})", remedy)]


def log_folder(folder: Path, clock: Callable[[], float] = time.perf_counter) -> Check:
    """Has the log's folder room, and is its disk fast enough?"""

    def check(_: TableSettings | None) -> list[Finding]:
        there = next(f for f in (folder, *folder.absolute().parents) if f.is_dir())
        try:
            free_mb = shutil.disk_usage(there).free / 1e6
            sync_s = _sync_s(there, clock)
        except OSError as error:
            why = f"{there} cannot be written ({error.strerror or error})"
            return [Finding("disk", False, why, "Make it writable, or keep the log elsewhere (--log-folder).")]
        what = f"{there}: {free_mb / 1000:.1f} GB free, {1000 * sync_s:.0f} ms to save"
        if free_mb < FREE_MB:
            return [Finding("disk", False, what, f"Free {FREE_MB} MB at least.")]
        if sync_s > SLOW_SYNC_S:
            return [Finding("disk", False, what, "Use a faster SD card or a USB disk: every event waits for it.")]
        return [Finding("disk", True, what)]

    return check


def _sync_s(folder: Path, clock: Callable[[], float]) -> float:
    """How long it usually takes until something small is surely on the disk."""
    times = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(SYNCS):
            began = clock()
            file.write(bytes(SYNC_BYTES))
            file.flush()
            os.fsync(file.fileno())
            times.append(clock() - began)
    return statistics.median(times)
