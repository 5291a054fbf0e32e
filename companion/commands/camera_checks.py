"""How a table's camera is doing, watched for some seconds: what `vision` measures, and whether board and light stay."""

import math
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from companion.commands.findings import Finding, absent, fine, wrong
from companion.errors import BadInput, SenryakuError
from companion.simulator.mishaps import BUMPED, HUNG, MISHAPS, SWAPPED_COLOURS, UNPLUGGED
from companion.simulator.table import SimulatedTable
from companion.table.board_reader import board_reader
from companion.table.camera_notices import EXCHANGE, EXCHANGED, NAME_THEM, NAMES_EXCHANGED
from companion.table.camera_settings import SIMULATED, Taking
from companion.table.settings import TableSettings
from companion.table.sources import camera_source
from vision.board_pose import NoPose, pose_from_corners
from vision.camera_findings import CameraLine, camera_lines
from vision.camera_health import CameraCheckup
from vision.camera_watch import CABLE, CameraHealth, CameraState, CameraWatch
from vision.cameras import Camera
from vision.frames import Frame
from vision.grabber_camera import GrabberCamera
from vision.light_check import board_exposure
from vision.reader import BoardReader
from vision.recorded_frames import read_picture

FIRST_PICTURE_S = 15.0
"""A Pi's camera takes 3 to 5 s to start, a second try as long again."""
WATCHED_S = 8.0
LOOK_EVERY_S = 0.5
SILENT_S = 2.0
SETTLING_S = 3.0
"""A camera that has just started finds its exposure, and then keeps it: what it shows before is not looked at."""
LIGHT_CHANGE = 0.07
"""Change of levels on the board within the watch, natural logarithm, from which it is said: 15% of the light."""
TIGHTEN = "Tighten the camera's arm and the table, and leave both alone while the doctor looks"
STEADY_LIGHT = "Leave the lamps as they are while a game is on, and keep out sun that comes and goes"


@dataclass(slots=True)
class CameraLook:
    """What is watched beside `CameraCheckup`. Give it some of the pictures, in order of time."""

    settings: TableSettings
    reader: BoardReader
    moved: bool = False
    levels: list[float] = field(default_factory=list)
    _looked: float = -math.inf

    def feed(self, frame: Frame) -> None:
        if frame.t - self._looked < LOOK_EVERY_S:
            return
        self._looked = frame.t
        self.reader.read(frame.image, frame.t)
        sight = self.reader.sight
        if sight is None:
            return
        self.moved |= sight.moved
        self.levels.append(board_exposure(frame.image, sight.pose, self.settings.grid)[0])

    def findings(self) -> Iterator[Finding]:
        """Lines about what was not as it was; none where the board was not found."""
        if not self.levels:
            return
        if self.moved:
            yield wrong("camera stand", "camera or board moved while it was watched", f"{TIGHTEN}.")
        else:
            yield fine("camera stand", "nothing moved")
        change = abs(np.log(max(1.0, self.levels[-1]) / max(1.0, self.levels[0])))
        if change > LIGHT_CHANGE:
            what = f"the light changed by {np.expm1(change):.0%} while it was watched"
            yield wrong("camera light steady", what, f"{STEADY_LIGHT}.")
        else:
            yield fine("camera light steady", f"it changed by {np.expm1(change):.0%}")
        if self.reader.exchanged or self.reader.names_exchanged:
            what, remedy = (EXCHANGED, EXCHANGE) if self.reader.exchanged else (NAMES_EXCHANGED, NAME_THEM)
            yield wrong("camera colours", what, _sentence(remedy))


SAYS_MORE = "; `senryaku doctor` says more"
"""How a screen's remedy ends; not here, where it is said."""


def camera(settings: TableSettings | None, empty: Path | None, clock: Callable[[], float]) -> list[Finding]:
    """The lines about a real table's camera; `empty` is a picture of its empty board, where there is one."""
    part = "camera"
    if settings is None:
        return [absent(part, "not looked at, give the table's table.toml for that")]
    if settings.camera_source == "none":
        return [absent(part, 'this table has none ([camera] source is "none")')]
    if settings.camera_source == SIMULATED:
        return [absent(part, "simulated, so there is nothing to look at")]
    try:
        source = camera_source(settings, clock)
    except SenryakuError as error:
        return [wrong(part, str(error), "Set it right in table.toml.")]
    try:
        picture = None if empty is None else read_picture(empty)
        return watched(settings, _timed(source, clock), clock, lambda: source.health, picture)
    except BadInput as error:
        return [wrong(part, str(error), "Set it right in table.toml.")]
    finally:
        source.close()


