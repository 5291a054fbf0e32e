"""What play teaches of one table's board: the stretches at rest are read, and spheres followed from well to well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from companion.balance import (
    Learned,
    Notice,
    Touch,
    lifted,
    nothing_known,
    placed,
    read,
    rearranged,
    set_up,
    sphere_in,
    touch_at,
)
from companion.balance.learned import BOARD_MASS, HALF_SPACING
from companion.rules import Position
from companion.table.rests import Rests, Stretch
from firmware_bridge.events import LoadState

CLEAR_OF_TOUCH_S = 0.2
"""The last of a stretch may have felt the hand already (s)."""
SURER_AFTER_S = (0.0, 0.3, 0.8, 2.0)
"""The stretch that still lasts is read anew when it has lasted so long (s)."""

LEAST_HALF_SPACING_MM, LEAST_MASS_G = 1.0, 3.0
"""No board balances on less, and nothing lighter is moved by hand as these spheres are."""


class Carried(NamedTuple):
    """A sphere was lifted from a well, or placed in one; `contact` when, None where no cell felt it."""

    lifts: bool
    well: int
    contact: float | None = None


@dataclass(slots=True)
class Teaching:
    """`known` is what all stretches but the last have taught, None before the first game.

    `notices` are exchanges that two stretches in a row agree on; whoever reads them empties the list.
    """

    axis: str
    pitch_mm: float
    half_spacing_mm: float | None
    known: Learned | None = None
    rests: Rests = field(default_factory=Rests)
    notices: list[Notice] = field(default_factory=list)
    _read_until: float = float("-inf")
    _last_sphere: int | None = None
    _suspect: tuple[int | None] | None = None
    """The sphere that a strange reading made a suspect of; None inside for the board."""
    _now: tuple[Learned, int, Learned] | None = None

    def note(self, load: LoadState) -> None:
        """Takes every load state in order of time."""
        self.rests.note(load)

    def begin(self, position: Position) -> None:
        """A game starts from here; only what stands still now is of any use."""
        known = self.known
        if known is not None and (known.axis, known.pitch_mm) == (self.axis, self.pitch_mm):
            self.known = set_up(known, position)
        else:
            self.known = nothing_known(position, self.axis, self.pitch_mm, self.half_spacing_mm)
        self._last_sphere = self._suspect = None
        self.rests.stretches = self.rests.stretches[-1:]
        self._read_until = float("-inf")

    def carry(self, steps: Sequence[Carried], until: float) -> list[tuple[Carried, Touch]]:
        """Follows spheres by hand from well to well, reading what stood still before each; gives the touches.

        Nothing where a sphere should have been lifted from an empty well: `stands` then says what is there.
        """
        touches: list[tuple[Carried, Touch]] = []
        in_hand: list[int] = []
        for step in steps:
            if self.known is None:
                return []
            if step.contact is not None:
                self._read(self.rests.between(self._read_until, step.contact - CLEAR_OF_TOUCH_S))
                self._read_until = step.contact
            if step.lifts:
                if step.well not in self.known.standing:
                    return touches
                sphere = sphere_in(self.known, step.well)
                touches.append((step, touch_at(self.known, sphere, step.well, True)))
                self.known = lifted(self.known, step.well)
                in_hand.append(sphere)
            elif in_hand:
                sphere = in_hand.pop()
                touches.append((step, touch_at(self.known, sphere, step.well, False)))
                self.known = placed(self.known, sphere, step.well)
            self._last_sphere = sphere if step.contact is not None else None
        if any(step.contact is None for step in steps):
            self._read_until = until
        self.rests.forget(self._read_until)
        return touches

    def leave(self) -> None:
        """The board has tipped: what lies on it now is nothing to be read, until the next game begins."""
        self._read_until = float("inf")

    def touch(self, sphere_of: int, well: int, lifts: bool) -> Touch | None:
        """A touch of the sphere that stood in a well before the turn; None where none did. A placing lifts it first."""
        if self.known is None or sphere_of not in self.known.standing:
            return None
        sphere = sphere_in(self.known, sphere_of)
        return touch_at(self.known if lifts else lifted(self.known, sphere_of), sphere, well, lifts)

    def stands(self, letters: Mapping[int, str], t: float) -> None:
        """What stands now, however it came there; nothing is done where it is what was thought to."""
        known = self.known
        if known is None:
            return
        thought = {well: of for well, of in zip(known.standing, known.letters, strict=True) if well is not None}
        if thought == dict(letters):
            return
        self.known = rearranged(known, letters)
        self._read_until, self._last_sphere = t, None

    def now(self) -> Learned | None:
        """With what the stretch that still lasts says already."""
        known = self.known
        stretch = self.rests.between(self._read_until, float("inf"))
        if known is None or stretch is None:
            return known
        lasted = sum(stretch.until - stretch.since >= s for s in SURER_AFTER_S)
        if not lasted:
            return known
        if self._now is None or self._now[0] is not known or self._now[1] != lasted:
            updated, notice = read(known, stretch.reading(), self._last_sphere)
            self._now = known, lasted, known if notice is not None else updated
        return self._now[2]

    def _read(self, stretch: Stretch | None) -> None:
        """A strange reading is left aside; an exchange is believed when the next one, after a touch, is so too."""
        if self.known is None or stretch is None:
            return
        reading = stretch.reading()
        suspect = self._last_sphere if self._suspect is None else self._suspect[0]
        updated, notice = read(self.known, reading, suspect)
        if notice is None:
            self.known, self._suspect = updated, None
        elif self._suspect is None or not _can_be(updated):
            self._suspect = (self._last_sphere,)
        else:
            self.known, self._suspect = updated, None
            self.notices.append(notice)


def _can_be(learned: Learned) -> bool:
    """Whether there are such boards and spheres at all."""
    spacing, board = learned.values[HALF_SPACING], learned.values[BOARD_MASS]
    return spacing > LEAST_HALF_SPACING_MM and min(board, *learned.masses_g) > LEAST_MASS_G
