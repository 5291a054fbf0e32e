"""What the load cells say: raw samples in counts, and how counts become grams."""

from dataclasses import dataclass

from companion.errors import BadInput

COUNTS_MIN = -0x800000
"""Lowest 24-bit count; the HX711 also reports it when saturated (data sheet)."""
COUNTS_MAX = 0x7FFFFF
"""Highest 24-bit count; the HX711 also reports it when saturated (data sheet)."""


@dataclass(frozen=True, slots=True)
class RawSample:
    """One conversion of both cells. `t` seconds; counts are signed 24-bit, None where one is missing."""

    t: float
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class CellCalibration:
    """Turns one cell's counts into grams: `(counts - offset_counts) / counts_per_gram`.

    A negative `counts_per_gram` is a cell mounted the other way up, and is fine.
    """

    offset_counts: float = 0.0
    counts_per_gram: float = 440.0

    def __post_init__(self) -> None:
        if self.counts_per_gram == 0:
            raise BadInput("counts_per_gram is 0: calibrate the load cell, it cannot be zero")

    def grams(self, counts: int) -> float:
        """The load in grams."""
        return (counts - self.offset_counts) / self.counts_per_gram

    def counts(self, grams: float) -> int:
        """The counts that a load of `grams` gives, rounded and held within 24 bits."""
        return max(COUNTS_MIN, min(COUNTS_MAX, round(grams * self.counts_per_gram + self.offset_counts)))


@dataclass(frozen=True, slots=True)
class LoadCells:
    """What must be known of the two cells and their pinnacles to read loads.

    `half_spacing_mm` is None where it is not yet known; positions along the axis are then given for
    `ASSUMED_HALF_SPACING_MM` and marked as not known.
    """

    low: CellCalibration = CellCalibration()
    high: CellCalibration = CellCalibration()
    sample_rate_hz: float = 80.0
    half_spacing_mm: float | None = None
