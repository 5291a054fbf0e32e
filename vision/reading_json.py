"""A board reading in the shape in which others get it."""

from typing import Any

from vision.evidence import SURE
from vision.geometry import Grid
from vision.reading import BoardReading, Content

LETTERS = {
    Content.WHITE: "w",
    Content.BLACK: "b",
    Content.WHITE_COLOURED: "W",
    Content.BLACK_COLOURED: "B",
}
DIGITS = 4  # of a probability


def reading_json(image_name: str, reading: BoardReading, grid: Grid) -> dict[str, Any]:
    """The entry for one image: `image`, `board_found`, `wells`, `position`, `confident`, `why`."""
    wells = {
        grid.name(well): {
            "is": content.word,
            "p": {Content(k).word: round(float(p), DIGITS) for k, p in enumerate(reading.p[well])},
        }
        for well, content in enumerate(reading.likeliest())
    }
    return {
        "image": image_name,
        "board_found": reading.board_found,
        "wells": wells,
        "position": rank_text(reading, grid),
        "confident": reading.confident,
        "why": reading.why,
    }


def rank_text(reading: BoardReading, grid: Grid) -> str | None:
    """The ranks from the last down to the first, joined by `/`; None where a well is hidden or uncertain."""
    likely = reading.likeliest()
    if not reading.board_found or Content.HIDDEN in likely or float(reading.p.max(axis=1).min()) < SURE:
        return None
    ranks = []
    for rank in reversed(range(grid.ranks)):
        text, empty = "", 0
        for content in likely[rank * grid.files : (rank + 1) * grid.files]:
            if content is Content.EMPTY:
                empty += 1
                continue
            text += (str(empty) if empty else "") + LETTERS[content]
            empty = 0
        ranks.append(text + (str(empty) if empty else ""))
    return "/".join(ranks)
