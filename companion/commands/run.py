"""`run`: a real table, refereed by its load cells and camera, with the scoring board."""

import re
import signal
import webbrowser
from collections.abc import Callable
from pathlib import Path

import click

from companion.commands.demo import has_screen
from companion.commands.output import stderr
from companion.commands.pair import sessions_file, tell_code
from companion.commands.run_session import RunSession, players_of
from companion.table.data_folder import data_folder
from companion.table.settings import TableSettings, read_settings
from companion.web.app import create_app
from companion.web.guard import LOOPBACK_NAMES
from companion.web.server import serve
from companion.web.view import WebSettings


@click.command()
@click.argument("table_file", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the scoring board, in place of the table's.")
@click.option("--log", "log_file", type=click.Path(path_type=Path), help="The event log to write and to go on from.")
@click.option("--players", default="White,Black", help="Names of a new match's players, White's first: Ada,Ben.")
@click.option("--fresh", is_flag=True, help="Begin a new match even if the log holds an unfinished one.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def run(table_file: Path, port: int | None, log_file: Path | None, players: str, fresh: bool, no_browser: bool) -> None:
    """Referee a real table, with the scoring board.

    Stopped and started again, the same game goes on. A table whose camera is a video file or a folder of pictures is
    refereed in real time until they are over.
    """
    names = players_of(players)
    file = log_file or data_folder() / f"{_file_name(read_settings(table_file).name)}.db"
    with RunSession.open(table_file, file, names, fresh) as session:
        _on_terminate(session.stop)
        app = create_app(session.table, web_settings(session.settings, file))
        server = serve(app, session.settings.web.host, port or session.settings.web.port)
        try:
            stderr.print(f"Scoring board: {server.url}", markup=False)
            tell_code(app, server.url)
            beginning = "the unfinished match goes on (--fresh begins a new one)" if session.resumed else "a new match"
            stderr.print(f"Log: {file}; {beginning}", markup=False)
            if not no_browser and has_screen():
                webbrowser.open(server.url)
            session.play()
        finally:
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


def _file_name(name: str) -> str:
    return re.sub(r"\W+", "-", name).strip("-").lower() or "table"


def _on_terminate(stop: Callable[[], None]) -> None:
    """A service is stopped with SIGTERM: it then ends as it should, and starts where it left off."""
    signal.signal(signal.SIGTERM, lambda *_: stop())
