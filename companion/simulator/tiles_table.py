"""A simulated mat with players: they lay tiles, slip, press Play, and see to what the table says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from companion.referee.try4_mat import MatState, Phase, look
from companion.rules.try4 import Placings, Try4Game
from companion.rules.try4_text import placings_text
from companion.rules.try4_tiles import Cell, Tile
from companion.simulator.tiles_picture import draw_mat
from companion.simulator.tiles_plans import PlannedTurn, Slip, no_square, planned_game, too_many
from companion.simulator.tiles_scene import HandOnMat, MatLight, MatScene, TileOnMat
from vision.frames import Frame
from vision.geometry import CameraModel, MarkerLayout
from vision.tile_glyphs import Hand, draw
from vision.tile_mat import TileGrid

Picture = NDArray[np.uint8]

FRAME_S = 0.25
"""Between two pictures."""
CAMERA = CameraModel((960, 720), ((957.0, 0, 479.5), (0, 957.0, 359.5), (0, 0, 1)))
HAND_FRAMES = 2
THINK_FRAMES = 3
MOST_FRAMES = 60
"""Without an answer from the table for so long, players note that none came, and go on."""
NOISE = 1.5
OFF_MM, TURN_DEG = 1.2, 5.0
"""How crooked tiles are laid: standard deviations."""
KEPT_PICTURES = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the table should have said of a turn, and what it said."""

    turn: int
    wanted: str
    said: str

    @property
    def agrees(self) -> bool:
        return self.wanted == self.said


