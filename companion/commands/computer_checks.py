"""Judges a computer's facts, a line a part: what there is, or what is wrong and what to do. Pure."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.commands.computer import Computer, look_at_computer
from companion.commands.findings import Finding, absent, fine, wrong
from companion.table.settings import TableSettings
from firmware_bridge.gpio_process import PRIORITY

OLDEST_PYTHON = (3, 11)
OLDEST_OPENCV = (4, 11)
FREE_MB = 200
"""A match takes less than one; a log that cannot grow loses the game."""
SLOW_SYNC_S = 0.5
"""An event waits for the disk. A good SD card takes 0.01 to 0.05 s; from here on a ruling comes late."""
WORN = 0.8
"""Share of a card's life from which it is time for a new one."""
TOO_HOT_C = 80.0
"""A Pi slows down from here on (its firmware's soft limit)."""
OLD_BACKUP_DAYS = 30
DAY_S = 86_400.0
EARLIEST = 1_735_689_600.0
"""The year 2025: a clock that says less has not been set."""
UNNAMED = ("", "localhost", "raspberrypi")
"""Names that a second table on the same network would have too."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")

Check = Callable[[Computer, TableSettings | None], Finding]


def python_version(computer: Computer, _: TableSettings | None) -> Finding:
    """Is this Python new enough?"""
    version = ".".join(map(str, computer.python))
    if computer.python[:2] < OLDEST_PYTHON:
        return wrong("Python", version, f"Install Python {OLDEST_PYTHON[0]}.{OLDEST_PYTHON[1]} or newer.")
    return fine("Python", version)


def opencv(computer: Computer, _: TableSettings | None) -> Finding:
    """Can pictures be read?"""
    install = "Install it with: pip install 'opencv-python-headless"
    oldest = f">={OLDEST_OPENCV[0]}.{OLDEST_OPENCV[1]}'"
    if not computer.opencv:
        return wrong("OpenCV", f"cannot be used ({computer.opencv_trouble})", install + oldest)
    if tuple(int(n) for n in computer.opencv.split(".")[:2]) < OLDEST_OPENCV:
        return wrong("OpenCV", computer.opencv, install + oldest)
    return fine("OpenCV", computer.opencv)


def needs_pins(settings: TableSettings | None) -> bool:
    """Whether the table has anything on GPIO pins."""
    return settings is not None and (bool(settings.panel) or settings.load_source == "gpio")


def gpio_rights(computer: Computer, settings: TableSettings | None) -> Finding:
    """Are there GPIO devices, and may this user use them?"""
    part, chips = "GPIO rights", ", ".join(computer.gpio_chips)
    if not computer.gpio_chips:
        if needs_pins(settings):
            return wrong(
                part,
                "this computer has no GPIO device, but the table has parts on pins",
                'Run the table on a Raspberry Pi, or take what is on pins out of table.toml (source = "pico").',
            )
        return absent(part, "no GPIO device on this computer, and none is needed")
    if not computer.gpio_allowed:
        remedy = "Put the user into the group: sudo usermod -aG gpio USER, then log in anew; `make pi` does it."
        return wrong(part, f"{chips} may not be used by this user", remedy)
    return fine(part, f"{chips} may be used")


def pins(computer: Computer, settings: TableSettings | None) -> Finding:
    """Does gpiozero have a way to the pins? Only a table with something on them needs any."""
    part = "pin factory"
    if computer.pin_factory:
        return fine(part, f"gpiozero uses {computer.pin_factory}")
    if not needs_pins(settings):
        return absent(part, "no pins on this computer, and none are needed")
    remedy = "On a Raspberry Pi install them with: sudo apt install python3-lgpio"
    return wrong(part, f"no pins, but the table has parts on them ({computer.pin_trouble})", remedy)


def realtime(computer: Computer, settings: TableSettings | None) -> Finding:
    """May the GPIO reader go before all else? On a normal priority a busy Pi loses up to half of the samples."""
    part = "real-time priority"
    if computer.realtime >= PRIORITY:
        return fine(part, f"up to {computer.realtime}")
    if settings is None or settings.load_source != "gpio":
        return absent(part, "not allowed, and not needed: no load cells on GPIO pins")
    remedy = "Allow it: LimitRTPRIO=25 in its service, or a line `USER - rtprio 25` in /etc/security/limits.conf."
    return wrong(part, f"up to {computer.realtime} is allowed, the load-cell reader wants {PRIORITY}", remedy)


def power(computer: Computer, _: TableSettings | None) -> Finding:
    """Does the Pi get its 5 V, and is it cool enough?"""
    part = "power"
    if computer.undervoltage:
        remedy = "Use the Pi's own power supply (5.1 V, 3 A; Pi 5: 5 A) and its own cable."
        return wrong(part, "the supply voltage is too low: camera and load cells fail at random", remedy)
    heat = "" if computer.hot_c is None else f"{computer.hot_c:.0f} degrees"
    if computer.hot_c is not None and computer.hot_c > TOO_HOT_C:
        return wrong(part, f"{heat}: it slows down", "Give it a heat sink or a fan, and air.")
    if computer.undervoltage is None and not heat:
        return absent(part, "this computer does not say how it is supplied")
    volts = "supply not told" if computer.undervoltage is None else "5 V are steady"
    return fine(part, ", ".join(filter(None, (volts, heat))))


def disk(computer: Computer, _: TableSettings | None) -> Finding:
    """Has the log's folder room, is its disk fast enough, and how is its health?"""
    part = "disk"
    if computer.disk_trouble:
        why = f"{computer.folder} cannot be written ({computer.disk_trouble})"
        return wrong(part, why, "Make it writable, or keep the log elsewhere (--log-folder).")
    what = f"{computer.folder}: {computer.free_mb / 1000:.1f} GB free, {1000 * computer.sync_s:.0f} ms to save"
    if computer.free_mb < FREE_MB:
        return wrong(part, what, f"Free {FREE_MB} MB at least.")
    if computer.disk_errors:
        remedy = "Back up now (`senryaku backup`), put in a new card, and restore."
        return wrong(part, f"{what}, {computer.disk_errors} errors noted by the file system", remedy)
    if computer.life_used is not None and computer.life_used > WORN:
        remedy = "Back up now (`senryaku backup`), and put in a new card soon."
        return wrong(part, f"{what}, {computer.life_used:.0%} of the card's life is used", remedy)
    if computer.sync_s > SLOW_SYNC_S:
        return wrong(part, what, "Use a faster SD card or a USB disk: every event waits for it.")
    health = ["no errors noted"] if computer.disk_errors == 0 else []
    health += [] if computer.life_used is None else [f"{computer.life_used:.0%} of its life used"]
    return fine(part, ", ".join((what, *(health or ["health not told"]))))


