"""`export`: a game of a log as text, JSON or CSV."""

import re
from pathlib import Path

import click

from companion.commands.output import json_option, print_json, stdout
from companion.errors import BadInput
from companion.log import EventLog
from companion.log.export import TEXT_FORMATS, game_json, result_words, summary_json
from companion.log.history import GameRecord, games

NAMED = re.compile(r"(?P<log>.+):(?P<number>[0-9]{1,6})")


@click.command()
@click.argument("game", metavar="GAME")
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", help="text, json or csv.")
@click.option("--list", "only_list", is_flag=True, help="Only list the games of the log.")
@json_option
def export(game: str, form: str, only_list: bool, as_json: bool) -> None:
    """Export a game of a log. What was taken back is not in it.

    GAME is a log and the number of a game in it, such as demo.db:3; without a number the last game.
    """
    log_file, number = _named(game)
    with EventLog.read(log_file) as log:
        records = games(log.events())
    if only_list:
        _list(records, as_json or form == "json")
        return
    record = _chosen(log_file, records, number)
    if as_json or form == "json":
        print_json(game_json(record))
    else:
        click.echo(TEXT_FORMATS[form](record), nl=False)


def _named(game: str) -> tuple[Path, int | None]:
    """A file whose own name ends like a number of a game is meant as it stands."""
    found = NAMED.fullmatch(game)
    if found is None or Path(game).exists():
        return Path(game), None
    return Path(found["log"]), int(found["number"])


def _chosen(log_file: Path, records: list[GameRecord], number: int | None) -> GameRecord:
    if not records:
        raise BadInput(f"{log_file}: no game has begun in this log yet")
    if number is None:
        return records[-1]
    if not 1 <= number <= len(records):
        raise BadInput(f"{log_file}: there is no game {number}; its games are 1 to {len(records)}")
    return records[number - 1]


def _list(records: list[GameRecord], as_json: bool) -> None:
    if as_json:
        print_json([{"game": n, **summary_json(record)} for n, record in enumerate(records, start=1)])
        return
    for n, record in enumerate(records, start=1):
        moves = f"{len(record.moves)} move{'' if len(record.moves) == 1 else 's'}"
        stdout.print(f"{n:4}  {record.white} - {record.black}, {moves}, {result_words(record.over)}", markup=False)
