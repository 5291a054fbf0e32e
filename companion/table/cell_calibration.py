"""Calibrating a table's load cells: what is to be done with this one, and what of it goes into its settings."""

from typing import Any

from companion.errors import BadInput
from companion.rules import parse_well
from companion.table.settings import TableSettings
from companion.table.settings_file import Changes
from firmware_bridge.calibration import Plan
from firmware_bridge.calibration_fit import Fit, Mass, Well, choose_wells

MIDDLE_FILE, MIDDLE_RANK = 3, 3
"""Wells are asked for in the middle of the board: file d along the ranks, rank 4 along the files."""


def plan_for(settings: TableSettings, mass: Mass, names: str | None = None) -> Plan:
    """What to do with a table. Raises BadInput for wells that will not do, or a mass that is too heavy."""
    grid = settings.grid
    along = 1 if settings.axis == "ranks" else 0
    every = [Well(grid.name(i), grid.centre_mm(i)[along]) for i in range(grid.wells)]
    in_row = (
        range(MIDDLE_FILE, grid.wells, grid.files)
        if settings.axis == "ranks"
        else range(MIDDLE_RANK * grid.files, (MIDDLE_RANK + 1) * grid.files)
    )
    row = tuple(every[i] for i in in_row)
    if names is None:
        beside = every[row.index(min(row, key=lambda w: (abs(w.mm), -w.mm))) * grid.files] if along else row[0]
        chosen = choose_wells(row, beside, settings.cells.half_spacing_mm, mass.grams)
    else:
        numbers = [parse_well(name.strip()) for name in names.split(",")]
        if len(numbers) != 3:
            raise BadInput(f"--wells {names}: must be three wells, such as d1,d6,d2")
        if len(set(numbers)) != 3:
            raise BadInput(f"--wells {names}: the three wells must differ, or the check proves nothing")
        chosen = (every[numbers[0]], every[numbers[1]], every[numbers[2]])
    return Plan(settings.cells, chosen, mass, row)


def changes_of(found: Fit) -> Changes:
    """What of it goes into `table.toml`, rounded to well within its uncertainty."""
    return {
        ("pinnacles", "half_spacing_mm"): round(found.half_spacing_mm, 3),
        ("load_cells", "low", "offset_counts"): round(found.low.offset_counts, 1),
        ("load_cells", "low", "counts_per_gram"): round(found.low.counts_per_gram, 3),
        ("load_cells", "high", "offset_counts"): round(found.high.offset_counts, 1),
        ("load_cells", "high", "counts_per_gram"): round(found.high.counts_per_gram, 3),
    }


def fit_json(found: Fit) -> dict[str, Any]:
    """What was found, with one standard deviation each."""
    cells = {
        name: {
            "offset_counts": round(cell.offset_counts, 1),
            "offset_sd": round(cell.offset_sd, 1),
            "counts_per_gram": round(cell.counts_per_gram, 3),
            "counts_per_gram_sd": round(cell.gain_sd, 3),
        }
        for name, cell in (("low", found.low), ("high", found.high))
    }
    return {
        **cells,
        "half_spacing_mm": round(found.half_spacing_mm, 3),
        "half_spacing_sd_mm": round(found.half_spacing_sd, 3),
        "middle_mm": round(found.middle_mm, 2),
        "middle_sd_mm": round(found.middle_sd, 2),
        "mass_g": round(found.mass_g, 2),
        "board_g": round(found.board_g, 1),
        "scale_known": found.scale_known,
    }
