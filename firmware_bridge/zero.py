"""How far the cells' zeros have moved since the calibration: followed slowly, within a budget, kept over a restart.

The zero itself is the calibration's `offset_counts`. It is never taken anew by the program; a board that stands on the
cells at the start would vanish in it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import exp, isfinite
from typing import Any

from companion.errors import BadInput
from firmware_bridge.samples import LoadCells

BUDGET_G = 10.0
"""So far a zero may move; the tip detector knows an empty cell by less than half of it on either side."""
BUDGET_G_PER_HOUR = 10.0
"""So far within an hour: real amplifiers drift up to 8 g an hour while they warm up, mostly far less."""
FOLLOWED_G_PER_HOUR = 20.0
"""No faster than that is the zero followed: a sphere or a finger must not vanish in it."""
FOLLOW_S = 300.0
"""The zero approaches where it should be with this time constant."""
HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Zero:
    """What to take off each cell's reading, grams, and how far that moved within about the last hour."""

    low_g: float = 0.0
    high_g: float = 0.0
    low_moved_g: float = 0.0
    high_moved_g: float = 0.0

    @property
    def out_of_budget(self) -> bool:
        """Whether either zero moved too far, or too fast: then it is not followed any more, and needs a calibration."""
        return (
            max(abs(self.low_g), abs(self.high_g)) >= BUDGET_G
            or max(abs(self.low_moved_g), abs(self.high_moved_g)) >= BUDGET_G_PER_HOUR
        )

    def aged(self, seconds: float) -> "Zero":
        """So much later, with nothing followed meanwhile."""
        fade = exp(-seconds / HOUR_S)
        return Zero(self.low_g, self.high_g, self.low_moved_g * fade, self.high_moved_g * fade)

    def followed(self, low_off_g: float, high_off_g: float, seconds: float) -> "Zero":
        """After so long at rest with readings that were off by so much, in grams, from what the spheres weigh."""
        older = self.aged(seconds)
        low = _follow(older.low_g, older.low_moved_g, low_off_g, seconds)
        high = _follow(older.high_g, older.high_moved_g, high_off_g, seconds)
        return Zero(low[0], high[0], low[1], high[1])

    def to_json(self, cells: LoadCells) -> dict[str, Any]:
        """For keeping it over a restart, with the calibration to which it belongs."""
        return {"zero": asdict(self), "calibration": _calibration(cells)}

    @classmethod
    def from_json(cls, data: Any, cells: LoadCells) -> "Zero":
        """What `to_json` gave; a new zero if the cells were calibrated since.

        Raises:
            BadInput: it is not what `to_json` gives.
        """
        if not isinstance(data, Mapping) or not isinstance(data.get("zero"), Mapping):
            raise BadInput(f"the kept zero must be an object with 'zero' and 'calibration', not {str(data)[:60]!r}")
        if data.get("calibration") != _calibration(cells):
            return cls()
        names = set(cls.__slots__)
        values = data["zero"]
        if set(values) != names:
            raise BadInput(f"the kept zero must have {sorted(names)}, not {sorted(map(str, values))[:8]}")
        for name, value in values.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise BadInput(f"the kept zero's {name} is {str(value)[:30]!r}, must be a number of grams")
        return cls(**{name: float(value) for name, value in values.items()})


def _follow(zero_g: float, moved_g: float, off_g: float, seconds: float) -> tuple[float, float]:
    fastest = FOLLOWED_G_PER_HOUR * seconds / HOUR_S
    step = max(-fastest, min(fastest, off_g * (1 - exp(-seconds / FOLLOW_S))))
    back = step * zero_g < 0
    if not back and (abs(zero_g) >= BUDGET_G or abs(moved_g) >= BUDGET_G_PER_HOUR):
        return zero_g, moved_g
    return zero_g + step, moved_g + step


def _calibration(cells: LoadCells) -> dict[str, list[float]]:
    return {
        name: [cell.offset_counts, cell.counts_per_gram] for name, cell in (("low", cells.low), ("high", cells.high))
    }
