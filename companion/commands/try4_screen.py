"""Try 4 on the screen beside what a command serves: its games are kept beside the table's log."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from flask import Flask

from companion.commands.output import stderr
from companion.errors import SenryakuError
from companion.log.try4_store import Try4Store
from companion.table.try4_games import Try4Games
from companion.web.try4 import add_try4


def games_file(log_file: Path) -> Path:
    """Where the games of a table's players are kept: `demo.try4.db` beside `demo.db`."""
    return log_file.with_name(f"{log_file.stem}.try4.db")


@contextlib.contextmanager
def games_beside(log_file: Path) -> Iterator[Try4Games | None]:
    """The games on the screen; None, and a line that says why, where their file cannot be used: the table goes on."""
    try:
        store = Try4Store.open(games_file(log_file))
    except SenryakuError as error:
        stderr.print(f"Try 4 on the screen is left out: {error}", markup=False)
        yield None
        return
    with store:
        yield Try4Games(store, time.time)


def with_games(app: Flask, games: Try4Games | None) -> Flask:
    """The app, with the games where there are any."""
    if games is not None:
        add_try4(app, games)
    return app
