"""How likely each kind of touch tips the board, from its statics.

A touch has a strength: the height of a drop, the force of a slam, a nudge or a press. It tips the board once the
strength exceeds what the statics can bear, and that threshold is a product of powers of a few lengths and moments, as
it is for a lever (a press: force times lever against the moment that holds the board) or an impulse (a slam). Strengths
of one hand are log-normal around the hand's own level, so the chance is a normal integral of a linear form.
"""

import math
from dataclasses import dataclass
from operator import mul
from typing import Final

from companion.balance.touches import Touch

KINDS: Final = ("clean", "drop", "slam", "nudge", "press")
"""What a hand can do: as it should be; from a height; hard; sideways; leaning on the sphere."""

CLEAN, DROP, SLAM, NUDGE, PRESS = range(len(KINDS))

_LEAST_MM = 1e-3
"""A margin below this is none: the logarithm needs a number."""

_LEAST_OUTSIDE_MM = 0.5
"""A press nearer to the pinnacle than a finger is exact."""

_Z_LIMIT = 38.0
"""Beyond that many standard deviations a normal tail is 0 as a float."""


@dataclass(frozen=True, slots=True)
class Tipping:
    """Threshold of one kind of touch in one kind of step, in standard deviations of what is not known of it.

    z = `constant` + sum of `powers` * terms + `per_strength` * strength of the hand (natural logarithm); the terms are
    the natural logarithms that `TERMS` names. `within` is the standard deviation of the strength from touch to touch of
    one hand, `held` that of what its duration does to z.
    """

    constant: float
    powers: tuple[float, ...]
    per_strength: float = 0.0
    within: float = 0.0
    held: float = 0.0


TERMS: Final = (
    (
        ("margin", "shift", "spacing", "weight"),
        ("margin", "mass", "lever", "spacing", "weight"),
        ("margin", "shift", "spacing"),
        ("margin", "shift", "spacing", "lever"),
        ("outside", "spacing", "near"),
    ),
    (
        ("margin", "mass", "lever", "spacing", "weight"),
        ("margin", "shift", "spacing"),
        ("lever", "hold", "spacing"),
        ("lever", "hold", "spacing", "shift"),
        ("outside", "spacing", "near_before", "far"),
    ),
)
"""What decides, by step (placings, lifts) and kind: see `logarithms`."""


def logarithms(touch: Touch) -> dict[str, float]:
    """Natural logarithms of the lengths (mm), masses (g) and moments (gram mm) that decide whether a touch tips.

    `margin` after the step; `shift` of the centre by it, which the board overshoots; half the `spacing`, on which the
    pace of its rocking hangs; `weight` after and `mass` of the sphere; `lever` of the hand, and how far `outside` the
    near pinnacle it presses; `near`, `far` and `hold`, the weaker, keep the board down after the step, `near_before`
    before it. The board must be standing after the step.
    """
    near, far = touch.holds_after_gmm
    least = _LEAST_MM * touch.total_after_g
    weaker = max(min(near, far), least)
    weight = touch.total_after_g
    return {
        "margin": math.log(weaker / weight),
        "shift": math.log(touch.mass_g * (abs(touch.p_mm) + touch.half_spacing_mm) / weight),
        "spacing": math.log(touch.half_spacing_mm),
        "weight": math.log(weight),
        "mass": math.log(touch.mass_g),
        "lever": math.log(touch.lever_mm),
        "outside": math.log(max(abs(touch.p_mm) - touch.half_spacing_mm, _LEAST_OUTSIDE_MM)),
        "hold": math.log(weaker),
        "near": math.log(max(near, least)),
        "far": math.log(max(far, least)),
        "near_before": math.log(max(touch.holds_before_gmm[0], least)),
    }


def terms(touch: Touch) -> tuple[tuple[float, ...], ...]:
    """The terms of every kind for this touch, as `TERMS` names them."""
    known = logarithms(touch)
    return tuple(tuple(known[name] for name in names) for names in TERMS[touch.lifts])


def can_press_tip(touch: Touch) -> bool:
    """A press between the pinnacles only steadies the board."""
    return abs(touch.p_mm) > touch.half_spacing_mm


def tip_chances(
    touch: Touch, tipping: tuple[tuple[Tipping, ...], tuple[Tipping, ...]], level: float = 0.0, level_sd: float = 0.0
) -> tuple[float, ...]:
    """Probability that the touch tips the board, by kind.

    `tipping` holds the thresholds of placings and of lifts. `level` is the hand's strength as a natural logarithm
    relative to an average hand, known to within `level_sd`.
    """
    if touch.margin_after_mm <= 0:
        return (1.0,) * len(KINDS)
    kinds, values = tipping[touch.lifts], terms(touch)
    chances = [_chance(of, known, level, level_sd) for of, known in zip(kinds[:PRESS], values, strict=False)]
    press = chances[CLEAN]
    if can_press_tip(touch):
        press = max(press, _chance(kinds[PRESS], values[PRESS], level, level_sd))
    return *chances, press


def _chance(of: Tipping, values: tuple[float, ...], level: float, level_sd: float) -> float:
    z = of.constant + of.per_strength * level + sum(map(mul, of.powers, values))
    spread = of.per_strength * of.per_strength * (of.within * of.within + level_sd * level_sd) + of.held * of.held
    return below(z / math.sqrt(1.0 + spread))


def below(z: float) -> float:
    """P(Z < z) of a standard normal, exact in its lower tail too."""
    return math.erfc(-max(-_Z_LIMIT, min(_Z_LIMIT, z)) / math.sqrt(2)) / 2
