"""Where a simulated table is served, and whether there is a screen to open its page on."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

from companion.commands.output import stderr
from companion.web.server import CannotServe, listen

HOST = "127.0.0.1"
DEFAULT_PORT = 8000
PORTS_TRIED = 20
"""Without a port the first free one of so many from 8000 on is taken."""


def has_screen() -> bool:
    """Without one, opening a page would start a text browser in this terminal."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def listening(port: int | None) -> Iterator[socket.socket]:
    """A port on this machine for a `Server`, had before anything else is begun: nothing is left behind without one.

    Raises `CannotServe`.
    """
    with closing(_listening(port)) as listener:
        yield listener


def _listening(port: int | None) -> socket.socket:
    if port is not None:
        return listen(HOST, port)
    for number in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        try:
            return listen(HOST, number)
        except CannotServe:
            stderr.print(f"Port {number} is in use, trying the next one")
    raise CannotServe(f"no free port from {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TRIED - 1}; name one with --port")
