"""Try 4: turns, squares, scores, players and the end of a game.

A game is the list of its turns; all else follows from it. Nothing here is changed: a turn played gives a new game.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.errors import BadInput, SenryakuError
from companion.rules.try4_tiles import MOST_SIDE, STANDARD_SIDE, Cell, Tile, TileSet

MOST_TILES_A_TURN = 3
MOST_PLAYERS = 4
SMALLEST_SIDE = 2
"""On a smaller board there is no square."""

Placings = Mapping[Cell, Tile]


class Refusal(StrEnum):
    """Why a turn breaks a rule."""

    GAME_OVER = "game_over"
    NO_TILES = "no_tiles"
    TOO_MANY_TILES = "too_many_tiles"
    OFF_BOARD = "off_board"
    OCCUPIED = "occupied"
    NOT_IN_SET = "not_in_set"
    NONE_LEFT = "none_left"
    NO_SQUARE = "no_square"


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken rule: which, the cells concerned (to be marked), and a line that says it."""

    refusal: Refusal
    cells: tuple[Cell, ...]
    text: str


class IllegalTurn(SenryakuError, ValueError):
    """A turn that breaks one rule or several: `broken` holds all, the message names all."""

    def __init__(self, broken: tuple[Broken, ...]) -> None:
        self.broken = broken
        super().__init__("; ".join(b.text for b in broken))


@dataclass(frozen=True, slots=True)
class Square:
    """A completed 2 by 2 block: its cells (bottom left, bottom right, top left, top right) and its two scores."""

    cells: tuple[Cell, Cell, Cell, Cell]
    colour: int
    number: int

    @property
    def score(self) -> int:
        return self.colour + self.number


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that was played: the tiles sorted by cell, the squares that it completed, and who played it (from 0)."""

    placed: tuple[tuple[Cell, Tile], ...]
    squares: tuple[Square, ...]
    player: int

    @property
    def score(self) -> int:
        return sum(square.score for square in self.squares)

    @property
    def placings(self) -> dict[Cell, Tile]:
        return dict(self.placed)


@dataclass(frozen=True, slots=True)
class Try4Rules:
    """A game's settings. Raises `BadInput` naming the setting and what it may be."""

    columns: int = STANDARD_SIDE
    rows: int = STANDARD_SIDE
    tiles: TileSet = field(default_factory=TileSet.standard)
    players: int = 1

    def __post_init__(self) -> None:
        for name, side in (("columns", self.columns), ("rows", self.rows)):
            if not SMALLEST_SIDE <= side <= MOST_SIDE:
                raise BadInput(f"Try 4 {name}: {side} is not from {SMALLEST_SIDE} to {MOST_SIDE}")
        if not 1 <= self.players <= MOST_PLAYERS:
            raise BadInput(f"Try 4 players: {self.players} is not from 1 to {MOST_PLAYERS}")
        if len(self.tiles.tiles) > self.columns * self.rows:
            raise BadInput(
                f"Try 4 tile set: {len(self.tiles.tiles)} tiles are too many for the {self.columns * self.rows} cells "
                f"of a {self.columns}x{self.rows} board"
            )

    def on_board(self, cell: Cell) -> bool:
        return 0 <= cell.column < self.columns and 0 <= cell.row < self.rows


