"""A table told step by step: hands do things, and two perfect witnesses report them to the referee."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from companion.referee.hypotheses import CONTENT_OF_LETTER, placement_of
from companion.referee.referee import take
from companion.referee.rulings import Ruling
from companion.referee.state import Setup, begin, resume
from companion.rules import Match, MatchRules, Position, parse_well
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from vision.geometry import Grid
from vision.reading import BoardReading, Content

GRID = Grid()
CERTAIN = 0.995


class Scripted:
    """Hands, board and witnesses. Every method lets some time pass and gives the rulings made meanwhile."""

    def __init__(self, position: Position | None, setup: Setup, rules: MatchRules) -> None:
        self.t = 0.0
        self.setup = setup
        self.axis = 1 if setup.axis == "ranks" else 0
        self.standing = list(placement_of(position or Position.start()))
        self.state = begin(rules) if position is None else resume(Match(rules), position, None, None)
        self.rulings: list[Ruling] = []
        self.told = 0
        self.in_hand = 0
        self.hidden: set[int] = set()
        self.touching = False
        self.wavers = True
        self.press_g = 60.0
        self.picture_every = 5
        self.camera_away = self.cells_away = False
        self.in_air_g = 0.0
        self.tipped = False
        self.pressing_since: float | None = None

    def new(self) -> list[Ruling]:
        """The rulings since this was last asked."""
        new, self.told = self.rulings[self.told :], len(self.rulings)
        return new

    def right(self) -> tuple[int, ...]:
        """What ought to stand."""
        return placement_of(self.state.position)

    # Hands

    def lift(self, well: str) -> None:
        number = parse_well(well)
        self.in_hand = self.standing[number]
        self.standing[number] = 0
        self._event(LoadEventKind.LIFT, number)

    def take_off(self, well: str) -> None:
        """Lifts a sphere and lays it beside the board."""
        self.lift(well)
        self._pass(1.0)

    def hand_over(self, *wells: str) -> None:
        """A hand reaches over these wells, and is seen there."""
        self.cover(*wells)
        self._pass(0.6)

    def place(self, well: str) -> None:
        number = parse_well(well)
        self.standing[number] = self.in_hand
        self._event(LoadEventKind.PLACE, number)

    def roll(self, from_well: str, to_well: str) -> None:
        start, end = parse_well(from_well), parse_well(to_well)
        self.standing[end], self.standing[start] = self.standing[start], 0
        if self._p(start) != self._p(end):
            self._event(LoadEventKind.ROLL, start, end)

    def move(self, text: str) -> list[Ruling]:
        """A whole move with one hand, and a look afterwards."""
        from_well, to_well = text[:2], text[3:]
        if "x" in text:
            self.lift(to_well)
            self._pass(1.0)
        self.lift(from_well)
        self._pass(1.0)
        self.place(to_well)
        self._pass(2.0)
        return self.new()

    def press(self, seconds: float) -> list[Ruling]:
        self.pressing_since = self.t
        self._pass(seconds)
        self.pressing_since = None
        self._pass(1.5)
        return self.new()

    def tip(self) -> list[Ruling]:
        """The board falls: a part of its weight is on the table."""
        self.hang()
        self.lies_tipped()
        return self.new()

    def lies_tipped(self) -> None:
        """A part of the board's weight is on the table."""
        for _ in range(2):
            self._give(LoadState(self.t, 0.0, 400.0, tipped=True))
            self.t = round(self.t + 0.05, 3)

    def hang(self) -> None:
        """The board has left one pinnacle."""
        self._give(LoadEvent(self.t + 0.3, LoadEventKind.TIP, self.t))
        self.t += 0.3

    def wait(self, seconds: float) -> list[Ruling]:
        """Time passes, with four pictures (or fewer: `picture_every` 0.05 s) and ten load states a second."""
        self._pass(seconds)
        return self.new()

    def _pass(self, seconds: float) -> None:
        end = self.t + seconds
        step = 0
        while self.t < end:
            self.t = round(self.t + 0.05, 3)
            step += 1
            if step % 2 == 0 and self.setup.loads and not self.cells_away:
                self._give(self._load_state())
            if step % self.picture_every == 0 and self.setup.camera and not self.camera_away:
                self._give(self._reading())

    # Witnesses

    def _event(self, kind: LoadEventKind, well: int, to_well: int | None = None) -> None:
        contact = self.t
        self._pass(0.3)
        if self.setup.loads:
            to_p = None if to_well is None else self._p(to_well)
            self._give(LoadEvent(self.t, kind, contact, 20.0, self._p(well), to_p))

    def _p(self, well: int) -> float:
        return GRID.centre_mm(well)[self.axis]

    def _load_state(self) -> LoadState:
        pressing = self.pressing_since is not None
        waver = 4.0 if self.wavers and pressing and round(self.t * 10) % 2 else 0.0
        touching, since = pressing or self.touching, self.pressing_since
        hand = self.press_g if pressing else 0.0
        return LoadState(
            self.t, 300.0 + hand + waver - self.in_air_g, 300.0, touching, since, pressing, not pressing, self.tipped
        )

    def _reading(self) -> BoardReading:
        p = np.full((42, 6), (1 - CERTAIN) / 5)
        p[np.arange(42), self.standing] = CERTAIN
        for well in self.hidden:
            p[well] = (1 - CERTAIN) / 5
            p[well, Content.HIDDEN] = CERTAIN
        return BoardReading(self.t, True, p, not self.hidden)

    def _give(self, evidence: LoadEvent | LoadState | BoardReading) -> None:
        self.state, made = take(self.setup, self.state, evidence)
        self.rulings += made

    def put(self, well: str, letter: str) -> None:
        """Changes what stands on the board without any witness feeling it."""
        self.standing[parse_well(well)] = CONTENT_OF_LETTER[letter]

    def carry(self, from_well: str, to_well: str) -> None:
        """A sphere comes from one well to another, or out of a hand that had lifted it, and no witness feels it."""
        start, end = parse_well(from_well), parse_well(to_well)
        self.standing[end], self.standing[start] = self.standing[start] or self.in_hand, 0

    def feel_roll(self, from_well: str, to_well: str) -> None:
        """The cells report a roll from here to there, whatever happened."""
        self._event(LoadEventKind.ROLL, parse_well(from_well), parse_well(to_well))

    def cover(self, *wells: str) -> None:
        self.hidden = {parse_well(well) for well in wells}


@pytest.fixture
def table() -> Callable[..., Scripted]:
    def make(position: str | None = None, rules: MatchRules | None = None, **setup: object) -> Scripted:
        start = None if position is None else Position.parse(position)
        return Scripted(start, replace(Setup(half_spacing_mm=6.0), **setup), rules or MatchRules())  # type: ignore[arg-type]

    return make
