"""The games of Try 4 on the disk: unfinished ones go on after a power cut, finished ones make the statistics.

They are no part of a match's log, which never forgets: players may delete their history.
"""

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from companion.errors import BadInput
from companion.log.database import BadLog, LogNotSaved, make_folder, one_line, transaction
from companion.log.lock import LogInUse, WriterLock
from companion.log.try4_file import connect_to_games
from companion.rules.try4 import IllegalTurn, Placings, Try4Game, Try4Rules
from companion.rules.try4_text import placings_of, placings_text
from companion.rules.try4_tiles import TileSet


class Way(StrEnum):
    """How a game is played."""

    SCREEN = "screen"
    CAMERA = "camera"


class Ending(StrEnum):
    """How a game ended: all tiles placed, or the board cleared before that."""

    OVER = "over"
    CLEARED = "cleared"


@dataclass(frozen=True, slots=True)
class Setup:
    """What a game is played with: its rules, the tile set in the players' own words and order, and their names."""

    rules: Try4Rules
    tile_set: str
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: int, rows: int, players: int, tile_set: str, names: tuple[str, ...] = ()) -> "Setup":
        """Raises `BadInput` for what no game can be played with."""
        return cls(Try4Rules(columns, rows, TileSet.parse(tile_set), players), tile_set, names)

    def json(self) -> dict[str, Any]:
        """As `from_json` reads it."""
        rules = self.rules
        return {
            "columns": rules.columns,
            "rows": rules.rows,
            "players": rules.players,
            "set": self.tile_set,
            "names": list(self.names),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Setup":
        return cls.of(
            stored["columns"], stored["rows"], stored["players"], stored["set"], tuple(stored.get("names", ()))
        )


@dataclass(frozen=True)
class StoredGame:
    """A game as it is on the disk. `began` and `ended` in seconds since 1970; `laid`: tiles not yet played."""

    number: int
    way: Way
    began: float
    setup: Setup
    game: Try4Game
    laid: Placings
    ended: float | None = None
    ending: Ending | None = None


class Try4Store:
    """A file of games, opened for writing by one program. Its methods may be called from any thread.

    What is written survives a power cut when the call returns; all raise `LogNotSaved` where it could not be.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock) -> None:
        """Use `Try4Store.open`."""
        self.path = path
        self._connection = connection
        self._writer = lock
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path | str) -> "Try4Store":
        """Opens the file, and makes it (and its folder) where there is none.

        Raises `LogInUse` if another program writes to it, `BadLog` for another file or a damaged one, `LogNotSaved`
        where the place cannot be written to.
        """
        path = Path(path)
        try:
            make_folder(path.parent)
            lock = WriterLock(path)
        except LogInUse:
            raise
        except OSError as error:
            raise LogNotSaved(f"{path}: cannot be opened for writing: {error.strerror or error}") from None
        with contextlib.ExitStack() as undo:
            undo.callback(lock.release)
            connection = connect_to_games(path)
            undo.callback(connection.close)
            store = cls(path, connection, lock)
            store.unfinished(Way.SCREEN)  # refuses what cannot be read
            undo.pop_all()
        return store

    def begin(self, way: Way, setup: Setup, time: float) -> StoredGame:
        """A new game."""
        with self._changing():
            text = json.dumps(setup.json())
            made = self._connection.execute("INSERT INTO game (way, began, rules) VALUES (?, ?, ?)", (way, time, text))
            number = made.lastrowid
        assert number is not None
        return StoredGame(number, way, time, setup, Try4Game(setup.rules), {})

    def game(self, number: int) -> StoredGame | None:
        """A game by its number; None where there is none."""
        found = self._games("WHERE number = ?", (number,))
        return found[0] if found else None

    def unfinished(self, way: Way) -> list[StoredGame]:
        """The games of this way that go on, the newest first."""
        return self._games("WHERE way = ? AND ended IS NULL ORDER BY number DESC", (way,))

    def finished(self) -> list[StoredGame]:
        """All games that were played to the end, in the order in which they ended."""
        return self._games("WHERE ending = 'over' ORDER BY ended, number", ())

    def lay(self, number: int, laid: Placings) -> None:
        """Keeps the tiles that lie on the board and are not yet played."""
        with self._changing():
            self._connection.execute("UPDATE game SET laid = ? WHERE number = ?", (placings_text(laid), number))

    def play(self, number: int, placings: Placings, time: float) -> StoredGame:
        """Plays a turn; the game ends with its last tile. Raises `IllegalTurn`, and `BadInput` for no such game."""
        with self._changing():
            stored = self._going_on(number)
            game = stored.game.play(placings)
            self._connection.execute(
                "INSERT INTO turn (game, number, time, tiles) VALUES (?, ?, ?, ?)",
                (number, len(game.turns), time, placings_text(placings)),
            )
            ended = (time, Ending.OVER) if game.over else (None, None)
            self._connection.execute(
                "UPDATE game SET laid = '', ended = ?, ending = ? WHERE number = ?", (*ended, number)
            )
        return self._known(number)

    def take_back(self, number: int) -> StoredGame:
        """The game without its last turn, and going on. Raises `BadInput` where nothing was played."""
        with self._changing():
            turns = len(self._known(number).game.taken_back().turns) + 1
            self._connection.execute("DELETE FROM turn WHERE game = ? AND number = ?", (number, turns))
            self._connection.execute(
                "UPDATE game SET laid = '', ended = NULL, ending = NULL WHERE number = ?", (number,)
            )
        return self._known(number)

    def clear(self, number: int, time: float) -> None:
        """Ends a game that is not over: its board is cleared. One in which nothing was played is forgotten."""
        with self._changing():
            if self._going_on(number).game.turns:
                self._connection.execute(
                    "UPDATE game SET ended = ?, ending = 'cleared' WHERE number = ?", (time, number)
                )
            else:
                self._connection.execute("DELETE FROM game WHERE number = ?", (number,))

    def bring_back(self, number: int) -> StoredGame:
        """A game whose board was cleared goes on. Raises `BadInput` where there is none."""
        with self._changing():
            if self._known(number).ending is not Ending.CLEARED:
                raise BadInput(f"game {number} was not cleared, so it cannot be brought back")
            self._connection.execute("UPDATE game SET ended = NULL, ending = NULL WHERE number = ?", (number,))
        return self._known(number)

    def delete_history(self) -> int:
        """Deletes every game that has ended, so that nothing of it can be read from the file; gives how many."""
        with self._changing():
            gone = self._connection.execute("DELETE FROM game WHERE ended IS NOT NULL").rowcount
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def preference(self, name: str) -> Any:
        """A JSON value kept under a name; None where there is none."""
        with self._reading():
            row = self._connection.execute("SELECT value FROM preference WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def prefer(self, name: str, value: Any) -> None:
        """Keeps a JSON value under a name."""
        with self._changing():
            self._connection.execute(
                "INSERT INTO preference (name, value) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, json.dumps(value)),
            )

    def close(self) -> None:
        """Closes the file and lets the next program in; once is enough."""
        with self._lock:
            self._connection.close()
            self._writer.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _known(self, number: int) -> StoredGame:
        found = self.game(number)
        if found is None:
            raise BadInput(f"game {number} is not there: its history may have been deleted")
        return found

    def _going_on(self, number: int) -> StoredGame:
        found = self._known(number)
        if found.ended is not None:
            raise BadInput(f"game {number} has ended: begin a new one")
        return found

    def _games(self, which: str, values: tuple[Any, ...]) -> list[StoredGame]:
        with self._reading():
            rows = self._connection.execute(
                f"SELECT number, way, began, rules, ended, ending, laid FROM game {which}", values
            ).fetchall()
            turns = [
                [
                    tiles
                    for (tiles,) in self._connection.execute(
                        "SELECT tiles FROM turn WHERE game = ? ORDER BY number", (row[0],)
                    )
                ]
                for row in rows
            ]
        return [self._stored(row, of_it) for row, of_it in zip(rows, turns, strict=True)]

    def _stored(self, row: tuple[Any, ...], turns: list[str]) -> StoredGame:
        number, way, began, rules, ended, ending, laid = row
        try:
            setup = Setup.from_json(json.loads(rules))
            game = Try4Game(setup.rules)
            for tiles in turns:
                game = game.play(placings_of(tiles))
            return StoredGame(
                number, Way(way), began, setup, game, placings_of(laid), ended, Ending(ending) if ending else None
            )
        except (BadInput, IllegalTurn, KeyError, TypeError, ValueError) as error:
            raise BadLog(f"{self.path}: game {number} cannot be read: {one_line(error)}") from None

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock:
            try:
                with transaction(self._connection):
                    yield
            except sqlite3.Error as error:
                raise LogNotSaved(f"{self.path}: the game could not be saved: {one_line(error)}") from error

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise BadLog(f"{self.path}: the games cannot be read: {one_line(error)}") from None
