"""Where a log and the rules of the game disagree. The fold believes the log; this tells what there was to believe."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from companion.errors import BadInput
from companion.log.events import Event
from companion.log.fold import apply
from companion.log.kinds import Kind
from companion.log.state import EMPTY, GameState, TableState
from companion.rules import IllegalMove, Move, Position, Termination, outcome, play


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An event that does not fit what went before it. A person's correction is none, whatever it says."""

    seq: int
    what: str

    def __str__(self) -> str:
        return f"event {self.seq}: {self.what}"


def contradictions(events: Iterable[Event]) -> list[Contradiction]:
    """All events that the rules, or the log before them, speak against; the first event must be the log's first."""
    found = []
    state = EMPTY
    for event in events:
        what = _against(state, event)
        if what is not None:
            found.append(Contradiction(event.seq, what))
        state = apply(state, event)
    return found


def _against(state: TableState, event: Event) -> str | None:
    if event.kind == Kind.UNDO:
        known = {seq for step in state.steps() for seq in step.seqs}
        fits = known.issuperset(event.payload["undoes"])
        return None if fits else "the undo names events that are not there, or are undone already"
    if event.kind == Kind.REDO:
        undo = event.payload["redoes"]
        fits = state.undone is not None and state.undone.undo.seq == undo
        return None if fits else f"there is no undo {undo} that could be taken back"
    if event.kind in _NEEDS_A_GAME:
        if state.game is None or state.game.over is not None:
            return f"{event.kind} without a game" if state.game is None else f"{event.kind} after the end of the game"
        return _NEEDS_A_GAME[event.kind](state.game, event)
    return None


def _against_move(game: GameState, event: Event) -> str | None:
    before, text = game.position, event.payload["move"]
    if event.payload["player"] != before.side:
        return f"it was {before.side}'s turn, not {event.payload['player']}'s"
    try:
        after = play(before, Move.parse(text))
    except (IllegalMove, BadInput) as error:
        return str(error)
    if after != Position.parse(event.payload["position"]):
        return f"{text} leads to '{after.text()}', not to '{event.payload['position']}'"
    return None


def _against_answer(game: GameState, event: Event) -> str | None:
    asked = event.payload["question"]
    return None if game.question is not None and game.question.seq == asked else f"no question {asked} was open"


def _against_end(game: GameState, event: Event) -> str | None:
    termination, seen = event.payload["termination"], outcome(game.position)
    if termination not in (Termination.CAPTURE, Termination.NO_MOVE):
        return None
    if seen is None or (seen.termination, seen.winner) != (termination, event.payload.get("winner")):
        return f"the position '{game.position.text()}' is not won by {termination} for {event.payload.get('winner')}"
    return None


_NEEDS_A_GAME: dict[str, Callable[[GameState, Event], str | None]] = {
    Kind.MOVE: _against_move,
    Kind.ILLEGAL: lambda *_: None,
    Kind.ANSWER: _against_answer,
    Kind.GAME_OVER: _against_end,
}
