"""A simulated computer, sound or with one thing wrong, for trying the doctor."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion.commands.computer import Computer

NOW = 1_798_000_000.0
SOUND = Computer(
    python=(3, 13, 5),
    opencv="5.0.0",
    model="Raspberry Pi 5 Model B Rev 1.0 (simulated)",
    gpio_chips=("gpiochip0",),
    pin_factory="LGPIOFactory",
    realtime=25,
    undervoltage=False,
    hot_c=48.0,
    folder=Path("simulated"),
    free_mb=20_000.0,
    sync_s=0.02,
    life_used=0.1,
    disk_errors=0,
    now=NOW,
    clock_set=True,
    last_event=NOW - 3 * 86_400,
    name="table1",
    announced=True,
    browser="chromium",
    backup=NOW - 4 * 86_400,
)
"""A Pi as `make pi` leaves it."""

_WRONG: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "old Python": ("Python", {"python": (3, 9, 2)}),
    "OpenCV missing": ("OpenCV", {"opencv": "", "opencv_trouble": "No module named 'cv2'"}),
    "old OpenCV": ("OpenCV", {"opencv": "4.6.0"}),
    "no GPIO device": ("GPIO rights", {"gpio_chips": ()}),
    "GPIO not allowed": ("GPIO rights", {"gpio_allowed": False}),
    "no pin factory": ("pin factory", {"pin_factory": "", "pin_trouble": "No module named 'lgpio'"}),
    "no real-time priority": ("real-time priority", {"realtime": 0}),
    "voltage too low": ("power", {"undervoltage": True}),
    "too hot": ("power", {"hot_c": 84.0}),
    "disk full": ("disk", {"free_mb": 12.0}),
    "disk read-only": ("disk", {"disk_trouble": "Read-only file system"}),
    "disk slow": ("disk", {"sync_s": 1.2}),
    "disk failing": ("disk", {"disk_errors": 7}),
    "card worn out": ("disk", {"life_used": 0.9}),
    "clock never set": ("clock", {"now": 0.0}),
    "clock behind the log": ("clock", {"now": NOW - 5 * 86_400}),
    "unnamed": ("network name", {"name": "raspberrypi"}),
    "name not trusted": ("network name", {"name": "table2"}),
    "name not announced": ("network name", {"announced": False}),
    "never backed up": ("backup", {"backup": None}),
    "backup too old": ("backup", {"backup": NOW - 90 * 86_400}),
}
COMPUTER_FAULTS: Mapping[str, str] = MappingProxyType({name: part for name, (part, _) in _WRONG.items()})
"""Each fault, and the part with which something is wrong then."""


def computer_with(fault: str | None) -> Computer:
    """The simulated computer; the fault is a name of `COMPUTER_FAULTS` or None."""
    return SOUND if fault is None else replace(SOUND, **_WRONG[fault][1])
