"""How commands print: results to stdout, JSON compact, everything else to stderr."""

import json
from typing import Any

import click
from rich.console import Console

stderr = Console(stderr=True, highlight=False, soft_wrap=True)
stdout = Console(highlight=False, soft_wrap=True)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def print_json(value: Any) -> None:
    """One JSON value on one line."""
    click.echo(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
