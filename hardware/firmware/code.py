"""Two HX711 on a Raspberry Pi Pico: reads them and sends what they say over USB. CircuitPython 9 or newer.

Install: copy this file to the CIRCUITPY drive as `code.py`, and the library with `circup install adafruit_hx711`. Its
versions from 1.1.0 on switch interrupts off while they read, so that the clock pulses are exact here.

Pins: low cell data GP2, clock GP3; high cell data GP4, clock GP5. Each chip has a clock of its own.

Lines sent, each ending in a line feed:

    V,<protocol>,<version>,<library version>,<session>*<checksum>
        at start, and when it receives a line with V; the session is a number that is another after each start
    S,<n>,<t_ms>,<low>,<high>,<errors_low>,<errors_high>*<checksum>
        n          counts the lines from 1
        t_ms       when it was read, in milliseconds on the Pico's own clock
        low, high  what that chip said, signed 24 bits; empty where it had nothing new. The chips convert on their
                   own, so that mostly one of them is empty: the receiver pairs them by their times.
        errors_*   readings of that chip dropped since the start
        At least one such line is sent every 0.25 s, both empty if need be.
    E,<text>*<checksum>
        what went wrong; it starts again by itself after a second

The checksum is the CRC-32 (as in ZIP files) of all that stands before the `*`, eight lower-case hexadecimal digits: it
is built in, so it costs nothing, and hardly ever lets a garbled line pass (a CRC-8 would let one in 256).
"""

import os
import sys
import time

import board
import digitalio
import supervisor

try:
    import adafruit_hx711.hx711 as driver
except ImportError:
    driver = None

try:
    from binascii import crc32
except ImportError:  # small builds leave it out

    def crc32(data: bytes) -> int:
        """CRC-32, bit by bit."""
        crc = 0xFFFFFFFF
        for byte in data:
            crc ^= byte
            for _ in range(8):
                crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
        return crc ^ 0xFFFFFFFF


PROTOCOL = 1
VERSION = "1.0"
HEARTBEAT_MS = 250
SHORTEST_CONVERSION_NS = 6000000
"""No HX711 converts faster; a reading that takes longer than this may have been overwritten meanwhile."""
SHORTEST_SETTLING_NS = 25000000
"""No HX711 is ready sooner than this after a reset."""
SILENCE_NS = 1000000000
"""An HX711 is back 0.4 s after a reset; one silent for so long is reset."""


class Chip(driver.HX711 if driver else object):
    """The library's HX711, which waits for ever in a read when its chip has gone: here we have always looked before."""

    is_busy = False


class Cell:
    """One HX711 and how it is doing."""

    def __init__(self, data: object, clock: object) -> None:
        self._data = digitalio.DigitalInOut(data)
        self._data.switch_to_input(pull=digitalio.Pull.UP)  # a wire without a chip is never ready
        self._clock = digitalio.DigitalInOut(clock)
        self._clock.switch_to_output(value=False)
        self.errors = 0
        self._reset()

    def _reset(self) -> None:
        self._chip = Chip(self._data, self._clock)
        self._high = self._silent = time.monotonic_ns()
        self._not_before = self._high + SHORTEST_SETTLING_NS

    def _drop(self) -> None:
        self.errors += 1
        self._reset()

    def read(self) -> "int | None":
        """Signed 24-bit counts if a conversion is ready and was read well."""
        now = time.monotonic_ns()
        if self._data.value:
            self._high = now
            if now - self._silent > SILENCE_NS:
                self._drop()
            return None
        high = self._high
        if time.monotonic_ns() < self._not_before:
            self._drop()
            return None
        value = self._chip._read_channel_raw(self._chip.CHAN_A_GAIN_128)
        over = time.monotonic_ns()
        if not self._data.value:  # data must go high after the last pulse
            self._drop()
            return None
        self._high = self._silent = over
        self._not_before = high + SHORTEST_CONVERSION_NS
        if over - high > SHORTEST_CONVERSION_NS:
            self.errors += 1
            return None
        value &= 0xFFFFFF  # some versions of the library give negative values as large positive ones
        return value - 0x1000000 if value & 0x800000 else value


class Reader:
    """Looks at both cells in turn, and says what they give."""

    def __init__(self, low: Cell, high: Cell, session: int) -> None:
        self._cells = (low, high)
        self._session = session
        self._n = 0
        self._said = 0
        self.say_version()

    def say_version(self) -> None:
        """Sends the version line."""
        send(f"V,{PROTOCOL},{VERSION},{driver.__version__},{self._session:08x}")

    def step(self) -> None:
        """One look at each, one line at most."""
        low, high = (cell.read() for cell in self._cells)
        now = time.monotonic_ns() // 1000000
        if low is None and high is None and now - self._said < HEARTBEAT_MS:
            return
        self._said = now
        self._n += 1
        errors_low, errors_high = (cell.errors for cell in self._cells)
        send(f"S,{self._n},{now},{shown(low)},{shown(high)},{errors_low},{errors_high}")


def shown(counts: "int | None") -> str:
    """A field of a line."""
    return "" if counts is None else str(counts)


def send(body: str) -> None:
    """Sends a line with its checksum."""
    sys.stdout.write(f"{body}*{crc32(body.encode()):08x}\n")


def asked() -> bool:
    """Whether the version was asked for."""
    wanted = False
    while supervisor.runtime.serial_bytes_available:
        wanted = sys.stdin.read(1) == "V" or wanted
    return wanted


def main() -> None:
    """Reads for ever."""
    supervisor.runtime.autoreload = False  # a computer that looks at the drive must not restart us
    if driver is None:
        raise RuntimeError("its library is missing: circup install adafruit_hx711")
    low = Cell(board.GP2, board.GP3)
    high = Cell(board.GP4, board.GP5)
    reader = Reader(low, high, int.from_bytes(os.urandom(4), "big"))
    while True:
        reader.step()
        if asked():
            reader.say_version()


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        send("E," + repr(error).replace("\n", " "))
        time.sleep(1)
        supervisor.reload()
