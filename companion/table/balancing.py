"""Follows one table's balance: what its cells teach of board, spheres and hands, and what that means for the moves.

Fed with everything that the referee is fed with, and with his rulings, which say which sphere went where. No clock, no
thread, no file: a recording gives the same forecasts every time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.balance import (
    EXPERIENCE,
    NEW_HAND,
    Balance,
    Hand,
    Learned,
    MoveRisk,
    Outlook,
    Touch,
    all_moves,
    coordinate_mm,
    hand_after,
    outlook,
    touched_wells,
)
from companion.referee.hypotheses import LETTER_OF_CONTENT
from companion.referee.rulings import Crash, Illegal, MoveMade, Restored, Ruling, Start
from companion.referee.state import Phase, RefereeState
from companion.rules import Move, Position, Reason, Side
from companion.table.balance_file import Kept
from companion.table.extremes import Extremes
from companion.table.in_the_air import MATCHES_WELL_MM, PLACE_SDS, after_lift, belongs, in_the_air, to_move
from companion.table.refereeing import Item, Refereeing
from companion.table.risk_words import step_json
from companion.table.settings import TableSettings
from companion.table.teaching import Carried, Teaching
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from firmware_bridge.samples import RawSample

ANONYMOUS = frozenset({"White", "Black", ""})
"""Names that say nothing of who plays: such a hand is known for one match only."""
Names = Mapping[Side, str]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """All legal moves of one position with their risks, as they were foretold before the first touch of the turn."""

    position: Position
    known: Learned
    hand: Hand
    balance: Balance
    moves: tuple[MoveRisk, ...]


@dataclass(slots=True)
class Balancing:
    """One table's balance. `hands` by player's name."""

    teaching: Teaching
    extremes: Extremes
    hands: dict[str, Hand] = field(default_factory=dict)
    names: Names = field(default_factory=lambda: {Side.WHITE: "White", Side.BLACK: "Black"})
    version: int = 0
    """Changes whenever something was learned that is worth keeping."""
    _load: LoadState | None = None
    _used_until: float = float("-inf")
    _foreseen: Foreseen | None = None
    _reports: dict[Ruling, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: TableSettings, kept: Kept | None = None, state: RefereeState | None = None) -> "Balancing":
        """Knows of the table what its settings say and what was `kept`; `state` where a game goes on."""
        kept = kept or Kept()
        known = kept.learned
        if known is not None and (known.axis, known.pitch_mm) != (settings.axis, settings.along_mm):
            known = None  # a board turned or exchanged since
        teaching = Teaching(settings.axis, settings.along_mm, settings.cells.half_spacing_mm, known)
        balancing = cls(teaching, Extremes(settings.cells), dict(kept.hands))
        if state is not None and state.phase is not Phase.AWAIT_START:
            if known is None:
                teaching.begin(state.position)
            balancing.adopt(state, float("-inf"))
        return balancing

    # What goes in

    def take(self, item: Item, rulings: Sequence[Ruling], refereeing: Refereeing) -> None:
        """Takes what the referee has just taken, and what he ruled."""
        if isinstance(item, RawSample):
            self.extremes.note(item)
        load = refereeing.load
        if load is not None and load is not self._load:
            self._load = load
            self.teaching.note(load)
            if load.settled:
                self.foreseen(refereeing.state)
        for ruling in rulings:
            self._follow(ruling, refereeing)
        if rulings:
            self.adopt(refereeing.state, rulings[-1].t)

    def adopt(self, state: RefereeState, t: float) -> None:
        """The referee goes on from this state, to which rulings or a person have led."""
        if state.phase is not Phase.AWAIT_START:
            letters = {well: LETTER_OF_CONTENT[content] for well, content in enumerate(state.standing) if content}
            self.teaching.stands(letters, t)

    def meet(self, names: Names) -> None:
        """These two play now; whoever has not said his name is a new hand in every match."""
        if names != self.names:
            for name in ANONYMOUS:
                self.hands.pop(name, None)
        self.names = dict(names)

    def hand(self, side: Side) -> Hand:
        """What is known of the hand that plays a side."""
        return self.hands.get(self.names[side], NEW_HAND)

    def _follow(self, ruling: Ruling, refereeing: Refereeing) -> None:
        if isinstance(ruling, Start):
            self.teaching.begin(Position.parse(ruling.position))
            self._used_until = ruling.t
            self.version += 1
        elif isinstance(ruling, MoveMade | Illegal | Restored | Crash):
            events = [e for e in refereeing.felt if self._used_until < e.t_contact <= ruling.t]
            if isinstance(ruling, Crash):
                self._crashed(ruling, events)
            else:
                self._carried(ruling, events)
            self.version += 1

    def _carried(self, ruling: MoveMade | Illegal | Restored, events: Sequence[LoadEvent]) -> None:
        """Spheres went from well to well."""
        if isinstance(ruling, Restored):
            self._used_until = ruling.t
            return  # what stands is looked at afterwards
        move = Move.parse(ruling.move)
        wells = touched_wells(move)
        kinds = [LoadEventKind.LIFT] * (len(wells) - 1) + [LoadEventKind.PLACE]
        felt = self._felt_at(events, kinds, wells)
        known = bool(felt) and not _rolled(ruling)
        contacts: list[float | None] = [e.t_contact for e in felt] if known else [None] * len(kinds)
        steps = [Carried(k is LoadEventKind.LIFT, w, t) for k, w, t in zip(kinds, wells, contacts, strict=True)]
        touches = self.teaching.carry(steps, ruling.t)
        if isinstance(ruling, MoveMade):
            self._report(ruling, move, [t for t in contacts if t is not None])
        if felt:
            self._used_until = felt[-1].t_contact
        if known:
            self._feel(ruling.player, touches, ruling.t)

    def _felt_at(
        self, events: Sequence[LoadEvent], kinds: Sequence[LoadEventKind], wells: Sequence[int]
    ) -> Sequence[LoadEvent]:
        """The first run of events of these kinds at these wells; empty where the cells felt something else."""
        steps = [e for e in events if e.kind in (LoadEventKind.LIFT, LoadEventKind.PLACE)]
        for first in range(len(steps) - len(kinds) + 1):
            run = steps[first : first + len(kinds)]
            if all(e.kind is kind and self._near(e, well) for e, kind, well in zip(run, kinds, wells, strict=True)):
                return run
        return ()

    def _near(self, event: LoadEvent, well: int) -> bool:
        if event.p_mm is None:
            return False
        off = event.p_mm - coordinate_mm(well, self.teaching.axis, self.teaching.pitch_mm)
        return abs(off) <= max(MATCHES_WELL_MM, PLACE_SDS * event.p_sd_mm)

    def _feel(self, player: Side, touches: Sequence[tuple[Carried, Touch]], until: float) -> None:
        """The hand is known better after each touch."""
        hand = self.hand(player)
        for n, (step, touch) in enumerate(touches):
            assert step.contact is not None
            end = touches[n + 1][0].contact if n + 1 < len(touches) else until
            felt = self.extremes.felt(step.contact, until if end is None else end)
            if felt is not None:
                hand = hand_after(hand, touch, felt, EXPERIENCE)
        self.hands[self.names[player]] = hand

    def _report(self, ruling: MoveMade, move: Move, contacts: Sequence[float]) -> None:
        """What was foretold of the move that was made, and how near to tipping the board came."""
        now = self._foreseen
        made = None if now is None else next((m for m in now.moves if m.move == move), None)
        if now is None or made is None:
            return
        ends = [*contacts[1:], ruling.t][: len(contacts)]
        least = [self._least_mm(now.known, contact, end) for contact, end in zip(contacts, ends, strict=True)]
        felt = least or [None] * len(made.steps)
        steps = [
            {**step_json(step), "least_mm": None if mm is None else round(mm, 2)}
            for step, mm in zip(made.steps, felt, strict=True)
        ]
        self._reports[ruling] = {"risk": round(made.risk, 4), "steps": steps, "least_risk": _least(now.moves)}

    def _least_mm(self, known: Learned, contact: float, until: float) -> float | None:
        """The least margin while a hand touched: 0 where one cell carried nothing."""
        share = self.extremes.least_share(contact, until)
        return None if share is None else max(0.0, 2 * known.half_spacing_mm[0] * share)

    def _crashed(self, ruling: Crash, events: Sequence[LoadEvent]) -> None:
        """The touch that tipped the board says most of a hand; which it was is guessed: the likeliest to do it."""
        tip = next((e for e in events if e.kind is LoadEventKind.TIP), None)
        now = self._foreseen
        self.teaching.leave()
        if tip is None or now is None or now.position.side is not ruling.player:
            return
        ahead = outlook(now.moves, self._taken_by(events, now)).wells
        step = next((w for w in ahead if w.touch.step == ruling.step), None)
        felt = self.extremes.felt(tip.t_contact, ruling.t, tipped=True)
        if step is None:
            return
        left = [step_json(step.touch)]
        self._reports[ruling] = {"risk": left[0]["risk"], "steps": left, "least_risk": _least(now.moves)}
        if felt is None:
            return
        sphere = step.well if step.touch.step != "place" else step.move.from_well
        touch = self.teaching.touch(sphere, step.well, step.touch.step != "place")
        if touch is not None:
            self.hands[self.names[ruling.player]] = hand_after(self.hand(ruling.player), touch, felt, EXPERIENCE)

    def _taken_by(self, events: Sequence[LoadEvent], now: Foreseen) -> tuple[int, ...]:
        lift = next((e for e in events if e.kind is LoadEventKind.LIFT), None)
        if lift is None or lift.p_mm is None:
            return ()
        wells = {touched_wells(m.move)[0] for m in now.moves}
        p = lift.p_mm
        return (min(wells, key=lambda w: abs(coordinate_mm(w, self.teaching.axis, self.teaching.pitch_mm) - p)),)

    def start_anew(self, state: RefereeState) -> None:
        """Forgets board and spheres: what was learned cannot be."""
        self.teaching.known = self._foreseen = None
        if state.phase is not Phase.AWAIT_START:
            self.teaching.begin(state.position)

    # What comes out

    def kept(self) -> Kept:
        """What is worth keeping over a restart. Who has not said his name is forgotten."""
        return Kept(self.teaching.known, {name: hand for name, hand in self.hands.items() if name not in ANONYMOUS})

    def kept_with_all(self) -> Kept:
        """The same with hands that have no name yet: for the record of one game."""
        return Kept(self.teaching.known, dict(self.hands))

    def report(self, ruling: Ruling) -> dict[str, Any] | None:
        """What a ruling's event is to say of the balance, in JSON values; each is given once, None where there is none.

        `steps` as in the contract for `moves`, foretold before the turn, with the `least_mm` of margin that was felt;
        `risk` of the whole move (of the step that crashed), `least_risk` of the safest move there was.
        """
        return self._reports.pop(ruling, None)

    @property
    def known(self) -> Learned | None:
        """What is known of board and spheres now, None before the first game."""
        return self.teaching.now()

    def foreseen(self, state: RefereeState) -> Foreseen | None:
        """The legal moves and their risks; None while nobody is to move, or nobody knows what stands.

        While spheres are in the air it is what was foretold before the first of them was lifted.
        """
        if not to_move(state):
            return None
        position, now = state.position, self._foreseen
        same = now is not None and now.position == position
        if same and (state.steps or state.in_hand is not None or (self._load is not None and self._load.touching)):
            return now
        known, hand = self.known, self.hand(position.side)
        if known is None or not belongs(known, position):
            return None
        if now is None or not same or now.known is not known or now.hand is not hand:
            balance = known.balance()
            self._foreseen = Foreseen(position, known, hand, balance, all_moves(balance, position, hand))
        return self._foreseen

    def ahead(self, state: RefereeState) -> Outlook | None:
        """The wells that the hand can go to next; None where nothing can be foretold."""
        now = self.foreseen(state)
        if now is None:
            return None
        moves = now.moves
        if state.touched is not None:
            bound = [m for m in moves if state.touched in touched_wells(m.move)[:2]]
            moves = tuple(bound) or moves
        taken = in_the_air(state)
        if taken:
            return outlook(moves, taken)
        lifts = [e for e in state.steps if e.kind is LoadEventKind.LIFT]
        if len(lifts) != 1 or any(e.kind is LoadEventKind.PLACE for e in state.steps) or lifts[0].p_mm is None:
            return outlook(moves)
        return after_lift(moves, lifts[0], self.teaching.axis, self.teaching.pitch_mm)

    def margin_now(self) -> tuple[float, float] | None:
        """Margin and centre of mass that the loads show now, mm; None where they show none."""
        load, known = self._load, self.known
        if load is None or known is None or load.low_g is None or load.high_g is None:
            return None
        centre = known.centre_mm(load.low_g, load.high_g)
        return None if centre is None else (known.half_spacing_mm[0] - abs(centre), centre)


def _least(moves: Sequence[MoveRisk]) -> float:
    return round(min((m.risk for m in moves), default=0.0), 4)


def _rolled(ruling: MoveMade | Illegal) -> bool:
    return isinstance(ruling, Illegal) and ruling.reason == Reason.ROLLED
