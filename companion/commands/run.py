"""`run`: a real table, refereed by its load cells and camera, with the scoring board."""

import re
import signal
import webbrowser
from collections.abc import Callable
from pathlib import Path

import click

from companion.commands.output import stderr
from companion.commands.pair import sessions_file, tell_code
from companion.commands.run_session import RunSession, players_of
from companion.commands.service import Service
from companion.commands.serving import has_screen
from companion.commands.try4_run import run_mat
from companion.commands.try4_screen import games_beside, games_file, with_games
from companion.table.data_folder import data_folder
from companion.table.settings import TableSettings, read_settings
from companion.web.app import create_app
from companion.web.guard import LOOPBACK_NAMES
from companion.web.server import serve
from companion.web.view import WebSettings

KEEP_SIGNAL = signal.SIGUSR1
"""Tells a running table to keep its last minute as a recording."""
DEFAULT_PLAYERS = "White,Black"


@click.command()
@click.argument("table_file", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the scoring board, in place of the table's.")
@click.option("--log", "log_file", type=click.Path(path_type=Path), help="The event log to write and to go on from.")
@click.option("--players", help="Names of a new match's players, White's first: Ada,Ben. Of Try 4's: one to four.")
@click.option("--try4", is_flag=True, help="Play Try 4 on its mat; else only where the table has no board.")
@click.option("--fresh", is_flag=True, help="Begin a new match even if the log holds an unfinished one.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def run(
    table_file: Path,
    port: int | None,
    log_file: Path | None,
    players: str | None,
    try4: bool,
    fresh: bool,
    no_browser: bool,
) -> None:
    """Referee a real table, with the scoring board.

    Stopped and started again, the same game goes on. A table whose camera is a video file or a folder of pictures is
    refereed in real time until they are over. A table with a Try 4 mat alone plays Try 4.
    """
    settings, service = read_settings(table_file), Service()
    file = log_file or log_of(settings)
    if try4 or not settings.board:
        service.live()
        run_mat(settings, games_file(file), players, fresh, port, no_browser)
        return
    names = players_of(players or DEFAULT_PLAYERS)
    with RunSession.open(table_file, file, names, fresh) as session, games_beside(file) as games:
        _on_terminate(session.stop)
        signal.signal(KEEP_SIGNAL, lambda *_: session.keep_last_minute())
        app = with_games(create_app(session.table, web_settings(session.settings, file)), games)
        server = serve(app, session.settings.web.host, port or session.settings.web.port)
        try:
            stderr.print(f"Scoring board: {server.url}", markup=False)
            tell_code(app, server.url)
            beginning = "the unfinished match goes on (--fresh begins a new one)" if session.resumed else "a new match"
            stderr.print(f"Log: {file}; {beginning}", markup=False)
            if not no_browser and has_screen():
                webbrowser.open(server.url)
            service.ready(f"Scoring board: {server.url}")
            session.play(lambda line: stderr.print(line, markup=False), service.beat)
        finally:
            service.stopping()
            server.close()
    stderr.print("The table has stopped; started again, the match goes on.")


def web_settings(settings: TableSettings, log: Path) -> WebSettings:
    """How a table's pages are served."""
    return WebSettings(
        title=settings.name,
        trusted_hosts=settings.web.trusted_hosts,
        trust_addresses=settings.web.host not in LOOPBACK_NAMES,
        console=True,
        axis=settings.axis,
        sessions_file=sessions_file(log),
        open_to_spectators=settings.web.open_to_spectators,
    )


def log_of(settings: TableSettings) -> Path:
    """Where a table's log is kept when nobody says otherwise."""
    name = re.sub(r"\W+", "-", settings.name).strip("-").lower()
    return data_folder() / f"{name or 'table'}.db"


def _on_terminate(stop: Callable[[], None]) -> None:
    """A service is stopped with SIGTERM: it then ends as it should, and starts where it left off."""
    signal.signal(signal.SIGTERM, lambda *_: stop())
