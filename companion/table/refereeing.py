"""Samples and pictures in, rulings out: the one path for real, recorded and simulated tables.

RawSample -> LoadTracker -> load events, load states --+
                                                       +-> referee -> rulings
Frame -----> BoardReader -> board readings ------------+
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from companion.referee.filing import Evidence
from companion.referee.hypotheses import Placement, placement_of
from companion.referee.referee import take
from companion.referee.rulings import GameOver, Ruling, Start
from companion.referee.state import Phase, RefereeState, Setup
from companion.rules import Position
from companion.table.board_reader import board_reader, place, waits_for_picture
from companion.table.camera_notices import FROZEN_S, SAME_AGAIN, CameraNotices, Notice, frozen
from companion.table.expecting import Expecting
from companion.table.settings import TableSettings
from firmware_bridge.events import LoadEvent, LoadState
from firmware_bridge.samples import RawSample
from firmware_bridge.tracker import LoadTracker
from vision.frames import Frame
from vision.reader import BoardReader
from vision.reading import BoardReading, Content

Item = RawSample | Frame

ALMOST_ALL_WELLS = 40
"""So many of the 42 wells agreeing with the position make it safe to learn the spheres' looks from it: the two that
may differ are the coloured spheres, whose colours can be anything."""
KEPT_EVENTS = 60
"""More than any turn has."""
ALONE_FOR = 1.3
"""A board that seems to be touched although all of it is in plain sight for so long (s) carries something, has been
relieved of something, or its cells have drifted. The cells know of a step 1.1 s after it at the latest."""
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
    watch: CameraNotices
    notices: tuple[Notice, ...] = ()
    """What is to be said of camera, board and light."""
    paused: bool = False
    """While the game rests, nothing that is seen or felt means anything."""
    reading: BoardReading | None = None
    load: LoadState | None = None
    felt: deque[LoadEvent] = field(default_factory=lambda: deque(maxlen=KEPT_EVENTS))
    """The last load events, tips and foreign touches among them."""
    _frame: Frame | None = field(default=None, repr=False)
    """The newest picture, and when it first came."""
    _to_place: TableSettings | None = None
    """Of a board without markers: its corners are to be placed in the first picture."""
    _by_corners: bool = False
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
        setup = Setup(settings.grid, settings.axis, settings.cells.half_spacing_mm, loads, camera, settings.policy)
        reader = board_reader(settings, empty)
        if empty is not None:
            reader.learn_empty(empty)
        expecting = Expecting(settings.axis, settings.along_mm, settings.cells.half_spacing_mm)
        tracker = LoadTracker(settings.cells, wells_mm=wells_mm(settings))
        by_corners = settings.corners is not None
        watch = CameraNotices(settings.grid, None if by_corners else settings.markers)
        to_place = settings if waits_for_picture(settings, empty) else None
        return cls(setup, state, tracker, reader, expecting, watch, _to_place=to_place, _by_corners=by_corners)

    def take(self, item: Item) -> tuple[Ruling, ...]:
        """Takes one sample or picture and gives the rulings that follow from it."""
        if isinstance(item, Frame):
            if not self._is_news(item):
                return ()
            return self._take_evidence([self._read(item)])
        return self._take_evidence(self.tracker.feed(item))

    def _take_evidence(self, evidence: Iterable[Evidence]) -> tuple[Ruling, ...]:
        rulings: tuple[Ruling, ...] = ()
        for one in evidence:
            if isinstance(one, LoadState):
                self.load = one
            elif isinstance(one, LoadEvent):
                self.felt.append(one)
            if self.paused:
                continue
            self.state, made = take(self.setup, self.state, one)
            rulings += made
            if isinstance(one, LoadState):
                self._keep_in_step(one)
        self._begin_or_end(rulings)
        return rulings

    def adopt(self, state: RefereeState, rulings: tuple[Ruling, ...] = ()) -> None:
        """Goes on from `state`, to which a person's rulings have led."""
        self.state = state
        self._begin_or_end(rulings)

    def _begin_or_end(self, rulings: tuple[Ruling, ...]) -> None:
        if any(isinstance(ruling, Start) for ruling in rulings):
            self._learn(self.state.position)
        if any(isinstance(ruling, Start | GameOver) for ruling in rulings):
            # What lay on the board in the game before, or while it was set up, is no measure for this one.
            self.tracker.start_afresh()
            self.expecting.forget()

    def _keep_in_step(self, load: LoadState) -> None:
        """What the cells feel is compared with what stands; where nobody is to be seen, what they feel is the rest."""
        in_sight = self.state.pictures and self.state.pictures[-1].sees_all()
        if not (load.touching and in_sight):
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
        placement = self._placement()
        rested = 0.0 if self._at_rest_since is None else load.t - self._at_rest_since
        if self.setup.camera and rested >= ALONE_FOR and placement == self.state.standing:
            # All spheres are in their wells: what seemed to be lifted was a thing taken away.
            self.tracker.spheres.none_in_hand()
        self.expecting.note(self.tracker, placement, load)

    def _placement(self) -> Placement | None:
        """What stands on the board, for certain: as the camera sees all of it, or without one by the rulings."""
        since = self._at_rest_since
        if since is None or not self.playing:
            return None
        if self.setup.camera:
            newest = self.state.pictures[-1] if self.state.pictures else None
            # An older picture may show a sphere that is in somebody's hand by now.
            return newest.all_of_it() if newest is not None and newest.t > since else None
        unsure = self.state.changed_since is not None or self.state.lost or self.state.waiting is not None
        return None if unsure else self.state.standing

    def _is_news(self, frame: Frame) -> bool:
        """A picture that came before is as old as when it came first, and soon too old to be believed."""
        last = self._frame
        if last is None or not frozen(frame, last):
            self._frame = frame
            return True
        if frame.t - last.t <= FROZEN_S:
            return True
        self.notices = (SAME_AGAIN, *(notice for notice in self.notices if notice != SAME_AGAIN))
        return False

    def _read(self, frame: Frame) -> BoardReading:
        if self._to_place is not None:
            place(self.reader, self._to_place, frame.image)
            self._to_place = None
        self.reading = self.reader.read(frame.image, frame.t)
        if not self._learned and self._may_learn(frame.t):
            self._learn(self.state.position)
            self.reading = self.reader.read(frame.image, frame.t)
        tipped = self.load is not None and self.load.tipped
        self.notices = self.watch.feed(frame, self.reading, self.reader, tipped)
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
        agree = likeliest == expected
        if self._by_corners and not self._learned:
            # Without the markers' white paper nothing tells plain spheres apart yet, only that something stands there
            agree |= (likeliest == Content.HIDDEN) & (expected != Content.EMPTY)
            return bool(agree.all())
        return int(agree.sum()) >= ALMOST_ALL_WELLS

    def _learn(self, position: Position) -> None:
        """The reader may learn what spheres look like where all wells are known and visible."""
        if self._frame is None or not self._nearly_shows(position):
            return
        self.reader.learn_start(self._frame.image, [Content(c) for c in placement_of(position)])
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
