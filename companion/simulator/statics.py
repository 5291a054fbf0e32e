"""The simulated board at rest: fourteen spheres, where they stand, and the loads that this gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from companion.errors import BadInput
from vision.geometry import Grid

SPHERE_LETTERS = "wwwWwwwbbbBbbb"
"""What each of the fourteen spheres is: 0 to 6 are White's as they start on files a to g, 7 to 13 Black's."""
N_SPHERES = len(SPHERE_LETTERS)
WHITE_SPHERES = range(7)
AXES = ("ranks", "files")

Spheres = Mapping[int, int]
"""Which sphere (0 to 13) stands in which well."""

START_SPHERES: Spheres = MappingProxyType(
    {**{file: file for file in range(7)}, **{35 + file: 7 + file for file in range(7)}}
)


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """The board's true measures, which the players know and the referee does not.

    `own_moment_g_mm` is the moment of the empty board about its centre line: no board is made quite even.
    """

    axis: str = "ranks"
    half_spacing_mm: float = 6.0
    board_mass_g: float = 500.0
    own_moment_g_mm: float = 0.0
    sphere_masses_g: tuple[float, ...] = (20.0,) * N_SPHERES
    grid: Grid = field(default_factory=Grid)

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise BadInput(f"axis is {self.axis!r}; it must be 'ranks' or 'files'")
        if self.half_spacing_mm <= 0:
            raise BadInput(f"half_spacing_mm is {self.half_spacing_mm}; it must be above 0")

    def place_mm(self, well: int) -> float:
        """The well's coordinate along the axis, mm from the centre line; positive toward the high pinnacle."""
        x, y = self.grid.centre_mm(well)
        return y if self.axis == "ranks" else x


@dataclass(frozen=True, slots=True)
class Balance:
    """Total load W in grams and moment M in gram mm about the centre line."""

    total_g: float
    moment_g_mm: float

    def margin_mm(self, half_spacing_mm: float) -> float:
        """Half spacing minus the centre of mass's distance from the centre line; below 0 the board tips."""
        return half_spacing_mm - abs(self.moment_g_mm / self.total_g)

    def loads_g(self, half_spacing_mm: float) -> tuple[float, float]:
        """The forces on the low and the high cell: statics of a beam on two supports."""
        half_difference = self.moment_g_mm / (2 * half_spacing_mm)
        return self.total_g / 2 - half_difference, self.total_g / 2 + half_difference


def balance_of(spec: BoardSpec, spheres: Spheres) -> Balance:
    """Total load and moment with these spheres standing on the board."""
    total, moment = spec.board_mass_g, spec.own_moment_g_mm
    for well, sphere in sorted(spheres.items()):
        mass = spec.sphere_masses_g[sphere]
        total += mass
        moment += mass * spec.place_mm(well)
    return Balance(total, moment)


def margins_of_move(spec: BoardSpec, spheres: Spheres, from_well: int, to_well: int) -> tuple[float, ...]:
    """The margin in mm after each step of a move: lift and place, with a removal first if the target is taken."""
    standing = dict(spheres)
    sphere = standing[from_well]
    margins = []
    for well in (to_well, from_well):
        if well == to_well and (to_well not in standing or to_well == from_well):
            continue
        del standing[well]
        margins.append(balance_of(spec, standing).margin_mm(spec.half_spacing_mm))
    standing[to_well] = sphere
    margins.append(balance_of(spec, standing).margin_mm(spec.half_spacing_mm))
    return tuple(margins)


def make_board(
    rng: np.random.Generator,
    axis: str = "ranks",
    half_spacing_mm: float = 6.0,
    sphere_mass_g: float = 20.0,
    board_mass_g: float = 500.0,
) -> BoardSpec:
    """One board as it comes from the workshop: spheres within about 0.3 g, its weight a little off the centre line."""
    return BoardSpec(
        axis=axis,
        half_spacing_mm=half_spacing_mm,
        board_mass_g=board_mass_g + float(rng.normal(0, 1.0)),
        own_moment_g_mm=board_mass_g * float(rng.uniform(-0.15, 0.15)),
        sphere_masses_g=tuple(sphere_mass_g + float(e) for e in np.clip(rng.normal(0, 0.2, N_SPHERES), -0.5, 0.5)),
    )
