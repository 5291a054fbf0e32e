"""Samples and pictures in, rulings out: the one path for real, recorded and simulated tables.

RawSample -> LoadTracker -> load events, load states --+
                                                       +-> referee -> rulings
Frame -----> BoardReader -> board readings ------------+
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from companion.referee.hypotheses import Placement, placement_of
from companion.referee.referee import Evidence, take
from companion.referee.rulings import GameOver, Ruling, Start
from companion.referee.state import Phase, RefereeState, Setup
from companion.rules import Position
from companion.table.expecting import Expecting
from companion.table.settings import TableSettings
from firmware_bridge.events import LoadState
from firmware_bridge.samples import RawSample
from firmware_bridge.tracker import LoadTracker
from vision.frames import Frame
from vision.reader import BoardReader
from vision.reading import BoardReading, Content

Item = RawSample | Frame

ALMOST_ALL_WELLS = 40
"""So many of the 42 wells agreeing with the position make it safe to learn the spheres' looks from it: the two that
may differ are the coloured spheres, whose colours can be anything."""
ALONE_FOR = 2.0
"""A board that seems to be touched although all of it is in plain sight for so long (s) carries something, or its cells
have drifted."""
STANDS_FOR = 1.0
"""A hand would have moved on by then (s)."""


@dataclass(slots=True)
class Refereeing:
    """One table's witnesses and referee. Call `take` with every sample and picture in order of time."""

    setup: Setup
    state: RefereeState
    tracker: LoadTracker
    reader: BoardReader
    expecting: Expecting
    reading: BoardReading | None = None
    load: LoadState | None = None
    _image: NDArray[np.uint8] | None = field(default=None, repr=False)
    _learned: bool = False
    _near_since: float | None = None
    _alone_since: float | None = None
    _at_rest_since: float | None = None

    @classmethod
    def of(
        cls,
        settings: TableSettings,
        state: RefereeState,
        *,
        loads: bool,
        camera: bool,
        empty: NDArray[np.uint8] | None = None,
    ) -> "Refereeing":
        """Wires the parts for a table. `empty` is a picture of its empty board."""
        setup = Setup(settings.grid, settings.axis, settings.cells.half_spacing_mm, loads, camera)
        reader = BoardReader(settings.grid, settings.camera, settings.markers, settings.colours)
        if empty is not None:
            reader.learn_empty(empty)
        expecting = Expecting(settings.axis, settings.grid.pitch_mm, settings.cells.half_spacing_mm)
        return cls(setup, state, LoadTracker(settings.cells, wells_mm=wells_mm(settings)), reader, expecting)

    def take(self, item: Item) -> tuple[Ruling, ...]:
        """Takes one sample or picture and gives the rulings that follow from it."""
        if isinstance(item, Frame):
            return self._take_evidence([self._read(item)])
        return self._take_evidence(self.tracker.feed(item))

    def _take_evidence(self, evidence: Iterable[Evidence]) -> tuple[Ruling, ...]:
        rulings: tuple[Ruling, ...] = ()
        for one in evidence:
            if isinstance(one, LoadState):
                self.load = one
            self.state, made = take(self.setup, self.state, one)
            rulings += made
            if isinstance(one, LoadState):
                self._keep_in_step(one)
        if any(isinstance(ruling, Start) for ruling in rulings):
            self._learn(self.state.position)
        if any(isinstance(ruling, Start | GameOver) for ruling in rulings):
            # What lay on the board in the game before, or while it was set up, is no measure for this one.
            self.tracker.start_afresh()
            self.expecting.forget()
        return rulings

    def _keep_in_step(self, load: LoadState) -> None:
        """What the cells feel is compared with what stands; where nobody is to be seen, what they feel is the rest."""
        in_sight = self.state.pictures and self.state.pictures[-1].shows(self.state.standing)
        if not (load.touching and in_sight and self.state.pictures[-1].sees_all()):
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = load.t
        elif load.t - self._alone_since >= ALONE_FOR:
            self.tracker.start_afresh()
            self.expecting.tell_again()
            self._alone_since = None
        if load.touching or not load.settled:
            self._at_rest_since = None
        elif self._at_rest_since is None:
            self._at_rest_since = load.t
        self.expecting.note(self.tracker, self._placement(), load)

    def _placement(self) -> Placement | None:
        """What stands on the board, for certain: as the camera sees all of it, or without one by the rulings."""
        since = self._at_rest_since
        if since is None or not self.playing:
            return None
        if self.setup.camera:
            newest = self.state.pictures[-1] if self.state.pictures else None
            # An older picture may show a sphere that is in somebody's hand by now.
            return newest.all_of_it() if newest is not None and newest.t > since else None
        return self.state.standing if self.state.changed_since is None and not self.state.lost else None

    def _read(self, frame: Frame) -> BoardReading:
        self._image = frame.image
        self.reading = self.reader.read(frame.image, frame.t)
        if not self._learned and self._may_learn(frame.t):
            self._learn(self.state.position)
            self.reading = self.reader.read(frame.image, frame.t)
        return self.reading

    def _may_learn(self, t: float) -> bool:
        """At once where every well is seen; where one looks like nothing known, once it has stood so for a while."""
        if not self._nearly_shows(self.state.position):
            self._near_since = None
            return False
        since = self._near_since = t if self._near_since is None else self._near_since
        assert self.reading is not None
        hidden = bool((self.reading.p.argmax(axis=1) == Content.HIDDEN).any())
        return not hidden or t - since >= STANDS_FOR

    def _nearly_shows(self, position: Position) -> bool:
        """Does the picture show the position, but for wells that only learning could tell apart?"""
        reading = self.reading
        if reading is None or not reading.board_found:
            return False
        likeliest = reading.p.argmax(axis=1)
        expected = np.array(placement_of(position))
        return int((likeliest == expected).sum()) >= ALMOST_ALL_WELLS

    def _learn(self, position: Position) -> None:
        """The reader may learn what spheres look like where all wells are known and visible."""
        if self._image is None or not self._nearly_shows(position):
            return
        self.reader.learn_start(self._image, [Content(c) for c in placement_of(position)])
        self._learned = True

    @property
    def playing(self) -> bool:
        return self.state.phase is not Phase.AWAIT_START


def wells_mm(settings: TableSettings) -> list[float]:
    """The places of the wells along the line of the pinnacles, mm from the board's centre."""
    axis = 1 if settings.axis == "ranks" else 0
    return sorted({settings.grid.centre_mm(well)[axis] for well in range(settings.grid.wells)})


def rulings(refereeing: Refereeing, items: Iterable[Item]) -> Iterator[Ruling]:
    """The rulings on a stream of samples and pictures, as they come."""
    for item in items:
        yield from refereeing.take(item)
