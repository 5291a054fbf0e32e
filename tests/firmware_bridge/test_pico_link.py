"""Lines, pairs, clocks and silences, each by itself."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock_map import ASTRAY_S, STEP_S, WARM_UP, ClockMap
from firmware_bridge.link_lines import LONGEST, LineSplitter, decode, encode, sample_line
from firmware_bridge.pace import Pace
from firmware_bridge.pairing import Pairer
from firmware_bridge.sample_link import SampleLink
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, RawSample
from firmware_bridge.timeline import LAG_S, Timeline

COUNTS = st.integers(COUNTS_MIN, COUNTS_MAX) | st.none()


@given(st.integers(0, 2**40), st.integers(0, 2**40), COUNTS, COUNTS)
def test_a_sample_line_says_what_was_put_in(n: int, t_ms: int, low: int | None, high: int | None) -> None:
    fields = decode(encode("S", n, t_ms, low, high, 1, 2))
    assert fields is not None
    line = sample_line(fields)
    assert line is not None
    assert (line.n, line.low, line.high, line.lost_low, line.lost_high) == (n, low, high, 1, 2)
    assert line.t == t_ms / 1000


LINE = encode("S", 4711, 123456, -2345678, 345678, 0, 12)


@given(st.integers(0, len(LINE) - 2), st.integers(0, 255))
def test_a_line_with_one_wrong_byte_is_refused(at: int, byte: int) -> None:
    wrong = LINE[:at] + bytes([byte]) + LINE[at + 1 :]
    assert decode(wrong) is None or wrong == LINE


@given(st.integers(0, len(LINE) - 2), st.integers(0, len(LINE)))
def test_a_line_with_a_piece_missing_is_refused(at: int, length: int) -> None:
    wrong = LINE[:at] + LINE[at + length :]
    assert decode(wrong) is None or wrong.strip() == LINE.strip()


@pytest.mark.parametrize(
    "fields",
    [
        ("S", 1, 1000, 0x800000, 0, 0, 0),
        ("S", 1, "nan", 0, 0, 0, 0),
        ("S", 1, -5, 0, 0, 0, 0),
        ("S", 1, 1000, "x", 0, 0, 0),
        ("S", 1, 1000),
    ],
)
def test_a_line_whose_numbers_cannot_be_is_refused_in_spite_of_its_checksum(fields: tuple[object, ...]) -> None:
    link = SampleLink(foreign_clock=False, unconfirmed=False)
    assert link.feed(encode(*fields), 1.0) == []
    assert link.counts.garbled == 1


@given(st.lists(st.integers(1, 50), max_size=30))
def test_lines_are_whole_however_they_arrive(cuts: list[int]) -> None:
    data, splitter, got, at = LINE * 5, LineSplitter(), [], 0
    for cut in [*cuts, len(data)]:
        got += splitter.feed(data[at : at + cut])
        at += cut
    assert got == [LINE.rstrip(b"\n")] * 5


def test_garbage_without_an_end_is_not_kept() -> None:
    splitter = LineSplitter()
    kept = sum(len(line) for line in splitter.feed(b"x" * (LONGEST + 1)))
    assert kept > LONGEST
    assert splitter.feed(LINE) == [LINE.strip()]


def test_another_protocol_is_refused_and_told() -> None:
    link = SampleLink(foreign_clock=False, unconfirmed=False)
    link.feed(encode("V", 2, "9.9", "1.1.2", "abc"), 1.0)
    assert link.feed(encode("S", 1, 1000, 5, 6, 0, 0), 1.0) == []
    assert "protocol 2, not 1" in (link.trouble or "")


def test_missing_numbers_are_counted() -> None:
    link = SampleLink(foreign_clock=False, unconfirmed=False)
    samples = [s for n in (1, 2, 5, 6) for s in link.feed(encode("S", n, n * 12.5, 5, 6, 0, 0), n / 80)]
    assert [s.t for s in samples] == pytest.approx([n / 80 for n in (1, 2, 5, 6)])
    assert link.counts.missed == 2


class TestClockMap:
    @given(st.integers(0, 2**32), st.sampled_from([-60e-6, 0.0, 60e-6]), st.floats(0.0, 0.03), st.floats(-1e4, 1e4))
    def test_times_are_right_to_a_millisecond_and_never_jump(
        self, seed: int, drift: float, held_up: float, ahead: float
    ) -> None:
        rng, clock, given = random.Random(seed), ClockMap(), []
        for i in range(2000):
            sent = i * 0.0125
            ours = ahead + sent * (1 + drift)
            t = clock.map(round(sent, 3), ours + 0.001 + (held_up * rng.random() if rng.random() < 0.4 else 0))
            if t is not None:
                given.append(t)
                assert t - ours < 0.032
                if i > 200:
                    assert abs(t - ours - 0.001) < 0.0035
        assert len(given) == 2000 - WARM_UP
        # a millisecond is how finely the time is told; before the least delay is known it may be found in steps
        assert all(abs(b - a - 0.0125) < STEP_S + 0.00125 for a, b in pairwise(given))

    def test_a_stall_does_not_shift_the_times_after_it(self) -> None:
        clock = ClockMap()
        for i in range(100):
            clock.map(i / 80, 50 + i / 80)
        for i in range(100, 260):
            clock.map(i / 80, 50 + 260 / 80)
        assert clock.map(300 / 80, 50 + 300 / 80) == pytest.approx(50 + 300 / 80, abs=0.001)

    def test_a_clock_that_was_set_anew_is_followed(self) -> None:
        clock = ClockMap()
        for i in range(100):
            clock.map(100 + i / 80, 50 + i / 80)
        t = None
        for i in range(100, 200 + int(ASTRAY_S * 80)):
            t = clock.map(i / 80, 50 + i / 80)
        assert t == pytest.approx(50 + i / 80, abs=0.002)

    def test_a_line_is_never_of_the_future(self) -> None:
        clock = ClockMap()
        for i in range(20):
            clock.map(i / 80, 51 + i / 80)
        assert clock.map(20 / 80, 50 + 20 / 80) == pytest.approx(50 + 20 / 80)


class TestPairs:
    def test_a_late_partner_is_none(self) -> None:
        pairer = Pairer()
        assert pairer.add(0.0, 1, None) == []
        assert pairer.add(0.0125, 2, None) == [RawSample(0.0, 1, None)]
        assert pairer.add(0.0150, None, 20) == [RawSample(pytest.approx(0.01375), 2, 20)]  # type: ignore[arg-type]

    def test_who_waits_is_not_held_back_for_ever(self) -> None:
        pairer = Pairer()
        pairer.add(0.0, None, 7)
        assert pairer.tick(0.11) == []
        assert pairer.tick(0.12) == []
        assert pairer.tick(0.2) == [RawSample(0.0, None, 7)]
        assert pairer.tick(0.3) == []

    def test_both_at_once_are_a_pair(self) -> None:
        pairer = Pairer()
        pairer.add(0.0, 1, None)
        assert pairer.add(0.1, 2, 3) == [RawSample(0.0, 1, None), RawSample(0.1, 2, 3)]
        assert pairer.add(0.2, 4, 5) == [RawSample(0.2, 4, 5)]
        assert pairer.add(0.3, None, None) == []

    @given(st.floats(0.0, 1.0), st.sampled_from([10.0, 80.0]), st.integers(0, 2**32))
    def test_two_chips_at_any_phase_are_paired(self, phase: float, rate: float, seed: int) -> None:
        rng, pairer, pairs = random.Random(seed), Pairer(), 0
        readings = [(i / rate + rng.random() / rate / 20, i, None) for i in range(60)]
        readings += [((i + phase) / rate + rng.random() / rate / 20, None, i) for i in range(60)]
        for t, low, high in sorted(readings, key=lambda r: r[0]):
            pairs += sum(s.low is not None and s.high is not None for s in pairer.add(t, low, high))
        assert pairs >= 50


class TestPace:
    def test_the_rate_is_learned_and_a_reset_noticed(self) -> None:
        for period, reset in ((0.0125, 0.05), (0.1, 0.4)):
            pace = Pace()
            times = [i * period for i in range(20)]
            assert [pace.came(t) for t in times] == [False] * 4 + [True] * 16
            assert pace.period_s == pytest.approx(period)
            assert pace.came(times[-1] + 2 * period)
            assert not pace.came(times[-1] + 2 * period + reset)


class TestTimeline:
    def test_silence_is_told_and_samples_stay_in_order(self) -> None:
        timeline = Timeline(100.0)
        first = timeline.take([RawSample(100.1, 1, 2), RawSample(100.1, 1, 2), RawSample(100.05, 1, 2)])
        assert first == [RawSample(100.1, 1, 2)]
        assert timeline.late == 2
        assert timeline.silence(100.3) == []
        assert timeline.silence(101.0) == [RawSample(101.0 - LAG_S, None, None)]
        assert timeline.silence(101.05) == []
