"""What a step is called when it is to be taken back."""

from collections.abc import Callable, Sequence
from typing import Any

from companion.log.events import Event
from companion.log.kinds import Kind
from companion.log.state import Standing
from companion.referee.words import answer_in_words


def step_in_words(events: Sequence[Event], before: Standing) -> str:
    """For example `White's move d1-d2`, or `White's move c4xd5 and the end of game 2: White wins by capture`.

    `before` is how things stood before these events.
    """
    # An answer is named by what came of it, a restored position goes without saying.
    telling = [e for e in events if e.kind != Kind.ANSWER and (e.kind != Kind.RESTORED or e is events[0])] or events
    return " and ".join(_WORDS[Kind(event.kind)](event.payload, before) for event in telling)


def _plain(word: str) -> str:
    return word.replace("_", " ")


def _player(payload: dict[str, Any]) -> str:
    return str(payload["player"]).capitalize()


def _stands(payload: dict[str, Any]) -> str:
    return f"letting {_player(payload)}'s {payload['move']} ({_plain(payload['let_stand'])}) stand"


def _end(payload: dict[str, Any], before: Standing) -> str:
    winner, termination = payload.get("winner"), _plain(payload["termination"])
    by = "award" if payload.get("awarded") else termination
    how = f"{str(winner).capitalize()} wins by {by}" if winner else "void"
    number = before.next_number if before.game is None else before.game.number
    return f"the end of game {number}: {how}"


_WORDS: dict[Kind, Callable[[dict[str, Any], Standing], str]] = {
    Kind.MATCH: lambda p, _: f"the new match {p['white']} against {p['black']}",
    Kind.START: lambda _, before: f"the start of game {before.next_number}",
    Kind.MOVE: lambda p, _: _stands(p) if p.get("let_stand") else f"{_player(p)}'s move {p['move']}",
    Kind.ILLEGAL: lambda p, _: f"{_player(p)}'s illegal move {p['move']} ({_plain(p['reason'])})",
    Kind.RESTORED: lambda *_: "the position being put right",
    Kind.HELD: lambda p, _: f"{_player(p)} holding the board",
    Kind.CRASH: lambda p, _: f"{_player(p)}'s crash ({_plain(p['step'])})",
    Kind.GAME_OVER: _end,
    Kind.QUESTION: lambda p, _: f"the question ({_plain(p['about'])})",
    Kind.ANSWER: lambda p, _: f"the answer: {answer_in_words(p.get('about'), p['move'])}",
    Kind.CORRECT: lambda p, _: _stands(p) if p.get("let_stand") else "the position set by hand",
    Kind.SETTINGS: lambda p, _: f"the change of settings ({p['says']})",
}
