"""A simulated table, calibrated by a hand that does what is asked, or something else."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.commands.calibrate import plan_for
from companion.simulator.bench import Bench
from companion.table.settings import TableSettings
from firmware_bridge.calibration import WELL_STEPS, Calibrating, Step, begin, confirm, take
from firmware_bridge.calibration_fit import Mass
from firmware_bridge.samples import RawSample

TABLE = """# the club's table
[board]
[markers]
centres_mm = { "0" = [-134.9, -114.9], "1" = [134.9, -114.9], "2" = [134.9, 114.9], "3" = [-134.9, 114.9] }
"""
LONGEST_S = 1200.0


@dataclass
class Run:
    """A calibration of a bench. `instead` does something else at a step; `wrong_well` puts the mass elsewhere."""

    bench: Bench
    mass: Mass
    wells: str | None = None

    def __post_init__(self):
        settings = TableSettings("bench", axis=self.bench.spec.axis, cells=self.bench.cells)
        self.plan = plan_for(settings, self.mass, self.wells)
        self.grid = settings.grid
        self.instead: dict[Step, Callable[[], None]] = {}
        self.wrong_well: dict[Step, str] = {}
        self.alter: Callable[[RawSample, Calibrating], RawSample] = lambda sample, _: sample

    def number(self, name):
        return next(i for i in range(self.grid.wells) if self.grid.name(i) == name)

    def go(self) -> Calibrating:
        """Until it is done, or something does not fit."""
        state = begin(self.plan)
        for sample in self.bench:
            state = take(state, self.alter(sample, state))
            if state.done or state.problem is not None:
                return state
            assert sample.t < LONGEST_S, state.step
            if state.waiting:
                self.do(state.step)
                state = confirm(state)
        raise AssertionError("the bench never ends")

    def do(self, step: Step) -> None:
        if step in self.instead:
            self.instead[step]()
        elif step in WELL_STEPS:
            name = self.wrong_well.get(step, self.plan.wells[WELL_STEPS.index(step)].name)
            self.bench.put(self.number(name))
        else:
            {
                Step.BOARD_OFF: self.bench.board_off,
                Step.BOARD_ON: self.bench.board_on,
                Step.BOARD_AGAIN: self.bench.take_off,
            }[step]()


def table_file(folder: Path, text: str = TABLE) -> Path:
    file = folder / "table.toml"
    file.write_text(text)
    return file
