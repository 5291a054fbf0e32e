"""What hands do, as plain values: steps at their times, the paths of hands, and the wishes of someone outside."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from companion.rules import Match, Outcome, Position, Side
from companion.simulator.board import Push

Truth = dict[str, Any]
"""One line of a truth.jsonl, without its time."""


# Wishes from outside, say of a browser.


@dataclass(frozen=True, slots=True)
class HandMove:
    """Lift the sphere in `from_well` and place it in `to_well`, or lay it beside the board (None).

    A move onto the enemy coloured sphere removes that first. Onto any other sphere it cannot be done and is ignored.
    """

    from_well: int
    to_well: int | None


@dataclass(frozen=True, slots=True)
class Lean:
    """Rest a hand on the board for so long."""

    side: Side
    seconds: float = 2.0


@dataclass(frozen=True, slots=True)
class Bump:
    """Knock against the table."""


@dataclass(frozen=True, slots=True)
class Tip:
    """The player to move is so careless in lifting a sphere that the board tips."""


@dataclass(frozen=True, slots=True)
class Overruled:
    """The referee's console has set the position, or ended the game with a result; the players obey.

    `match` is the match that begins with the next game, where it is another one; with a position the match as it stood
    in that game, which may have been over already.
    """

    position: Position | None = None
    result: Outcome | None = None
    match: Match | None = None


Action = HandMove | Lean | Bump | Tip | Overruled


# Steps of a plan; `t` in seconds on the table's clock.


@dataclass(frozen=True, slots=True)
class Lift:
    """A hand takes a sphere off the board. `step` is what a crash now would be called: lift or remove.

    `player` answers for a crash; without one the plan's.
    """

    t: float
    well: int
    hand: int = 0
    over_s: float = 0.05
    step: str = "lift"
    player: Side | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A hand puts the sphere that it holds into a well. `player` as in `Lift`."""

    t: float
    well: int
    hand: int = 0
    over_s: float = 0.04
    player: Side | None = None


@dataclass(frozen=True, slots=True)
class Roll:
    """A sphere is rolled from well to well, staying on the board, from `t` to `t_end`."""

    t: float
    t_end: float
    from_well: int
    to_well: int


@dataclass(frozen=True, slots=True)
class PutAside:
    """A hand lays the sphere that it holds on the table, at a place in mm from the board's centre."""

    t: float
    x_mm: float
    y_mm: float
    hand: int = 0


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that does not belong on the board: a cup, or with a `letter` a sphere out of another box."""

    name: str
    x_mm: float
    y_mm: float
    mass_g: float
    radius_mm: float
    height_mm: float
    letter: str = ""


@dataclass(frozen=True, slots=True)
class PutOn:
    """A thing is put on the board."""

    t: float
    thing: Thing


@dataclass(frozen=True, slots=True)
class TakeAway:
    """A thing that was put on the board is taken away."""

    t: float
    name: str


@dataclass(frozen=True, slots=True)
class TakeUp:
    """A hand takes a sphere that lies beside the board."""

    t: float
    sphere: int
    hand: int = 0


@dataclass(frozen=True, slots=True)
class SetUpright:
    """The board is put back on its pinnacles, if it had tipped, and from now on held steady by a hand."""

    t: float


@dataclass(frozen=True, slots=True)
class LetGo:
    """The steadying hand leaves the board."""

    t: float


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sphere is taken off while setting up, to be put on again later."""

    t: float
    well: int


@dataclass(frozen=True, slots=True)
class PutUp:
    """A sphere is put into its well while setting up."""

    t: float
    well: int
    sphere: int


@dataclass(frozen=True, slots=True)
class Tell:
    """What could now be known: a line of the truth."""

    t: float
    truth: Truth = field(hash=False)


Step = Lift | Place | Roll | PutAside | PutOn | TakeAway | TakeUp | SetUpright | LetGo | Sweep | PutUp | Tell


# Where hands are.


@dataclass(frozen=True, slots=True)
class HandKey:
    """Where the finger tips are at a time, mm from the board's centre; z above the board."""

    t: float
    x_mm: float
    y_mm: float
    z_mm: float


@dataclass(frozen=True, slots=True)
class HandPath:
    """The way of one hand through a plan. `flat`: an open hand, else fingers that grip."""

    side: Side
    keys: tuple[HandKey, ...]
    flat: bool = False

    def at(self, t: float) -> tuple[float, float, float] | None:
        """Where the finger tips are, None before the hand comes and after it has left."""
        keys = self.keys
        if not keys or not keys[0].t <= t <= keys[-1].t:
            return None
        for before, after in pairwise(keys):
            if t <= after.t:
                u = (t - before.t) / (after.t - before.t) if after.t > before.t else 1.0
                u = u * u * (3 - 2 * u)
                return (
                    before.x_mm + (after.x_mm - before.x_mm) * u,
                    before.y_mm + (after.y_mm - before.y_mm) * u,
                    before.z_mm + (after.z_mm - before.z_mm) * u,
                )
        return None


@dataclass(frozen=True, slots=True)
class Plan:
    """What is going to happen: steps in order of time, forces, and hands; over at `end`.

    `player` is the one whose turn it is. Until `quiet_until` nothing has begun, and the plan can still be dropped.
    """

    player: Side
    end: float
    steps: tuple[Step, ...] = ()
    pushes: tuple[Push, ...] = ()
    hands: tuple[HandPath, ...] = ()
    quiet_until: float = 0.0

    @staticmethod
    def ordered(*steps: Step) -> tuple[Step, ...]:
        return tuple(sorted(steps, key=lambda step: step.t))
