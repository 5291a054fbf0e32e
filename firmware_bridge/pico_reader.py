"""Load cells on a Raspberry Pi Pico (hardware/firmware/code.py) at a USB port."""

import contextlib
import os
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from firmware_bridge.link_reader import LinkReader, Port
from firmware_bridge.sample_link import SampleLink

VENDORS = (0x239A, 0x2E8A)
"""USB vendors of a Pico that runs CircuitPython: Adafruit, Raspberry Pi."""
BAUD = 115200
"""Means nothing on USB, but must be given."""
READ_S = 0.05
DEADLINE_S = 3.0
"""The Pico sends a line at least every 0.25 s, and starts within about 2 s."""
ASK_VERSION = b"V\n"


class SerialPort:
    """A serial device by its path. Raises OSError when it is not there or goes away."""

    def __init__(self, device: str) -> None:
        try:
            self._serial: Any = _serial_module("serial").Serial(
                device, BAUD, timeout=READ_S, write_timeout=READ_S, exclusive=True
            )
        except OSError as error:  # pyserial's own words hold an error number twice
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise OSError(f"the Pico's port {device} cannot be opened ({reason})") from error
        self._serial.reset_input_buffer()
        with contextlib.suppress(OSError):  # it need not listen: it says its version when it starts, too
            self._serial.write(ASK_VERSION)

    def read(self) -> bytes:
        data: bytes = self._serial.read(max(1, self._serial.in_waiting))
        return data

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._serial.close()


class PicoPorts:
    """Finds the Pico: the one opened last if it is there, by its USB serial number whatever port it is at now; else
    each board that may be it in turn."""

    def __init__(self) -> None:
        self._turn = 0
        self._last: str | None = None

    def connect(self) -> Port:
        """Opens it. Raises OSError when there is none."""
        found = sorted(
            (port.serial_number or "", str(port.device))
            for port in _serial_module("serial.tools.list_ports").comports()
            if port.vid in VENDORS
        )
        if not found:
            raise OSError("no Pico at any USB port: plug it in, or look whether its cable is one for charging only")
        same = [port for port in found if port[0] == self._last]
        serial_number, device = same[0] if same else found[self._turn % len(found)]
        self._turn += 1
        # one try each: if this is not it after all, the deadline passes and the next has its turn
        self._last = None if same else serial_number
        return SerialPort(device)


class PicoReader(LinkReader):
    """The `LoadSource` of a Pico. Goes on after unplugging; `health` tells what it has been through."""

    def __init__(
        self,
        connect: Callable[[], Port] | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        link = SampleLink(foreign_clock=True, unconfirmed=True)
        super().__init__(connect or PicoPorts().connect, link, DEADLINE_S, clock, sleep)


def _serial_module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise OSError("pyserial is missing: pip install 'senryaku-companion[pi]'") from error
