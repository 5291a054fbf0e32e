"""The reader process on chips made at the level of their pins: `pin_level_process.py SAMPLES.csv BEGIN PIN...`.

Everything is the program's own but the pins: `GuardedHX711` over the HX711 library, the loop, the lines. The chips
convert what SAMPLES.csv holds (low_counts,high_counts, 80 a second) from the moment BEGIN of CLOCK_MONOTONIC on. An
operation on a pin costs virtual microseconds, so that a busy machine spoils no reading; between readings virtual time
waits for real time.
"""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from firmware_bridge.gpio_process import ReaderLoop, keep_stdout, serve  # noqa: E402
from firmware_bridge.hx711_guarded import GuardedHX711  # noqa: E402
from tests.firmware_bridge.hx711_fake import FakeHX711, VirtualClock  # noqa: E402

S = 1_000_000_000
RATE_HZ = 80
AT_REST = 40
"""So many samples at the beginning and at the end are of a board at rest: they come again before and after."""


class Chips:
    """Both chips on one virtual clock that never runs ahead of the real one for long, nor behind it."""

    def __init__(self, samples: Path, begin: float) -> None:
        rows = [line.split(",") for line in samples.read_text().splitlines()]
        self.clock = VirtualClock([2_000])
        self.clock.t = time.monotonic_ns()
        self._begin = begin
        self.low, self.high = (self._chip([int(row[cell]) for row in rows]) for cell in (0, 1))

    def _chip(self, counts: list[int]) -> GuardedHX711:
        fake = FakeHX711(self.clock, RATE_HZ)

        def bits(_index: int) -> int:
            at = int((self.clock.t / S - self._begin) * RATE_HZ)
            if at < 0:  # at rest, with its noise
                at %= AT_REST
            elif at >= len(counts):
                at = len(counts) - 1 - at % AT_REST
            return counts[at] & 0xFFFFFF

        fake.bits_of = bits
        return GuardedHX711(*fake.pins(), clock_ns=self.clock.monotonic_ns)

    def catch_up(self) -> None:
        self.clock.t = max(self.clock.t, time.monotonic_ns())


class PacedLoop(ReaderLoop):
    """The reader's loop; before each step virtual time catches up with real time."""

    chips: Chips

    def step(self) -> float:
        self.chips.catch_up()
        rest = super().step()
        return rest + max(0.0, self.chips.clock.t / S - time.monotonic())


def main() -> int:
    pipe = keep_stdout()
    chips = Chips(Path(sys.argv[1]), float(sys.argv[2]))
    PacedLoop.chips = chips
    import firmware_bridge.gpio_process as process

    process.ReaderLoop = lambda low, high, write: PacedLoop(low, high, write, chips.clock.monotonic)
    assert len(set(sys.argv[3:])) == 4
    return serve(lambda: (chips.low, chips.high, "pins made of software"), pipe)


if __name__ == "__main__":
    sys.exit(main())
