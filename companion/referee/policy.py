"""What the referee does with each kind of ruling; `handling.handled` acts on it.

    accept  the ruling is made, with all that follows from it
    ask     a person is asked first, and nothing follows before the answer
    log     it is made known and noted, nothing follows from it and the game goes on
    ignore  as if it had not been seen

What that comes to, kind by kind:

| kind | ask | log | ignore |
| --- | --- | --- | --- |
| move | nothing moves on before the answer | noted; the console enters the moves | the console enters the moves |
| illegal | asked: put it back, or let it stand? | said, does not count toward a forfeit, and stands | stands |
| restored | asked before the game goes on | as accept: else the game could not go on | as accept |
| held | said; asked whether it is a forfeit; the game goes on meanwhile | said, no forfeit | not said |
| crash | asked; the game waits | said; the game goes on once the board stands as before | the same, not said |
| game_over | asked | noted; the console ends the game | the console ends the game |

`held = "accept"` is the forfeit that the rules demand, and so is `[rules] holding_forfeits = true`, unless held is
asked or ignored. An illegal capture of a coloured sphere never just stands: it is asked about.
"""

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

    def of(self, kind: str) -> Handling:
        """What is done with rulings of this kind; those that nothing is set for are made."""
        return Handling(getattr(self, kind)) if kind in RULING_KINDS else Handling.ACCEPT
