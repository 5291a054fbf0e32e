"""Steps that follow each other too quickly for the loads to rest between them, read from the samples afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sin

from firmware_bridge.excursion import Excursion
from firmware_bridge.levels import Level
from firmware_bridge.places import Places
from firmware_bridge.spheres import LIKE_SPHERE, Spheres, Step
from firmware_bridge.steps import Meaning, Verdict, judge

STRETCH_S = 0.22
STRETCH_SAMPLES = 3
"""So long, and so many samples, must the weight stay where one step alone would put it."""
LONGEST_S = 0.8
"""No more than the last so much of it is averaged."""
EDGE_S = 0.04
"""The first and last bit of it still have something of what was before and comes after."""
SAME_SHARE = 0.12
"""Within this share of a sphere's mass its average is there, within the next each sample ..."""
RUN_SHARE = 0.2
WAVER_SHARE = 0.12
"""... and it wavers by no more of it (one standard deviation), which a hand does."""
AWAY_SHARE = 0.5
"""It has been elsewhere in between when it was off by more."""
STILL_MM = 3.0
"""The moment may be unsure by so much, as the place of one sphere."""
SLOWEST_ROCKING_HZ = 5.0
LEAST_LEFT, ALIASED_LEFT = 0.03, 0.3
"""Shares of rocking that an average leaves: at least, and where samples are too few to see it swing."""

IN_A_WELL = (Meaning.LIFT, Meaning.PLACE)
STRAY = (Meaning.STRAY_LIFT, Meaning.STRAY_PLACE)
A_SPHERE = (*IN_A_WELL, *STRAY)


@dataclass(frozen=True, slots=True)
class Samples:
    """Conditioned samples in the order of their times, grams."""

    t: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True, slots=True)
class BriefStep:
    """A step read afterwards: what it is taken for, and when it was, by the levels (which lag)."""

    verdict: Verdict
    step: Step
    t: float


def two_steps(
    samples: Samples, out: Excursion, after: Level, spheres: Spheres, places: Places, period_s: float
) -> tuple[BriefStep, BriefStep] | None:
    """The two spheres' steps that led from `out.before` to `after`, where the weight stayed between them for a moment.

    None where there is no such moment, or the places read from it are no wells'. Only with known wells: nothing else
    would tell such steps from a restless hand.
    """
    mass, before = spheres.usual_g, out.before
    net = (after.total - before.total) / mass
    firsts = [up for up in (1, -1) if abs(abs(net - up) - 1) < LIKE_SPHERE]
    if not spheres.in_hand_g:  # a touch may weigh as much as a sphere that nobody was seen to lift
        firsts = [up for up in firsts if up < 0]
    if not spheres.seen or not places.wells_usable:
        return None
    for up in firsts:
        found = brief_level(samples, before.total + up * mass, mass, places.half_spacing_mm, period_s)
        if found is None:
            continue
        middle, spread = found
        one, two = _between(before, middle, spread), _between(middle, after, spread)
        first, second = judge(one, out.path, spheres, places), judge(two, out.path, spheres, places)
        sharp = out.is_sharp(before.total, middle.total) and out.is_sharp(middle.total, after.total)
        if sharp and first.meaning in IN_A_WELL and second.meaning in A_SPHERE:
            return (
                BriefStep(first, one, out.first_crossing_t(before.total, middle.total)),
                BriefStep(second, two, out.last_crossing_t(middle.total, after.total)),
            )
    return None


def _between(before: Level, after: Level, spread: Step) -> Step:
    return Step(after.low - before.low, after.high - before.high, spread.total_sd, spread.difference_sd)


def brief_level(
    samples: Samples, total_g: float, mass_g: float, half_spacing_mm: float, period_s: float
) -> tuple[Level, Step] | None:
    """The level of the stretch in which the total was `total_g`; as a step the deviations of its sum and difference.

    None where it never stayed there for long enough or still enough, or went there more than once.
    """
    n = max(STRETCH_SAMPLES, round(STRETCH_S / period_s))
    totals = list(map(float.__add__, samples.low, samples.high))
    stretch = _only_stretch(totals, total_g, mass_g, n)
    if stretch is None:
        return None
    first, end = stretch
    edge = min(round(EDGE_S / period_s), (end - first - n) // 2)
    first, end = max(first + edge, end - edge - round(LONGEST_S / period_s)), end - edge
    window = [sin(pi * (i + 0.5) / (end - first)) ** 2 for i in range(end - first)]
    low, high = _mean(samples.low[first:end], window), _mean(samples.high[first:end], window)
    differences = list(map(float.__sub__, samples.high[first:end], samples.low[first:end]))
    waver = _spread(totals[first:end])
    left = _left_of_rocking(end - first, period_s) * _spread(differences)
    off = abs(low + high - total_g)
    if off > SAME_SHARE * mass_g or waver > WAVER_SHARE * mass_g or left * half_spacing_mm > STILL_MM * mass_g:
        return None
    swing = max(differences) - min(differences)
    return Level(samples.t[end - 1], low, high, swing), Step(0.0, 0.0, 0.15 + waver / 3, 0.3 + left)


def _only_stretch(totals: Sequence[float], total_g: float, mass_g: float, n: int) -> tuple[int, int] | None:
    """First and end of the longest run of at least n totals near `total_g`; None if it is left and come back to."""
    best: tuple[int, int] | None = None
    first = away = 0
    left = False
    for i, total in enumerate((*totals, float("inf"))):
        off = abs(total - total_g)
        away = away + 1 if off > AWAY_SHARE * mass_g else 0
        left = left or (best is not None and away >= n)
        if off <= RUN_SHARE * mass_g:
            continue
        if i - first >= n:
            if left:
                return None
            if best is None or i - first > best[1] - best[0]:
                best = first, i
        first = i + 1
    return best


def _left_of_rocking(n: int, period_s: float) -> float:
    """What an average of n samples under a Hann window leaves of rocking: with two periods of it next to nothing."""
    periods = SLOWEST_ROCKING_HZ * n * period_s
    if 2 * SLOWEST_ROCKING_HZ * period_s >= 1:
        return max(ALIASED_LEFT, 1 / n)
    return max(LEAST_LEFT, 1 - periods / 2)


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(map(float.__mul__, values, weights)) / sum(weights)


def _spread(values: Sequence[float]) -> float:
    """The standard deviation."""
    mean = sum(values) / len(values)
    return float((sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5)
