"""The grabber's two kinds of cameras, with fakes in the place of their libraries."""

import argparse
import sys
import time
import types

import cv2
import numpy as np
import pytest

from vision.camera_grabber import PiCamera, UsbCamera, open_source

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
