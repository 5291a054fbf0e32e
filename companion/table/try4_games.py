"""Try 4 on the screen: what its pages show and what they can ask, as JSON values, over the stored games."""

import re
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from companion.errors import BadInput, SenryakuError
from companion.log.try4_store import Ending, Setup, StoredGame, Try4Store, Way
from companion.rules.try4 import MOST_PLAYERS, Broken, IllegalTurn, Placings, Try4Rules, Turn
from companion.rules.try4_tiles import STANDARD_COLOURS, STANDARD_ROW, STANDARD_SIDE, Cell, Tile, TileSet

JsonObject = dict[str, Any]

SETTINGS = "settings"
"""Under which the store keeps what the next game is played with."""
LARGEST_SIDE = 12
"""Of a board on the screen: more cells are too small for a finger on a phone."""
MOST_TILES = 100
MOST_NAME_LETTERS = 20
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Control characters and marks of direction; joiners stay, which some scripts need."""
STANDARD_SET = "; ".join(f"{colour} {' '.join(map(str, STANDARD_ROW))}" for colour in STANDARD_COLOURS)


class Meanwhile(SenryakuError, RuntimeError):
    """The board has changed since the page that asks last saw it."""


class Try4Games:
    """The games that are played on the screen of one table. Its methods may be called from any thread.

    They raise `BadInput` for what makes no sense, `Meanwhile` where the board has changed, `LogNotSaved` where
    something could not be saved.
    """

    def __init__(self, store: Try4Store, wall_clock: Callable[[], float]) -> None:
        self._store = store
        self._wall_clock = wall_clock
        self._turn = threading.RLock()

    def state(self, number: int | None = None) -> JsonObject:
        """The game with this number if it goes on, or is over; else the newest that goes on; else a new one."""
        with self._turn:
            return self._shown(self._wanted(number))

    def statistics(self) -> JsonObject:
        """All finished games' totals; see `statistics_json`."""
        return statistics_json(self._store.finished())

    def command(self, asked: Mapping[str, Any]) -> JsonObject:
        """Does what a page asks, `{"do": ..., "game": number, ...}`, and gives the state after it.

        `lay` and `play` name the tiles that lie there and are not yet played, `{"c3": "red1"}`, and how many turns the
        page knows of. A turn that breaks a rule is not played: `refused` in the state says why.
        """
        do = asked.get("do")
        commands: dict[str, Callable[[Mapping[str, Any]], JsonObject]] = {
            "lay": self._lay,
            "play": self._play,
            "clear": self._clear,
            "bring_back": self._bring_back,
            "settings": self._settings,
            "delete_history": self._delete_history,
        }
        if not isinstance(do, str) or do not in commands:
            raise BadInput(f"{do!r} is nothing that can be done; known are {', '.join(commands)}")
        with self._turn:
            return commands[do](asked)

    def _wanted(self, number: int | None) -> StoredGame:
        known = None if number is None else self._store.game(number)
        if known is not None and known.way is Way.SCREEN and known.ending is not Ending.CLEARED:
            return known
        unfinished = self._store.unfinished(Way.SCREEN)
        return unfinished[0] if unfinished else self._new()

    def _new(self) -> StoredGame:
        return self._store.begin(Way.SCREEN, self._next_setup(), self._wall_clock())

    def _next_setup(self) -> Setup:
        kept = self._store.preference(SETTINGS)
        return Setup.of(STANDARD_SIDE, STANDARD_SIDE, 1, STANDARD_SET) if kept is None else Setup.from_json(kept)

    def _shown(self, stored: StoredGame, **more: Any) -> JsonObject:
        others = [g for g in self._store.unfinished(Way.SCREEN) if g.number != stored.number and g.game.turns]
        return {
            **stored_json(stored),
            "settings": self._next_setup().json(),
            "unfinished": [
                {"game": g.number, "began": g.began, "turns": len(g.game.turns), "totals": list(g.game.totals)}
                for g in others
            ],
            "refused": [],
            "cleared": None,
            **more,
        }

    def _looked_at(self, asked: Mapping[str, Any]) -> StoredGame:
        """The game that a page shows, or what it should show now: for what has nothing to do with its turns."""
        number = asked.get("game")
        return self._wanted(number if _whole(number) else None)

    def _asked_for(self, asked: Mapping[str, Any]) -> StoredGame:
        number, turns = asked.get("game"), asked.get("turns")
        stored = self._store.game(number) if _whole(number) else None
        if stored is None or stored.way is not Way.SCREEN:
            raise Meanwhile("this game is not there any more: load the page again")
        if turns != len(stored.game.turns) or stored.ending is Ending.CLEARED:
            raise Meanwhile("the board has changed meanwhile, perhaps on another screen: look at it and play again")
        return stored

    def _lay(self, asked: Mapping[str, Any]) -> JsonObject:
        stored = self._asked_for(asked)
        laid = _laid({"laid": _merged(asked, stored)}, stored)
        self._store.lay(stored.number, laid)
        return self._shown(self._wanted(stored.number))

    def _play(self, asked: Mapping[str, Any]) -> JsonObject:
        pressed_twice = self._just_played(asked)
        if pressed_twice is not None:
            return self._shown(pressed_twice)
        stored = self._asked_for(asked)
        laid = _laid(asked, stored)
        if "was" in asked and asked["was"] != placings_json(stored.laid):
            raise Meanwhile("other tiles were laid meanwhile, perhaps on another screen: look at them and play again")
        try:
            played = self._store.play(stored.number, laid, self._wall_clock())
        except IllegalTurn as refused:
            return self._shown(stored, refused=[broken_json(b) for b in refused.broken], laid=placings_json(laid))
        return self._shown(played)

    def _just_played(self, asked: Mapping[str, Any]) -> StoredGame | None:
        """The game, where the very turn that is asked for has just been played: Play was pressed twice."""
        number, turns = asked.get("game"), asked.get("turns")
        stored = self._store.game(number) if _whole(number) else None
        if stored is None or stored.way is not Way.SCREEN or not stored.game.turns:
            return None
        again = turns == len(stored.game.turns) - 1
        return stored if again and asked.get("laid") == placings_json(stored.game.turns[-1].placings) else None

    def _clear(self, asked: Mapping[str, Any]) -> JsonObject:
        stored = self._asked_for(asked)
        cleared = None
        if stored.ended is None:
            self._store.clear(stored.number, self._wall_clock())
            cleared = stored.number if stored.game.turns else None
        return self._shown(self._new(), cleared=cleared)

    def _bring_back(self, asked: Mapping[str, Any]) -> JsonObject:
        number = asked.get("cleared")
        if not _whole(number):
            raise BadInput('bring_back needs "cleared", the number of the game that was cleared')
        now = self._store.unfinished(Way.SCREEN)
        back = self._store.bring_back(number)
        if now and not now[0].game.turns:  # the empty board that came in its place
            self._store.clear(now[0].number, self._wall_clock())
        return self._shown(back)

    def _settings(self, asked: Mapping[str, Any]) -> JsonObject:
        setup = setup_of(asked)
        stored = self._looked_at(asked)
        self._store.prefer(SETTINGS, setup.json())
        if not stored.game.turns and stored.ended is None:
            self._store.clear(stored.number, self._wall_clock())
            return self._shown(self._new())
        return self._shown(stored)

    def _delete_history(self, asked: Mapping[str, Any]) -> JsonObject:
        stored = self._looked_at(asked)
        self._store.delete_history()
        return self._shown(self._wanted(stored.number))


