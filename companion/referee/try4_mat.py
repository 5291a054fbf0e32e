"""Try 4 on a mat: from what the camera reads to turns that are played, refused or asked about.

Nothing is guessed: a cell counts as a tile only where readings are sure of it, or where a person said so. What was
played is known, so whatever differs from it was moved, taken away or turned over, and is said.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.rules.try4 import Broken, Try4Game, Turn
from companion.rules.try4_tiles import Cell, Tile
from vision.tile_reading import CellIs, CellReading, TileReading

WINDOW = 12
"""Readings that are looked at together: those since the mat last changed, and no more than so many."""
SETTLED, SETTLED_S = 2, 0.2
"""Readings that must agree before anything is decided, and for how long (s)."""
PATIENT = 4
"""Readings after which a tile that none of them is sure of is asked about."""
SURE_READINGS = 2
"""Readings that must be sure of a tile, none of another, for it to lie there."""
UNMOVED_S = 4.0
"""What hides cells for so long (s) without any change is no hand at work: its cells are asked about."""
UNMOVED_CELLS = 1
"""By which what is hidden may differ from one reading to the next: noise at its edge."""
STILL_P = 0.5
"""A tile that was played and looks like itself with so much probability is still itself: it was read before."""


class Phase(StrEnum):
    """What the mat waits for."""

    LOST = "lost"
    HANDS = "hands"
    SETTLING = "settling"
    ASKING = "asking"
    READY = "ready"
    OVER = "over"


class Trouble(StrEnum):
    """How the mat differs from what was played."""

    MISSING = "missing"
    MOVED = "moved"
    CHANGED = "changed"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to be put right: what it is, the cells to be marked, and a line that says it. `rule` where one is."""

    trouble: Trouble
    cells: tuple[Cell, ...]
    text: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class TileQuestion:
    """A cell in which something lies that is not read with certainty; the likeliest tiles first.

    `known`: the tile that was played there, which may have been turned over.
    """

    cell: Cell
    candidates: tuple[Tile, ...]
    known: Tile | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a person said of a cell, and what the camera was sure of there then: None for nothing."""

    tile: Tile | None
    against: "Content"


Content = Tile | None | CellIs
"""What a cell holds: a tile, None for empty, or that it is `UNSURE` or `HIDDEN`."""


UNREAD = (CellIs.UNSURE, CellIs.HIDDEN)


@dataclass(frozen=True)
class MatState:
    """The game, the newest readings that agree, and what persons said.

    `pressed`: Play was pressed and waits for the mat to be seen. `refused` is why the last turn was not played, until
    the mat changes. `blind`: the camera cannot see the mat, and all is as persons say.
    """

    game: Try4Game
    window: tuple[TileReading, ...] = ()
    hands: bool = False
    found: bool = False
    blind: bool = False
    told: Mapping[Cell, Told] = field(default_factory=dict)
    pressed: bool = False
    refused: tuple[Problem, ...] = ()
    refused_at: tuple[tuple[Cell, Tile], ...] = ()
    veiled: TileReading | None = None
    veiled_since: float = 0.0


@dataclass(frozen=True)
class Look:
    """The mat against what was played: the content of each cell, the new tiles, what is wrong, and what is asked."""

    cells: Mapping[Cell, Content]
    placed: Mapping[Cell, Tile]
    problems: tuple[Problem, ...]
    questions: tuple[TileQuestion, ...]
    phase: Phase


def take(state: MatState, reading: TileReading) -> MatState:
    """The state after one more reading."""
    if not reading.board_found:
        return replace(state, window=(), hands=False, found=False, veiled=None)
    state = _veiled(state, reading)
    if state.veiled is not None:
        if reading.t - state.veiled_since < UNMOVED_S and not _all_told(state, reading):
            return replace(state, window=(), hands=True, found=True, blind=False)
        reading = _unsure_where_hidden(reading)
    kept = [earlier for earlier in state.window if _agree(earlier, reading)]
    state = replace(state, window=(*kept, reading)[-WINDOW:], hands=False, found=True, blind=False)
    return _forget(state)


def _veiled(state: MatState, reading: TileReading) -> MatState:
    """The state with what the reading says of hidden cells, and since when that is so."""
    if all(cell.is_ is not CellIs.HIDDEN for cell in reading.cells):
        return replace(state, veiled=None)
    before = state.veiled
    unmoved = (
        before is not None and _agree(before, reading) and len(_unread(before) ^ _unread(reading)) <= UNMOVED_CELLS
    )
    return replace(state, veiled=reading, veiled_since=state.veiled_since if unmoved else reading.t)


def _unread(reading: TileReading) -> set[int]:
    return {number for number, cell in enumerate(reading.cells) if cell.is_ in UNREAD}


def _all_told(state: MatState, reading: TileReading) -> bool:
    """Persons have said what lies in all cells that are hidden."""
    columns = state.game.rules.columns
    hidden = [number for number, cell in enumerate(reading.cells) if cell.is_ is CellIs.HIDDEN]
    return all(Cell(number % columns, number // columns) in state.told for number in hidden)


def _unsure_where_hidden(reading: TileReading) -> TileReading:
    cells = tuple(replace(c, is_=CellIs.UNSURE) if c.is_ is CellIs.HIDDEN else c for c in reading.cells)
    return replace(reading, cells=cells)


def blinded(state: MatState) -> MatState:
    """The camera cannot see the mat: from now on all is as persons say, until it can."""
    return state if state.blind else replace(state, blind=True, window=(), hands=False, found=False, veiled=None)


def press(state: MatState) -> MatState:
    """Play was pressed."""
    return replace(state, pressed=not state.game.over, refused=())


def tell(state: MatState, cell: Cell, tile: Tile | None) -> MatState:
    """A person says which tile lies in a cell, or None that there is none."""
    return replace(state, told={**state.told, cell: Told(tile, _seen(state, cell))}, refused=())


def decide(state: MatState) -> tuple[MatState, Turn | None]:
    """Plays the turn that Play was pressed for, once the mat is seen; or says why not, once."""
    seen = look(state)
    if state.refused and seen.phase is Phase.READY and tuple(sorted(seen.placed.items())) != state.refused_at:
        state = replace(state, refused=())
    if not state.pressed or seen.phase is not Phase.READY:
        return state, None
    problems = seen.problems or tuple(map(_rule_problem, state.game.broken_by(seen.placed)))
    if problems:
        at = tuple(sorted(seen.placed.items()))
        return replace(state, pressed=False, refused=problems, refused_at=at), None
    game = state.game.play(seen.placed)
    return replace(state, game=game, pressed=False, refused=()), game.turns[-1]


def look(state: MatState) -> Look:
    """What the mat shows now, against what was played."""
    game, known = state.game, state.game.board
    columns, rows = game.rules.columns, game.rules.rows
    cells = {Cell(x, y): content(state, Cell(x, y)) for y in range(rows) for x in range(columns)}
    placed = {cell: is_ for cell, is_ in cells.items() if isinstance(is_, Tile) and cell not in known}
    unsure = [cell for cell, is_ in cells.items() if is_ is CellIs.UNSURE]
    questions = tuple(_question(state, cell) for cell in unsure) if len(state.window) >= PATIENT else ()
    problems = _differences(cells, known, placed)
    return Look(cells, placed, problems, questions, _phase(state, bool(unsure)))


def content(state: MatState, cell: Cell) -> Content:
    """What a cell holds: as a person said, where the camera is not sure of something new there, else as it is read."""
    seen = _seen(state, cell)
    told = state.told.get(cell)
    if told is not None and seen in (told.against, CellIs.UNSURE, CellIs.HIDDEN):
        return told.tile
    if seen is CellIs.HIDDEN and (state.blind or not state.window):
        return _beside_hands(state, cell)
    known = state.game.board.get(cell)
    if seen is CellIs.UNSURE and known is not None and _looks_like(state, cell, known):
        return known
    return seen


def _beside_hands(state: MatState, cell: Cell) -> Content:
    """While nothing is decided: what was played, and of other cells what the newest reading shows or cannot show."""
    known = state.game.board.get(cell)
    if known is not None or state.veiled is None:
        return known
    there = state.veiled.cells[_number(state, cell)]
    return CellIs.HIDDEN if there.is_ is CellIs.HIDDEN else _tile(there)


def _seen(state: MatState, cell: Cell) -> Content:
    """What the readings agree on."""
    there = _readings(state, cell)
    if not there:
        return CellIs.HIDDEN
    sure = Counter(tile for tile in map(_tile, there) if tile is not None)
    if len(sure) == 1 and sure.total() >= min(SURE_READINGS, len(there)):
        return next(iter(sure))
    if not sure and 2 * sum(one.is_ is CellIs.EMPTY for one in there) > len(there):
        return None
    return CellIs.UNSURE


def _readings(state: MatState, cell: Cell) -> list[CellReading]:
    number = _number(state, cell)
    return [reading.cells[number] for reading in state.window]


def _number(state: MatState, cell: Cell) -> int:
    return cell.row * state.game.rules.columns + cell.column


def _tile(read: CellReading) -> Tile | None:
    """The tile that a reading is sure of."""
    if read.is_ is not CellIs.TILE or read.colour is None or read.number is None:
        return None
    return Tile(read.colour, read.number)


def _agree(one: TileReading, other: TileReading) -> bool:
    """No cell holds for certain something else in one than in the other."""
    for a, b in zip(one.cells, other.cells, strict=True):
        if a.is_ in UNREAD or b.is_ in UNREAD:
            continue
        if _tile(a) != _tile(b):
            return False
    return True


def _looks_like(state: MatState, cell: Cell, known: Tile) -> bool:
    return any(
        (one.colour, one.number) == (known.colour, known.number) and one.p >= STILL_P for one in _readings(state, cell)
    )


def _forget(state: MatState) -> MatState:
    """What a person said of a cell no longer holds once the camera is sure of something new there."""
    if len(state.window) < SETTLED:
        return state
    kept = {c: told for c, told in state.told.items() if _seen(state, c) in (told.against, CellIs.UNSURE, told.tile)}
    return state if len(kept) == len(state.told) else replace(state, told=kept)


def _phase(state: MatState, unsure: bool) -> Phase:
    if state.game.over:
        return Phase.OVER
    if state.blind:
        return Phase.READY
    if state.hands:
        return Phase.HANDS
    if not state.found:
        return Phase.LOST
    window = state.window
    if len(window) < (PATIENT if unsure else SETTLED) or window[-1].t - window[0].t < SETTLED_S:
        return Phase.SETTLING
    return Phase.ASKING if unsure else Phase.READY


def _question(state: MatState, cell: Cell) -> TileQuestion:
    """The likeliest first, then the other tiles that may still be placed."""
    known = state.game.board.get(cell)
    guesses = Counter(
        {Tile(one.colour, one.number): one.p for one in _readings(state, cell) if one.colour and one.number is not None}
    )
    left = state.game.unplaced
    likely = [tile for tile, _ in guesses.most_common() if left[tile] or tile == known]
    first = ([] if known is None else [known]) + likely
    return TileQuestion(cell, tuple(dict.fromkeys([*first, *sorted(left)])), known)


def _differences(
    cells: Mapping[Cell, Content], known: Mapping[Cell, Tile], placed: Mapping[Cell, Tile]
) -> tuple[Problem, ...]:
    """Where the mat is not as it was played: tiles that are gone, lie elsewhere, or are others."""
    problems = []
    elsewhere = dict(placed)
    for cell, tile in sorted(known.items()):
        there = cells[cell]
        if there == tile or isinstance(there, CellIs):
            continue
        if there is not None:
            text = f"{cell}: {_words(tile)} was played here, and now {_words(there)} lies here; put it back as it was"
            problems.append(Problem(Trouble.CHANGED, (cell,), text))
            continue
        to = next((other for other, moved in sorted(elsewhere.items()) if moved == tile), None)
        if to is None:
            text = f"{cell}: {_words(tile)} was played here and is gone; put it back"
            problems.append(Problem(Trouble.MISSING, (cell,), text))
        else:
            del elsewhere[to]
            text = f"{_words(tile)} was played on {cell} and lies on {to}; put it back on {cell}"
            problems.append(Problem(Trouble.MOVED, (cell, to), text))
    return tuple(problems)


def _rule_problem(broken: Broken) -> Problem:
    return Problem(Trouble.RULE, broken.cells, broken.text, str(broken.refusal))


def _words(tile: Tile) -> str:
    return f"{tile.colour} {tile.number}"
