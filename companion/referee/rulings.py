"""Rulings: what the referee says happened. Shapes as in the contract for `replay --json`."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from companion.rules import Side


@dataclass(frozen=True, slots=True)
class Ruling:
    """Base of all rulings. `t` is when it was made, seconds on the table's clock."""

    kind: ClassVar[str] = ""
    t: float

    def payload(self) -> dict[str, Any]:
        """All but time and kind, as JSON values; what is None is left out."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "t"}
        return {name: _plain(value) for name, value in values.items() if value is not None}

    def to_json(self) -> dict[str, Any]:
        """One line of `replay --json`."""
        return {"t": round(self.t, 3), "kind": self.kind, **self.payload()}


def _plain(value: Any) -> Any:
    if isinstance(value, Side):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, Candidate):
        return {"move": value.move, "p": round(value.p, 4)}
    if isinstance(value, float):
        return round(value, 4)
    return value


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer to a question: a move text, or a word such as `nothing`, with its probability."""

    move: str
    p: float


@dataclass(frozen=True, slots=True)
class Start(Ruling):
    """A game starts from `position` (full position text)."""

    kind: ClassVar[str] = "start"
    position: str


@dataclass(frozen=True, slots=True)
class MoveMade(Ruling):
    """A legal move; `position` is the one after it. `let_stand`: why it was illegal as it was made, if it stands."""

    kind: ClassVar[str] = "move"
    player: Side
    move: str
    position: str
    confidence: float
    let_stand: str | None = None


@dataclass(frozen=True, slots=True)
class Illegal(Ruling):
    """A rule was broken. `position` is what the board must be put back to; `placement` the ranks as they stand.

    `counts` is False where it does not count toward a forfeit and stands, None where it is like any other.
    """

    kind: ClassVar[str] = "illegal"
    player: Side
    move: str
    reason: str
    position: str
    placement: str | None = None
    confidence: float | None = None
    counts: bool | None = None


@dataclass(frozen=True, slots=True)
class Restored(Ruling):
    """The position is right again after an illegal move."""

    kind: ClassVar[str] = "restored"
    position: str


@dataclass(frozen=True, slots=True)
class Held(Ruling):
    """Somebody holds the board during `player`'s turn."""

    kind: ClassVar[str] = "held"
    player: Side


@dataclass(frozen=True, slots=True)
class Crash(Ruling):
    """The board tipped in `player`'s turn; `step` is lift, place or remove."""

    kind: ClassVar[str] = "crash"
    player: Side
    step: str


@dataclass(frozen=True, slots=True)
class GameOver(Ruling):
    """`winner` is None for a void game; `awarded` where the referee gave a forfeit's points without naming a fault."""

    kind: ClassVar[str] = "game_over"
    winner: Side | None
    termination: str
    points: int
    awarded: bool | None = None


@dataclass(frozen=True, slots=True)
class Question(Ruling):
    """A ruling that the referee will not make alone. `placement`: the ranks as they stand, where that is asked."""

    kind: ClassVar[str] = "question"
    about: str
    candidates: tuple[Candidate, ...]
    placement: str | None = None


@dataclass(frozen=True, slots=True)
class Corrected(Ruling):
    """The position is set to what is said here, by a person or because an illegal move is let stand.

    Then it is the `move` of `player` that stands, and `let_stand` is the reason why it was illegal.
    """

    kind: ClassVar[str] = "correct"
    position: str
    player: Side | None = None
    move: str | None = None
    let_stand: str | None = None


@dataclass(frozen=True, slots=True)
class Noted(Ruling):
    """Something that was seen and that nothing follows from, in words."""

    kind: ClassVar[str] = "note"
    text: str
