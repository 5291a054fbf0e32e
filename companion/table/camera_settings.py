"""The `[camera]` section of a `table.toml`: where pictures come from, how they are taken, and how the lens sees."""

from dataclasses import dataclass
from pathlib import Path

from companion.table.toml_sections import Section
from vision.geometry import CameraModel

LEAST_SIDE_PX, MOST_SIDE_PX = 16, 20_000
"""No camera's picture is narrower, or wider, than this."""
SIMULATED = "simulated"
NAMED_SOURCES = ("picamera2", SIMULATED, "none")
KNOWN = (
    "picamera2, v4l2:0 (or another number), the path of a video file, of a folder of pictures or of a recording, "
    "simulated, none"
)

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Taking:
    """How a real camera takes its pictures.

    `fps` a second (also of a folder of pictures); `mains_hz` 50 or 60, of the lamps; `exposure_ms` and `gain` (a
    factor, of V4L2 cameras their own number) None where the camera finds them by itself and then keeps them.
    """

    fps: float = 15.0
    mains_hz: int = 50
    exposure_ms: float | None = None
    gain: float | None = None


@dataclass(frozen=True, slots=True)
class BoardCorners:
    """Where somebody saw the four corner wells, a board without markers: pixels in pictures of the camera's size.

    Last rank's first file (a6), last rank's last (g6), first rank's last (g1), a1. `picture`: the one they were seen
    in, where it was kept.
    """

    pixels: tuple[Point, Point, Point, Point]
    picture: Path | None = None


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """All of `[camera]`. `source`: picamera2, v4l2:N, simulated, none, or a path."""

    source: str = "none"
    model: CameraModel = CameraModel()
    taking: Taking = Taking()
    corners: BoardCorners | None = None


def read_camera(section: Section) -> CameraSettings:
    """Reads the section. Raises `BadSettings` naming the key and what is allowed."""
    model = _model(section)
    camera = CameraSettings(_source(section), model, _taking(section), _corners(section, model))
    section.finish()
    return camera


def _source(section: Section) -> str:
    source = section.text("source", "none")
    kind, _, number = source.partition(":")
    if source in NAMED_SOURCES or (kind == "v4l2" and number.isascii() and number.isdigit()):
        return source
    # What looks like a path need not be there until it is opened: a recording's table may name what is long gone.
    path = section.file.parent / source
    if source and "\0" not in source and ("/" in source or path.suffix or path.exists()):
        return str(path)
    raise section.bad("source", f"{source!r} is not one of {KNOWN}")


def _model(section: Section) -> CameraModel:
    matrix = section.matrix("matrix")
    size = section.numbers("size_px", (), (0, 2))
    if any(not side.is_integer() or not LEAST_SIDE_PX <= side <= MOST_SIDE_PX for side in size):
        raise section.bad("size_px", f"should be two whole numbers from {LEAST_SIDE_PX} to {MOST_SIDE_PX}")
    if matrix is not None and (matrix[0][0] <= 0 or matrix[1][1] <= 0):
        raise section.bad("matrix", "the focal lengths on its diagonal should be above 0")
    return CameraModel(
        size_px=(int(size[0]), int(size[1])) if size else None,
        matrix=matrix,
        distortion=section.numbers("distortion", (0.0,) * 5, (4, 5, 8, 12, 14)),
    )


def _taking(section: Section) -> Taking:
    defaults = Taking()
    mains_hz = section.whole("mains_hz", defaults.mains_hz, 0, 1000)
    if mains_hz not in (50, 60):
        raise section.bad("mains_hz", f"should be 50 or 60, the mains of your country, not {mains_hz}")
    return Taking(
        section.number("fps", defaults.fps, 0.1, 240),
        mains_hz,
        section.optional_number("exposure_ms", 0.01, 1000),
        section.optional_number("gain", 0, 1000),
    )


def _corners(section: Section, model: CameraModel) -> BoardCorners | None:
    picture = section.text("corners_picture", "")
    points = section.points("corners_px", 4)
    if points is None:
        if picture:
            raise section.bad("corners_picture", "says where corners_px were seen, but there are no corners_px")
        return None
    if model.size_px is None:
        raise section.bad("corners_px", "needs size_px too: the size of the pictures in which the corners were seen")
    width, height = model.size_px
    for x, y in points:
        if not (0 <= x < width and 0 <= y < height):
            raise section.bad("corners_px", f"[{x:g}, {y:g}] lies outside a picture of {width} x {height}")
    a, b, c, d = points
    return BoardCorners((a, b, c, d), section.file.parent / picture if picture else None)
