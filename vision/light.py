"""The light on the board: how bright and of what colour it falls where, told from the bare board and the white paper.

All colours are logarithms (see `colour`), so light is a sum: what a place shows = the light there + the surface's tint.
The markers' paper is white; the board's tint relative to it stays the same whatever the light does.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.colour import Colours
from vision.geometry import Grid, MarkerLayout
from vision.medians import median, quantile
from vision.sampling import gap_centres_mm

UNIT_MM = 100.0  # places are measured in this unit, so that slopes of light and the level are of one size
STARTING_SHARES = (0.3, 0.5, 0.7, 0.85)  # levels of brightness, as shares of the places, from which a fit starts
TIGHTENING = (1.0, 1.0, 0.7, 0.5, 0.35, 0.25, 0.25)  # scale of residuals in brightness, round by round
RESIDUAL_SCALE = np.array([1.0, 0.8, 0.3], np.float32)  # of brightness, warmth and tint
STARTING_PART = 0.3  # of the places, those nearest in brightness, that tell a level's colour
ENOUGH = 0.45  # of the places near the best plane that another must have
SLOPE_RIDGE = 0.02  # keeps the slopes near 0 where only few gaps are in sight


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """Colour of white paper over the board: `level` + x * `slope[0]` + y * `slope[1]` with x, y in `UNIT_MM`.

    `board` is the board's tint relative to paper, (3,).
    """

    coefficients: Colours  # (3 terms, 3)
    board: Colours

    def at(self, places_mm: NDArray[np.float64]) -> Colours:
        """Colour of white paper at places (n, 2): (n, 3)."""
        return np.asarray(terms(places_mm) @ self.coefficients, np.float32)


def terms(places_mm: NDArray[np.float64]) -> Colours:
    """The plane's terms at places (n, 2): (n, 3)."""
    scaled = places_mm / UNIT_MM
    return np.concatenate([np.ones((len(scaled), 1)), scaled], axis=1).astype(np.float32)


def fit_plane(places_mm: NDArray[np.float64], colours: Colours) -> Colours:
    """Robust planes through colours (n, 3) at places (n, 2): coefficients (terms, 3).

    What lies in shadow or is covered must not pull at them. So it is tried from several levels of brightness, and of
    those planes near which enough of the places lie the brightest wins: light is what is brightest.
    """
    a = terms(places_mm)
    ridge = np.diag([1e-6, SLOPE_RIDGE * len(a), SLOPE_RIDGE * len(a)]).astype(np.float32)
    levels = np.array([quantile(colours[:, 0], share) for share in STARTING_SHARES], np.float32)
    near = np.abs(colours[:, 0] - levels[:, None]).argsort(axis=1)[:, : round(len(a) * STARTING_PART)]
    coefficients = np.zeros((len(levels), 3, 3), np.float32)
    both = np.concatenate([a, colours], axis=1)
    coefficients[:, 0] = median(colours[near], axis=1)
    for spread in TIGHTENING:
        residual = (colours - a @ coefficients) / (spread * RESIDUAL_SCALE)
        weight = 1 / (1 + np.sum(residual**2, axis=2)) ** 2
        weighted = (a * weight[:, :, None]).transpose(0, 2, 1)
        damping = ridge * weight.mean(axis=1)[:, None, None]
        sums = weighted @ both
        coefficients = np.linalg.solve(sums[..., :3] + damping, sums[..., 3:])
    mass = weight.sum(axis=1)
    best = np.where(mass >= ENOUGH * mass.max(), coefficients[:, 0, 0], -np.inf).argmax()
    return np.asarray(coefficients[best], np.float32)


def judge_light(gaps: Colours, paper: Colours, grid: Grid, layout: MarkerLayout) -> Light:
    """The light, from the colours of the gaps (gaps, 3) and of the paper of the markers in sight (markers, 3).

    Paper out of sight is given as NaN.
    """
    coefficients = fit_plane(gap_centres_mm(grid), gaps)
    centres = np.array([layout.centres_mm[i] for i in sorted(layout.centres_mm)])
    seen = ~np.isnan(paper[:, 0])
    board = np.array(UNSEEN_BOARD, np.float32)
    if seen.any():
        board = np.median(terms(centres[seen]) @ coefficients - paper[seen], axis=0).astype(np.float32)
    coefficients[0] -= board
    return Light(coefficients, board)


def relight(gaps: Colours, grid: Grid, learned_gaps: Colours, board: Colours) -> Light:
    """The light, where the gaps' tints (gaps, 3) and so the board's are known from before."""
    coefficients = fit_plane(gap_centres_mm(grid), gaps - learned_gaps)
    return Light(coefficients, board)


UNSEEN_BOARD = (-1.2, 0.67, 0.03)  # a middling wood, where neither paper is in sight nor the board known