def stored_json(stored: StoredGame) -> JsonObject:
    """A game as JSON values: what it is played with, what lies where, its turns and their scores."""
    game, setup = stored.game, stored.setup
    return {
        **setup.json(),
        "game": stored.number,
        "rows_of_tiles": rows_of_tiles(setup.tile_set),
        "player": game.player,
        "laid": placings_json(stored.laid),
        "board": placings_json(game.board),
        "unplaced": {str(tile): count for tile, count in sorted(game.unplaced.items())},
        "turns": [turn_json(turn) for turn in game.turns],
        "totals": list(game.totals),
        "total": game.total,
        "over": game.over,
    }


def rows_of_tiles(tile_set: str) -> list[JsonObject]:
    """A tile set's rows in the players' own order: `colour` and `numbers`."""
    rows = []
    for part in tile_set.split(";"):
        colour, *numbers = part.lower().split()
        rows.append({"colour": colour, "numbers": [int(number) for number in numbers]})
    return rows


def placings_json(placings: Placings) -> dict[str, str]:
    return {str(cell): str(tile) for cell, tile in sorted(placings.items())}


def turn_json(turn: Turn) -> JsonObject:
    """A scored turn: who played which tiles where, and the squares with their scores."""
    squares = [{"cells": list(map(str, s.cells)), "colour": s.colour, "number": s.number} for s in turn.squares]
    return {"player": turn.player, "tiles": placings_json(turn.placings), "score": turn.score, "squares": squares}


def broken_json(broken: Broken) -> JsonObject:
    return {"rule": str(broken.refusal), "cells": list(map(str, broken.cells)), "text": broken.text}


