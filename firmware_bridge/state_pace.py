"""When the state of the loads is given: at every change of what is named in it, and every so often."""

from firmware_bridge.events import LoadState

STATE_S = 0.1
"""A state is given this often, to within half a sample, and at every change ..."""
TIPPED_STATE_S = 0.05
"""... and so often while the board stands on one pinnacle: a crash is to be told within three tenths of a second."""


class StatePace:
    """Lets through the states that are due."""

    def __init__(self, period_s: float) -> None:
        self._half = period_s / 2
        self._last: LoadState | None = None

    def due(self, state: LoadState) -> bool:
        """Whether to give this state; then the next one waits its time."""
        last = self._last
        every = TIPPED_STATE_S if state.tipped else STATE_S
        if last is not None and state.t - last.t < every - self._half and _same_kind(last, state):
            return False
        self._last = state
        return True


def _same_kind(a: LoadState, b: LoadState) -> bool:
    return (
        a.touching == b.touching
        and a.pressing == b.pressing
        and a.settled == b.settled
        and a.tipped == b.tipped
        and a.faults == b.faults
    )
