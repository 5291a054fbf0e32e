"""The grabber's two kinds of cameras, with fakes in the place of their libraries."""

import argparse
import sys
import time
import types

import cv2
import numpy as np
import pytest

from vision.camera_grabber import (
    AFTER_LOCK_S,
    LASTS_S,
    LEAST_BETWEEN_S,
    LOCKED,
    SETTLING,
    LightWatch,
    PiCamera,
    UsbCamera,
    grab,
    open_source,
)

SIZE = (32, 24)
RED = (10, 20, 200)  # as blue, green, red


class FakePicamera2:
    """What the grabber needs of picamera2: exposure settles at 14 ms, gain 2."""

    cameras = 1
    latest = None

    @staticmethod
    def global_camera_info():
        return [{"Num": n} for n in range(FakePicamera2.cameras)]

    def __init__(self):
        self.camera_controls = {"AeFlickerMode": (0, 1, 0)}
        self.configured, self.set, self.taken, self.released = {}, [], 0, 0
        FakePicamera2.latest = self

    def create_video_configuration(self, **wanted):
        return wanted

    def configure(self, wanted):
        self.configured = wanted

    def start(self):
        pass

    def set_controls(self, wanted):
        self.set.append(wanted)

    def capture_request(self):
        self.taken += 1
        return self

    def make_array(self, name):
        assert name == "main"
        return np.full((SIZE[1], SIZE[0], 3), RED, np.uint8)

    def get_metadata(self):
        return {
            "ExposureTime": 14000 + round(9000 * 0.7**self.taken),
            "AnalogueGain": 2.0,
            "ColourGains": (1.6, 1.9),
            "SensorTimestamp": time.clock_gettime_ns(time.CLOCK_BOOTTIME) - 30_000_000,
        }

    def release(self):
        self.released += 1


@pytest.fixture
def picamera2(monkeypatch):
    manual = types.SimpleNamespace(AeFlickerModeEnum=types.SimpleNamespace(Manual="manual"))
    monkeypatch.setitem(sys.modules, "libcamera", types.SimpleNamespace(controls=manual))
    monkeypatch.setitem(sys.modules, "picamera2", types.SimpleNamespace(Picamera2=FakePicamera2))
    monkeypatch.setattr(FakePicamera2, "cameras", 1)


def arguments(source, exposure_ms=None, gain=None):
    return argparse.Namespace(
        source=source, width=SIZE[0], height=SIZE[1], fps=15.0, mains=50, exposure_ms=exposure_ms, gain=gain
    )


def test_a_pi_camera_is_asked_for_the_format_that_lies_as_bgr_and_for_the_mains(picamera2):
    source = open_source(arguments("picamera2"), print)
    wanted = FakePicamera2.latest.configured
    assert wanted["main"] == {"size": SIZE, "format": "RGB888"}
    assert wanted["controls"]["AeFlickerPeriod"] == 10_000
    t, width, height, image = source.take()
    assert (width, height, tuple(image[0, 0])) == (*SIZE, RED)
    assert time.monotonic() - t == pytest.approx(0.03, abs=0.05)


def test_a_pi_camera_is_locked_once_and_without_banding(picamera2):
    notes = []
    source = PiCamera(SIZE, 15.0, 50, notes.append)
    for _ in range(60):
        source.take()
    (locked,) = FakePicamera2.latest.set
    assert (locked["AeEnable"], locked["AwbEnable"]) == (False, False)
    assert locked["ExposureTime"] == 10_000
    assert locked["AnalogueGain"] == pytest.approx(2.8, rel=0.05)
    assert locked["ColourGains"] == (1.6, 1.9)
    assert len(notes) == 1
    assert FakePicamera2.latest.released == FakePicamera2.latest.taken


def test_a_pi_camera_keeps_the_exposure_and_gain_that_are_asked_for(picamera2):
    source = open_source(arguments("picamera2", exposure_ms=7.5, gain=3.0), lambda _: None)
    wanted = FakePicamera2.latest.configured["controls"]
    assert (wanted["AeEnable"], wanted["ExposureTime"], wanted["AnalogueGain"]) == (False, 7500, 3.0)
    for _ in range(60):
        source.take()
    (locked,) = FakePicamera2.latest.set
    assert (locked["ExposureTime"], locked["AnalogueGain"]) == (7500, 3.0)
    assert locked["AwbEnable"] is False


