"""Who may call the server and what every answer carries: hosts, same origin, security headers, errors as JSON."""

import ipaddress
import logging
import re
from urllib.parse import urlsplit

from flask import Flask, Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException, NotFound

from companion.errors import BadInput, SenryakuError
from companion.web.context import settings as current_settings
from companion.web.view import WebSettings

HOST = re.compile(r"(?:\[(?P<address>[0-9a-fA-F:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

log = logging.getLogger(__name__)


class Refused(SenryakuError, PermissionError):
    """The request comes from where it may not come from, or asks for what this table does not do."""


def host_name(host: str) -> str:
    """The name in a Host header, lower case, without port and brackets; empty where the header is malformed."""
    found = HOST.fullmatch(host)
    return "" if found is None else (found["address"] or found["name"]).lower().rstrip(".")


def is_trusted(host: str, settings: WebSettings) -> bool:
    """Whether the server may be called by this Host header."""
    name = host_name(host)
    if name in LOOPBACK_NAMES or name in {trusted.lower() for trusted in settings.trusted_hosts}:
        return True
    if not settings.trust_addresses:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def check_same_origin() -> None:
    """Refuses a request that another site's page could have sent. Raises `Refused`."""
    if request.headers.get("X-Senryaku") != "1":
        raise Refused("the header 'X-Senryaku: 1' is missing: only the table's own page sends commands")
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None and site != "same-origin":
        raise Refused("the command comes from another site: use the table's own page")
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.host.lower():
        raise Refused("the command comes from another origin: use the table's own page")


def protect(app: Flask, settings: WebSettings) -> None:
    """Adds the host check, the headers and the error answers to an app."""

    @app.before_request
    def check_host() -> tuple[Response, int] | None:
        host = request.environ.get("HTTP_HOST", "")
        if is_trusted(host, settings):
            return None
        shown = "".join(c for c in host[:80] if c.isprintable())
        why = f"'{shown}' is not a name of this table: add it to the trusted hosts of [web] in table.toml"
        return refusal(why, 400)

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(HEADERS)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    @app.errorhandler(SenryakuError)
    def refuse(error: SenryakuError) -> tuple[Response, int]:
        if isinstance(error, Refused):
            return refusal(str(error), 403)
        if isinstance(error, LookupError):
            return refusal(str(error), 404)
        return refusal(str(error), 400 if isinstance(error, BadInput) else 409)

    @app.errorhandler(HTTPException)
    def explain(error: HTTPException) -> Response:
        text = NOTHING_HERE if error.description == NotFound.description else error.description
        response, status = refusal(text or error.name, error.code or 500)
        response.status_code = status
        for name, value in error.get_headers():
            if name.lower() in {"allow", "retry-after"}:
                response.headers[name] = value
        return response

    @app.errorhandler(Exception)
    def apologise(error: Exception) -> tuple[Response, int]:
        log.error("%s %s failed", request.method, request.path, exc_info=error)
        return refusal("something went wrong inside the table's program: its log says what", 500)


NOTHING_HERE = "this table has no page of that address"
HEADINGS = {400: "That cannot be", 401: "Pair this device first", 403: "Not from here", 404: "There is nothing here"}
"""Above the reason, on the page that a person sees."""


def refusal(text: str, status: int) -> tuple[Response, int]:
    """Why not: one line of JSON for programs, a page for a person's browser."""
    line = " ".join(text.split())
    if not _wants_page():
        return jsonify(error=line), status
    heading = HEADINGS.get(status, "That did not work")
    page = render_template("trouble.html", settings=current_settings(), heading=heading, reason=line, status=status)
    return make_response(page), status


def _wants_page() -> bool:
    """Whether a person's browser goes to a page, which it says by asking for HTML above all else."""
    accepted = request.accept_mimetypes
    return not request.path.startswith("/api/") and accepted["text/html"] > accepted["application/json"]
