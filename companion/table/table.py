"""One table at run time: the stream goes in, rulings go to the log, and everybody reads the state from there."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.errors import SenryakuError
from companion.log import (
    Entry,
    Event,
    EventLog,
    Kind,
    MatchState,
    Origin,
    TableState,
    apply,
    fold,
    redo_event,
    rules_payload,
    state_json,
    under,
    undo_event,
)
from companion.log.history import GameRecord, games
from companion.referee.by_hand import NotNow
from companion.referee.misplaced import Astray
from companion.referee.rulings import Crash, Held, Ruling, Start
from companion.referee.state import RefereeState
from companion.referee.told import until_shown
from companion.rules import MatchRules, Position
from companion.table.camera_trouble import CameraTrouble
from companion.table.changes import change_of, policy_from, policy_payload
from companion.table.console import carried_out, log_change
from companion.table.drawn_picture import drawn_jpeg
from companion.table.evidence_case import Case
from companion.table.evidence_lookup import NoEvidence, case_for
from companion.table.evidence_store import kept
from companion.table.keeping import EvidenceKeeper
from companion.table.live_values import live_values
from companion.table.load_trace import LoadTrace
from companion.table.refereeing import Item, Refereeing
from companion.table.requests import Redo, Request, StartGame, Undo, request_from
from companion.table.resuming import referee_state
from companion.table.setting_up import NotHere, SettingUp
from companion.table.start_check import out_of_start
from companion.table.table_balance import TableBalance
from companion.table.witnesses import WitnessFault, WitnessWatch
from firmware_bridge.faults import troubled
from vision.camera_watch import CameraHealth
from vision.frames import Frame

Ask = Callable[[dict[str, Any]], dict[str, Any]]
"""Carries out a command for a simulated table."""

SAID_WRONG = 3
"""So many spheres out of place fit in one line."""


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
        evidence: EvidenceKeeper | None = None,
        followed: Callable[[TableState], None] = lambda _: None,
        camera_health: Callable[[], CameraHealth] | None = None,
        by_corners: bool = False,
        balance: TableBalance | None = None,
        setting_up: SettingUp | None = None,
    ) -> None:
        """`ask` carries out commands and `more` adds to the live values, where the table is a simulated one.

        `followed` is told the state after everything that a person does at the console. `camera_health` says how a
        real camera is; a board `by_corners` has no markers.
        """
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
        self._trouble = CameraTrouble(by_corners)
        self._camera_health = camera_health
        self._faults = _open_faults(self._state)
        self._turn = threading.RLock()
        """Held by whoever gives the referee something: the table's thread, or a person's request."""
        self._evidence = evidence
        self._followed = followed
        self._trace = LoadTrace()
        self._setting_up = setting_up
        self._history: tuple[int, list[GameRecord]] = (0, [])
        self._policy = refereeing.setup.policy
        self._obey_settings()
        if evidence is not None:
            evidence.begin(log.events())
        self._balance = balance
        if balance is not None:
            balance.meet(self._state)

    # What goes in

    def begin_match(self, white: str, black: str, rules: MatchRules) -> None:
        """Begins a new match; its first game starts once the start position stands."""
        with self._turn:
            self._keep(
                self._append([self._entry(Kind.MATCH, Origin.PERSON, _match_payload(white, black, rules))]),
                self._refereeing.state,
            )
            self._follow_log()

    def take(self, item: Item) -> tuple[Ruling, ...]:
        """Takes one sample or picture. Its rulings are safe in the log when this returns.

        Raises `LogNotSaved` where they could not be saved.
        """
        with self._turn:
            self._set_up_with(item)
            before = self._refereeing.state
            rulings = self._refereeing.take(item)
            self._t = item.t
            if self._balance is not None:
                self._balance.take(item, rulings, self._refereeing)
            self._trace.note(self._refereeing.load)
            if self._evidence is not None:
                self._evidence.note(item, self._refereeing.reading)
            events = self._append(
                [
                    *self._fault_entries(item.t),
                    *(e for ruling in rulings for e in self._entries(ruling, _origin(ruling, self._refereeing))),
                    *([] if self._balance is None else self._balance.notes(self._wall_clock(), rulings)),
                ]
            )
            self._keep(events, before)
            if isinstance(item, Frame):
                self._frame = item
        with self._changed:
            if isinstance(item, Frame) or rulings:
                self._live_version += 1
                self._changed.notify_all()
        return rulings

    @property
    def _rests(self) -> bool:
        """Does nothing count that is done at the board: in a pause, or while its cells are calibrated?"""
        return self._state.paused is not None or (self._setting_up is not None and self._setting_up.calibrating)

    def _set_up_with(self, item: Item) -> None:
        if self._setting_up is None:
            return
        self._setting_up.note(item)
        if self._refereeing.paused != self._rests:
            self._refereeing.paused = self._rests
            self._follow_log()

    def silence(self, t: float) -> None:
        """Nothing came until now: only that may be a fault. Raises like `take`."""
        with self._turn:
            self._t = max(self._t, t)
            said = self._append(self._fault_entries(self._t))
        if said:
            with self._changed:
                self._live_version += 1
                self._changed.notify_all()

    def undo(self) -> None:
        """Takes back the last step, as the state names it; nothing where there is none."""
        if undo_event(self._state) is not None:
            self.carry_out(Undo())

    def redo(self) -> None:
        """Takes back the last undo; nothing where there is none."""
        if redo_event(self._state) is not None:
            self.carry_out(Redo())

    def console(self, command: dict[str, Any]) -> dict[str, Any]:
        """A request at the referee's console, as JSON values; see `requests`. Raises like `carry_out`, and BadInput."""
        self.carry_out(request_from(command))
        return {"done": True, "seq": self._state.seq}

    def carry_out(self, request: Request) -> tuple[Ruling, ...]:
        """Does what a person asks; it is safe in the log when this returns. Works without any witness.

        Raises a `SenryakuError` of one line where it cannot be done, `LogNotSaved` where it could not be saved.
        """
        with self._turn:
            change = log_change(request, self._state) or self._change(request)
            before = self._refereeing.state
            rulings: tuple[Ruling, ...] = ()
            after = None
            if change is None or change[0] == Kind.ANSWER:
                setup = self._refereeing.setup
                self._refuse_wrong_start(request)
                after, rulings = carried_out(request, setup, before, self._state, self._t)
            entries = [] if change is None else [self._entry(change[0], Origin.PERSON, change[1])]
            entries += [entry for ruling in rulings for entry in self._entries(ruling, Origin.PERSON)]
            events = self._append(entries)
            self._obey_settings()
            if after is not None:
                self._refereeing.adopt(after, rulings)
            elif change is None or change[0] not in (Kind.SETTINGS, Kind.PAUSE):
                self._follow_log()
            self._keep(events, before)
            if self._balance is not None:
                self._balance.adopt(self._refereeing, self._t)
        self._followed(self._state)
        with self._changed:
            self._live_version += 1
            self._changed.notify_all()
        return rulings

    def close(self) -> None:
        """Saves what is still to be saved besides the log."""
        if self._evidence is not None:
            self._evidence.close()
        if self._balance is not None:
            self._balance.close()

    def _follow_log(self) -> None:
        """The referee goes on from what the log says now, once the board shows it."""
        refereeing, before = self._refereeing, self._refereeing.state
        state = referee_state(self._state, before.match.rules, self._t)
        used_until = max(before.used_until, self._t)
        state = replace(state, pictures=before.pictures[-1:], load=before.load, used_until=used_until)
        refereeing.adopt(state if state.waiting else until_shown(refereeing.setup, state, self._t))

    def _change(self, request: Request) -> tuple[Kind, dict[str, Any]] | None:
        setup, rules = self._refereeing.setup, self._refereeing.state.match.rules
        return change_of(request, self._state, setup.policy, rules)

    def _refuse_wrong_start(self, request: Request) -> None:
        wrong = self._out_of_start() if isinstance(request, StartGame) and not request.anyway else None
        if wrong:
            raise NotNow(f"the start position does not stand: {'; '.join(map(str, wrong[:SAID_WRONG]))}")

    def _out_of_start(self) -> tuple[Astray, ...] | None:
        start = Position.start(self._refereeing.state.match.first_of_next_game)
        return out_of_start(start, self._refereeing.reading)

    def _obey_settings(self) -> None:
        """What the log says of settings and pauses is so for the referee too."""
        refereeing, standing = self._refereeing, self._state.standing
        refereeing.paused = self._rests
        policy = policy_from(dict(standing.policy)) if standing.policy else self._policy
        refereeing.setup = replace(refereeing.setup, policy=policy)
        if standing.match is not None:
            rules = standing.match.score.rules
            refereeing.state = replace(refereeing.state, match=under(rules, refereeing.state.match))

    def _keep(self, events: list[Event], before: RefereeState) -> None:
        if self._evidence is not None and events:
            self._evidence.keep(events, before, self._refereeing, self._state, self._t)

    # The log

    def _append(self, entries: list[Entry]) -> list[Event]:
        if not entries:
            return []
        events = self._log.append_all(entries)
        before = self._state.match
        with self._changed:
            for event in events:
                self._state = apply(self._state, event)
            self._changed.notify_all()
        now = self._state.match
        if self._balance is not None and now is not None and (before is None or _names(before) != _names(now)):
            self._balance.meet(self._state)
        return events

    def _entry(self, kind: str, origin: str, payload: dict[str, Any]) -> Entry:
        return Entry(self._wall_clock(), kind, origin, payload)

    def _entries(self, ruling: Ruling, origin: str) -> list[Entry]:
        payload = {"t": round(ruling.t, 3), **ruling.payload()}
        if self._balance is not None:
            payload |= self._balance.payload(ruling)
        entry = self._entry(ruling.kind, origin, payload)
        match = self._state.match
        if isinstance(ruling, Start) and match is not None and match.score.over:
            again = _match_payload(match.white, match.black, match.score.rules)
            return [self._entry(Kind.MATCH, Origin.TABLE, again), entry]
        return [entry]

    def _fault_entries(self, t: float) -> list[Entry]:
        """One event when a fault begins and one when it ends."""
        before, refereeing = self._faults, self._refereeing
        faults = self._watch.see(t, refereeing.load, refereeing.reading, refereeing.notices)
        self._faults = self._trouble.told(faults, None if self._camera_health is None else self._camera_health())
        if self._evidence is not None:
            self._faults = (*self._faults, *self._evidence.faults())
        if self._balance is not None:
            self._faults = (*self._faults, *self._balance.faults())
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
        """What is not in the log: loads, margin, reading, witnesses, and which spheres are out of place."""
        values = {**self._more(), **live_values(self._refereeing, self._t, self._faults)}
        if self._balance is not None:
            values.update(self._balance.live())
        return {**values, "time": round(self._wall_clock(), 3)}

    def history(self) -> list[GameRecord]:
        """The games in the log, oldest first."""
        seq, found = self._history
        if seq != self._state.seq:
            seq = self._state.seq
            found = games(self._log.events())
            self._history = (seq, found)
        return found

    def desk(self) -> dict[str, Any]:
        """What only the referee's console shows: settings in force, what is wrong with the start position, evidence.

        `out_of_start` is None where the camera cannot tell.
        """
        wrong = self._out_of_start()
        return {
            "rules": rules_payload(self._refereeing.state.match.rules),
            "policy": policy_payload(self._refereeing.setup.policy),
            "out_of_start": None if wrong is None else [astray.to_json() for astray in wrong],
            "evidence": [] if self._evidence is None else list(kept(self._evidence.folder)),
        }

    def set_up(self) -> dict[str, Any]:
        """What the set-up pages show. Raises `NotHere` where a table cannot be set up."""
        return self._set_up_of().view(self._refereeing, self._frame)

    def set_up_step(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carries out a step of the set-up. Raises like `SettingUp.carry_out`."""
        return self._set_up_of().carry_out(command, self._frame)

    def sheet(self, what: str, paper: str) -> bytes:
        """A sheet to print in true size, as PDF. Raises `NotHere`, or BadInput for what cannot be printed."""
        return self._set_up_of().sheet(what, paper)

    def _set_up_of(self) -> SettingUp:
        if self._setting_up is None:
            raise NotHere("this table cannot be set up from here")
        return self._setting_up

    def loads(self, since: float) -> dict[str, Any]:
        """The loads after a time on the table's clock, for drawing."""
        return {"t": round(self._t, 2), "points": self._trace.since(since)}

    def evidence(self, seq: int) -> Case:
        """What a ruling was based on. Raises `NoEvidence`, `BadEvidence`."""
        event = next((e for e in self._log.events(seq - 1)[:1] if e.seq == seq), None)
        if self._evidence is None or event is None:
            raise NoEvidence(f"there is no evidence for event {seq}")
        return case_for(self._evidence.folder, event)

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

    def picture(self, drawn: bool = False) -> bytes | None:
        """The newest camera picture as JPEG; `drawn` with what was read in it."""
        with self._turn:
            frame, refereeing = self._frame, self._refereeing
            reading, sight = (refereeing.reading if drawn else None), refereeing.reader.sight
        return drawn_jpeg(frame, reading, sight, refereeing.setup.grid)

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """A command for a simulated table."""
        if self._ask is None:
            raise NotSimulated("this is no simulated table: its spheres are moved by hand")
        return self._ask(command)


def _open_faults(state: TableState) -> tuple[WitnessFault, ...]:
    """Faults that the log has not seen end: they end now, unless they are still there."""
    return tuple(WitnessFault(*(f.payload[name] for name in ("witness", "what", "remedy"))) for f in state.faults)


def _names(match: MatchState) -> tuple[str, str]:
    return match.white, match.black


def _match_payload(white: str, black: str, rules: MatchRules) -> dict[str, Any]:
    return {"white": white, "black": black, "rules": rules_payload(rules)}


def _origin(ruling: Ruling, refereeing: Refereeing) -> str:
    setup, load = refereeing.setup, refereeing.load
    loads = setup.loads and load is not None and not troubled(load.faults)
    if not loads or isinstance(ruling, Start):
        return Origin.CAMERA if setup.camera else Origin.LOAD_CELLS
    return Origin.LOAD_CELLS if isinstance(ruling, Crash | Held) or not setup.camera else Origin.BOTH
