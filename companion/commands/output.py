"""How commands print: results to stdout, JSON compact, everything else to stderr."""

import json
import math
from typing import Any

import click
from rich.console import Console

stderr = Console(stderr=True, highlight=False, soft_wrap=True)
stdout = Console(highlight=False, soft_wrap=True)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


class FiniteFloat(click.FloatRange):
    """A number from `min` to `max`, each None for no bound, but neither `nan` nor `inf`, which Python reads too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def print_json(value: Any) -> None:
    """One JSON value on one line."""
    click.echo(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