def clock(computer: Computer, _: TableSettings | None) -> Finding:
    """Is the clock right? A Pi without a battery starts with the time at which it was last switched off."""
    part = "clock"
    remedy = "Connect it to a network so that it is set, or set it: sudo timedatectl set-time 'YYYY-MM-DD HH:MM'."
    if computer.now < EARLIEST:
        return wrong(part, "it has never been set", remedy)
    if computer.last_event is not None and computer.now < computer.last_event - 1:
        behind = computer.last_event - computer.now
        return wrong(part, f"it stands {_ago(behind)} before the log's last event", remedy)
    if computer.clock_set is None:
        return fine(part, "later than the log's last event; whether the network sets it is not told")
    if not computer.clock_set:
        return fine(part, "not set by a network since the start; the log's times may be off")
    return fine(part, "set by the network")


def network(computer: Computer, settings: TableSettings | None) -> Finding:
    """Under which name do phones and other tables find this one?"""
    part, name = "network name", computer.name
    if settings is None or settings.web.host in LOOPBACK:
        here = "" if settings is None else '; the page is for this computer only ([web] host = "0.0.0.0" opens it)'
        return fine(part, f"{name or 'none'}{here}")
    if name in UNNAMED:
        remedy = "Give it one of its own: sudo hostnamectl set-hostname table1, then start it anew."
        return wrong(part, f"{name or 'none'}: a second table would have the same name", remedy)
    local = f"{name}.local"
    if not {name.lower(), local.lower()} & {trusted.lower() for trusted in settings.web.trusted_hosts}:
        remedy = f'Write it into table.toml: [web] trusted_hosts = ["{local}"].'
        return wrong(part, f"a page called by the name {local} is refused, only its address is answered", remedy)
    if not computer.announced:
        remedy = "Have it announced: sudo apt install avahi-daemon, then sudo systemctl enable --now avahi-daemon."
        return wrong(part, f"{local} is not announced on the network", remedy)
    return fine(part, f"http://{local}:{settings.web.port}")


def browser(computer: Computer, _: TableSettings | None) -> Finding:
    """Can this computer show the scoring board itself?"""
    if not computer.browser:
        return absent("browser", "none here: open the page on another screen, or sudo apt install chromium")
    return fine("browser", computer.browser)


def backup(computer: Computer, _: TableSettings | None) -> Finding:
    """When were the logs copied away last?"""
    part, remedy = "backup", "Copy them to a USB stick: senryaku backup FOLDER."
    if computer.last_event is None:
        return absent(part, "no log yet, so nothing to copy")
    if computer.backup is None:
        return wrong(part, "the logs were never copied away", remedy)
    age_s = computer.now - computer.backup
    if computer.last_event <= computer.backup:
        return fine(part, f"{_ago(age_s)} ago, and nothing has happened since")
    if age_s > OLD_BACKUP_DAYS * DAY_S:
        return wrong(part, f"the last is {_ago(age_s)} old, and games were played since", remedy)
    return fine(part, f"{_ago(age_s)} ago")


BEFORE: Sequence[Check] = (python_version, opencv, gpio_rights, pins, realtime, power)
"""What is looked at before load cells and camera, in order ..."""
AFTER: Sequence[Check] = (disk, clock, network, browser, backup)
"""... and after them."""


def _ago(seconds: float) -> str:
    if seconds >= 2 * DAY_S:
        return f"{seconds / DAY_S:.0f} days"
    return f"{seconds / 3600:.0f} hours" if seconds >= 2 * 3600 else f"{max(0, seconds) / 60:.0f} minutes"


def computer_findings(folder: Path, settings: TableSettings) -> list[dict[str, Any]]:
    """What the computer itself is found to be like, as JSON values; the table's parts are busy with their game."""
    computer = look_at_computer(folder)
    return [check(computer, settings).to_json() for check in (*BEFORE, *AFTER)]
