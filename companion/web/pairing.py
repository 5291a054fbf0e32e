"""The code with which a device becomes the referee's: shown at the table, used once, and never tried for long.

Time is passed in (s, from a clock that only goes on). Nothing here is written to any log.
"""

import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from companion.errors import SenryakuError

DIGITS = 6
"""Short enough to be read across a table and typed; the limits below keep it from being guessed."""
CODE_LASTS_S = 600.0
SHOWN_FRESH_S = 120.0
"""A code that is shown can be typed for at least so long; instead of an older one a new one is shown."""
FREE_TRIES = 3
"""So many wrong codes a client may type without waiting."""
FIRST_WAIT_S, LONGEST_WAIT_S = 10.0, 900.0
"""Each further wrong code doubles the wait."""
FORGIVEN_AFTER_S = 3600.0
TRIES_IN_ALL, IN_ALL_WITHIN_S = 30, 600.0
"""So many wrong codes by all clients together; at that rate one code in a million is met once in eight months."""
MOST_CLIENTS = 1000
"""Remembered clients; what is forgotten first is what was tried longest ago."""


class WrongCode(SenryakuError, PermissionError):
    """The code is not the one that is shown, or no longer."""


class TooManyTries(SenryakuError, PermissionError):
    """Too many wrong codes; `wait_s` says how long to wait."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    last: float = 0.0
    until: float = 0.0


def new_code() -> str:
    return "".join(secrets.choice("0123456789") for _ in range(DIGITS))


class Pairing:
    """The codes of one table, and who has tried which wrong ones how often. Any thread may call."""

    def __init__(self, make: Callable[[], str] = new_code) -> None:
        self._make = make
        self._codes: list[tuple[str, float]] = []
        self._clients: dict[str, _Tries] = {}
        self._wrong: deque[float] = deque()
        self._lock = threading.Lock()

    def code(self, now: float) -> str:
        """The code to show now."""
        with self._lock:
            self._forget(now)
            if not self._codes or self._codes[-1][1] - now < SHOWN_FRESH_S:
                self._codes.append((self._make(), now + CODE_LASTS_S))
            return self._codes[-1][0]

    def check(self, client: str, code: str, now: float, at_the_table: bool = False) -> None:
        """Uses up the code. Raises `WrongCode`, or `TooManyTries` also for the right code.

        Who sits `at_the_table` reads the code there anyway: nobody far away can lock them out.
        """
        with self._lock:
            self._forget(now)
            tries = self._clients.get(client) or _Tries()
            if not at_the_table:
                self._refuse_the_hasty(tries, now)
            if any(secrets.compare_digest(code.encode(), known.encode()) for known, _ in self._codes):
                self._codes.clear()
                self._clients.pop(client, None)
                return
            self._note_wrong(client, tries, now)
        raise WrongCode("this is not the code: take the one that the table's own screen shows now")

    def _refuse_the_hasty(self, tries: _Tries, now: float) -> None:
        if tries.until > now:
            wait_s = tries.until - now
            raise TooManyTries(f"too many wrong codes: wait {wait_s:.0f} s and try again", wait_s)
        if len(self._wrong) >= TRIES_IN_ALL:
            self._codes.clear()
            wait_s = self._wrong[0] + IN_ALL_WITHIN_S - now
            raise TooManyTries("too many wrong codes from many devices: pair at the table's own screen", wait_s)

    def _note_wrong(self, client: str, tries: _Tries, now: float) -> None:
        tries.wrong, tries.last = tries.wrong + 1, now
        beyond = tries.wrong - FREE_TRIES
        if beyond >= 0:
            tries.until = now + min(FIRST_WAIT_S * 2.0 ** min(beyond, 16), LONGEST_WAIT_S)
        self._wrong.append(now)
        self._clients.pop(client, None)
        self._clients[client] = tries
        while len(self._clients) > MOST_CLIENTS:
            del self._clients[next(iter(self._clients))]

    def _forget(self, now: float) -> None:
        self._codes = [(code, until) for code, until in self._codes if until > now]
        while self._wrong and self._wrong[0] + IN_ALL_WITHIN_S <= now:
            self._wrong.popleft()
        for client in [c for c, tries in self._clients.items() if tries.last + FORGIVEN_AFTER_S <= now]:
            del self._clients[client]
