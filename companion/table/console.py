"""Carries out what a person asks at the console: from a request to rulings and the referee's state after them."""

from companion.log import Event, Kind, TableState, redo_event, undo_event
from companion.referee import answering, by_hand
from companion.referee.by_hand import NotNow
from companion.referee.rulings import Ruling
from companion.referee.state import RefereeState, Setup
from companion.rules import Side, Termination
from companion.table.requests import (
    Answer,
    Award,
    Crashed,
    EnterMove,
    Forfeit,
    LetStand,
    Redo,
    Request,
    Resign,
    SetPosition,
    StartGame,
    Undo,
)

Payload = dict[str, object]
Change = tuple[Kind, Payload]
Result = tuple[RefereeState, tuple[Ruling, ...]]
"""What is asked of the log itself, before or without any ruling."""


def log_change(request: Request, state: TableState) -> Change | None:
    """The event that the request itself is, None where it is only what follows from it. Raises `NotNow`."""
    if isinstance(request, LetStand) and (answer := _as_answer(state)) is not None:
        request = answer
    if isinstance(request, Answer):
        about = _question_of(request, state).payload["about"]
        return Kind.ANSWER, {"question": request.question, "move": request.move, "about": about}
    if isinstance(request, Undo):
        undo = undo_event(state)
        if undo is None:
            raise NotNow("there is nothing to take back")
        return _expected(undo, undo[1]["undoes"][0], request.seq)
    if isinstance(request, Redo):
        redo = redo_event(state)
        if redo is None:
            raise NotNow("there is no undo to take back, or something was ruled since")
        return _expected(redo, redo[1]["redoes"], request.seq)
    return None


def _expected(change: tuple[Kind, dict[str, object]], seq: int, wanted: int | None) -> Change:
    """What is taken back must be what the person has seen."""
    if wanted is not None and wanted != seq:
        raise NotNow(f"event {wanted} is no longer the last step: that is event {seq}, {change[1]['says']}")
    return change


def carried_out(request: Request, setup: Setup, state: RefereeState, table: TableState, t: float) -> Result:
    """The rulings of a request that is no undo or redo, and the referee's state after them.

    Raises `NotNow`, `NoAnswer`, `IllegalMove` or BadInput, each with one line that says why it cannot be done.
    """
    if isinstance(request, StartGame):
        return by_hand.start(setup, state, t)
    if isinstance(request, EnterMove):
        return by_hand.enter_move(setup, state, request.move, t)
    if isinstance(request, SetPosition):
        return by_hand.set_position(setup, state, request.position, t)
    if isinstance(request, LetStand):
        answer = _as_answer(table)
        if answer is None:
            return _let_stand(setup, state, table, t)
        request = answer
    if isinstance(request, Answer):
        assert table.game is not None
        assert table.game.question is not None
        return answering.answer(setup, state, request.move, t, table.game.question.payload["about"])
    return by_hand.end(state, *_ending(request), t, isinstance(request, Award) or None)


def _ending(request: Request) -> tuple[Termination, Side | None]:
    """How a request ends the game, and who wins."""
    if isinstance(request, Award):
        return Termination.FORFEIT, request.winner
    if isinstance(request, Forfeit):
        return Termination.FORFEIT, request.player.other
    if isinstance(request, Resign):
        return Termination.RESIGNATION, request.player.other
    if isinstance(request, Crashed):
        return Termination.CRASH, request.player.other
    return Termination.VOID, None


def _question_of(answer: Answer, state: TableState) -> Event:
    """The open question that is answered so. Raises `NotNow`."""
    question = None if state.game is None else state.game.question
    if question is None:
        raise NotNow(f"question {answer.question} is no longer open; nothing is asked now")
    if question.seq != answer.question:
        raise NotNow(f"question {answer.question} is no longer open; question {question.seq} is")
    known = [candidate["move"] for candidate in question.payload["candidates"]]
    if answer.move not in known:
        raise NotNow(f"{answer.move!r} is no answer to question {question.seq}; it asks for {' or '.join(known)}")
    return question


def _as_answer(state: TableState) -> Answer | None:
    """Letting stand what is still in question is an answer to it."""
    question = None if state.game is None else state.game.question
    if question is None or all(c["move"] != "let_stand" for c in question.payload["candidates"]):
        return None
    return Answer(question.seq, "let_stand")


def _let_stand(setup: Setup, state: RefereeState, table: TableState, t: float) -> Result:
    if table.game is None or table.game.over is not None or table.game.restore is None:
        raise NotNow("nothing waits to be put back, so there is nothing to let stand")
    seen = table.game.restore.payload
    return answering.stand(setup, state, seen["move"], Side(seen["player"]), seen.get("placement"), seen["reason"], t)
