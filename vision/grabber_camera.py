"""A real camera: its pictures are taken by a process of their own, which is killed and started anew when it hangs."""

import contextlib
import fcntl
import os
import select
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from vision import camera_grabber
from vision.camera_grabber import LOCKED, SETTLING
from vision.camera_watch import DELIVERING, CameraHealth, CameraWatch, Deadlines
from vision.frame_pipe import FramePipe, GrabbedPicture, GrabberText
from vision.frames import Frame

SYSTEM_PYTHON = "/usr/bin/python3"  # has picamera2 from apt
STEP_S = 0.05  # how often deadlines are looked at
CHUNK = 1 << 20
KILL_S = 2.0  # a process that hangs in the kernel cannot be killed: it is left to itself
ROWS_MARKED = 3  # of so many rows one is looked at to tell a picture from the last
NOTES_KEPT = 20
REFUSED = "the picture's process cannot be started"


class GrabberCamera:
    """Pictures from the grabber that `command` starts. Its thread reads all it writes and keeps the newest picture."""

    def __init__(
        self,
        command: Sequence[str],
        clock: Callable[[], float] = time.monotonic,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._command = list(command)
        self._clock = clock
        self._watch = CameraWatch(deadlines or Deadlines())
        self._news = threading.Condition()
        self._frame: Frame | None = None
        self._health = self._watch.health
        self._notes: tuple[str, ...] = ()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    @classmethod
    def of(
        cls,
        source: str,
        size_px: tuple[int, int],
        fps: float,
        mains_hz: int,
        clock: Callable[[], float] = time.monotonic,
        exposure_ms: float | None = None,
        gain: float | None = None,
    ) -> "GrabberCamera":
        """The camera `picamera2` or `v4l2:N`. Exposure and gain that are not given it finds by itself, once."""
        python = [SYSTEM_PYTHON, "-I"] if source == "picamera2" else [sys.executable, "-I"]
        script = str(Path(camera_grabber.__file__).resolve())
        size = [str(side) for side in size_px]
        options = ["--fps", f"{fps:g}", "--mains", str(mains_hz)]
        options += [] if exposure_ms is None else ["--exposure-ms", f"{exposure_ms:g}"]
        options += [] if gain is None else ["--gain", f"{gain:g}"]
        return cls([*python, script, source, *size, *options], clock)

    def __iter__(self) -> Iterator[Frame]:
        while not self._closing.is_set():
            frame = self.newest(STEP_S)
            if frame is not None:
                yield frame

    def newest(self, wait_s: float) -> Frame | None:
        """The newest picture not given before, waiting for one at most so long; None where none came."""
        with self._news:
            self._news.wait_for(lambda: self._frame is not None or self._closing.is_set(), wait_s)
            frame, self._frame = self._frame, None
            return frame

    @property
    def health(self) -> CameraHealth:
        with self._news:
            return self._health

    @property
    def over(self) -> bool:
        """A real camera's pictures end only when it is closed."""
        return self._closing.is_set()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the grabber said since it was started last, such as the exposure it locked."""
        with self._news:
            return self._notes

    @property
    def restarts(self) -> int:
        return self._watch.restarts

    def close(self) -> None:
        """Ends the grabber. May be called more than once."""
        self._closing.set()
        with self._news:
            self._news.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join(KILL_S + 1)

    def _run(self) -> None:
        while not self._closing.is_set():
            self._watch.start(time.monotonic())
            with self._news:
                self._notes = ()
            try:
                process = subprocess.Popen(
                    self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
            except OSError as error:
                self._watch.ended(f"{REFUSED}: {error.strerror} ({self._command[0]})")
            else:
                try:
                    self._follow(process)
                finally:
                    _end(process)
            self._publish(None)
            self._closing.wait(self._watch.restart_after())

    def _follow(self, process: "subprocess.Popen[bytes]") -> None:
        """Reads what the process writes until it ends, a deadline is over, or this camera is closed."""
        assert process.stdout is not None
        pipe, parts, last_words = process.stdout.fileno(), FramePipe(), ""
        with contextlib.suppress(OSError):  # a wider pipe saves wake-ups
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, CHUNK)
        while not self._closing.is_set():
            if select.select([pipe], [], [], STEP_S)[0]:
                data = os.read(pipe, CHUNK)
                if not data:
                    self._watch.ended(last_words)
                    return
                for message in parts.feed(data):
                    if isinstance(message, GrabberText):
                        last_words = message.text if message.failure else last_words
                        self._note(message)
                    else:
                        self._publish(self._accepted(message))
            if self._watch.due(time.monotonic()):
                return

    def _accepted(self, picture: GrabbedPicture) -> Frame | None:
        now = time.monotonic()
        mark = zlib.crc32(picture.image[::ROWS_MARKED].tobytes())
        if not self._watch.picture(picture.t, mark, now):
            return None
        return Frame(self._clock() - (now - picture.t), picture.image)

    def _note(self, text: GrabberText) -> None:
        if text.text.startswith((SETTLING, LOCKED)):
            self._watch.settle(text.text.startswith(SETTLING))
        if not text.failure:
            with self._news:
                self._notes = (*self._notes, text.text)[-NOTES_KEPT:]

    def _publish(self, frame: Frame | None) -> None:
        """Shows the camera's health and, where there is one, a new picture; a camera that is down has none."""
        with self._news:
            self._health = self._watch.health
            if frame is not None or self._health.state not in DELIVERING:
                self._frame = frame
            self._news.notify_all()


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    if process.stdout is not None:
        process.stdout.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(KILL_S)
