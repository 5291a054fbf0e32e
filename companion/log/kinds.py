"""What may stand in the log: the kinds of events, where they come from, and the payload that each kind must have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from companion.errors import BadInput
from companion.rules import MatchRules, Outcome, Position, Side, Termination


class Kind(StrEnum):
    """All kinds of events."""

    MATCH = "match"
    START = "start"
    MOVE = "move"
    ILLEGAL = "illegal"
    RESTORED = "restored"
    HELD = "held"
    CRASH = "crash"
    GAME_OVER = "game_over"
    QUESTION = "question"
    ANSWER = "answer"
    CORRECT = "correct"
    SETTINGS = "settings"
    PAUSE = "pause"
    RESUME = "resume"
    UNDO = "undo"
    REDO = "redo"
    FAULT = "fault"
    FAULT_OVER = "fault_over"
    NOTE = "note"


SHOWN = frozenset({"start", "move", "illegal", "restored", "held", "crash", "game_over", "question", "correct"})
"""What is shown as a ruling: the referee's own, and a position set by hand."""

NOTHING = "nothing"
"""The answer that nothing has happened."""

UNDOABLE = SHOWN | {"match", "answer", "settings"}
"""What an undo can take back. Pauses, faults and notes are facts about the table, no part of the game."""


class Origin(StrEnum):
    """Who or what an event comes from."""

    CAMERA = "camera"
    LOAD_CELLS = "load_cells"
    BOTH = "both"
    PERSON = "person"
    TABLE = "table"


Check = Callable[[Any], str | None]
"""Says what a value should have been, or None where it is right."""


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) else "a text"


def _word(value: Any) -> str | None:
    return None if isinstance(value, str) and value else "a text that is not empty"


def _number(value: Any) -> str | None:
    return None if isinstance(value, int | float) and not isinstance(value, bool) else "a number"


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _count(value: Any) -> str | None:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return None if good else "a whole number, 0 or more"


def _seqs(value: Any) -> str | None:
    good = isinstance(value, list | tuple) and value and all(_count(seq) is None for seq in value)
    return None if good else "a list of sequence numbers"


def _player(value: Any) -> str | None:
    return None if value in tuple(Side) else "'white' or 'black'"


def _position(value: Any) -> str | None:
    if not isinstance(value, str):
        return "a position text"
    try:
        Position.parse(value)
    except ValueError as error:
        return f"a position ({error})"
    return None


def _termination(value: Any) -> str | None:
    return None if value in tuple(Termination) else f"one of {', '.join(Termination)}"


def _candidates(value: Any) -> str | None:
    good = isinstance(value, list | tuple) and all(
        isinstance(c, Mapping) and _word(c.get("move")) is None and _number(c.get("p")) is None for c in value
    )
    return None if good else 'a list of {"move", "p"}'


def _rules(value: Any) -> str | None:
    try:
        match_rules(value)
    except BadInput as error:
        return f"the settings of a match ({error})"
    return None


def _handlings(value: Any) -> str | None:
    good = isinstance(value, Mapping) and all(isinstance(word, str) for word in (*value, *value.values()))
    return None if good else "what is done with each kind of ruling"


def match_rules(settings: Any) -> MatchRules:
    """The rules of a match from the JSON values in a `match` event; what is absent has its default.

    Raises BadInput for an unknown or bad setting.
    """
    if not isinstance(settings, Mapping):
        raise BadInput(f"{settings!r} is no table of settings")
    known = [f.name for f in fields(MatchRules)]
    unknown = sorted(str(name) for name in settings if name not in known)
    if unknown:
        raise BadInput(f"unknown setting {unknown[0]}; known are {', '.join(known)}")
    return MatchRules(**settings)


def rules_payload(rules: MatchRules) -> dict[str, Any]:
    """The rules of a match as JSON values, for a `match` event; `match_rules` reads them back."""
    values = {f.name: getattr(rules, f.name) for f in fields(MatchRules)}
    return {name: str(value) if isinstance(value, Side) else value for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class _Shape:
    """The fields of a payload that must be there, and those that may; more are allowed and kept."""

    must: Mapping[str, Check]
    may: Mapping[str, Check] = field(default_factory=dict)


_SHAPES: dict[Kind, _Shape] = {
    Kind.MATCH: _Shape({"white": _text, "black": _text}, {"rules": _rules}),
    Kind.START: _Shape({"position": _position}),
    Kind.MOVE: _Shape(
        {"player": _player, "move": _word, "position": _position}, {"confidence": _number, "let_stand": _word}
    ),
    Kind.ILLEGAL: _Shape(
        {"player": _player, "move": _word, "reason": _word, "position": _position},
        {"placement": _text, "confidence": _number},
    ),
    Kind.RESTORED: _Shape({"position": _position}),
    Kind.HELD: _Shape({"player": _player}),
    Kind.CRASH: _Shape({"player": _player, "step": _word}),
    Kind.GAME_OVER: _Shape({"termination": _termination, "points": _count}, {"winner": _player, "awarded": _flag}),
    Kind.QUESTION: _Shape({"about": _word, "candidates": _candidates}),
    Kind.ANSWER: _Shape({"question": _count, "move": _word}, {"about": _word}),
    Kind.CORRECT: _Shape({"position": _position}, {"player": _player, "move": _word, "let_stand": _word}),
    Kind.SETTINGS: _Shape({"says": _word}, {"rules": _rules, "policy": _handlings, "white": _text, "black": _text}),
    Kind.PAUSE: _Shape({}, {"player": _player}),
    Kind.RESUME: _Shape({}),
    Kind.UNDO: _Shape({"undoes": _seqs, "says": _text}),
    Kind.REDO: _Shape({"redoes": _count, "says": _text}),
    Kind.FAULT: _Shape({"witness": _word, "what": _word, "remedy": _text}),
    Kind.FAULT_OVER: _Shape({"witness": _word, "what": _word}),
    Kind.NOTE: _Shape({"text": _text}),
}


def check_event(kind: str, origin: str, payload: Mapping[str, Any]) -> None:
    """Raises BadInput, naming the field, for anything that the fold could not read later.

    It does not judge whether the event fits the game: that is the referee's business, and a person may overrule it.
    """
    if kind not in tuple(Kind):
        raise BadInput(f"event kind is {kind!r}; it must be one of {', '.join(Kind)}")
    if origin not in tuple(Origin):
        raise BadInput(f"{kind}: origin is {origin!r}; it must be one of {', '.join(Origin)}")
    shape = _SHAPES[Kind(kind)]
    for name, check in shape.must.items():
        if name not in payload:
            raise BadInput(f"{kind}: {name} is missing")
        _refuse(kind, name, payload[name], check)
    for name, check in shape.may.items():
        if payload.get(name) is not None:
            _refuse(kind, name, payload[name], check)
    if kind == Kind.GAME_OVER:
        outcome_of(payload)


def _refuse(kind: str, name: str, value: Any, check: Check) -> None:
    right = check(value)
    if right is not None:
        raise BadInput(f"{kind}: {name} is {value!r}; it must be {right}")


def outcome_of(payload: Mapping[str, Any]) -> Outcome:
    """The end of a game as a `game_over` event tells it; raises BadInput where winner and termination do not fit."""
    winner = payload.get("winner")
    return Outcome(None if winner is None else Side(winner), Termination(payload["termination"]), payload["points"])
