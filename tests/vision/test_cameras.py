"""Where pictures come from, and what becomes of cameras that hang, freeze, die or talk nonsense. All without one."""

import os
import sys
import textwrap
import time

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput
from vision.camera_grabber import (
    FAILURE,
    NOTE,
    PICTURE,
    Settling,
    grab,
    header,
    message,
    nearest_without_banding,
    without_banding,
)
from vision.camera_watch import NEW_LIGHT, CameraHealth, CameraState, CameraWatch, Deadlines
from vision.cameras import PacedFrames, StoredFrames, frames_of_folder, frames_of_video, open_camera
from vision.frame_pipe import FramePipe, GrabbedPicture, GrabberText
from vision.frames import Frame
from vision.grabber_camera import GrabberCamera
from vision.recorded_frames import BadPicture

HURRIED = Deadlines(
    first_picture=10.0, next_picture=0.4, same_picture=0.4, too_old=5.0, restart=0.01, restart_at_most=0.02
)
PATIENCE_S = 20.0
SIZE = (48, 32)  # width, height
FAKE = """
    import os, sys, time
    from vision.camera_grabber import FAILURE, NOTE, PICTURE, message
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    starts = open(sys.argv[1], "a+"); starts.write("x"); starts.flush(); starts.seek(0); start = len(starts.read())
    def picture(n, t=None):
        out.write(message(PICTURE, time.monotonic() if t is None else t, bytes([n % 256]) * (48 * 32 * 3), 48, 32))
    def film():
        n = 0
        while True:
            picture(n := n + 1); time.sleep(0.01)
"""


def picture_message(level: int, t: float = 1.0) -> bytes:
    return message(PICTURE, t, bytes([level]) * (SIZE[0] * SIZE[1] * 3), *SIZE)


@pytest.fixture
def fake(tmp_path):
    """fake(program) -> a camera whose grabber is that program; `start` in it counts its starts from 1."""
    opened = []

    def make(program: str, deadlines: Deadlines = HURRIED) -> GrabberCamera:
        script = tmp_path / "grabber.py"
        script.write_text(textwrap.dedent(FAKE) + textwrap.dedent(program))
        camera = GrabberCamera([sys.executable, str(script), str(tmp_path / "starts")], deadlines=deadlines)
        opened.append(camera)
        return camera

    yield make
    for camera in opened:
        camera.close()


