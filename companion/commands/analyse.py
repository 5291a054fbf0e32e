"""`analyse`: a game gone through again, move by move."""

from pathlib import Path

import click
from rich.table import Table as TextTable

from companion.commands.output import json_option, print_json, stderr, stdout
from companion.errors import SenryakuError
from companion.table.analysis import analysed
from companion.table.analysis_words import HEADS, headline, known_words, lost_words, page, rows
from companion.table.game_record import recorded_game


class NotWritten(SenryakuError, OSError):
    """The page could not be written."""


@click.command()
@click.argument("game", metavar="GAME", type=click.Path(path_type=Path))
@click.option("--number", type=click.IntRange(min=1), help="Which game of a log, counted from 1; the last without it.")
@click.option("--page", "page_file", type=click.Path(path_type=Path), help="Write it as an HTML page to this file.")
@json_option
def analyse(game: Path, number: int | None, page_file: Path | None, as_json: bool) -> None:
    """Go through a game move by move: margins, risks, missed captures, near misses, and the move that lost it.

    GAME is the log of a table, such as demo.db, or a recording's folder.
    """
    with stderr.status("going through the game"):
        analysis = analysed(recorded_game(game, number))
    if page_file is not None:
        try:
            page_file.write_text(page(analysis), encoding="utf-8")
        except OSError as error:
            raise NotWritten(f"{page_file}: cannot be written: {error.strerror or error}") from error
    if as_json:
        print_json(analysis.to_json())
        return
    stdout.print(headline(analysis), markup=False)
    if analysis.plies:
        table = TextTable(*HEADS, box=None)
        for row in rows(analysis):
            table.add_row(*row)
        stdout.print(table)
    for line in (lost_words(analysis), known_words(analysis)):
        if line:
            stdout.print(line, markup=False)
    if page_file is not None:
        stderr.print(f"Page: {page_file}", markup=False)
