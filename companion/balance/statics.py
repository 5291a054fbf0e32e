"""Where the board's centre of mass lies, from what stands in the wells or from the two loads.

Coordinates are mm from the board's centre along the direction in which the pinnacles lie apart: along the ranks
(positive toward rank 6) or along the files (positive toward file g). The low pinnacle stands at minus the half spacing,
the high one at plus. By the law of the lever

    total  W = low + high                               grams
    moment M = half spacing * (high - low)              gram mm
             = sum of mass * coordinate + the board's own
    centre c = M / W,  margin = half spacing - |c|      mm; below 0 the board tips
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.errors import BadInput
from companion.rules import Position
from companion.rules.wells import N_FILES, N_RANKS

AXES = ("ranks", "files")
"""Directions in which the pinnacles can lie apart."""

DEFAULT_HALF_SPACING_MM = 6.0
"""Half spacing where none is known: with 20 g spheres 36 mm apart on a 500 g board 4 to 6 mm make lively games."""

UNKNOWN_HALF_SPACING_SD_MM = 2.0
"""Its standard deviation then: playable boards are built with 4 to 9 mm."""

LOOSE_SD_MM = 0.1
"""How far the centre strays from the sum over well centres: spheres lie loose in their wells and the cells give
(about 0.1 mm near the edge in a rigid-body simulation)."""

Joint = tuple[tuple[float, ...], ...]
"""A covariance matrix over half spacing (mm), the board's mass (g) and moment (gram mm), then every sphere (g) by
ascending well."""

Masses = Mapping[int, tuple[float, float]]
"""Mass in grams and its standard deviation, by well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What is known of a board; every mass in grams, with standard deviations (`sd`) beside the values.

    `sphere_masses_g` and `sphere_sds_g` are keyed by well (the sphere that stands there now), else by the letter
    `w W b B`, else `sphere_mass_g` and `sphere_sd_g` hold. `half_spacing_mm` is None while unknown.
    `joint`, where it is known, stands for all standard deviations at once: it belongs to one position. `loose_sd_mm` is
    how far the centre strays from what all that gives. Raises BadInput naming the value that cannot be.
    """

    axis: str = "ranks"
    pitch_mm: float = 36.0
    half_spacing_mm: float | None = None
    half_spacing_sd_mm: float = 0.1
    board_mass_g: float = 500.0
    board_mass_sd_g: float = 25.0
    board_moment_gmm: float = 0.0
    board_moment_sd_gmm: float = 150.0
    sphere_mass_g: float = 20.0
    sphere_sd_g: float = 0.5
    sphere_masses_g: Mapping[int | str, float] = field(default_factory=dict)
    sphere_sds_g: Mapping[int | str, float] = field(default_factory=dict)
    loose_sd_mm: float = LOOSE_SD_MM
    joint: Joint | None = None

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise BadInput(f"axis is {self.axis!r}; it must be 'ranks' or 'files'")
        half_spacing = DEFAULT_HALF_SPACING_MM if self.half_spacing_mm is None else self.half_spacing_mm
        above_zero = {
            "half_spacing_mm": half_spacing,
            "pitch_mm": self.pitch_mm,
            "board_mass_g": self.board_mass_g,
            "sphere_mass_g": self.sphere_mass_g,
            **{f"sphere_masses_g[{key!r}]": mass for key, mass in self.sphere_masses_g.items()},
        }
        not_negative = {
            "half_spacing_sd_mm": self.half_spacing_sd_mm,
            "board_mass_sd_g": self.board_mass_sd_g,
            "board_moment_sd_gmm": self.board_moment_sd_gmm,
            "sphere_sd_g": self.sphere_sd_g,
            "loose_sd_mm": self.loose_sd_mm,
            **{f"sphere_sds_g[{key!r}]": sd for key, sd in self.sphere_sds_g.items()},
        }
        for name, value in above_zero.items():
            if not (math.isfinite(value) and value > 0):
                raise BadInput(f"{name} is {value}; it must be above 0")
        for name, value in not_negative.items():
            if not (math.isfinite(value) and value >= 0):
                raise BadInput(f"{name} is {value}; it must be 0 or more")
        if not math.isfinite(self.board_moment_gmm):
            raise BadInput(f"board_moment_gmm is {self.board_moment_gmm}; it must be a finite number")

    @property
    def half_spacing(self) -> tuple[float, float]:
        """Half spacing and its standard deviation, mm; wide where it is not known."""
        if self.half_spacing_mm is None:
            return DEFAULT_HALF_SPACING_MM, UNKNOWN_HALF_SPACING_SD_MM
        return self.half_spacing_mm, self.half_spacing_sd_mm

    def masses(self, position: Position) -> dict[int, tuple[float, float]]:
        """Mass and standard deviation of every sphere on the board, grams, by well."""
        return {
            well: (
                self.sphere_masses_g.get(well, self.sphere_masses_g.get(letter, self.sphere_mass_g)),
                self.sphere_sds_g.get(well, self.sphere_sds_g.get(letter, self.sphere_sd_g)),
            )
            for well, letter in position.letters().items()
        }


def coordinate_mm(well: int, axis: str, pitch_mm: float) -> float:
    """A well's place along the axis, mm from the board's centre."""
    rank, file = divmod(well, N_FILES)
    return (rank - (N_RANKS - 1) / 2 if axis == "ranks" else file - (N_FILES - 1) / 2) * pitch_mm


def total_and_moment(balance: Balance, position: Position) -> tuple[float, float]:
    """Total load in grams and moment in gram mm, the board's own included."""
    return total_and_moment_of(balance, balance.masses(position))


def total_and_moment_of(balance: Balance, masses: Masses) -> tuple[float, float]:
    """The same for any set of spheres, such as a position with one in the hand."""
    total, moment = balance.board_mass_g, balance.board_moment_gmm
    for well, (mass, _) in masses.items():
        total += mass
        moment += mass * coordinate_mm(well, balance.axis, balance.pitch_mm)
    return total, moment


def centre_mm(balance: Balance, position: Position) -> float:
    """The centre of mass along the axis, mm from the centre line."""
    total, moment = total_and_moment(balance, position)
    return moment / total


def margin_mm(balance: Balance, position: Position) -> float:
    """How far the centre of mass is from tipping the board, mm; below 0 the board tips."""
    return balance.half_spacing[0] - abs(centre_mm(balance, position))


def centre_from_loads(low_g: float, high_g: float, half_spacing_mm: float) -> float | None:
    """The centre of mass that two loads in grams show, mm; None where nothing weighs on the cells."""
    total = low_g + high_g
    return half_spacing_mm * (high_g - low_g) / total if total > 0 else None


def margin_from_loads(low_g: float, high_g: float, half_spacing_mm: float) -> float | None:
    """The margin that two loads in grams show, mm; 0 where one pinnacle carries all, None where nothing weighs."""
    centre = centre_from_loads(low_g, high_g, half_spacing_mm)
    return None if centre is None else half_spacing_mm - abs(centre)
