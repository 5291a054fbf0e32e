"""The process that reads two HX711 on GPIO pins: `python -m firmware_bridge.gpio_process DATA CLOCK DATA CLOCK`.

Pins are BCM numbers, the low cell's first. It writes the lines of `link_lines` to what was its standard output, with
the time of CLOCK_MONOTONIC, which all processes share. It ends when nobody reads them any more.
"""

import contextlib
import gc
import importlib
import io
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from firmware_bridge.hx711_reading import Reading
from firmware_bridge.link_lines import PROTOCOL, encode

TOGETHER_S = 0.0003
"""A chip that is to be looked at within this is looked at now."""
HEARTBEAT_S = 0.25
"""A line is sent at least so often."""
REASONS_S = 1.0
PRIORITY = 20
"""Of real-time priorities, 1 to 99: above all that is not real-time, below the kernel's own interrupt threads (50)."""
NICE = -15
NORMAL = "normal"
"""Then a computer that is busy otherwise may lose half of the samples; at real-time priority hardly any (measured)."""


class Chip(Protocol):
    """What this loop needs of a `GuardedHX711`."""

    @property
    def lost(self) -> int: ...
    @property
    def drops(self) -> Mapping[str, int]: ...
    def poll(self) -> Reading | None: ...
    def rest_s(self) -> float: ...


class ReaderLoop:
    """Looks at both chips, each when it should be, and writes what they give."""

    def __init__(
        self,
        low: Chip,
        high: Chip,
        write: Callable[[bytes], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chips = (low, high)
        self._write = write
        self._clock = clock
        self._n = 0
        self._due = [0.0, 0.0]
        self._said = self._reasons_said = clock()

    def step(self) -> float:
        """Looks at those that are due. Gives for how long nothing needs to be done (s)."""
        soon = self._clock() + TOGETHER_S
        for cell, chip in enumerate(self._chips):
            if self._due[cell] > soon:
                continue
            reading = chip.poll()
            self._due[cell] = self._clock() + chip.rest_s()
            if reading is not None:
                self._say(reading.t, *((reading.counts, None) if cell == 0 else (None, reading.counts)))
        now = self._clock()
        if now - self._said >= HEARTBEAT_S:
            self._say(now, None, None)
        if now - self._reasons_said >= REASONS_S:
            self._reasons_said = now
            low, high = (chip.drops for chip in self._chips)
            self._write(encode("D", *(f"{why}={low.get(why, 0)}={high.get(why, 0)}" for why in sorted({*low, *high}))))
        return max(0.0, min(self._due) - self._clock())

    def _say(self, t: float, low: int | None, high: int | None) -> None:
        self._n += 1
        self._said = max(self._said, t)
        lost_low, lost_high = (chip.lost for chip in self._chips)
        self._write(encode("S", self._n, f"{t * 1000:.3f}", low, high, lost_low, lost_high))


def serve(open_chips: Callable[[], tuple[Chip, Chip, str]], pipe: int) -> int:
    """Opens the chips and reads them until nobody listens. Gives the process's exit code."""

    def write(line: bytes) -> None:
        os.write(pipe, line)

    priority = raise_priority()
    try:
        low, high, driver = open_chips()
        gc.collect()
        gc.freeze()
        gc.disable()  # nothing here makes cycles, and a collection in the middle of a pulse spoils the reading
        write(encode("V", PROTOCOL, f"gpio at {priority} priority", driver, secrets.token_hex(4)))
        loop = ReaderLoop(low, high, write)
        while True:
            time.sleep(loop.step())
    except BrokenPipeError:
        return 0
    except Exception as error:
        with contextlib.suppress(OSError):
            write(encode("E", f"the GPIO reader stopped ({type(error).__name__}): {error}".replace("\n", " ")))
        return 1


def blinka_chips(pins: Sequence[int]) -> tuple[Chip, Chip, str]:
    """The chips at data and clock of the low, data and clock of the high cell, and the driver's version."""
    # Blinka prints off a Pi what is said below in one line, and so it is imported here and nowhere else.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        board, digitalio, guarded, driver = map(
            importlib.import_module,
            ("board", "digitalio", "firmware_bridge.hx711_guarded", "adafruit_hx711.hx711"),
        )

    def pin(number: int) -> Any:
        if not hasattr(board, f"D{number}"):
            raise OSError(f"this machine has no GPIO pin {number}; is it a Raspberry Pi?")
        return digitalio.DigitalInOut(getattr(board, f"D{number}"))

    def chip(data: int, clock: int) -> Chip:
        data_pin, clock_pin = pin(data), pin(clock)
        data_pin.switch_to_input(pull=digitalio.Pull.UP)  # a wire without a chip reads 1, and so is never ready
        clock_pin.switch_to_output(value=False)
        made: Chip = guarded.GuardedHX711(data_pin, clock_pin)
        return made

    return chip(*pins[:2]), chip(*pins[2:]), str(driver.__version__)


def raise_priority() -> str:
    """Puts this process before others, as far as it may. Gives what it has now: `real-time`, `raised` or `normal`."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        return "real-time"
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICE)
        return "raised"
    return NORMAL


def keep_stdout() -> int:
    """Gives standard output under another number, and lets what else prints go to standard error."""
    pipe = os.dup(1)
    os.dup2(2, 1)
    return pipe


if __name__ == "__main__":
    sys.exit(serve(lambda: blinka_chips([int(pin) for pin in sys.argv[1:5]]), keep_stdout()))
