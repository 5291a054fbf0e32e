"""`moves`, `check` and `perft`: the rules on the command line."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table as TextTable

from companion.balance import Balance, risk_of, steps
from companion.commands.output import json_option, print_json, stderr, stdout
from companion.referee.words import REASONS, TERMINATIONS
from companion.rules import Move, Position, legal_moves, normalised, outcome, why_illegal
from companion.rules import perft as count
from companion.table.settings import TableSettings, read_settings

position_option = click.option(
    "--position",
    "position_text",
    metavar="TEXT",
    help="Position text, such as 'bbbBbbb/7/7/7/7/wwwWwww w - -' (the start).",
)


def _position(text: str | None) -> Position:
    return Position.start() if text is None else Position.parse(text)


def balance_of(settings: TableSettings) -> Balance:
    """What a table's settings say of its balance; the rest is the prior for any board of the kind."""
    axis = "ranks" if settings.axis == "ranks" else "files"
    return Balance(axis=axis, pitch_mm=settings.along_mm, half_spacing_mm=settings.cells.half_spacing_mm)


@click.command()
@position_option
@click.option(
    "--table", "table_file", type=click.Path(path_type=Path), help="A table.toml: adds margins and crash risk."
)
@json_option
def moves(position_text: str | None, table_file: Path | None, as_json: bool) -> None:
    """List the legal moves; with --table also the margin after each step and the risk of a crash."""
    position = _position(position_text)
    balance = None if table_file is None else balance_of(read_settings(table_file))
    listed = [_described(position, move, balance) for move in legal_moves(position)]
    if as_json:
        print_json({"position": position.text(), "side": str(position.side), "moves": listed})
        return
    table = TextTable("move", "sphere", *(("steps (margin mm)", "crash risk") if balance else ()), box=None)
    for entry in listed:
        row = [entry["move"], entry["sphere"] + (", captures" if entry["capture"] else "")]
        if balance:
            row += ["  ".join(f"{s['step']} {s['margin_mm']:.1f}" for s in entry["steps"]), f"{entry['risk']:.1%}"]
        table.add_row(*row)
    stdout.print(table)
    stdout.print(
        f"{len(listed)} legal moves for {position.side}" if len(listed) != 1 else f"1 legal move for {position.side}"
    )


def _described(position: Position, move: Move, balance: Balance | None) -> dict[str, Any]:
    coloured = bool(position.coloured(position.side) >> move.from_well & 1)
    entry: dict[str, Any] = {
        "move": str(move),
        "sphere": "coloured" if coloured else "plain",
        "capture": move.capture,
    }
    if balance is not None:
        taken = steps(balance, position, move)
        entry["steps"] = [
            {
                "step": s.step,
                "margin_mm": round(s.margin_mm, 2),
                "sd_mm": round(s.sd_mm, 2),
                "risk": round(s.risk, 4),
            }
            for s in taken
        ]
        entry["risk"] = round(risk_of(taken), 4)
    return entry


@click.command()
@click.argument("move_text", metavar="MOVE")
@position_option
@json_option
def check(move_text: str, position_text: str | None, as_json: bool) -> int:
    """Say whether MOVE (such as d1-d2, or c4xd5 for a capture) is legal, and if not every reason. Exit 1 if not."""
    position = _position(position_text)
    move = normalised(position, Move.parse(move_text))
    reasons = [reason.value for reason in why_illegal(position, move)]
    if as_json:
        print_json({"move": str(move), "legal": not reasons, "reasons": reasons})
    elif reasons and (over := outcome(position)) is not None and over.winner is not None:
        won = f"{over.winner.capitalize()} has won {TERMINATIONS[over.termination]}"
        stdout.print(f"{move} is illegal: the game is over, {won}")
    elif reasons:
        stdout.print(f"{move} is illegal: " + "; ".join(REASONS[reason] for reason in reasons))
    else:
        stdout.print(f"{move} is legal for {position.side}")
    return 1 if reasons else 0


@click.command()
@click.argument("depth", type=click.IntRange(0, 12))
@position_option
@json_option
def perft(depth: int, position_text: str | None, as_json: bool) -> None:
    """Count the sequences of DEPTH moves from a position."""
    position = _position(position_text)
    with stderr.status(f"counting to depth {depth}"):
        sequences = count(position, depth)
    if as_json:
        print_json({"position": position.text(), "depth": depth, "sequences": sequences})
    else:
        click.echo(sequences)