def watched(
    settings: TableSettings,
    frames: Iterable[Frame],
    clock: Callable[[], float],
    health: Callable[[], CameraHealth],
    empty: NDArray[np.uint8] | None,
) -> list[Finding]:
    """The lines about a camera that gives these pictures, whose times are those of `clock`.

    Raises BadInput where the picture of the empty board shows none.
    """
    look = CameraLook(settings, board_reader(settings, empty))
    if empty is not None:
        look.reader.learn_empty(empty)
    size = settings.camera.size_px
    placed = None
    if settings.corners is not None and size is not None:
        pose = pose_from_corners(np.array(settings.corners.pixels), settings.grid, settings.camera, size)
        placed = None if isinstance(pose, NoPose) else pose
    checkup = CameraCheckup(settings.grid, settings.markers, settings.camera, placed)
    last = clock()
    for frame in frames:
        last = frame.t
        checkup.feed(frame, clock())
        look.feed(frame)
    silence, how = clock() - last, health()
    if how.state is CameraState.OK and silence > SILENT_S:
        how = CameraHealth(CameraState.GONE, f"no picture for {silence:.0f} s", CABLE)
    lines = camera_lines(
        checkup.figures,
        how,
        settings.taking.fps if _has_rate(settings) else None,
        settings.camera.matrix is None,
        settings.corners is not None,
    )
    return [*map(_finding, lines), *(look.findings() if len(lines) > 1 else ())]


def _has_rate(settings: TableSettings) -> bool:
    return settings.camera_source == "picamera2" or settings.camera_source.startswith(("v4l2:", SIMULATED))


def _finding(line: CameraLine) -> Finding:
    remedy = line.remedy.removesuffix(SAYS_MORE)
    return Finding(f"camera {line.part}", line.ok, line.what, _sentence(remedy) if remedy else "")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _timed(source: Camera, clock: Callable[[], float]) -> Iterator[Frame]:
    """Pictures for so many seconds from the first on; one that never comes is not waited for much longer."""
    end = clock() + FIRST_PICTURE_S
    begin: float | None = None
    while not source.over and clock() < end:
        frame = source.newest(0.1)
        if frame is None:
            continue
        if begin is None:
            settling = SETTLING_S if isinstance(source, GrabberCamera) else 0.0
            begin = clock() + settling
            end = begin + WATCHED_S
        if clock() >= begin:
            yield frame


# The same on a simulated table

BEGINS_S = 1.0
"""When a mishap begins, from the first picture."""
SIMULATED_FPS = 5.0
CAMERA_FAULTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "camera shifted": ("camera stand",),
        "camera tilted": ("camera stand",),
        "camera upside down": ("camera stand",),
        BUMPED: ("camera stand",),
        "one marker covered": ("camera markers",),
        "two markers covered": ("camera markers",),
        "all markers covered": ("camera markers",),
        "lamp off": ("camera light steady", "camera exposure"),
        "lamp on": ("camera light steady", "camera exposure"),
        "lamp dimming": ("camera light steady",),
        "patch of sun": ("camera light", "camera exposure", "camera light steady"),
        "glare": ("camera light", "camera exposure"),
        UNPLUGGED: ("camera pictures",),
        HUNG: ("camera pictures",),
        SWAPPED_COLOURS: ("camera colours",),
    }
)
"""Each mishap that can be simulated, and the parts of which at least one is wrong then."""
assert set(CAMERA_FAULTS) == set(MISHAPS)


def simulated_camera(fault: str | None, seed: int) -> list[Finding]:
    """The lines about a simulated camera, to which a mishap happens or none."""
    table = SimulatedTable(seed, frames_per_second=SIMULATED_FPS, playing=frozenset())
    known = table.settings
    settings = TableSettings(
        "Simulated table",
        grid=known.grid,
        camera_source=SIMULATED,
        camera=known.camera,
        taking=Taking(SIMULATED_FPS),
        markers=known.markers,
        colours=known.colours,
    )
    watch, now = CameraWatch(), [0.0]
    watch.start(0.0)

    def frames() -> Iterator[Frame]:
        for item in table:
            now[0] = item.t
            if item.t > WATCHED_S:
                return
            if fault is not None and item.t >= BEGINS_S and not begun.is_set():
                begun.set()
                table.mishaps.set(fault)
            if isinstance(item, Frame) and watch.picture(item.t, zlib.crc32(item.image.tobytes()), item.t):
                yield item
            if watch.due(item.t):
                return

    begun = threading.Event()
    return watched(settings, frames(), lambda: now[0], lambda: watch.health, table.empty_picture())
