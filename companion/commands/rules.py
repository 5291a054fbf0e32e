"""`moves`, `check` and `perft`: the rules on the command line."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table as TextTable

from companion.balance import NEW_HAND, Balance, Hand, rearranged, risk_of, steps
from companion.commands.output import json_option, print_json, stderr, stdout
from companion.referee.words import REASONS, TERMINATIONS
from companion.rules import Move, Position, legal_moves, normalised, outcome, why_illegal
from companion.rules import perft as count
from companion.table.balance_file import Kept, read_kept
from companion.table.risk_words import step_json
from companion.table.settings import TableSettings, read_settings

position_option = click.option(
    "--position",
    "position_text",
    metavar="TEXT",
    help="Position text, such as 'bbbBbbb/7/7/7/7/wwwWwww w - -' (the start).",
)


def _position(text: str | None) -> Position:
    return Position.start() if text is None else Position.parse(text)


def balance_of(settings: TableSettings, kept: Kept, position: Position) -> Balance:
    """What play has taught of a table, else what its settings say; the rest is the prior for any board of the kind."""
    known = kept.learned
    if known is not None and (known.axis, known.pitch_mm) == (settings.axis, settings.along_mm):
        return rearranged(known, position.letters()).balance()
    axis = "ranks" if settings.axis == "ranks" else "files"
    return Balance(axis=axis, pitch_mm=settings.along_mm, half_spacing_mm=settings.cells.half_spacing_mm)


@click.command()
@position_option
@click.option(
    "--table", "table_file", type=click.Path(path_type=Path), help="A table.toml: adds margins and crash risk."
)
@click.option(
    "--learned",
    "learned_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="What play has taught of that table: the file ending in .balance.json beside its log.",
)
@click.option("--player", help="Whose hand it is, by the name in that file; a new player's without it.")
@json_option
def moves(
    position_text: str | None, table_file: Path | None, learned_file: Path | None, player: str | None, as_json: bool
) -> None:
    """List the legal moves; with --table also the margin after each step and the risk of a crash."""
    if learned_file is not None and table_file is None:
        raise click.UsageError("--learned needs --table, the settings of the table it belongs to")
    position = _position(position_text)
    kept = Kept() if learned_file is None else read_kept(learned_file)
    balance = None if table_file is None else balance_of(read_settings(table_file), kept, position)
    hand = _hand(kept, player)
    listed = [_described(position, move, balance, hand) for move in legal_moves(position)]
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


def _hand(kept: Kept, player: str | None) -> Hand:
    if player is None:
        return NEW_HAND
    if player not in kept.hands:
        known = ", ".join(sorted(kept.hands)) or "nobody yet"
        raise click.UsageError(f"--player {player}: the hand of this player is not known; known is {known}")
    return kept.hands[player]


def _described(position: Position, move: Move, balance: Balance | None, hand: Hand) -> dict[str, Any]:
    coloured = bool(position.coloured(position.side) >> move.from_well & 1)
    entry: dict[str, Any] = {
        "move": str(move),
        "sphere": "coloured" if coloured else "plain",
        "capture": move.capture,
    }
    if balance is not None:
        taken = steps(balance, position, move, hand)
        entry["steps"] = [step_json(step) for step in taken]
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
