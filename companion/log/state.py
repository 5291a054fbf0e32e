"""What a table is at one moment, as the log tells it: the match, the game, and the steps that can be taken back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.log.events import Event
from companion.log.kinds import NOTHING, SHOWN, Kind
from companion.rules import Match, Outcome, Position, Side

RECENT = 30
"""How many of the last rulings are shown."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """The players' names and the scoring board."""

    white: str
    black: str
    score: Match


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One move of a game; `seq` is its event, `position` the one after it, `balance` what its event says of margins.

    `let_stand` is why it was illegal, where the referee let it stand.
    """

    seq: int
    player: Side
    move: str
    position: Position
    let_stand: str | None = None
    balance: Mapping[str, Any] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GameState:
    """The game on the board.

    `line` are all positions from the start on, also those set by hand, for counting repetitions. `restore` is the
    illegal move that still has to be put back, `question` the one that waits for an answer. `illegal_moves` are the
    illegal moves so far of White and of Black. `awarded`: it was won by the referee's word alone. `started` and
    `ended` are seconds since 1970, None where not known, or still to come.
    """

    number: int
    start: Position
    position: Position
    line: tuple[Position, ...]
    moves: tuple[PlayedMove, ...] = ()
    over: Outcome | None = None
    awarded: bool = False
    restore: Event | None = None
    question: Event | None = None
    illegal_moves: tuple[int, int] = (0, 0)
    started: float | None = None
    ended: float | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What an undo can put back. `policy` is what is done with each kind of ruling, where a person has changed that."""

    match: MatchState | None = None
    game: GameState | None = None
    policy: tuple[tuple[str, str], ...] = ()

    @property
    def next_number(self) -> int:
        """The number of a game that starts now; a game that was broken off is not counted in a match."""
        if self.match is not None:
            return self.match.score.games + 1
        if self.game is None:
            return 1
        return self.game.number + (self.game.over is not None)


@dataclass(frozen=True, slots=True)
class Step:
    """Events that are taken back together, such as a move and the end of the game that it brought.

    `before` is how things stood before it; `below` is the step before it.
    """

    events: tuple[Event, ...]
    before: Standing
    # Left out of comparing and printing, which would descend into every step of the log.
    below: "Step | None" = field(compare=False, repr=False)

    @property
    def seqs(self) -> list[int]:
        """The sequence numbers of its events."""
        return [event.seq for event in self.events]


@dataclass(frozen=True, slots=True)
class Undone:
    """An undo that can be taken back: its event, the events that it took out, and the undo before it."""

    undo: Event
    events: tuple[Event, ...]
    below: "Undone | None" = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableState:
    """The table after event `seq`. Made only by `fold` and `apply`.

    `last` is the newest step that is not undone; `undone` the newest undo that can be redone, None after a new ruling;
    `faults` the `fault` events that are not over. `paused` is the pause that goes on, `pauses` are those that are over,
    from and until (s since 1970).
    """

    seq: int = 0
    standing: Standing = Standing()
    last: Step | None = None
    undone: Undone | None = None
    faults: tuple[Event, ...] = ()
    paused: Event | None = None
    pauses: tuple[tuple[float, float], ...] = ()

    @property
    def match(self) -> MatchState | None:
        """The match being played, None for single games."""
        return self.standing.match

    @property
    def game(self) -> GameState | None:
        """The game on the board, also after its end; None before the first start of a match."""
        return self.standing.game

    def steps(self) -> Iterator[Step]:
        """The steps that are not undone, newest first."""
        step = self.last
        while step is not None:
            yield step
            step = step.below

    def active(self) -> list[Event]:
        """The events of the games that are not undone, oldest first."""
        return [event for step in reversed(list(self.steps())) for event in step.events]

    def rulings(self, most: int = RECENT) -> list[Event]:
        """The last rulings that are not undone, newest last."""
        found: list[Event] = []
        for step in self.steps():
            found += [event for event in reversed(step.events) if event.kind in SHOWN]
            if len(found) >= most:
                break
        return found[:most][::-1]

    def last_ruling(self) -> Event | None:
        """The newest ruling that still says something of the game: a question is over once it has been answered.

        So is the holding that was asked about, where the answer was that there was none.
        """
        asked = None if self.game is None else self.game.question
        denied, unsaid = set[int](), 0
        for event in (event for step in self.steps() for event in reversed(step.events)):
            if event.kind == Kind.ANSWER and event.payload["move"] == NOTHING:
                denied.add(event.payload["question"])
            elif event.kind == Kind.QUESTION and event != asked:
                unsaid = event.seq - 1 if event.seq in denied and event.payload["about"] == Kind.HELD else 0
            elif event.kind in SHOWN and not (event.kind == Kind.HELD and event.seq == unsaid):
                return event
        return None


EMPTY = TableState()
"""A table whose log is empty."""
