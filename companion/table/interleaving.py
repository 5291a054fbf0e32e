"""Samples and pictures, each late in its own way, put into one order of time. Pure: the time is told."""

import heapq
from collections import deque
from dataclasses import dataclass, field

from companion.table.refereeing import Item
from vision.frames import Frame

MOST_HOLD_S = 1.0
"""So long an item waits for others at the most. A camera passes on no older picture."""
SPARE_S = 0.02
LATENESSES = 60
"""So many items tell how late they come here."""


@dataclass(slots=True)
class Interleaving:
    """Call `add` with what comes and `ready` often. `witnesses`: how many kinds of items there are, 1 or 2.

    An item's turn has come once one of the other kind, no older, is there; or when it has waited as long as others
    have come late. What comes after its turn is dropped, as a sample or picture that was missed, and counted in `late`.
    """

    witnesses: int
    late: int = 0
    _waiting: list[tuple[float, int, Item]] = field(default_factory=list)
    _count: int = 0
    _given: float = float("-inf")
    _newest: dict[bool, float] = field(default_factory=dict)
    _lateness: deque[float] = field(default_factory=lambda: deque(maxlen=LATENESSES))

    def add(self, item: Item, now: float) -> None:
        """Takes an item that came at `now`, on the clock by which items are timed."""
        self._lateness.append(now - item.t)
        if item.t < self._given:
            self.late += 1
            return
        picture = isinstance(item, Frame)
        self._newest[picture] = max(item.t, self._newest.get(picture, item.t))
        heapq.heappush(self._waiting, (item.t, self._count, item))
        self._count += 1

    def ready(self, now: float) -> list[Item]:
        """The items whose turn has come, in order of time."""
        hold_s = min(max(self._lateness, default=0.0) + SPARE_S, MOST_HOLD_S)
        until = now - hold_s
        if len(self._newest) == self.witnesses:
            until = max(until, min(self._newest.values()))
        return self._give(until)

    def rest(self) -> list[Item]:
        """All that waits, when nothing more will come."""
        return self._give(float("inf"))

    def _give(self, until: float) -> list[Item]:
        items = []
        while self._waiting and self._waiting[0][0] <= until:
            items.append(heapq.heappop(self._waiting)[2])
        if items:
            self._given = items[-1].t
        return items
