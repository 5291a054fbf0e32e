"""Where a sphere was rolled from: the levels say how far, and the hand that let go of it says, roughly, where."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from firmware_bridge.levels import Level
from firmware_bridge.places import Places

HAND_SD_MM = 25.0
"""How well the end of a roll is judged by the hand's weight there (one standard deviation): the hand's push sideways,
which acts above the pinnacles, is of the order of its weight."""
ARRIVED_MM = 12.0
"""The sphere has arrived when the moment stays within so much of what it ends at."""
WHOLE_STEP_MM = 5.0
"""A roll goes from well to well: its length differs by no more from the distance of two wells."""


@dataclass(frozen=True, slots=True)
class Roll:
    """From where to where a sphere was rolled, mm, with standard deviation and probability of just these wells."""

    p_mm: float
    to_mm: float
    sd_mm: float
    confidence: float


def is_well_to_well(shift_mm: float, places: Places) -> bool:
    """Whether a shift by so much can be a roll between wells; always so where the wells are not known."""
    wells = places.wells_mm
    if not wells or not places.wells_usable:
        return True
    return any(abs(b - a - shift_mm) <= WHOLE_STEP_MM for a in wells for b in wells if a != b)


def locate_roll(levels: Sequence[Level], after: Level, shift_mm: float, sphere_g: float, places: Places) -> Roll:
    """Estimates a roll's ends from the levels on the way.

    When the sphere has arrived, the weight F of the hand that still touches it acts at its place p: the moment is then
    F * p more than in the end. A regression gives p, which is compared with the pairs of wells so far apart.
    """
    per_mm = places.half_spacing_mm / places.scale
    weight = moment = 0.0
    for level in reversed(levels):
        extra = per_mm * (level.difference - after.difference)
        if abs(extra) > ARRIVED_MM * sphere_g:
            break
        force = level.total - after.total
        weight += force * force
        moment += force * extra
    # two grams for a quarter of a second are what it takes to say anything
    sd = HAND_SD_MM * math.sqrt(1 + 20.0 / (weight + 1e-6))
    guess = moment / weight if weight > 0 else 0.0
    wells = places.wells_mm
    pairs = [(a, b) for a in wells for b in wells if a != b and abs(b - a - shift_mm) <= WHOLE_STEP_MM]
    if not pairs or not places.wells_usable:
        return Roll(guess - shift_mm, guess, sd, 0.5)
    odds = [math.exp(-0.5 * ((b - guess) / sd) ** 2) for _, b in pairs]
    best = max(range(len(pairs)), key=odds.__getitem__)
    share = odds[best] / sum(odds) if sum(odds) > 0 else 1 / len(pairs)
    middle = 0.5 * (pairs[best][0] + pairs[best][1])
    return Roll(middle - shift_mm / 2, middle + shift_mm / 2, sd * (1 - share) + 1.0, 0.9 * share)
