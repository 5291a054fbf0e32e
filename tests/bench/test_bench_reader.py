"""What the readers cost: two cells send 160 readings a second, and a Pi has much else to do."""

import random
from typing import Any

import pytest

from firmware_bridge.link_lines import encode
from firmware_bridge.sample_link import SampleLink
from tests.firmware_bridge.conftest import guarded, microcontroller  # noqa: F401 (fixtures)
from tests.firmware_bridge.hx711_fake import FakeHX711, VirtualClock, costs_ns

BUDGET_S = 100e-6


@pytest.mark.parametrize("source", ["pico", "gpio"])
def test_a_sample_costs_little(benchmark: Any, source: str) -> None:
    rng = random.Random(1)
    lines, n = [], 1000
    for i in range(n):
        for cell in (0, 1):
            counts = rng.randint(-(10**6), 10**6)
            t_ms = 12.5 * i + 4 * cell
            pair = (None, counts) if cell else (counts, None)
            lines.append((t_ms / 1000 + 50.0, encode("S", 2 * i + cell, round(t_ms), *pair, 0, 0)))

    def follow() -> int:
        link = SampleLink(foreign_clock=source == "pico", unconfirmed=source == "pico")
        return sum(len(link.feed(line, t)) for t, line in lines)

    assert benchmark(follow) > 0.98 * n
    per_sample = benchmark.stats.stats.min / n
    benchmark.extra_info["microseconds_per_sample"] = round(per_sample * 1e6, 1)
    assert per_sample < BUDGET_S


@pytest.mark.parametrize("one_in", [None, 20_000, 2_000, 300])
@pytest.mark.parametrize("microcontroller", ["no interrupts"], indirect=True)
def test_how_much_is_lost_on_a_loaded_machine(benchmark: Any, guarded: Any, one_in: int | None) -> None:  # noqa: F811
    def read() -> tuple[int, int, int]:
        clock = VirtualClock(costs_ns(1, one_in))
        chip = FakeHX711(clock)
        reader, got, wrong = guarded(chip), 0, 0
        while chip.conversions < 5000:
            reading = reader.poll()
            if reading is None:
                clock.sleep(0.0005)
            else:
                got += 1
                wrong += reading.counts not in chip.truth
        return got, reader.lost, wrong

    got, lost, wrong = benchmark.pedantic(read, rounds=1)
    benchmark.extra_info["lost_percent"] = round(100 * lost / (got + lost), 2)
    print(f"\none operation in {one_in} delayed: {lost / (got + lost):.1%} of the conversions lost")
    assert wrong == 0
