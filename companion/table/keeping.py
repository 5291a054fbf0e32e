"""Keeps the evidence for every ruling of a table: what was seen and felt lately is put together when it is made."""

from collections.abc import Iterable
from pathlib import Path

from companion.log import Event, Kind, TableState
from companion.log.kinds import SHOWN
from companion.referee.state import RefereeState
from companion.referee.words import event_in_words
from companion.table.evidence import Lately
from companion.table.evidence_case import Basis, case_of
from companion.table.evidence_store import BUDGET_BYTES, EvidenceStore
from companion.table.refereeing import Refereeing
from companion.table.witnesses import WitnessFault
from firmware_bridge.samples import LoadCells, RawSample
from vision.frames import Frame
from vision.reading import BoardReading, Content

NOT_SAVED = "not saved"
REMEDY = "Free some space on the disk, or see why it cannot be written to; the log itself goes on."


class EvidenceKeeper:
    """The evidence of one log. `note` and `keep` are called by whoever holds the table's lock."""

    def __init__(self, folder: Path, cells: LoadCells, budget_bytes: int = BUDGET_BYTES) -> None:
        self._cells = cells
        self._lately = Lately()
        self._store = EvidenceStore(folder, budget_bytes)
        self._game_from = 0

    @property
    def folder(self) -> Path:
        """Where the evidence is kept."""
        return self._store.folder

    def begin(self, events: Iterable[Event]) -> None:
        """Looks for the beginning of the current game in a log that goes on."""
        for event in events:
            self._follow(event)

    def note(self, item: RawSample | Frame, reading: BoardReading | None) -> None:
        """Takes one sample or picture; `reading` is the newest picture's."""
        clear = reading is not None and reading.board_found and not _hidden(reading)
        self._lately.note(item, clear)

    def keep(
        self, events: Iterable[Event], before: RefereeState, refereeing: Refereeing, state: TableState, t: float
    ) -> None:
        """Keeps the evidence for those of the events that are rulings; they led from the referee's state `before`."""
        basis = Basis(before, refereeing.state, tuple(refereeing.felt), self._cells)
        for event in events:
            self._follow(event)
            if event.kind in SHOWN:
                question = None if state.game is None else state.game.question
                self._store.protect(self._game_from, frozenset() if question is None else frozenset({question.seq}))
                stretch = self._lately.stretch(_began(before, t), t)
                self._store.save(case_of(event, basis, stretch, event_in_words(event.kind, event.payload)))

    def faults(self) -> list[WitnessFault]:
        """What is wrong with keeping evidence."""
        problem = self._store.problem
        return [] if problem is None else [WitnessFault("evidence", f"{NOT_SAVED}: {problem}", REMEDY)]

    def close(self) -> None:
        """Saves what is still to be saved."""
        self._store.close()

    def _follow(self, event: Event) -> None:
        if event.kind in (Kind.START, Kind.MATCH):
            self._game_from = event.seq


def _began(state: RefereeState, t: float) -> float:
    """When what was ruled on began: the first touch, the first picture that showed it, or the beginning of a press."""
    touched = state.load.touching_since if state.load is not None and state.load.touching else None
    moments = [m for m in (state.changed_since, state.press_since, touched) if m is not None]
    return min([*moments, *(step.t_contact for step in state.steps), t])


def _hidden(reading: BoardReading) -> bool:
    return bool((reading.p[:, Content.HIDDEN] > 0.5).any())
