"""What ordinary play teaches about a board: sphere masses, half spacing, the board's own mass and moment.

Two loads at rest with known spheres in known wells obey

    low + high            = board mass + sum of sphere masses
    d * (high - low)      = board moment + sum of mass * coordinate       d the half spacing

and both are linear in what is not known, d included, as the loads themselves are measured far better than a part in a
thousand. So a Kalman filter is exact here: lifts tell the masses, spheres moved between known wells the half spacing,
and what is left the board. No scale and no ruler is needed, only the pitch of the wells. Covariances are kept whole:
board and sphere masses are each known badly at first while their sum is known to a tenth of a gram.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from companion.balance.statics import AXES, Balance, Joint, coordinate_mm
from companion.errors import BadInput
from companion.rules import Position

Array = NDArray[np.float64]
Kinds = Literal["sphere", "board"]

HALF_SPACING_MM = 7.0, 3.0
"""Prior of the half spacing and its standard deviation: playable boards have 4 to 12 mm."""

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

DRIFT_SD_G = 0.02
"""By how much each cell's zero wanders from one reading at rest to the next, standard deviation."""

STRANGE_SDS = 5.5
"""A reading so many standard deviations off means that something is not what it was: less than once in ten million."""

ADAPT_WEIGHT = 25.0
"""The stated noise is trusted as much as this many readings that show what it is."""

MOST_NOISIER = 6.0
"""The noise is never taken for more than so many times what is stated: then something is wrong instead."""

_HALF_SPACING, _BOARD_MASS, _BOARD_MOMENT, _SPHERES = range(4)
_LETTERS = "wWbB"


@dataclass(frozen=True, slots=True)
class Reading:
    """Two loads at rest in grams, each with this standard deviation."""

    low_g: float
    high_g: float
    sd_g: float


