"""How sharp a picture is: how many pixels wide its sharpest edges are, whatever it shows.

Needed most where the board is not found because the lens is out of focus; so it asks for nothing but the picture.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.markers import Grey

REACH_OF_WIDTH = 0.012  # how far to each side of an edge its two levels are looked for
LEAST_REACH_PX = 6
LEAST_CONTRAST = 50.0  # levels between the two sides: printed ink on paper, and no grain
SHARPEST = 0.2  # of the edges those are taken: others lie askew, or are shadows' edges
LEAST_EDGES = 60


def edge_width_px(grey: Grey) -> float | None:
    """How wide the sharpest edges of a grey picture are, pixels; None where it has hardly any edge.

    Height of the step over its steepest slope: 1 for a step from pixel to pixel, 2.5 times the standard deviation of a
    Gaussian blur.
    """
    reach = max(LEAST_REACH_PX, round(REACH_OF_WIDTH * max(grey.shape)))
    widths = np.concatenate([_widths(grey, reach), _widths(np.ascontiguousarray(grey.T), reach)])
    if len(widths) < LEAST_EDGES:
        return None
    return float(np.quantile(widths, SHARPEST))


def _widths(grey: Grey, reach: int) -> NDArray[np.float32]:
    """Of the edges that the picture's rows cross."""
    row = np.ones((1, 2 * reach + 1), np.uint8)
    contrast = cv2.subtract(cv2.dilate(grey, row), cv2.erode(grey, row))[:, :-1]
    slope = cv2.absdiff(grey[:, 1:], grey[:, :-1])
    steepest = (slope == cv2.dilate(slope, row)) & (contrast > LEAST_CONTRAST)
    return np.asarray(contrast[steepest] / np.maximum(slope[steepest], 1), np.float32)
