"""Readings that were dropped: why, and how many of all."""

from collections import deque
from enum import StrEnum

POOR_SHARE = 0.05
"""From this share of lost readings on, other wiring is advised."""
SHARE_OF = 1000
"""The share is taken over so many lines (half a minute to a minute)."""
ENOUGH = 100
"""Readings that it takes to speak of a share."""


class Drop(StrEnum):
    """Why a conversion did not become a reading."""

    SLOW_CLOCK = "slow clock"
    LATE = "read too late"
    BAD_TAIL = "no ones after the bits"
    LOOSE_WIRE = "loose wire"
    CUT_SHORT = "chip reset"
    GONE_BY = "gone by unread"
    STARTING = "starting"
    NO_DATA = "no data"


class LostShare:
    """A fold over two running totals: conversions read and conversions lost."""

    def __init__(self) -> None:
        self._totals: deque[tuple[int, int]] = deque(maxlen=SHARE_OF)

    def note(self, read: int, lost: int) -> None:
        """Takes the totals as they are now."""
        self._totals.append((read, lost))

    @property
    def share(self) -> float | None:
        """Lost of all, lately; None while there were too few to tell."""
        if not self._totals:
            return None
        read, lost = (now - then for now, then in zip(self._totals[-1], self._totals[0], strict=True))
        return lost / (read + lost) if read + lost >= ENOUGH else None