@dataclass(frozen=True, slots=True)
class Notice:
    """Something was exchanged: the sphere that was lifted from a well, or the board (`well` is None)."""

    what: Kinds
    well: int | None
    sds: float


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of one table's board and spheres.

    `values`: half spacing (mm), board mass (g), board moment (gram mm), then the masses (g) of the spheres in the order
    of `letters`; `covariance` of all of them. `standing` holds the well of each sphere, None for one that is off the
    board. `noise` is how many times noisier readings prove than stated, from `readings` of them.
    """

    axis: str
    pitch_mm: float
    letters: str
    standing: tuple[int | None, ...]
    values: tuple[float, ...]
    covariance: Joint
    noise: float = 1.0
    readings: int = 0

    def balance(self) -> Balance:
        """All of it as what margins and risks are reckoned from."""
        placed = sorted((well, n) for n, well in enumerate(self.standing) if well is not None)
        order = [_HALF_SPACING, _BOARD_MASS, _BOARD_MOMENT, *(_SPHERES + n for _, n in placed)]
        sds = [math.sqrt(self.covariance[n][n]) for n in range(len(self.values))]
        return Balance(
            axis=self.axis,
            pitch_mm=self.pitch_mm,
            half_spacing_mm=self.values[_HALF_SPACING],
            half_spacing_sd_mm=sds[_HALF_SPACING],
            board_mass_g=self.values[_BOARD_MASS],
            board_mass_sd_g=sds[_BOARD_MASS],
            board_moment_gmm=self.values[_BOARD_MOMENT],
            board_moment_sd_gmm=sds[_BOARD_MOMENT],
            sphere_masses_g={well: self.values[_SPHERES + n] for well, n in placed},
            sphere_sds_g={well: sds[_SPHERES + n] for well, n in placed},
            loose_sd_mm=self._loose_mm(),
            joint=tuple(tuple(self.covariance[a][b] for b in order) for a in order),
        )

    def _loose_mm(self) -> float:
        """What a step still adds to the centre's uncertainty: the seat of one sphere."""
        total = self.values[_BOARD_MASS] + sum(self.values[_SPHERES:])
        heaviest = max(self.values[_SPHERES:])
        return SEAT_SD_MM * heaviest * self.noise / total

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
            size = _SPHERES + len(found.letters)
            covariance = np.array(found.covariance)
            whole = (
                found.axis in AXES
                and set(found.letters) <= set(_LETTERS)
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


def nothing_known(position: Position, axis: str, pitch_mm: float) -> Learned:
    """Any board of the kind, with these spheres on it."""
    placed = position.letters()
    letters = "".join(placed.values())
    means, covariance = _prior(letters)
    return Learned(axis, pitch_mm, letters, tuple(placed), _values(means), _joint(covariance))


def _prior(letters: str) -> tuple[Array, Array]:
    mean, common_sd = SPHERE_MASS_G
    board = np.array([HALF_SPACING_MM, BOARD_MASS_G, BOARD_MOMENT_GMM])
    means = np.r_[board[:, 0], np.full(len(letters), mean)]
    covariance = np.diag(np.r_[board[:, 1] ** 2, np.full(len(letters), SPHERE_SD_G**2)])
    coloured = np.array([letter.isupper() for letter in letters])
    covariance[_SPHERES:, _SPHERES:] += common_sd**2 + np.diag(coloured * COLOURED_SD_G**2)
    return means, covariance


def _values(values: Array) -> tuple[float, ...]:
    return tuple(values.tolist())


def _joint(covariance: Array) -> Joint:
    return tuple(tuple(row) for row in ((covariance + covariance.T) / 2).tolist())


def lifted(learned: Learned, well: int) -> Learned:
    """A sphere left its well. Raises BadInput where none stands there."""
    return replace(learned, standing=_with(learned.standing, _sphere_in(learned, well), None))


def placed(learned: Learned, sphere: int, well: int) -> Learned:
    """A sphere, by its number in `letters`, came to rest in a well, not quite in its middle."""
    covariance = np.array(learned.covariance)
    covariance[_BOARD_MOMENT, _BOARD_MOMENT] += (SEAT_SD_MM * learned.values[_SPHERES + sphere] * learned.noise) ** 2
    standing = _with(learned.standing, sphere, well)
    return replace(learned, standing=standing, covariance=_joint(covariance))


def sphere_in(learned: Learned, well: int) -> int:
    """Number of the sphere that stands in a well; raises BadInput where none does."""
    return _sphere_in(learned, well)


def _sphere_in(learned: Learned, well: int) -> int:
    if well not in learned.standing:
        raise BadInput(f"no sphere is known to stand in well {well}")
    return learned.standing.index(well)


def _with(standing: tuple[int | None, ...], sphere: int, well: int | None) -> tuple[int | None, ...]:
    return *standing[:sphere], well, *standing[sphere + 1 :]


def read(learned: Learned, reading: Reading, last_sphere: int | None = None) -> tuple[Learned, Notice | None]:
    """What is known after a reading at rest of what stands now, and what must have been exchanged for it to be so.

    `last_sphere` is the sphere that was lifted or placed since the last reading: if anything is strange it is that one.
    Raises BadInput for loads that are no numbers or a standard deviation that is not above 0.
    """
    if not (math.isfinite(reading.low_g) and math.isfinite(reading.high_g) and reading.sd_g > 0):
        raise BadInput(f"a reading of {reading.low_g} g and {reading.high_g} g +- {reading.sd_g} g cannot be")
    updated, sds, spread = _filtered(learned, reading)
    if sds <= STRANGE_SDS:
        return _adapted(updated, spread), None
    suspect = learned if last_sphere is None else _forgotten(learned, last_sphere)
    renewed, sds_if, spread = _filtered(suspect, reading)
    if last_sphere is not None and sds_if <= STRANGE_SDS:
        return _adapted(renewed, spread), Notice("sphere", learned.standing[last_sphere], sds)
    # No one sphere explains it: another board, or the pinnacles stand elsewhere.
    means, covariance = _prior(learned.letters)
    fresh = replace(learned, values=_values(means), covariance=_joint(covariance), noise=1.0, readings=0)
    return _filtered(fresh, reading)[0], Notice("board", None, sds)


def _forgotten(learned: Learned, sphere: int) -> Learned:
    """The same with nothing known of one sphere."""
    n = _SPHERES + sphere
    values, covariance = np.array(learned.values), np.array(learned.covariance)
    covariance[n, :] = covariance[:, n] = 0.0
    values[n], covariance[n, n] = SPHERE_MASS_G[0], SPHERE_MASS_G[1] ** 2
    return replace(learned, values=_values(values), covariance=_joint(covariance))


def _filtered(learned: Learned, reading: Reading) -> tuple[Learned, float, float]:
    """One step of the Kalman filter; also the surprise in standard deviations and its mean square by degree."""
    x, covariance = np.array(learned.values), np.array(learned.covariance)
    drift = (DRIFT_SD_G * learned.noise) ** 2
    covariance[_BOARD_MASS, _BOARD_MASS] += 2 * drift
    covariance[_BOARD_MOMENT, _BOARD_MOMENT] += 2 * drift * x[_HALF_SPACING] ** 2
    total, apart = reading.low_g + reading.high_g, reading.high_g - reading.low_g
    rows = np.zeros((2, len(x)))
    rows[0, _BOARD_MASS] = rows[1, _BOARD_MOMENT] = 1.0
    rows[1, _HALF_SPACING] = -apart
    for n, well in enumerate(learned.standing):
        if well is not None:
            rows[0, _SPHERES + n] = 1.0
            rows[1, _SPHERES + n] = coordinate_mm(well, learned.axis, learned.pitch_mm)
    variance = 2 * (reading.sd_g * learned.noise) ** 2
    spacing = x[_HALF_SPACING] ** 2 + covariance[_HALF_SPACING, _HALF_SPACING]
    surprise = np.array([total, 0.0]) - rows @ x
    expected = rows @ covariance @ rows.T + np.diag([variance, variance * spacing])
    gain = np.linalg.solve(expected, rows @ covariance).T
    square = float(surprise @ np.linalg.solve(expected, surprise))
    new = covariance - gain @ expected @ gain.T
    updated = replace(learned, values=_values(x + gain @ surprise), covariance=_joint(new))
    return updated, math.sqrt(square), square / len(surprise)


def _adapted(learned: Learned, spread: float) -> Learned:
    """Noise as it proves to be: the surprises' mean square, against the stated one as many readings' worth of prior."""
    before = learned.readings + ADAPT_WEIGHT
    square = learned.noise**2 * (before + spread) / (before + 1)
    noise = max(1 / MOST_NOISIER, min(MOST_NOISIER, math.sqrt(square)))
    return replace(learned, noise=noise, readings=min(learned.readings + 1, int(8 * ADAPT_WEIGHT)))


def set_up(learned: Learned, position: Position) -> Learned:
    """The same spheres set up for another game, like ones in any order.

    Of spheres of one letter only the mean and the spread are kept, as nobody knows which went where: mean and
    covariance are averaged over all exchanges. Spheres that were not known before start from the prior.
    """
    letters = "".join(position.letters().values())
    if sorted(letters) != sorted(learned.letters):
        return nothing_known(position, learned.axis, learned.pitch_mm)
    values, covariance = _exchangeable(learned)
    source = {letter: [n for n, of in enumerate(learned.letters) if of == letter] for letter in _LETTERS}
    order = [*range(_SPHERES), *(_SPHERES + source[letter].pop(0) for letter in letters)]
    covariance = covariance[np.ix_(order, order)]
    covariance[_BOARD_MOMENT, _BOARD_MOMENT] += len(letters) * (SEAT_SD_MM * float(values[_SPHERES:].mean())) ** 2
    return replace(
        learned,
        letters=letters,
        standing=tuple(position.letters()),
        values=_values(values[order]),
        covariance=_joint(covariance),
    )


def _exchangeable(learned: Learned) -> tuple[Array, Array]:
    """Mean and covariance averaged over every exchange of like spheres."""
    values = np.array(learned.values)
    second = np.array(learned.covariance) + np.outer(values, values)
    groups = [[_SPHERES + n for n, of in enumerate(learned.letters) if of == letter] for letter in _LETTERS]
    parts = [[n] for n in range(_SPHERES)] + [group for group in groups if group]
    mean, mixed = values.copy(), second.copy()
    for a in parts:
        mean[a] = values[a].mean()
        for b in parts:
            block = second[np.ix_(a, b)]
            if a is not b:
                mixed[np.ix_(a, b)] = block.mean()
            elif len(a) > 1:
                own = np.trace(block) / len(a)
                other = (block.sum() - np.trace(block)) / (len(a) * (len(a) - 1))
                mixed[np.ix_(a, b)] = np.where(np.eye(len(a), dtype=bool), own, other)
    return mean, mixed - np.outer(mean, mean)
