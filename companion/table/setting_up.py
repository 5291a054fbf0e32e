"""Setting a table up while it runs: what camera and cells make of it now, corners, calibration, colours.

What is changed goes into `table.toml`; it is in force when the program starts the next time.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.errors import BadInput, SenryakuError
from companion.rules import parse_well
from companion.table.cell_calibration import changes_of, fit_json, plan_for
from companion.table.corners_file import keep_corners
from companion.table.printing import sheet_pdf
from companion.table.refereeing import Refereeing
from companion.table.settings import TableSettings
from companion.table.settings_file import change_settings
from firmware_bridge.calibration import Calibrating, begin, confirm, take
from firmware_bridge.calibration_fit import Mass
from firmware_bridge.samples import RawSample
from vision.colour import HUES_DEG
from vision.frames import Frame
from vision.light_check import check_light
from vision.markers import find_markers

CORNER_WELLS = ("a6", "g6", "g1", "a1")
"""In the order in which a person points at them, as White sees them."""
MOST_GRAMS = 5000.0
MASS_SD_G = 0.05
"""How well a kitchen scale knows a mass, g."""

STEPS = ["doctor", "corners", "colours", "calibrate", "confirm", "stop"]
"""What can be asked for."""

Findings = list[dict[str, Any]]


class NotHere(SenryakuError, ValueError):
    """This table cannot be set up so: it is simulated, or something is missing; the message says what."""


class SettingUp:
    """One table's set-up. `note` is called from the table's thread, the rest from any."""

    def __init__(
        self, settings: TableSettings, table_file: Path | None, doctor: Callable[[], Findings] = list[dict[str, Any]]
    ) -> None:
        """`table_file` None: a simulated table, whose settings nobody changes. `doctor` looks at the computer."""
        self._settings = settings
        self._file = table_file
        self._doctor = doctor
        self._calibrating: Calibrating | None = None
        self._written: list[str] = []
        self._problem: str | None = None
        self._lock = threading.Lock()

    @property
    def calibrating(self) -> bool:
        """Are the cells being calibrated? Then what they feel is no game."""
        state = self._calibrating
        return state is not None and not state.done

    def note(self, item: RawSample | Frame) -> None:
        """Takes a sample while the cells are calibrated; the outcome is written when all checks have passed."""
        if self._calibrating is None or not isinstance(item, RawSample):
            return
        with self._lock:
            before = self._calibrating
            if before is None or before.done:
                return
            self._calibrating = after = take(before, item)
        if after.fit is not None and before.fit is None and self._file is not None:
            try:
                change_settings(self._file, changes_of(after.fit))
                self._written.append("load cells")
            except SenryakuError as error:  # the table's thread goes on
                self._problem = str(error)

    def view(self, refereeing: Refereeing, frame: Frame | None) -> dict[str, Any]:
        """All that the set-up pages show, as JSON values."""
        settings = self._settings
        return {
            "can_write": self._file is not None,
            "written": list(self._written),
            "problem": self._problem,
            "camera": {"source": self._source(settings.camera_source), **self._camera(refereeing, frame)},
            "load_cells": {"source": self._source(settings.load_source), "calibration": self._calibration()},
            "colours": {
                "white_coloured": settings.colours.white_coloured,
                "black_coloured": settings.colours.black_coloured,
                "known": list(HUES_DEG),
            },
        }

    def sheet(self, what: str, paper: str) -> bytes:
        """A sheet to print, as PDF. Raises like `sheet_pdf`."""
        return sheet_pdf(what, self._settings, paper)

    def carry_out(self, command: dict[str, Any], frame: Frame | None) -> dict[str, Any]:
        """Does a step. Raises BadInput for a command that makes no sense, a SenryakuError for what cannot be done."""
        match command.get("do"):
            case "doctor":
                return {"done": True, "findings": self._doctor()}
            case "corners":
                return self._keep_corners(command.get("corners"), frame)
            case "colours":
                return self._keep_colours(command)
            case "calibrate":
                return self._begin_calibration(command.get("mass_g"))
            case "confirm":
                with self._lock:
                    if self._calibrating is None:
                        raise NotHere("no calibration is going on")
                    self._calibrating = confirm(self._calibrating)
                return {"done": True}
            case "stop":
                self._calibrating = None
                return {"done": True}
            case other:
                raise BadInput(f"{other!r} is no step of the set-up; known are {', '.join(STEPS)}")

    def _camera(self, refereeing: Refereeing, frame: Frame | None) -> dict[str, Any]:
        settings, sight = self._settings, refereeing.reader.sight
        by_corners = settings.corners is not None
        seen: dict[str, Any] = {
            "by_corners": by_corners,
            "wanted": sorted(settings.markers.centres_mm),
            "found": {},
            "board": None,
            "size_px": None,
            "light": None,
        }
        if frame is None:
            return seen
        image = frame.image
        seen["size_px"] = [image.shape[1], image.shape[0]]
        if not by_corners and settings.markers.centres_mm:
            grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
            found = find_markers(grey, settings.markers)
            seen["found"] = {str(marker): _rounded(sightings[0]) for marker, sightings in sorted(found.items())}
        if sight is not None:
            pose = sight.pose
            if pose.size_px != (image.shape[1], image.shape[0]):
                pose = pose.scaled(image.shape[1] / pose.size_px[0])
            wells = [parse_well(name) for name in CORNER_WELLS]
            seen["board"] = _rounded(pose.project(np.array([(*settings.grid.centre_mm(w), 0.0) for w in wells])))
            problems = check_light(image, pose, settings.grid)
            seen["light"] = [{"what": problem.what, "remedy": problem.remedy} for problem in problems]
        return seen

    def _calibration(self) -> dict[str, Any] | None:
        state = self._calibrating
        if state is None:
            return None
        problem = state.problem
        return {
            "step": state.step.value,
            "asks": state.asks,
            "waiting": state.waiting,
            "progress": round(state.progress, 2),
            "problem": None if problem is None else {"what": problem.what, "remedy": problem.remedy},
            "done": state.done,
            "found": None if state.fit is None else fit_json(state.fit),
        }

    def _begin_calibration(self, mass_g: Any) -> dict[str, Any]:
        self._writable()
        if self._settings.load_source == "none":
            raise NotHere("this table has no load cells: set source under [load_cells] in table.toml first")
        bad = isinstance(mass_g, bool) or not isinstance(mass_g, int | float | None)
        if bad or (mass_g is not None and not 0 < mass_g <= MOST_GRAMS):
            raise BadInput(f'calibrate: "mass_g" should be the grams of the mass, or null, not {mass_g!r}')
        with self._lock:
            mass = Mass(None if mass_g is None else float(mass_g), MASS_SD_G)
            self._calibrating = begin(plan_for(self._settings, mass))
        return {"done": True}

    def _keep_corners(self, corners: Any, frame: Frame | None) -> dict[str, Any]:
        file = self._writable()
        if frame is None:
            raise NotHere("there is no camera picture to point at")
        points = corners if isinstance(corners, list) else []
        numbers = [v for point in points if isinstance(point, list) and len(point) == 2 for v in point]
        good = all(isinstance(v, int | float) and not isinstance(v, bool) and abs(v) < 1e5 for v in numbers)
        if len(points) != 4 or len(numbers) != 8 or not good:
            raise BadInput(f'corners needs "corners", four points [x, y] in pixels: {", ".join(CORNER_WELLS)}')
        keep_corners(file, frame.image, np.array(points, np.float64))
        self._written.append("corners")
        return {"done": True}

    def _keep_colours(self, command: dict[str, Any]) -> dict[str, Any]:
        file = self._writable()
        names = {key: command.get(key) for key in ("white_coloured", "black_coloured")}
        for key, name in names.items():
            if not isinstance(name, str) or name not in HUES_DEG:
                raise BadInput(f"{key}: should be one of {', '.join(HUES_DEG)}, not {name!r}")
        if len(set(names.values())) == 1:
            raise BadInput("colours: both coloured spheres cannot have the same colour")
        change_settings(file, {("spheres", key): name for key, name in names.items()})
        self._written.append("colours")
        return {"done": True}

    def _source(self, set_to: str) -> str:
        return "simulated" if self._file is None else set_to

    def _writable(self) -> Path:
        if self._file is None:
            raise NotHere("this is a simulated table: it has no settings to write")
        return self._file


def _rounded(points: Any) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]
