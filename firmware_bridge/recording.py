"""Reads the load log of a recording."""

import logging
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from companion.errors import BadInput
from firmware_bridge.events import LoadEvent
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, LoadCells, RawSample
from firmware_bridge.tracker import LoadTracker

log = logging.getLogger(__name__)

LONGEST_HEADER = 1000
"""Characters: a first line that goes on for ever is no load log's."""
HEADER = ("t_s", "low_counts", "high_counts")


def read_samples(path: Path) -> Iterator[RawSample]:
    """The samples of a `load.csv`, in order.

    Columns `t_s,low_counts,high_counts`; an empty field or a missing row is a missed sample.
    A last line without its end is cut short, as a power cut leaves it: even where it reads well, a digit may be
    missing. It is passed over with a warning in the log.

    Raises:
        BadInput: the file cannot be read, or a line is wrong; the message names file, line and what would be right.
    """
    try:
        with path.open(encoding="utf-8-sig", newline=None) as lines:
            header = lines.readline(LONGEST_HEADER).strip()
            if tuple(name.strip() for name in header.split(",")) != HEADER:
                raise BadInput(f"{path}:1: the first line must be {','.join(HEADER)}, not {header[:60]!r}")
            last = -math.inf
            for number, line in enumerate(lines, start=2):
                text = line.strip()
                if not text:
                    continue
                if not line.endswith("\n"):
                    log.warning("%s:%d: the last line is cut short, and passed over", path, number)
                    return
                sample = _parse(text, last, f"{path}:{number}")
                last = sample.t
                yield sample
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not a text file (bad byte at {error.start}); a load log is CSV in UTF-8") from error
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror or error})") from error


def _parse(text: str, last: float, where: str) -> RawSample:
    fields = text.split(",")
    if len(fields) != len(HEADER):
        raise BadInput(f"{where}: {len(fields)} fields, a line is {','.join(HEADER)}")
    try:
        t = float(_ascii(fields[0]))
    except ValueError:
        t = math.nan
    if not math.isfinite(t):
        raise BadInput(f"{where}: t_s is {fields[0].strip()[:30]!r}, must be a number of seconds")
    if t <= last:
        raise BadInput(f"{where}: t_s {t} is not after the line before ({last})")
    return RawSample(t, _counts(fields[1], HEADER[1], where), _counts(fields[2], HEADER[2], where))


def _ascii(number: str) -> str:
    """Raises ValueError for what Python reads as a number but no log holds: `1_000`, the digits of other scripts."""
    if not number.isascii() or "_" in number:
        raise ValueError(number)
    return number


def _counts(field: str, name: str, where: str) -> int | None:
    text = field.strip()
    if not text:
        return None
    try:
        counts = int(_ascii(text))
    except ValueError:
        raise BadInput(f"{where}: {name} is {text[:30]!r}, must be a whole number or empty") from None
    if not COUNTS_MIN <= counts <= COUNTS_MAX:
        raise BadInput(f"{where}: {name} is {counts}, must be within 24 bits ({COUNTS_MIN} to {COUNTS_MAX})")
    return counts


def load_events_of(path: Path, cells: LoadCells, wells_mm: Sequence[float] | None = None) -> Iterator[LoadEvent]:
    """The load events in a load log.

    Raises:
        BadInput: as `read_samples`.
    """
    tracker = LoadTracker(cells, wells_mm=wells_mm)
    for sample in read_samples(path):
        for item in tracker.feed(sample):
            if isinstance(item, LoadEvent):
                yield item
