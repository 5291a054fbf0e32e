#!/usr/bin/env python3
"""Takes pictures from one camera and writes them to standard output, for ever: a program of its own.

    camera_grabber.py picamera2|v4l2:0 WIDTH HEIGHT [--fps N] [--mains 50|60] [--exposure-ms N] [--gain N]

Cameras hang; so this runs as a process that `vision.grabber_camera` can kill. It imports nothing of this project and
at first only the standard library, because picamera2 comes from apt and works with the system's python alone.

Every message is HEADER and then its payload: a picture's BGR bytes, row by row, or a text in UTF-8 (a note; or, before
it ends, why it ends). Times are of CLOCK_MONOTONIC, which all processes share.
"""

import argparse
import contextlib
import math
import os
import shutil
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

HEADER = struct.Struct("<4sBHHdII")
"""Magic, kind, width, height, time (s), length of the payload, CRC-32 of all before it."""
MAGIC = b"SnkC"
PICTURE, NOTE, FAILURE = 0, 1, 2

PARENT_CHECK_S = 1.0
V4L2_PER_MS = 10  # exposure_time_absolute counts steps of 100 us
SETTLED_FRAMES, SETTLED_WITHIN = 10, 0.03  # frames over which nothing changes by more than this share
LEAST_FRAMES, MOST_FRAMES = 20, 150  # of settling: automatics begin late; some never end

LOCKED, SETTLING = "locked: ", "settling: "
"""So notes begin that say that exposure and colours are locked now, or are being found anew."""
LIGHT_EVERY_S = 1.0  # between looks at the light once they are locked
SAMPLES = 1200  # of the picture's green levels that are looked at
LASTS_S = 20.0  # another light that lasts so long, and is steady, has come to stay: nobody leans over the board so long
CHANGED_STOPS = 0.8  # from how it was when they were locked, factors of 2; the reader allows for less without harm
STEADY_STOPS = 0.3  # hands that move change it more
CLIPPED_LEVEL, MORE_CLIPPED = 250, 0.05  # share of the picture that is overexposed, more than when they were locked
AFTER_LOCK_S = 2.0  # a camera does not obey at once
LEAST_BETWEEN_S = 60.0  # of one settling and the next: a light that cannot be settled in is not tried all the time
GAMMA = 2.2  # levels are light to the power of 1 / 2.2, nearly


def header(kind: int, t: float, width: int, height: int, length: int) -> bytes:
    """The bytes before a payload of `length` bytes."""
    packed = HEADER.pack(MAGIC, kind, width, height, t, length, 0)[:-4]
    return packed + struct.pack("<I", zlib.crc32(packed))


def message(kind: int, t: float, payload: bytes, width: int = 0, height: int = 0) -> bytes:
    """A whole message."""
    return header(kind, t, width, height, len(payload)) + payload


class Settling:
    """Waits until the camera's automatics have come to rest: exposure (us), gain, gains of red and blue."""

    def __init__(self) -> None:
        self._last: deque[tuple[float, ...]] = deque(maxlen=SETTLED_FRAMES)
        self._frames = 0

    def feed(self, values: tuple[float, ...]) -> tuple[float, ...] | None:
        """Takes one frame's values; gives those to lock, once they have come to rest or it takes too long."""
        self._frames += 1
        self._last.append(values)
        if self._frames < LEAST_FRAMES:
            return None
        still = all(max(v) - min(v) <= SETTLED_WITHIN * max(map(abs, v)) for v in zip(*self._last))  # noqa: B905
        return values if still or self._frames >= MOST_FRAMES else None


