"""Tells the load tracker what the board should weigh: what it weighed once, and where its spheres stand now."""

from dataclasses import dataclass

from companion.balance import coordinate_mm
from companion.referee.hypotheses import Placement
from firmware_bridge.events import LoadState
from firmware_bridge.places import ASSUMED_HALF_SPACING_MM
from firmware_bridge.tracker import LoadTracker

SLACK_G = 4.0
"""A total that is off by more (g) than since the board was last weighed: a cell has drifted. At rest totals stay within
half a gram, and a game is too short for more drift than a gram or two."""
TELL_EVERY_S = 1.0
"""The tracker forgets what stands when anything changes; it is told again so often."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the board weighed at rest with so many spheres at places that add up to so much: g, g mm, mm."""

    total_g: float
    moment_gmm: float
    spheres: int
    places_mm: float


@dataclass(slots=True)
class Expecting:
    """One table's expectation. `note` is called with every load state."""

    axis: str
    pitch_mm: float
    half_spacing_mm: float | None
    _weighed: Weighed | None = None
    _told_t: float = float("-inf")

    def note(self, tracker: LoadTracker, placement: Placement | None, load: LoadState) -> None:
        """Tells the tracker, while nobody touches the board, what it should weigh with the spheres where they stand.

        `placement` is None while that is not known for certain.
        """
        if placement is None or load.touching or load.low_g is None or load.high_g is None:
            return
        if load.t - self._told_t < TELL_EVERY_S:
            return
        spheres = [coordinate_mm(well, self.axis, self.pitch_mm) for well, held in enumerate(placement) if held]
        half_spacing_mm = self.half_spacing_mm or ASSUMED_HALF_SPACING_MM
        if self._weighed is None:
            if not load.settled:
                return
            total, difference = load.low_g + load.high_g, load.high_g - load.low_g
            self._weighed = Weighed(total, half_spacing_mm * difference, len(spheres), sum(spheres))
        # Only what has changed since is reckoned, so that an error of the sphere's mass or of the scale stays small.
        before, sphere_g = self._weighed, tracker.spheres.usual_g
        change_g = (len(spheres) - before.spheres) * sphere_g
        change_gmm = tracker.places.scale * sphere_g * (sum(spheres) - before.places_mm)
        tracker.expect(before.total_g + change_g, before.moment_gmm + change_gmm, SLACK_G)
        self._told_t = load.t

    def tell_again(self) -> None:
        """The tracker has begun anew with the same board."""
        self._told_t = float("-inf")

    def forget(self) -> None:
        """The board is set up anew, or another one."""
        self._weighed = None
        self._told_t = float("-inf")
