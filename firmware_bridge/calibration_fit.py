"""What the readings of one mass in two or three wells say of the cells: the sums, with their uncertainties.

A mass m at place p loads the cells by m (d - p + s) / 2d and m (d + p - s) / 2d (a beam on two supports), where d is
the half spacing and s how far the pinnacles' middle lies from the board's centre line. Each cell's counts over p are
thus a straight line, and two lines have four numbers. What can be told from them:

- With a mass that is known, in two wells whose places are known: both gains, d, and s. The third well is a check.
- With one that is not known: the ratio of the gains, d, and s. Not the gains themselves: a heavier mass and smaller
  gains give the same counts. The geometric mean of the two gains then stays what it was.
- The offsets come from the cells without the board, whatever the mass.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from firmware_bridge.calibration_levels import Level
from firmware_bridge.samples import CellCalibration

PLACE_SD_MM = 0.2
"""A sphere lies so near to the middle of its well, and the well to where it should be."""
WANDER_COUNTS = 3.0
"""By so much a warm cell's zero wanders within a second, growing with the square root of the time."""
SAFE_SHARE, SPARE_MM = 0.9, 0.3
"""The board must not tip: so much of the half spacing may be used up by the mass, less what boards are uneven by."""
USUAL_BOARD_G = 500.0
CAUTIOUS_SPACING_MM = 4.0
"""The smallest half spacing that makes good games; assumed where it is not known."""
UNKNOWN_MASS_G = 25.0
"""What a sphere is thought to weigh at most where nobody says, to choose wells in which it does not tip the board."""


@dataclass(frozen=True, slots=True)
class Well:
    """A well, and its place along the axis of the pinnacles, mm from the board's centre line."""

    name: str
    mm: float


@dataclass(frozen=True, slots=True)
class Mass:
    """The mass that is put into the wells; `grams` None where it is not known."""

    grams: float | None = None
    sd: float = 0.05


@dataclass(frozen=True, slots=True)
class CellFit:
    """One cell's calibration with one standard deviation each."""

    offset_counts: float
    offset_sd: float
    counts_per_gram: float
    gain_sd: float


@dataclass(frozen=True, slots=True)
class Fit:
    """All that was found. `middle_mm` is how far the pinnacles' middle lies from the board's centre line.

    With `scale_known` false the gains' uncertainty is that of their ratio only, and `mass_g` is in the old scale.
    The offsets are those at the end of the calibration.
    """

    low: CellFit
    high: CellFit
    half_spacing_mm: float
    half_spacing_sd: float
    middle_mm: float
    middle_sd: float
    mass_g: float
    board_g: float
    scale_known: bool


@dataclass(frozen=True, slots=True)
class Lines:
    """What the two straight lines say: gains times mass (counts), half spacing and middle (mm)."""

    low: float
    high: float
    half_spacing_mm: float
    middle_mm: float

    @classmethod
    def through(cls, places_mm: Sequence[float], low: Sequence[float], high: Sequence[float]) -> "Lines":
        """From each cell's change in counts at each place; raises BadInput where no half spacing above 0 fits."""
        low_at, low_slope = _line(places_mm, low)
        high_at, high_slope = _line(places_mm, high)
        if low_slope == 0 or high_slope == 0:
            raise BadInput("the loads do not depend on where the mass is")
        low_zero, high_zero = -low_at / low_slope, -high_at / high_slope
        spacing = (low_zero - high_zero) / 2
        if spacing <= 0:
            raise BadInput("the loads at the wells do not fit together")
        return cls(-2 * spacing * low_slope, 2 * spacing * high_slope, spacing, (low_zero + high_zero) / 2)

    def weigh(self, low: float, high: float) -> tuple[float, float]:
        """What these changes in counts say: mass as a share of the mass of the lines, and its place in mm."""
        low, high = low / self.low, high / self.high
        share = low + high
        return share, self.middle_mm + (self.half_spacing_mm * (high - low) / share if share else 0.0)


@dataclass(frozen=True, slots=True)
class Readings:
    """The levels that a calibration takes, in this order; `at_wells` are in the order of `wells`."""

    board_off: Level
    board_on: Level
    wells: tuple[Well, ...]
    at_wells: tuple[Level, ...]
    board_again: Level


