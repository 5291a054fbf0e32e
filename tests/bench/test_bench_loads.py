"""What a sample of the load cells costs: 80 a second come from a table, and a Pi has much else to do."""

from typing import Any

import pytest

from firmware_bridge.tracker import LoadTracker
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

BUDGET_S = 40e-6


@pytest.mark.parametrize("rate", [80.0, 10.0])
def test_a_sample_costs_little(benchmark: Any, rate: float) -> None:
    trace = Trace().wait(2)
    for _ in range(6):
        trace.lift(90.0)
        trace.wait(1.4)
        trace.place(54.0)
        trace.wait(1.4)
    samples, cells = trace.samples(rate), trace.cells(rate)

    def follow() -> None:
        tracker = LoadTracker(cells, wells_mm=RANKS_MM)
        for sample in samples:
            tracker.feed(sample)

    benchmark(follow)
    per_sample = benchmark.stats.stats.min / len(samples)
    benchmark.extra_info["microseconds_per_sample"] = round(per_sample * 1e6, 1)
    assert per_sample < BUDGET_S
