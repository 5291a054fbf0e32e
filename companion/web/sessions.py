"""The referee's paired devices: kept on the server, so that each can be sent away at any time; they survive a restart.

A device holds a random token in a cookie; only its digest is kept here. The file is written anew under another name
and then renamed, so that a power cut leaves the old one or the new one.
"""

import contextlib
import hashlib
import json
import logging
import os
import secrets
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from companion.errors import SenryakuError

IDLE_S = 14 * 86400.0
"""A device that was not used for so long has to be paired anew ..."""
LASTS_S = 90 * 86400.0
"""... and every one after so long."""
MOST = 30
"""Paired devices; one more takes the place of the one that was used longest ago."""
NOTED_EVERY_S = 3600.0
"""How exactly the file knows when a device was used last."""
NAME_LETTERS = 40

log = logging.getLogger(__name__)


class SessionsNotSaved(SenryakuError, OSError):
    """The file of the paired devices cannot be written: nothing was changed."""


@dataclass(frozen=True, slots=True)
class Session:
    """One paired device. `digest` is the SHA-256 of its token, times are seconds since 1970."""

    id: str
    name: str
    digest: str
    made: float
    used: float


class Sessions:
    """The paired devices of one table. `file` None keeps them in memory only. Any thread may call."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._by_id = {} if file is None else _read(file)

    def open(self, name: str, now: float) -> tuple[str, Session]:
        """Pairs a device; gives its token and what is kept of it. Raises `SessionsNotSaved`."""
        token = secrets.token_urlsafe(32)
        session = Session(secrets.token_hex(6), name[:NAME_LETTERS], _digest(token), now, now)
        with self._lock:
            there = {s.id: s for s in self._valid(now)[: MOST - 1]}
            self._keep({**there, session.id: session})
        return token, session

    def find(self, token: str, now: float) -> Session | None:
        """The device that holds this token, None if there is none, or no longer."""
        wanted = _digest(token)
        with self._lock:
            found = next((s for s in self._valid(now) if secrets.compare_digest(s.digest, wanted)), None)
            if found is not None and now - found.used > NOTED_EVERY_S:
                found = replace(found, used=now)
                with contextlib.suppress(SessionsNotSaved):  # it is only a date
                    self._keep({**self._by_id, found.id: found})
            return found

    def revoke(self, session_id: str) -> bool:
        """Sends a device away; False if there is none with this id. Raises `SessionsNotSaved`."""
        with self._lock:
            if session_id not in self._by_id:
                return False
            self._keep({i: s for i, s in self._by_id.items() if i != session_id})
            return True

    def all(self, now: float) -> list[Session]:
        """The paired devices, the one that was used last first."""
        with self._lock:
            return self._valid(now)

    def _valid(self, now: float) -> list[Session]:
        valid = [s for s in self._by_id.values() if now - s.used <= IDLE_S and now - s.made <= LASTS_S]
        return sorted(valid, key=lambda s: s.used, reverse=True)

    def _keep(self, by_id: dict[str, Session]) -> None:
        if self._file is not None:
            try:
                _write(self._file, json.dumps([asdict(s) for s in by_id.values()], indent=1))
            except OSError as error:
                why = error.strerror or error
                raise SessionsNotSaved(f"{self._file}: the paired devices cannot be saved: {why}") from error
        self._by_id = by_id


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _read(file: Path) -> dict[str, Session]:
    try:
        found = [Session(**entry) for entry in json.loads(file.read_text(encoding="utf-8"))]
        return {s.id: replace(s, name=str(s.name), made=float(s.made), used=float(s.used)) for s in found}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError):
        log.warning("%s: cannot be read; every device of the referee must be paired anew", file)
        return {}


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)
