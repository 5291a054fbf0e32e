"""A Try 4 game as text: one turn a line, as in `c3=red1 c4=red2 d3=red3`, after what the game is played with."""

import re
from dataclasses import dataclass

from companion.errors import BadInput, SenryakuError
from companion.rules.try4 import IllegalTurn, Placings, Try4Game, Try4Rules
from companion.rules.try4_tiles import STANDARD_SIDE, Cell, Tile, TileSet

_HEAD = re.compile(r"\s*(set|board|players)\s*:(.*)", re.IGNORECASE)
_BOARD = re.compile(r"\s*([0-9]{1,2})\s*x\s*([0-9]{1,2})\s*", re.IGNORECASE)
EXAMPLE_OF_A_TURN = "c3=red1 c4=red2 d3=red3"


class BadGameText(BadInput):
    """A text that is no Try 4 game: the message names the line, what is wrong and what would be right."""


class TurnRefused(SenryakuError, ValueError):
    """A turn in a text breaks a rule: the message names the line and the rules; `line` counts from 1."""

    def __init__(self, line: int, refused: IllegalTurn) -> None:
        self.line, self.broken = line, refused.broken
        super().__init__(f"line {line}: {refused}")


@dataclass(frozen=True, slots=True)
class GameText:
    """What a text says: the rules and each turn with its line (from 1)."""

    rules: Try4Rules
    turns: tuple[tuple[int, dict[Cell, Tile]], ...]


def parse_game(text: str) -> GameText:
    """Reads a game text without asking whether its turns may be played. Raises `BadGameText`."""
    heads: dict[str, tuple[int, str]] = {}
    turns: list[tuple[int, dict[Cell, Tile]]] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.partition("#")[0].strip().removeprefix("\ufeff")
        head = _HEAD.fullmatch(line)
        if head is not None:
            name = head[1].lower()
            if turns or name in heads:
                why = "stands after a turn" if turns else "is there twice"
                raise BadGameText(f"line {number}: '{name}:' {why}; it comes once, before the first turn")
            heads[name] = (number, head[2].strip())
        elif line:
            turns.append((number, _turn(line, number)))
    return GameText(_rules(heads), tuple(turns))


def play_text(text: str) -> Try4Game:
    """Plays a game text. Raises `BadGameText`, and `TurnRefused` at the first turn that breaks a rule."""
    parsed = parse_game(text)
    game = Try4Game(parsed.rules)
    for line, placings in parsed.turns:
        try:
            game = game.play(placings)
        except IllegalTurn as refused:
            raise TurnRefused(line, refused) from refused
    return game


def game_text(game: Try4Game) -> str:
    """A game in the words that `play_text` reads."""
    rules = game.rules
    lines = [f"set: {rules.tiles.text()}", f"board: {rules.columns}x{rules.rows}"]
    lines += [f"players: {rules.players}"] if rules.players > 1 else []
    lines += [placings_text(turn.placings) for turn in game.turns]
    return "\n".join(lines) + "\n"


def placings_text(placings: Placings) -> str:
    """One turn in the words that `placings_of` reads, its cells in order."""
    return " ".join(f"{cell}={tile}" for cell, tile in sorted(placings.items()))


def placings_of(text: str) -> dict[Cell, Tile]:
    """The tiles of one turn from `c3=red1 c4=red2`; none from an empty text. Raises `BadGameText`."""
    return _turn(text, 1)


def _turn(line: str, number: int) -> dict[Cell, Tile]:
    placings: dict[Cell, Tile] = {}
    for part in line.split():
        if "," in part or ";" in part:
            mark = "comma" if "," in part else "semicolon"
            why = f"{part!r} has a {mark}; put spaces between tiles and nothing else, as {EXAMPLE_OF_A_TURN}"
            raise BadGameText(f"line {number}: {why}")
        cell_text, equals, tile_text = part.partition("=")
        if not equals:
            raise BadGameText(f"line {number}: {part!r} is no placing; write CELL=COLOURNUMBER, as {EXAMPLE_OF_A_TURN}")
        try:
            cell, tile = Cell.parse(cell_text), Tile.parse(tile_text)
        except BadInput as error:
            raise BadGameText(f"line {number}: {error}") from error
        if cell in placings:
            raise BadGameText(f"line {number}: {cell} is named twice; each cell takes one tile")
        placings[cell] = tile
    return placings


def _rules(heads: dict[str, tuple[int, str]]) -> Try4Rules:
    tiles, columns, rows, players = TileSet.standard(), STANDARD_SIDE, STANDARD_SIDE, 1
    try:
        for name, (line, value) in heads.items():  # noqa: B007 the line of the one that fails
            if name == "set":
                tiles = TileSet.parse(value)
            elif name == "board":
                columns, rows = _size(value)
            else:
                players = _players(value)
    except BadInput as error:
        raise BadGameText(f"line {line}: {error}") from error
    try:
        return Try4Rules(columns, rows, tiles, players)
    except BadInput as error:
        raise BadGameText(f"line {min(line for line, _ in heads.values())}: {error}") from error


def _size(text: str) -> tuple[int, int]:
    match = _BOARD.fullmatch(text)
    if match is None:
        raise BadInput(f"board {text!r}: write columns x rows, such as 7x7")
    return int(match[1]), int(match[2])


def _players(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,2}", text):
        raise BadInput(f"players {text!r}: write a number from 1 to 4")
    return int(text)
