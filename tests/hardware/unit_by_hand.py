"""Does by hand what systemd does with senryaku.service, where systemd cannot run: `unit_by_hand.py UNIT TABLE.toml`.

As root, on a machine on which `make pi` was said: starts ExecStart as the unit's user, in its directory, with its
environment and limits alone and a notify socket; waits for READY and for the port; restarts it with SIGTERM, then kills
it; each time it must come back, go on with its log, and say that it lives. Exit 0 if all of it holds.
"""

import contextlib
import os
import pwd
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path

PATIENCE_S = 90.0
WATCHED_S = 20.0


def directives(unit: Path) -> dict[str, list[str]]:
    """The lines of [Service], each key with its values."""
    found: dict[str, list[str]] = {}
    section = ""
    for line in unit.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line
        elif section == "[Service]" and "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


class Unit:
    """The service as the unit says; `start`, then `stop` or `kill`."""

    def __init__(self, unit: Path) -> None:
        self._says = directives(unit)
        self._user = pwd.getpwnam(self._says["User"][0])
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._address = f"/run/{unit.stem}.notify"
        Path(self._address).unlink(missing_ok=True)
        self._socket.bind(self._address)
        Path(self._address).chmod(0o777)
        self._socket.settimeout(1.0)
        runtime = Path("/run") / self._says["RuntimeDirectory"][0]
        runtime.mkdir(exist_ok=True)
        os.chown(runtime, self._user.pw_uid, self._user.pw_gid)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        watchdog_us = int(self._says["WatchdogSec"][0]) * 1_000_000
        given = dict(pair.split("=", 1) for line in self._says["Environment"] for pair in line.split())
        return {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
            "USER": self._user.pw_name,
            "NOTIFY_SOCKET": self._address,
            "WATCHDOG_USEC": str(watchdog_us),
            **given,
        }

    def start(self) -> None:
        realtime = int(self._says["LimitRTPRIO"][0])
        try:
            resource.setrlimit(resource.RLIMIT_RTPRIO, (realtime, realtime))  # the process inherits it
        except ValueError:
            print(f"a real-time priority of {realtime} may not be given here; going on without")
        self.process = subprocess.Popen(
            self._says["ExecStart"][0].split(),
            cwd=self._says["WorkingDirectory"][0],
            env=self.environment,
            user=self._user.pw_uid,
            group=self._user.pw_gid,
            extra_groups=os.getgrouplist(self._user.pw_name, self._user.pw_gid),
            umask=int(self._says["UMask"][0], 8),
        )
        self.wait_for("READY=1", PATIENCE_S)

    def wait_for(self, word: str, seconds: float) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process is not None
            if self.process.poll() is not None:
                raise SystemExit(f"it ended with {self.process.returncode} before it said {word}")
            try:
                said = self._socket.recv(4096).decode()
            except TimeoutError:
                continue
            if word in said.split("\n"):
                return said
        raise SystemExit(f"it did not say {word} within {seconds:g} s")

    def end(self, how: int) -> int:
        assert self.process is not None
        self.process.send_signal(how)
        return self.process.wait(timeout=float(self._says["TimeoutStopSec"][0]))


def answers(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as page:
        body = page.read().decode()
    assert "<html" in body.lower(), body[:200]
    return f"{len(body)} bytes"


def events() -> int:
    (log,) = (file for file in Path("/var/lib/senryaku").glob("*.db") if not file.name.endswith(".try4.db"))
    with contextlib.closing(sqlite3.connect(f"file:{log}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM event").fetchone()[0])


def main() -> int:
    unit = Unit(Path(sys.argv[1]))
    port = tomllib.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))["web"]["port"]
    before = 0
    for how, name in ((signal.SIGTERM, "systemctl restart"), (signal.SIGKILL, "kill -9"), (signal.SIGTERM, "stop")):
        unit.start()
        page = answers(port)
        unit.wait_for("WATCHDOG=1", WATCHED_S)
        count = events()
        assert count >= max(1, before), (count, before)
        before = count
        code = unit.end(how)
        assert code == (0 if how == signal.SIGTERM else -how), code
        print(f"started, port {port} answers ({page}), lives, {count} events; then {name}: ended with {code}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
