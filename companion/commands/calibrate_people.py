"""Who does what a calibration asks: a person at the keyboard, or a simulated hand at a simulated table."""

import select
import sys

import numpy as np

from companion.simulator.bench import Bench
from companion.table.settings import TableSettings
from firmware_bridge.calibration import WELL_STEPS, Calibrating, Step
from vision.geometry import Grid

USUAL_SPACING_MM = 6.0
NOBODY = "nobody is at the keyboard to press Enter (the input has ended)"


class Keyboard:
    """A person who presses Enter. Looks, and never waits, so that the readings go on meanwhile."""

    def confirms(self, state: Calibrating) -> bool:
        """Whether Enter was pressed when it was waited for; earlier ones do not count.

        Raises EOFError when there is nobody at the keyboard any more.
        """
        if sys.stdin is None or sys.stdin.closed:
            raise EOFError(NOBODY)
        if not select.select([sys.stdin], [], [], 0)[0]:
            return False
        if not sys.stdin.readline():
            raise EOFError(NOBODY)
        return state.waiting


class SimulatedHand:
    """Does what is asked, at once; gives up at the first problem."""

    def __init__(self, bench: Bench, grid: Grid) -> None:
        self._bench = bench
        self._wells = {grid.name(i): i for i in range(grid.wells)}

    def confirms(self, state: Calibrating) -> bool:
        """Raises EOFError where there is a problem."""
        if not state.waiting:
            return False
        if state.problem is not None:
            raise EOFError
        wells = state.plan.wells
        match state.step:
            case Step.BOARD_OFF:
                self._bench.board_off()
            case Step.BOARD_ON:
                self._bench.board_on()
            case Step.FIRST | Step.SECOND | Step.CHECK:
                well = wells[WELL_STEPS.index(state.step)]
                self._bench.put(self._wells[well.name])
            case Step.BOARD_AGAIN:
                self._bench.take_off()
        return True


def simulated_bench(settings: TableSettings, seed: int, mass_g: float | None) -> Bench:
    """A table with cells of its own, of which the settings know nothing; without a mass its sphere is about 20 g."""
    mass = 20.0 + float(np.random.default_rng([seed, 9]).uniform(-1, 1)) if mass_g is None else mass_g
    return Bench(
        seed,
        rate_hz=10 if settings.cells.sample_rate_hz < 40 else 80,
        axis=settings.axis,
        half_spacing_mm=settings.cells.half_spacing_mm or USUAL_SPACING_MM,
        mass_g=mass,
        turned=(settings.cells.low.counts_per_gram < 0, settings.cells.high.counts_per_gram < 0),
    )
