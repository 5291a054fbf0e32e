"""Holds a stream back so that it runs at a chosen speed."""

from collections.abc import Callable, Iterable, Iterator

from companion.table.refereeing import Item

SHORTEST_SLEEP = 0.005
"""Sleeping for less than this (s) costs more than it gains."""


def paced(
    items: Iterable[Item], speed: float, clock: Callable[[], float], sleep: Callable[[float], None]
) -> Iterator[Item]:
    """Gives each item no sooner than its time, `speed` times as fast as real time. What is late is not waited for."""
    began, first = clock(), None
    for item in items:
        first = item.t if first is None else first
        ahead = (item.t - first) / speed - (clock() - began)
        if ahead > SHORTEST_SLEEP:
            sleep(ahead)
        yield item
