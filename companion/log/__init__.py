"""The event log, which never forgets, and the fold that turns it into the state of the table."""

from companion.log.contradictions import Contradiction, contradictions
from companion.log.database import BadLog, LogNotSaved
from companion.log.events import Entry, Event, canonical_json
from companion.log.fold import apply, fold, redo_event, under, undo_event
from companion.log.kinds import Kind, Origin, match_rules, rules_payload
from companion.log.lock import LogInUse
from companion.log.state import EMPTY, GameState, MatchState, PlayedMove, Standing, Step, TableState
from companion.log.state_json import ruling_json, state_json
from companion.log.store import EventLog, LogReader
from companion.log.verify import Problem, verify

__all__ = [
    "EMPTY",
    "BadLog",
    "Contradiction",
    "Entry",
    "Event",
    "EventLog",
    "GameState",
    "Kind",
    "LogInUse",
    "LogNotSaved",
    "LogReader",
    "MatchState",
    "Origin",
    "PlayedMove",
    "Problem",
    "Standing",
    "Step",
    "TableState",
    "apply",
    "canonical_json",
    "contradictions",
    "fold",
    "match_rules",
    "redo_event",
    "rules_payload",
    "ruling_json",
    "state_json",
    "under",
    "undo_event",
    "verify",
]
