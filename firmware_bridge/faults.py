"""What can be wrong with the load cells: each fault's name, how it shows, and what to do about it, in one table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

CELLS = ("low", "high")


class CellFault(StrEnum):
    """What can be wrong with one cell, in the words used in `LoadState.faults` after the cell's name (`low stuck`)."""

    NO_DATA = "no data"
    TOO_FEW = "too few samples"
    SATURATED = "saturated"
    STUCK = "stuck"
    ERRATIC = "erratic"
    REVERSED = "reversed"
    BELOW_ZERO = "below zero"
    DRIFT = "drift beyond budget"
    SPIKES = "spikes"
    DROPOUTS = "dropouts"


class PairFault(StrEnum):
    """What can be wrong with the two cells together, in the words used in `LoadState.faults`."""

    SWAPPED = "cells swapped"
    CLOCKS = "clocks apart"
    RATE = "sample rate wrong"
    ZERO = "zero out of budget"


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a fault shows and what a person does about it, a line each.

    `blinds`: the cell gives no load meanwhile. `slight`: only single readings are spoilt, and left out; all else that
    the cells say can be relied on.
    """

    seen: str
    remedy: str
    blinds: bool = False
    slight: bool = False


TABLE: Mapping[CellFault | PairFault, Explanation] = MappingProxyType(
    {
        CellFault.NO_DATA: Explanation(
            "nothing has come from the cell's amplifier for a second",
            "Plug the cell's amplifier in again: power, ground, data and clock wire.",
            blinds=True,
        ),
        CellFault.TOO_FEW: Explanation(
            "more than half of the cell's samples are missing",
            "Shorten or replace the data and clock wire; on GPIO pins ease the computer's load or take a Pico.",
            blinds=True,
        ),
        CellFault.SATURATED: Explanation(
            "the amplifier is at an end of its scale",
            "Take the load off; if it stays, plug the cell's four wires into its amplifier again or replace the cell.",
            blinds=True,
        ),
        CellFault.STUCK: Explanation(
            "the same count comes again and again, without the amplifier's own noise",
            "Switch the amplifier's power off and on; if it stays, replace the amplifier.",
            blinds=True,
        ),
        CellFault.ERRATIC: Explanation(
            "the readings jump between what can be and what cannot",
            "Find the loose wire: press each plug of the cell and its amplifier home.",
            blinds=True,
        ),
        CellFault.REVERSED: Explanation(
            "the reading goes far below zero when the cell is loaded",
            "Turn the cell the other way up (its arrow points down) or swap its white and green wire, then calibrate.",
            blinds=True,
        ),
        CellFault.BELOW_ZERO: Explanation(
            "the cell reads less than nothing, and no pinnacle pulls",
            "Take the board off and calibrate the load cells: the zero is wrong.",
            blinds=True,
        ),
        CellFault.DRIFT: Explanation(
            "the reading at rest creeps, or is off what the spheres on the board weigh",
            "Take off the board what is no sphere and let the cells warm up for 5 minutes; if it stays, calibrate.",
        ),
        CellFault.SPIKES: Explanation(
            "single readings stand far out of their neighbours, and are left out",
            "Keep the cell's wires short and away from mains, press its plugs home; on GPIO pins take a Pico.",
            slight=True,
        ),
        CellFault.DROPOUTS: Explanation(
            "nothing came from the cell for a third of a second or more: its amplifier reset itself, or nobody read it",
            "Check the amplifier's power, ground and clock wire; on GPIO pins ease the computer's load or take a Pico.",
            slight=True,
        ),
        PairFault.SWAPPED: Explanation(
            "the loads mirror what the spheres on the board should give",
            "Swap the plugs of the two cells, or swap [load_cells.low] and [load_cells.high] in table.toml.",
        ),
        PairFault.CLOCKS: Explanation(
            "one amplifier's samples lag behind the other's or are fewer",
            "Switch both amplifiers to the same rate (RATE pin); on GPIO pins take a Pico.",
        ),
        PairFault.RATE: Explanation(
            "samples come at another rate than the table's settings say",
            "Set sample_rate_hz in table.toml to what the amplifiers' RATE pin gives, 10 or 80.",
        ),
        PairFault.ZERO: Explanation(
            "the zero had to follow the drift of the cells for more grams than it may",
            "Calibrate the load cells with the board off.",
        ),
    }
)


def state_names() -> tuple[str, ...]:
    """Every name that `LoadState.faults` can hold."""
    of_cells = tuple(f"{cell} {fault}" for cell in CELLS for fault in CellFault)
    return of_cells + tuple(str(fault) for fault in PairFault)


def explanation(name: str) -> Explanation:
    """What is known of the fault of this name in `LoadState.faults`.

    Raises:
        KeyError: there is no such fault.
    """
    for cell in CELLS:
        if name.startswith(cell + " "):
            return TABLE[_CELL_FAULTS[name.removeprefix(cell + " ")]]
    return TABLE[_PAIR_FAULTS[name]]


def troubled(names: Iterable[str]) -> bool:
    """Whether any of these faults is more than slight; a name that is not known is."""
    return any(name not in REMEDIES or not explanation(name).slight for name in names)


_CELL_FAULTS: Mapping[str, CellFault] = {str(fault): fault for fault in CellFault}
_PAIR_FAULTS: Mapping[str, PairFault] = {str(fault): fault for fault in PairFault}

REMEDIES: Mapping[str, str] = MappingProxyType({name: explanation(name).remedy for name in state_names()})
"""What to do about each name in `LoadState.faults`, in one line."""
