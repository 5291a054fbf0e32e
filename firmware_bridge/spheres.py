"""What the lifts and places teach: how much a sphere weighs, and how far apart the two cells' gains are."""

from dataclasses import dataclass

LIGHTEST_G = 10.0
HEAVIEST_G = 60.0
"""A playing sphere weighs between these, by all that is known of boards; used until one has been lifted."""
LIKE_SPHERE = 0.2
"""A mass within this share of the usual one may be a sphere: spheres of a set vary by a few per cent."""
SET_SPREAD_G = 0.4
"""Standard deviation of the masses within a set of spheres, by the spheres of a common set (2%)."""
GAIN_SD = 0.012
"""Standard deviation of the difference of the two cells' gains after a calibration: each is good to about 0.8% where
kitchen scales gave the masses."""
IN_HAND_SD_G = 0.25
"""Standard deviation of the mass that a lift gave."""
SAME_SPHERE_G = 0.6
"""The same sphere weighs the same again to within this, beside the measurements' standard deviations."""
SURPRISE_SD = 4.0
"""What is further off than this many standard deviations teaches nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """A change of the loads from one level to the next, grams, with deviations of low + high and high - low."""

    low: float
    high: float
    total_sd: float = 0.15
    difference_sd: float = 0.3

    @property
    def total(self) -> float:
        return self.low + self.high

    @property
    def difference(self) -> float:
        return self.high - self.low


class Spheres:
    """Learns from every step taken for a sphere's. Two unknowns are fitted, the usual mass and the gains' difference.

    One cell reading e/2 too much and the other e/2 too little changes the apparent mass by e/2 * (high - low): as a
    sphere far out moves the cells by several times its weight, half a per cent is half a gram and more.
    """

    def __init__(self, sphere_mass_g: float | None = None) -> None:
        known = sphere_mass_g is not None
        self._mass = sphere_mass_g if sphere_mass_g is not None else (LIGHTEST_G + HEAVIEST_G) / 2
        self._mass_var = 1.0 if known else ((HEAVIEST_G - LIGHTEST_G) / 2) ** 2
        self._at_first = self._mass, self._mass_var
        self._gain = 0.0
        self._gain_var = GAIN_SD**2
        self._covariance = 0.0
        self.seen = 1 if known else 0
        self.in_hand_g: list[float] = []
        self._carried = 0

    def none_in_hand(self) -> None:
        """Nobody has a sphere in hand: what was taken for one was something else, and what it taught is forgotten.

        Only as long as nothing that was lifted has been placed again: after that it is spheres that have taught.
        """
        if self.in_hand_g and not self._carried:
            self._mass, self._mass_var, self.seen = *self._at_first, 0
            self._gain, self._gain_var, self._covariance = 0.0, GAIN_SD**2, 0.0
        self.in_hand_g.clear()

    @property
    def usual_g(self) -> float:
        """The usual mass of a sphere; until one was seen, the middle of what is possible."""
        return self._mass

    @property
    def lightest_g(self) -> float:
        """The least that a sphere here is thought to weigh."""
        return LIGHTEST_G if not self.seen else self._mass * (1 - LIKE_SPHERE)

    @property
    def heaviest_g(self) -> float:
        """The most that a sphere here is thought to weigh."""
        return HEAVIEST_G if not self.seen else self._mass * (1 + LIKE_SPHERE)

    def weight(self, step: Step) -> float:
        """The change in weight, grams, with what is known of the gains allowed for."""
        return step.total - self._gain * step.difference / 2

    def weight_sd(self, step: Step) -> float:
        """Standard deviation of `weight`."""
        return float((step.total_sd**2 + self._gain_var * (step.difference / 2) ** 2) ** 0.5)

    def best_mass(self, step: Step, in_hand_g: float | None = None) -> tuple[float, float]:
        """The mass of the sphere that made this step, and its standard deviation.

        The measurement is weighed against the usual mass, or against the mass that the sphere had when it was lifted.
        """
        measured, var = abs(self.weight(step)), self.weight_sd(step) ** 2
        prior, prior_var = self._mass, self._mass_var + SET_SPREAD_G**2
        if in_hand_g is not None:
            prior, prior_var = in_hand_g, IN_HAND_SD_G**2
        if abs(measured - prior) > SURPRISE_SD * (var + prior_var) ** 0.5:
            return measured, var**0.5
        mass = (measured * prior_var + prior * var) / (prior_var + var)
        return mass, (var * prior_var / (var + prior_var)) ** 0.5

    def matching_in_hand(self, step: Step) -> float | None:
        """The mass of the sphere in hand that fits this step best, if one does."""
        mass, sd = abs(self.weight(step)), self.weight_sd(step)
        near = [m for m in self.in_hand_g if abs(m - mass) < SAME_SPHERE_G + SURPRISE_SD * sd]
        return min(near, key=lambda m: abs(m - mass)) if near else None

    def lifted(self, step: Step) -> None:
        """A sphere left the board with this step."""
        self.in_hand_g.append(self.best_mass(step)[0])
        self._learn(-step.total, -step.difference / 2, step.total_sd)

    def placed(self, step: Step) -> None:
        """A sphere came onto the board with this step."""
        mass = self.matching_in_hand(step)
        if mass is not None:
            self.in_hand_g.remove(mass)
            self._carried += 1
        self._learn(step.total, step.difference / 2, step.total_sd)

    def _learn(self, mass: float, lever: float, sd: float) -> None:
        """One step of the least-squares fit mass = usual + gain * lever."""
        self.seen += 1
        var = SET_SPREAD_G**2 + sd**2
        to_mass = self._mass_var + lever * self._covariance
        to_gain = self._covariance + lever * self._gain_var
        surprise = mass - self._mass - self._gain * lever
        surprise_var = to_mass + lever * to_gain + var
        if surprise * surprise > SURPRISE_SD**2 * surprise_var:
            return
        mass_share, gain_share = to_mass / surprise_var, to_gain / surprise_var
        self._mass += mass_share * surprise
        self._gain += gain_share * surprise
        self._mass_var -= mass_share * to_mass
        self._gain_var -= gain_share * to_gain
        self._covariance -= mass_share * to_gain
