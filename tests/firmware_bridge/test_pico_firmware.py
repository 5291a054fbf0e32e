"""The Pico's program through a pseudo-terminal into the reader on the Pi, whatever happens on the way."""

import os
import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from firmware_bridge.link_lines import decode
from firmware_bridge.pico_reader import PicoReader, SerialPort
from firmware_bridge.samples import RawSample
from tests.firmware_bridge import pico_firmware
from tests.firmware_bridge.hx711_fake import FakeHX711, VirtualClock

LATER_S = 5000.0
"""By so much the Pi's clock is ahead of the Pico's."""
LATENCY_S = 0.002
APART_S = 0.6 / 80 / 2 + 0.004
"""A pair's time is the middle of two readings at most 0.6 of a period apart; the rest is how exact times are."""


class Pico:
    """A Pico that has just been switched on, and what it will print."""

    def __init__(self, seconds: float, asks: tuple[float, ...] = (), seed: int = 1, rate_hz: float = 80.0) -> None:
        clock = VirtualClock()
        self.low = FakeHX711(clock, rate_hz, bits_of=lambda i: (i + seed) * 0x9E3779)
        self.high = FakeHX711(clock, rate_hz * 1.013, bits_of=lambda i: (i + seed) * 0x7F4A7D)
        self.lines = pico_firmware.run(self.low, self.high, seconds, asks)

    def check(self, samples: list[RawSample]) -> None:
        """Every value is one that the chip converted, at that time."""
        for sample in samples:
            for counts, chip in ((sample.low, self.low), (sample.high, self.high)):
                if counts is not None:
                    assert abs(chip.truth[counts] + LATER_S - sample.t) < APART_S


class Cable:
    """A pseudo-terminal: the Pico's end, and a reader at the other, which reads all that is sent at once."""

    def __init__(self) -> None:
        self.now = LATER_S
        self.received = self.sent = 0
        self.plug_in()
        self.reader = PicoReader(self._connect, clock=lambda: self.now, sleep=lambda _: None)
        self.samples: list[RawSample] = []
        self.step()

    def plug_in(self) -> None:
        self.master, slave = os.openpty()
        self.device = os.ttyname(slave)
        self._slave = slave  # kept until the reader has it, or the terminal would close again
        self.plugged = True

    def unplug(self) -> None:
        self.plugged = False
        os.close(self.master)
        os.close(self._slave)
        self.step()

    def _connect(self) -> SerialPort:
        if not self.plugged:
            raise OSError("no Pico at any USB port")
        cable = self

        class Counting(SerialPort):
            def read(self) -> bytes:
                data = super().read()
                cable.received += len(data)
                return data

        return Counting(self.device)

    def step(self) -> None:
        self.samples += self.reader.step()

    def send(self, t: float, data: bytes) -> None:
        self.now = max(self.now, LATER_S + t + LATENCY_S)
        self.sent += len(data)
        while data:
            data = data[os.write(self.master, data) :]
        while self.received < self.sent:
            self.step()

    def wait(self, seconds: float, steps: int = 10) -> None:
        for _ in range(steps):
            self.now += seconds / steps
            self.step()

    def close(self) -> None:
        self.reader.close()
        if self.plugged:
            os.close(self.master)
            os.close(self._slave)


@pytest.fixture
def cable() -> Iterator[Cable]:
    made = Cable()
    yield made
    made.close()


@pytest.fixture(scope="module")
def pico() -> Pico:
    return Pico(12.0)


def in_pairs(samples: list[RawSample]) -> int:
    return sum(s.low is not None and s.high is not None for s in samples)


def test_lines_are_numbered_and_checked_and_the_version_comes_first(pico: Pico) -> None:
    lines = [decode(line) for _, line in pico.lines]
    assert all(lines)
    assert lines[0] is not None
    assert lines[0][:3] == ["V", "1", "1.0"]
    numbers = [int(fields[1]) for fields in lines[1:] if fields]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 11 * 80


def test_the_version_is_said_on_request() -> None:
    kinds = [line[:1] for _, line in Pico(3.0, asks=(1.5, 2.0)).lines]
    assert kinds.count(b"V") == 3


