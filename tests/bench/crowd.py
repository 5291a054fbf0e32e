"""200 spectators while a game is played at five updates a second: `python -P -m tests.bench.crowd`.

Prints one JSON line, exit 1 where a goal is missed: 99 of 100 messages within 100 ms of being said, below 120 MB, no
stream dropped, no event missed, also while one spectator does not read at all; and whoever comes when all places are
taken polls and sees the same game. `--demo` measures the whole demo, simulator and referee with it.
"""

import argparse
import http.client
import json
import os
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

SPECTATORS = 200
P99_MS, MEMORY_MB = 100.0, 120.0
UPDATES_PER_S, RULING_EVERY_S = 5, 2.0
REQUEST = b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"


def serve(places: int) -> None:
    """The web server over a table that goes on by itself; prints its port, runs until its input ends."""
    from companion.web import WebSettings, create_app
    from companion.web import serve as start
    from tests.web.fake_table_view import FakeTable

    table = FakeTable()
    server = start(create_app(table, WebSettings(max_streams=places)), port=0)
    print(server.port, flush=True)
    done = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), done.set()), daemon=True).start()
    next_ruling = time.monotonic()
    while not done.wait(1 / UPDATES_PER_S):
        table.set_live(time=time.time(), margin_mm=3 + time.time() % 1)
        if time.monotonic() >= next_ruling:
            table.rule("held", player="white")
            next_ruling += RULING_EVERY_S
    server.close()


class Stream:
    """One spectator: what it heard, how late, and whether anything was missing."""

    def __init__(self, port: int, read: bool = True) -> None:
        self.link = socket.socket()
        if not read:
            self.link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.link.connect(("127.0.0.1", port))
        self.link.sendall(REQUEST)
        self.rest = b""
        self.late_ms: list[float] = []
        self.events: list[int] = []
        self.ended = False

    def hear(self) -> None:
        heard, now = self.link.recv(1 << 20), time.time()
        if not heard:
            self.ended = True
        *whole, self.rest = (self.rest + heard).split(b"\n\n")
        for message in whole:  # a chunk's own length may stand before it
            if b"event: live\n" in message:
                said = json.loads(message.partition(b"data: ")[2].partition(b"\n")[0]).get("time")
                if said is not None:
                    self.late_ms.append(1000 * (now - said))
            elif b"event: log\n" in message:
                self.events.append(int(message.partition(b"id: ")[2].partition(b"\n")[0]))


def poll(port: int, seqs: list[int], done: threading.Event) -> None:
    """What a browser does that was told that all streams are taken."""
    while not done.wait(2.0):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        link.request("GET", "/api/v1/state")
        seqs.append(int(json.load(link.getresponse())["seq"]))
        link.close()


def memory_mb(pid: int, what: str) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(what))


def crowd(port: int, pid: int, seconds: float) -> dict[str, Any]:
    before_mb = memory_mb(pid, "VmRSS")
    streams = [Stream(port) for _ in range(SPECTATORS)]
    deaf = Stream(port, read=False)
    time.sleep(1.0)
    above = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    above.request("GET", "/api/v1/events")
    refused = above.getresponse().status
    polled: list[int] = []
    done = threading.Event()
    poller = threading.Thread(target=poll, args=(port, polled, done))
    poller.start()
    ready = selectors.DefaultSelector()
    for stream in streams:
        ready.register(stream.link, selectors.EVENT_READ, stream)
    settled, until = time.monotonic() + 2.0, time.monotonic() + 2.0 + seconds
    fresh = True
    while time.monotonic() < until:
        for key, _ in ready.select(timeout=0.5):
            key.data.hear()
            if key.data.ended:
                ready.unregister(key.fileobj)
        if fresh and time.monotonic() >= settled:
            fresh = False
            for stream in streams:
                stream.late_ms.clear()
    done.set()
    poller.join()
    late = sorted(ms for stream in streams for ms in stream.late_ms)
    gaps = sum(any(b - a != 1 for a, b in zip(s.events, s.events[1:], strict=False)) for s in streams)
    deaf.link.close()
    return {
        "spectators": SPECTATORS,
        "messages": len(late),
        "p50_ms": round(late[len(late) // 2], 1),
        "p99_ms": round(late[int(len(late) * 0.99)], 1),
        "worst_ms": round(late[-1], 1),
        "dropped": sum(stream.ended for stream in streams),
        "with_gaps": gaps,
        "memory_before_mb": round(before_mb, 1),
        "memory_peak_mb": round(memory_mb(pid, "VmHWM"), 1),
        "above_the_cap": refused,
        "polled": len(polled),
        "polled_goes_on": len(set(polled)) > 1 or not polled,
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--serve", type=int, metavar="PLACES", help=argparse.SUPPRESS)
    options.add_argument("--demo", action="store_true")
    options.add_argument("--seconds", type=float, default=20.0)
    chosen = options.parse_args()
    if chosen.serve is not None:
        serve(chosen.serve)
        return 0
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    with tempfile.TemporaryDirectory() as folder:
        if chosen.demo:
            port = 8999
            wanted = ["-m", "companion.cli", "demo", "--no-browser", "--port", str(port), "--log", f"{folder}/demo.db"]
        else:
            wanted = ["-m", "tests.bench.crowd", "--serve", str(SPECTATORS + 1)]
        process = subprocess.Popen(
            [sys.executable, "-P", *wanted], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        try:
            assert process.stdout is not None
            if chosen.demo:
                time.sleep(10)
            else:
                port = int(process.stdout.readline())
            found = crowd(port, process.pid, chosen.seconds)
        finally:
            process.kill()
            process.wait()
    good = found["p99_ms"] < P99_MS and not found["dropped"] and not found["with_gaps"] and found["polled_goes_on"]
    grown = found["memory_peak_mb"] - (found["memory_before_mb"] if chosen.demo else 0)
    good = good and grown < MEMORY_MB and (chosen.demo or found["above_the_cap"] == 503)
    print(json.dumps({**found, "good": bool(good)}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
