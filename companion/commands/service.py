"""Tells systemd that the table is up and that it lives (the protocol of sd_notify(3)); without systemd nothing."""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping

BEATS_PER_DEADLINE = 4.0


class Service:
    """The service that this process is, if any; `environment` says so. `beat` may be called as often as one likes."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        deadline_us = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self._every_s = int(deadline_us) / 1e6 / BEATS_PER_DEADLINE if deadline_us.isdigit() and ours else None
        self._clock = clock
        self._beaten = float("-inf")

    def ready(self, status: str) -> None:
        """It is up; `status` is shown by `systemctl status`."""
        self._say(f"READY=1\nSTATUS={status}")

    def beat(self) -> None:
        """It lives. To be called from the loop whose hanging should end it."""
        if self._every_s is None or self._clock() - self._beaten < self._every_s:
            return
        self._beaten = self._clock()
        self._say("WATCHDOG=1")

    def live(self) -> None:
        """It is up, and lives for as long as its process does: for what has no loop of its own to call `beat` from."""
        self.ready("up")
        if self._every_s is not None:
            threading.Thread(target=self._beat_on, args=(self._every_s,), name="watchdog", daemon=True).start()

    def _beat_on(self, every_s: float) -> None:
        while True:
            self.beat()
            time.sleep(every_s)

    def stopping(self) -> None:
        """It is about to end as it should."""
        self._say("STOPPING=1")

    def _say(self, text: str) -> None:
        if not self._address:
            return
        # A name that begins with @ is one without a file
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(text.encode(), address)
