"""The reader process and its parent: killed when it hangs, started again, and never a wrong sample."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from companion.errors import BadInput
from firmware_bridge.gpio_process import ReaderLoop
from firmware_bridge.gpio_reader import GpioReader, ReaderProcess
from firmware_bridge.readers import LoadSource, SimulatedReader
from firmware_bridge.sample_link import SampleLink
from firmware_bridge.samples import RawSample
from tests.firmware_bridge.hx711_fake import FakeHX711, VirtualClock, costs_ns

FAKE = Path(__file__).with_name("gpio_fake_process.py")
PATIENCE_S = 60.0
"""Only so that a test that will never pass ends."""


def take_until(reader: GpioReader, done: Callable[[list[RawSample]], bool]) -> list[RawSample]:
    samples: list[RawSample] = []
    until = time.monotonic() + PATIENCE_S
    while not done(samples):
        assert time.monotonic() < until, reader.health
        samples += reader.step()
    return samples


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[str], GpioReader]]:
    made: list[GpioReader] = []

    def reader(fate: str) -> GpioReader:
        command = [sys.executable, str(FAKE), str(tmp_path / "started"), fate]
        made.append(GpioReader((5, 6), (13, 19), command=command, deadline_s=1.5))
        return made[-1]

    yield reader
    for one in made:
        one.close()


@pytest.mark.parametrize("fate", ["hang", "end"])
def test_a_process_that_hangs_or_ends_is_started_again_and_the_gap_shows(
    make: Callable[[str], GpioReader], fate: str
) -> None:
    reader = make(fate)
    first = take_until(reader, lambda s: any(x.high == -30 for x in s))
    process = reader.process
    assert process is not None
    rest = take_until(reader, lambda s: any(x.high == -30 for x in s))
    assert reader.process is not None
    assert reader.process.pid != process.pid
    assert not Path(f"/proc/{process.pid}").exists()
    samples = first + rest
    assert all(a.t < b.t for a, b in pairwise(samples))
    readings = [s for s in samples if s.low is not None or s.high is not None]
    gap = [s for s in samples if (s.low, s.high) == (None, None) and readings[0].t < s.t < readings[-1].t]
    assert len(gap) >= 3
    health = reader.health
    assert health.opened == 2
    assert health.version in [f"gpio at {how} priority (driver fake)" for how in ("real-time", "raised", "normal")]
    assert health.counts.restarts == 1
    assert health.counts.garbled == 0
    assert health.trouble is None


def test_what_a_process_says_when_it_ends_is_told(make: Callable[[str], GpioReader]) -> None:
    reader = make("end")
    take_until(reader, lambda _: reader.health.trouble is not None)
    assert reader.health.trouble == "the GPIO reader stopped (RuntimeError): the pins are gone"


def test_reasons_for_losses_are_passed_on(make: Callable[[str], GpioReader]) -> None:
    reader = make("")
    take_until(reader, lambda _: bool(reader.health.reasons))
    assert reader.health.reasons == {"late": (3, 3)}


def test_closing_ends_the_iteration_and_the_process(make: Callable[[str], GpioReader]) -> None:
    source: LoadSource = make("")
    taken = []
    for sample in source:
        taken.append(sample)
        if len(taken) == 5:
            source.close()
            source.close()
    process = source.process  # type: ignore[attr-defined]
    assert not Path(f"/proc/{process.pid}").exists()


def test_without_gpio_pins_it_says_so_and_what_blinka_prints_is_no_line() -> None:
    reader = GpioReader((500, 501), (502, 503))
    with closing(reader):
        take_until(reader, lambda _: reader.health.trouble is not None)
        assert "no GPIO pin 500; is it a Raspberry Pi?" in (reader.health.trouble or "")
        assert reader.health.counts.garbled == 0


def test_without_gpio_pins_one_line_is_said_and_it_is_tried_again_less_and_less_often(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with closing(GpioReader((500, 501), (502, 503))) as reader:
        took = []
        for tries in (1, 2, 3):
            take_until(reader, lambda _, n=tries: reader.health.opened == n)  # type: ignore[misc]
            took.append(time.monotonic())
            take_until(reader, lambda _: not reader.health.connected)
            assert "is it a Raspberry Pi?" in (reader.health.trouble or "")
    assert took[2] - took[1] > took[1] - took[0] > 1.0
    assert [r.getMessage() for r in caplog.records] == [f"load cells: {reader.health.trouble}"]
    assert capfd.readouterr() == ("", "")


def test_a_process_that_cannot_be_started_is_an_error_of_the_source_not_of_the_table() -> None:
    reader = GpioReader((5, 6), (13, 19), command=["/nowhere/python"])
    with closing(reader):
        take_until(reader, lambda s: len(s) > 2)
        assert "/nowhere/python" in (reader.health.trouble or "")


def test_a_process_ends_when_nobody_listens_any_more(tmp_path: Path) -> None:
    process = ReaderProcess([sys.executable, str(FAKE), str(tmp_path / "started"), ""])
    with closing(process):
        while not process.read():
            pass
        process._pipe.close()
        assert process._process.wait(timeout=PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [((5, None), (13, 19), "low\\] clock_pin: missing"), ((5, 6), (13, 6), "each of the four must be another")],
)
def test_pins_that_cannot_be_right_are_refused(low: Any, high: Any, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        GpioReader(low, high)


def test_samples_made_by_software_are_a_source() -> None:
    samples = [RawSample(t / 80, t, -t) for t in range(5)]
    source: LoadSource = SimulatedReader(samples)
    assert list(source) == samples
    source.close()
    assert list(source) == []


class TestTwoChipsInOneLoop:
    """The loop over real driver and fake chips, into the link that the parent uses."""

    def run(self, guarded: Any, low: FakeHX711, high: FakeHX711, seconds: float) -> tuple[list[RawSample], SampleLink]:
        clock = low.clock
        link = SampleLink(foreign_clock=False, unconfirmed=False)
        samples: list[RawSample] = []
        now = lambda: clock.t / 1e9  # noqa: E731
        loop = ReaderLoop(guarded(low), guarded(high), lambda line: samples.extend(link.feed(line, now())), now)
        until = now() + seconds
        while now() < until:
            clock.sleep(loop.step())
        return samples, link

    @pytest.mark.parametrize("ratio", [1.0, 1.02, 0.97])
    def test_readings_are_paired_by_their_times(self, guarded: Any, ratio: float) -> None:
        clock = VirtualClock()
        low, high = FakeHX711(clock), FakeHX711(clock, 80 * ratio)
        samples, link = self.run(guarded, low, high, 10)
        pairs = [s for s in samples if s.low is not None and s.high is not None]
        assert len(pairs) > 0.9 * min(low.conversions, high.conversions)
        assert all(a.t < b.t for a, b in pairwise(samples))
        for s in pairs:
            times = low.truth[s.low or 0], high.truth[s.high or 0]
            assert abs(times[0] - times[1]) < 0.6 * 0.0125 + 0.001
            assert abs(sum(times) / 2 - s.t) < 0.001
        assert link.lost_shares == pytest.approx((0, 0), abs=0.02)

    def test_a_chip_that_is_missing_is_none_and_the_other_goes_on(self, guarded: Any) -> None:
        clock = VirtualClock()
        low, high = FakeHX711(clock), FakeHX711(clock)
        high.data = lambda: bool(clock.tick())  # type: ignore[method-assign]
        samples, _ = self.run(guarded, low, high, 5)
        assert len(samples) > 350
        assert all(s.high is None and s.low in low.truth for s in samples)

    def test_the_share_that_is_lost_under_load_is_told(self, guarded: Any) -> None:
        clock = VirtualClock(costs_ns(3, 1000))
        low, high = FakeHX711(clock), FakeHX711(clock)
        samples, link = self.run(guarded, low, high, 30)
        assert all(s.low is None or s.low in low.truth for s in samples)
        share = link.lost_shares[0]
        assert share is not None
        assert 0.05 < share < 0.5
        assert link.reasons["slow clock"][0] > 0
