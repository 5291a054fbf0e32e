"""What the load tracker makes of the samples: load events, and the state of the loads right now."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class LoadEventKind(StrEnum):
    LIFT = "lift"
    PLACE = "place"
    ROLL = "roll"
    FOREIGN = "foreign"
    TIP = "tip"


@dataclass(frozen=True, slots=True)
class LoadEvent:
    """Something that happened on the board as the two cells felt it.

    `t` is when it was known, `t_contact` when it physically happened (both seconds on the samples' clock).
    `mass_g` is positive, also for a lift. `p_mm` is the place along the axis of the pinnacles, `to_p_mm` where a
    rolled sphere went. The `_sd` are one standard deviation. `confidence` is 0 to 1: how sure that it is this kind.
    """

    t: float
    kind: LoadEventKind
    t_contact: float
    mass_g: float | None = None
    p_mm: float | None = None
    to_p_mm: float | None = None
    confidence: float = 1.0
    mass_sd_g: float = 0.3
    p_sd_mm: float = 1.0

    def to_json(self) -> dict[str, Any]:
        """One line of `load-events --json`."""
        return {
            "t": round(self.t, 3),
            "kind": str(self.kind),
            "mass_g": None if self.mass_g is None else round(self.mass_g, 2),
            "p_mm": None if self.p_mm is None else round(self.p_mm, 2),
            "to_p_mm": None if self.to_p_mm is None else round(self.to_p_mm, 2),
            "confidence": round(self.confidence, 3),
        }


@dataclass(frozen=True, slots=True)
class LoadState:
    """The loads at one moment, given every so often and at every change of `touching`, `settled`, `tipped` or `faults`.

    `low_g` and `high_g` are loads in grams, None while a cell is faulty: at rest the average of the last 0.3 s (rocking
    cancels in it), while touched the last sample. `touching`: a hand or something else that is no sphere bears on the
    board; `touching_since` says since when. `pressing`: the touch weighs more than any sphere handling would.
    `settled`: the loads are still. `faults` are named states, empty when all is well.
    """

    t: float
    low_g: float | None
    high_g: float | None
    touching: bool = False
    touching_since: float | None = None
    pressing: bool = False
    settled: bool = False
    tipped: bool = False
    faults: tuple[str, ...] = ()

    @property
    def total_g(self) -> float | None:
        return None if self.low_g is None or self.high_g is None else self.low_g + self.high_g
