"""What the referee does with each kind of ruling: take it, ask a person, only note it, or pass over it."""

from dataclasses import dataclass
from enum import StrEnum


class Handling(StrEnum):
    ACCEPT = "accept"
    ASK = "ask"
    LOG = "log"
    IGNORE = "ignore"


RULING_KINDS = ("move", "illegal", "restored", "held", "crash", "game_over")


@dataclass(frozen=True, slots=True)
class Policy:
    """One `Handling` per kind of ruling."""

    move: Handling = Handling.ACCEPT
    illegal: Handling = Handling.ACCEPT
    restored: Handling = Handling.ACCEPT
    held: Handling = Handling.LOG
    crash: Handling = Handling.ACCEPT
    game_over: Handling = Handling.ACCEPT
