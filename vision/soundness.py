"""Can a picture as a whole be trusted? Told from what every picture of the board must show.

Printed black is far darker than white paper, a coloured sphere has its colour, and the board's own tint against paper
stays what it was. Where that is not so (a veil, hardly any light, a grey picture, colours turned), each well may still
look like something for certain that it is not.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.appearance import Surface
from vision.colour import Colours
from vision.evidence import ODD
from vision.medians import median
from vision.palette import COLOURED
from vision.reading import Content
from vision.weighing import Probabilities

LEAST_PRINT_CONTRAST = 1.85  # of black print to white paper, natural logarithm of linear light; usually 3 and more
DARK_PAPER = -2.2  # of full scale, natural logarithm: less light on white paper is the reason for little contrast
LEAST_CHROMA = 0.5  # of the strongest colour on the board; painted spheres have 1.3 and more, wood 0.4 and more
TELLING_TINT = 0.3  # chroma of a board from which its fading tells that colours have faded
FADED = 0.55  # share of a known board's chroma below which a picture has lost its colours
TURNED = 0.15  # how far a known board's chroma may go aside
# Warmth and tint of boards that nobody has shown yet: at least, and at most
LEAST_OF_WOOD, MOST_OF_WOOD = np.array([-0.3, -0.24]), np.array([1.9, 0.4])
FULL, MOST_CLIPPED = (
    -0.03,
    0.35,
)  # brightness, natural logarithm, that is clipped; and the most of the wells that may be
ROWS_BETWEEN, SQUARES = 16, 4.2  # rows of a picture are looked at; its steps between squares against those within them
FINEST = 20.0  # steps of less than a level over this are none
SQUARE_PX = 8  # side of the squares in which JPEG keeps pictures
SAME_SHAPE = 0.02  # share by which the ratio of a picture's sides may differ from the camera's
READ = 0.5  # probability from which a well counts as read

FLAT = "the picture is flat, as if behind a veil: black print is hardly darker than white paper"
DARK = "the picture is too dark: black print is hardly darker than white paper"
CLIPPED = "the picture is overexposed: much of the board is white"
COARSE = "the picture was compressed too much: it shows hardly more than squares"
GREY = "the picture has hardly any colour"
OTHER_COLOURS = "the board has not the colour that it had in the pictures learned from"
NO_WOOD = "the board is of a colour that wood never has: show it empty (--empty), or see to the camera's colours"
NO_COLOURED = "no sphere has a colour that [spheres] names: check [spheres], and the picture's colours"


def board_tint(gaps: Colours, paper: Colours) -> Colours:
    """The board's colour relative to paper, (3,), from the gaps' (gaps, 3) and the markers' (markers, 3).

    NaN where no marker is in sight.
    """
    seen = paper[~np.isnan(paper[:, 0])]
    if not len(seen):
        return np.full(3, np.nan, np.float32)
    return np.asarray(median(gaps, axis=0) - np.median(seen, axis=0), np.float32)


def known_tint(gaps: Colours, paper: Colours) -> Colours | None:
    """As `board_tint`; None where no marker is in sight."""
    tint = board_tint(gaps, paper)
    return None if np.isnan(tint).any() else tint


def other_shape(image: NDArray[np.uint8], size_px: tuple[int, int] | None) -> str:
    """What to add where a picture without the board has not the shape of the camera's, (width, height)."""
    height, width = image.shape[:2]
    if size_px is None or abs(width * size_px[1] - height * size_px[0]) < SAME_SHAPE * width * size_px[1]:
        return ""
    turned = ", so it may be turned by 90 degrees" if (width > height) != (size_px[0] > size_px[1]) else ""
    return f"; the picture is {width} x {height}, but [camera] size_px says {size_px[0]} x {size_px[1]}{turned}"


def print_fault(paper: Colours, ink: NDArray[np.float32]) -> str | None:
    """What is wrong with the light, from the markers' paper (markers, 3) and black (markers,); NaN if unseen."""
    seen = ~np.isnan(paper[:, 0])
    if not seen.any() or np.median(paper[seen, 0] - ink[seen]) > LEAST_PRINT_CONTRAST:
        return None
    return DARK if np.median(paper[seen, 0]) < DARK_PAPER else FLAT


def levels_fault(image: NDArray[np.uint8], levels: Colours) -> str | None:
    """What was lost of the picture: wells are overexposed, or all that is finer than squares is gone.

    `levels` (wells, samples, 3): logarithms of the wells' light.
    """
    if (levels.max(axis=2) > FULL).mean() > MOST_CLIPPED:
        return CLIPPED
    rows = image[ROWS_BETWEEN // 2 :: ROWS_BETWEEN, :, 1].astype(np.int16)
    steps = np.abs(np.diff(rows, axis=1)).mean(axis=0)
    between = steps[SQUARE_PX - 1 :: SQUARE_PX].mean()
    within = np.delete(steps, np.s_[SQUARE_PX - 1 :: SQUARE_PX]).mean()
    return COARSE if between > SQUARES * (within + 1 / FINEST) else None


def colour_fault(
    tint: Colours, known: Colours | None, middles: Colours, p: Probabilities, palette: Mapping[Content, Surface]
) -> str | None:
    """What is wrong with the colours: of the board, `tint` (3,) against paper, `known` if it was shown, and of spheres.

    `middles` (wells, 3): the wells' colours relative to paper.
    """
    if np.isnan(tint).any() or not any(content in palette for content in COLOURED):
        return None
    chroma = tint[1:]
    if known is not None and np.hypot(*known[1:]) > TELLING_TINT:
        length = float(np.hypot(*known[1:]))
        along = float(chroma @ known[1:]) / length
        aside = float(chroma[0] * known[2] - chroma[1] * known[1]) / length
        if along < FADED * length and abs(aside) < length / 2:
            return GREY
        return OTHER_COLOURS if abs(aside) > TURNED or along < FADED * length else None
    if max(float(np.hypot(*middles[:, 1:].T).max()), float(np.hypot(*chroma))) < LEAST_CHROMA:
        return GREY
    if known is None and ((chroma < LEAST_OF_WOOD) | (chroma > MOST_OF_WOOD)).any():
        return NO_WOOD
    likely = np.where(p.max(axis=1) > READ, p.argmax(axis=1), Content.HIDDEN)
    spheres = np.isin(likely, (Content.WHITE, Content.BLACK)).any()
    if known is None and spheres and not np.isin(likely, (*COLOURED, Content.HIDDEN)).any():
        return NO_COLOURED
    return None


def doubted(p: Probabilities) -> Probabilities:
    """Probabilities (wells, 6) of which none in sight is certain any more: what is taken away goes to hidden."""
    less = p.copy()
    less[:, : Content.HIDDEN] = np.minimum(less[:, : Content.HIDDEN], ODD)
    less[:, Content.HIDDEN] = 1 - less[:, : Content.HIDDEN].sum(axis=1)
    return less
