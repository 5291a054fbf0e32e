"""`run` with a Try 4 mat: camera, panel, store and pages wired together; the game goes on where it was left."""

import signal
import time
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from companion.commands.output import stderr
from companion.commands.pair import sessions_file
from companion.commands.serving import has_screen
from companion.commands.tiles import colours_of, tile_reader_of
from companion.errors import BadInput
from companion.log.try4_store import Setup, Try4Store
from companion.rules.try4 import MOST_PLAYERS
from companion.rules.try4_tiles import STANDARD_ROW
from companion.table.settings import TableSettings, Try4Settings
from companion.table.sources import camera_source
from companion.table.try4_games import Try4Games, plain_name
from companion.table.try4_table import PLAYERS, Try4Table
from companion.web.app import create_app
from companion.web.guard import LOOPBACK_NAMES
from companion.web.server import Server, serve
from companion.web.try4 import add_try4
from companion.web.view import WebSettings
from firmware_bridge.panel import ATTENTION, CONFIRMED, Panel, PanelError
from vision.camera_watch import CameraState
from vision.cameras import Camera

WAIT_S = 0.25
"""For a picture, before the table looks at the clock again."""
LOOK_S = 0.18
"""Between two pictures that are read: tiles lie still, and a Pi has other things to do."""
TROUBLED = (CameraState.FROZEN, CameraState.GONE)
MAT_PAGE = "try4/mat.html"


def run_mat(
    settings: TableSettings, file: Path, players: str | None, fresh: bool, port: int | None, no_browser: bool
) -> None:
    """Plays Try 4 on a table's mat until stored pictures are over, or somebody stops it."""
    if settings.try4 is None:
        raise BadInput(f"{settings.name}: [try4] is missing; it says how large the mat's grid is")
    began = time.monotonic()
    with ExitStack() as parts:
        store = parts.enter_context(Try4Store.open(file))
        setup = setup_for(settings.try4, names_of(players), store)
        panel: list[Panel] = []
        table = _table(store, settings, settings.try4, setup, lambda played: _sound(panel, played))
        if fresh or (players and table.stored.setup.names != setup.names):
            table.console({"do": "begin", "players": setup.rules.players, "names": list(setup.names)})
        camera = camera_source(settings, lambda: time.monotonic() - began)
        parts.callback(camera.close)
        panel += _panel(settings, table.press, parts)
        signal.signal(signal.SIGTERM, lambda *_: camera.close())
        server = _serve(table, store, settings, port)
        parts.callback(server.close)
        stderr.print(f"Try 4: {server.url}", markup=False)
        stderr.print(f"Games: {file}; {beginning(table)}", markup=False)
        if not no_browser and has_screen():
            webbrowser.open(server.url)
        watch(table, camera, lambda: time.monotonic() - began)
    stderr.print("The table has stopped; started again, the game goes on.")


def watch(table: Try4Table, camera: Camera, clock: Callable[[], float]) -> None:
    """Shows the table new pictures, and says when none comes, until the camera is over or closed."""
    shown_t = float("-inf")
    while not camera.over:
        frame = camera.newest(WAIT_S)
        if frame is not None:
            if frame.t - shown_t >= LOOK_S:
                table.show(frame)
                shown_t = frame.t
            continue
        health = camera.health
        table.silence(clock(), f"{health.what}: {health.remedy}" if health.state in TROUBLED else None)


def beginning(table: Try4Table) -> str:
    """How a run begins, for the terminal."""
    turns = len(table.stored.game.turns)
    return f"the unfinished game goes on after turn {turns}" if turns else "a new game"


def setup_for(try4: Try4Settings, names: Sequence[str], store: Try4Store) -> Setup:
    """What new games are played with: the mat of the settings, players as named, else as last time."""
    numbers = " ".join(map(str, STANDARD_ROW))
    tile_set = try4.tile_set or "; ".join(f"{colour} {numbers}" for colour in try4.colours)
    kept = store.preference(PLAYERS)
    if not names and kept is not None:
        return Setup.of(try4.columns, try4.rows, kept["players"], tile_set, tuple(kept["names"]))
    return Setup.of(try4.columns, try4.rows, max(1, len(names)), tile_set, tuple(names) if len(names) > 1 else ())


def names_of(players: str | None) -> list[str]:
    """One to four names from one text; none from none. Raises `BadInput`."""
    names = [] if players is None else [plain_name(name) for name in players.split(",")]
    if not all(names) or len(names) > MOST_PLAYERS:
        raise BadInput(f"--players {players}: should be one to {MOST_PLAYERS} names, such as Ada,Ben")
    return names


def _table(
    store: Try4Store, settings: TableSettings, try4: Try4Settings, setup: Setup, sounded: Callable[[bool], None]
) -> Try4Table:
    return Try4Table(
        store,
        setup,
        colours_of(try4),
        lambda palette: tile_reader_of(settings, try4, palette),
        time.time,
        sounded=sounded,
    )


def _panel(settings: TableSettings, press: Callable[[], None], parts: ExitStack) -> list[Panel]:
    """The panel, any button of which is Play; without one that can be opened the screen has a button too."""
    if not settings.panel:
        return []
    try:
        return [parts.enter_context(Panel(settings.panel, lambda _: press()))]
    except PanelError as error:
        stderr.print(f"The panel is left out: {error}", markup=False)
        return []


def _sound(panel: list[Panel], played: bool) -> None:
    for one in panel:
        one.buzz(CONFIRMED if played else ATTENTION)


def _serve(table: Try4Table, store: Try4Store, settings: TableSettings, port: int | None) -> Server:
    """Whoever plays may press Play and answer for a tile, from the phone in his hand too."""
    web = WebSettings(
        title=settings.name,
        trusted_hosts=settings.web.trusted_hosts,
        trust_addresses=settings.web.host not in LOOPBACK_NAMES,
        console=True,
        page=MAT_PAGE,
        screen_plays=True,
        sessions_file=sessions_file(store.path),
        open_to_spectators=settings.web.open_to_spectators,
    )
    app = create_app(table, web)
    add_try4(app, Try4Games(store, time.time), home="Mat")
    return serve(app, settings.web.host, port or settings.web.port)
