"""What the doctor knows of the computer: facts, read once here at the edge; `computer_checks` judges them."""

import contextlib
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.commands.backup_files import last_backup
from companion.errors import SenryakuError
from companion.log import EventLog

SYNCS, SYNC_BYTES = 5, 4096
BROWSERS = ("chromium", "chromium-browser", "firefox", "firefox-esr", "google-chrome")
ASK_S = 5.0
"""A program that is asked something and does not answer by then says nothing."""


@dataclass(frozen=True, slots=True)
class Computer:
    """Facts about one computer; None or empty where it does not say.

    `gpio_chips`: the kernel's GPIO devices, `gpio_allowed` whether this user may use them. `realtime`: the highest
    real-time priority this user may take. `life_used`, `disk_errors`: what the card and its file system own up to.
    `clock_set`: by the network since it started. Times in seconds since 1970.
    """

    python: tuple[int, int, int] = (3, 13, 5)
    opencv: str = ""
    opencv_trouble: str = ""
    model: str = ""
    gpio_chips: tuple[str, ...] = ()
    gpio_allowed: bool = True
    pin_factory: str = ""
    pin_trouble: str = ""
    realtime: int = 0
    undervoltage: bool | None = None
    hot_c: float | None = None
    folder: Path = Path()
    disk_trouble: str = ""
    free_mb: float = 0.0
    sync_s: float = 0.0
    life_used: float | None = None
    disk_errors: int | None = None
    now: float = 0.0
    clock_set: bool | None = None
    last_event: float | None = None
    name: str = ""
    announced: bool = False
    browser: str = ""
    backup: float | None = None

    @property
    def is_pi(self) -> bool:
        return "Raspberry Pi" in self.model


def look_at_computer(folder: Path, clock: Callable[[], float] = time.perf_counter) -> Computer:
    """Reads all of it; takes up to a second or two. `folder` is where logs are kept; it need not be there yet."""
    opencv, opencv_trouble = _opencv()
    pin_factory, pin_trouble = _pin_factory()
    chips = sorted(Path("/dev").glob("gpiochip*"))
    there, disk_trouble, free_mb, sync_s = _disk(folder, clock)
    return Computer(
        python=sys.version_info[:3],
        opencv=opencv,
        opencv_trouble=opencv_trouble,
        model=_text("/proc/device-tree/model"),
        gpio_chips=tuple(chip.name for chip in chips),
        gpio_allowed=all(os.access(chip, os.R_OK | os.W_OK) for chip in chips),
        pin_factory=pin_factory,
        pin_trouble=pin_trouble,
        realtime=_realtime(),
        undervoltage=_undervoltage(),
        hot_c=_hot_c(),
        folder=there,
        disk_trouble=disk_trouble,
        free_mb=free_mb,
        sync_s=sync_s,
        life_used=_life_used(),
        disk_errors=_disk_errors(there),
        now=time.time(),
        clock_set=_clock_set(),
        last_event=_last_event(folder),
        name=socket.gethostname(),
        announced=Path("/run/avahi-daemon/pid").exists(),
        browser=next((name for name in BROWSERS if shutil.which(name)), ""),
        backup=last_backup(folder),
    )


def _opencv() -> tuple[str, str]:
    try:
        import cv2
    except Exception as error:
        return "", _one_line(error)
    return str(cv2.__version__), ""


def _pin_factory() -> tuple[str, str]:
    """What gpiozero uses, or why it has nothing. It is left as it was."""
    try:
        import gpiozero

        there_before = gpiozero.Device.pin_factory
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells of each kind of pins that it could not use
            gpiozero.Device.ensure_pin_factory()
        factory = gpiozero.Device.pin_factory
        if there_before is None and factory is not None:
            factory.close()
            gpiozero.Device.pin_factory = None
    except Exception as error:
        return "", _one_line(error)
    return type(factory).__name__, ""


def _realtime() -> int:
    highest = 99
    limit = highest if os.geteuid() == 0 else resource.getrlimit(resource.RLIMIT_RTPRIO)[0]
    return highest if limit == resource.RLIM_INFINITY else int(limit)


def _undervoltage() -> bool | None:
    """The Pi's own watch over its 5 V (kernel driver raspberrypi-hwmon)."""
    for monitor in Path("/sys/class/hwmon").glob("hwmon*"):
        if _text(monitor / "name") == "rpi_volt":
            return _text(monitor / "in0_lcrit_alarm") == "1"
    return None


def _hot_c() -> float | None:
    text = _text("/sys/class/thermal/thermal_zone0/temp")
    return int(text) / 1000 if text.lstrip("-").isdigit() else None


def _disk(folder: Path, clock: Callable[[], float]) -> tuple[Path, str, float, float]:
    """Where it would be written, why it cannot be, MB free, and how long it takes until something is saved (s)."""
    there = folder.absolute()
    try:
        while not _is_there(there):
            there = there.parent
        if not there.is_dir():
            return there, "it is no folder", 0.0, 0.0
        return there, "", shutil.disk_usage(there).free / 1e6, _sync_s(there, clock)
    except OSError as error:
        return there, error.strerror or str(error), 0.0, 0.0


def _is_there(path: Path) -> bool:
    """Raises OSError for a path that cannot be, such as one with too long a name."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


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


def _life_used() -> float | None:
    """Share of a card's life that it says is used, in steps of a tenth (eMMC 5.0; few SD cards tell)."""
    files = Path("/sys/class/mmc_host").glob("mmc*/mmc*/life_time")
    most = max((int(step, 16) for file in files for step in _text(file).split() if step.startswith("0x")), default=0)
    return most / 10 if most else None


def _disk_errors(folder: Path) -> int | None:
    """Errors that an ext4 file system has noted since it was checked last."""
    with contextlib.suppress(OSError):
        device = folder.stat().st_dev
        name = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve().name
        text = _text(f"/sys/fs/ext4/{name}/errors_count")
        return int(text) if text.isdigit() else None
    return None


def _clock_set() -> bool | None:
    if shutil.which("timedatectl") is None:
        return None
    command = ["timedatectl", "show", "-p", "NTPSynchronized", "--value"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run(command, capture_output=True, text=True, timeout=ASK_S, check=False).stdout.strip()
        return {"yes": True, "no": False}.get(said)
    return None


def _last_event(folder: Path) -> float | None:
    """When the newest event of any log in the folder was written; the folder may be none that can be."""
    newest = None
    for file in sorted(folder.glob("*.db")) if os.path.isdir(folder) else ():  # noqa: PTH112
        with contextlib.suppress(SenryakuError), EventLog.read(file) as log:
            for event in log.events(max(0, log.last_seq - 1)):
                newest = event.time if newest is None else max(newest, event.time)
    return newest


def _text(file: Path | str) -> str:
    with contextlib.suppress(OSError):
        return Path(file).read_text(encoding="utf-8", errors="replace").strip(" \n\0")
    return ""


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