class LightWatch:
    """Has the light changed for good since the exposure was locked? Told of levels of the picture, and of the time."""

    def __init__(self) -> None:
        self._locked_at = self._looked_at = -math.inf
        self._then: tuple[float, float] | None = None  # how it was when it was locked: stops, share clipped
        self._since = math.inf
        self._span = (0.0, 0.0)  # of the stops since then

    def locked(self, t: float) -> None:
        """The exposure is locked from now on."""
        self._locked_at = self._looked_at = t
        self._then, self._since = None, math.inf

    def see(self, levels: bytes, t: float) -> bool:
        """Takes levels of the picture; is it another light, for good?"""
        if t - self._looked_at < LIGHT_EVERY_S or t - self._locked_at < AFTER_LOCK_S or not levels:
            return False
        self._looked_at = t
        stops = GAMMA * math.log2((sorted(levels)[len(levels) // 2] + 1) / 256)
        clipped = sum(level >= CLIPPED_LEVEL for level in levels) / len(levels)
        if self._then is None:
            self._then = stops, clipped
        changed = abs(stops - self._then[0]) > CHANGED_STOPS or clipped - self._then[1] > MORE_CLIPPED
        low, high = min(self._span[0], stops), max(self._span[1], stops)
        if not changed or self._since == math.inf or high - low > STEADY_STOPS:
            self._since, self._span = (t if changed else math.inf), (stops, stops)
            return False
        self._span = low, high
        return t - self._since >= LASTS_S and t - self._locked_at >= LEAST_BETWEEN_S


def without_banding(exposure_us: float, gain: float, mains_hz: int) -> tuple[int, float]:
    """Exposure and gain as bright as these, the exposure a whole number of the lamps' flashes (two a mains period).

    Shorter than one flash it stays as it is: the light is then daylight, or banding cannot be helped.
    """
    flash_us = 1e6 / (2 * mains_hz)
    flashes = int(exposure_us / flash_us + 0.05)
    if flashes == 0:
        return round(exposure_us), gain
    steady_us = flashes * flash_us
    return round(steady_us), max(1.0, gain * exposure_us / steady_us)


def nearest_without_banding(exposure_us: float, mains_hz: int, longest_us: float) -> float:
    """The whole number of flashes nearest to an exposure, for cameras whose gain cannot make up for the difference."""
    flash_us = 1e6 / (2 * mains_hz)
    if exposure_us < 0.95 * flash_us:
        return exposure_us
    flashes = min(round(exposure_us / flash_us), int(longest_us / flash_us + 0.05))
    return max(1, flashes) * flash_us


class Source(Protocol):
    """One opened camera. `take` gives time, width, height and BGR bytes; None for a picture that failed.

    `see` is told some of the picture's green levels and its time.
    """

    def take(self) -> "tuple[float, int, int, Any] | None": ...

    def see(self, levels: bytes, t: float) -> None: ...


class PiCamera:
    """A camera on the Pi's own connector."""

    def __init__(
        self,
        size: tuple[int, int],
        fps: float,
        mains_hz: int,
        note: Callable[[str], None],
        exposure_ms: "float | None" = None,
        gain: "float | None" = None,
    ) -> None:
        from libcamera import controls  # type: ignore[import-not-found, unused-ignore]
        from picamera2 import Picamera2  # type: ignore[import-not-found, unused-ignore]

        if not Picamera2.global_camera_info():
            raise OSError("no camera is connected: check the ribbon cable at both ends, and `rpicam-hello --list`")
        self._note, self._mains_hz = note, mains_hz
        self._settling: Settling | None = Settling()
        self._light = LightWatch()
        self._camera: Any = Picamera2()
        self._fixed: dict[str, Any] = {}  # of these the automatics keep their hands
        if exposure_ms is not None:
            self._fixed["ExposureTime"] = round(1000 * exposure_ms)
        if gain is not None:
            self._fixed["AnalogueGain"] = gain
        wanted: dict[str, Any] = {"FrameRate": fps, "AeEnable": len(self._fixed) < 2, "AwbEnable": True, **self._fixed}
        if "AeFlickerMode" in self._camera.camera_controls:
            wanted |= {"AeFlickerMode": controls.AeFlickerModeEnum.Manual, "AeFlickerPeriod": 500_000 // mains_hz}
        # The format that picamera2 calls RGB888 lies as blue, green, red in memory (picamera2#848)
        main = {"size": size, "format": "RGB888"}
        self._camera.configure(
            self._camera.create_video_configuration(main=main, buffer_count=3, queue=False, controls=wanted)
        )
        self._camera.start()

    def take(self) -> "tuple[float, int, int, Any] | None":
        request = self._camera.capture_request()
        try:
            image = request.make_array("main")
            about = request.get_metadata()
        finally:
            request.release()
        if self._settling is not None:
            self._settle(self._settling, about)
        since = (time.clock_gettime_ns(time.CLOCK_BOOTTIME) - about["SensorTimestamp"]) / 1e9
        return time.monotonic() - since, image.shape[1], image.shape[0], image

    def see(self, levels: bytes, t: float) -> None:
        """Where the light has changed for good, exposure and colours are found anew, and locked again."""
        if self._settling is None and self._light.see(levels, t):
            self._settling = Settling()
            self._camera.set_controls({"AeEnable": len(self._fixed) < 2, "AwbEnable": True, **self._fixed})
            self._note(f"{SETTLING}the light has changed")

    def _settle(self, settling: Settling, about: "dict[str, Any]") -> None:
        """Locks exposure, gain and colours once they have settled: a hand over the board would shift them."""
        values = (about["ExposureTime"], about["AnalogueGain"] * about.get("DigitalGain", 1.0), *about["ColourGains"])
        lock = settling.feed(values)
        if lock is None:
            return
        exposure, gain = without_banding(lock[0], lock[1], self._mains_hz)
        if self._fixed:
            exposure, gain = self._fixed.get("ExposureTime", round(lock[0])), self._fixed.get("AnalogueGain", lock[1])
        self._camera.set_controls(
            {
                "AeEnable": False,
                "AwbEnable": False,
                "ExposureTime": exposure,
                "AnalogueGain": gain,
                "ColourGains": (lock[2], lock[3]),
            }
        )
        self._settling = None
        self._light.locked(time.monotonic())
        self._note(f"{LOCKED}{exposure} us, gain {gain:.2f}, red {lock[2]:.2f}, blue {lock[3]:.2f}")


class UsbCamera:
    """A camera that the kernel shows as /dev/videoN."""

    def __init__(
        self,
        n: int,
        size: tuple[int, int],
        fps: float,
        mains_hz: int,
        note: Callable[[str], None],
        exposure_ms: "float | None" = None,
        gain: "float | None" = None,
    ) -> None:
        import cv2

        self._cv2, self._note, self._light = cv2, note, LightWatch()
        self._settling: Settling | None = Settling()
        self._mains_hz, self._longest_us, self._exposure_ms, self._gain = mains_hz, 1e6 / fps, exposure_ms, gain
        self._device = f"/dev/video{n}"
        if not os.path.exists(self._device):  # noqa: PTH110
            raise OSError(f"{self._device} is not there: plug the camera in, or see `v4l2-ctl --list-devices`")
        self._camera: Any = cv2.VideoCapture(n, cv2.CAP_V4L2)
        if not self._camera.isOpened():
            raise OSError(f"{self._device} cannot be opened: another program uses it, or it is no camera")
        self._set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw pictures are too many for USB 2
        self._set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        self._set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        self._set(cv2.CAP_PROP_FPS, fps)
        self._set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if shutil.which("v4l2-ctl"):  # OpenCV does not know this control; 1 is 50 Hz, 2 is 60 Hz
            command = ["v4l2-ctl", "-d", self._device, "-c", f"power_line_frequency={1 if mains_hz == 50 else 2}"]
            subprocess.run(command, capture_output=True, timeout=5, check=False)
        self._let_settle()

    def _let_settle(self) -> None:
        """Exposure, gain and colours are the camera's, except what was asked for."""
        cv2 = self._cv2
        self._set(cv2.CAP_PROP_AUTO_EXPOSURE, 3)  # V4L2's aperture priority: automatic
        self._set(cv2.CAP_PROP_AUTO_WB, 1)
        if self._exposure_ms is not None or self._gain is not None:
            self._set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)  # manual; what is not given stays as the camera has it
        if self._exposure_ms is not None:
            self._set(cv2.CAP_PROP_EXPOSURE, self._exposure_ms * V4L2_PER_MS)
        if self._gain is not None:
            self._set(cv2.CAP_PROP_GAIN, self._gain)

    def _set(self, name: int, value: float) -> None:
        self._camera.set(name, value)

    def take(self) -> "tuple[float, int, int, Any] | None":
        if not os.path.exists(self._device):  # noqa: PTH110
            # Reading may go on when the plug is pulled (opencv#11047)
            raise OSError(f"{self._device} is gone: the camera was unplugged")
        fine = self._camera.grab()
        t = time.monotonic()
        fine, image = self._camera.retrieve() if fine else (False, None)
        if not fine or image is None:
            return None
        if self._settling is not None:
            self._settle(self._settling)
        return t, image.shape[1], image.shape[0], image

    def see(self, levels: bytes, t: float) -> None:
        """Where the light has changed for good, exposure and colours are found anew, and locked again."""
        if self._settling is None and self._light.see(levels, t):
            self._settling = Settling()
            self._let_settle()
            self._note(f"{SETTLING}the light has changed")

    def _settle(self, settling: Settling) -> None:
        cv2 = self._cv2
        names = (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_GAIN, cv2.CAP_PROP_WB_TEMPERATURE)
        lock = settling.feed(tuple(float(self._camera.get(name)) for name in names))
        if lock is None:
            return
        self._set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)  # V4L2's manual exposure
        self._set(cv2.CAP_PROP_AUTO_WB, 0)
        if self._exposure_ms is None:
            us_each = 1000 / V4L2_PER_MS
            steady = nearest_without_banding(lock[0] * us_each, self._mains_hz, self._longest_us) / us_each
            lock = (round(steady), *lock[1:])
        for name, value in zip(names, lock):  # noqa: B905
            if value > 0:
                self._set(name, value)
        self._settling = None
        self._light.locked(time.monotonic())
        held = self._camera.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 1
        how = f"exposure {lock[0]:g}, gain {lock[1]:g}" if held else "this camera keeps changing its exposure"
        self._note(f"{LOCKED}{how}")


def open_source(args: argparse.Namespace, note: Callable[[str], None]) -> Source:
    """Opens the camera that the arguments name. Raises ImportError or OSError saying what is missing."""
    size = (args.width, args.height)
    if args.source == "picamera2":
        try:
            return PiCamera(size, args.fps, args.mains, note, args.exposure_ms, args.gain)
        except ImportError as error:
            raise ImportError(f"{error}: install it with `sudo apt install python3-picamera2`") from error
    kind, _, number = args.source.partition(":")
    if kind != "v4l2" or not number.isdigit():
        raise ValueError(f"source {args.source!r} is not one of picamera2, v4l2:0 (or another number)")
    return UsbCamera(int(number), size, args.fps, args.mains, note, args.exposure_ms, args.gain)


def grab(source: Source, write: Callable[[Any], None], failures: int = 30) -> None:
    """Writes picture after picture. Raises OSError where so many in a row fail."""
    failed = 0
    while failed < failures:
        taken = source.take()
        if taken is None:
            failed += 1
            continue
        failed = 0
        t, width, height, image = taken
        pixels = image.tobytes()
        source.see(pixels[1 :: 3 * max(1, width * height // SAMPLES)], t)
        data = memoryview(pixels)
        write(header(PICTURE, t, width, height, len(data)))
        write(data)
    raise OSError(f"the camera failed to take {failures} pictures in a row")


def end_with(parent: int) -> None:
    """Ends this process when the one that started it is gone, even while the camera hangs."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    os._exit(0)


def main() -> int:
    """Runs until nobody reads any more."""
    parser = argparse.ArgumentParser(description="Writes a camera's pictures to standard output.")
    parser.add_argument("source")
    parser.add_argument("width", type=int)
    parser.add_argument("height", type=int)
    parser.add_argument("--fps", type=float, default=15.0)
    parser.add_argument("--mains", type=int, choices=(50, 60), default=50)
    parser.add_argument("--exposure-ms", type=float)
    parser.add_argument("--gain", type=float, help="a factor, of V4L2 cameras their own number")
    args = parser.parse_args()
    # Libraries print to standard output: pictures go to a copy of it, and it becomes standard error
    pipe = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()

    def write(data: Any) -> None:
        view = memoryview(data)
        while view:
            view = view[pipe.write(view) :]

    def say(kind: int, text: str) -> None:
        write(message(kind, time.monotonic(), text.encode()))

    try:
        grab(open_source(args, lambda text: say(NOTE, text)), write)
    except BrokenPipeError:
        return 0
    except Exception as error:  # whatever it is, the last words say it
        with contextlib.suppress(OSError):
            say(FAILURE, " ".join(str(error).split()) or type(error).__name__)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
