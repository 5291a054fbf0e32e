"""What ordinary play teaches about a board: sphere masses, half spacing, the board's own mass and moment.

Two loads at rest with known spheres in known wells obey

    low + high            = board mass + sum of sphere masses
    d * (high - low)      = board moment + sum of mass * coordinate       d the half spacing

and both are linear in what is not known, d included, as the loads themselves are measured far better than a part in a
thousand. Where the cells' gains differ by a part e, half of e * (high - low) is missing from the first left side and
half of d * e * (low + high) from the second: with d * e as the unknown that is linear too. So a Kalman filter is as
good as exact: lifts tell the masses, spheres moved between known wells the half spacing,
and what is left the board. No scale and no ruler is needed, only the pitch of the wells. Covariances are kept whole:
board and sphere masses are each known badly at first while their sum is known to a tenth of a gram.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from companion.balance.learned import (
    BOARD_MASS,
    BOARD_MOMENT,
    GAIN_SHIFT,
    HALF_SPACING,
    SEAT_SD_MM,
    SPHERE_MASS_G,
    SPHERES,
    Array,
    Learned,
    as_joint,
    as_values,
    prior,
)
from companion.balance.statics import coordinate_mm
from companion.balance.touches import Touch
from companion.errors import BadInput

Exchanged = Literal["sphere", "board"]

DRIFT_SD_G = 0.02
"""By how much each cell's zero wanders from one reading at rest to the next, standard deviation."""

STRANGE_SDS = 5.5
"""A reading so many standard deviations off means that something is not what it was: less than once in ten million."""

LEAST_EXCHANGE_G = 1.0
"""What differs by less than a sphere of this mass, one well off, is noise and not an exchange, however surely it
differs."""

ADAPT_WEIGHT = 12.0
"""The stated noise is trusted as much as this many readings that show what it is."""

MOST_NOISIER = 6.0
"""The noise is never taken for more than so many times what is stated: then something is wrong instead."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Two loads at rest in grams, each with this standard deviation.

    `rocking_g` is how far both may be off besides, one up and the other down, as a board still rocks.
    """

    low_g: float
    high_g: float
    sd_g: float
    rocking_g: float = 0.0


@dataclass(frozen=True, slots=True)
class Notice:
    """Something was exchanged: the sphere that was lifted from a well, or the board (`well` is None)."""

    what: Exchanged
    well: int | None
    sds: float


def lifted(learned: Learned, well: int) -> Learned:
    """A sphere left its well. Raises BadInput where none stands there."""
    return _moved(learned, sphere_in(learned, well), None)


def placed(learned: Learned, sphere: int, well: int) -> Learned:
    """A sphere, by its number in `letters`, came to rest in a well, not quite in its middle."""
    return _moved(learned, sphere, well)


def _moved(learned: Learned, sphere: int, well: int | None) -> Learned:
    """Its seat is counted to the board's moment, which changes as it leaves one and as it takes another."""
    covariance = np.array(learned.covariance)
    covariance[BOARD_MOMENT, BOARD_MOMENT] += (SEAT_SD_MM * learned.values[SPHERES + sphere] * learned.noise) ** 2
    standing = *learned.standing[:sphere], well, *learned.standing[sphere + 1 :]
    return replace(learned, standing=standing, covariance=as_joint(covariance))


def sphere_in(learned: Learned, well: int) -> int:
    """Number of the sphere that stands in a well; raises BadInput where none does."""
    if well not in learned.standing:
        raise BadInput(f"no sphere is known to stand in well {well}")
    return learned.standing.index(well)


def touch_at(learned: Learned, sphere: int, well: int, lifts: bool) -> Touch:
    """The lift of a sphere (by its number) from a well, or its placing there, before it is made."""
    coordinates = [
        (mass, coordinate_mm(at, learned.axis, learned.pitch_mm))
        for mass, at in zip(learned.masses_g, learned.standing, strict=True)
        if at is not None
    ]
    total = learned.values[BOARD_MASS] + sum(mass for mass, _ in coordinates)
    moment = learned.values[BOARD_MOMENT] + sum(mass * p for mass, p in coordinates)
    return Touch(
        lifts=lifts,
        half_spacing_mm=learned.half_spacing_mm[0],
        total_g=total,
        centre_mm=moment / total,
        mass_g=learned.masses_g[sphere],
        p_mm=coordinate_mm(well, learned.axis, learned.pitch_mm),
    )


