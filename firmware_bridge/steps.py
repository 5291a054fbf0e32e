"""What a change from one level to the next is: a sphere lifted, placed, rolled, or something that is no sphere."""

import math
from dataclasses import dataclass
from enum import Enum, auto

from firmware_bridge.places import Places
from firmware_bridge.rolling import is_well_to_well
from firmware_bridge.spheres import Spheres, Step

SAME_G = 1.2
SAME_SHARE = 0.08
"""Weight is unchanged within this, grams or share of a sphere, whichever is more."""
STIRRED_MM = 8.0
"""A sphere that shifts by less has stayed in its well: it lies loose by a millimetre or two."""
CALM_MM = 1.0
"""A place is told at once when rocking leaves it good to so much (one standard deviation)."""
ROLL_LIGHTER, ROLL_HEAVIER = 0.5, 0.7
"""While a sphere is rolled the weight stays within these shares of a sphere's: less would be a lift, more a place."""
ROLL_S = 4.0
"""A roll from one well to another takes less; what takes longer is not one motion."""
HELD_S = 1.0
"""After a hand has borne down on the board for so long, what changed meanwhile may be more than one sphere."""


class Meaning(Enum):
    """What a step is taken for."""

    NOTHING = auto()
    LIFT = auto()
    PLACE = auto()
    ROLL = auto()
    STRAY_LIFT = auto()
    """A sphere's weight less, but from no well."""
    STRAY_PLACE = auto()
    SHUFFLED = auto()
    """The same weight, but spheres lie elsewhere, and not by one roll."""
    FOREIGN = auto()


@dataclass(frozen=True, slots=True)
class Path:
    """How the loads went from one level to the other.

    `lightest_g` and `heaviest_g` are the extremes of the weight against the level before, `lasted_s` how long it took,
    `borne_down_s` for how long of that more bore on the board than a sphere and the hand that handles it.
    """

    lightest_g: float
    heaviest_g: float
    lasted_s: float
    borne_down_s: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """A meaning with the sphere's mass, the raw place (before the learned scale), and whether there is any doubt."""

    meaning: Meaning
    mass_g: float = 0.0
    mass_sd_g: float = 0.0
    raw_mm: float = 0.0
    sd_mm: float = 0.0
    sure: bool = False


def judge(step: Step, path: Path, spheres: Spheres, places: Places) -> Verdict:
    """Judges a step between two levels at which the loads were still."""
    weight = spheres.weight(step)
    moment = places.half_spacing_mm * step.difference
    same = max(SAME_G, 3 * spheres.weight_sd(step), SAME_SHARE * spheres.usual_g if spheres.seen else 0.0)
    if abs(weight) <= same:
        return _same_weight(moment / spheres.usual_g, path, spheres, places)
    lift = weight < 0
    in_hand = None if lift else spheres.matching_in_hand(step)
    if in_hand is None and not spheres.lightest_g <= abs(weight) <= spheres.heaviest_g:
        return Verdict(Meaning.FOREIGN, abs(weight), raw_mm=moment / weight)
    mass, mass_sd = spheres.best_mass(step, in_hand)
    raw = moment / (-mass if lift else mass)
    moment_sd = math.hypot(places.half_spacing_mm * step.difference_sd, raw * mass_sd)
    sd = math.hypot(moment_sd / mass, places.scale_sd_mm(raw))
    if places.in_well(raw, sd) and path.borne_down_s < HELD_S:
        calm = places.half_spacing_mm * step.difference_sd <= CALM_MM * mass
        sure = calm and places.surely_in_well(raw, sd) and (lift or in_hand is not None)
        return Verdict(Meaning.LIFT if lift else Meaning.PLACE, mass, mass_sd, raw, sd, sure)
    return Verdict(Meaning.STRAY_LIFT if lift else Meaning.STRAY_PLACE, mass, mass_sd, raw, sd)


def _same_weight(raw_shift_mm: float, path: Path, spheres: Spheres, places: Places) -> Verdict:
    if abs(raw_shift_mm) <= STIRRED_MM:
        return Verdict(Meaning.NOTHING, sure=True)
    stayed = path.lightest_g > -ROLL_LIGHTER * spheres.usual_g and path.heaviest_g < ROLL_HEAVIER * spheres.usual_g
    if stayed and path.lasted_s <= ROLL_S and spheres.seen and is_well_to_well(raw_shift_mm / places.scale, places):
        return Verdict(Meaning.ROLL, spheres.usual_g, raw_mm=raw_shift_mm)
    return Verdict(Meaning.SHUFFLED, raw_mm=raw_shift_mm)
