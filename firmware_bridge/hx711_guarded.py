"""The HX711 amplifier on GPIO pins of a machine that is not real-time: Adafruit's driver, with a guard.

Importing this imports the driver, and that Blinka, which prints to stdout off a Pi: only the reader process does so.
"""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from adafruit_hx711.hx711 import HX711

from companion.errors import SenryakuError
from firmware_bridge.drops import Drop
from firmware_bridge.hx711_reading import Reading
from firmware_bridge.pace import Pace

LONGEST_HIGH_NS = 50_000
"""The clock may be high for 50 us; after 60 us the chip powers down (data sheet)."""
SHORTEST_CONVERSION_NS = 6_000_000
"""No chip converts faster: 80 a second with its own oscillator, 144 with the fastest crystal (data sheet). A reading
that is over sooner than this after the data line was still high cannot have been overwritten by the next."""
SURE_SHARE, SURE_MOST_NS = 0.75, 10_000_000
"""Once a chip's pace is known, so much of it instead, up to the fastest that its own oscillator gives at 80 a second:
the chip may be switched from 10 to 80 at any time."""
SHORTEST_SETTLING_NS = 25_000_000
"""After a reset no chip is ready sooner: 50 ms at 80 a second (data sheet), half that with the fastest crystal."""
SILENCE_NS = 1_000_000_000
"""A chip is back 0.4 s after a reset at the latest (data sheet): one silent for so long is reset."""
READ_TIMEOUT_NS = 3_000_000_000
POLL_S = 0.0005
"""Time between looks at a data line when a conversion is due: short against `SHORTEST_CONVERSION_NS`."""
IDLE_POLL_S = 0.002
"""... and when it is overdue: the chip was reset, or is missing."""
SIGN_BIT = 0x800000


class NoReading(SenryakuError, TimeoutError):
    """The chip gave no reading that can be trusted."""


