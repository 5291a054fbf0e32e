"""Finds the evidence for an event of a log, and makes sure that it belongs to it."""

from pathlib import Path

from companion.errors import SenryakuError
from companion.log import Event
from companion.table.evidence_case import Case
from companion.table.evidence_store import evidence_file, kept


class NoEvidence(SenryakuError, LookupError):
    """There is no evidence for an event, or none that belongs to this log."""


def case_for(folder: Path, event: Event) -> Case:
    """The evidence for an event, in the folder beside its log. Raises `NoEvidence`, `BadEvidence`."""
    file = evidence_file(folder, event.seq)
    if not file.is_file():
        what = event.kind.replace("_", " ")
        there = ranges(list(kept(folder))) or "none"
        raise NoEvidence(f"{folder}: no evidence for event {event.seq} ({what}) is kept; there is for: {there}")
    case = Case.read(file)
    if case.about["event"].get("digest") != event.digest:
        raise NoEvidence(f"{file}: is evidence for another log's event {event.seq}")
    return case


def ranges(seqs: list[int]) -> str:
    """For example `3-7, 9`."""
    parts: list[list[int]] = []
    for seq in seqs:
        if parts and parts[-1][-1] == seq - 1:
            parts[-1] = [parts[-1][0], seq]
        else:
            parts.append([seq])
    return ", ".join("-".join(map(str, part)) for part in parts)
