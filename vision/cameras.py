"""Where pictures come from: one interface for real cameras, video files, folders of pictures and recordings."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from companion.errors import BadInput
from vision.camera_watch import CameraHealth, CameraState
from vision.frames import Frame
from vision.grabber_camera import GrabberCamera
from vision.recorded_frames import BadPicture, read_picture, recorded_frames

PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
USUAL_SIZE = (1280, 960)
USUAL_FPS = 15.0


class Camera(Protocol):
    """A source of pictures. Iterating gives the newest picture each time, never one twice, until it is closed."""

    def __iter__(self) -> Iterator[Frame]: ...

    def newest(self, wait_s: float) -> Frame | None:
        """The newest picture not given before, waiting for one at most so long; None where none came."""
        ...

    @property
    def health(self) -> CameraHealth: ...

    @property
    def over(self) -> bool:
        """Will no more pictures come?"""
        ...

    def close(self) -> None: ...


class StoredFrames:
    """Pictures that are there already, given one after the other; every one is the newest in its turn."""

    def __init__(self, frames: Iterator[Frame]) -> None:
        self._frames = frames
        self._closed = False
        self._over = False

    def __iter__(self) -> Iterator[Frame]:
        while (frame := self.newest(0.0)) is not None:
            yield frame

    def newest(self, wait_s: float) -> Frame | None:  # noqa: ARG002
        """The next picture; None after the last."""
        frame = None if self._closed else next(self._frames, None)
        self._over = frame is None
        return frame

    @property
    def over(self) -> bool:
        return self._over or self._closed

    @property
    def health(self) -> CameraHealth:
        if self._over:
            return CameraHealth(CameraState.GONE, "there are no more pictures", "start it again from the beginning")
        return CameraHealth(CameraState.OK)

    def close(self) -> None:
        self._closed = True


class PacedFrames(StoredFrames):
    """Stored pictures as a camera would give them: each at its time, the first at once, with times of `clock`.

    Unlike a camera's none is left out where nobody asks in time, so that a run can be repeated.
    """

    def __init__(
        self,
        frames: Iterator[Frame],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(frames)
        self._clock, self._sleep = clock, sleep
        self._began: float | None = None
        self._waiting: Frame | None = None

    def newest(self, wait_s: float) -> Frame | None:
        """The next picture once its time has come; waits for it at most so long."""
        if self._waiting is None:
            frame = super().newest(0.0)
            if frame is None:
                return None
            self._began = self._clock() - frame.t if self._began is None else self._began
            self._waiting = Frame(self._began + frame.t, frame.image)
        ahead = self._waiting.t - self._clock()
        if ahead > 0:
            self._sleep(min(ahead, wait_s))
        if self._closed or ahead > wait_s:
            return None
        frame, self._waiting = self._waiting, None
        return frame


def frames_of_video(file: Path, fps: float | None = None) -> Iterator[Frame]:
    """A video file's pictures. Their times come from the file, or from `fps`. Raises `BadPicture` naming the file."""
    if not file.is_file():
        raise BadPicture(f"{file}: is not a file; give a video file")
    video = cv2.VideoCapture(str(file))
    try:
        rate = fps or video.get(cv2.CAP_PROP_FPS)
        if not video.isOpened() or not np.isfinite(rate) or rate <= 0:
            raise BadPicture(f"{file}: is not a video that can be read; give an AVI, MP4 or MKV file")
        number = 0
        while True:
            fine, image = video.read()
            if not fine:
                if number == 0:
                    raise BadPicture(f"{file}: holds no picture that can be read")
                return
            yield Frame(number / rate, np.asarray(image, np.uint8))
            number += 1
    finally:
        video.release()


def frames_of_folder(folder: Path, fps: float = USUAL_FPS) -> Iterator[Frame]:
    """A folder's pictures in the order of their names, at a rate. Raises `BadPicture` naming folder or file."""
    if not folder.is_dir():
        raise BadPicture(f"{folder}: is not a folder of pictures")
    files = sorted(f for f in folder.iterdir() if f.suffix.lower() in PICTURES)
    if not files:
        raise BadPicture(f"{folder}: holds no pictures; they should end in {', '.join(PICTURES)}")
    for number, file in enumerate(files):
        yield Frame(number / fps, read_picture(file))


def open_camera(
    source: str,
    size_px: tuple[int, int] | None = None,
    fps: float = USUAL_FPS,
    mains_hz: int = 50,
    clock: Callable[[], float] = time.monotonic,
    exposure_ms: float | None = None,
    gain: float | None = None,
    paced: bool = False,
) -> Camera:
    """The camera that `[camera] source` names: `picamera2`, `v4l2:0`; or a video file, a folder, a `frames.csv`.

    Real cameras' times are those of `clock`, which should be as steady as the monotonic one; with `paced` stored
    pictures' too. Raises `BadInput`.
    """
    kind, _, number = source.partition(":")
    if source == "picamera2" or (kind == "v4l2" and number.isdigit()):
        return GrabberCamera.of(source, size_px or USUAL_SIZE, fps, mains_hz, clock, exposure_ms, gain)
    frames = _stored(Path(source), fps)
    return PacedFrames(frames, clock) if paced else StoredFrames(frames)


def _stored(path: Path, fps: float) -> Iterator[Frame]:
    if path.is_dir():
        list_file = path / "frames.csv"
        return recorded_frames(list_file) if list_file.is_file() else frames_of_folder(path, fps)
    if path.is_file():
        return recorded_frames(path) if path.suffix == ".csv" else frames_of_video(path)
    raise BadInput(f"camera {str(path)!r}: there is no such video file or folder, and it is not picamera2 or v4l2:0")
