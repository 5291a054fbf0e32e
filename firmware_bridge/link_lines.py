"""Lines with a checksum: what the reader process and the Pico send. The Pico's program describes them in full.

`S,<n>,<t_ms>,<low>,<high>,<errors_low>,<errors_high>*<checksum>`
    what was read at time t, an empty field where nothing was; n counts lines; errors are conversions lost since start
`V,<protocol>,<version>,<driver version>,<session>*<checksum>`
    at start and on request; the session is another after each start
`D,<reason>=<low>=<high>,...*<checksum>`
    why conversions were lost, as totals since start
`E,<text>*<checksum>`
    what went wrong, before it stops

The checksum is the CRC-32 of what stands before the `*`, as eight hexadecimal digits: both ends have it built in, and
it lets one garbled line in four thousand million pass, where a CRC-8 lets one in 256.
"""

from binascii import crc32
from dataclasses import dataclass

from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN

LONGEST = 512
"""Bytes without the end of a line: more is garbage."""
PROTOCOL = 1


@dataclass(frozen=True, slots=True)
class SampleLine:
    """An `S` line; `t` in seconds on the sender's clock."""

    n: int
    t: float
    low: int | None
    high: int | None
    lost_low: int
    lost_high: int


def encode(*fields: object) -> bytes:
    """A line, its end included. None becomes an empty field."""
    body = ",".join("" if field is None else str(field) for field in fields).encode("ascii", "replace")
    return b"%s*%08x\n" % (body, crc32(body))


def decode(line: bytes) -> list[str] | None:
    """The fields of a line, None where the checksum does not fit."""
    body, _, checksum = line.strip().rpartition(b"*")
    if not body or checksum != b"%08x" % crc32(body):
        return None
    return body.decode("ascii", "replace").split(",")


def sample_line(fields: list[str]) -> SampleLine | None:
    """The fields of an `S` line as numbers, None where one of them cannot be."""
    try:
        _, n, t_ms, low, high, lost_low, lost_high = fields
        line = SampleLine(int(n), float(t_ms) / 1000, _counts(low), _counts(high), int(lost_low), int(lost_high))
    except ValueError:
        return None
    return line if 0 <= line.t < float("inf") else None


def _counts(field: str) -> int | None:
    if not field:
        return None
    counts = int(field)
    if not COUNTS_MIN <= counts <= COUNTS_MAX:
        raise ValueError(field)
    return counts


class LineSplitter:
    """A fold over bytes; gives whole lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Takes more bytes; gives the lines that are now whole, empty ones left out."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST:
            lines.append(self._rest)
            self._rest = b""
        return [line for line in lines if line.strip()]
