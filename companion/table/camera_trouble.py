"""What a real camera's own health, and a board without markers, change about the faults of the camera. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from companion.table.camera_notices import LIGHT_CHANGED
from companion.table.witnesses import NO_BOARD, NO_PICTURES, WitnessFault
from vision.camera_watch import CameraHealth, CameraState

NOT_THERE = "the board is not where its corners were"
PUT_BACK = (
    "Take away what covers it, or put board and camera back as they were; after a real move name the corners anew with "
    "`senryaku calibrate corners`."
)
NUMBERS = re.compile(r"\d+(\.\d+)?")


@dataclass(slots=True)
class CameraTrouble:
    """Follows one camera. `by_corners`: its board has no markers."""

    by_corners: bool = False
    _said: WitnessFault | None = None

    def told(self, faults: Sequence[WitnessFault], health: CameraHealth | None) -> tuple[WitnessFault, ...]:
        """The faults, with what the camera itself says in place of what was guessed from its silence.

        One condition is said once: a camera that hangs for 3 s and then for 4 s still hangs.
        """
        if self.by_corners:
            faults = [WitnessFault(f.witness, NOT_THERE, PUT_BACK) if f.what == NO_BOARD else f for f in faults]
        if health is None or health.state is CameraState.OK:
            self._said = None
            return tuple(faults)
        if health.state is CameraState.SETTLING:
            self._said = WitnessFault("camera", health.what, "")
            return (self._said, *(f for f in faults if not f.what.startswith(LIGHT_CHANGED)))
        guessed = [f for f in faults if f.witness == "camera" and f.what in (NO_PICTURES, NO_BOARD, NOT_THERE)]
        if health.state is CameraState.STARTING:
            self._said = None
            return tuple(f for f in faults if f not in guessed)
        remedy = f"{health.remedy[:1].upper()}{health.remedy[1:]}."
        fault = WitnessFault("camera", health.what, remedy)
        if self._said is None or not _same(self._said.what, fault.what):
            self._said = fault
        return (self._said, *(f for f in faults if f not in guessed))


def _same(one: str, other: str) -> bool:
    return NUMBERS.sub("", one) == NUMBERS.sub("", other)
