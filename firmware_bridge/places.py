"""Places along the axis of the pinnacles: the scale at which they are read, and whether one is a well's."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ASSUMED_HALF_SPACING_MM = 6.0
"""Used where the half spacing is not known: the middle of what makes interesting games with 20 g spheres."""
SPACING_SD = 0.03
"""Standard deviation of the scale where the half spacing is known, a share of it: pinnacles are set by hand, the cells
give under load, and spheres lie loose in their wells toward the lower side."""
UNKNOWN_SCALES = (0.4, 2.5)
"""How far the true half spacing may be from the assumed one."""
IN_WELL = (0.15, 0.25)
"""A sphere farther from every well than this share of the pitch lies in none: a well is narrower than a sphere. The
second is for readings that may be off by so much themselves."""
READING_SD_MM = 1.2
"""How far a sphere in a well reads from the well's middle, apart from the scale: it lies loose, and so do others."""
SURE_SD = 3.0
"""So many standard deviations off are still no surprise."""
ASTRAY = 0.02
"""Share of the readings that say nothing about the scale."""
KNOWN_SD_MM = 4.0
"""The wells are a check once the scale is good to this at the farthest of them."""
REACH_MM = 200.0
"""No place on the board is farther out than this where the wells are not known."""


class Places:
    """Learns the scale from spheres that lie in wells (where the wells' places are given) and judges readings by it.

    The scale is what a place reads divided by what it is; half spacing / scale is the half spacing that the loads
    behave like.
    """

    def __init__(self, half_spacing_mm: float | None, wells_mm: Sequence[float] | None = None) -> None:
        self.half_spacing_mm = ASSUMED_HALF_SPACING_MM if half_spacing_mm is None else half_spacing_mm
        self.half_spacing_known = half_spacing_mm is not None
        self.wells_mm = tuple(sorted(set(wells_mm or ())))
        self._wells = np.array(self.wells_mm) if wells_mm else None
        pitches = np.diff(self._wells) if self._wells is not None and len(self._wells) > 1 else np.array([36.0])
        self._near, self._far = (share * float(pitches.min()) for share in IN_WELL)
        self._reach = float(np.abs(self._wells).max()) if self._wells is not None else REACH_MM
        if self.half_spacing_known:
            self._scales: NDArray[np.float64] = np.linspace(1 - 4 * SPACING_SD, 1 + 4 * SPACING_SD, 61)
            self._log_p: NDArray[np.float64] = -0.5 * ((self._scales - 1) / SPACING_SD) ** 2
        else:
            self._scales = np.geomspace(*UNKNOWN_SCALES, 301)
            self._log_p = np.zeros(len(self._scales))
        self.scale = 1.0
        self.scale_sd = SPACING_SD if self.half_spacing_known else 0.5

    @property
    def wells_usable(self) -> bool:
        """Whether the wells are known and the scale is known well enough to check readings by them."""
        return self._wells is not None and self.scale_sd * self._reach < KNOWN_SD_MM

    def in_well(self, raw_mm: float, sd_mm: float) -> bool:
        """Whether a raw reading (moment over mass, at the nominal half spacing) may be that of a sphere in a well."""
        return self._off_mm(raw_mm) <= min(self._far, max(self._near, SURE_SD * math.hypot(READING_SD_MM, sd_mm)))

    def surely_in_well(self, raw_mm: float, sd_mm: float) -> bool:
        """Whether it is as near to a well as such readings are."""
        return self._off_mm(raw_mm) <= min(self._far, SURE_SD * math.hypot(READING_SD_MM, sd_mm))

    def _off_mm(self, raw_mm: float) -> float:
        p = raw_mm / self.scale
        if self._wells is None or not self.wells_usable:
            return max(0.0, abs(p) - 1.3 * self._reach) if self.half_spacing_known else 0.0
        return float(np.abs(self._wells - p).min())

    def scale_sd_mm(self, raw_mm: float) -> float:
        """Standard deviation that the scale's uncertainty gives a place."""
        return abs(raw_mm / self.scale) * self.scale_sd

    def learn(self, raw_mm: float, sd_mm: float) -> None:
        """A sphere in some well gave this raw reading."""
        if self._wells is None:
            return
        spread = math.hypot(READING_SD_MM, sd_mm)
        off = np.abs(raw_mm / self._scales[:, None] - self._wells[None, :]).min(axis=1)
        self._log_p += np.log(np.exp(-0.5 * (off / spread) ** 2) + ASTRAY)
        weights = np.exp(self._log_p - self._log_p.max())
        weights /= weights.sum()
        self.scale = float(weights @ self._scales)
        self.scale_sd = float(np.sqrt(weights @ (self._scales - self.scale) ** 2)) + 1e-3
