"""Server-Sent Events: one thread follows the table and encodes each message once, however many browsers watch.

Messages of a stream, in order:

    log     id = the event's sequence number; data: the event. Every event after the browser's last one, gapless.
    state   id = the log's last sequence number; data: the whole state. First message of a new stream, then one after
            each change of the log.
    live    no id; data: the live values, at most five a second.
    alive   no id; data: {"quiet_s": seconds since the table last changed anything}, when nothing else was to be said.
"""

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from companion.web.view import TableView

LIVE_INTERVAL_S = 0.2
"""Mean time between two live messages at the least: five a second move a pointer smoothly enough for the eye."""
ALIVE_INTERVAL_S = 2.0
"""Longest silence of a stream; a browser that hears nothing for 5 s says that the connection is lost."""
WAIT_S = 0.25
"""Longest wait in the table, and so the longest that closing takes."""
LAG_S = 0.01
"""How soon to look again when an event is in the log but not yet in the state."""
RETRY_MS = 1000
"""After how long a browser reconnects."""
KEPT_EVENTS = 500
"""Log events kept encoded for streams that are behind; also the most that is sent again on a reconnect."""

log = logging.getLogger(__name__)


def message(kind: str, data: Any, seq: int | None = None) -> bytes:
    """One Server-Sent Event. JSON has no raw line breaks, so one `data` line is enough."""
    number = "" if seq is None else f"id: {seq}\n"
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"event: {kind}\n{number}data: {text}\n\n".encode()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a stream is to show now. `live_number` counts the live messages; `events` are the newest, encoded."""

    seq: int
    state: bytes
    live_number: int
    live: bytes
    events: tuple[tuple[int, bytes], ...] = ()

    def news(self, seq: int, live_number: int) -> bytes:
        """What a stream that knows `seq` and `live_number` has not yet been sent."""
        parts: list[bytes] = []
        if self.seq != seq:
            parts.extend(text for number, text in self.events if seq < number <= self.seq)
            parts.append(self.state)
        if self.live_number != live_number:
            parts.append(self.live)
        return b"".join(parts)


class Feed:
    """Follows one table for any number of streams. The thread starts with the first stream."""

    def __init__(self, table: TableView) -> None:
        self._table = table
        self._changed = threading.Condition()
        self._snapshot: Snapshot | None = None
        self._events: deque[tuple[int, bytes]] = deque(maxlen=KEPT_EVENTS)
        self._changed_at = time.monotonic()
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Ends all streams and the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=4 * WAIT_S)

    def stream(self, after: int | None) -> Iterator[bytes]:
        """The bytes of one stream for a browser whose last event was `after`, None for a new one."""
        shown = self._start()
        yield f"retry: {RETRY_MS}\n\n".encode() + self._missed(after, shown) + shown.state + shown.live
        while True:
            now = self._next(shown)
            if now is None:
                return
            quiet_s = round(time.monotonic() - self._changed_at, 1)
            yield now.news(shown.seq, shown.live_number) or message("alive", {"quiet_s": quiet_s})
            shown = now

    def _next(self, shown: Snapshot) -> Snapshot | None:
        """Waits for another snapshot than `shown`; the same one after `ALIVE_INTERVAL_S`, None when closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._snapshot is not shown, timeout=ALIVE_INTERVAL_S)
            return None if self._closed else self._snapshot

    def _start(self) -> Snapshot:
        with self._changed:
            if self._snapshot is None:
                self._snapshot = self._first()
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._follow, name="web feed", daemon=True)
                self._thread.start()
            return self._snapshot

    def _missed(self, after: int | None, shown: Snapshot) -> bytes:
        """The log events between a browser's last one and the snapshot. The newest only, if there are very many."""
        if after is None or after >= shown.seq:
            return b""
        events = [event for event in self._table.events_after(after) if event["seq"] <= shown.seq]
        return b"".join(message("log", event, event["seq"]) for event in events[-KEPT_EVENTS:])

    def _first(self) -> Snapshot:
        state = self._table.state()
        seq = int(state["seq"])
        return Snapshot(seq, message("state", state, seq), 1, message("live", self._table.live()))

    def _after_log(self, shown: Snapshot) -> Snapshot:
        """The snapshot after a change of the log, with the events since `shown`; live values keep their own pace."""
        state = self._table.state()
        seq = int(state["seq"])
        if seq < shown.seq:  # another log: what was kept of the old one means nothing now
            self._events.clear()
        else:
            new = [event for event in self._table.events_after(shown.seq) if event["seq"] <= seq]
            self._events.extend((event["seq"], message("log", event, event["seq"])) for event in new)
        return replace(shown, seq=seq, state=message("state", state, seq), events=tuple(self._events))

    def _after_live(self, shown: Snapshot) -> Snapshot:
        return replace(shown, live_number=shown.live_number + 1, live=message("live", self._table.live()))

    def _follow(self) -> None:
        live_version: int | None = None
        next_live = time.monotonic()
        while not self._closed and self._snapshot is not None:
            shown = self._snapshot
            try:
                rest = next_live - time.monotonic()
                if rest > 0:  # the live values may not be sent yet: only the log is worth waking for
                    seq, version = self._table.wait_for_change(shown.seq, None, min(rest, WAIT_S))
                else:
                    seq, version = self._table.wait_for_change(shown.seq, live_version, WAIT_S)
                if seq != shown.seq:
                    news = self._after_log(shown)
                    if news.seq == shown.seq:  # the log is ahead of its state for a moment
                        time.sleep(LAG_S)
                    else:
                        self._publish(news)
                elif rest <= 0 and version != live_version:
                    live_version = version
                    # Five a second on average: who changes five times a second is never kept waiting for the next turn.
                    next_live = max(next_live, time.monotonic() - LIVE_INTERVAL_S) + LIVE_INTERVAL_S
                    self._publish(self._after_live(shown))
            except Exception:
                log.exception("the table could not be read for the web pages")
                time.sleep(WAIT_S)

    def _publish(self, snapshot: Snapshot) -> None:
        with self._changed:
            self._snapshot = snapshot
            self._changed_at = time.monotonic()
            self._changed.notify_all()


class Seats:
    """Counts the open streams against a limit."""

    def __init__(self, limit: int) -> None:
        self._free = threading.BoundedSemaphore(limit) if limit > 0 else None

    def take(self) -> "Seat | None":
        """A seat, or None when all are taken."""
        if self._free is None or not self._free.acquire(blocking=False):
            return None
        return Seat(self._free)


class Seat:
    """One open stream. Giving it back twice is harmless."""

    def __init__(self, free: threading.BoundedSemaphore) -> None:
        self._free: threading.BoundedSemaphore | None = free

    def give_back(self) -> None:
        free, self._free = self._free, None
        if free is not None:
            free.release()
