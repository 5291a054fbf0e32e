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

_Z_LIMIT = 38.0
"""Beyond that many standard deviations a normal tail is 0 as a float."""


@dataclass(frozen=True, slots=True)
class Tipping:
    """Threshold of one kind of touch in one kind of step, in standard deviations of what is not known of it.

    z = `constant` + sum of `powers` * ln(terms) + `per_strength` * (strength of the hand, natural logarithm); `spread`
    is the standard deviation of the part of z that differs from touch to touch of the same hand.
    """

    constant: float
    powers: tuple[float, ...]
    per_strength: float = 0.0
    spread: float = 0.0


def terms(touch: Touch) -> tuple[tuple[float, ...], ...]:
    """Natural logarithms of the lengths (mm), masses (g) and moments (gram mm) that decide whether it tips, by kind.

    Clean and drop: margin after, mass, lever, half spacing, total. Slam and nudge: lever, the weaker hold after, half
    spacing. Press: how far outside the near pinnacle it presses, half spacing, the near hold while it does, and for a
    lift the far hold after, as the board swings back when the hand lets go. The board must be standing after the step.
    """
    near, far = touch.holds_after_gmm
    least = _LEAST_MM * touch.total_g
    weaker = max(min(near, far), least)
    lever, spacing = math.log(touch.lever_mm), math.log(touch.half_spacing_mm)
    total = math.log(touch.total_g)
    gentle = math.log(weaker / touch.total_after_g), math.log(touch.mass_g), lever, spacing, total
    rough = lever, math.log(weaker), spacing
    outside = math.log(max(abs(touch.p_mm) - touch.half_spacing_mm, _LEAST_MM))
    if touch.lifts:
        pressed: tuple[float, ...] = math.log(max(touch.holds_before_gmm[0], least)), math.log(max(far, least))
    else:
        pressed = (math.log(max(near, least)),)
    return gentle, gentle, rough, rough, (outside, spacing, *pressed)


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
    return below(z / math.sqrt(1.0 + of.spread * of.spread + (of.per_strength * level_sd) ** 2))


def below(z: float) -> float:
    """P(Z < z) of a standard normal, exact in its lower tail too."""
    return math.erfc(-max(-_Z_LIMIT, min(_Z_LIMIT, z)) / math.sqrt(2)) / 2
