"""waitress in a thread of the table's process."""

import contextlib
import errno
import os
import socket
import threading
from typing import Any

from flask import Flask
from waitress import create_server, wasyncore  # type: ignore[import-untyped]

from companion.errors import SenryakuError
from companion.web.app import feed_of, settings_of

SPARE_THREADS = 8
"""Threads for everything but streams, so that pages load and commands arrive while all streams are taken."""
SPARE_CONNECTIONS = 150
"""Connections beyond the streams: browsers keep idle ones open."""
WATERMARK_BYTES = 512 * 1024
"""A browser that is further behind than this waits, instead of filling the memory."""
VANISHED_MS = 20_000
"""After how long a browser that acknowledges nothing (a phone out of reach) is dropped and its stream freed."""
LOOP_S = 0.5
STOP_S = 5.0


class CannotServe(SenryakuError, OSError):
    """The server cannot listen where it is told to."""


class Server:
    """A running web server. `port` is the real one, also where 0 was asked for."""

    def __init__(self, app: Flask, listener: socket.socket) -> None:
        streams = settings_of(app).max_streams
        self.host: str
        self.port: int
        self.host, self.port = listener.getsockname()[:2]
        self._feed = feed_of(app)
        self._sockets: dict[int, Any] = {}
        self._waitress = create_server(
            app,
            map=self._sockets,
            sockets=[listener],
            threads=streams + SPARE_THREADS,
            connection_limit=streams + SPARE_CONNECTIONS,
            outbuf_high_watermark=WATERMARK_BYTES,
            max_request_header_size=16 * 1024,
            max_request_body_size=64 * 1024,
            asyncore_use_poll=True,
            log_socket_errors=False,
            ident=None,
        )
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            options = [*self._waitress.adj.socket_options, (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_MS)]
            self._waitress.adj.socket_options = options
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="web server", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    def close(self) -> None:
        """Ends the streams, lets running answers finish and frees the port. Harmless a second time."""
        if self._stop.is_set():
            return
        self._feed.close()
        self._waitress.task_dispatcher.shutdown(timeout=STOP_S)
        self._stop.set()
        self._waitress.pull_trigger()
        self._thread.join(timeout=STOP_S)

    def _run(self) -> None:
        while not self._stop.is_set():
            wasyncore.loop(timeout=LOOP_S, use_poll=True, map=self._sockets, count=1)
        wasyncore.close_all(self._sockets)


def serve(app: Flask, host: str = "127.0.0.1", port: int = 8000) -> Server:
    """Serves `app` from a thread until the handle is closed. Raises `CannotServe`."""
    return Server(app, listen(host, port))


def listen(host: str, port: int) -> socket.socket:
    """A socket that has the port, for a `Server`. Raises `CannotServe`."""
    if not 0 <= port <= 65535:
        raise CannotServe(f"port {port} does not exist: choose one from 1024 to 65535")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise CannotServe(f"host '{host}' is not known: use 127.0.0.1, or 0.0.0.0 for the whole network") from None
    family, kind, protocol, _, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()  # two programs may both bind with SO_REUSEADDR; only listening tells
    except OSError as error:
        with contextlib.suppress(OSError):
            listener.close()
        raise CannotServe(_why(error, host, port)) from error
    return listener


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use: stop the other program, or choose another port"
    if error.errno in {errno.EACCES, errno.EPERM}:
        return f"port {port} needs more rights than this program has: choose one from 1024 to 65535"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"host {host} is no address of this machine: use 127.0.0.1, or 0.0.0.0 for the whole network"
    return f"cannot listen on {host} port {port}: {os.strerror(error.errno or 0)}"