def test_with_the_exposure_alone_given_the_gain_is_found(picamera2):
    source = open_source(arguments("picamera2", exposure_ms=10), lambda _: None)
    assert FakePicamera2.latest.configured["controls"]["AeEnable"] is True
    for _ in range(60):
        source.take()
    (locked,) = FakePicamera2.latest.set
    assert (locked["ExposureTime"], locked["AnalogueGain"]) == (10_000, 2.0)


def seen(watch, levels, from_s, to_s):
    """When the watch first says that the light has changed for good, shown one level each second, or None."""
    for n in range(round(to_s - from_s)):
        if watch.see(bytes([levels(from_s + n) if callable(levels) else levels]) * 50, from_s + n):
            return from_s + n
    return None


@pytest.fixture
def light():
    watch = LightWatch()
    watch.locked(0.0)
    assert seen(watch, 120, 0, 100) is None
    return watch


@pytest.mark.parametrize("level", [80, 170, 254])
def test_another_light_that_lasts_is_noticed_once_it_has_lasted(light, level):
    at = seen(light, level, 100, 200)
    assert 100 + LASTS_S <= at <= 103 + LASTS_S
    light.locked(at)
    assert seen(light, level, at, at + 200) is None  # it is the usual light now


def test_a_light_that_changes_a_little_or_not_for_long_is_left_to_the_reader(light):
    assert seen(light, 105, 100, 160) is None
    assert seen(light, 70, 160, 160 + LASTS_S - 2) is None
    assert seen(light, 120, 200, 260) is None


def test_light_that_goes_up_and_down_is_never_settled_in(light):
    assert seen(light, lambda t: 60 if t % 4 < 2 else 90, 100, 300) is None


def test_what_is_overexposed_more_than_before_is_noticed(light):
    patch = bytes([120] * 45 + [254] * 5)
    assert any(light.see(patch, float(t)) for t in range(100, 130))


def test_settling_is_not_tried_all_the_time_nor_right_after_locking():
    watch = LightWatch()
    watch.locked(0.0)
    assert not watch.see(bytes([120] * 50), AFTER_LOCK_S - 0.5)
    seen(watch, 120, 2, 5)
    assert seen(watch, 40, 5, 200) >= LEAST_BETWEEN_S


class Clock:
    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def watched(source, clock, level, seconds):
    """The camera takes 15 pictures a second of this level."""
    for _ in range(round(15 * seconds)):
        clock.now += 1 / 15
        source.take()
        source.see(bytes([level]) * 50, clock.now)


def test_a_pi_camera_settles_anew_in_another_light_and_locks_again(picamera2, monkeypatch):
    clock, notes = Clock(monkeypatch), []
    source = PiCamera(SIZE, 15.0, 50, notes.append)
    fake = FakePicamera2.latest
    watched(source, clock, 120, 70)
    assert [wanted["AeEnable"] for wanted in fake.set] == [False]
    watched(source, clock, 60, LASTS_S + 10)
    assert [wanted["AeEnable"] for wanted in fake.set] == [False, True, False]
    assert [wanted["AwbEnable"] for wanted in fake.set] == [False, True, False]
    assert [note.split(": ")[0] + ": " for note in notes] == [LOCKED, SETTLING, LOCKED]
    watched(source, clock, 60, 100)
    assert len(fake.set) == 3


def test_what_was_asked_for_stays_when_the_rest_settles_anew(picamera2, monkeypatch):
    clock = Clock(monkeypatch)
    source = PiCamera(SIZE, 15.0, 50, lambda _: None, 7.5, 3.0)
    watched(source, clock, 120, 70)
    watched(source, clock, 60, LASTS_S + 10)
    anew = FakePicamera2.latest.set[1]
    assert (anew["AeEnable"], anew["ExposureTime"], anew["AnalogueGain"]) == (False, 7500, 3.0)


def test_a_missing_pi_camera_and_a_missing_library_are_named(picamera2, monkeypatch):
    monkeypatch.setattr(FakePicamera2, "cameras", 0)
    with pytest.raises(OSError, match="ribbon cable"):
        open_source(arguments("picamera2"), print)
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(ImportError, match="apt install python3-picamera2"):
        open_source(arguments("picamera2"), print)


