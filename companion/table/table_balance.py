"""The balance of one table at run time: follows play, keeps what it taught, and says what to show and to warn of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion.balance import Hand, Notice, Search
from companion.errors import BadInput
from companion.log import Entry, Kind, Origin, TableState
from companion.referee.rulings import GameOver, Ruling
from companion.referee.state import RefereeState
from companion.rules import Side, well_name
from companion.table.balance_file import BalanceKeeper, Kept, read_kept
from companion.table.balancing import Balancing
from companion.table.forced_search import ForcedSearch, Wanted
from companion.table.refereeing import Item, Refereeing
from companion.table.risk_words import outlook_json, search_json, warnings_of
from companion.table.settings import TableSettings
from companion.table.witnesses import WitnessFault
from firmware_bridge.events import LoadState
from firmware_bridge.panel import Margin

NEAR_MM = 1.0
"""Below this margin an ordinary touch (a sphere set down hard, a nudge) can tip the board."""
NOT_SAVED = "balance not saved"
REMEDY = "Free some space on the disk, or see why it cannot be written to; the log itself goes on."
NOT_READ_REMEDY = "Take the file away to learn the table anew; it is left as it is until something new is learned."
OWN_NAMES = {Side.WHITE: "White", Side.BLACK: "Black"}


class TableBalance:
    """`live` and `lamp` may be read by any thread; all else is called by whoever holds the table's lock."""

    def __init__(
        self,
        settings: TableSettings,
        state: RefereeState,
        file: Path | None = None,
        hands: Mapping[str, Hand] = MappingProxyType({}),
    ) -> None:
        """`file` is where it is kept, None for nowhere; one that cannot be read is named as a fault.

        `hands` are known beforehand, by name; what was kept of them counts more.
        """
        self._level, self._seen_by = settings.warn_above, settings.warnings
        self._unread: str | None = None
        try:
            kept = Kept() if file is None else read_kept(file)
        except BadInput as error:
            kept, self._unread = Kept(), str(error)
        kept = replace(kept, hands={**hands, **kept.hands})
        self._balancing = Balancing.of(settings, kept, state)
        self._keeper = None if file is None else BalanceKeeper(file)
        self._search = ForcedSearch()
        self._kept_version = self._balancing.version
        self._load: LoadState | None = None
        self._live: dict[str, Any] = {}
        self._lamp: Margin | None = None

    # What goes in

    def meet(self, state: TableState) -> None:
        """Who plays now."""
        match = state.match
        names = OWN_NAMES if match is None else {Side.WHITE: match.white, Side.BLACK: match.black}
        self._balancing.meet({side: name or OWN_NAMES[side] for side, name in names.items()})

    def take(self, item: Item, rulings: Sequence[Ruling], refereeing: Refereeing) -> None:
        """Takes what the referee has just taken, and what he ruled."""
        try:
            self._balancing.take(item, rulings, refereeing)
        except BadInput:  # loads that no board can give have led to masses that cannot be
            self._balancing.start_anew(refereeing.state)
        if rulings or refereeing.load is not self._load:
            self._load = refereeing.load
            self._show(refereeing)
        if self._balancing.version != self._kept_version and self._keeper is not None:
            self._kept_version = self._balancing.version
            self._unread = None
            self._keeper.keep(self._balancing.kept())

    def adopt(self, refereeing: Refereeing, t: float) -> None:
        """A person has set the referee right."""
        self._balancing.adopt(refereeing.state, t)
        self._show(refereeing)

    def close(self) -> None:
        """Saves what is still to be saved."""
        self._search.close()
        if self._keeper is not None:
            self._keeper.close()

    # What comes out

    def payload(self, ruling: Ruling) -> dict[str, Any]:
        """What a ruling's event says of the balance besides."""
        report = self._balancing.report(ruling)
        return {} if report is None else {"balance": report}

    def notes(self, time: float, rulings: Sequence[Ruling]) -> list[Entry]:
        """Notes for the log: exchanges that were noticed, and at a game's start and end what is known of the table.

        From the latter a finished game can be gone through again by its log alone.
        """
        exchanged, self._balancing.teaching.notices = self._balancing.teaching.notices, []
        notes = [_note(time, {"text": _exchange_words(e), "exchanged": e.what}) for e in exchanged]
        if any(isinstance(ruling, GameOver) for ruling in rulings):
            known = self._balancing.kept_with_all().to_json()
            notes.append(_note(time, {"text": "what play taught of the balance", "taught": known}))
        return notes

    def faults(self) -> list[WitnessFault]:
        """What is wrong with keeping it."""
        if self._unread is not None:
            return [WitnessFault("balance", self._unread, NOT_READ_REMEDY)]
        problem = None if self._keeper is None else self._keeper.problem
        return [] if problem is None else [WitnessFault("balance", f"{NOT_SAVED}: {problem}", REMEDY)]

    def live(self) -> dict[str, Any]:
        """Values for the screens; of risks nothing where nobody is to see them."""
        return self._live

    @property
    def lamp(self) -> Margin | None:
        """Which lamp to light: crash where the board has tipped or a sphere in hand may tip it, near close to that.

        None where nothing is known, and where the players are not to see it.
        """
        return self._lamp

    def _show(self, refereeing: Refereeing) -> None:
        self._lamp = self._light(refereeing)
        self._live = {**self._values(refereeing), "lamp": None if self._lamp is None else str(self._lamp)}

    def _values(self, refereeing: Refereeing) -> dict[str, Any]:
        balancing = self._balancing
        values: dict[str, Any] = {}
        now, known = balancing.margin_now(), balancing.known
        if now is not None and known is not None:
            margin, centre = now
            values["margin_mm"], values["centre_mm"] = round(margin, 2), round(centre, 2)
            values["half_spacing_mm"] = round(known.half_spacing_mm[0], 2)
            values["margin_sd_mm"] = round(known.half_spacing_mm[1], 2)
        if self._seen_by == "nobody":
            return values
        return {**values, "risks": self._risks(refereeing.state), "warnings_for": self._seen_by}

    def _risks(self, state: RefereeState) -> dict[str, Any] | None:
        balancing = self._balancing
        now, ahead = balancing.foreseen(state), balancing.ahead(state)
        if now is None or ahead is None:
            return None
        search = self._forced(state)
        side = now.position.side
        return {
            **outlook_json(ahead, side, self._level),
            "player": balancing.names[side],
            "touches": round(sum(now.hand.counts)),
            "warnings": warnings_of(ahead, side, balancing.names, self._level, search),
            "forced": None if search is None else search_json(search),
        }

    def _forced(self, state: RefereeState) -> Search | None:
        now = self._balancing.foreseen(state)
        if now is None:
            return None
        hands = {side: self._balancing.hand(side) for side in Side}
        key = now.position, tuple(hands.values())  # what a turn teaches of the board changes little in it
        if not state.steps and state.in_hand is None:
            self._search.want(Wanted(key, now.balance, now.position, hands))
        return self._search.found(key)

    def _light(self, refereeing: Refereeing) -> Margin | None:
        if self._seen_by != "all":
            return None
        load = refereeing.load
        if load is not None and load.tipped:
            return Margin.CRASH
        now = self._balancing.margin_now()
        if now is None:
            return None
        ahead = self._balancing.ahead(refereeing.state)
        risky = ahead is not None and ahead.above(self._level)
        if now[0] <= 0 or (risky and ahead is not None and ahead.taken):
            return Margin.CRASH
        return Margin.NEAR if risky or now[0] < NEAR_MM else Margin.SAFE


def _note(time: float, payload: dict[str, Any]) -> Entry:
    return Entry(time, Kind.NOTE, Origin.LOAD_CELLS, payload)


def _exchange_words(notice: Notice) -> str:
    if notice.what == "board":
        return (
            "the board weighs otherwise than before: it was exchanged, or its pinnacles were moved; it is learned anew"
        )
    where = "" if notice.well is None else f" now on {well_name(notice.well)}"
    return f"the sphere{where} weighs otherwise than before: it was exchanged"
