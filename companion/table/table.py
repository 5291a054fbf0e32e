"""One table at run time: the stream goes in, rulings go to the log, and everybody reads the state from there."""

import threading
from collections.abc import Callable
from typing import Any

import cv2

from companion.balance import centre_from_loads, margin_from_loads
from companion.errors import SenryakuError
from companion.log import (
    Entry,
    EventLog,
    Kind,
    Origin,
    TableState,
    apply,
    fold,
    redo_event,
    rules_payload,
    state_json,
    undo_event,
)
from companion.referee.rulings import Crash, Held, Ruling, Start
from companion.rules import MatchRules, well_name
from companion.table.refereeing import Item, Refereeing
from companion.table.resuming import referee_state
from companion.table.witnesses import WitnessFault, WitnessWatch
from vision.frames import Frame

Ask = Callable[[dict[str, Any]], dict[str, Any]]
"""Carries out a command for a simulated table."""

JPEG_QUALITY = 80
"""Good enough to see spheres and marks, about 40 kB at 640 x 480."""


class NotSimulated(SenryakuError, ValueError):
    """A command for simulated tables was given to a real one."""


class Table:
    """Gives the web server what it shows (`TableView`). `take` is called from one thread, the rest from any."""

    def __init__(
        self,
        log: EventLog,
        refereeing: Refereeing,
        wall_clock: Callable[[], float],
        ask: Ask | None = None,
        more: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        """`ask` carries out commands and `more` adds to the live values, where the table is a simulated one."""
        self._log = log
        self._refereeing = refereeing
        self._wall_clock = wall_clock
        self._ask = ask
        self._more = more
        self._changed = threading.Condition()
        self._state = fold(log.events())
        self._live_version = 0
        self._t = 0.0
        self._frame: Frame | None = None
        self._watch = WitnessWatch(refereeing.setup.loads, refereeing.setup.camera)
        self._faults = _open_faults(self._state)

    # What goes in

    def begin_match(self, white: str, black: str, rules: MatchRules) -> None:
        """Begins a new match; its first game starts once the start position stands."""
        self._append([self._entry(Kind.MATCH, Origin.PERSON, _match_payload(white, black, rules))])
        self._follow_log()

    def take(self, item: Item) -> tuple[Ruling, ...]:
        """Takes one sample or picture. Its rulings are safe in the log when this returns.

        Raises `LogNotSaved` where they could not be saved.
        """
        rulings = self._refereeing.take(item)
        self._append(
            [
                *self._fault_entries(item.t),
                *(entry for ruling in rulings for entry in self._entries(ruling)),
            ]
        )
        with self._changed:
            self._t = item.t
            if isinstance(item, Frame):
                self._frame = item
            if isinstance(item, Frame) or rulings:
                self._live_version += 1
                self._changed.notify_all()
        return rulings

    def undo(self) -> None:
        """Takes back the last step, as the state names it; nothing where there is none."""
        self._by_person(undo_event(self._state))

    def redo(self) -> None:
        """Takes back the last undo."""
        self._by_person(redo_event(self._state))

    def _by_person(self, change: tuple[Kind, dict[str, Any]] | None) -> None:
        if change is None:
            return
        self._append([self._entry(change[0], Origin.PERSON, change[1])])
        self._follow_log()

    def _follow_log(self) -> None:
        self._refereeing.state = referee_state(self._state, self._refereeing.state.match.rules)

    # The log

    def _append(self, entries: list[Entry]) -> None:
        if not entries:
            return
        events = self._log.append_all(entries)
        with self._changed:
            for event in events:
                self._state = apply(self._state, event)
            self._changed.notify_all()

    def _entry(self, kind: str, origin: str, payload: dict[str, Any]) -> Entry:
        return Entry(self._wall_clock(), kind, origin, payload)

    def _entries(self, ruling: Ruling) -> list[Entry]:
        payload = {"t": round(ruling.t, 3), **ruling.payload()}
        entry = self._entry(ruling.kind, _origin(ruling, self._refereeing), payload)
        match = self._state.match
        if isinstance(ruling, Start) and match is not None and match.score.over:
            again = _match_payload(match.white, match.black, match.score.rules)
            return [self._entry(Kind.MATCH, Origin.TABLE, again), entry]
        return [entry]

    def _fault_entries(self, t: float) -> list[Entry]:
        """One event when a fault begins and one when it ends."""
        before, refereeing = self._faults, self._refereeing
        self._faults = self._watch.see(t, refereeing.load, refereeing.reading)
        begun = [f for f in self._faults if f not in before]
        ended = [f for f in before if f not in self._faults]
        say: list[tuple[str, dict[str, Any]]] = [
            (Kind.FAULT, {"witness": f.witness, "what": f.what, "remedy": f.remedy}) for f in begun
        ]
        say += [(Kind.FAULT_OVER, {"witness": f.witness, "what": f.what}) for f in ended]
        return [self._entry(kind, Origin.TABLE, payload) for kind, payload in say]

    # What the web server reads

    @property
    def table_state(self) -> TableState:
        """The state folded from the log."""
        return self._state

    def state(self) -> dict[str, Any]:
        """The state as JSON values."""
        return state_json(self._state)

    def live(self) -> dict[str, Any]:
        """What is not in the log: loads, margin, reading, witnesses."""
        refereeing = self._refereeing
        load, reading = refereeing.load, refereeing.reading
        half_spacing_mm = refereeing.setup.half_spacing_mm
        low, high = (None, None) if load is None else (load.low_g, load.high_g)
        margin = centre = None
        if low is not None and high is not None and half_spacing_mm is not None and low + high > 0:
            margin = margin_from_loads(low, high, half_spacing_mm)
            centre = centre_from_loads(low, high, half_spacing_mm)
        in_hand = refereeing.state.in_hand
        grid = refereeing.setup.grid
        return {
            **self._more(),
            "t": round(self._t, 2),
            "low_g": None if low is None else round(low, 1),
            "high_g": None if high is None else round(high, 1),
            "half_spacing_mm": half_spacing_mm,
            "margin_mm": None if margin is None else round(margin, 2),
            "centre_mm": None if centre is None else round(centre, 2),
            "touching": load is not None and load.touching,
            "in_hand": None if in_hand is None else well_name(in_hand),
            "reading": None
            if reading is None or not reading.board_found
            else {grid.name(well): content.word for well, content in enumerate(reading.likeliest())},
            "witnesses": {
                "load_cells": self._word("load_cells", refereeing.setup.loads),
                "camera": self._word("camera", refereeing.setup.camera),
            },
        }

    def _word(self, witness: str, there: bool) -> str:
        if not there:
            return "missing"
        return ", ".join(f.what for f in self._faults if f.witness == witness) or "ok"

    def events_after(self, seq: int) -> list[dict[str, Any]]:
        """The log's events above `seq`."""
        return [
            {"seq": e.seq, "time": e.time, "kind": e.kind, "origin": e.origin, "payload": e.payload}
            for e in self._log.events(seq)
        ]

    def wait_for_change(self, seq: int, live_version: int | None, timeout: float) -> tuple[int, int]:
        """Waits until log or live values differ from what is given, for `timeout` seconds at the most."""

        def changed() -> bool:
            return self._state.seq != seq or (live_version is not None and self._live_version != live_version)

        with self._changed:
            self._changed.wait_for(changed, timeout)
            return self._state.seq, self._live_version

    def picture(self) -> bytes | None:
        """The newest camera picture as JPEG."""
        frame = self._frame
        if frame is None:
            return None
        done, jpeg = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        return jpeg.tobytes() if done else None

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """A command for a simulated table."""
        if self._ask is None:
            raise NotSimulated("this is no simulated table: its spheres are moved by hand")
        return self._ask(command)


def _open_faults(state: TableState) -> tuple[WitnessFault, ...]:
    """Faults that the log has not seen end: they end now, unless they are still there."""
    return tuple(WitnessFault(*(f.payload[name] for name in ("witness", "what", "remedy"))) for f in state.faults)


def _match_payload(white: str, black: str, rules: MatchRules) -> dict[str, Any]:
    return {"white": white, "black": black, "rules": rules_payload(rules)}


def _origin(ruling: Ruling, refereeing: Refereeing) -> str:
    setup, load = refereeing.setup, refereeing.load
    loads = setup.loads and load is not None and not load.faults
    if not loads or isinstance(ruling, Start):
        return Origin.CAMERA if setup.camera else Origin.LOAD_CELLS
    return Origin.LOAD_CELLS if isinstance(ruling, Crash | Held) or not setup.camera else Origin.BOTH
