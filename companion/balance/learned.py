"""What is known of a table's board and spheres, and what may be presumed of any board of the kind."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.balance.statics import AXES, Balance, Joint
from companion.errors import BadInput
from companion.rules import Position

Array = NDArray[np.float64]

HALF_SPACING_MM = 7.0, 3.0
"""Prior of the half spacing and its standard deviation: playable boards have 4 to 12 mm."""

MEASURED_SD_MM = 0.15
"""How well a half spacing is measured with a ruler or a caliper, standard deviation."""

BOARD_MASS_G = 600.0, 250.0
"""Prior of the board's mass: from a thin plate to solid wood."""

BOARD_MOMENT_GMM = 0.0, 500.0
"""Prior of the board's moment: built even to about a millimetre."""

SPHERE_MASS_G = 25.0, 10.0
"""Prior of the mass that all spheres of a set have in common: glass, wood or steel of 25 to 30 mm weigh 17 to 41 g."""

COLOURED_SD_G, SPHERE_SD_G = 1.0, 0.4
"""How far a coloured sphere differs from the plain ones, and any sphere from its like, standard deviations."""

SEAT_SD_MM = 0.15
"""How far from its well's middle a sphere comes to rest, standard deviation; it stays so until lifted again."""

ZERO_SD_G = 0.4
"""How far a cell's zero is off, with the drift since it was set, standard deviation."""

GAIN_SHIFT_MM = 0.0, 0.085
"""Prior of how far unlike gains shift the centre that the loads show: the part by which the high cell's gain is below
the low one's, times the half spacing. Cells are calibrated with a kitchen weight to about 0.6% each. It must be known,
as one lift moves many times the sphere's weight from cell to cell."""

GIVE = 0.007, 0.0045
"""By how much the half spacing is larger than the one that moments show, as a part of it, and its standard deviation.
Spheres lie loose in their wells and the cells give, so that a weight off the middle counts a little more than its place
says: 1.0 to 1.9% in a rigid-body simulation, nothing where neither is. Loads alone cannot tell."""

HALF_SPACING, BOARD_MASS, BOARD_MOMENT, GAIN_SHIFT, SPHERES = range(5)
"""Order of the values; from SPHERES on a mass for each sphere."""

