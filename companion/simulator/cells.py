"""The two simulated load cells with their amplifiers: from the forces on the pinnacles to counts.

Modelled on the HX711's data sheet and on public logs of scales built with it: white noise, slow drift, first-order
settling, a calibration that is a little wrong, missed conversions and lone spikes. The two amplifiers have clocks of
their own, so the two readings of one sample are not of quite the same moment.
"""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.simulator.board import TICK_S, Loads
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, CellCalibration, LoadCells, RawSample

NOISE_G = {80: 0.1, 10: 0.04}
"""White noise of one reading, by samples a second (data sheet's noise at gain 128 on a 5 kg cell)."""
SETTLING_S = {80: 0.006, 10: 0.045}
"""Time constant of the converter's filter; it has settled after four conversions."""
WALK_G_PER_ROOT_S = 0.005
DRIFT_G_PER_MIN = 0.1
GAIN_ERROR, ZERO_ERROR_G = 0.006, 0.4
"""One standard deviation of how far the table's calibration is off."""
MISSED = 0.003
SPIKES = 0.0025
"""Share of readings lost, and of readings that are wild."""
SATURATED = 0.4
"""Share of the spikes that are a saturated reading; the others are off by some grams."""
SLOW_BELOW_HZ = 40
JITTER = 0.0012
"""One standard deviation of a sample's time, in sample periods."""


@dataclass(frozen=True, slots=True)
class TrueCell:
    """What one cell really does, as against what the table's settings say of it."""

    counts_per_gram: float
    offset_counts: float
    drift_g_per_s: float


def known_cells(rng: np.random.Generator, rate_hz: int, half_spacing_mm: float) -> LoadCells:
    """The calibration of a simulated table: two cells of one make, with whatever offset they were screwed down to."""
    gains = rng.uniform(425, 450, 2)
    offsets = rng.uniform(-200_000, 200_000, 2)
    low, high = (CellCalibration(round(float(o)), round(float(g), 3)) for o, g in zip(offsets, gains, strict=True))
    return LoadCells(low, high, float(rate_hz), half_spacing_mm)


def true_cell(rng: np.random.Generator, known: CellCalibration) -> TrueCell:
    """A cell whose calibration was nearly right."""
    gain = known.counts_per_gram * (1 + float(rng.normal(0, GAIN_ERROR)))
    zero = float(rng.normal(0, ZERO_ERROR_G)) * known.counts_per_gram
    return TrueCell(gain, known.offset_counts + zero, float(rng.uniform(-1, 1)) * DRIFT_G_PER_MIN / 60)


class Cells:
    """The readings of two cells that bear a board; give it the loads by `follow`, and take samples by `read`.

    `noise` multiplies white noise and drift; `spikes` is the share of wild readings.
    """

    def __init__(
        self, known: LoadCells, loads: Loads, rng: np.random.Generator, noise: float = 1.0, spikes: float = SPIKES
    ) -> None:
        self._rng = rng
        self._cells = (true_cell(rng, known.low), true_cell(rng, known.high))
        self._period = 1.0 / known.sample_rate_hz
        make = 10 if known.sample_rate_hz < SLOW_BELOW_HZ else 80
        self._noise = noise
        self._noise_g = NOISE_G[make] * noise
        self._spikes = spikes
        self._keep = math.exp(-TICK_S / SETTLING_S[make])
        self._filtered = loads
        period_ticks = max(2, int(self._period / TICK_S))
        self._lows = deque([loads[0]], maxlen=int(rng.integers(1, period_ticks)))
        self._walk = [0.0, 0.0]
        self._conversions = 0
        self._start = float(rng.uniform(0.2, 1.0)) * self._period
        self.next_t = self._start
        """When the next sample is due, seconds."""

    def follow(self, loads: Iterable[Loads]) -> None:
        """Takes the loads of every tick since the last call."""
        keep, (low, high) = self._keep, self._filtered
        for now_low, now_high in loads:
            low = now_low + (low - now_low) * keep
            high = now_high + (high - now_high) * keep
            self._lows.append(low)
        self._filtered = (low, high)

    def read(self) -> RawSample | None:
        """The sample that is due at `next_t`; None where it was missed altogether."""
        t = self.next_t
        self._conversions += 1
        wobble = float(self._rng.normal(0, JITTER)) * self._period
        self.next_t = self._start + self._conversions * self._period + wobble
        luck = self._rng.random(4)
        readings = self._readings(t, luck)
        return None if luck[0] < MISSED / 2 else RawSample(round(t, 6), *readings)

    def _readings(self, t: float, luck: NDArray[np.float64]) -> tuple[int | None, int | None]:
        loads = (self._lows[0], self._filtered[1])
        white, walk = self._rng.normal(size=(2, 2))
        counts: list[int | None] = []
        for i, cell in enumerate(self._cells):
            self._walk[i] += float(walk[i]) * WALK_G_PER_ROOT_S * self._noise * math.sqrt(self._period)
            grams = loads[i] + cell.drift_g_per_s * self._noise * t + self._walk[i] + float(white[i]) * self._noise_g
            if luck[0] > 1 - MISSED / 4 and luck[1] < 0.5 + i:
                counts.append(None)
            elif luck[2 + i] < self._spikes:
                counts.append(self._spike(cell, grams))
            else:
                counts.append(_limited(grams * cell.counts_per_gram + cell.offset_counts))
        return counts[0], counts[1]

    def _spike(self, cell: TrueCell, grams: float) -> int:
        """A wild reading: saturated, or off by some grams."""
        kind, size = self._rng.random(2)
        if kind < SATURATED:
            return COUNTS_MIN if size < 0.5 else COUNTS_MAX
        off = (8 + 40 * float(size)) * (1 if kind > (1 + SATURATED) / 2 else -1)
        return _limited((grams + off) * cell.counts_per_gram + cell.offset_counts)


def _limited(counts: float) -> int:
    return max(COUNTS_MIN, min(COUNTS_MAX, round(counts)))
