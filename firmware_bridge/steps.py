"""What a change from one level to the next is: a sphere lifted, placed, rolled, or something that is no sphere."""

from dataclasses import dataclass
from enum import Enum, auto

from firmware_bridge.places import Fit, Places
from firmware_bridge.spheres import Spheres, Step

SAME_G = 1.2
SAME_SHARE = 0.08
"""Weight is unchanged within this, grams or share of a sphere, whichever is more."""
STIRRED_MM = 8.0
"""A sphere that shifts by less has stayed in its well: it lies loose by a millimetre or two."""
ROLL_S = 4.0
"""A roll from one well to another takes less; what takes longer is not one motion."""


class Meaning(Enum):
    """What a step is taken for."""

    NOTHING = auto()
    LIFT = auto()
    PLACE = auto()
    ROLL = auto()
    STRAY_LIFT = auto()
    STRAY_PLACE = auto()
    SHUFFLED = auto()
    FOREIGN = auto()


@dataclass(frozen=True, slots=True)
class Path:
    """How the loads went from one level to the other: extremes of the weight against the level before, and for how long."""

    lightest_g: float
    heaviest_g: float
    lasted_s: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """A meaning with the sphere's mass, the raw place (before the learned scale) and how it fits the wells."""

    meaning: Meaning
    mass_g: float = 0.0
    raw_mm: float = 0.0
    fit: Fit | None = None
    known_sphere: bool = False


def same_weight_g(spheres: Spheres, step: Step) -> float:
    """Up to which change the weight counts as unchanged."""
    return max(SAME_G, 3 * spheres.weight_sd(step), SAME_SHARE * spheres.usual_g if spheres.seen else 0.0)


def judge(step: Step, path: Path, spheres: Spheres, places: Places) -> Verdict:
    """Judges a step between two levels at which the loads were still."""
    weight = spheres.weight(step)
    moment = places.half_spacing_mm * step.difference
    if abs(weight) <= same_weight_g(spheres, step):
        shift = moment / spheres.usual_g / places.scale
        if abs(shift) <= STIRRED_MM:
            return Verdict(Meaning.NOTHING)
        stayed = path.lightest_g > -spheres.usual_g / 2 and path.heaviest_g < spheres.usual_g * 1.5
        if stayed and path.lasted_s <= ROLL_S:
            return Verdict(Meaning.ROLL, spheres.usual_g, shift * places.scale)
        return Verdict(Meaning.SHUFFLED, 0.0, shift)
    lift = weight < 0
    in_hand = None if lift else spheres.matching_in_hand(step)
    mass = spheres.best_mass(step)
    like_sphere = spheres.lightest_g <= abs(weight) <= spheres.heaviest_g
    if in_hand is None and not like_sphere:
        return Verdict(Meaning.FOREIGN, abs(weight), moment / weight)
    if in_hand is not None:
        mass = 0.5 * (mass + in_hand.mass_g)
    raw = moment / (-mass if lift else mass)
    fit = places.fit(raw)
    if fit.in_well:
        meaning = Meaning.LIFT if lift else Meaning.PLACE
    else:
        meaning = Meaning.STRAY_LIFT if lift else Meaning.STRAY_PLACE
    return Verdict(meaning, mass, raw, fit, known_sphere=lift or in_hand is not None)
