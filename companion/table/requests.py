"""What a person can ask of a table at the referee's console, as typed requests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.errors import BadInput
from companion.log.names import plain
from companion.rules import Move, Position, Side

NAME_LETTERS = 40
"""The longest name of a player; a screen shows about half of it."""


@dataclass(frozen=True, slots=True)
class StartGame:
    """The next game begins, in its start position; `anyway`: also where the camera sees another one."""

    anyway: bool = False


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
    """The referee gives the game to `winner`, for a forfeit's points."""

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


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A new match begins between these players; `rules` None: as in the one before."""

    white: str
    black: str
    rules: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Rename:
    """These are the players' names."""

    white: str
    black: str


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """From now on other settings are in force: of the match's rules, and of what is done with which ruling."""

    rules: dict[str, Any]
    policy: dict[str, str]


@dataclass(frozen=True, slots=True)
class Pause:
    """The game rests: whatever is done at the board means nothing. `player`: who has stopped it to call the referee."""

    player: Side | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    """The game goes on once the board shows its position."""


Request = (
    NewMatch
    | Rename
    | ChangeSettings
    | Pause
    | Resume
    | StartGame
    | EnterMove
    | SetPosition
    | Answer
    | LetStand
    | Award
    | Forfeit
    | Resign
    | Crashed
    | Void
    | Undo
    | Redo
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


def _name(command: dict[str, Any], name: str) -> str:
    """A player's name in one line. Control characters and what changes the direction of writing are left out."""
    found = plain(_text(command, name, "Ada"))
    if not 1 <= len(found) <= NAME_LETTERS:
        raise BadInput(f'{command["do"]}: "{name}" should be a name of 1 to {NAME_LETTERS} letters')
    return found


def _names(command: dict[str, Any]) -> tuple[str, str]:
    """Two names that tell the players apart: statistics and hands go by the name."""
    white, black = _name(command, "white"), _name(command, "black")
    if white.casefold() == black.casefold():
        raise BadInput(f'{command["do"]}: both players are called "{white}": add something, such as "{white[:38]} 2"')
    return white, black


def _table(command: dict[str, Any], name: str) -> dict[str, Any]:
    value = command.get(name, {})
    if not isinstance(value, dict):
        raise BadInput(f'{command["do"]}: "{name}" should be an object of settings')
    return value


def _new_match(command: dict[str, Any]) -> NewMatch:
    rules = _table(command, "rules") if "rules" in command else None
    return NewMatch(*_names(command), rules)


def _changes(command: dict[str, Any]) -> ChangeSettings:
    changes = ChangeSettings(_table(command, "rules"), _table(command, "policy"))
    if not changes.rules and not changes.policy:
        raise BadInput('settings needs "rules" or "policy", an object of what is to change')
    return changes


def _optional_seq(command: dict[str, Any]) -> int | None:
    return None if command.get("seq") is None else _seq(command, "seq")


def request_names() -> list[str]:
    """Everything that a command can ask for, by its `do`."""
    return list(_MAKE)


_MAKE: dict[str, Callable[[dict[str, Any]], Request]] = {
    "match": _new_match,
    "names": lambda c: Rename(*_names(c)),
    "settings": _changes,
    "pause": lambda _: Pause(),
    "resume": lambda _: Resume(),
    "start": lambda c: StartGame(c.get("anyway") is True),
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
