"""Total, moment and margin of many sets of spheres at once: what stands after each step of each move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.balance.statics import Balance, coordinate_mm
from companion.errors import BadInput
from companion.rules import Position
from companion.rules.wells import N_WELLS

_OF_THE_BOARD = 3
"""Half spacing, board mass and board moment come before the spheres in the order of uncertain values."""

Standing = Mapping[int, int]
"""Where spheres stand: well by the well in which each stood in the position that was weighed."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """One set of spheres: total load in grams, centre of mass, margin and its standard deviation in mm."""

    total_g: float
    centre_mm: float
    margin_mm: float
    sd_mm: float


@dataclass(frozen=True, slots=True)
class Scale:
    """A position on the scale, for weighing what becomes of it: where its spheres stood, what they weigh, how sure."""

    balance: Balance
    wells: tuple[int, ...]
    masses_g: NDArray[np.float64]
    covariance: NDArray[np.float64]
    coordinates_mm: tuple[float, ...]

    @classmethod
    def of(cls, balance: Balance, position: Position) -> "Scale":
        """Raises BadInput where the joint covariance does not belong to a position with so many spheres."""
        masses = balance.masses(position)
        size = _OF_THE_BOARD + len(masses)
        if balance.joint is None:
            sds = [balance.half_spacing[1], balance.board_mass_sd_g, balance.board_moment_sd_gmm]
            covariance = np.diag(np.square([*sds, *(sd for _, sd in masses.values())]))
        else:
            covariance = np.array(balance.joint)
            if covariance.shape != (size, size):
                raise BadInput(f"joint covariance is {covariance.shape}; {len(masses)} spheres need {size} by {size}")
        values = np.array([mass for mass, _ in masses.values()])
        places = tuple(coordinate_mm(well, balance.axis, balance.pitch_mm) for well in range(N_WELLS))
        return cls(balance, tuple(masses), values, covariance, places)

    def mass_g(self, well: int) -> float:
        """Mass of the sphere that stood in a well."""
        return float(self.masses_g[self.wells.index(well)])

    def weigh(self, sets: Sequence[Standing]) -> list[Weighed]:
        """Each set with its margin and what every uncertain value, errors taken together, leaves open of it.

        To first order: with c = M / W the margin h - |c| changes by dh - sign(c) * (dM - c dW) / W.
        """
        half_spacing = self.balance.half_spacing[0]
        there, moment_arm = self._arms(sets)
        totals = self.balance.board_mass_g + there @ self.masses_g
        centres = (self.balance.board_moment_gmm + moment_arm @ self.masses_g) / totals
        toward = np.where(centres < 0, -1.0, 1.0) / totals
        slopes = np.empty((len(sets), _OF_THE_BOARD + len(self.wells)))
        slopes[:, 0] = 1.0
        slopes[:, 1] = toward * centres
        slopes[:, 2] = -toward
        slopes[:, _OF_THE_BOARD:] = -toward[:, None] * (moment_arm - centres[:, None] * there)
        variances = np.einsum("ni,ni->n", slopes @ self.covariance, slopes) + self.balance.loose_sd_mm**2
        sds = np.sqrt(np.maximum(variances, 0.0))
        return [
            Weighed(total, centre, half_spacing - abs(centre), sd)
            for total, centre, sd in zip(totals.tolist(), centres.tolist(), sds.tolist(), strict=True)
        ]

    def _arms(self, sets: Sequence[Standing]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each set and sphere: 1 where it is on the board, and its coordinate there (else 0), mm."""
        there, arm = [], []
        for standing in sets:
            now = [standing.get(well, -1) for well in self.wells]
            there.append([0.0 if well < 0 else 1.0 for well in now])
            arm.append([0.0 if well < 0 else self.coordinates_mm[well] for well in now])
        return np.array(there), np.array(arm)
