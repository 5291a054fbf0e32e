"""A board reading drawn into its picture, for people.

A sphere has its outline, White's white and Black's black, a coloured one a second ring, and its letter as in a position
text. An empty well has a thin green ring, a hidden one an orange disc and `?`, red where something in plain sight is no
sphere. What is in doubt has a red ring and says below it how likely it is. The line above says in words whether the
reading is certain.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_pose import Pose
from vision.geometry import Grid
from vision.reading import BoardReading, Content
from vision.sampling import SINK_MM

Image = NDArray[np.uint8]
Bgr = tuple[int, int, int]
Pixels = NDArray[np.float64]

LETTERS = {
    Content.EMPTY: "",
    Content.WHITE: "w",
    Content.BLACK: "b",
    Content.WHITE_COLOURED: "W",
    Content.BLACK_COLOURED: "B",
    Content.HIDDEN: "?",
}
PALE: Bgr = (255, 255, 255)
DARK: Bgr = (24, 22, 20)
GREEN: Bgr = (120, 220, 120)
ORANGE: Bgr = (0, 150, 255)
RED: Bgr = (60, 50, 240)
BAND_SURE: Bgr = (52, 92, 24)
BAND_UNSURE: Bgr = (40, 36, 150)
OF_WHITE = (Content.WHITE, Content.WHITE_COLOURED)
COLOURED = (Content.WHITE_COLOURED, Content.BLACK_COLOURED)
SURE_SHOWN = 0.99  # from this probability on no figure is written beside a letter
USUAL_WIDTH = 1280.0  # of the pictures for which sizes are given here
LEAST_SCALE = 0.55  # smaller letters cannot be read
OUTLINE_POINTS = 48
FONT = cv2.FONT_HERSHEY_DUPLEX
BAND_PX, BAND_TEXT = 40, 0.8
BELOW_PX = 9.0  # from a well's ring to the middle of the line below it, which must leave the well in sight
COVER_SHARE = 0.45  # of the orange over a hidden well
MARK_REACH = 0.6  # radius of the marks of wells without a sphere, in sphere radii
NAMES_OUT = 0.72  # how far beyond the outer wells the names of files and ranks stand, in pitches


def annotate(image: Image, reading: BoardReading, grid: Grid, pose: Pose | None) -> Image:
    """A copy of the picture with every well's reading drawn in.

    Without a pose (the board was not found) only the line that says why is written.
    """
    drawn = image.copy()
    scale = max(LEAST_SCALE, image.shape[1] / USUAL_WIDTH)
    if pose is not None:
        likeliest = reading.likeliest()
        _cover_hidden(drawn, grid, pose, likeliest)
        _name_lines(drawn, grid, pose, scale)
        for well, content in enumerate(likeliest):
            _draw_well(drawn, _outline(grid, pose, well, content), content, float(reading.p[well].max()), scale)
            if well in reading.foreign:
                ring(drawn, _outline(grid, pose, well, content), RED, None, max(1, round(3 * scale)))
    draw_band(drawn, in_words(reading, grid), reading.confident, scale)
    return drawn


def in_words(reading: BoardReading, grid: Grid) -> str:
    """One line: whether the reading is certain, why not, and how many wells are hidden."""
    if not reading.board_found:
        return f"no board: {reading.why}"
    hidden = [grid.name(well) for well, content in enumerate(reading.likeliest()) if content is Content.HIDDEN]
    said = "certain" if reading.confident else f"not certain: {reading.why}"
    if not hidden:
        return said
    return f"{said}; hidden: {', '.join(hidden)}" if len(hidden) < grid.wells else f"{said}; all wells are hidden"


def _outline(grid: Grid, pose: Pose, well: int, content: Content) -> Pixels:
    """Around the sphere, or the middle of a well without one, as the camera sees it: (OUTLINE_POINTS, 2) pixels."""
    x, y = grid.centre_mm(well)
    radius = grid.sphere_diameter_mm / 2
    ball = content not in (Content.EMPTY, Content.HIDDEN)
    centre = np.array([x, y, grid.height_mm / 2 - SINK_MM if ball else 0.0])
    sight = centre - pose.camera_mm
    far = float(np.linalg.norm(sight))
    if ball:  # the outline faces the camera, and is seen a little before the sphere's middle
        reach = radius * far / float(np.sqrt(far**2 - radius**2))
        across = np.cross(sight, [0.0, 1.0, 0.0])
        across /= np.linalg.norm(across)
        up = np.cross(across, sight / far)
    else:
        reach, across, up = radius * MARK_REACH, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    angle = np.linspace(0, 2 * np.pi, OUTLINE_POINTS, endpoint=False)[:, None]
    return pose.project(centre + reach * (np.cos(angle) * across + np.sin(angle) * up))


def _draw_well(drawn: Image, outline: Pixels, content: Content, p: float, scale: float) -> None:
    sure = p >= SURE_SHOWN or content is Content.HIDDEN
    thick = max(1, round(3 * scale))
    if content is Content.EMPTY:
        ring(drawn, outline, GREEN if sure else RED, None, 1 if sure else thick)
    elif content is Content.HIDDEN:
        ring(drawn, outline, ORANGE, None, max(1, thick - 1))
    else:
        ink, edge = (PALE, DARK) if content in OF_WHITE else (DARK, PALE)
        ring(drawn, outline, ink if sure else RED, edge, thick)
        if content in COLOURED:
            middle = outline.mean(axis=0)
            ring(drawn, middle + (outline - middle) * 0.78, ink if sure else RED, edge, max(1, thick - 1))
    middle = outline.mean(axis=0)
    letter = LETTERS[content]
    if letter:
        write_about(drawn, letter, middle, 0.95 * scale, DARK if content is Content.WHITE else PALE)
    if not sure:
        below = np.array([middle[0], outline[:, 1].max() + BELOW_PX * scale])
        percent = f"{int(p * 100)}%"  # rounded down: what is in doubt must not look as sure as the others
        write_about(drawn, percent if letter else f"empty {percent}", below, 0.42 * scale, PALE, RED)


def ring(drawn: Image, outline: Pixels, ink: Bgr, edge: Bgr | None, thick: int) -> None:
    """A closed line through places (n, 2), with an edge on both sides where one is given."""
    points = [np.rint(outline).astype(np.int32)]
    if edge is not None:
        cv2.polylines(drawn, points, True, edge, thick + 2, cv2.LINE_AA)
    cv2.polylines(drawn, points, True, ink, thick, cv2.LINE_AA)


def _cover_hidden(drawn: Image, grid: Grid, pose: Pose, likeliest: list[Content]) -> None:
    discs = [
        np.rint(_outline(grid, pose, well, content)).astype(np.int32)
        for well, content in enumerate(likeliest)
        if content is Content.HIDDEN
    ]
    if discs:
        plain = drawn.copy()
        cv2.fillPoly(drawn, discs, ORANGE)
        drawn[:] = cv2.addWeighted(drawn, COVER_SHARE, plain, 1 - COVER_SHARE, 0)


def _name_lines(drawn: Image, grid: Grid, pose: Pose, scale: float) -> None:
    """The files' letters before the first rank and the ranks' numbers beside the first file."""
    across, up = grid.pitches_mm
    names = [(grid.name(file)[0], grid.centre_mm(file), (0.0, -up)) for file in range(grid.files)]
    for rank in range(grid.ranks):
        well = rank * grid.files
        names.append((grid.name(well)[1:], grid.centre_mm(well), (-across, 0.0)))
    at = pose.project(np.array([(x + NAMES_OUT * a, y + NAMES_OUT * b, 0.0) for _, (x, y), (a, b) in names]))
    for (name, _, _), place in zip(names, at, strict=True):
        write_about(drawn, name, place, 0.6 * scale, PALE, DARK)


def write_about(drawn: Image, text: str, middle: Pixels, size: float, ink: Bgr, plate: Bgr | None = None) -> None:
    """Text about its middle, on a plate or with a halo."""
    thick = max(1, round(1.6 * size))
    (width, height), _ = cv2.getTextSize(text, FONT, size, thick)
    x, y = round(float(middle[0]) - width / 2), round(float(middle[1]) + height / 2)
    if plate is None:
        halo = PALE if ink == DARK else DARK
        cv2.putText(drawn, text, (x, y), FONT, size, halo, thick + max(2, round(3 * size)), cv2.LINE_AA)
    else:
        pad = max(2, round(6 * size))
        cv2.rectangle(drawn, (x - pad, y - height - pad), (x + width + pad, y + pad), plate, cv2.FILLED)
    cv2.putText(drawn, text, (x, y), FONT, size, ink, thick, cv2.LINE_AA)


def draw_band(drawn: Image, text: str, sure: bool, scale: float) -> None:
    """A line of text above the picture, shortened where it does not fit."""
    height, size, left = round(BAND_PX * scale), BAND_TEXT * scale, round(14 * scale)
    cv2.rectangle(drawn, (0, 0), (drawn.shape[1], height), BAND_SURE if sure else BAND_UNSURE, cv2.FILLED)
    fits = text
    while len(fits) > 1 and cv2.getTextSize(fits, FONT, size, 1)[0][0] > drawn.shape[1] - 2 * left:
        fits = fits.removesuffix("...")[:-1].rstrip() + "..."
    cv2.putText(drawn, fits, (left, round(height * 0.7)), FONT, size, PALE, max(1, round(1.4 * size)), cv2.LINE_AA)
