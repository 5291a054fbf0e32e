"""The grabber as a program of its own, under a python that knows nothing of this project, before a fake picamera2."""

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from vision.camera_watch import CameraState
from vision.grabber_camera import GrabberCamera

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "hardware" / "camera_grabber.py"
PATIENCE_S = 30.0
FAKE = """
    import time

    class Image:
        shape = (24, 32, 3)
        def __init__(self, level):
            self.level = level
        def tobytes(self):
            return bytes([self.level % 256]) * (24 * 32 * 3)

    class Picamera2:
        camera_controls = {"AeFlickerMode": (0, 1, 0)}
        @staticmethod
        def global_camera_info():
            return [{"Num": 0}]
        def __init__(self):
            print("libcamera talks to standard output")
            self.taken, self.controls = 0, {"ExposureTime": 14000, "AnalogueGain": 2.0, "ColourGains": (1.6, 1.9)}
        def create_video_configuration(self, **wanted):
            return wanted
        def configure(self, wanted):
            assert wanted["controls"]["AeFlickerPeriod"] == 10_000, wanted
        def start(self):
            pass
        def set_controls(self, wanted):
            assert not wanted["AeEnable"] and not wanted["AwbEnable"]
            self.controls.update({name: wanted[name] for name in self.controls})
        def capture_request(self):
            time.sleep(0.005)
            self.taken += 1
            return self
        def make_array(self, name):
            return Image(self.taken)
        def get_metadata(self):
            return {**self.controls, "SensorTimestamp": time.clock_gettime_ns(time.CLOCK_BOOTTIME)}
        def release(self):
            pass
"""
LIBCAMERA = """
    class controls:
        class AeFlickerModeEnum:
            Manual = 1
"""


@pytest.fixture
def fakes(tmp_path, monkeypatch):
    (tmp_path / "picamera2.py").write_text(textwrap.dedent(FAKE))
    (tmp_path / "libcamera.py").write_text(textwrap.dedent(LIBCAMERA))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("fakes")
def test_it_settles_locks_without_banding_and_its_pictures_arrive():
    camera = GrabberCamera([sys.executable, str(PROGRAM), "picamera2", "32", "24", "--mains", "50"])
    try:
        end, seen = time.monotonic() + PATIENCE_S, 0
        while time.monotonic() < end and not (camera.notes and seen > 30):
            frame = camera.newest(0.2)
            if frame is not None:
                seen += 1
                assert frame.image.shape == (24, 32, 3)
                assert abs(time.monotonic() - frame.t) < 1.0
        assert camera.health.state is CameraState.OK
        assert camera.notes == ("locked: 10000 us, gain 2.80, red 1.60, blue 1.90",)
    finally:
        camera.close()


def test_it_needs_nothing_of_this_project_and_only_the_standard_library_to_start():
    clean = [sys.executable, "-I", "-S", str(PROGRAM), "v4l2:93", "64", "48"]
    done = subprocess.run(clean, capture_output=True, timeout=30, cwd="/", check=False)
    assert done.returncode == 1
    assert b"No module named" in done.stdout  # cv2, which -S hides: said over the pipe, with no traceback
    assert done.stderr == b""