LETTERS = "wWbB"


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of one table's board and spheres.

    `values`: half spacing (mm), board mass (g), board moment (gram mm), the shift by unlike gains (mm), then the masses
    (g) of the spheres in the order of `letters`; `covariance` of all of them. `standing` holds the well of each sphere,
    None for one that is off the board. `noise` is how many times noisier readings prove than stated, from `readings` of
    them.
    """

    axis: str
    pitch_mm: float
    letters: str
    standing: tuple[int | None, ...]
    values: tuple[float, ...]
    covariance: Joint
    noise: float = 1.0
    readings: int = 0

    @property
    def masses_g(self) -> tuple[float, ...]:
        """Masses of the spheres in the order of `letters`, grams."""
        return self.values[SPHERES:]

    @property
    def half_spacing_mm(self) -> tuple[float, float]:
        """Half spacing and its standard deviation, mm: what moments show of it (in `values`), and what they do not."""
        shown, sd = self.values[HALF_SPACING], math.sqrt(self.covariance[HALF_SPACING][HALF_SPACING])
        return shown * (1 + GIVE[0]), math.hypot(sd, shown * GIVE[1])

    def centre_mm(self, low_g: float, high_g: float) -> float | None:
        """The centre of mass that two loads show, mm; None where nothing weighs on them.

        Unlike gains shift it in the middle, but not where one pinnacle carries all.
        """
        total = low_g + high_g
        if total <= 0:
            return None
        share = (high_g - low_g) / total
        return self.half_spacing_mm[0] * share + self.values[GAIN_SHIFT] / 2 * max(0.0, 1 - share * share)

    def margin_mm(self, low_g: float, high_g: float) -> float | None:
        """The margin that two loads show, mm: 0 where one pinnacle carries all; None where nothing weighs on them."""
        centre = self.centre_mm(low_g, high_g)
        return None if centre is None else self.half_spacing_mm[0] - abs(centre)

    def balance(self) -> Balance:
        """All of it as what margins and risks are reckoned from."""
        placed = sorted((well, n) for n, well in enumerate(self.standing) if well is not None)
        order = [HALF_SPACING, BOARD_MASS, BOARD_MOMENT, *(SPHERES + n for _, n in placed)]
        sds = [math.sqrt(self.covariance[n][n]) for n in range(len(self.values))]
        half_spacing, half_spacing_sd = self.half_spacing_mm
        joint = [[self.covariance[a][b] for b in order] for a in order]
        joint[0][0] = half_spacing_sd**2
        return Balance(
            axis=self.axis,
            pitch_mm=self.pitch_mm,
            half_spacing_mm=half_spacing,
            half_spacing_sd_mm=half_spacing_sd,
            board_mass_g=self.values[BOARD_MASS],
            board_mass_sd_g=sds[BOARD_MASS],
            board_moment_gmm=self.values[BOARD_MOMENT],
            board_moment_sd_gmm=sds[BOARD_MOMENT],
            sphere_masses_g={well: self.values[SPHERES + n] for well, n in placed},
            sphere_sds_g={well: sds[SPHERES + n] for well, n in placed},
            loose_sd_mm=self._loose_mm(),
            joint=tuple(tuple(row) for row in joint),
        )

    def _loose_mm(self) -> float:
        """What the learned values leave open of a step: the seat of the sphere that moves, and the cells' zeros.

        Zeros that are off look like a moment of the board, which is never found out.
        """
        total = self.values[BOARD_MASS] + sum(self.values[SPHERES:])
        seat = SEAT_SD_MM * max(self.values[SPHERES:]) * self.noise / total
        return math.hypot(seat, self.values[HALF_SPACING] * ZERO_SD_G * math.sqrt(2) / total)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a file: `from_json` reads them."""
        return {
            "axis": self.axis,
            "pitch_mm": self.pitch_mm,
            "letters": self.letters,
            "standing": list(self.standing),
            "values": list(self.values),
            "covariance": [list(row) for row in self.covariance],
            "noise": self.noise,
            "readings": self.readings,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Learned":
        """Reads what `to_json` wrote; raises BadInput where it is not whole or not possible."""
        try:
            found = cls(
                axis=str(value["axis"]),
                pitch_mm=float(value["pitch_mm"]),
                letters=str(value["letters"]),
                standing=tuple(None if well is None else int(well) for well in value["standing"]),
                values=tuple(float(number) for number in value["values"]),
                covariance=tuple(tuple(float(number) for number in row) for row in value["covariance"]),
                noise=float(value["noise"]),
                readings=int(value["readings"]),
            )
            size = SPHERES + len(found.letters)
            covariance = np.array(found.covariance)
            whole = (
                found.axis in AXES
                and set(found.letters) <= set(LETTERS)
                and len(found.standing) == len(found.letters)
                and len(found.values) == size
                and covariance.shape == (size, size)
                and bool(np.isfinite(covariance).all() and (np.diag(covariance) > 0).all())
                and all(map(math.isfinite, (*found.values, found.pitch_mm, found.noise)))
            )
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"what was learned of a board cannot be read: {error!r}") from None
        if not whole:
            raise BadInput("what was learned of a board cannot be read: its parts do not belong together")
        return found


def nothing_known(
    position: Position | Mapping[int, str], axis: str, pitch_mm: float, half_spacing_mm: float | None = None
) -> Learned:
    """Any board of the kind, with these spheres on it (a position, or letters `w W b B` by well).

    `half_spacing_mm` where somebody has measured it.
    """
    placed = position.letters() if isinstance(position, Position) else dict(sorted(position.items()))
    letters = "".join(placed.values())
    means, covariance = prior(letters)
    if half_spacing_mm is not None:
        means[HALF_SPACING] = half_spacing_mm / (1 + GIVE[0])
        covariance[HALF_SPACING, HALF_SPACING] = MEASURED_SD_MM**2 + (half_spacing_mm * GIVE[1]) ** 2
    return Learned(axis, pitch_mm, letters, tuple(placed), as_values(means), as_joint(covariance))


def prior(letters: str) -> tuple[Array, Array]:
    mean, common_sd = SPHERE_MASS_G
    board = np.array([HALF_SPACING_MM, BOARD_MASS_G, BOARD_MOMENT_GMM, GAIN_SHIFT_MM])
    means = np.r_[board[:, 0], np.full(len(letters), mean)]
    covariance = np.diag(np.r_[board[:, 1] ** 2, np.full(len(letters), SPHERE_SD_G**2)])
    coloured = np.array([letter.isupper() for letter in letters])
    covariance[SPHERES:, SPHERES:] += common_sd**2 + np.diag(coloured * COLOURED_SD_G**2)
    return means, covariance


def as_values(values: Array) -> tuple[float, ...]:
    return tuple(values.tolist())


def as_joint(covariance: Array) -> Joint:
    return tuple(tuple(row) for row in ((covariance + covariance.T) / 2).tolist())
