"""`pair`: the code that makes a phone or tablet the referee's, told in the terminal beside the table."""

import http.client
import json
import sys
from pathlib import Path

import click
from flask import Flask

from companion.commands.output import json_option, print_json, stderr, stdout
from companion.errors import SenryakuError
from companion.web.referees import show_code

PATIENCE_S = 5.0


class NoTable(SenryakuError, OSError):
    """No table serves its pages where it was looked for."""


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8000, help="Port of the scoring board (8000).")
@json_option
def pair(port: int, as_json: bool) -> None:
    """Tell the code that makes a device the referee's: type it on the device, on the table's page Pair.

    Only on the table's own machine, while the table runs.
    """
    code = _code(port)
    if as_json:
        print_json({"code": code})
    else:
        stdout.print(code, markup=False)


def _code(port: int) -> str:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        link.request("GET", "/api/v1/session")
        said = json.loads(link.getresponse().read())
        return str(said["code"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
        raise NoTable(
            f"no table that can be paired with serves its pages on port {port}: start it, or give its --port"
        ) from error
    finally:
        link.close()


def sessions_file(log: Path) -> Path:
    """Where a table's paired devices are kept: `demo.devices.json` beside `demo.db`."""
    return log.with_name(f"{log.stem}.devices.json")


def tell_code(app: Flask, url: str) -> None:
    """Tells a person at the terminal the code; never what only keeps a log of it."""
    if sys.stderr is not None and sys.stderr.isatty():
        stderr.print(f"Referee's console: {url}console; to pair another device: code {show_code(app)}", markup=False)
    else:
        stderr.print(f"Referee's console: {url}console; `senryaku pair` tells the code", markup=False)
