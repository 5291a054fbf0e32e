"""A board reading drawn into its picture, for people."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_pose import Pose
from vision.geometry import Grid
from vision.reading import BoardReading, Content
from vision.sampling import SINK_MM

Image = NDArray[np.uint8]
Bgr = tuple[int, int, int]

LETTERS = {
    Content.EMPTY: "",
    Content.WHITE: "w",
    Content.BLACK: "b",
    Content.WHITE_COLOURED: "W",
    Content.BLACK_COLOURED: "B",
    Content.HIDDEN: "?",
}
INKS: dict[Content, Bgr] = {
    Content.EMPTY: (120, 200, 120),
    Content.WHITE: (255, 255, 255),
    Content.BLACK: (40, 40, 40),
    Content.WHITE_COLOURED: (255, 200, 60),
    Content.BLACK_COLOURED: (200, 60, 200),
    Content.HIDDEN: (0, 140, 255),
}
DOUBT: Bgr = (0, 0, 255)
HALO: Bgr = (0, 0, 0)
SURE_SHOWN = 0.99  # from this probability on no figure is written beside a letter
OUTLINE_POINTS = 32


def annotate(image: Image, reading: BoardReading, grid: Grid, pose: Pose | None) -> Image:
    """A copy of the picture with every well's reading: outline, letter, its probability where in doubt, `?` if hidden.

    Without a pose (the board was not found) only the line that says why is written.
    """
    drawn = image.copy()
    if pose is not None:
        for well, content in enumerate(reading.likeliest()):
            _draw_well(drawn, grid, pose, well, content, float(reading.p[well].max()))
    verdict = "confident" if reading.confident else reading.why or "not confident"
    _write(drawn, verdict, (10, 24), 0.6, INKS[Content.EMPTY] if reading.confident else DOUBT)
    return drawn


def _draw_well(drawn: Image, grid: Grid, pose: Pose, well: int, content: Content, p: float) -> None:
    x, y = grid.centre_mm(well)
    radius = grid.sphere_diameter_mm / 2
    ball = content not in (Content.EMPTY, Content.HIDDEN)
    height, reach = (radius - SINK_MM, radius) if ball else (0.0, radius * 0.6)
    angle = np.linspace(0, 2 * np.pi, OUTLINE_POINTS, endpoint=False)
    ring = np.stack([x + reach * np.cos(angle), y + reach * np.sin(angle), np.full(OUTLINE_POINTS, height)], axis=1)
    outline = np.rint(pose.project(ring)).astype(np.int32)
    sure = p >= SURE_SHOWN
    cv2.polylines(drawn, [outline], True, INKS[content] if sure else DOUBT, 2 if ball or not sure else 1, cv2.LINE_AA)
    centre = outline.mean(axis=0)
    size = float(np.ptp(outline[:, 1])) / 60
    text = LETTERS[content] + ("" if sure else f"{p:.2f}")
    if text:
        _write(drawn, text, (int(centre[0] - 10 * size), int(centre[1] + 10 * size)), max(0.4, size), INKS[content])


def _write(drawn: Image, text: str, at: tuple[int, int], size: float, ink: Bgr) -> None:
    halo = (255, 255, 255) if sum(ink) < 200 else HALO
    cv2.putText(drawn, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, halo, 3, cv2.LINE_AA)
    cv2.putText(drawn, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, ink, 1, cv2.LINE_AA)
