"""The 42 wells and the two sides.

A well is an int: `rank * 7 + file`, so a1 = 0, g1 = 6, a2 = 7, g6 = 41. A set of wells is a bitboard,
an int whose bit n stands for well n.
"""

from enum import StrEnum

from companion.errors import BadInput

FILES = "abcdefg"
RANKS = "123456"
N_FILES = len(FILES)
N_RANKS = len(RANKS)
N_WELLS = N_FILES * N_RANKS

BOARD = (1 << N_WELLS) - 1
"""Every well."""

FILE_A = sum(1 << (rank * N_FILES) for rank in range(N_RANKS))
FILE_G = FILE_A << (N_FILES - 1)

WELL_NAMES: tuple[str, ...] = tuple(file + rank for rank in RANKS for file in FILES)
_WELLS = {name: well for well, name in enumerate(WELL_NAMES)}


class Side(StrEnum):
    """A player, by the colour of the plain spheres. White sits at rank 1 and moves toward rank 6."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> "Side":
        """The opponent."""
        return Side.BLACK if self is Side.WHITE else Side.WHITE


def well_name(well: int) -> str:
    """`a1` .. `g6` for 0 .. 41; raises BadInput for any other number."""
    if not 0 <= well < N_WELLS:
        raise BadInput(f"{well} is no well; wells are 0 (a1) to {N_WELLS - 1} (g6)")
    return WELL_NAMES[well]


def parse_well(text: str) -> int:
    """0 .. 41 for `a1` .. `g6`, in either case; raises BadInput for anything else."""
    try:
        return _WELLS[text.strip().lower()]
    except KeyError:
        raise BadInput(f"{text!r} is no well; wells are a1 to g6") from None


def bits(board: int) -> tuple[int, ...]:
    """The wells in a bitboard, ascending."""
    wells = []
    while board:
        lowest = board & -board
        wells.append(lowest.bit_length() - 1)
        board ^= lowest
    return tuple(wells)
