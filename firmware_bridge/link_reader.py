"""A load source at the end of a link: opens it, reads it, and opens it again when it is cut or falls silent."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from firmware_bridge.drops import POOR_SHARE
from firmware_bridge.sample_link import LinkCounts, SampleLink
from firmware_bridge.samples import RawSample
from firmware_bridge.timeline import Timeline

RETRY_S = 1.0
READ_BYTES = 20
"""So many bytes without a line that can be read are no silence."""
_log = logging.getLogger(__name__)


class Port(Protocol):
    """The near end of a link."""

    def read(self) -> bytes:
        """What has arrived; waits at most a few hundredths of a second for it. Raises OSError when the link is cut."""
        ...

    def close(self) -> None:
        """Cuts the link, and never waits for long."""
        ...


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """How a source is doing. `lost_low`, `lost_high`: share of conversions lost lately, None where not known."""

    connected: bool
    trouble: str | None
    version: str | None
    opened: int
    late: int
    counts: LinkCounts
    reasons: dict[str, tuple[int, int]]
    lost_low: float | None
    lost_high: float | None

    @property
    def poor(self) -> bool:
        """Whether so much is lost that other wiring is advised."""
        return any(share is not None and share > POOR_SHARE for share in (self.lost_low, self.lost_high))


class LinkReader:
    """A `LoadSource` over any `Port`. `connect` raises OSError while there is nothing to open.

    A port without a good line for `deadline_s` (and `start_s` more for the first) is closed and opened again; one that
    gives no sample ever, after twice the time as often as that repeats, up to `rarest_s`. Each trouble is logged once,
    as a warning. All times are those of `clock` (s).
    """

    def __init__(
        self,
        connect: Callable[[], Port],
        link: SampleLink,
        deadline_s: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        start_s: float = 0.0,
        rarest_s: float = RETRY_S,
    ) -> None:
        self._connect = connect
        self._start_s = start_s
        self._retry_s, self._rarest_s = RETRY_S, rarest_s
        self._logged: str | None = None
        self._link = link
        self._deadline_s = deadline_s
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._port: Port | None = None
        self._closed = False
        self._opened = 0
        self._trouble: str | None = None
        self._timeline = Timeline(clock())
        self._heard_at = self._retry_at = clock()
        self._unread = 0

    def __iter__(self) -> Iterator[RawSample]:
        while not self._closed:
            yield from self.step()

    def close(self) -> None:
        """Ends the iteration and lets go of the part. May be called from another thread."""
        self._closed = True
        with self._lock:
            self._cut(None)

    @property
    def health(self) -> LinkHealth:
        """How it is doing now."""
        return LinkHealth(
            self._port is not None,
            self._link.trouble or self._trouble,
            self._link.version,
            self._opened,
            self._timeline.late,
            replace(self._link.counts),
            dict(self._link.reasons),
            *self._link.lost_shares,
        )

    def step(self) -> list[RawSample]:
        """What has come, within a few hundredths of a second."""
        with self._lock:
            data = self._read()
            self._unread = 0 if self._link.heard else self._unread
            now = self._clock()
            samples = self._timeline.take(self._link.feed(data, now))
            self._tell(bool(samples))
            if self._link.heard:
                self._heard_at = now
                self._trouble = None
            elif self._port is not None and now - self._heard_at > self._deadline_s:
                self._cut(self._silent())
        return samples or self._timeline.silence(now)

    def _silent(self) -> str:
        if self._unread < READ_BYTES:
            return f"no line came for {self._deadline_s:g} s"
        return (
            f"what comes is not what the reader sends ({self._unread} bytes in {self._deadline_s:g} s, no line whole): "
            "is its program on it, and the library that it needs?"
        )

    def _tell(self, well: bool) -> None:
        if well:
            self._retry_s, self._logged = RETRY_S, None
            return
        trouble = self._link.trouble or self._trouble
        if trouble is not None and trouble != self._logged:
            self._logged = trouble
            _log.warning("load cells: %s", trouble)

    def _read(self) -> bytes:
        if self._port is None and not self._open():
            self._sleep(0.02)
            return b""
        port = self._port
        if port is None:
            return b""
        try:
            data = port.read()
            self._unread += len(data)
            return data
        except OSError as error:
            self._cut(str(error))
            return b""

    def _open(self) -> bool:
        now = self._clock()
        if now < self._retry_at or self._closed:
            return False
        self._retry_at = now + RETRY_S
        try:
            self._port = self._connect()
        except OSError as error:
            self._trouble = str(error)
            return False
        self._opened += 1
        self._unread = 0
        self._link.reconnect()
        self._heard_at = self._clock() + self._start_s
        return True

    def _cut(self, trouble: str | None) -> None:
        port, self._port = self._port, None
        if trouble is not None:
            self._trouble = trouble
        if port is not None:
            self._retry_at = self._clock() + self._retry_s
            self._retry_s = min(2 * self._retry_s, self._rarest_s)
            port.close()
