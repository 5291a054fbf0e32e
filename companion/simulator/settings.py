"""What a simulated table's `table.toml` would say: the values that the referee is given."""

from dataclasses import dataclass

import numpy as np

from companion.simulator.cells import known_cells
from firmware_bridge.samples import LoadCells
from vision.geometry import CameraModel, Grid, MarkerLayout, SphereColours

SIZE_PX = (640, 480)
FOCAL_PX = 900.0
"""Focal length: a 640 by 480 picture of a phone's or a Pi's camera without its wide-angle lens."""
MARKER_AT_MM = (134.5, 114.5)
"""How far the markers' centres lie from the board's: in its corners, a white margin around them."""
MARKER_MM = 22.0


@dataclass(frozen=True, slots=True)
class SimulatedSettings:
    """Everything that must be known of a simulated table to referee it."""

    grid: Grid
    camera: CameraModel
    markers: MarkerLayout
    colours: SphereColours
    cells: LoadCells
    axis: str


def simulated_settings(
    seed: int = 0, rate_hz: int = 80, axis: str = "ranks", half_spacing_mm: float = 6.0
) -> SimulatedSettings:
    """The settings of the table that `SimulatedTable` makes from the same arguments."""
    x, y = MARKER_AT_MM
    width, height = SIZE_PX
    return SimulatedSettings(
        grid=Grid(),
        camera=CameraModel(
            size_px=SIZE_PX,
            matrix=((FOCAL_PX, 0.0, (width - 1) / 2), (0.0, FOCAL_PX, (height - 1) / 2), (0.0, 0.0, 1.0)),
        ),
        markers=MarkerLayout({0: (-x, -y), 1: (x, -y), 2: (x, y), 3: (-x, y)}, size_mm=MARKER_MM),
        colours=SphereColours(),
        cells=known_cells(np.random.default_rng([seed, 1]), rate_hz, half_spacing_mm),
        axis=axis,
    )
