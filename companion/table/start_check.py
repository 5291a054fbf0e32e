"""Does the start position stand? What the camera sees is compared with it, sphere by sphere."""

from companion.referee.hypotheses import LETTER_OF_CONTENT
from companion.referee.misplaced import Astray, misplaced
from companion.rules import Position
from vision.reading import BoardReading, Content


def out_of_start(start: Position, reading: BoardReading | None) -> tuple[Astray, ...] | None:
    """What must be carried where until the start position stands; None where the camera cannot tell.

    What is hidden is taken to be right.
    """
    if reading is None or not reading.board_found:
        return None
    right = start.letters()
    contents = reading.likeliest()
    letters = {w: right.get(w, "") if c is Content.HIDDEN else LETTER_OF_CONTENT[c] for w, c in enumerate(contents)}
    return misplaced({well: letter for well, letter in letters.items() if letter}, right)
