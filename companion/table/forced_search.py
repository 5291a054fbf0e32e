"""Searches for forced crashes beside the table, in a thread of its own: deeper until the position changes."""

import threading
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from companion.balance import Balance, Hand, Search, forced_crashes
from companion.rules import Position, Side

BUDGETS = (200, 1500)
"""Positions looked at, one search after the other: something is known soon, and more is known later."""
STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be searched; `key` tells one wish from another."""

    key: Hashable
    balance: Balance
    position: Position
    hands: Mapping[Side, Hand]


class ForcedSearch:
    """Answers for the newest wish. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._wanted: Wanted | None = None
        self._found: tuple[Hashable, Search] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="forced crashes", daemon=True)
        self._thread.start()

    def want(self, wanted: Wanted) -> None:
        """Searches this from now on; nothing where it is searched already."""
        with self._changed:
            if self._wanted is None or self._wanted.key != wanted.key:
                self._wanted = wanted
                self._changed.notify()

    def found(self, key: Hashable) -> Search | None:
        """What was found so far for that wish."""
        with self._changed:
            return self._found[1] if self._found is not None and self._found[0] == key else None

    def close(self) -> None:
        """Ends the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(timeout=STOP_S)

    def _work(self) -> None:
        done: Hashable = None
        while True:
            with self._changed:
                self._changed.wait_for(lambda done=done: self._closed or self._is_news(done))  # type: ignore[misc]
                if self._closed or self._wanted is None:
                    return
                wanted = self._wanted
            done = wanted.key
            for budget in BUDGETS:
                search = forced_crashes(wanted.balance, wanted.position, wanted.hands, budget)
                with self._changed:
                    self._found = wanted.key, search
                    if self._closed or self._is_news(done):
                        break
                if not search.exhausted:
                    break

    def _is_news(self, done: Hashable) -> bool:
        return self._wanted is not None and self._wanted.key != done
