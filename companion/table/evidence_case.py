"""The evidence for one ruling as a file: pictures, load trace, the explanations with their odds, and the rule.

NNNNNN.zip    before.jpg  after.jpg  load.csv (as in a recording)  evidence.json
"""

import csv
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.errors import BadInput
from companion.log import Event
from companion.referee.naming import texts
from companion.referee.rule_texts import rule_of
from companion.referee.state import RefereeState
from companion.table.evidence import Stretch
from firmware_bridge.events import LoadEvent
from firmware_bridge.samples import LoadCells

FORMAT = 1
JSON_NAME, LOAD_NAME, BEFORE_NAME, AFTER_NAME = "evidence.json", "load.csv", "before.jpg", "after.jpg"
CONTACT_SLACK_S = 0.5
"""A touch is felt before it is known to be a lift."""
DAY_ZERO = (1980, 1, 1, 0, 0, 0)
"""The same evidence gives the same bytes: a zip's own times say nothing."""


class BadEvidence(BadInput):
    """A file that holds no evidence, or is damaged."""


@dataclass(frozen=True, slots=True)
class Case:
    """`about` are JSON values, `files` the other files' contents by name."""

    about: dict[str, Any]
    files: dict[str, bytes] = field(repr=False)

    @property
    def seq(self) -> int:
        return int(self.about["event"]["seq"])

    def to_bytes(self, more: dict[str, bytes] | None = None) -> bytes:
        """One zip of it all, with `more` files."""
        about = json.dumps(self.about, indent=1, ensure_ascii=False).encode()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            for name, content in {**(more or {}), JSON_NAME: about, **self.files}.items():
                info = zipfile.ZipInfo(name, DAY_ZERO)
                info.compress_type = zipfile.ZIP_STORED if name.endswith(".jpg") else zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                file.writestr(info, content)
        return packed.getvalue()

    @classmethod
    def read(cls, file: Path) -> "Case":
        """Raises `BadEvidence` naming the file."""
        try:
            with zipfile.ZipFile(file) as opened:
                contents = {name: opened.read(name) for name in opened.namelist()}
            case = cls(json.loads(contents.pop(JSON_NAME)), contents)
            assert case.seq >= 0
        except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError, AssertionError, EOFError) as error:
            raise BadEvidence(f"{file}: cannot be read as evidence: {' '.join(str(error).split())}") from error
        return case


@dataclass(frozen=True, slots=True)
class Basis:
    """What a ruling was based on, besides what was seen: the state before and after it, and the load events lately."""

    before: RefereeState
    after: RefereeState
    felt: tuple[LoadEvent, ...]
    cells: LoadCells


def case_of(event: Event, basis: Basis, stretch: Stretch, words: str) -> Case:
    """The evidence for an event, which `words` say to people."""
    cells = basis.cells
    felt = [one for one in basis.felt if stretch.since - CONTACT_SLACK_S <= one.t_contact <= stretch.until]
    about = {
        "format": FORMAT,
        "event": {
            "seq": event.seq,
            "time": event.time,
            "kind": event.kind,
            "origin": event.origin,
            "payload": event.payload,
            "digest": event.digest,
        },
        "says": words,
        "rule": rule_of(event.kind, event.payload),
        "position_before": basis.before.position.text(),
        "since_s": round(stretch.since, 3),
        "until_s": round(stretch.until, 3),
        "pictures": {
            name: {"t_s": round(picture.t, 3), "nothing_hidden": picture.clear}
            for name, picture in ((BEFORE_NAME, stretch.before), (AFTER_NAME, stretch.after))
            if picture is not None
        },
        "hypotheses": _hypotheses(basis.after),
        "load_events": [one.to_json() for one in felt],
        "calibration": {
            name: {"offset_counts": cell.offset_counts, "counts_per_gram": cell.counts_per_gram}
            for name, cell in (("low", cells.low), ("high", cells.high))
        },
    }
    files = {
        name: picture.jpeg
        for name, picture in ((BEFORE_NAME, stretch.before), (AFTER_NAME, stretch.after))
        if picture is not None
    }
    if stretch.samples:
        files[LOAD_NAME] = _load_csv(stretch)
    return Case(about, files)


def _hypotheses(state: RefereeState) -> list[dict[str, Any]]:
    if state.ruled_by is None:
        return []
    return [
        {
            "says": text,
            "meaning": h.meaning.value,
            "player": None if h.player is None else str(h.player),
            "reason": None if h.reason is None else str(h.reason),
            "p": float(f"{p:.3g}"),
        }
        for text, (p, h) in zip(texts([h for _, h in state.ruled_by.ranked]), state.ruled_by.ranked, strict=True)
    ]


def _load_csv(stretch: Stretch) -> bytes:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("t_s", "low_counts", "high_counts"))
    for sample in stretch.samples:
        table.writerow((f"{sample.t:.4f}", *("" if v is None else v for v in (sample.low, sample.high))))
    return text.getvalue().encode()