def statistics_json(finished: list[StoredGame]) -> JsonObject:
    """`results`: every total of every player, in the order of the games' ends, each with what it was played with."""
    return {
        "results": [
            {
                "game": stored.number,
                "way": str(stored.way),
                "ended": stored.ended,
                "kind": _kind(stored.setup.rules),
                "player": stored.setup.names[player] if player < len(stored.setup.names) else "",
                "total": total,
            }
            for stored in finished
            for player, total in enumerate(stored.game.totals)
        ]
    }


def _kind(rules: Try4Rules) -> str:
    """What a total can be compared with: it depends on how many share how many tiles on how large a board."""
    who = "1 player" if rules.players == 1 else f"{rules.players} players"
    numbers = "standard set" if _is_standard(rules.tiles) else f"own set of {len(rules.tiles.tiles)} tiles"
    return f"{who}, {rules.columns} × {rules.rows}, {numbers}"


def _is_standard(tiles: TileSet) -> bool:
    """Five rows of 1 1 2 3 4, whatever their colours."""
    numbers = sorted(tile.number for tile in tiles.tiles)
    rows = all(sum(t.colour == colour for t in tiles.tiles) % len(STANDARD_ROW) == 0 for colour in tiles.colours)
    return rows and numbers == sorted(STANDARD_ROW * len(STANDARD_COLOURS))


def setup_of(asked: Mapping[str, Any]) -> Setup:
    """What a page asks games to be played with. Raises `BadInput` naming the setting and what it may be."""
    columns, rows = (_number(asked, name, 2, LARGEST_SIDE) for name in ("columns", "rows"))
    players = _number(asked, "players", 1, MOST_PLAYERS)
    tile_set, names = asked.get("set"), asked.get("names", [])
    if not isinstance(tile_set, str):
        raise BadInput("tile set: give one, such as 'red 1 1 2 3 4; blue 1 1 2 3 4'")
    if len(TileSet.parse(tile_set).tiles) > MOST_TILES:
        raise BadInput(f"tile set: more than {MOST_TILES} tiles do not fit on the screen")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadInput('names: give a list of texts, such as ["Ada", "Ben"]')
    words = "; ".join(" ".join(part.lower().split()) for part in tile_set.split(";"))
    kept = tuple(plain_name(name)[:MOST_NAME_LETTERS] for name in names[:players])
    return Setup.of(columns, rows, players, words, kept)


def plain_name(name: str) -> str:
    """A name without what changes the direction of the text around it, and without other marks that are not seen."""
    return re.sub(r"\s+", " ", UNSEEN.sub(" ", name)).strip()


def _number(asked: Mapping[str, Any], name: str, least: int, most: int) -> int:
    value = asked.get(name)
    if not _whole(value) or not least <= value <= most:
        raise BadInput(f"{name}: must be a number from {least} to {most}")
    return value


def _laid(asked: Mapping[str, Any], stored: StoredGame) -> dict[Cell, Tile]:
    """The tiles that a page says lie on the board, each from the tray and in an empty cell."""
    given = asked.get("laid")
    if not isinstance(given, dict) or not all(isinstance(tile, str) for tile in given.values()):
        raise BadInput('laid: give cells and tiles, such as {"c3": "red1"}')
    laid = {Cell.parse(cell): Tile.parse(tile) for cell, tile in given.items()}
    game, left = stored.game, stored.game.unplaced
    for cell, tile in laid.items():
        if not game.rules.on_board(cell):
            raise BadInput(f"{cell}: not on this board")
        if cell in game.board:
            raise BadInput(f"{cell}: already taken")
        left[tile] -= 1
        if left[tile] < 0:
            raise BadInput(f"{tile}: no such tile is left")
    return laid


def _merged(asked: Mapping[str, Any], stored: StoredGame) -> Any:
    """What a page says lies there, and beside it what another page of the same game laid or took back meanwhile.

    `was`: what lay there when this page last heard of it; without that the page alone counts.
    """
    laid, was, now = asked.get("laid"), asked.get("was"), placings_json(stored.laid)
    if not isinstance(laid, dict) or not isinstance(was, dict) or was == now:
        return laid
    merged = {cell: tile for cell, tile in now.items() if cell in laid or cell not in was}
    for cell, tile in laid.items():
        if was.get(cell) == tile:
            continue  # not this page's doing: it stays as it is now
        if merged.get(cell, tile) != tile:
            raise Meanwhile(f"{cell}: another screen has just laid a tile there; lay yours elsewhere")
        merged[cell] = tile
    left = stored.game.unplaced
    for tile in merged.values():
        known = Tile.parse(tile)
        left[known] -= 1
        if left[known] < 0:
            raise Meanwhile(f"{tile}: another screen has just laid the last of these; look at the board")
    return merged


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62
