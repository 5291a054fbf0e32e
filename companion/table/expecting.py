"""Tells the load tracker what the board should weigh: what it weighed once, and where its spheres stand now."""

from dataclasses import dataclass

from companion.balance import coordinate_mm
from companion.referee.state import Phase, RefereeState
from companion.rules import Position
from firmware_bridge.events import LoadState
from firmware_bridge.places import ASSUMED_HALF_SPACING_MM
from firmware_bridge.tracker import LoadTracker


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the board weighed at rest with its spheres so: total (g) and moment (g mm)."""

    position: Position
    total_g: float
    moment_gmm: float


@dataclass(slots=True)
class Expecting:
    """One table's expectation. `note` is called with every load state."""

    axis: str
    pitch_mm: float
    half_spacing_mm: float | None
    _weighed: Weighed | None = None
    _told: Position | None = None

    def note(self, tracker: LoadTracker, referee: RefereeState, load: LoadState) -> None:
        """Tells the tracker once for each position, as soon as it stands and nobody touches the board."""
        known = referee.phase is Phase.PLAYING and referee.changed_since is None and not referee.asked
        if not known or load.touching or load.low_g is None or load.high_g is None:
            return
        position = referee.position
        if position == self._told:
            return
        if self._weighed is None:
            if not load.settled:
                return
            half_spacing_mm = self.half_spacing_mm or ASSUMED_HALF_SPACING_MM
            self._weighed = Weighed(position, load.low_g + load.high_g, half_spacing_mm * (load.high_g - load.low_g))
        # Only what has changed since is reckoned, so that an error of the sphere's mass or of the scale stays small.
        before = self._weighed
        sphere_g, scale = tracker.spheres.usual_g, tracker.places.scale
        gone = len(before.position.letters()) - len(position.letters())
        shifted_mm = self._sum_mm(position) - self._sum_mm(before.position)
        tracker.expect(before.total_g - gone * sphere_g, before.moment_gmm + scale * sphere_g * shifted_mm)
        self._told = position

    def tell_again(self) -> None:
        """The tracker has begun anew with the same board."""
        self._told = None

    def forget(self) -> None:
        """The board is set up anew, or another one."""
        self._weighed = self._told = None

    def _sum_mm(self, position: Position) -> float:
        return sum(coordinate_mm(well, self.axis, self.pitch_mm) for well in position.letters())