@pytest.mark.parametrize("rate_hz", [10.0, 80.0])
def test_what_the_chips_convert_arrives_in_pairs_with_its_time(cable: Cable, rate_hz: float) -> None:
    pico = Pico(20.0 if rate_hz < 80 else 6.0, rate_hz=rate_hz)
    for t, line in pico.lines:
        cable.send(t, line)
    health = cable.reader.health
    given = [s for s in cable.samples if s.low is not None or s.high is not None]
    if rate_hz == 80:
        pico.check(given)
    assert all(s.low in pico.low.truth or s.low is None for s in given)
    assert all(a.t < b.t for a, b in pairwise(cable.samples))
    assert in_pairs(given) > 0.85 * pico.low.conversions
    assert (health.counts.garbled, health.counts.missed, health.counts.repeated, health.late) == (0, 0, 0, 0)
    assert health.connected
    assert health.version is not None
    assert not health.poor


def test_times_do_not_jump_although_lines_are_held_up(cable: Cable, pico: Pico) -> None:
    rng = random.Random(4)
    for t, line in pico.lines:
        cable.send(t + (rng.random() * 0.02 if rng.random() < 0.3 else 0), line)
    pairs = [s for s in cable.samples if s.low is not None and s.high is not None]
    pico.check(pairs)
    steps = [b.t - a.t for a, b in pairwise(pairs)]
    one_period = [step for step in steps if step < 1.3 * 0.0125]
    assert len(one_period) > 0.9 * len(steps)
    assert min(one_period) > 0.7 * 0.0125