def fit(readings: Readings, mass: Mass, old: tuple[CellCalibration, CellCalibration]) -> Fit:
    """Solves for everything. Raises BadInput where the readings do not fit together."""
    n = len(readings.wells)
    values, sds = _inputs(readings, mass)
    found = _solve(values, readings, mass, old)
    columns = []
    for i, sd in enumerate(sds):
        step = np.zeros(len(values))
        step[i] = sd
        columns.append((_solve(values + step, readings, mass, old) - _solve(values - step, readings, mass, old)) / 2)
    sd = np.sqrt(np.sum(np.array(columns) ** 2, axis=0))
    on = readings.board_on
    gap = on.t - readings.board_off.t
    wander = WANDER_COUNTS * sqrt(gap + gap**2 / (readings.board_again.t - on.t))
    offsets_sd = np.hypot(sd[:2], wander)
    low = CellFit(found[0], float(offsets_sd[0]), found[2], float(sd[2]))
    high = CellFit(found[1], float(offsets_sd[1]), found[3], float(sd[3]))
    board_g = (on.low.counts - readings.board_off.low.counts) / low.counts_per_gram
    board_g += (on.high.counts - readings.board_off.high.counts) / high.counts_per_gram
    assert len(values) == 7 + 3 * n
    return Fit(low, high, found[4], float(sd[4]), found[5], float(sd[5]), found[6], board_g, mass.grams is not None)


def _inputs(readings: Readings, mass: Mass) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All that was measured, and its standard deviations: off, on, again, mass, then places and counts at the wells."""
    levels = [readings.board_off, readings.board_on, readings.board_again]
    values = [c.counts for level in levels for c in (level.low, level.high)]
    sds = [c.sd for level in levels for c in (level.low, level.high)]
    values.append(1.0 if mass.grams is None else mass.grams)
    sds.append(0.0 if mass.grams is None else mass.sd)
    values += [well.mm for well in readings.wells]
    sds += [PLACE_SD_MM] * len(readings.wells)
    start, end = readings.board_on.t, readings.board_again.t
    for level in readings.at_wells:
        wander = WANDER_COUNTS * sqrt(max(0.0, (level.t - start) * (end - level.t) / (end - start)))
        for cell in (level.low, level.high):
            values.append(cell.counts)
            sds.append(float(np.hypot(cell.sd, wander)))
    return np.array(values), np.array(sds)


def _solve(
    values: NDArray[np.float64], readings: Readings, mass: Mass, old: tuple[CellCalibration, CellCalibration]
) -> NDArray[np.float64]:
    """Offsets, gains, half spacing, middle, mass."""
    n = len(readings.wells)
    off, on, again = values[0:2], values[2:4], values[4:6]
    places, counts = values[7 : 7 + n], values[7 + n :].reshape(n, 2)
    start, end = readings.board_on.t, readings.board_again.t
    rate = (again - on) / (end - start)
    times = np.array([level.t - start for level in readings.at_wells])
    changes = counts - on - rate * times[:, None]
    lines = Lines.through(list(places), list(changes[:, 0]), list(changes[:, 1]))
    grams = float(values[6]) if mass.grams is not None else _kept_scale(lines, old)
    offsets = off + rate * (end - readings.board_off.t)
    gains = lines.low / grams, lines.high / grams
    return np.array([*offsets, *gains, lines.half_spacing_mm, lines.middle_mm, grams])


def _kept_scale(lines: Lines, old: tuple[CellCalibration, CellCalibration]) -> float:
    """The mass with which the geometric mean of the gains stays as it was."""
    return sqrt(abs(lines.low * lines.high / (old[0].counts_per_gram * old[1].counts_per_gram)))


def _line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Value at 0 and slope of the straight line through some points, by least squares."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)
    return mean_y - slope * mean_x, slope


def choose_wells(
    row: Sequence[Well], beside: Well, half_spacing_mm: float | None, mass_g: float | None
) -> tuple[Well, Well, Well]:
    """Two wells as far apart as they can be without tipping the board, the low one first, and one for the check.

    `row` are wells along the axis in order; `beside` lies beside the row's second well next to the middle, and serves
    as the check of a mass that may go nowhere else. Raises BadInput where the mass is too heavy, saying what is not.
    """
    spacing = CAUTIOUS_SPACING_MM if half_spacing_mm is None else half_spacing_mm
    grams = UNKNOWN_MASS_G if mass_g is None else mass_g
    room = SAFE_SHARE * spacing - SPARE_MM
    safe = [well for well in row if abs(well.mm) * grams <= room * (USUAL_BOARD_G + grams)]
    if len(safe) < 2:
        nearest = min(abs(well.mm) for well in row if well.mm)
        most = max(0.0, room * USUAL_BOARD_G / (nearest - room)) if nearest > room else grams
        raise BadInput(
            f"a mass of {grams:g} g would tip the board in every well off the middle: use one of at most {most:.0f} g"
        )
    low, high = safe[0], safe[-1]
    return low, high, safe[1] if len(safe) > 2 else beside
