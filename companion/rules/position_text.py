"""Reading and writing position text, with everything that can be wrong with one."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from companion.errors import BadInput
from companion.rules.wells import N_FILES, N_RANKS, N_WELLS, Side, parse_well, well_name

MAX_PLAIN = 6
"""Plain spheres of a side (rules of the game)."""

PLAIN_LETTER = {Side.WHITE: "w", Side.BLACK: "b"}
COLOURED_LETTER = {Side.WHITE: "W", Side.BLACK: "B"}
LETTERS = "wWbB"

QUOTED = 80
"""How many characters of a bad text a message quotes: a whole position text is at most 52 long."""


class InvalidPosition(BadInput):
    """A position text or placement that cannot be; `problems` lists everything that is wrong with it."""

    def __init__(self, text: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"position {quoted(text)}: {'; '.join(self.problems)}")


def quoted(text: str) -> str:
    """The text in quotes, on one line and cut to a length fit for a message."""
    return repr(text if len(text) <= QUOTED else text[:QUOTED] + "...")


class Fields(NamedTuple):
    """The four parts of a position text, as written."""

    placement: str
    side: str
    white_resting: str
    black_resting: str


def split_fields(text: str) -> tuple[Fields, list[str]]:
    """The four fields. What is missing is filled in harmlessly and named as a problem."""
    parts = text.split()
    wanted = "six ranks, side to move, White's resting well, Black's resting well"
    problems = [] if len(parts) == 4 else [f"4 fields wanted ({wanted}), found {len(parts)}"]
    filled = [*parts[:4], *("", "w", "-", "-")[len(parts) :]]
    return Fields(*filled), problems


def parse_placement(text: str) -> tuple[dict[int, str], list[str]]:
    """Letters by well, and the problems found. `text` is six ranks, rank 6 first, joined by `/`."""
    ranks = text.split("/")
    problems = [] if len(ranks) == N_RANKS else [f"{N_RANKS} ranks wanted, found {len(ranks)}"]
    spheres: dict[int, str] = {}
    for index, rank_text in enumerate(ranks[:N_RANKS]):
        rank = N_RANKS - 1 - index
        letters, found = _parse_rank(rank_text, rank + 1)
        problems += found
        spheres.update({rank * N_FILES + file: letter for file, letter in letters.items()})
    return spheres, problems + problems_of_placement(spheres)


def _parse_rank(text: str, number: int) -> tuple[dict[int, str], list[str]]:
    letters: dict[int, str] = {}
    unknown = ""
    file = 0
    for letter in text:
        if letter in "1234567":
            file += int(letter)
            continue
        if letter not in LETTERS:
            unknown += letter
        elif file < N_FILES:
            letters[file] = letter
        file += 1
    problems = []
    if unknown:
        what = f"unknown letter{'s' * (len(unknown) > 1)} {quoted(unknown)}"
        problems.append(f"{what} in rank {number}, use w W b B and digits 1-{N_FILES}")
    if file != N_FILES:
        problems.append(f"rank {number} needs {N_FILES} wells, has {file}")
    return letters, problems


def problems_of_placement(spheres: Mapping[int, str]) -> list[str]:
    """What is wrong with a set of spheres, `letter by well`."""
    problems = [f"no well {well}" for well in spheres if not 0 <= well < N_WELLS]
    problems += [f"unknown sphere {s!r} in well {w}, use w W b B" for w, s in spheres.items() if s not in LETTERS]
    held = list(spheres.values())
    for side in Side:
        coloured = held.count(COLOURED_LETTER[side])
        plain = held.count(PLAIN_LETTER[side])
        if coloured > 1:
            problems.append(f"{coloured} {side} coloured spheres, at most 1")
        if plain > MAX_PLAIN:
            problems.append(f"{plain} plain {side} spheres, at most {MAX_PLAIN}")
    if not any(letter in held for letter in COLOURED_LETTER.values()):
        problems.append("both coloured spheres are missing, at most one can be captured")
    return problems


def parse_resting(side: Side, text: str, spheres: Mapping[int, str]) -> tuple[int, list[str]]:
    """The one-bit board of a resting well (`-`: 0), and the problems found."""
    if text == "-":
        return 0, []
    try:
        board = 1 << parse_well(text)
    except BadInput:
        return 0, [f"{side}'s resting well is {quoted(text)}, not a well or '-'"]
    return board, problems_of_resting(side, board, spheres)


def problems_of_resting(side: Side, board: int, spheres: Mapping[int, str]) -> list[str]:
    """Only a plain sphere of the side itself can rest."""
    if not board:
        return []
    if board < 0 or board.bit_count() > 1 or board >> N_WELLS:
        return [f"{side}'s resting board {board} is not one well"]
    well = board.bit_length() - 1
    letter = spheres.get(well, "")
    if letter == PLAIN_LETTER[side]:
        return []
    if not letter:
        why = "is empty"
    elif letter == COLOURED_LETTER[side]:
        why = "holds the coloured sphere, which never rests"
    else:
        why = f"holds a {side.other} sphere"
    return [f"{side}'s resting well {well_name(well)} {why}"]


def ranks_text(spheres: Mapping[int, str]) -> str:
    """Six ranks of position text, rank 6 first."""
    return "/".join(_rank_text(spheres, rank) for rank in reversed(range(N_RANKS)))


def _rank_text(spheres: Mapping[int, str], rank: int) -> str:
    text = ""
    empty = 0
    for well in range(rank * N_FILES, (rank + 1) * N_FILES):
        letter = spheres.get(well, "")
        if not letter:
            empty += 1
            continue
        text += (str(empty) if empty else "") + letter
        empty = 0
    return text + (str(empty) if empty else "")
