"""What does not fit in a calibration, and what to do about it. Each check gives a problem, or None if all is well."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from companion.errors import BadInput
from firmware_bridge.calibration_fit import Lines, Mass, Well
from firmware_bridge.calibration_levels import MISSING_SHARE, SATURATED_SHARE, STILL_BLOCKS, Block, Level
from firmware_bridge.faults import CellFault, PairFault, explanation
from firmware_bridge.samples import COUNTS_MAX, LoadCells

BOARD_COUNTS = 2000.0
"""A board changes each cell by more: 4.5 g on a 5 kg cell."""
MASS_COUNTS = 300.0
"""A mass that changes no cell by so much is too small, or not there: 0.7 g on a 5 kg cell."""
SAME_COUNTS = 150.0
"""Two wells whose readings differ by less are the same."""
EMPTY_SHARE = 0.015
"""A cell with less than this share of the load carries nothing: the board has tipped."""
NEAR_THE_END = 0.9
"""Without a load a cell may not read more than this share of the scale: the board would saturate it."""
GAINS = (100.0, 20_000.0)
"""Counts a gram of 0.5 to 5 kg cells with 1 to 2 mV/V on an HX711 at gain 128 and 3 to 5 V lie well within."""
MIDDLE_LIMIT_MM = 4.0
"""Pinnacles stand nearer than this to where they should; a well away is 18 mm and more."""
CHECK_MM, CHECK_MM_SHARE = 1.5, 0.02
"""At the third well the mass reads this near to its place; the share is of the distance from the middle ..."""
CHECK_MASS_SHARE = 0.05
"""... and its weight agrees as well as this."""
AGAIN_COUNTS, AGAIN_COUNTS_PER_MIN = 250.0, 150.0
"""The board alone weighs in the end what it did at first, within what drift explains."""


class Trouble(StrEnum):
    """Kinds of problems."""

    NO_DATA = "no data"
    SATURATED = "saturated"
    STUCK = "stuck"
    NOISY = "noisy"
    DRIFTING = "drifting"
    NEAR_THE_END = "near the end of the scale"
    BOARD_NOT_NOTICED = "board not noticed"
    BOARD_WAS_ON = "board was on"
    REVERSED = "reversed"
    MASS_NOT_NOTICED = "mass not noticed"
    EQUAL = "equal readings"
    TIPPED = "tipped"
    SWAPPED = "cells swapped"
    WRONG_WELL = "wrong well"
    WRONG_MASS = "wrong mass"
    CHECK_FAILED = "check failed"
    MASS_STILL_ON = "mass still on"
    BOARD_SHIFTED = "board shifted"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and what to do about it: a line each."""

    trouble: Trouble
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what[0].upper()}{self.what[1:]}. {self.remedy}"


def trouble_with_cells(blocks: Sequence[Block]) -> Problem | None:
    """Cells that give nothing, or nothing that can be used, in the last seconds."""
    latest = blocks[-STILL_BLOCKS:]
    if len(latest) < STILL_BLOCKS:
        return None
    for i, name in enumerate(("low", "high")):
        of_cell = [block.cells[i][1] for block in latest]
        for trouble, bad in (
            (CellFault.NO_DATA, [b.missing_share > MISSING_SHARE for b in of_cell]),
            (CellFault.SATURATED, [b.saturated_share > SATURATED_SHARE for b in of_cell]),
            (CellFault.STUCK, [b.stuck for b in of_cell]),
        ):
            if all(bad):
                why = explanation(f"{name} {trouble}")
                return Problem(Trouble(trouble.value), f"{name} cell: {why.seen}", why.remedy)
    return None


def check_board_off(off: Level) -> Problem | None:
    """The cells without a load."""
    for name, cell in (("low", off.low), ("high", off.high)):
        if abs(cell.counts) > NEAR_THE_END * COUNTS_MAX:
            return Problem(
                Trouble.NEAR_THE_END,
                f"{name} cell: without a load it is nearly at an end of its scale ({cell.counts:.0f} counts)",
                "See that nothing presses on it and that it is not screwed down bent; check its four wires.",
            )
    return None


def check_board_on(off: Level, on: Level, cells: LoadCells) -> Problem | None:
    """The board as against no board."""
    changes = {
        "low": (on.low.counts - off.low.counts) / _sign(cells.low.counts_per_gram),
        "high": (on.high.counts - off.high.counts) / _sign(cells.high.counts_per_gram),
    }
    unmoved = [name for name, change in changes.items() if abs(change) < BOARD_COUNTS]
    if unmoved:
        where = (
            "the cells do not feel the board" if len(unmoved) == 2 else f"the {unmoved[0]} cell does not feel the board"
        )
        return Problem(
            Trouble.BOARD_NOT_NOTICED,
            where,
            "The board must have been off at the step before, and now rest on both pinnacles and touch nothing else.",
        )
    backward = [name for name, change in changes.items() if change < 0]
    if len(backward) == 2:
        return Problem(
            Trouble.BOARD_WAS_ON,
            "both cells read less with the board on than without",
            "If the board was still on at the step before, begin again with the board off; if not, both cells are the "
            "wrong way up.",
        )
    if backward:
        remedy = explanation(f"{backward[0]} {CellFault.REVERSED}").remedy
        return Problem(
            Trouble.REVERSED,
            f"{backward[0]} cell: it reads less with the board on than without",
            f"{remedy} If it is meant to be so, change the sign of its counts_per_gram in table.toml.",
        )
    return None


