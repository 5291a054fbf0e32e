"""What reading two load cells on GPIO pins costs, in real time and with fake chips: run by hand.

`python tests/bench/cost_of_reading.py [--seconds 60] [--rate 80] [--real-time]`

The reader process runs the guarded driver over pins made of software, at the pace of real chips; the bridge runs in
this process. Printed are the processor time of both (as /proc has it), what the fake pins have of it, and how often a
pin is used: on a Pi that costs what its pins cost, which nothing here can tell. `--busy N` runs N processes beside them
that do nothing but compute.
"""

import argparse
import importlib
import multiprocessing
import os
import sys
import time
from pathlib import Path
from types import ModuleType

if __name__ == "__main__" and not sys.flags.safe_path:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from firmware_bridge import gpio_process
from firmware_bridge.gpio_reader import GpioReader
from firmware_bridge.samples import CellCalibration, LoadCells
from firmware_bridge.tracker import LoadTracker
from tests.firmware_bridge.hx711_fake import FakeHX711

CELL = CellCalibration(0.0, 440.0)
BOARD_COUNTS = 172_000
COUNTED_EVERY_S = 0.25


class RealClock:
    """The machine's clock in the place of a virtual one, which counts how often it is looked at by the fake pins."""

    def __init__(self) -> None:
        self.ticks = 0
        self.t = time.monotonic_ns()

    def tick(self) -> int:
        self.ticks += 1
        return time.monotonic_ns()


def chip_and_reader(rate_hz: float, clock: RealClock, seed: int) -> object:
    """A guarded driver over a fake chip, with a board's weight and some noise on it."""
    made = FakeHX711(clock, rate_hz, bits_of=lambda i: BOARD_COUNTS + (i * seed) % 61)  # type: ignore[arg-type]
    made.truth = _Forgetful()
    guarded = importlib.import_module("firmware_bridge.hx711_guarded")
    return guarded.GuardedHX711(*made.pins())


class _Forgetful(dict[int, float]):
    def __setitem__(self, key: int, value: float) -> None:
        pass


def run_reader(rate_hz: float, real_time: bool, counts_to: Path) -> int:
    """The reader process, which writes down now and then how often its pins were used."""
    for name in ("digitalio", "board", "microcontroller"):
        sys.modules[name] = ModuleType(name)
    sys.modules["digitalio"].DigitalInOut = object  # type: ignore[attr-defined]
    pipe = gpio_process.keep_stdout()
    if not real_time:
        gpio_process.raise_priority = lambda: "normal"
    clock = RealClock()
    chips = [chip_and_reader(rate_hz * (1 + 0.01 * i), clock, 7 + 4 * i) for i in range(2)]
    said = [0.0]
    plain_write = os.write

    def write(to: int, line: bytes) -> int:
        if time.monotonic() - said[0] > COUNTED_EVERY_S:
            said[0] = time.monotonic()
            counts_to.write_text(str(clock.ticks))
        return plain_write(to, line)

    os.write = write  # type: ignore[assignment]
    return gpio_process.serve(lambda: (chips[0], chips[1], "fake"), pipe)  # type: ignore[return-value,arg-type]


def cost_of_a_fake_pin_s() -> float:
    """Processor time of one use of a fake pin, on average over a reading."""
    data, pin = FakeHX711(RealClock(), 1e-3).pins()  # type: ignore[arg-type]
    best = float("inf")
    for _ in range(7):
        began = time.process_time()
        for _ in range(3000):
            pin.value = True
            pin.value = False
            data.value  # noqa: B018
        best = min(best, time.process_time() - began)
    return best / 9000


def cpu_s(pid: int) -> float:
    """Processor time of a process so far, by /proc."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compute() -> None:
    while True:
        sum(range(1000))


def measure(seconds: float, rate_hz: float, real_time: bool, busy: int) -> None:
    counts = Path(f"/tmp/cost_of_reading.{os.getpid()}")
    command = [sys.executable, __file__, "--child", str(counts), "--rate", str(rate_hz)]
    others = [multiprocessing.Process(target=compute, daemon=True) for _ in range(busy)]
    for other in others:
        other.start()
    reader = GpioReader((5, 6), (13, 19), command=command + (["--real-time"] if real_time else []))
    tracker = LoadTracker(LoadCells(CELL, CELL, rate_hz, 6.0))
    try:
        warm_until = time.monotonic() + 6.0
        while time.monotonic() < warm_until:
            for sample in reader.step():
                tracker.feed(sample)
        assert reader.process is not None, reader.health
        pid, samples = reader.process.pid, 0
        began, theirs, ours, ticks = time.monotonic(), cpu_s(pid), time.process_time(), int(counts.read_text())
        reasons = reader.health.reasons
        while time.monotonic() < began + seconds:
            for sample in reader.step():
                samples += 1
                tracker.feed(sample)
        took, health = time.monotonic() - began, reader.health
        theirs, ours = (cpu_s(pid) - theirs) / took, (time.process_time() - ours) / took
        used = (int(counts.read_text()) - ticks) / took
    finally:
        reader.close()
        counts.unlink(missing_ok=True)
        for other in others:
            other.terminate()
    fake = used * cost_of_a_fake_pin_s()
    lost = {
        why: [b - a for a, b in zip(reasons.get(why, (0, 0)), now, strict=True)] for why, now in health.reasons.items()
    }
    share = [sum(per[i] for per in lost.values()) / (rate_hz * took) for i in (0, 1)]
    print(
        f"{took:.0f} s at {rate_hz:g}/s, {samples / took:.1f} samples/s, {busy} busy processes, real-time: {real_time}"
    )
    print(f"reader process {theirs:.2%} of a core, of which the fake pins have {fake:.2%}: {theirs - fake:.2%} without")
    print(f"pins are used {used:.0f} times a second: each microsecond that it takes costs {used * 1e-6:.2%} of a core")
    print(f"bridge {ours:.2%} of a core; both without the fake pins {theirs - fake + ours:.2%}")
    print(f"dropped {share[0]:.2%} and {share[1]:.2%}: {lost}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=80.0)
    parser.add_argument("--real-time", action="store_true", help="let the reader raise its priority")
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        return run_reader(given.rate, given.real_time, given.child)
    measure(given.seconds, given.rate, given.real_time, given.busy)
    return 0


if __name__ == "__main__":
    sys.exit(main())
