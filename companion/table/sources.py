"""A table's load cells and camera as its settings name them."""

import time
from collections.abc import Callable

from companion.table.camera_settings import SIMULATED
from companion.table.settings import TableSettings
from companion.table.toml_sections import BadSettings
from firmware_bridge.readers import LoadSource
from vision.cameras import Camera, open_camera


def load_source(settings: TableSettings, clock: Callable[[], float] = time.monotonic) -> LoadSource:
    """Opens the load cells; their times are those of `clock`. What must be there for it is imported only now.

    A part that is not plugged in is no error here: the source then gives samples without readings.

    Raises:
        BadSettings: the table has no load cells.
        BadInput: their pins are missing or used twice.
    """
    if settings.load_source == "gpio":
        from firmware_bridge.gpio_reader import GpioReader

        low, high = settings.low_pins, settings.high_pins
        return GpioReader((low.data, low.clock), (high.data, high.clock), clock)
    if settings.load_source == "pico":
        from firmware_bridge.pico_reader import PicoReader

        return PicoReader(clock=clock)
    raise BadSettings(
        f'{settings.name}: [load_cells] source is "none"; set it to "gpio" or "pico", or try it with --simulated'
    )


def camera_source(settings: TableSettings, clock: Callable[[], float] = time.monotonic, paced: bool = True) -> Camera:
    """Opens the camera. One that is not plugged in is no error here: its health then says what is missing.

    With `paced` the pictures of a file or folder come at their times.

    Raises:
        BadSettings: the table has no camera of its own.
        BadInput: the file or folder that should be its camera is not there.
    """
    source, taking = settings.camera_source, settings.taking
    if source == "none":
        raise BadSettings(
            f'{settings.name}: [camera] source is "none"; set it to "picamera2", "v4l2:0", or a folder of pictures'
        )
    if source == SIMULATED:
        raise BadSettings(f'{settings.name}: [camera] source is "simulated"; only `senryaku run` has such a camera')
    return open_camera(
        source,
        settings.camera.size_px,
        taking.fps,
        taking.mains_hz,
        clock,
        taking.exposure_ms,
        taking.gain,
        paced=paced,
    )