def check_mass(well: Well, off: Level, board: Level, now: Level, before: Level | None, first: bool) -> Problem | None:
    """The mass in one well; `before` is the level with it in the well before, where that must be another level."""
    signs = _sign(board.low.counts - off.low.counts), _sign(board.high.counts - off.high.counts)
    low = signs[0] * (now.low.counts - board.low.counts)
    high = signs[1] * (now.high.counts - board.high.counts)
    if max(abs(low), abs(high)) < MASS_COUNTS:
        return Problem(
            Trouble.MASS_NOT_NOTICED,
            f"nothing has changed: the mass in well {well.name} was not noticed",
            f"Put it into well {well.name}, take the hand away and confirm then; if it is there, take a heavier one.",
        )
    loads = signs[0] * (now.low.counts - off.low.counts), signs[1] * (now.high.counts - off.high.counts)
    if min(loads) < EMPTY_SHARE * sum(loads):
        return Problem(
            Trouble.TIPPED,
            "one cell carries nothing: the board has tipped",
            "Put it back; if the mass tips it, use a lighter one, or wells nearer to the middle (--wells).",
        )
    if before is not None and _same(now, before):
        return Problem(
            Trouble.EQUAL,
            "both cells read the same as in the well before: the mass was not moved",
            f"Move it to well {well.name}, take the hand away and confirm then.",
        )
    if well.mm * (high - low) < 0:
        if first:
            return Problem(
                Trouble.SWAPPED,
                f"the loads mirror what a mass in well {well.name} gives",
                f"See that it is in {well.name} and the board the right way round; if so, the cells are swapped: "
                f"{_lower(explanation(PairFault.SWAPPED).remedy)}",
            )
        return Problem(
            Trouble.WRONG_WELL,
            f"the mass is not in well {well.name}, but on the other side of the middle",
            f"Move it to well {well.name}.",
        )
    return None


def check_wells(wells: Sequence[Well], changes: Sequence[tuple[float, float]], row: Sequence[Well]) -> Problem | None:
    """The first two wells together: do they give a half spacing, and a middle near the board's?"""
    if _fits(wells, changes):
        return None
    guesses = [(w, wells[1]) for w in row if w != wells[0]] + [(wells[0], w) for w in row if w != wells[1]]
    found = [pair for pair in guesses if pair[0].mm < pair[1].mm and _fits(pair, changes)]
    asked = f"{wells[0].name} and {wells[1].name}"
    seems = ""
    if len(found) == 1:
        wrong = 0 if found[0][0] != wells[0] else 1
        seems = f": it seems to have been in {found[0][wrong].name} instead of {wells[wrong].name}"
    return Problem(
        Trouble.WRONG_WELL,
        f"the readings do not fit a mass in {asked}{seems}",
        f"Put one and the same mass into {asked} in turn, and touch nothing else.",
    )


def check_gains(lines: Lines, mass: Mass) -> Problem | None:
    """Can the cells be so sensitive? Only a known mass tells."""
    if mass.grams is None:
        return None
    least, most = GAINS
    for name, product in (("low", lines.low), ("high", lines.high)):
        gain = abs(product / mass.grams)
        if not least <= gain <= most:
            return Problem(
                Trouble.WRONG_MASS,
                f"{name} cell: {gain:.0f} counts a gram is not what a load cell of 1 to 5 kg gives "
                f"({least:.0f} to {most:.0f})",
                f"Is the mass really {mass.grams:g} g? Give its grams with --mass.",
            )
    return None


def check_third(well: Well, share: float, place_mm: float, row: Sequence[Well]) -> Problem | None:
    """The third well, read with what the first two gave: `share` of the mass, and place."""
    off = place_mm - well.mm
    if abs(off) <= CHECK_MM + CHECK_MM_SHARE * abs(well.mm) and abs(share - 1) <= CHECK_MASS_SHARE:
        return None
    nearest = min(row, key=lambda w: abs(w.mm - place_mm), default=well)
    where = f", near {nearest.name}" if nearest.mm != well.mm and abs(nearest.mm - place_mm) < 3 * CHECK_MM else ""
    return Problem(
        Trouble.CHECK_FAILED,
        f"the check failed: a mass in {well.name} reads {100 * share:.0f}% of itself at {place_mm:+.1f} mm{where}, "
        f"should be 100% at {well.mm:+.1f} mm",
        "Do the wells again: the same mass each time, in the wells that are named, and nothing else touched.",
    )


def check_board_again(board: Level, with_mass: Level, again: Level) -> Problem | None:
    """The board alone once more: has anything shifted or drifted meanwhile?"""
    low, high = again.low.counts - board.low.counts, again.high.counts - board.high.counts
    limit = AGAIN_COUNTS + AGAIN_COUNTS_PER_MIN * (again.t - board.t) / 60
    if max(abs(low), abs(high)) <= limit:
        return None
    if _same(again, with_mass):
        return Problem(Trouble.MASS_STILL_ON, "the mass is still on the board", "Take it off, the board stays.")
    return Problem(
        Trouble.BOARD_SHIFTED,
        f"the board alone does not read what it did at first (low {low:+.0f}, high {high:+.0f} counts)",
        "It has shifted on its pinnacles, or the cells still drift: begin again with the board off.",
    )


def _fits(wells: Sequence[Well], changes: Sequence[tuple[float, float]]) -> bool:
    try:
        lines = Lines.through([w.mm for w in wells], [c[0] for c in changes], [c[1] for c in changes])
    except BadInput:
        return False
    return abs(lines.middle_mm) <= MIDDLE_LIMIT_MM


def _same(a: Level, b: Level) -> bool:
    return abs(a.low.counts - b.low.counts) < SAME_COUNTS and abs(a.high.counts - b.high.counts) < SAME_COUNTS


def _sign(value: float) -> float:
    return -1.0 if value < 0 else 1.0


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
