"""What stands on the board for certain, from many readings: for screens and set-up (the referee weighs for itself)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.evidence import SURE
from vision.geometry import Grid
from vision.reading import BoardReading, Content

HOLD_S = 0.5  # how long readings must agree, with nothing moving near: a hand in passing is quicker
LEAST_READINGS = 3
GAP_S = 2.0  # after so long without a reading anything may have happened
NEAR_WELLS = 1.5  # how near, in pitches: a hand that reaches for a well covers its neighbours


@dataclass(frozen=True, slots=True)
class SettledReading:
    """For each well its settled content and since when it is settled (s); None for both where it is not."""

    t: float
    contents: tuple[Content | None, ...]
    since: tuple[float | None, ...]

    @property
    def complete(self) -> bool:
        """Is every well settled?"""
        return None not in self.contents


class Steady:
    """A well settles when readings of it agree for a while and nothing moves near it, whatever happens elsewhere.

    It stays settled while it is seen to be the same, and is not any more when it is covered or seen to be another.
    """

    def __init__(self, grid: Grid) -> None:
        places = np.array([grid.centre_mm(well) for well in range(grid.wells)]) / grid.pitches_mm
        self._near = np.hypot(*(places[:, None] - places).transpose(2, 0, 1)) < NEAR_WELLS
        self._content = np.full(grid.wells, int(Content.HIDDEN))
        self._settled_at = np.full(grid.wells, np.nan)
        self._calm_since = np.full(grid.wells, np.inf)
        self._readings = np.zeros(grid.wells, np.intp)  # since then
        self._t = -np.inf

    def feed(self, reading: BoardReading) -> SettledReading:
        """Takes a reading and gives what is settled after it. Readings come in order of time."""
        t, content = reading.t, reading.p.argmax(axis=1)
        sure = reading.p.max(axis=1) >= SURE
        seen = content != Content.HIDDEN
        same = content == self._content
        lost = ~seen | (sure & ~same) | (not 0 <= t - self._t <= GAP_S)
        # What changes or is covered disturbs its neighbours; what is unsure disturbs only itself
        disturbed = np.asarray((self._near & lost).any(axis=1), np.bool_)
        self._begin(disturbed | ~same | ~sure, t)
        self._settled_at[lost] = np.nan
        self._content = np.where(seen & (sure | np.isnan(self._settled_at)), content, self._content)
        self._content[~seen] = Content.HIDDEN
        self._readings += 1
        held = (t - self._calm_since >= HOLD_S) & (self._readings > LEAST_READINGS - 1) & seen & sure
        fresh = held & np.isnan(self._settled_at)
        self._settled_at[fresh] = t
        self._t = t
        return self._settled(t)

    def _begin(self, wells: NDArray[np.bool_], t: float) -> None:
        self._calm_since[wells] = t
        self._readings[wells] = 0

    def _settled(self, t: float) -> SettledReading:
        fixed = ~np.isnan(self._settled_at)
        return SettledReading(
            t,
            tuple(Content(int(c)) if f else None for c, f in zip(self._content, fixed, strict=True)),
            tuple(float(s) if f else None for s, f in zip(self._settled_at, fixed, strict=True)),
        )
