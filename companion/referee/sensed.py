"""The evidence since the last settled position, and what all hypotheses ask of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import hypot

import numpy as np
from numpy.typing import NDArray

from companion.referee import odds
from companion.referee.seen import Seen
from firmware_bridge.events import LoadEvent, LoadEventKind
from vision.geometry import Grid


@dataclass(frozen=True)
class Sensed:
    """The evidence since the last settled position.

    `steps` are the lifts, placings and rolls that the cells reported, None where there are no load cells to rely on.
    `lifted_g` is by how much the board was lighter at rest meanwhile. `blurred`: a hand bore on the board for so long
    that lifts and placings may have drowned in it. `stayed`: the cells say for certain that nothing left the board,
    `dipped_g` is by how much it was lighter for a moment.
    `pictures` are in order of time. `axis` is 1 where positions along the pinnacles are y (ranks), 0 for x (files).
    """

    steps: tuple[LoadEvent, ...] | None
    pictures: tuple[Seen, ...]
    axis: int
    grid: Grid
    half_spacing_known: bool = True
    lifted_g: float = 0.0
    blurred: bool = False
    stayed: bool = True
    dipped_g: float = 0.0

    @property
    def last_contact(self) -> float:
        """When a sphere last touched or left the board. A roll ends only a little before it is known."""
        if not self.steps:
            return float("-inf")
        last = self.steps[-1]
        return last.t - odds.ROLL_KNOWN_AFTER if last.kind is LoadEventKind.ROLL else last.t_contact

    def is_near(self, event: LoadEvent, well: int) -> bool:
        """May the event have been at this well, going by its place along the pinnacles?"""
        if event.p_mm is None or not self.half_spacing_known:
            return True
        off = abs(event.p_mm - self.grid.centre_mm(well)[self.axis])
        return off <= 3 * hypot(event.p_sd_mm, odds.PLACE_SLACK_MM)

    @cached_property
    def finals(self) -> tuple[Seen, ...]:
        """What the board looks like after the last step: the newest picture, and an earlier one that agrees with it."""
        after = self.last_contact + odds.PICTURE_AFTER_CONTACT
        finals = [p for p in self.pictures if p.t >= after and p.board_found]
        if not finals:
            return ()
        newest = finals[-1]
        earlier = [p for p in finals if newest.t - p.t >= odds.STEADY_PICTURES][-1:]
        return (*(p for p in earlier if p.agrees_with(newest)), newest)

    @cached_property
    def found(self) -> tuple[Seen, ...]:
        """The pictures in which there is a board."""
        return tuple(p for p in self.pictures if p.board_found)

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """When the pictures were taken."""
        return np.array([p.t for p in self.pictures])

    @cached_property
    def hidden(self) -> NDArray[np.bool_]:
        """Which wells each picture does not show, shape (pictures, wells)."""
        return np.array([p.visible < 0.5 for p in self.pictures], dtype=bool).reshape(-1, self.grid.wells)

    @cached_property
    def missed(self) -> float:
        """What it weighs that a step was not reported."""
        if self.blurred:
            return odds.DROWNED_EVENT
        lighter = self.lifted_g >= odds.LIFTED_G or self.dipped_g >= odds.DIPPED_G
        unread = lighter and not any(e.kind is LoadEventKind.LIFT for e in self.steps or ())
        return odds.UNREAD_EVENT if unread else odds.MISSED_EVENT

    @cached_property
    def _known(self) -> dict[tuple[object, ...], float]:
        return {}

    def once(self, question: tuple[object, ...], answer: Callable[[], float]) -> float:
        """The answer to a question about this evidence, which many hypotheses ask."""
        if question not in self._known:
            self._known[question] = answer()
        return self._known[question]
