"""The guarded driver against a chip at the level of its pins: every value right, or none."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_bridge.drops import Drop
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN
from tests.firmware_bridge.hx711_fake import MS, FakeHX711, VirtualClock, costs_ns

EDGES = sorted(
    {0, -1, 1, COUNTS_MIN, COUNTS_MAX, COUNTS_MIN + 1, COUNTS_MAX - 1, 0x2AAAAA, -0x2AAAAB, 0x555555, -0x555556}
    | {sign * (1 << bit) + off for bit in range(23) for sign in (1, -1) for off in (-1, 0, 1)}
)
POLL_S = 0.001
IN_TIME_S = 0.007


def readings(reader: Any, clock: VirtualClock, until_ns: int) -> Iterator[Any]:
    while clock.t < until_ns:
        reading = reader.poll()
        if reading is None:
            clock.sleep(reader.rest_s())
        else:
            yield reading


def read_all(make: Any, values: list[int]) -> list[int]:
    clock = VirtualClock()
    chip = FakeHX711(clock, bits_of=lambda i: values[i - 3] if 3 <= i < 3 + len(values) else i)
    reader = make(chip)
    got = [r.counts for r in readings(reader, clock, clock.t + (len(values) + 9) * chip.period_ns)]
    assert set(reader.drops) <= {Drop.STARTING, Drop.GONE_BY}
    return got[: len(values)]


def test_every_bit_and_every_edge_of_the_range_is_read_with_its_sign(guarded: Any) -> None:
    assert read_all(guarded, EDGES) == EDGES


def test_values_from_all_over_the_range_are_read_exactly(guarded: Any) -> None:
    values = list(range(COUNTS_MIN, COUNTS_MAX + 1, 8191))
    assert len(values) > 2000
    assert read_all(guarded, values) == values


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(values=st.lists(st.integers(COUNTS_MIN, COUNTS_MAX), min_size=1, max_size=20))
def test_whatever_the_chip_converts_is_read_exactly(guarded: Any, values: list[int]) -> None:
    assert read_all(guarded, values) == values


@pytest.mark.parametrize("rate_hz", [10.0, 80.0])
def test_no_conversion_is_thrown_away_on_a_quiet_machine_and_few_looks_are_taken(guarded: Any, rate_hz: float) -> None:
    clock = VirtualClock()
    chip = FakeHX711(clock, rate_hz)
    reader, looks = guarded(chip), 0
    poll = reader.poll

    def counted() -> Any:
        nonlocal looks
        looks += 1
        return poll()

    reader.poll = counted
    got = list(readings(reader, clock, clock.t + 400 * chip.period_ns))
    assert len(got) > 390
    assert looks < 15 * 400


def test_a_clock_held_high_for_60_us_powers_the_chip_down_and_the_reading_is_void_until_it_has_settled(
    guarded: Any,
) -> None:
    clock = VirtualClock()
    chip = FakeHX711(clock)
    reader = guarded(chip)
    got = list(readings(reader, clock, clock.t + 10**9))
    reader._clock_pin.value = True
    clock.sleep(61e-6)
    assert reader._data_pin.value
    reader._clock_pin.value = False
    woken = clock.t
    got += list(readings(reader, clock, clock.t + 10**9))
    assert wrong(got, chip) == []
    assert not [r for r in got if woken < r.t * 1e9 < woken + 4 * chip.period_ns - MS]
    assert chip.gain == 25
    assert len(got) > 140


@pytest.mark.parametrize("rate_hz", [10.0, 80.0])
def test_a_reading_has_the_time_at_which_it_was_ready(guarded: Any, rate_hz: float) -> None:
    clock = VirtualClock()
    chip = FakeHX711(clock, rate_hz)
    got = list(readings(guarded(chip), clock, clock.t + 40 * chip.period_ns))
    assert len(got) > 30
    assert all(abs(r.t - chip.truth[r.counts]) < 2 * POLL_S for r in got)


def wrong(got: list[Any], chip: FakeHX711) -> list[Any]:
    return [r for r in got if r.counts not in chip.truth or abs(r.t - chip.truth[r.counts]) > IN_TIME_S]


def oversleeping(rng: random.Random, one_in: int) -> Callable[[], int]:
    return lambda: int(rng.expovariate(1 / (3 * MS))) if rng.random() < 1 / one_in else 0


@pytest.mark.parametrize("microcontroller", ["no interrupts"], indirect=True)
@pytest.mark.parametrize(
    ("reads", "one_in", "most_lost"),
    [(65_000, 20_000, 0.07), (35_000, 2_000, 0.2), (10_000, 300, 0.6)],
    ids=["little load", "load", "heavy load"],
)
def test_no_wrong_value_is_accepted_however_late_the_machine_is(
    guarded: Any, reads: int, one_in: int, most_lost: float
) -> None:
    rng = random.Random(reads)
    clock = VirtualClock(costs_ns(one_in, one_in), oversleeping(rng, 50))
    chip = FakeHX711(clock)
    reader = guarded(chip)
    got = list(readings(reader, clock, clock.t + reads * chip.period_ns))
    assert wrong(got, chip) == []
    assert len(got) + reader.lost == pytest.approx(reads, rel=0.02)
    share = reader.lost / (len(got) + reader.lost)
    clocked_out = len(got) + reader.lost - reader.drops[Drop.GONE_BY]
    assert clocked_out > 0.6 * reads  # over all three, more than 100,000
    print(f"{clocked_out} reads, one operation in {one_in} delayed: {share:.1%} lost, {dict(reader.drops)}")
    assert share < most_lost
    assert reader.drops[Drop.SLOW_CLOCK] > 0


def test_a_chip_that_resets_itself_in_the_middle_of_readings_gives_nothing_wrong(guarded: Any) -> None:
    clock = VirtualClock(costs_ns(1, None))
    rng = random.Random(5)
    chip = FakeHX711(clock)
    reader = guarded(chip)
    got = []
    until = clock.t + 300 * 10**9
    while clock.t < until:
        if rng.random() < 0.01:  # the reading itself takes 0.3 ms, and looks are 1 ms apart
            chip.brown_out(clock.t + rng.randint(0, 500_000))
        reading = reader.poll()
        if reading is None:
            clock.sleep(POLL_S)
        else:
            got.append(reading)
    assert len(got) > 1000
    assert reader.drops[Drop.CUT_SHORT] > 100
    assert wrong(got, chip) == []


@pytest.mark.parametrize(("high_us", "dropped"), [(40, 0), (55, 1), (70, 1)])
def test_a_reading_with_one_pulse_too_long_is_dropped(guarded: Any, high_us: int, dropped: int) -> None:
    clock = VirtualClock()
    chip = FakeHX711(clock)
    reader = guarded(chip)
    set_clock, pulses = chip.set_clock, iter(range(10**9))

    def slow_once(high: bool) -> None:
        if not high and next(pulses) == 25 * 20 + 7:
            clock.sleep(high_us / 1e6)
        set_clock(high)

    reader._clock_pin._write = slow_once
    got = list(readings(reader, clock, clock.t + 10**9))
    assert reader.drops[Drop.SLOW_CLOCK] == dropped
    assert len(got) > 60
    assert wrong(got, chip) == []


def test_noise_on_the_clock_wire_gives_nothing_wrong(guarded: Any) -> None:
    clock = VirtualClock()
    chip = FakeHX711(clock)
    reader = guarded(chip)
    rng = random.Random(7)
    set_clock = chip.set_clock

    def noisy(high: bool) -> None:
        set_clock(high)
        if not high and rng.random() < 0.001:
            set_clock(True)
            set_clock(False)

    reader._clock_pin._write = noisy
    got = list(readings(reader, clock, clock.t + 60 * 10**9))
    assert len(got) > 1000
    assert reader.drops[Drop.CUT_SHORT] > 10
    assert wrong(got, chip) == []


def test_a_data_wire_that_touches_ground_ends_the_readings_at_once(guarded: Any) -> None:
    clock = VirtualClock()
    chip = FakeHX711(clock)
    reader = guarded(chip)
    at, data = clock.t + 10**9, chip.data
    reader._data_pin._read = lambda: data() and clock.t < at
    got = list(readings(reader, clock, at + 10**9))
    assert got
    assert got[-1].t < at / 1e9
    assert wrong(got, chip) == []
    assert reader.drops[Drop.LOOSE_WIRE] > 0


def test_a_line_that_falls_during_the_last_pulse_is_no_good_reading(guarded: Any) -> None:
    clock = VirtualClock()
    chip = FakeHX711(clock)
    reader = guarded(chip)
    data = chip.data
    reader._data_pin._read = lambda: data() and not (chip._pulses >= 25 and chip.conversions == 30)
    list(readings(reader, clock, clock.t + 10**9))
    assert reader.drops[Drop.BAD_TAIL] == 1


def without_chip(clock: VirtualClock, level: Callable[[], bool]) -> FakeHX711:
    chip = FakeHX711(clock)
    chip.data = lambda: bool(clock.tick()) and level()  # type: ignore[method-assign]
    return chip


@pytest.mark.parametrize(
    ("level", "why"),
    [
        (lambda rng: True, Drop.NO_DATA),
        (lambda rng: False, Drop.LOOSE_WIRE),
        (lambda rng: rng.random() < 0.5, Drop.LOOSE_WIRE),
        (lambda rng: rng.random() < 0.98, Drop.LOOSE_WIRE),
    ],
    ids=["stays high", "stays low", "floats", "floats, mostly high"],
)
def test_a_missing_chip_gives_no_reading_and_holds_nobody_up(guarded: Any, level: Any, why: Drop) -> None:
    clock = VirtualClock()
    rng = random.Random(3)
    reader = guarded(without_chip(clock, lambda: level(rng)))
    assert list(readings(reader, clock, clock.t + 20 * 10**9)) == []
    assert reader.drops.most_common(1)[0][0] is why


def test_a_chip_that_is_plugged_in_later_is_read(guarded: Any) -> None:
    clock = VirtualClock()
    chip = FakeHX711(clock)
    there, data = clock.t + 3 * 10**9, chip.data
    chip.data = lambda: data() if clock.t > there else bool(clock.tick())  # type: ignore[method-assign]
    got = list(readings(guarded(chip), clock, there + 10**9))
    assert got
    assert wrong(got, chip) == []


class TestTheDriversOwnInterface:
    def test_read_gives_signed_values_and_loses_none_in_between(self, guarded: Any) -> None:
        clock = VirtualClock()
        chip = FakeHX711(clock, bits_of=lambda i: -1000 - i)
        reader = guarded(chip)
        got = [reader.read() for _ in range(20)]
        assert got == list(range(got[0], got[0] - 20, -1))
        assert got[0] < -1000

    def test_the_tare_is_taken_off(self, guarded: Any) -> None:
        reader = guarded(FakeHX711(VirtualClock(), bits_of=lambda i: 5000))
        reader.tare_value_a = 200
        assert reader.read() == 4800

    @pytest.mark.parametrize("pulses", [26, 27])
    def test_another_gain_is_used_once_the_chip_has_changed_to_it(self, guarded: Any, pulses: int) -> None:
        chip = FakeHX711(VirtualClock(), bits_of=lambda i: 5000)
        reader = guarded(chip)
        assert reader.read(pulses) == 5000 ^ 0x5A5A5A
        assert chip.gain == pulses
        assert reader.read(25) == 5000
        assert chip.gain == 25

    def test_a_missing_chip_is_an_error_within_seconds(self, guarded: Any) -> None:
        clock = VirtualClock()
        reader = guarded(without_chip(clock, lambda: True))
        before = clock.t
        with pytest.raises(guarded.NoReading, match=r"no reading within 3 s \(no data\): check its wires"):
            reader.read()
        assert clock.t - before < 4 * 10**9
