"""A sphere's step while another sphere rolls: the step's place is read from the moment as it was at the step.

A hand that lifts a sphere may set another one rolling. The weight then says at once what was done, but the moment goes
on changing until the other sphere has come to rest. Taken from rest to rest the two are one step from nowhere, or,
worse, from another well. So the moment after the step is fitted as what it was at the step, changing along a ramp to
what it is in the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.levels import Level

SMOOTH_S, SMOOTH_SAMPLES = 0.28, 3
"""Both moment and ramp are averaged over so long, and at least so many samples, which takes the rocking out."""
WEIGHT_S = 0.1
"""The weight is averaged over so long."""
SAME_SHARE = 0.2
"""The step is over from when on the weight stays within this share of a sphere's of what it is in the end."""
STARTS_S = tuple(i * 0.05 for i in range(17))
LASTS_S = tuple(0.1 + i * 0.1 for i in range(12))
"""When after the step the ramp may begin, and how long it may last."""
ENOUGH_S = 0.5
"""The moment must be known for so long after the step."""
NOISE_MM = 1.0
"""As the place of one sphere, the moment is never better known than this (one standard deviation)."""
LIKELY = 4.0
"""Ramps that fit worse than the best by so many variances are no longer likely."""
MISFIT_MM = 4.0
"""The best ramp must fit as well as that."""
WELL_SD = 3.0
READ_MM = 1.5
"""How far a sphere reads from its well (one standard deviation); so many of them are no surprise."""


@dataclass(frozen=True, slots=True)
class AtStep:
    """By how much more than in the end high - low differed right after the step, grams: from least to most."""

    least_g: float
    most_g: float


def difference_at_step(
    t: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    after: Level,
    sphere_g: float,
    grams_per_mm: float,
    period_s: float,
) -> AtStep | None:
    """Fits a ramp to high - low from the step on, which is where the weight last came to that of `after`.

    None where too little is known, or no ramp fits.
    """
    first = _step_over(low + high, after.total, sphere_g, period_s)
    if first is None or t[-1] - t[first] < ENOUGH_S:
        return None
    since = t[first:] - t[first]
    smooth = _smoother(max(SMOOTH_SAMPLES, round(SMOOTH_S / period_s)))
    if len(since) <= 2 * len(smooth):
        return None
    left = np.convolve((high - low)[first:] - after.difference, smooth, "valid")
    ramps = [
        np.convolve(1 - np.clip((since - start) / last, 0, 1), smooth, "valid")
        for start in STARTS_S
        for last in LASTS_S
        if start + last < since[-1]
    ]
    if not ramps:
        return None
    shapes = np.array(ramps)
    sizes = shapes @ left / (shapes * shapes).sum(axis=1)
    misfits = ((left - sizes[:, None] * shapes) ** 2).mean(axis=1)
    best = int(np.argmin(misfits))
    noise = max(float(misfits[best]), (NOISE_MM * grams_per_mm) ** 2)
    # averages overlap: only so many of them are independent
    independent = len(left) / len(smooth)
    likely = sizes[misfits - misfits[best] <= LIKELY * noise / independent]
    if misfits[best] > (MISFIT_MM * grams_per_mm) ** 2:
        return None
    return AtStep(float(likely.min()), float(likely.max()))


def only_well(at_step: AtStep, by_well_g: Sequence[float], grams_per_mm: float) -> float | None:
    """The change of high - low that is likely and, alone of all wells, one well's, given each well's; else None."""
    slack = WELL_SD * READ_MM * grams_per_mm
    near = [g for g in by_well_g if at_step.least_g - slack <= g <= at_step.most_g + slack]
    return min(max(near[0], at_step.least_g), at_step.most_g) if len(near) == 1 else None


def _step_over(totals: NDArray[np.float64], total_g: float, sphere_g: float, period_s: float) -> int | None:
    """The first sample from which on the weight stays the same; None where it never left."""
    n = max(1, round(WEIGHT_S / period_s))
    if len(totals) <= n:
        return None
    mean = np.convolve(totals, np.full(n, 1 / n), "valid")
    off = np.flatnonzero(np.abs(mean - total_g) > SAME_SHARE * sphere_g)
    if len(off) == 0 or off[-1] + 1 >= len(mean):
        return None
    return int(off[-1]) + 1 + n // 2


def _smoother(n: int) -> NDArray[np.float64]:
    window = np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 2
    return np.asarray(window / window.sum(), dtype=np.float64)
