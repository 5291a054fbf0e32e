"""Try 4 on a mat at run time: pictures go in, turns go to the store, and the pages read the rest from here.

It looks to the web server like any other table (`TableView`), so that streams, pictures and commands take the same way.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput, SenryakuError
from companion.log.history import GameRecord
from companion.log.try4_store import Setup, StoredGame, Try4Store, Way
from companion.referee.try4_mat import MatState, Phase, blinded, decide, look, press, take, tell
from companion.rules.try4 import Placings
from companion.rules.try4_tiles import Cell, Tile
from companion.table.evidence_case import Case
from companion.table.evidence_lookup import NoEvidence
from companion.table.printing import sheet_pdf
from companion.table.setting_up import NotHere
from companion.table.try4_games import setup_of, stored_json
from companion.table.try4_live import drawn_json, hidden_json, look_json, problem_json
from companion.table.try4_palette import palette_json, palette_of
from vision.annotate_tiles import annotate_tiles
from vision.frames import Frame
from vision.tile_colours import TilePalette
from vision.tile_mat import TileGrid
from vision.tile_reading import CellIs, TileReading

Image = NDArray[np.uint8]
JsonObject = dict[str, Any]

PALETTE = "palette"
"""Under which the store keeps the colours that were shown."""
PLAYERS = "mat players"
BLIND_AFTER_S = 3.0
"""Without a picture of the mat for so long (s) the camera counts as lost, and persons may say what lies where."""
JPEG_QUALITY = 80
NO_SET_UP = "a Try 4 mat has no set-up pages: show it its colours on the page of the mat"


class Reader(Protocol):
    """What reads pictures of the mat: a `vision.tile_reader.TileReader`, or a stand-in."""

    def read(self, image: Image, t: float) -> TileReading: ...

    def learn_colours(self, image: Image, shown: Sequence[tuple[int, str]]) -> TilePalette: ...


class CannotLearn(SenryakuError, ValueError):
    """The colours cannot be learned from what the camera sees now."""


class Try4Table:
    """One mat. `show` and `silence` are called from one thread, the rest from any."""

    def __init__(
        self,
        store: Try4Store,
        setup: Setup,
        colours: Sequence[str],
        reader_of: Callable[[TilePalette | None], Reader],
        wall_clock: Callable[[], float],
        ask: Callable[[JsonObject], JsonObject] | None = None,
        sounded: Callable[[bool], None] = lambda _: None,
        by_hand: Callable[[], bool] = lambda: False,
    ) -> None:
        """`setup` is what new games are played with, `colours` the tiles' in the order in which they are shown.

        `ask` carries out commands for a simulated mat, which a person plays while `by_hand`.
        `sounded` hears of every turn: whether it was played or refused.
        """
        self._store, self._colours, self._reader_of = store, tuple(colours), reader_of
        self._wall_clock, self._ask, self._sounded = wall_clock, ask, sounded
        self._by_hand = by_hand
        kept = store.preference(PALETTE)
        self._reader = reader_of(palette_of(kept) if kept else None)
        self._learned = kept is not None
        self._setup = setup
        self._changed = threading.Condition()
        self._turn = threading.RLock()
        unfinished = store.unfinished(Way.CAMERA)
        self.resumed = bool(unfinished)
        self._stored = unfinished[0] if unfinished else store.begin(Way.CAMERA, setup, wall_clock())
        self._mat = MatState(self._stored.game)
        self._frame: Frame | None = None
        self._reading: TileReading | None = None
        self._seen_at: float | None = None
        self._fault: str | None = None
        self._seq, self._live_version = 1, 0
        self._cleared: int | None = None
        self._placed: Placings = {}
        """New tiles as they were last seen: a hand over the mat makes nobody forget them."""

    # What goes in

    def show(self, frame: Frame) -> None:
        """A picture. A turn that it settles is safe on the disk when this returns; raises `LogNotSaved` if it is not.

        The picture is read before anybody is made to wait.
        """
        reading = self._reader.read(frame.image, frame.t)
        with self._turn:
            self._frame, self._reading = frame, reading
            self._seen_at = frame.t if reading.board_found or self._seen_at is None else self._seen_at
            self._fault = None if reading.board_found else reading.why
            self._mat = take(self._mat, reading)
            self._blind_at(frame.t)
            self._decide()

    def silence(self, t: float, fault: str | None = None) -> None:
        """No picture came until `t`; `fault` is what the camera says of it."""
        with self._turn:
            self._seen_at = t if self._seen_at is None else self._seen_at
            if fault is not None:
                self._fault = fault
            self._blind_at(t)
            self._decide()

    def press(self) -> None:
        """Play: a button on the panel, on a page, or a key. Raises like `show`."""
        with self._turn:
            self._mat = press(self._mat)
            self._decide()

    def _blind_at(self, t: float) -> None:
        if self._seen_at is not None and t - self._seen_at > BLIND_AFTER_S:
            self._mat = blinded(self._mat)

    def _decide(self) -> None:
        before = self._mat
        after, turn = decide(before)
        seen = look(after)
        if seen.phase is Phase.HANDS:
            under = {cell: tile for cell, tile in self._placed.items() if seen.cells[cell] is CellIs.HIDDEN}
            self._placed = {**under, **seen.placed}
        elif seen.phase is not Phase.LOST:
            self._placed = seen.placed
        if turn is not None:
            self._stored = self._store.play(self._stored.number, turn.placings, self._wall_clock())
            self._cleared = None
        self._mat = after
        if turn is not None or (after.refused and after.refused != before.refused):
            self._sounded(turn is not None)
        self._tell_all(turn is not None or after.refused != before.refused)

    def _tell_all(self, news: bool) -> None:
        with self._changed:
            self._seq += news
            self._live_version += 1
            self._changed.notify_all()

    # What persons ask

    def console(self, command: JsonObject) -> JsonObject:
        """`play`, `answer` (cell and tile, or null), `take_back`, `begin` (players, names), `bring_back`, `learn`.

        Raises a `SenryakuError` of one line where it cannot be done.
        """
        commands: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "play": self._play,
            "answer": self._answer,
            "take_back": self._take_back,
            "begin": self._begin,
            "bring_back": self._bring_back,
            "learn": self._learn,
            "forget_colours": self._forget_colours,
        }
        do = command.get("do")
        if not isinstance(do, str) or do not in commands:
            raise BadInput(f"{do!r} is nothing that can be done; known are {', '.join(commands)}")
        with self._turn:
            commands[do](command)
            self._tell_all(True)
        return {"done": True}

    def _play(self, command: Mapping[str, Any]) -> None:
        """Play; where the page says how many turns it knows of, a second press of the same turn is none of the next."""
        if command.get("turns", len(self._stored.game.turns)) == len(self._stored.game.turns):
            self.press()

    def _answer(self, command: Mapping[str, Any]) -> None:
        cell, tile = command.get("cell"), command.get("tile")
        if not isinstance(cell, str) or not isinstance(tile, str | None):
            raise BadInput('answer needs "cell", such as "c4", and "tile", such as "red3", or null for none')
        at = Cell.parse(cell)
        if not self._mat.game.rules.on_board(at):
            raise BadInput(f"{at}: no cell of this board")
        self._mat = tell(self._mat, at, None if tile is None else Tile.parse(tile))
        self._decide()

    def _take_back(self, _: Mapping[str, Any]) -> None:
        self._go_on(self._store.take_back(self._stored.number))

    def _begin(self, command: Mapping[str, Any]) -> None:
        asked = {**self._setup.json(), **{k: command[k] for k in ("players", "names") if k in command}}
        setup = _with_players(self._setup, asked)
        cleared = None
        if self._stored.ended is None:
            cleared = self._stored.number if self._stored.game.turns else None
            self._store.clear(self._stored.number, self._wall_clock())
        self._setup, self._cleared = setup, cleared
        self._store.prefer(PLAYERS, {"players": setup.rules.players, "names": list(setup.names)})
        self._go_on(self._store.begin(Way.CAMERA, setup, self._wall_clock()))

    def _bring_back(self, _: Mapping[str, Any]) -> None:
        if self._cleared is None:
            raise BadInput("no board was cleared that could be brought back")
        back = self._store.bring_back(self._cleared)
        if self._stored.ended is None:
            self._store.clear(self._stored.number, self._wall_clock())
        self._cleared = None
        self._go_on(back)

    def _go_on(self, stored: StoredGame) -> None:
        self._stored, self._placed = stored, {}
        self._mat = MatState(stored.game, self._mat.window, self._mat.hands, self._mat.found, self._mat.blind)

    def _learn(self, _: Mapping[str, Any]) -> None:
        if self._frame is None:
            raise CannotLearn("there is no camera picture yet")
        if len(self._colours) > self._setup.rules.columns:
            raise CannotLearn(f"{len(self._colours)} colours do not fit in the mat's first row")
        reader = self._reader_of(TilePalette(()))
        try:
            palette = reader.learn_colours(self._frame.image, list(enumerate(self._colours)))
        except BadInput as error:
            raise CannotLearn(str(error)) from error
        self._store.prefer(PALETTE, palette_json(palette))
        self._reader, self._learned = self._reader_of(palette), True
        self._mat = MatState(self._mat.game)

    def _forget_colours(self, _: Mapping[str, Any]) -> None:
        self._store.prefer(PALETTE, None)
        self._reader, self._learned = self._reader_of(None), False
        self._mat = MatState(self._mat.game)

    def ask(self, command: JsonObject) -> JsonObject:
        """A command for a simulated mat."""
        if self._ask is None:
            raise BadInput("this is no simulated mat: its tiles are moved by hand")
        answer = self._ask(command)
        if command.get("do") == "let_play":
            with self._turn:  # what a person said of cells no longer holds: the players lay them anew
                self._mat = replace(self._mat, told={}, pressed=False)
        self._tell_all(False)
        return answer

    # What the web server reads

    @property
    def mat(self) -> MatState:
        """The state as it is now."""
        return self._mat

    @property
    def stored(self) -> StoredGame:
        """The game as it is on the disk."""
        return self._stored

    def state(self) -> JsonObject:
        """The game, and why the last turn was not played."""
        with self._turn:
            refused = [problem_json(p) for p in self._mat.refused]
            return {
                "seq": self._seq,
                **stored_json(self._stored),
                "refused": refused,
                "cleared": self._cleared,
                "colours": list(self._colours),
                "learned": self._learned,
            }

    def live(self) -> JsonObject:
        """What the camera reads, against what was played."""
        with self._turn:
            seen, frame, reading = look(self._mat), self._frame, self._reading
            columns = self._mat.game.rules.columns
            return {
                **look_json(replace(seen, placed=self._placed)),
                "by_hand": self._by_hand(),
                "pressed": self._mat.pressed,
                "blind": self._mat.blind,
                "fault": self._fault,
                "t": None if frame is None else round(frame.t, 2),
                "size_px": None if frame is None else [frame.image.shape[1], frame.image.shape[0]],
                "hidden": [] if reading is None or not reading.board_found else hidden_json(reading, columns),
                "drawn": [] if reading is None else drawn_json(reading, columns),
            }

    def events_after(self, seq: int) -> list[JsonObject]:  # noqa: ARG002
        """None: the state tells all."""
        return []

    def wait_for_change(self, seq: int, live_version: int | None, timeout: float) -> tuple[int, int]:
        """Waits until state or live values differ from what is given, for `timeout` seconds at the most."""

        def changed() -> bool:
            return self._seq != seq or (live_version is not None and self._live_version != live_version)

        with self._changed:
            self._changed.wait_for(changed, timeout)
            return self._seq, self._live_version

    def history(self) -> list[GameRecord]:
        """Games of Senryaku: none. Those of Try 4 are on its own pages."""
        return []

    def set_up(self) -> JsonObject:
        """Raises `NotHere`: a mat is set up by showing its colours."""
        raise NotHere(NO_SET_UP)

    def set_up_step(self, command: JsonObject) -> JsonObject:
        """Raises `NotHere`."""
        raise NotHere(f"{NO_SET_UP} ({str(command.get('do', ''))[:20]})")

    def sheet(self, what: str, paper: str) -> bytes:
        """A sheet to print in true size, as PDF. Raises BadInput for what cannot be printed."""
        return sheet_pdf(what, None, paper)

    def desk(self) -> JsonObject:
        """What a referee's console shows beside the state: a mat has no ruling to be set and no start position."""
        return {"rules": {}, "policy": {}, "out_of_start": None, "evidence": []}

    def loads(self, since: float) -> JsonObject:
        """A mat lies on no load cells."""
        return {"t": since, "points": []}

    def evidence(self, seq: int) -> Case:
        """Raises `NoEvidence`: what lies on a mat can be looked at."""
        raise NoEvidence(f"there is no evidence for event {seq}: a turn's tiles lie on the mat")

    def picture(self, drawn: bool = False) -> bytes | None:
        """The newest camera picture as JPEG; `drawn` with what was read in this very picture."""
        with self._turn:
            frame, reading, rules = self._frame, self._reading, self._mat.game.rules
        if frame is None:
            return None
        image = frame.image
        if drawn and reading is not None:
            image = annotate_tiles(image, reading, TileGrid(rules.columns, rules.rows), None, band=False)
        done, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        return jpeg.tobytes() if done else None


def _with_players(setup: Setup, asked: Mapping[str, Any]) -> Setup:
    """The same board and tiles for other players. Raises `BadInput`."""
    checked = setup_of({**asked, "columns": 2, "rows": 2, "set": "red 1"})
    rules = setup.rules
    return Setup.of(rules.columns, rules.rows, checked.rules.players, setup.tile_set, checked.names)
