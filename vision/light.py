"""The light on the board: how bright and of what colour it falls where, told from the bare board and the white paper.

All colours are logarithms (see `colour`), so light is a sum: what a place shows = the light there + the surface's tint.
The markers' paper is white; the board's tint relative to it stays the same whatever the light does.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.colour import Colours
from vision.geometry import Grid, MarkerLayout
from vision.sampling import gap_centres_mm

UNIT_MM = 100.0  # places are measured in this unit, so that slopes of light and the level are of one size
ROUNDS = 8  # of reweighting; it has settled well before
RESIDUAL_FLOOR = 0.05  # of the scale of residuals: a board is never flatter than this
SLOPE_RIDGE = 0.02  # keeps the slopes near 0 where only few gaps are in sight


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """Colour of white paper over the board: `level` + x * `slope[0]` + y * `slope[1]` with x, y in `UNIT_MM`.

    `board` is the board's tint relative to paper, `board_spread` how far bare patches of it stray, both (3,).
    """

    coefficients: Colours  # (3 terms, 3)
    board: Colours
    board_spread: Colours

    def at(self, places_mm: NDArray[np.float64]) -> Colours:
        """Colour of white paper at places (n, 2): (n, 3)."""
        return np.asarray(terms(places_mm) @ self.coefficients, np.float32)


def terms(places_mm: NDArray[np.float64]) -> Colours:
    """The plane's terms at places (n, 2): (n, 3)."""
    scaled = places_mm / UNIT_MM
    return np.concatenate([np.ones((len(scaled), 1)), scaled], axis=1).astype(np.float32)


def fit_plane(places_mm: NDArray[np.float64], colours: Colours) -> tuple[Colours, Colours]:
    """Robust planes through colours (n, 3) at places (n, 2): coefficients (3, 3) and the residuals' spread (3,).

    Geman-McClure weights around the median, on brightness and chroma together: what is shaded or covered is left out.
    """
    a = terms(places_mm)
    ridge = np.diag([1e-6, SLOPE_RIDGE * len(a), SLOPE_RIDGE * len(a)]).astype(np.float32)
    coefficients = np.zeros((3, 3), np.float32)
    coefficients[0] = np.median(colours, axis=0)
    spread = np.ones(3, np.float32)
    for _ in range(ROUNDS):
        residual = colours - a @ coefficients
        spread = 1.48 * np.median(np.abs(residual), axis=0) + RESIDUAL_FLOOR
        weight = 1 / (1 + np.sum((residual / (2 * spread)) ** 2, axis=1)) ** 2
        weighted = a * weight[:, None]
        coefficients = np.linalg.solve(weighted.T @ a + ridge * weight.mean(), weighted.T @ colours)
    return np.asarray(coefficients, np.float32), np.asarray(spread, np.float32)


def judge_light(
    gaps: Colours, paper: Colours, grid: Grid, layout: MarkerLayout, board: Colours | None = None
) -> Light:
    """The light, from the colours of the gaps (gaps, 3) and of the paper of the markers in sight (markers, 3).

    Paper out of sight is given as NaN. `board`: the board's tint where it has been learned.
    """
    places = gap_centres_mm(grid)
    coefficients, spread = fit_plane(places, gaps)
    if board is None:
        centres = np.array([layout.centres_mm[i] for i in sorted(layout.centres_mm)])
        seen = ~np.isnan(paper[:, 0])
        if seen.any():
            contrast = paper[seen] - terms(centres[seen]) @ coefficients
            board = -np.median(contrast, axis=0)
        else:
            board = np.array(UNSEEN_BOARD, np.float32)
    coefficients[0] -= board
    return Light(coefficients, np.asarray(board, np.float32), spread)


UNSEEN_BOARD = (-1.2, 0.3, -0.6)  # a middling wood, where neither paper is in sight nor the board known
