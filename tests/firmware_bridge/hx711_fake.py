"""An HX711 at the level of its two pins, on a machine whose every operation takes time, sometimes far too much.

After the data sheet: 24 bits, most significant first, two's complement; 25, 26, 27 pulses choose the next gain; data
goes low when ready; settling after a reset and a change of gain; power-down after 60 us of clock high. What the data
sheet does not say is done in the nastiest way: a conversion that completes in the middle of a reading overwrites the
rest of it, and pulses to a chip that is not ready put its next reading out of step.
"""

import random
from collections.abc import Callable

POWER_DOWN_NS = 60_000
US = 1_000
MS = 1_000_000
S = 1_000_000_000


class VirtualClock:
    """Every look at it, and every use of a pin, takes the next of `costs_ns`."""

    def __init__(self, costs_ns: list[int] | None = None, oversleeps_ns: Callable[[], int] = lambda: 0) -> None:
        self.t = S
        self._costs = costs_ns or [1 * US]
        self._i = 0
        self._oversleeps_ns = oversleeps_ns

    def tick(self) -> int:
        i = self._i + 1
        if i >= len(self._costs):
            i = 0
        self._i = i
        self.t += self._costs[i]
        return self.t

    monotonic_ns = tick

    def monotonic(self) -> float:
        return self.tick() / 1e9

    def sleep(self, seconds: float) -> None:
        self.t += int(seconds * 1e9) + self._oversleeps_ns()


def costs_ns(
    seed: int, one_in: int | None, longest_ns: int = 5 * MS, usual_ns: tuple[int, int] = (2 * US, 4 * US)
) -> list[int]:
    """Costs of operations, of which one in so many is delayed, some by tens of us and some by up to `longest_ns`."""
    rng = random.Random(seed)
    costs = [rng.randint(*usual_ns) for _ in range(1_000_003)]
    if one_in:
        for _ in range(len(costs) // one_in):
            costs[rng.randrange(len(costs))] += int(10 * US * (longest_ns / (10 * US)) ** rng.random())
    return costs


def unlike_any_other(index: int) -> int:
    """24 bits of which no two conversions, among 16 million, share the same."""
    return index * 0x9E3779 & 0xFFFFFF


class FakeHX711:
    """The chip. `bits_of(i)` is the i-th conversion; `truth` holds the time (s) of each value that it converted."""

    def __init__(
        self,
        clock: VirtualClock,
        rate_hz: float = 80.0,
        bits_of: Callable[[int], int] = unlike_any_other,
    ) -> None:
        self.clock = clock
        self.period_ns = int(S / rate_hz)
        self.settling_ns = 4 * self.period_ns
        self.bits_of = bits_of
        self.truth: dict[int, float] = {}
        self.conversions = 0
        self._brown_out_at: int | None = None
        self._clock_high = False
        self._high_since = 0
        self._reset(clock.t)

    def _reset(self, t: int) -> None:
        self.gain = 25
        self._register = 0
        self._pulses = 0
        self._ready = False
        self._next = t + self.settling_ns

    @property
    def in_reading(self) -> bool:
        """Whether some, but not all bits have been clocked out."""
        return 0 < self._pulses < 25

    def brown_out(self, at_ns: int) -> None:
        """Its supply fails for a moment, then."""
        self._brown_out_at = at_ns

    def _run(self, t: int) -> None:
        """Brings the chip to time t."""
        if self._brown_out_at is not None and t >= self._brown_out_at:
            self._reset(self._brown_out_at)
            self._brown_out_at = None
        while t >= self._next:
            bits = self.bits_of(self.conversions) & 0xFFFFFF
            if self.gain == 25:
                self.truth[bits - (bits >> 23 << 24)] = self._next / 1e9
            else:  # another gain, another value
                bits ^= 0x5A5A5A
            self._register = bits
            self.conversions += 1
            if self._pulses >= 25:
                self._pulses = 0
            self._ready = True
            self._next += self.period_ns

    def data(self) -> bool:
        t = self.clock.tick()
        if t >= self._next or self._brown_out_at is not None:
            self._run(t)
        if self._clock_high and t - self._high_since > POWER_DOWN_NS:
            return True
        if not self._ready:
            return True
        pulses = self._pulses
        return pulses >= 25 or (pulses > 0 and bool(self._register >> (24 - pulses) & 1))

    def set_clock(self, high: bool) -> None:
        t = self.clock.tick()
        if high is self._clock_high:
            return
        self._clock_high = high
        if not high:
            if t - self._high_since > POWER_DOWN_NS:
                self._reset(t)
            return
        self._high_since = t
        if t >= self._next or self._brown_out_at is not None:
            self._run(t)
        self._pulses += 1
        if 25 <= self._pulses <= 27 and self._pulses != self.gain:
            self._next += self.settling_ns
            self.gain = self._pulses

    def pins(self) -> tuple["DataPin", "ClockPin"]:
        return DataPin(self.data), ClockPin(self.set_clock)


class DataPin:
    """The pin that reads, like digitalio's."""

    def __init__(self, read: Callable[[], bool]) -> None:
        self._read = read

    @property
    def value(self) -> bool:
        return self._read()


class ClockPin:
    """The pin that writes, like digitalio's."""

    def __init__(self, write: Callable[[bool], None]) -> None:
        self._write = write

    @property
    def value(self) -> bool:
        return False

    @value.setter
    def value(self, high: bool) -> None:
        self._write(high)
