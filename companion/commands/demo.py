"""`demo`: a match on a simulated table, refereed through its samples and pictures only, with the scoring board."""

import contextlib
import time
import webbrowser
from pathlib import Path
from typing import Any

import click

from companion.commands.demo_session import DemoSession
from companion.commands.output import FiniteFloat, json_option, print_json, stderr, stdout
from companion.commands.pair import sessions_file, tell_code
from companion.commands.serving import DEFAULT_PORT, has_screen, listening
from companion.commands.try4_demo import demo_mat
from companion.commands.try4_screen import games_beside, with_games
from companion.log import LogInUse
from companion.simulator.scorecard import GameCard
from companion.table.data_folder import data_folder
from companion.table.pacing import paced
from companion.web.app import create_app
from companion.web.server import Server
from companion.web.view import WebSettings

LOGS_TRIED = 20


@click.command()
@click.option("--games", type=click.IntRange(min=1), help="Stop with a summary after so many games; else it goes on.")
@click.option("--speed", type=FiniteFloat(min=0.1, max=1000), default=1.0, help="Times real time.")
@click.option("--seed", type=click.IntRange(min=0), help="The same seed gives the same games.")
@click.option("--mistakes", is_flag=True, help="The players also break rules, lean on the board and crash it.")
@click.option("--port", type=click.IntRange(1, 65535), help=f"Port of the scoring board ({DEFAULT_PORT}).")
@click.option("--log", "log_file", type=click.Path(path_type=Path), help="The event log to write and to go on from.")
@click.option("--fresh", is_flag=True, help="Begin a new match even if the log holds an unfinished one.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@click.option("--try4", is_flag=True, help="Try 4 on a simulated mat, read by its camera only.")
@json_option
def demo(
    games: int | None,
    speed: float,
    seed: int | None,
    mistakes: bool,
    port: int | None,
    log_file: Path | None,
    fresh: bool,
    no_browser: bool,
    try4: bool,
    as_json: bool,
) -> int:
    """Play a match on a simulated table, with the scoring board at http://127.0.0.1:8000.

    Two simulated players play; the referee follows them through the simulated load cells and camera only. Spheres can
    be moved by hand on the page too. Stopped and started again, the same game goes on.
    """
    if try4:
        return demo_mat(games, speed, seed, mistakes, port, log_file, fresh, no_browser, as_json)
    with (
        listening(port) as listener,
        _open(log_file, seed, mistakes, games, fresh) as session,
        games_beside(session.log_file) as on_screen,
    ):
        app = with_games(create_app(session.table, web_settings(session)), on_screen)
        server = Server(app, listener)
        try:
            stderr.print(f"Scoring board: {server.url}", markup=False)
            tell_code(app, server.url)
            stderr.print(f"Log: {session.log_file}; {_beginning(session)}", markup=False)
            if not no_browser and has_screen():
                webbrowser.open(server.url)
            session.play(paced(session.items(), speed, time.monotonic, time.sleep))
        finally:
            server.close()
        return _report(session.cards(), as_json)


def _beginning(session: DemoSession) -> str:
    if session.resumed:
        return "the unfinished match goes on (--fresh begins a new one)"
    return "a new match begins" + ("; the unfinished one in the log is left as it is" if session.left_behind else "")


def _open(log_file: Path | None, seed: int | None, mistakes: bool, games: int | None, fresh: bool) -> DemoSession:
    """Without --log the first of the default logs that no other demo writes to."""
    if log_file is not None:
        return DemoSession.open(log_file, seed, mistakes, games, fresh)
    for number in range(1, LOGS_TRIED):
        with contextlib.suppress(LogInUse):
            name = "demo.db" if number == 1 else f"demo-{number}.db"
            return DemoSession.open(data_folder() / name, seed, mistakes, games, fresh)
    raise LogInUse(f"all logs in {data_folder()} are in use by other demos; name one with --log")


def web_settings(session: DemoSession) -> WebSettings:
    """How the demo's pages are served."""
    return WebSettings(
        title="Simulated table",
        simulated=True,
        console=True,
        axis=session.axis,
        sessions_file=sessions_file(session.log_file),
    )


def _report(cards: list[GameCard], as_json: bool) -> int:
    agree = all(card.agrees for card in cards)
    if as_json:
        print_json({"games": [_card_json(card) for card in cards], "agree": agree})
    else:
        for card in cards:
            verdict = "as it happened" if card.agrees else f"NOT as it happened: {card.first_difference()}"
            stdout.print(f"game {card.number}: {len(card.ruled)} rulings, {card.result}; {verdict}", markup=False)
        stdout.print(f"{len(cards)} games, {sum(card.agrees for card in cards)} refereed exactly as they happened")
    return 0 if agree else 1


def _card_json(card: GameCard) -> dict[str, Any]:
    return {
        "game": card.number,
        "rulings": len(card.ruled),
        "result": card.result,
        "agrees": card.agrees,
        "difference": card.first_difference() or None,
    }