@dataclass(frozen=True)
class Try4Game:
    """A game as far as it has been played."""

    rules: Try4Rules = field(default_factory=Try4Rules)
    turns: tuple[Turn, ...] = ()

    @property
    def board(self) -> dict[Cell, Tile]:
        """What lies on the board."""
        return {cell: tile for turn in self.turns for cell, tile in turn.placed}

    @property
    def unplaced(self) -> Counter[Tile]:
        """The tiles of the set that are still to be placed, and how often each."""
        return self.rules.tiles.counts - Counter(tile for turn in self.turns for _, tile in turn.placed)

    @property
    def over(self) -> bool:
        """Every tile of the set has been placed."""
        return sum(len(turn.placed) for turn in self.turns) == len(self.rules.tiles.tiles)

    @property
    def player(self) -> int:
        """Whose turn is next, from 0."""
        return len(self.turns) % self.rules.players

    @property
    def totals(self) -> tuple[int, ...]:
        """Each player's total."""
        return tuple(sum(t.score for t in self.turns if t.player == player) for player in range(self.rules.players))

    @property
    def total(self) -> int:
        """Of all turns, whoever played them."""
        return sum(turn.score for turn in self.turns)

    def broken_by(self, placings: Placings) -> tuple[Broken, ...]:
        """Every rule that a turn would break; none where it may be played."""
        if self.over:
            return (Broken(Refusal.GAME_OVER, (), "the game is over: every tile of the set has been placed"),)
        broken = [*_broken_in_number(placings), *_broken_on_board(self, placings), *_broken_in_set(self, placings)]
        board = self.board | dict(placings)
        if not broken and len(placings) > 1 and not squares_completed(board, placings):
            text = f"{len(placings)} tiles complete no square: two or three at once must complete at least one"
            broken.append(Broken(Refusal.NO_SQUARE, tuple(sorted(placings)), text))
        return tuple(broken)

    def play(self, placings: Placings) -> "Try4Game":
        """The game with a turn more. Raises `IllegalTurn` with every rule that it breaks."""
        broken = self.broken_by(placings)
        if broken:
            raise IllegalTurn(broken)
        squares = squares_completed(self.board | dict(placings), placings)
        turn = Turn(tuple(sorted(placings.items())), squares, self.player)
        return replace(self, turns=(*self.turns, turn))

    def taken_back(self) -> "Try4Game":
        """The game without its last turn. Raises `BadInput` where there is none."""
        if not self.turns:
            raise BadInput("no turn to take back: nothing has been played yet")
        return replace(self, turns=self.turns[:-1])


def squares_completed(board: Placings, fresh: Iterable[Cell]) -> tuple[Square, ...]:
    """The squares of a board that hold at least one of the `fresh` cells, from the bottom left on."""
    corners = {Cell(cell.column - dx, cell.row - dy) for cell in fresh for dx in (0, 1) for dy in (0, 1)}
    squares = []
    for corner in sorted(corners, key=lambda c: (c.row, c.column)):
        x, y = corner.column, corner.row
        cells = (corner, Cell(x + 1, y), Cell(x, y + 1), Cell(x + 1, y + 1))
        if all(cell in board for cell in cells):
            squares.append(scored(cells, board))
    return tuple(squares)


def scored(cells: tuple[Cell, Cell, Cell, Cell], board: Placings) -> Square:
    """A square with its scores: tiles that share a colour, and the sum of numbers all the same or all different."""
    tiles = [board[cell] for cell in cells]
    numbers = [tile.number for tile in tiles]
    colour = max(Counter(tile.colour for tile in tiles).values())
    return Square(cells, colour, sum(numbers) if len(set(numbers)) in (1, len(numbers)) else 0)


def _broken_in_number(placings: Placings) -> list[Broken]:
    if not placings:
        return [Broken(Refusal.NO_TILES, (), "no tile was placed: a turn places one, two or three")]
    if len(placings) > MOST_TILES_A_TURN:
        text = f"{len(placings)} tiles were placed: a turn places one, two or three"
        return [Broken(Refusal.TOO_MANY_TILES, tuple(sorted(placings)), text)]
    return []


def _broken_on_board(game: Try4Game, placings: Placings) -> list[Broken]:
    broken, board = [], game.board
    off = tuple(sorted(cell for cell in placings if not game.rules.on_board(cell)))
    if off:
        size = f"{game.rules.columns}x{game.rules.rows}"
        broken.append(Broken(Refusal.OFF_BOARD, off, f"{_listed(off)}: not on the {size} board"))
    taken = tuple(sorted(cell for cell in placings if cell in board))
    if taken:
        tiles = ", ".join(f"{cell} (by {board[cell]})" for cell in taken)
        broken.append(Broken(Refusal.OCCUPIED, taken, f"{tiles}: already taken; a tile needs an empty cell"))
    return broken


def _broken_in_set(game: Try4Game, placings: Placings) -> list[Broken]:
    broken, left = [], game.unplaced
    for tile, count in sorted(Counter(placings.values()).items()):
        cells = tuple(sorted(cell for cell, placed in placings.items() if placed == tile))
        if tile not in game.rules.tiles.counts:
            text = f"{tile} at {_listed(cells)}: not in the tile set {game.rules.tiles.text()}"
            broken.append(Broken(Refusal.NOT_IN_SET, cells, text))
        elif count > left[tile]:
            text = f"{tile} at {_listed(cells)}: {count} placed, but {left[tile] or 'none'} of the set unplaced"
            broken.append(Broken(Refusal.NONE_LEFT, cells, text))
    return broken


def _listed(cells: Iterable[Cell]) -> str:
    return ", ".join(map(str, cells))
