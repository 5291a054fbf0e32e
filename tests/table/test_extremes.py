"""What the cells felt of a touch: forces count, an amplifier's wild readings do not."""

import math

import pytest

from companion.table.extremes import Extremes
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, CellCalibration, LoadCells, RawSample

CELLS = LoadCells(CellCalibration(0, 100.0), CellCalibration(5000, 100.0), 80.0, 6.0)
WILD_AT = 40


def counts(low_g: float, high_g: float) -> list[int]:
    return [round(low_g * 100), round(high_g * 100) + 5000]


def felt(wild: tuple[int, int] | None = None, knock_g: tuple[float, float] = (0.0, 0.0)) -> object:
    """A second of a board that rocks by 60 g at 7 Hz; one reading is wild, or somebody knocks."""
    extremes = Extremes(CELLS)
    for n in range(80):
        swing = 60 * math.sin(2 * math.pi * 7 * n / 80)
        low, high = counts(400 + swing, 380 - swing)
        if n == WILD_AT and wild is not None:
            low, high = (low, wild[1]) if wild[0] else (wild[1], high)
        if n == WILD_AT:
            low, high = low + round(100 * knock_g[0]), high + round(100 * knock_g[1])
        extremes.note(RawSample(n / 80, low, high))
    return extremes.felt(0.4, 1.0)


@pytest.mark.parametrize("cell", [0, 1])
@pytest.mark.parametrize("code", [COUNTS_MIN, COUNTS_MAX, 2_000_000, 10_000, 90_000])
def test_a_wild_reading_is_not_felt_while_the_board_rocks(cell: int, code: int) -> None:
    still, shaken = felt(), felt((cell, code))
    for name in ("peak_low_g", "peak_high_g", "min_low_g", "min_high_g"):
        assert getattr(shaken, name) == pytest.approx(getattr(still, name), abs=15.0)


def test_a_short_knock_is_felt_by_both_cells() -> None:
    still, knocked = felt(), felt(knock_g=(-150.0, 210.0))
    assert knocked.min_low_g < still.min_low_g - 80
    assert knocked.peak_high_g > still.peak_high_g + 80
