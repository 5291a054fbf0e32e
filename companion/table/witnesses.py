"""What is wrong with the two witnesses right now, by name and with a remedy."""

from dataclasses import dataclass

from firmware_bridge.events import LoadState
from firmware_bridge.faults import REMEDIES
from vision.reading import BoardReading

LOADS_SILENT_S = 1.5
"""Load states come ten times a second; after so long without one (s, on the table's clock) the reader is missed."""
CAMERA_SILENT_S = 5.0
"""Recorded pictures may be two seconds apart; after so long without one the camera is missed."""
BOARD_UNSEEN_S = 2.0
"""An arm may hide the markers for a moment."""
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
    """`witness` is load_cells or camera."""

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

    def see(self, t: float, load: LoadState | None, reading: BoardReading | None) -> tuple[WitnessFault, ...]:
        """The faults at the time `t`, given the newest of both."""
        if self._since is None:
            self._since = t
        self._load, self._reading = load, reading
        if reading is not None and reading.board_found:
            self._found = reading.t
        named = [("load_cells", what) for what in self._of_loads(t)] + [("camera", what) for what in self._of_camera(t)]
        return tuple(WitnessFault(witness, what, _remedy(what)) for witness, what in sorted(named))

    def _of_loads(self, t: float) -> tuple[str, ...]:
        if not self.loads:
            return ()
        if t - self._last(self._load.t if self._load else None) > LOADS_SILENT_S:
            return (NO_SAMPLES,)
        return () if self._load is None else self._load.faults

    def _of_camera(self, t: float) -> tuple[str, ...]:
        if not self.camera:
            return ()
        if t - self._last(self._reading.t if self._reading else None) > CAMERA_SILENT_S:
            return (NO_PICTURES,)
        return (NO_BOARD,) if t - self._last(self._found) > BOARD_UNSEEN_S else ()

    def _last(self, t: float | None) -> float:
        assert self._since is not None
        return self._since if t is None else t


def _remedy(what: str) -> str:
    return REMEDIES_HERE.get(what) or REMEDIES.get(what, "Run `senryaku doctor`; it says more.")
