#!/usr/bin/env python3
"""Tries a camera by hand, without the rest: `camera_grabber.py picamera2|v4l2:0 WIDTH HEIGHT > /dev/null`.

The program itself is `vision/camera_grabber.py`, which needs nothing of this project; see there.
"""

import runpy
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "vision" / "camera_grabber.py"

if __name__ == "__main__":
    runpy.run_path(str(PROGRAM), run_name="__main__")
