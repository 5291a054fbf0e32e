"""From the lines of a reader process or a Pico to samples: whatever garbles the lines, no wrong sample comes out."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from firmware_bridge.clock_map import ClockMap
from firmware_bridge.drops import LostShare
from firmware_bridge.link_lines import PROTOCOL, LineSplitter, SampleLine, decode, sample_line
from firmware_bridge.pace import Pace
from firmware_bridge.pairing import Pairer
from firmware_bridge.samples import RawSample

REMEMBERED = 256
"""A line is an old one, sent again, if its number and its time lie within so many; else the sender is a new one."""


@dataclass(slots=True)
class LinkCounts:
    """What the link has been through. `garbled`: lines with a bad checksum; `missed`: numbers that never came."""

    lines: int = 0
    garbled: int = 0
    repeated: int = 0
    missed: int = 0
    restarts: int = 0
    cut_short: int = 0


@dataclass(slots=True)
class _Session:
    """From one start of the sender to the next."""

    clock: ClockMap | None
    held: bool
    token: str | None = None
    understood: bool = True
    recent: deque[SampleLine] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    paces: tuple[Pace, Pace] = field(default_factory=lambda: (Pace(), Pace()))
    waiting: list[tuple[float, int] | None] = field(default_factory=lambda: [None, None])
    pairer: Pairer = field(default_factory=Pairer)
    shares: tuple[LostShare, LostShare] = field(default_factory=lambda: (LostShare(), LostShare()))
    read: list[int] = field(default_factory=lambda: [0, 0])


class SampleLink:
    """A fold over the bytes of a link.

    `foreign_clock`: the lines carry a clock of their own, which is mapped to ours; else they carry ours, or one that
    `shift_s` is to be added to.
    `unconfirmed`: the sender does not hold a reading back until the next shows that the amplifier has worked on
    (`GuardedHX711` does), so that is done here.
    """

    def __init__(self, foreign_clock: bool, unconfirmed: bool, shift_s: float = 0.0) -> None:
        self.counts = LinkCounts()
        self.version: str | None = None
        self.trouble: str | None = None
        self.reasons: dict[str, tuple[int, int]] = {}
        self.heard = False
        """Whether the last bytes held a good line."""
        self._foreign_clock, self._shift_s = foreign_clock, shift_s
        self._unconfirmed = unconfirmed
        self._splitter = LineSplitter()
        self._session = self._new_session(None)

    def _new_session(self, token: str | None) -> _Session:
        return _Session(ClockMap() if self._foreign_clock else None, self._unconfirmed, token)

    @property
    def lost_shares(self) -> tuple[float | None, float | None]:
        """Lost of all conversions of the low and of the high cell, lately; None while there were too few to tell."""
        low, high = self._session.shares
        return low.share, high.share

    def reconnect(self) -> None:
        """The link was cut: what is left of a line is void."""
        self._splitter = LineSplitter()

    def feed(self, data: bytes, now: float) -> list[RawSample]:
        """Takes the bytes that have arrived by `now` (s); gives the samples that are complete."""
        samples: list[RawSample] = []
        self.heard = False
        for line in self._splitter.feed(data):
            self.counts.lines += 1
            fields = decode(line)
            sample = sample_line(fields) if fields and fields[0] == "S" else None
            if fields is None or (fields[0] == "S" and sample is None):
                self.counts.garbled += 1
                continue
            self.heard = True
            if sample is not None:
                samples += self._take(sample, now)
            elif fields[0] == "V" and len(fields) == 5:
                self._take_version(fields)
            elif fields[0] == "D":
                self._take_reasons(fields[1:])
            elif fields[0] == "E":
                self.trouble = "".join(c for c in ",".join(fields[1:]) if c.isprintable())
        return samples + self._session.pairer.tick(now)

    def _take_version(self, fields: list[str]) -> None:
        _, protocol, version, driver, token = fields
        self.version = f"{version} (driver {driver})"
        if self._session.token not in (None, token):
            self._restart(token)
        self._session.token = token
        self._session.understood = protocol == str(PROTOCOL)
        if not self._session.understood:
            self.trouble = f"it speaks protocol {protocol}, not {PROTOCOL}: install the firmware of this version"

    def _take_reasons(self, fields: Iterable[str]) -> None:
        for one in fields:
            reason, _, totals = one.partition("=")
            low, _, high = totals.partition("=")
            if low.isdigit() and high.isdigit():
                self.reasons[reason] = (int(low), int(high))

    def _restart(self, token: str | None) -> None:
        self.counts.restarts += 1
        self._session = self._new_session(token)

    def _take(self, line: SampleLine, now: float) -> list[RawSample]:
        if not self._session.understood:
            return []
        self.trouble = None
        recent = self._session.recent
        if recent and line.n <= recent[-1].n:
            if line.n >= recent[0].n and recent[0].t <= line.t <= recent[-1].t:
                self.counts.repeated += 1
                return []
            self._restart(None)
        session = self._session
        if session.recent:
            self.counts.missed += line.n - session.recent[-1].n - 1
        session.recent.append(line)
        t = line.t + self._shift_s if session.clock is None else session.clock.map(line.t, now)
        for cell, (counts, lost) in enumerate(((line.low, line.lost_low), (line.high, line.lost_high))):
            session.read[cell] += counts is not None
            session.shares[cell].note(session.read[cell], lost)
        if t is None:
            return []
        if not session.held:
            return session.pairer.add(t, line.low, line.high)
        return self._add_confirmed(session, t, (line.low, line.high))

    def _add_confirmed(self, session: _Session, t: float, readings: tuple[int | None, int | None]) -> list[RawSample]:
        samples: list[RawSample] = []
        for cell, counts in enumerate(readings):
            if counts is None:
                continue
            before, session.waiting[cell] = session.waiting[cell], (t, counts)
            if session.paces[cell].came(t) and before is not None:
                low, high = (before[1], None) if cell == 0 else (None, before[1])
                samples += session.pairer.add(before[0], low, high)
            else:
                self.counts.cut_short += before is not None and session.paces[cell].period_s is not None
        return samples