class SimulatedMat:
    """Iterate `frames`. `ask` may be called from another thread: then a person plays, and the players only watch.

    When they are let play on they first put the mat as the table knows it.
    """

    camera = CAMERA

    @staticmethod
    def markers_of(grid: TileGrid) -> MarkerLayout:
        """Where the markers of a mat with this grid are."""
        return MatScene(grid).layout

    def __init__(self, game: Try4Game, seed: int, mistakes: float, cell_mm: float = 34.0) -> None:
        """`game` as far as it has been played. The whole of it is planned by the seed alone, so it can go on."""
        self._rng = np.random.default_rng((seed, len(game.turns)))
        rules = game.rules
        self.grid = TileGrid(rules.columns, rules.rows, cell_mm)
        self._seed, self._mistakes = seed, mistakes
        self.plan: tuple[PlannedTurn, ...] = planned_game(rules, seed, mistakes)
        self._bare = _scene(self.grid, seed)
        self._tiles: dict[Cell, TileOnMat] = {}
        for cell, tile in game.board.items():
            self._lay(cell, tile)
        self._hand: HandOnMat | None = None
        self._drawn: dict[Any, Picture] = {}
        self._noise = self._rng.normal(0, NOISE, (720 + 32, 960 + 32, 3)).astype(np.int8)
        self._t = 0.0
        self.by_hand = False
        self.outcomes: list[Outcome] = []

    def frames(self, mat: Callable[[], MatState], press: Callable[[], None]) -> Iterator[Frame]:
        """Pictures until the game is over. `mat` is what the table knows, `press` its button."""
        while not mat().game.over:
            game = mat().game
            number = len(game.turns)
            if self.by_hand:
                yield self._frame()
            elif not self._as_planned(game):
                yield from self._put_right(game)
            else:
                yield from self._turn(number, self.plan[number], mat, press)
        yield from self._frames(HAND_FRAMES)

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """A person's hand: `lay` a tile in a cell, `take` one away, `turn_over`, `let_play`. Raises `BadInput`."""
        do = command.get("do")
        if do == "let_play":
            self.by_hand = False
            return {"done": True}
        if do not in ("lay", "take", "turn_over") or not isinstance(command.get("cell"), str):
            raise BadInput('a hand can lay, take or turn_over in a cell: {"do": "lay", "cell": "c4", "tile": "red3"}')
        cell = Cell.parse(command["cell"])
        self.by_hand = True
        if do == "lay":
            if cell in self._tiles:
                raise BadInput(f"{cell}: a tile lies there already")
            if not (cell.column < self.grid.columns and cell.row < self.grid.rows):
                raise BadInput(f"{cell}: not on the mat")
            self._lay(cell, Tile.parse(str(command.get("tile"))))
            return {"done": True}
        if cell not in self._tiles:
            raise BadInput(f"{cell}: no tile lies there")
        if do == "take":
            del self._tiles[cell]
        else:
            self._tiles[cell] = replace(self._tiles[cell], face_down=not self._tiles[cell].face_down)
        return {"done": True}

    # Players

    def _as_planned(self, game: Try4Game) -> bool:
        """Whoever lays a tile by hand leaves the plan."""
        return self._follows(game) and not self._wrong_cells(game)

    def _follows(self, game: Try4Game) -> bool:
        done = [turn.placings for turn in game.turns]
        return done == [dict(turn.placings) for turn in self.plan[: len(done)]]

    def _wrong_cells(self, game: Try4Game) -> list[Cell]:
        """Where the mat is not as it was played."""
        lies = {cell: None if t.face_down else Tile(t.colour, t.number) for cell, t in self._tiles.items()}
        return [cell for cell in sorted(lies.keys() | game.board.keys()) if lies.get(cell) != game.board.get(cell)]

    def _put_right(self, game: Try4Game) -> Iterator[Frame]:
        """The players lay the tiles as the table knows them, and plan anew where the old turns no longer fit."""
        if not self._follows(game):
            self.plan = planned_game(game.rules, self._seed, self._mistakes, game)

        def right() -> None:
            for cell in self._wrong_cells(game):
                self._tiles.pop(cell, None)
                if cell in game.board:
                    self._lay(cell, game.board[cell])

        yield from self._with_hand(right)

    def _turn(
        self, number: int, planned: PlannedTurn, mat: Callable[[], MatState], press: Callable[[], None]
    ) -> Iterator[Frame]:
        yield from self._frames(THINK_FRAMES)
        slip = planned.slip
        yield from self._laid_wrongly(number, slip, mat, press)
        if self._interrupted():
            return
        spoiled = self._spoil(slip, mat().game)

        def lay() -> None:
            self._lay_all(planned.placings)
            if spoiled is not None:
                spoiled[0]()

        yield from self._with_hand(lay)
        if self._interrupted():
            return
        if slip is Slip.FACE_DOWN:
            cell = sorted(planned.placings)[0]
            self._flip(cell)
            yield from self._asked(number, cell, mat, press)
        elif slip is Slip.TURNED_OVER and spoiled is not None:
            yield from self._asked(number, spoiled[2], mat, press)
        elif spoiled is not None:
            press()
            yield from self._wait(number, f"refused {spoiled[1]}", mat)
            yield from self._with_hand(spoiled[3])
        if self._interrupted():
            return
        if slip is Slip.HAND_RESTS:
            self._hand = self._some_hand()
            yield self._frame()
            press()
            yield from self._frames(HAND_FRAMES)
            self._hand = None
        elif not mat().pressed:
            yield from self._frames(1)
            press()
        yield from self._wait(number, f"played {placings_text(planned.placings)}", mat)

    def _interrupted(self) -> bool:
        """Has a person laid a tile meanwhile? Asked anew each time, as another thread may say so."""
        return self.by_hand

    def _laid_wrongly(
        self, number: int, slip: Slip | None, mat: Callable[[], MatState], press: Callable[[], None]
    ) -> Iterator[Frame]:
        """A turn that breaks a rule is laid, refused and taken back, where such a slip is planned."""
        wrong = self._wrong_turn(slip, mat().game)
        if wrong is None or self._interrupted():
            return
        yield from self._with_hand(lambda: self._lay_all(wrong[0]))
        if self._interrupted():
            return
        press()
        yield from self._wait(number, f"refused {wrong[1]}", mat)
        yield from self._with_hand(lambda: self._take_all(wrong[0]))

    def _asked(
        self, number: int, cell: Cell, mat: Callable[[], MatState], press: Callable[[], None]
    ) -> Iterator[Frame]:
        """A tile lies face down: the table asks, and the tile is turned up; Play, once pressed, holds."""
        press()
        yield from self._wait(number, f"asked {cell}", mat)
        yield from self._with_hand(lambda: self._flip(cell))

    def _wait(self, number: int, wanted: str, mat: Callable[[], MatState]) -> Iterator[Frame]:
        said = "nothing"
        for _ in range(MOST_FRAMES):
            yield self._frame()
            if self.by_hand:
                return
            said = _said(mat(), number)
            if said != "nothing":
                break
        self.outcomes.append(Outcome(number, wanted, said))

    def _wrong_turn(self, slip: Slip | None, game: Try4Game) -> tuple[Placings, str] | None:
        if slip is Slip.NO_SQUARE:
            placings = no_square(game, self._rng)
            return None if placings is None else (placings, "no_square")
        if slip is Slip.TOO_MANY:
            placings = too_many(game, self._rng)
            return None if placings is None else (placings, "too_many_tiles")
        return None

    def _spoil(self, slip: Slip | None, game: Try4Game) -> Any:
        """What happens to a tile that was played: how, what should be said, its cell, and how it is put right."""
        if slip not in (Slip.MOVED, Slip.MISSING, Slip.TURNED_OVER) or not game.board:
            return None
        cell = sorted(game.board)[int(self._rng.integers(len(game.board)))]
        tile = self._tiles[cell]
        if slip is Slip.TURNED_OVER:
            return (lambda: self._flip(cell)), "", cell, (lambda: self._flip(cell))
        if slip is Slip.MISSING:
            return (lambda: self._tiles.pop(cell)), "missing", cell, (lambda: self._tiles.update({cell: tile}))

        def move() -> None:
            to = next(c for c in _cells(self.grid) if c not in self._tiles)
            self._tiles[to] = replace(self._tiles.pop(cell), cell=self._number(to))
            self._moved = to

        def back() -> None:
            del self._tiles[self._moved]
            self._tiles[cell] = tile

        return move, "moved", cell, back

    # The mat

    def _lay(self, cell: Cell, tile: Tile) -> None:
        off, turn = self._rng.normal(0, OFF_MM, 2), float(self._rng.normal(0, TURN_DEG))
        turn += 90.0 * int(self._rng.integers(4))
        self._tiles[cell] = TileOnMat(
            self._number(cell), tile.colour, tile.number, (float(off[0]), float(off[1])), turn
        )

    def _lay_all(self, placings: Placings) -> None:
        for cell, tile in placings.items():
            self._lay(cell, tile)

    def _take_all(self, placings: Placings) -> None:
        for cell in placings:
            self._tiles.pop(cell, None)

    def _flip(self, cell: Cell) -> None:
        self._tiles[cell] = replace(self._tiles[cell], face_down=not self._tiles[cell].face_down)

    def _number(self, cell: Cell) -> int:
        return cell.row * self.grid.columns + cell.column

    # Pictures

    def _frames(self, count: int) -> Iterator[Frame]:
        for _ in range(count):
            yield self._frame()

    def _with_hand(self, does: Callable[[], object]) -> Iterator[Frame]:
        """A hand comes over the mat, does something, and goes; where a person's has come meanwhile it does nothing."""
        self._hand = self._some_hand()
        yield from self._frames(HAND_FRAMES)
        if not self.by_hand:
            does()
        yield self._frame()
        self._hand = None

    def _some_hand(self) -> HandOnMat:
        """From a few places only: their pictures are drawn once."""
        width, height = self.grid.size_mm
        return HandOnMat((float(self._rng.choice([-0.2, 0.2])) * width, -0.15 * height), 0.0)

    def _frame(self) -> Frame:
        self._t += FRAME_S
        return Frame(round(self._t, 6), self._noisy(self._picture()))

    def _picture(self) -> Picture:
        tiles = tuple(self._tiles[cell] for cell in sorted(self._tiles))
        key = (tiles, self._hand)
        if key not in self._drawn:
            hands = () if self._hand is None else (self._hand,)
            while len(self._drawn) >= KEPT_PICTURES:
                del self._drawn[next(iter(self._drawn))]
            self._drawn[key] = draw_mat(replace(self._bare, tiles=tiles, hands=hands), _glyph)
        return self._drawn[key]

    def _noisy(self, picture: Picture) -> Picture:
        y, x = (int(v) for v in self._rng.integers(0, 32, 2))
        height, width = picture.shape[:2]
        return np.asarray(cv2.add(picture, self._noise[y : y + height, x : x + width], dtype=cv2.CV_8U), np.uint8)


