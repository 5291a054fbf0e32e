"""What is wrong with the two witnesses right now, by name and with a remedy."""

from collections.abc import Sequence
from dataclasses import dataclass

from companion.table.camera_notices import SAME_AGAIN, Notice
from firmware_bridge.events import LoadState
from firmware_bridge.faults import REMEDIES
from vision.reading import BoardReading

LOADS_SILENT_S = 1.5
"""Load states come ten times a second; after so long without one (s, on the table's clock) the reader is missed."""
CAMERA_SILENT_S, CAMERA_SILENT_AT_LEAST_S = 5.0, 1.5
"""Recorded pictures may be two seconds apart; after so long without one the camera is missed, at the latest ..."""
INTERVALS_MISSED = 3.0
"""... and sooner where pictures come often: after so many times the longest wait for one."""
BOARD_UNSEEN_S = 2.0
"""An arm may hide the markers for a moment."""
INTERVAL_FOLLOWS = 0.05
"""How fast the longest wait for a picture is forgotten."""
NO_SAMPLES = "no samples"
NO_PICTURES = "no pictures"
NO_BOARD = "board not found"
REMEDIES_HERE = {
    NO_SAMPLES: "Check the load cells' reader: its plug and its program; the camera goes on alone.",
    NO_PICTURES: "Check the camera's cable and program; the load cells go on alone.",
    NO_BOARD: "Put board and camera back so that all four markers are in the picture, and check the light.",
}


@dataclass(frozen=True, slots=True, order=True)
class WitnessFault:
    """`witness` is load_cells or camera. `remedy` is empty where nobody need do anything."""

    witness: str
    what: str
    remedy: str


@dataclass(slots=True)
class WitnessWatch:
    """Follows both witnesses. `loads` and `camera` say which of them the table has."""

    loads: bool
    camera: bool
    _load: LoadState | None = None
    _reading: BoardReading | None = None
    _found: float | None = None
    _since: float | None = None
    _interval: float = CAMERA_SILENT_S / INTERVALS_MISSED

    def see(
        self, t: float, load: LoadState | None, reading: BoardReading | None, notices: Sequence[Notice] = ()
    ) -> tuple[WitnessFault, ...]:
        """The faults at the time `t`, given the newest of both, and what else is to be said of the camera."""
        if self._since is None:
            self._since = t
        if reading is not None and self._reading is not None and reading.t > self._reading.t:
            self._follow_interval(reading.t - self._reading.t)
        self._load, self._reading = load, reading
        if reading is not None and reading.board_found:
            self._found = reading.t
        loads = [WitnessFault("load_cells", what, _remedy(what)) for what in self._of_loads(t)]
        return (*self._of_camera(t, notices), *sorted(loads))

    def _follow_interval(self, interval: float) -> None:
        """The longest wait of late; an outage is none."""
        if interval <= self._camera_silent_s:
            self._interval = max(interval, self._interval + INTERVAL_FOLLOWS * (interval - self._interval))

    @property
    def _camera_silent_s(self) -> float:
        return min(max(INTERVALS_MISSED * self._interval, CAMERA_SILENT_AT_LEAST_S), CAMERA_SILENT_S)

    def _of_loads(self, t: float) -> tuple[str, ...]:
        if not self.loads:
            return ()
        if t - self._last(self._load.t if self._load else None) > LOADS_SILENT_S:
            return (NO_SAMPLES,)
        return () if self._load is None else self._load.faults

    def _of_camera(self, t: float, notices: Sequence[Notice]) -> list[WitnessFault]:
        if not self.camera:
            return []
        seen = self._last(self._reading.t if self._reading else None)
        if t - seen > self._camera_silent_s and SAME_AGAIN not in notices:
            return [WitnessFault("camera", NO_PICTURES, _remedy(NO_PICTURES))]
        # Where no pictures come, it is not the board that is missed
        lost = seen - self._last(self._found) > BOARD_UNSEEN_S
        named = [Notice(NO_BOARD, _remedy(NO_BOARD))] if lost else []
        return [WitnessFault("camera", notice.what, notice.remedy) for notice in (*named, *notices)]

    def _last(self, t: float | None) -> float:
        assert self._since is not None
        return self._since if t is None else t


def _remedy(what: str) -> str:
    return REMEDIES_HERE.get(what) or REMEDIES.get(what, "Run `senryaku doctor`; it says more.")