def until(true, camera):
    """Waits until something holds, taking pictures meanwhile."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        camera.newest(0.02)
        if true():
            return True
    return False


def test_a_living_camera_gives_new_pictures_and_is_ok(fake):
    camera = fake("film()")
    frames = [frame for frame, _ in zip(camera, range(5), strict=False)]
    assert all(frame.image.shape == (32, 48, 3) for frame in frames)
    assert len({int(frame.image[0, 0, 0]) for frame in frames}) == 5
    assert [frame.t for frame in frames] == sorted(frame.t for frame in frames)
    assert camera.health.state is CameraState.OK


def test_of_pictures_that_nobody_took_only_the_newest_is_given(fake):
    camera = fake(
        "for n in range(50): picture(n)\nout.write(message(NOTE, 0.0, b'all'))\ntime.sleep(60)",
        Deadlines(next_picture=60, same_picture=60),
    )
    end = time.monotonic() + PATIENCE_S
    while not camera.notes and time.monotonic() < end:
        time.sleep(0.01)
    frame = camera.newest(1.0)
    assert frame is not None
    assert frame.image[0, 0, 0] == 49
    assert camera.newest(0.0) is None


def test_a_camera_that_hangs_is_named_and_started_anew(fake):
    camera = fake("if start == 1:\n    picture(1); time.sleep(600)\nfilm()")
    seen = set()
    assert until(lambda: seen.add(camera.health) or (camera.restarts and camera.health.state is CameraState.OK), camera)
    hung = next(health for health in seen if health.state is CameraState.GONE)
    assert "hangs" in hung.what
    assert "cable" in hung.remedy


def test_a_camera_that_never_gives_a_picture_is_started_anew(fake):
    camera = fake("if start == 1: time.sleep(600)\nfilm()", Deadlines(first_picture=3.0, restart=0.01))
    assert camera.health.state is CameraState.STARTING
    assert until(lambda: camera.restarts and camera.health.state is CameraState.OK, camera)


def test_a_camera_that_repeats_its_picture_is_called_frozen_and_started_anew(fake):
    camera = fake(
        "picture(7)\nwhile True:\n    picture(7 if start == 1 else 8 + int(time.time() * 100)); time.sleep(0.01)"
    )
    seen = set()
    assert until(lambda: seen.add(camera.health) or (camera.restarts and camera.health.state is CameraState.OK), camera)
    frozen = next(health for health in seen if health.state is CameraState.FROZEN)
    assert "not changed" in frozen.what
    assert "lens cap" in frozen.remedy


def test_a_repeated_picture_is_not_given_twice(fake):
    camera = fake("while True: picture(7); time.sleep(0.01)")
    assert next(iter(camera)).image[0, 0, 0] == 7
    assert camera.newest(0.2) is None


def test_a_camera_whose_process_dies_is_gone_with_its_last_words_and_comes_back(fake):
    camera = fake(
        "if start < 3:\n    out.write(message(FAILURE, 0.0, b'/dev/video0 is gone: unplugged')); sys.exit(1)\nfilm()"
    )
    seen = set()
    assert until(lambda: seen.add(camera.health) or camera.health.state is CameraState.OK, camera)
    assert camera.restarts == 2
    assert any(health.state is CameraState.GONE and "unplugged" in health.what for health in seen)


def test_a_camera_that_writes_nonsense_is_started_anew(fake):
    camera = fake(
        "while start == 1: out.write(os.urandom(5000)); time.sleep(0.01)\nfilm()",
        Deadlines(first_picture=3.0, restart=0.01),
    )
    assert until(lambda: camera.restarts and camera.health.state is CameraState.OK, camera)


def test_a_program_that_is_not_there_is_named():
    camera = GrabberCamera(["/no/such/python"], deadlines=HURRIED)
    assert until(lambda: camera.health.state is CameraState.GONE, camera)
    assert "/no/such/python" in camera.health.what
    camera.close()


def test_notes_of_the_grabber_can_be_read(fake):
    camera = fake("out.write(message(NOTE, 0.0, b'locked: 10000 us'))\nfilm()")
    assert until(lambda: camera.notes == ("locked: 10000 us",), camera)


def test_closing_ends_the_process_and_the_pictures(fake):
    camera = fake("if start == 1: out.write(message(NOTE, 0.0, str(os.getpid()).encode()))\nfilm()")
    assert until(lambda: camera.notes, camera)
    process = int(camera.notes[0])
    camera.close()
    camera.close()
    assert list(camera) == []
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_the_real_grabber_says_what_is_missing():
    camera = open_camera("v4l2:93", (64, 48))
    assert until(lambda: camera.health.state is CameraState.GONE, camera)
    assert "/dev/video93 is not there" in camera.health.what
    camera.close()


# The pipe


@given(st.lists(st.integers(0, 255), min_size=1, max_size=4), st.binary(max_size=40), st.integers(1, 5000))
def test_pictures_arrive_whole_however_the_bytes_are_cut_and_whatever_comes_first(levels, junk, cut):
    junk = junk.replace(b"SnkC", b"")
    data = junk + b"".join(picture_message(level, t) for t, level in enumerate(levels))
    pipe, seen = FramePipe(), []
    for at in range(0, len(data), cut):
        seen += pipe.feed(data[at : at + cut])
    assert isinstance(seen[-1], GrabbedPicture)
    assert (seen[-1].t, set(seen[-1].image.ravel())) == (len(levels) - 1, {levels[-1]})
    assert pipe.junk == len(junk)


def test_of_several_pictures_at_once_the_newest_is_kept_and_no_text_is_lost():
    data = message(NOTE, 0.0, b"one") + picture_message(1) + picture_message(2) + message(FAILURE, 0.0, b"two")
    note, picture, failure = FramePipe().feed(data)
    assert (note, failure) == (GrabberText("one", False), GrabberText("two", True))
    assert picture.image[0, 0, 0] == 2


def test_a_broken_picture_costs_only_itself():
    broken = picture_message(1)[:700]
    seen = FramePipe().feed(broken + picture_message(2) + picture_message(3) + picture_message(4))
    assert seen[-1].image.min() == seen[-1].image.max() == 4


def test_a_header_that_lies_about_sizes_is_no_picture():
    pipe = FramePipe()
    assert pipe.feed(header(PICTURE, 0.0, 1000, 1000, 12) + header(PICTURE, 0.0, 65535, 65535, 4_294_000_000)) == []
    assert [m.image[0, 0, 0] for m in pipe.feed(picture_message(9))] == [9]


# The watch


def test_pictures_that_come_late_are_not_passed_on_and_a_remedy_is_named():
    watch = CameraWatch()
    watch.start(0.0)
    assert watch.picture(taken=0.9, mark=1, now=1.0)
    assert not watch.picture(taken=1.0, mark=2, now=4.0)
    assert "late" in watch.health.what
    assert "size_px" in watch.health.remedy


def test_deadlines_hold_to_the_second():
    watch = CameraWatch(Deadlines(first_picture=10, next_picture=2, same_picture=3))
    watch.start(100.0)
    assert not watch.due(109.9)
    assert watch.due(110.1)
    watch.start(200.0)
    assert watch.picture(200.9, 1, 201.0)
    assert not watch.due(202.9)
    assert watch.due(203.1)
    watch.start(300.0)
    for t in (300.5, 301.5, 302.9):
        assert not watch.picture(t, 1, t)
        assert not watch.due(t)
    assert not watch.picture(303.5, 1, 303.5)
    assert watch.due(303.5)
    assert watch.health.state is CameraState.FROZEN


def test_a_camera_that_stays_away_is_tried_less_and_less_often_until_it_is_back():
    watch = CameraWatch(Deadlines(restart=1, restart_at_most=8))
    assert [watch.restart_after() for _ in range(5)] == [1, 2, 4, 8, 8]
    watch.picture(0.0, 1, 0.0)
    assert watch.restart_after() == 1


def test_a_camera_that_sets_its_exposure_anew_says_so_until_it_is_locked_or_started_anew():
    watch = CameraWatch()
    watch.start(0.0)
    watch.settle(begun=True)
    assert watch.picture(1.0, 1, 1.0)
    assert watch.health == CameraHealth(CameraState.SETTLING, NEW_LIGHT)
    watch.settle(begun=False)
    assert watch.picture(2.0, 2, 2.0)
    assert watch.health.state is CameraState.OK
    watch.settle(begun=True)
    watch.start(3.0)
    assert watch.picture(4.0, 3, 4.0)
    assert watch.health.state is CameraState.OK


# The grabber's own decisions


def test_automatics_are_locked_once_they_have_come_to_rest():
    settling, locked = Settling(), []
    for n in range(60):
        locked.append(settling.feed((10000 + 5000 * 0.8**n, 2.0, 1.5, 1.4)))
    first = next(n for n, values in enumerate(locked) if values)
    assert 15 <= first < 40
    assert locked[first][0] == pytest.approx(10000, rel=0.03)


def test_automatics_that_never_rest_are_locked_all_the_same():
    settling = Settling()
    assert any(settling.feed((10000.0 + 3000 * (n % 2), 2.0, 1.5, 1.4)) for n in range(200))


@given(st.floats(100, 60000), st.floats(1, 8), st.sampled_from([50, 60]))
def test_a_long_exposure_is_a_whole_number_of_flashes_and_as_bright(exposure, gain, mains):
    steady, other = without_banding(exposure, gain, mains)
    flash = 1e6 / (2 * mains)
    if exposure < flash * 0.95:
        assert (steady, other) == (round(exposure), gain)
        return
    assert abs(steady / flash - round(steady / flash)) < 1e-4
    assert steady * other == pytest.approx(exposure * gain, rel=1e-3) or other == 1.0


@given(st.floats(100, 60000), st.sampled_from([50, 60]), st.floats(10_000, 100_000))
def test_a_camera_without_gain_to_spare_gets_the_nearest_exposure_without_banding(exposure, mains, longest):
    steady, flash = nearest_without_banding(exposure, mains, longest), 1e6 / (2 * mains)
    if exposure < flash * 0.95:
        assert steady == exposure
        return
    assert abs(steady / flash - round(steady / flash)) < 1e-9
    assert steady <= max(flash, longest * 1.05)
    assert abs(steady - exposure) <= flash / 2 + 1e-6 or exposure > longest - flash


def test_a_source_that_fails_again_and_again_ends_the_grabber():
    class Dead:
        def take(self):
            return None

    with pytest.raises(OSError, match="3 pictures in a row"):
        grab(Dead(), lambda data: None, failures=3)


def test_what_a_source_gives_can_be_read_at_the_other_end():
    image = np.arange(SIZE[0] * SIZE[1] * 3, dtype=np.uint8).reshape(SIZE[1], SIZE[0], 3)

    class Once:
        left = 1

        def take(self):
            self.left -= 1
            return (3.5, *SIZE, image) if self.left >= 0 else None

        def see(self, levels, t):
            pass

    written = []
    with pytest.raises(OSError):
        grab(Once(), lambda data: written.append(bytes(data)), failures=2)
    (picture,) = FramePipe().feed(b"".join(written))
    assert picture.t == 3.5
    assert np.array_equal(picture.image, image)


# Stored pictures


@pytest.fixture
def folder(tmp_path):
    for name, level in (("b.png", 20), ("a.png", 10), ("c.png", 30)):
        cv2.imwrite(str(tmp_path / name), np.full((24, 32, 3), level, np.uint8))
    (tmp_path / "notes.txt").write_text("not a picture")
    return tmp_path


def test_a_folder_of_pictures_is_a_camera(folder):
    camera = open_camera(str(folder), fps=10)
    assert [(round(f.t, 3), int(f.image[0, 0, 0])) for f in camera] == [(0.0, 10), (0.1, 20), (0.2, 30)]
    assert camera.health.state is CameraState.GONE


def test_a_folder_without_pictures_and_one_that_is_not_there_are_refused(tmp_path):
    with pytest.raises(BadPicture, match="no pictures"):
        next(frames_of_folder(tmp_path))
    with pytest.raises(BadInput, match="v4l2:0"):
        open_camera(str(tmp_path / "nothing"))


def test_a_recordings_list_of_pictures_is_a_camera(folder):
    (folder / "frames.csv").write_text("t_s,file\n0.5,a.png\n0.9,c.png\n")
    assert [f.t for f in open_camera(str(folder))] == [0.5, 0.9]
    assert [f.t for f in open_camera(str(folder / "frames.csv"))] == [0.5, 0.9]


def test_a_video_file_is_a_camera(tmp_path):
    file = tmp_path / "film.avi"
    video = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 20, (64, 48))
    for level in (40, 120, 200):
        video.write(np.full((48, 64, 3), level, np.uint8))
    video.release()
    frames = list(open_camera(str(file)))
    assert [f.t for f in frames] == [0.0, 0.05, 0.1]
    assert [round(float(f.image.mean()), -1) for f in frames] == [40, 120, 200]


def test_stored_pictures_can_come_at_their_times_and_none_is_left_out():
    now, slept = [100.0], []
    frames = (Frame(5.0 + n / 10, np.zeros((4, 4, 3), np.uint8)) for n in range(4))

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    camera = PacedFrames(frames, lambda: now[0], sleep)
    assert camera.newest(0.0).t == 100.0
    assert camera.newest(0.03) is None
    assert slept == [0.03]
    now[0] += 10.0
    assert [round(camera.newest(0.0).t, 6) for _ in range(3)] == [100.1, 100.2, 100.3]
    assert not camera.over
    assert camera.newest(0.0) is None
    assert camera.over


def test_what_is_no_video_is_refused(tmp_path):
    (tmp_path / "film.avi").write_bytes(b"no film at all" * 99)
    with pytest.raises(BadPicture, match=r"film\.avi"):
        next(frames_of_video(tmp_path / "film.avi"))


def test_a_closed_source_gives_no_more_pictures(folder):
    camera = StoredFrames(frames_of_folder(folder))
    assert camera.newest(0.0) is not None
    camera.close()
    assert list(camera) == []
