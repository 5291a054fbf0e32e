"""One event of the log, its canonical JSON, and the chain that ties each event to all before it."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.errors import BadInput
from companion.log.kinds import check_event

FIRST_PREVIOUS = "0" * 64
"""What stands for the previous digest in the first event of a log."""


class Entry(NamedTuple):
    """What is to be appended: `time` in seconds since 1970 (UTC), `payload` in JSON values."""

    time: float
    kind: str
    origin: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """One event: `seq` counts from 1 without gaps, `time` is in seconds since 1970 (UTC).

    `payload` holds JSON values only and must not be changed. `digest` is SHA-256 in hexadecimal over the previous
    event's digest and this event's canonical JSON, so no event can be changed, moved or left out in the middle of a log
    without breaking the chain.
    """

    seq: int
    time: float
    kind: str
    origin: str
    payload: dict[str, Any]
    digest: str

    def __hash__(self) -> int:
        return hash(self.digest)


def canonical_json(value: Any) -> str:
    """JSON in the one form that is digested and stored: ASCII, keys sorted, no spaces, floats at their shortest.

    Raises BadInput for what JSON cannot hold.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"not fit for the log: {error}") from None


def digest_of(previous: str, seq: int, entry: Entry) -> str:
    """The digest of an entry that is number `seq` and follows the event with digest `previous`."""
    text = previous + canonical_json([seq, *entry])
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def chained(previous: str, seq: int, entry: Entry) -> Event:
    """The event that an entry becomes as number `seq`, after the event with digest `previous`.

    Its payload is a copy, exactly as it will be read back. Raises BadInput for an entry that is not fit for the log.
    """
    time, kind, origin, payload = entry
    if isinstance(time, bool) or not isinstance(time, int | float) or not math.isfinite(time):
        raise BadInput(f"{kind}: time is {time!r}; it must be seconds since 1970")
    if not isinstance(payload, Mapping):
        raise BadInput(f"{kind}: payload is {payload!r}; it must be a table of values")
    stored = json.loads(canonical_json(dict(payload)))
    check_event(kind, origin, stored)
    # Adding 0.0 makes -0.0 the 0.0 that SQLite keeps.
    seconds = float(time) + 0.0
    return Event(
        seq, seconds, str(kind), str(origin), stored, digest_of(previous, seq, Entry(seconds, kind, origin, stored))
    )