def test_a_source_of_another_name_is_refused():
    with pytest.raises(ValueError, match="v4l2:0"):
        open_source(arguments("webcam"), print)


class FakeCapture:
    opens = True
    latest = None

    def __init__(self, n, api):
        self.values, self.changes, self.grabs, self.works = {}, [], 0, True
        FakeCapture.latest = self

    def isOpened(self):
        return FakeCapture.opens

    def set(self, name, value):
        self.values[name] = value
        self.changes.append((name, value))

    def get(self, name):
        return self.values.get(name, 120.0)

    def grab(self):
        self.grabs += 1
        return self.works

    def retrieve(self):
        return True, np.full((SIZE[1], SIZE[0], 3), RED, np.uint8)


@pytest.fixture
def usb(monkeypatch):
    there = {"/dev/video0"}
    monkeypatch.setattr("os.path.exists", lambda path: path in there)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    monkeypatch.setattr(FakeCapture, "opens", True)
    return there


def test_a_usb_camera_is_automatic_first_and_then_locked(usb):
    notes = []
    source = UsbCamera(0, SIZE, 15.0, 50, notes.append)
    fake = FakeCapture.latest
    assert fake.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3
    assert fake.values[cv2.CAP_PROP_BUFFERSIZE] == 1
    for _ in range(40):
        assert source.take()[3][0, 0, 2] == RED[2]
    assert fake.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert fake.values[cv2.CAP_PROP_AUTO_WB] == 0
    assert fake.values[cv2.CAP_PROP_EXPOSURE] == 100  # 12 ms is not a whole number of flashes of 10 ms
    assert len(notes) == 1


def test_a_usb_camera_keeps_the_exposure_and_gain_that_are_asked_for(usb):
    source = open_source(arguments("v4l2:0", exposure_ms=7.5, gain=30), lambda _: None)
    for _ in range(40):
        source.take()
    fake = FakeCapture.latest
    assert fake.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert (fake.values[cv2.CAP_PROP_EXPOSURE], fake.values[cv2.CAP_PROP_GAIN]) == (75, 30)


def test_a_usb_camera_settles_anew_in_another_light_and_locks_again(usb, monkeypatch):
    clock, notes = Clock(monkeypatch), []
    source = UsbCamera(0, SIZE, 15.0, 50, notes.append)
    fake = FakeCapture.latest
    watched(source, clock, 120, 70)
    fake.changes.clear()
    watched(source, clock, 60, LASTS_S + 10)
    assert [value for name, value in fake.changes if name == cv2.CAP_PROP_AUTO_EXPOSURE] == [3, 1]
    assert [value for name, value in fake.changes if name == cv2.CAP_PROP_AUTO_WB] == [1, 0]
    assert [note.split(": ")[0] + ": " for note in notes] == [LOCKED, SETTLING, LOCKED]


def test_what_the_light_watch_is_told_are_green_levels():
    class Source:
        levels = None

        def take(self):
            return None if self.levels else (1.0, 40, 30, np.full((30, 40, 3), (10, 77, 200), np.uint8))

        def see(self, levels, t):
            self.levels = levels

    source = Source()
    with pytest.raises(OSError, match="failed to take"):
        grab(source, lambda data: None)
    assert set(source.levels) == {77}
    assert len(source.levels) == 1200


def test_a_usb_camera_whose_plug_is_pulled_ends_the_grabber_though_reading_goes_on(usb):
    source = UsbCamera(0, SIZE, 15.0, 50, print)
    assert source.take() is not None
    usb.clear()
    with pytest.raises(OSError, match="unplugged"):
        source.take()


def test_a_picture_that_fails_is_no_picture(usb):
    source = UsbCamera(0, SIZE, 15.0, 50, print)
    FakeCapture.latest.works = False
    assert source.take() is None


def test_a_usb_camera_that_is_not_there_or_in_use_is_named(usb, monkeypatch):
    with pytest.raises(OSError, match="/dev/video3 is not there"):
        UsbCamera(3, SIZE, 15.0, 50, print)
    monkeypatch.setattr(FakeCapture, "opens", False)
    with pytest.raises(OSError, match="another program"):
        UsbCamera(0, SIZE, 15.0, 50, print)
