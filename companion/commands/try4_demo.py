"""`demo --try4`: Try 4 on a simulated mat, which the table knows through the camera's pictures only."""

import contextlib
import os
import time
import webbrowser
from pathlib import Path
from typing import Any

from companion.commands.output import print_json, stderr, stdout
from companion.commands.serving import has_screen, listening
from companion.commands.try4_run import MAT_PAGE, beginning
from companion.log import LogInUse
from companion.log.try4_store import Setup, Try4Store
from companion.rules.try4_tiles import STANDARD_COLOURS, STANDARD_SIDE
from companion.simulator.tiles_table import SimulatedMat
from companion.table.data_folder import data_folder
from companion.table.pacing import paced
from companion.table.try4_games import STANDARD_SET, Try4Games
from companion.table.try4_table import Try4Table
from companion.web.app import create_app
from companion.web.server import Server
from companion.web.try4 import add_try4
from companion.web.view import WebSettings
from vision.frames import Frame
from vision.tile_colours import TilePalette
from vision.tile_mat import TileGrid
from vision.tile_reader import TileReader

NAMES = ("Ada", "Ben")
DEMO = "demo"
"""Under which the store keeps how the run was begun, so that it can go on."""
MISTAKES = 0.45
"""Share of turns in which something goes wrong, with --mistakes."""
GAME_SEEDS = 1_000_003
"""Every game of a run has a seed of its own, by the run's and the game's number."""
FILES_TRIED = 20
PAUSE_S = 6.0
"""After a game that somebody watches, before the next."""


def demo_mat(
    games: int | None,
    speed: float,
    seed: int | None,
    mistakes: bool,
    port: int | None,
    file: Path | None,
    fresh: bool,
    no_browser: bool,
    as_json: bool,
) -> int:
    """Plays until so many games are over, for ever without a number; see `demo`."""
    with listening(port) as listener, _open(file) as store:
        session = MatDemo(store, seed, mistakes, fresh)
        app = create_app(
            session.table,
            WebSettings(title="Simulated mat", simulated=True, console=True, page=MAT_PAGE, screen_plays=True),
        )
        add_try4(app, Try4Games(store, time.time), home="Mat")
        server = Server(app, listener)
        try:
            stderr.print(f"Try 4: {server.url}", markup=False)
            stderr.print(f"Games: {store.path}; {beginning(session.table)}", markup=False)
            if not no_browser and has_screen():
                webbrowser.open(server.url)
            session.play(games, speed)
        finally:
            server.close()
        return _report(session, as_json)


class MatDemo:
    """A simulated mat wired to a table and its store. `reports` tells of each game that was played to the end."""

    def __init__(self, store: Try4Store, seed: int | None, mistakes: bool, fresh: bool) -> None:
        self._store = store
        kept = store.preference(DEMO)
        if kept is None or fresh or (seed is not None and kept["seed"] != seed):
            seed = int.from_bytes(os.urandom(3), "big") if seed is None else seed
            kept = {"seed": seed, "mistakes": mistakes}
            store.prefer(DEMO, kept)
            fresh = True
        self._seed, self._mistakes = int(kept["seed"]), MISTAKES if kept["mistakes"] else 0.0
        setup = Setup.of(STANDARD_SIDE, STANDARD_SIDE, len(NAMES), STANDARD_SET, NAMES)
        self._grid = TileGrid(STANDARD_SIDE, STANDARD_SIDE)
        self._mat: SimulatedMat | None = None
        self.table = Try4Table(
            store,
            setup,
            STANDARD_COLOURS,
            self._reader,
            time.time,
            self._ask,
            by_hand=lambda: self._mat is not None and self._mat.by_hand,
        )
        self.reports: list[dict[str, Any]] = []
        if fresh and self.table.resumed:
            self.table.console({"do": "begin"})

    def play(self, games: int | None, speed: float) -> None:
        """Until so many games are over."""
        while games is None or len(self.reports) < games:
            number = self.table.stored.number
            self._mat = mat = self._next_mat()
            frames = mat.frames(lambda: self.table.mat, self.table.press)
            for frame in paced(frames, speed, time.monotonic, time.sleep):
                assert isinstance(frame, Frame)
                self.table.show(frame)
                if self.table.stored.number != number:
                    break
            else:
                self._note(mat)
                if games is None or len(self.reports) < games:
                    time.sleep(PAUSE_S / speed)
                    self.table.console({"do": "begin"})

    def _next_mat(self) -> SimulatedMat:
        stored = self.table.stored
        return SimulatedMat(stored.game, self._seed * GAME_SEEDS + stored.number, self._mistakes)

    def _reader(self, palette: TilePalette | None) -> TileReader:
        markers = SimulatedMat.markers_of(self._grid)
        return TileReader(self._grid, SimulatedMat.camera, markers, STANDARD_COLOURS, palette=palette)

    def _ask(self, command: dict[str, Any]) -> dict[str, Any]:
        assert self._mat is not None
        return self._mat.ask(command)

    def _note(self, mat: SimulatedMat) -> None:
        game = self.table.stored.game
        wrong = [o for o in mat.outcomes if not o.agrees]
        first = f"turn {wrong[0].turn + 1}: {wrong[0].said} in place of {wrong[0].wanted}" if wrong else None
        self.reports.append(
            {
                "game": self.table.stored.number,
                "turns": len(game.turns),
                "totals": list(game.totals),
                "said": [o.said for o in mat.outcomes],
                "agrees": not wrong,
                "difference": first,
            }
        )


def _open(file: Path | None) -> Try4Store:
    """Without --log the first of the default files that no other demo writes to."""
    if file is not None:
        return Try4Store.open(file)
    for number in range(1, FILES_TRIED):
        with contextlib.suppress(LogInUse):
            return Try4Store.open(data_folder() / f"demo-mat{'' if number == 1 else f'-{number}'}.db")
    raise LogInUse(f"all files of games in {data_folder()} are in use by other demos; name one with --log")


def _report(session: MatDemo, as_json: bool) -> int:
    agree = all(report["agrees"] for report in session.reports)
    if as_json:
        print_json({"games": session.reports, "agree": agree})
    else:
        for report in session.reports:
            verdict = "as it happened" if report["agrees"] else f"NOT as it happened: {report['difference']}"
            totals = ", ".join(map(str, report["totals"]))
            stdout.print(f"game {report['game']}: {report['turns']} turns, totals {totals}; {verdict}", markup=False)
    return 0 if agree else 1