class Trouble:
    """What may happen to lines on their way."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.done = {"garbled": 0, "cut": 0, "repeated": 0, "lost": 0}

    def on(self, line: bytes, before: list[bytes]) -> bytes:
        rng, done = self._rng, self.done
        fate = rng.random()
        if fate < 0.03:
            done["garbled"] += 1
            at = rng.randrange(len(line) - 1)
            return line[:at] + bytes([line[at] ^ 1 << rng.randrange(7)]) + line[at + 1 :]
        if fate < 0.06:
            done["cut"] += 1
            return line[: rng.randrange(1, len(line) - 1)] + b"\n" * rng.randrange(2)
        if fate < 0.12:
            again = 1 if fate < 0.09 else len(before)
            done["repeated"] += again
            return line * 2 if again == 1 else b"".join(before) + line
        if fate < 0.14:
            done["lost"] += 1
            return b""
        if fate < 0.16:
            return rng.randbytes(rng.randrange(200)) + b"\n" + line
        return line


def test_garbled_cut_and_repeated_lines_give_no_wrong_sample(cable: Cable, pico: Pico) -> None:
    trouble = Trouble(2)
    for i, (t, line) in enumerate(pico.lines):
        sound = i < 20 or i == len(pico.lines) - 1
        cable.send(t, line if sound else trouble.on(line, [old for _, old in pico.lines[i - 6 : i]]))
    done = trouble.done
    health = cable.reader.health
    given = [s for s in cable.samples if s.low is not None or s.high is not None]
    pico.check(given)
    assert len(given) > 0.7 * pico.low.conversions
    assert min(done.values()) > 5
    counts = health.counts
    assert counts.restarts == 0
    assert counts.garbled >= done["garbled"] + done["cut"] - 5
    assert 0.5 * done["repeated"] < counts.repeated <= done["repeated"]
    assert counts.missed >= done["lost"]


def test_a_program_that_starts_again_goes_on_at_once(cable: Cable, pico: Pico) -> None:
    for t, line in pico.lines:
        cable.send(t, line)
    before = len(cable.samples)
    again, started = Pico(4.0, seed=9000), cable.now
    for t, line in again.lines:
        cable.send(started - LATER_S + t, line)
    health = cable.reader.health
    new = [s for s in cable.samples[before:] if s.low is not None or s.high is not None]
    assert health.counts.restarts == 1
    assert health.counts.missed == 0
    assert in_pairs(new) > 0.8 * again.low.conversions
    for sample in new:
        assert sample.low is None or abs(again.low.truth[sample.low] + started - sample.t) < APART_S


def test_a_program_whose_version_line_was_lost_is_known_by_its_numbers(cable: Cable, pico: Pico) -> None:
    for t, line in pico.lines[:500]:
        cable.send(t, line)
    again, started = Pico(3.0, seed=9000), cable.now
    for t, line in again.lines[1:]:
        cable.send(started - LATER_S + t, line)
    assert cable.reader.health.counts.restarts == 1
    assert cable.samples[-1].low in again.low.truth or cable.samples[-1].high in again.high.truth


def test_unplugging_shows_as_silence_and_plugging_in_again_goes_on(cable: Cable, pico: Pico) -> None:
    for t, line in pico.lines[:400]:
        cable.send(t, line)
    cable.unplug()
    gone = cable.now
    assert not cable.reader.health.connected
    cable.wait(3.0, 60)
    silence = [s for s in cable.samples if s.t > gone]
    assert len(silence) > 10
    assert all((s.low, s.high) == (None, None) for s in silence)
    assert cable.reader.health.trouble == "no Pico at any USB port"
    cable.plug_in()
    cable.wait(1.5)
    assert cable.reader.health.connected
    assert os.read(cable.master, 10) == b"V\n"
    again, started = Pico(4.0, seed=9000), cable.now
    for t, line in again.lines:
        cable.send(started - LATER_S + t, line)
    assert in_pairs([s for s in cable.samples if s.t > started]) > 0.7 * again.low.conversions
    assert cable.reader.health.opened == 2
    assert cable.reader.health.trouble is None


def test_a_pico_that_says_nothing_is_opened_again(cable: Cable) -> None:
    cable.wait(3.5, 5)
    assert cable.reader.health.trouble == "no line came for 3 s"
    cable.wait(1.5, 2)
    assert cable.reader.health.opened == 2


def test_what_is_not_the_programs_is_not_called_silence(cable: Cable) -> None:
    trouble = None
    for _ in range(40):
        os.write(cable.master, b"Traceback (most recent call last):\r\nImportError: no module named 'x'\r\n")
        cable.wait(0.1, 2)
        trouble = trouble or cable.reader.health.trouble
    assert trouble is not None
    assert "is its program on it, and the library" in trouble
    assert not cable.samples or all((s.low, s.high) == (None, None) for s in cable.samples)


def test_a_library_that_is_missing_is_named_with_what_to_do(cable: Cable) -> None:
    clock = VirtualClock()
    for t, line in pico_firmware.run(FakeHX711(clock), FakeHX711(clock), 3.0, library=False):
        cable.send(t, line)
    assert "circup install adafruit_hx711" in (cable.reader.health.trouble or "")


def test_a_missing_chip_is_none_while_the_other_goes_on(cable: Cable) -> None:
    clock = VirtualClock()
    low, high = FakeHX711(clock), FakeHX711(clock)
    high.data = lambda: bool(clock.tick())  # type: ignore[method-assign]
    for t, line in pico_firmware.run(low, high, 5.0):
        cable.send(t, line)
    given = [s for s in cable.samples if s.low is not None]
    assert len(given) > 350
    assert all(s.high is None for s in cable.samples)


def test_both_chips_missing_is_silence_but_the_pico_is_there(cable: Cable) -> None:
    clock = VirtualClock()
    low, high = FakeHX711(clock), FakeHX711(clock)
    high.data = low.data = lambda: bool(clock.tick())  # type: ignore[method-assign]
    for t, line in pico_firmware.run(low, high, 5.0):
        cable.send(t, line)
    assert cable.reader.health.connected
    assert len(cable.samples) > 10
    assert all((s.low, s.high) == (None, None) for s in cable.samples)


def test_a_chip_that_resets_itself_in_the_middle_of_readings_gives_nothing_wrong(cable: Cable) -> None:
    clock, rng = VirtualClock(), random.Random(6)
    low, high = FakeHX711(clock), FakeHX711(clock)
    data = low.data

    def failing() -> bool:
        if low.in_reading and rng.random() < 0.001:
            low.brown_out(clock.t)
        return data()

    low.data = failing  # type: ignore[method-assign]
    for t, line in pico_firmware.run(low, high, 20.0):
        cable.send(t, line)
    assert all(s.low is None or s.low in low.truth for s in cable.samples)
    assert sum(s.low is not None for s in cable.samples) > 500
    assert cable.reader.health.counts.cut_short > 5
