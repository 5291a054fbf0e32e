"""Load cells on GPIO pins: a reader process of its own, killed and started again when it hangs."""

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from companion.errors import BadInput
from firmware_bridge.link_reader import LinkReader
from firmware_bridge.sample_link import SampleLink

READ_S = 0.05
DEADLINE_S = 2.0
"""The process sends a line at least every 0.25 s."""
START_S = 15.0
"""Python and Blinka may take several seconds to start on a slow and busy Pi."""
RAREST_S = 15.0
"""A process that finds no pins will hardly find any a second later, and each costs a second of processor time."""
PIPE_BYTES = 65536

Pins = tuple[int | None, int | None]
"""BCM numbers of data and clock."""


class ReaderProcess:
    """A running reader process as a `Port`. Raises OSError when it cannot be started or has ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0)
        assert self._process.stdout is not None
        self._pipe = self._process.stdout

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def read(self) -> bytes:
        if not select.select([self._pipe], [], [], READ_S)[0]:
            return b""
        data = os.read(self._pipe.fileno(), PIPE_BYTES)
        if not data:
            raise OSError("the reader process has ended")
        return data

    def close(self) -> None:
        self._process.kill()
        self._pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):  # stuck in the kernel: it is gone once that lets go
            self._process.wait(timeout=1)


class GpioReader(LinkReader):
    """The `LoadSource` of two HX711 on GPIO pins. `health` tells how many conversions are lost, and why.

    Raises:
        BadInput: a pin is missing, or used twice (a shared clock resets both chips whenever one is slow).
    """

    def __init__(
        self,
        low: Pins,
        high: Pins,
        clock: Callable[[], float] = time.monotonic,
        command: Sequence[str] | None = None,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        pins = [str(pin) for pin in (*low, *high)]
        if "None" in pins:
            names = ("low] data_pin", "low] clock_pin", "high] data_pin", "high] clock_pin")
            missing = ", ".join(f"[load_cells.{name}" for name, pin in zip(names, pins, strict=True) if pin == "None")
            raise BadInput(f'{missing}: missing, source "gpio" needs their GPIO (BCM) numbers')
        if len(set(pins)) < len(pins):
            raise BadInput(f"load_cells: pins {', '.join(pins)}: each of the four must be another, clocks too")
        argv = list(command) if command else [sys.executable, "-m", "firmware_bridge.gpio_process", *pins]
        self.process: ReaderProcess | None = None

        def start() -> ReaderProcess:
            self.process = ReaderProcess(argv)
            return self.process

        # the process tells CLOCK_MONOTONIC, and `clock` may count from another beginning
        link = SampleLink(foreign_clock=False, unconfirmed=False, shift_s=clock() - time.monotonic())
        super().__init__(start, link, deadline_s, clock, start_s=START_S, rarest_s=RAREST_S)