@lru_cache(maxsize=64)
def _drawn_glyph(digit: int, hand: Hand, size: int, height: float) -> NDArray[np.float32]:
    return draw(digit, hand, size, height)


def _glyph(digit: int, hand: Hand, size: int, height: float) -> NDArray[np.float32]:
    """A digit; each is drawn once, as that takes longer than all else of a picture."""
    return _drawn_glyph(digit, hand, size, height).copy()


def _said(mat: MatState, number: int) -> str:
    """What the table has said of the turn with this number."""
    if len(mat.game.turns) > number:
        return f"played {placings_text(mat.game.turns[number].placings)}"
    if mat.refused:
        first = mat.refused[0]
        return f"refused {first.rule or first.trouble}"
    seen = look(mat)
    if seen.phase is Phase.ASKING and seen.questions:
        return f"asked {seen.questions[0].cell}"
    return "nothing"


def _cells(grid: TileGrid) -> list[Cell]:
    return [Cell(x, y) for y in range(grid.rows) for x in range(grid.columns)]


def _scene(grid: TileGrid, seed: int) -> MatScene:
    """A mat on a table, in a room's uneven light; the camera looks at it from a little aside."""
    rng = np.random.default_rng(seed)
    half_mm = max(grid.size_mm) / 2 + grid.cell_mm
    return MatScene(
        grid,
        light=MatLight(
            (float(rng.uniform(0.9, 1.1)), 1.0, float(rng.uniform(0.9, 1.1))),
            slope=(float(rng.normal(0, 0.12)), float(rng.normal(0, 0.12))),
        ),
        camera=CAMERA,
        away_mm=half_mm * 3.5,
        lean_deg=float(rng.uniform(2, 10)),
        around_deg=float(rng.uniform(0, 360)),
        noise=0.0,
        seed=seed,
    )