class GuardedHX711(HX711):  # type: ignore[misc]
    """An HX711 that gives only readings that are right.

    The bits are clocked out without sleeping: Python itself is slower than the 0.2 us that the chip asks for. A bit is
    read after the clock's falling edge, where it still stands, which keeps the clock high for as short as possible.
    A reading is dropped, and counted in `drops`, when

    - a pulse was, or may have been, high for more than 50 us;
    - it was not over before the next conversion could come;
    - the pulses after the 24 bits do not read 1, or the data line is low after them;
    - the chip was ready sooner than it can be, or not for good (a wire without a chip);
    - the next conversion does not come in time: the chip may have reset itself in the middle of this one, and then all
      bits since read 1. So each reading is given when the next is ready, with its own time.

    Wherever the state of the chip is not certain any more it is reset. Works with all versions of the driver, since the
    only parts of it in use are its pins and its reset.
    """

    def __init__(
        self,
        data_pin: Any,
        clock_pin: Any,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.drops: Counter[Drop] = Counter()
        self._clock_ns = clock_ns
        self._sleep = sleep
        self._pace = Pace()
        self._last_ready: float | None = None
        super().__init__(data_pin, clock_pin)

    @property
    def lost(self) -> int:
        """Conversions so far that gave no reading."""
        return self.drops.total()

    def _initialize(self) -> None:
        """Resets the chip. Its gain is that of channel A with 128 after this (data sheet)."""
        super()._initialize()
        self._gain = self.CHAN_A_GAIN_128
        self._held: Reading | None = None
        self._pace.interrupt()
        self._high_ns = self._silent_ns = now = self._clock_ns()
        self._not_before_ns = now + SHORTEST_SETTLING_NS

    def poll(self, chan_gain: int = HX711.CHAN_A_GAIN_128) -> Reading | None:
        """Looks whether a conversion is ready, and if so reads it. Gives the one before it, or None. Never waits."""
        if chan_gain != self._gain:
            self._held = None
        data = self._data_pin
        before_ns = self._clock_ns()
        if data.value:
            self._high_ns = before_ns
            if before_ns - self._silent_ns > SILENCE_NS:
                self._drop(Drop.NO_DATA, reset=True)
            return None
        high_ns, seen_ns = self._high_ns, self._clock_ns()
        if seen_ns < self._not_before_ns or data.value or data.value:
            self._drop(Drop.LOOSE_WIRE, reset=True)
            return None
        ready = (high_ns + seen_ns) / 2e9
        confirmed = self._confirm(ready)
        self._silent_ns = seen_ns
        self._not_before_ns = high_ns + SHORTEST_CONVERSION_NS
        counts = self._clock_out(chan_gain, high_ns)
        if counts is not None:
            self._held = Reading(ready, counts)
        return confirmed

    def rest_s(self) -> float:
        """For how long the chip need not be looked at.

        Half of the time until the next conversion is due: so its line was last seen high not long before it, however
        the computer oversleeps, and a conversion takes some seven looks instead of 25.
        """
        period = self._pace.period_s
        if period is None or self._last_ready is None:
            return POLL_S
        left = self._last_ready + period - self._clock_ns() / 1e9
        return max(POLL_S, left / 2) if left > -period else IDLE_POLL_S

    def _confirm(self, ready: float) -> Reading | None:
        """The reading before, if the chip has worked on since then. Counts what was lost in between."""
        held, self._held = self._held, None
        known = self._pace.period_s
        in_time = self._pace.came(ready)
        if known is not None and self._last_ready is not None:
            self.drops[Drop.GONE_BY] += max(0, round((ready - self._last_ready) / known) - 1)
        self._last_ready = ready
        if held is not None and not in_time:
            self._drop(Drop.STARTING if known is None else Drop.CUT_SHORT)
            return None
        return held

    def _clock_out(self, chan_gain: int, high_ns: int) -> int | None:
        """Reads the bits; None where that failed. `high_ns` is when the data line was last seen high."""
        bits = self._bits(chan_gain)
        if bits is None:
            self._drop(Drop.SLOW_CLOCK, reset=True)
            return None
        over_ns = self._clock_ns()
        ones = (1 << (chan_gain - 24)) - 1
        if bits & ones != ones or not self._data_pin.value:
            self._drop(Drop.BAD_TAIL, reset=True)
            return None
        self._high_ns = over_ns
        if chan_gain != self._gain:
            self._gain = chan_gain
            self._pace.interrupt()
            self._drop(Drop.STARTING)
            return None
        if over_ns - high_ns > self._sure_ns:
            self._drop(Drop.LATE)
            return None
        counts = bits >> (chan_gain - 24)
        return (counts ^ SIGN_BIT) - SIGN_BIT

    @property
    def _sure_ns(self) -> float:
        """A reading that is over so soon after the data line was still high cannot have been overwritten."""
        period = self._pace.period_s
        if period is None:
            return SHORTEST_CONVERSION_NS
        return max(SHORTEST_CONVERSION_NS, min(SURE_MOST_NS, SURE_SHARE * period * 1e9))

    def _bits(self, pulses: int) -> int | None:
        """Gives so many pulses and the bits read after them; None, at once, when one of them was slow."""
        clock, data, clock_ns = self._clock_pin, self._data_pin, self._clock_ns
        bits = 0
        for _ in range(pulses):
            up_ns = clock_ns()
            clock.value = True
            clock.value = False
            if clock_ns() - up_ns > LONGEST_HIGH_NS:
                return None
            bits = bits << 1 | data.value
        return bits

    def _drop(self, why: Drop, reset: bool = False) -> None:
        self.drops[why] += 1
        if reset:
            self._initialize()

    # --- the driver's own interface, guarded

    def read_channel_blocking(self, chan_gain: int) -> int:
        """The next reading that can be trusted, less the tare. No conversion is thrown away without need.

        Raises:
            NoReading: when none came within 3 s.
        """
        counts: int = self._read_channel(chan_gain)
        return counts

    def _read_channel_raw(self, chan_gain: int) -> int:
        until = self._clock_ns() + READ_TIMEOUT_NS
        while self._clock_ns() < until:
            reading = self.poll(chan_gain)
            if reading is not None:
                return reading.counts
            self._sleep(self.rest_s())
        why = self.drops.most_common(1)[0][0] if self.drops else Drop.NO_DATA
        seconds = READ_TIMEOUT_NS // 10**9
        raise NoReading(f"the HX711 gave no reading within {seconds} s ({why}): check its wires and its supply")
