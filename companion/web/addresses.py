"""Where phones reach this table: the address that a QR code carries."""

import ipaddress
import socket

from flask import request

from companion.web.context import settings
from companion.web.guard import LOOPBACK_NAMES, host_name

SOMEWHERE = ("192.0.2.1", 9)
"""An address of nobody (RFC 5737). Nothing is sent there: the system only says by which way it would go."""


def reached_at(path: str) -> str | None:
    """The address of a page as a phone types it, None where only this machine reaches the table."""
    host, _, port = request.host.rpartition(":") if ":" in request.host.rpartition("]")[2] else (request.host, "", "")
    name = host_name(host)
    if name in LOOPBACK_NAMES:
        named = settings().trusted_hosts
        name = named[0] if named else (own_address() or "") if settings().trust_addresses else ""
    if not name:
        return None
    shown = f"[{name}]" if ":" in name else name
    return f"{request.scheme}://{shown}{f':{port}' if port else ''}{path}"


def own_address() -> str | None:
    """This machine's address in its network, None where it has none."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(SOMEWHERE)
            found = str(probe.getsockname()[0])
    except OSError:
        return None
    return None if ipaddress.ip_address(found).is_loopback else found
