"""Loads at rest, gathered into stretches: what one stands still for is one reading of the scale."""

from dataclasses import dataclass, field
from statistics import fmean, median, pstdev

from companion.balance import Reading
from firmware_bridge.events import LoadState

FLOOR_SD_G = 0.05
"""No average of a stretch is better than this: the converter's noise and the cells' creep."""
AVERAGED_S = 0.3
"""A load state averages so long: states closer together say the same thing."""
ROCKING_UNKNOWN_G = 2.0
"""Half of how far apart the loads may be off by rocking where a stretch is too short to show it."""
LEANT_ON_G = 0.7
"""A total that differs by more from the usual one of its stretch was not at rest: a hand bore on the board."""
SHOWS_ROCKING = 4
"""So many load states show it."""


@dataclass(slots=True)
class Stretch:
    """Load states at rest without a break."""

    states: list[LoadState] = field(default_factory=list)

    @property
    def since(self) -> float:
        return self.states[0].t

    @property
    def until(self) -> float:
        return self.states[-1].t

    def reading(self) -> Reading:
        """Its average, and how good that is."""
        usual = median(s.total_g or 0.0 for s in self.states)
        still = [s for s in self.states if abs((s.total_g or 0.0) - usual) <= LEANT_ON_G] or self.states
        lows, highs = zip(*((s.low_g or 0.0, s.high_g or 0.0) for s in still), strict=True)
        apart = [high - low for low, high in zip(lows, highs, strict=True)]
        if len(apart) < SHOWS_ROCKING:
            rocking = ROCKING_UNKNOWN_G
        else:
            rocking = pstdev(apart) / 2 / max(1.0, (self.until - self.since) / AVERAGED_S) ** 0.5
        return Reading(fmean(lows), fmean(highs), FLOOR_SD_G, rocking)


@dataclass(slots=True)
class Rests:
    """The stretches of late, oldest first; the last may still be growing."""

    stretches: list[Stretch] = field(default_factory=list)
    _open: bool = False

    def note(self, load: LoadState) -> None:
        """Takes every load state, in order of time."""
        still = load.settled and not (load.touching or load.tipped or load.faults)
        if not still or load.low_g is None or load.high_g is None:
            self._open = False
            return
        if not (self._open and self.stretches):
            self.stretches.append(Stretch())
            self._open = True
        self.stretches[-1].states.append(load)

    def between(self, after: float, before: float) -> Stretch | None:
        """All that stood still between two moments, as one stretch; None where nothing did.

        A state averages over what came before it, so the first of each stretch, and of the time, are left out.
        """
        states = [
            state
            for stretch in self.stretches
            for state in stretch.states
            if max(after, stretch.since) + AVERAGED_S <= state.t < before
        ]
        return Stretch(states) if states else None

    def forget(self, before: float) -> None:
        """Drops what is older."""
        self.stretches = [s for s in self.stretches if s.until >= before]