def read(learned: Learned, reading: Reading, last_sphere: int | None = None) -> tuple[Learned, Notice | None]:
    """What is known after a reading at rest of what stands now, and what must have been exchanged for it to be so.

    `last_sphere` is the sphere that was lifted or placed since the last reading: if anything is strange it is that one.
    Raises BadInput for loads that are no numbers or a standard deviation that is not above 0.
    """
    if not (math.isfinite(reading.low_g) and math.isfinite(reading.high_g) and reading.sd_g > 0):
        raise BadInput(f"a reading of {reading.low_g} g and {reading.high_g} g +- {reading.sd_g} g cannot be")
    updated, sds, spread = _filtered(learned, reading)
    if sds <= STRANGE_SDS or _is_slight(learned, reading):
        return _adapted(updated, min(spread, STRANGE_SDS**2)), None
    suspect = learned if last_sphere is None else _forgotten(learned, last_sphere)
    renewed, sds_if, spread = _filtered(suspect, reading)
    if last_sphere is not None and sds_if <= STRANGE_SDS:
        return _adapted(renewed, spread), Notice("sphere", learned.standing[last_sphere], sds)
    # No one sphere explains it: another board, or the pinnacles stand elsewhere.
    means, covariance = prior(learned.letters)
    fresh = replace(learned, values=as_values(means), covariance=as_joint(covariance), noise=1.0, readings=0)
    return _filtered(fresh, reading)[0], Notice("board", None, sds)


def _is_slight(learned: Learned, reading: Reading) -> bool:
    """Whether what is strange about a reading is too little to be an exchange."""
    _, surprise = _surprise(learned, reading)
    return bool(np.all(np.abs(surprise) < np.array([1.0, learned.pitch_mm]) * LEAST_EXCHANGE_G))


def _surprise(learned: Learned, reading: Reading) -> tuple[Array, Array]:
    """The two equations of a reading as rows over `values`, and by how much the values do not fulfil them."""
    total, apart = reading.low_g + reading.high_g, reading.high_g - reading.low_g
    rows = np.zeros((2, len(learned.values)))
    rows[0, BOARD_MASS] = rows[1, BOARD_MOMENT] = 1.0
    rows[0, GAIN_SHIFT], rows[1, GAIN_SHIFT] = -apart / 2 / learned.values[HALF_SPACING], -total / 2
    rows[1, HALF_SPACING] = -apart
    for n, well in enumerate(learned.standing):
        if well is not None:
            rows[0, SPHERES + n] = 1.0
            rows[1, SPHERES + n] = coordinate_mm(well, learned.axis, learned.pitch_mm)
    return rows, np.array([total, 0.0]) - rows @ np.array(learned.values)


def _forgotten(learned: Learned, sphere: int) -> Learned:
    """The same with nothing known of one sphere."""
    n = SPHERES + sphere
    values, covariance = np.array(learned.values), np.array(learned.covariance)
    covariance[n, :] = covariance[:, n] = 0.0
    values[n], covariance[n, n] = SPHERE_MASS_G[0], SPHERE_MASS_G[1] ** 2
    return replace(learned, values=as_values(values), covariance=as_joint(covariance))


def _filtered(learned: Learned, reading: Reading) -> tuple[Learned, float, float]:
    """One step of the Kalman filter; also the surprise in standard deviations and its mean square by degree."""
    x, covariance = np.array(learned.values), np.array(learned.covariance)
    drift = (DRIFT_SD_G * learned.noise) ** 2
    covariance[BOARD_MASS, BOARD_MASS] += 2 * drift
    covariance[BOARD_MOMENT, BOARD_MOMENT] += 2 * drift * x[HALF_SPACING] ** 2
    rows, surprise = _surprise(learned, reading)
    variance = 2 * (reading.sd_g * learned.noise) ** 2
    spacing = x[HALF_SPACING] ** 2 + covariance[HALF_SPACING, HALF_SPACING]
    # The gain's part in the total needs the half spacing, which is not known at first.
    apart_mm = rows[0, GAIN_SHIFT] ** 2 / spacing
    unsure = apart_mm * covariance[GAIN_SHIFT, GAIN_SHIFT] * covariance[HALF_SPACING, HALF_SPACING]
    apart = variance + 4 * reading.rocking_g**2
    expected = rows @ covariance @ rows.T + np.diag([variance + unsure, apart * spacing])
    gain = np.linalg.solve(expected, rows @ covariance).T
    square = float(surprise @ np.linalg.solve(expected, surprise))
    new = covariance - gain @ expected @ gain.T
    updated = replace(learned, values=as_values(x + gain @ surprise), covariance=as_joint(new))
    return updated, math.sqrt(square), square / len(surprise)


def _adapted(learned: Learned, spread: float) -> Learned:
    """Noise as it proves to be: the surprises' mean square, against the stated one as many readings' worth of prior."""
    before = learned.readings + ADAPT_WEIGHT
    square = learned.noise**2 * (before + spread) / (before + 1)
    noise = max(1 / MOST_NOISIER, min(MOST_NOISIER, math.sqrt(square)))
    return replace(learned, noise=noise, readings=min(learned.readings + 1, int(8 * ADAPT_WEIGHT)))
