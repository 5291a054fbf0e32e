"""One touch of a hand: what statics says of it beforehand, and what the load cells feel while it lasts.

A sphere stands on one side of the centre line. The pinnacle on that side is the near one here, the other the far one.
The board stands as long as the weight's moment about each pinnacle keeps it down: total * (half spacing - centre) about
the near one, total * (half spacing + centre) about the far one, with the centre counted toward the near side. Lifting a
sphere of mass m at p adds m * (|p| - half spacing) to the first and takes m * (|p| + half spacing) from the second;
placing it does the opposite.
"""

import math
from dataclasses import dataclass

from companion.errors import BadInput

LIFTED_OFF_SHARE = 0.05
"""A cell that carries less than this part of its load at rest has come free of its pinnacle: an amplifier's noise and
drift are far below 5%."""

CONTACT_MM = 5.0
"""Added to every lever, as it is not 0 for a well on the centre line: a finger meets a sphere about so far from its
middle."""

_FULL_SWING = 4.0
"""Scale of an overshoot in a fingerprint: arsinh is straight below a quarter of the step's own change of load, which is
what a clean touch shows, and logarithmic above it."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A lift (or removal) or a placing, before it is made.

    `total_g` is what weighs on both cells before it, `centre_mm` where its centre of mass lies then, `mass_g` what is
    lifted or placed and `p_mm` where, mm along the axis from the centre line. Raises BadInput naming what cannot be.
    """

    lifts: bool
    half_spacing_mm: float
    total_g: float
    centre_mm: float
    mass_g: float
    p_mm: float

    def __post_init__(self) -> None:
        for name in ("half_spacing_mm", "total_g", "mass_g"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise BadInput(f"{name} of a touch is {value}; it must be above 0")
        if not (math.isfinite(self.centre_mm) and math.isfinite(self.p_mm)):
            raise BadInput(f"a touch at {self.p_mm} mm of a board with its centre at {self.centre_mm} mm cannot be")
        if self.lifts and self.mass_g >= self.total_g:
            raise BadInput(f"mass_g of a lift is {self.mass_g}; it must be below the total of {self.total_g} g")

    @property
    def total_after_g(self) -> float:
        return self.total_g + (-self.mass_g if self.lifts else self.mass_g)

    @property
    def holds_before_gmm(self) -> tuple[float, float]:
        """Moment that keeps the board down about the near and the far pinnacle, gram mm; below 0 it has tipped."""
        toward = -self.centre_mm if self.p_mm < 0 else self.centre_mm
        return self.total_g * (self.half_spacing_mm - toward), self.total_g * (self.half_spacing_mm + toward)

    @property
    def holds_after_gmm(self) -> tuple[float, float]:
        """The same after the step."""
        near, far = self.holds_before_gmm
        mass, out = (self.mass_g if self.lifts else -self.mass_g), abs(self.p_mm)
        return near + mass * (out - self.half_spacing_mm), far - mass * (out + self.half_spacing_mm)

    @property
    def margin_after_mm(self) -> float:
        return min(self.holds_after_gmm) / self.total_after_g

    @property
    def lever_mm(self) -> float:
        """How far from the centre line the hand works."""
        return abs(self.p_mm) + CONTACT_MM

    @property
    def jump_g(self) -> float:
        """By how much the near cell's load changes at rest."""
        return self.mass_g * (abs(self.p_mm) + self.half_spacing_mm) / (2 * self.half_spacing_mm)


@dataclass(frozen=True, slots=True)
class Felt:
    """Extremes of the two loads since a touch began, grams; `tipped` once the board has crashed."""

    peak_low_g: float
    peak_high_g: float
    min_low_g: float
    min_high_g: float
    tipped: bool = False


def fingerprint(touch: Touch, felt: Felt) -> tuple[float, ...]:
    """What a touch feels like, of any board: four overshoots and the natural logarithm of the step's own change, grams.

    How far the near and the far load rose above, and then how far each fell below, what it carries at rest before and
    after the step; in units of the step's own change, compressed by arsinh.
    """
    (near_before, near_after), (far_before, far_after) = _at_rest(touch)
    near_peak, far_peak, near_low, far_low = _by_side(touch, felt)
    jump = touch.jump_g
    overshoots = (
        near_peak - max(near_before, near_after),
        far_peak - max(far_before, far_after),
        min(near_before, near_after) - near_low,
        min(far_before, far_after) - far_low,
    )
    return *(math.asinh(_FULL_SWING * over / jump) for over in overshoots), math.log(jump)


def lifted_off(touch: Touch, felt: Felt) -> int:
    """Which cell came free during the touch: 0 none, 1 the far one only, 2 the near one (perhaps both)."""
    (near_before, _), (far_before, _) = _at_rest(touch)
    _, _, near_low, far_low = _by_side(touch, felt)
    if near_low < LIFTED_OFF_SHARE * near_before:
        return 2
    return 1 if far_low < LIFTED_OFF_SHARE * far_before else 0


def _at_rest(touch: Touch) -> tuple[tuple[float, float], tuple[float, float]]:
    """Near and then far load before and after the step, grams: each carries the moment about the other."""
    across = 2 * touch.half_spacing_mm
    (near_before, far_before), (near_after, far_after) = touch.holds_before_gmm, touch.holds_after_gmm
    return (far_before / across, far_after / across), (near_before / across, near_after / across)


def _by_side(touch: Touch, felt: Felt) -> tuple[float, float, float, float]:
    """Peak near, peak far, least near, least far."""
    if touch.p_mm < 0:
        return felt.peak_low_g, felt.peak_high_g, felt.min_low_g, felt.min_high_g
    return felt.peak_high_g, felt.peak_low_g, felt.min_high_g, felt.min_low_g


def squares(values: tuple[float, ...]) -> tuple[float, ...]:
    """1, the values, and every product of two of them: the terms of a quadratic form."""
    return 1.0, *values, *(a * b for n, a in enumerate(values) for b in values[n:])
