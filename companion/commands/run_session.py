"""A real table at run time: witnesses wired to referee, log and scoring board; it goes on where the log left off."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from companion.commands.computer_checks import computer_findings
from companion.errors import BadInput, SenryakuError
from companion.log import EventLog, TableState, fold
from companion.rules import Match
from companion.simulator.table import SimulatedTable
from companion.table.balance_file import balance_file
from companion.table.camera_settings import SIMULATED
from companion.table.evidence_store import evidence_folder
from companion.table.keeping import EvidenceKeeper
from companion.table.live_stream import LiveStream
from companion.table.panel_desk import PanelDesk
from companion.table.recorder import AboutTable, LastMinute
from companion.table.refereeing import Refereeing
from companion.table.resuming import referee_state
from companion.table.setting_up import SettingUp
from companion.table.settings import TableSettings, read_settings
from companion.table.sources import camera_source, load_source
from companion.table.table import Table
from companion.table.table_balance import TableBalance
from companion.table.toml_sections import BadSettings
from firmware_bridge.readers import LoadSource
from vision.cameras import Camera, PacedFrames
from vision.frames import Frame
from vision.recorded_frames import read_picture

Image = NDArray[np.uint8]

RECORDINGS = "recordings"
"""Beside the log: what was kept when something odd happened."""
EMPTY_BOARD = "empty.jpg"
"""A picture of the empty board beside the `table.toml`, as in a recording."""


class RunSession:
    """One run of a table. Use `open`, then `play`."""

    def __init__(
        self, table_file: Path, log: EventLog, players: tuple[str, str], fresh: bool, clock: Callable[[], float]
    ) -> None:
        self._log = log
        self._about = AboutTable.of(table_file)
        self._last_minute = LastMinute()
        self._keep_wanted = threading.Event()
        began = clock()
        self._clock: Callable[[], float] = lambda: clock() - began
        settings = read_settings(table_file)
        state = fold(log.events())
        self.resumed = not fresh and state.match is not None and not state.match.score.over
        state = state if self.resumed else TableState()
        empty = _empty(table_file)
        camera: Camera | None
        if settings.camera_source == SIMULATED:
            settings, camera, empty = _simulated(settings, state, self._clock)
        else:
            camera = None if settings.camera_source == "none" else camera_source(settings, self._clock)
        self.settings = settings
        try:
            loads = None if settings.load_source == "none" else load_source(settings, self._clock)
            self._stream = _stream(settings, loads, camera, self._clock)
            refereeing = _refereeing(settings, state, loads is not None, camera is not None, empty)
        except BaseException:
            if camera is not None:
                camera.close()
            raise
        self.table = Table(
            log,
            refereeing,
            time.time,
            evidence=EvidenceKeeper(evidence_folder(log.path), settings.cells),
            camera_health=None if camera is None else lambda: camera.health,
            by_corners=settings.corners is not None,
            balance=None if loads is None else TableBalance(settings, refereeing.state, balance_file(log.path)),
            setting_up=SettingUp(settings, table_file, lambda: computer_findings(log.path.parent, settings)),
        )
        if not self.resumed:
            self.table.begin_match(*players, settings.rules)
        self._panel = PanelDesk.open(settings.panel, self.table, self.keep_last_minute, settings.warnings)

    @classmethod
    def open(
        cls,
        table_file: Path,
        log_file: Path,
        players: tuple[str, str],
        fresh: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> "RunSession":
        """Opens the log and everything that hangs on it. `clock` is steady, whatever it counts from.

        Raises:
            BadInput: the settings, or a file that they name, cannot be used.
            BadLog, LogInUse, LogNotSaved: the log cannot.
        """
        read_settings(table_file)
        log = EventLog.open(log_file)
        try:
            return cls(table_file, log, players, fresh, clock)
        except BaseException:
            log.close()
            raise

    def play(self, say: Callable[[str], None] = lambda _: None, beat: Callable[[], None] = lambda: None) -> None:
        """Lets the referee watch until stored pictures are over, or `stop` is called.

        `say` is told what was kept; `beat` is called all the time, several times a second, while this loop lives.
        """
        for item in self._stream:
            beat()
            if item is None:
                self.table.silence(self._clock())
            else:
                game = self.table.table_state.game
                self._last_minute.note(item, None if game is None or game.over is not None else game.position)
                self.table.take(item)
            if self._keep_wanted.is_set():
                self._keep_wanted.clear()
                self._keep(say)

    def keep_last_minute(self) -> None:
        """Something odd happened: writes the last minute as a recording, soon. Any thread, or a signal, may call it."""
        self._keep_wanted.set()

    def _keep(self, say: Callable[[str], None]) -> None:
        """Writing takes a second or two of a slow card, so it is done beside the refereeing."""
        kept = self._last_minute.taken()
        folder = self._log.path.parent / RECORDINGS / f"{self._log.path.stem}-{datetime.now():%Y%m%d-%H%M%S}"

        def write() -> None:
            try:
                kept.write(folder, self._about)
            except SenryakuError as error:
                say(f"The last minute could not be kept: {error}")
            else:
                say(f"Kept the last {kept.seconds:.0f} s: {folder}")

        threading.Thread(target=write, name="recording").start()

    def stop(self) -> None:
        """Ends `play`, and lets go of cells and camera. Any thread may call it, more than once."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        if self._panel is not None:
            self._panel.close()
        self.table.close()
        self._log.close()


def _stream(
    settings: TableSettings, loads: LoadSource | None, camera: Camera | None, clock: Callable[[], float]
) -> LiveStream:
    if loads is None and camera is None:
        raise BadSettings(
            f"{settings.name}: nobody watches this table: set source in [camera] or in [load_cells], or both"
        )
    return LiveStream(loads, camera, clock)


def _empty(table_file: Path) -> Image | None:
    file = table_file.parent / EMPTY_BOARD
    return read_picture(file) if file.is_file() else None


def _refereeing(
    settings: TableSettings, state: TableState, loads: bool, camera: bool, empty: Image | None
) -> Refereeing:
    """Raises BadInput where the picture of the empty board shows none."""
    empty = empty if camera else None
    try:
        return Refereeing.of(settings, referee_state(state, settings.rules), loads=loads, camera=camera, empty=empty)
    except BadInput as error:
        if empty is None:
            raise
        raise BadInput(f"{settings.name}: with its {EMPTY_BOARD}: {error}; take that picture anew, or away") from error


def _simulated(
    settings: TableSettings, state: TableState, clock: Callable[[], float]
) -> tuple[TableSettings, Camera, Image]:
    """The settings with a simulated table's measures in place of the file's, its camera, and its empty board."""
    if settings.load_source != "none":
        raise BadSettings(f'{settings.name}: [camera] source "simulated" goes only with [load_cells] source "none"')
    match = state.match.score if state.match is not None and not state.match.score.over else Match(settings.rules)
    position = state.game.position if state.game is not None and state.game.over is None else None
    simulated = SimulatedTable(position=position, match=match, axis=settings.axis)
    known = simulated.settings
    frames = (item for item in simulated if isinstance(item, Frame))
    measured = replace(
        settings, grid=known.grid, camera=known.camera, markers=known.markers, corners=None, colours=known.colours
    )
    return measured, PacedFrames(frames, clock), simulated.empty_picture()


def players_of(names: str) -> tuple[str, str]:
    """White's and Black's name from one text. Raises BadInput."""
    white, comma, black = (part.strip() for part in names.partition(","))
    if not (white and comma and black):
        raise BadInput(f"--players {names}: should be two names, White's first, such as Ada,Ben")
    return white, black
