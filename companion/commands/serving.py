"""Where a simulated table is served, and whether there is a screen to open its page on."""

import os

from flask import Flask

from companion.commands.output import stderr
from companion.web.server import CannotServe, Server, serve

DEFAULT_PORT = 8000
PORTS_TRIED = 20
"""Without a port the first free one of so many from 8000 on is taken."""


def has_screen() -> bool:
    """Without one, opening a page would start a text browser in this terminal."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def serve_somewhere(app: Flask, port: int | None) -> Server:
    """Serves an app on this machine. Raises `CannotServe`."""
    if port is not None:
        return serve(app, port=port)
    for number in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        try:
            return serve(app, port=number)
        except CannotServe:
            stderr.print(f"Port {number} is in use, trying the next one")
    raise CannotServe(f"no free port from {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TRIED - 1}; name one with --port")
