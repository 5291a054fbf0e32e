"""A log kept in memory, so that tests can speak of rulings instead of payloads."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.log import EMPTY, Entry, Event, TableState, apply, redo_event, rules_payload, state_json, undo_event
from companion.log.events import FIRST_PREVIOUS, chained
from companion.rules import MatchRules, Move, Outcome, Position, Side, legal_moves, normalised, outcome, play


class Book:
    """Events as they would stand in a log, and the state after them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.states: list[TableState] = [EMPTY]

    @property
    def state(self) -> TableState:
        return self.states[-1]

    @property
    def json(self) -> dict[str, Any]:
        return state_json(self.state)

    @property
    def position(self) -> Position:
        assert self.state.game is not None
        return self.state.game.position

    def add(self, kind: str, origin: str = "both", **payload: Any) -> Event:
        previous = self.events[-1].digest if self.events else FIRST_PREVIOUS
        seq = len(self.events) + 1
        event = chained(previous, seq, Entry(1000.0 + seq, kind, origin, payload))
        self.events.append(event)
        self.states.append(apply(self.state, event))
        return event

    def match(self, white: str = "Ada", black: str = "Bo", **rules: Any) -> Event:
        return self.add("match", "table", white=white, black=black, rules=rules_payload(MatchRules(**rules)))

    def start(self, position: str | None = None) -> Event:
        return self.add("start", "both", position=position or Position.start().text())

    def play(self, text: str, origin: str = "both") -> Event:
        """A legal move, and the end of the game if it brings that."""
        move = normalised(self.position, Move.parse(text))
        player, after = str(self.position.side), play(self.position, move)
        event = self.add("move", origin, player=player, move=str(move), position=after.text(), confidence=0.99)
        over = outcome(after)
        if over is not None:
            self.end(over)
        return event

    def play_any(self, choice: int) -> None:
        moves = legal_moves(self.position)
        if moves:
            self.play(str(moves[choice % len(moves)]))

    def end(self, over: Outcome, origin: str = "both") -> Event:
        winner = {} if over.winner is None else {"winner": str(over.winner)}
        return self.add("game_over", origin, termination=str(over.termination), points=over.points, **winner)

    def illegal(self, text: str, reason: str, player: Side | None = None) -> Event:
        by, position = str(player or self.position.side), self.position.text()
        return self.add("illegal", "camera", player=by, move=text, reason=reason, position=position)

    def restored(self) -> Event:
        return self.add("restored", "camera", position=self.position.text())

    def question(self, *moves: str) -> Event:
        candidates = [{"move": move, "p": round(1 / len(moves), 4)} for move in moves]
        return self.add("question", "both", about="move", candidates=candidates)

    def undo(self) -> Event:
        wanted = undo_event(self.state)
        assert wanted is not None
        return self.add(wanted[0], "person", **wanted[1])

    def redo(self) -> Event:
        wanted = redo_event(self.state)
        assert wanted is not None
        return self.add(wanted[0], "person", **wanted[1])


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture(scope="session")
def new_book() -> Callable[[], Book]:
    """For property tests, which need a fresh one for every example."""
    return Book
