"""What a person can ask of a table at the referee's console, as typed requests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.errors import BadInput
from companion.rules import Move, Position, Side


@dataclass(frozen=True, slots=True)
class StartGame:
    """The next game begins, in its start position."""


@dataclass(frozen=True, slots=True)
class EnterMove:
    """The player to move has made this legal move."""

    move: Move


@dataclass(frozen=True, slots=True)
class SetPosition:
    """The game goes on from this position."""

    position: Position


@dataclass(frozen=True, slots=True)
class Answer:
    """`move` is the text of one of the candidates of the question with this sequence number."""

    question: int
    move: str


@dataclass(frozen=True, slots=True)
class LetStand:
    """The illegal move that the game waits for to be put back stands."""


@dataclass(frozen=True, slots=True)
class Award:
    """The game is won by `winner`, as the opponent forfeits it."""

    winner: Side


@dataclass(frozen=True, slots=True)
class Forfeit:
    """`player` forfeits the game, for example by holding the board."""

    player: Side


@dataclass(frozen=True, slots=True)
class Resign:
    """`player` concedes the game."""

    player: Side


@dataclass(frozen=True, slots=True)
class Crashed:
    """`player` has tipped the board."""

    player: Side


@dataclass(frozen=True, slots=True)
class Void:
    """The game counts for nobody."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes back the last step. `seq`, where given, is the step that is meant, as the state names it."""

    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Redo:
    """Takes back the last undo. `seq`, where given, is the undo that is meant, as the state names it."""

    seq: int | None = None


Request = (
    StartGame | EnterMove | SetPosition | Answer | LetStand | Award | Forfeit | Resign | Crashed | Void | Undo | Redo
)


def request_from(command: dict[str, Any]) -> Request:
    """The request that a command such as `{"do": "move", "move": "d1-d2"}` means. Raises BadInput."""
    do = command.get("do")
    make = _MAKE.get(do) if isinstance(do, str) else None
    if make is None:
        raise BadInput(f"{do!r} is nothing that can be asked for; known are {', '.join(_MAKE)}")
    return make(command)


def _text(command: dict[str, Any], name: str, such_as: str) -> str:
    value = command.get(name)
    if not isinstance(value, str):
        raise BadInput(f'{command["do"]} needs "{name}", such as "{such_as}"')
    return value


def _side(command: dict[str, Any], name: str) -> Side:
    value = command.get(name)
    if value not in tuple(Side):
        raise BadInput(f'{command["do"]} needs "{name}", white or black')
    return Side(value)


def _seq(command: dict[str, Any], name: str) -> int:
    value = command.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f'{command["do"]} needs "{name}", a sequence number of the log such as 12')
    return value


def _optional_seq(command: dict[str, Any]) -> int | None:
    return None if command.get("seq") is None else _seq(command, "seq")


_MAKE: dict[str, Callable[[dict[str, Any]], Request]] = {
    "start": lambda _: StartGame(),
    "move": lambda c: EnterMove(Move.parse(_text(c, "move", "d1-d2"))),
    "position": lambda c: SetPosition(Position.parse(_text(c, "position", Position.start().text()))),
    "answer": lambda c: Answer(_seq(c, "question"), _text(c, "move", "d1-d2")),
    "let_stand": lambda _: LetStand(),
    "award": lambda c: Award(_side(c, "winner")),
    "forfeit": lambda c: Forfeit(_side(c, "player")),
    "resign": lambda c: Resign(_side(c, "player")),
    "crash": lambda c: Crashed(_side(c, "player")),
    "void": lambda _: Void(),
    "undo": lambda c: Undo(_optional_seq(c)),
    "redo": lambda c: Redo(_optional_seq(c)),
}
