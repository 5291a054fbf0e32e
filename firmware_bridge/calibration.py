"""Calibrating the load cells, step by step: a fold over raw samples that a command or a page drives.

    state = begin(Plan(...))
    state = take(state, sample)      # with every sample
    state = confirm(state)           # when the person has done what `state.asks` says

Nothing is set before all checks have passed: then `state.fit` is there. A step that does not fit leaves `state.problem`
with what to do, and the step is done again, or an earlier one. What can be told from one mass in two wells, and what
cannot, is said in `calibration_fit`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from companion.errors import BadInput
from firmware_bridge.calibration_checks import (
    Problem,
    Trouble,
    check_board_again,
    check_board_off,
    check_board_on,
    check_gains,
    check_mass,
    check_third,
    check_wells,
    trouble_with_cells,
)
from firmware_bridge.calibration_fit import Fit, Lines, Mass, Readings, Well, fit
from firmware_bridge.calibration_levels import Block, Blocks, Level, drift_per_min, still_level, undisturbed
from firmware_bridge.samples import LoadCells, RawSample

WARM_S = 30
"""The drift is watched over so long, s."""
WARM_COUNTS_PER_MIN = 100.0
"""Slow enough: 0.2 g a minute with 5 kg cells. What is left over the two minutes of a calibration is taken off."""
WARM_UP_LIMIT_S = 900
"""A cold start has settled after 5 to 15 minutes; what still drifts then does not by warmth."""
START_S = 15
"""A reader may take so long until its first sample."""
STILL_LIMIT_S = 25
"""Rocking has died down after 2 s, with soft cells after 6."""


class Step(StrEnum):
    """What is being done, in this order."""

    WARM_UP = "warm up"
    BOARD_OFF = "board off"
    BOARD_ON = "board on"
    FIRST = "first well"
    SECOND = "second well"
    CHECK = "check"
    BOARD_AGAIN = "board alone"
    DONE = "done"


ORDER = tuple(Step)
WELL_STEPS = (Step.FIRST, Step.SECOND, Step.CHECK)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is going to be done. `wells`: two far apart along the axis, low one first, and one for the check.

    `cells` is the calibration so far; `row` all wells along the axis, to say where a mass seems to have been instead.
    """

    cells: LoadCells
    wells: tuple[Well, Well, Well]
    mass: Mass = Mass()
    row: tuple[Well, ...] = ()

    def __post_init__(self) -> None:
        first, second, _ = self.wells
        if not first.mm < second.mm:
            raise BadInput(
                f"wells {first.name}, {second.name}: the second must lie nearer to the high pinnacle than the first"
            )
        if self.mass.grams is not None and not self.mass.grams > 0:
            raise BadInput(f"mass {self.mass.grams:g} g: must be above 0")


@dataclass(frozen=True, slots=True)
class Calibrating:
    """Where a calibration stands. `waiting`: for the person; else the step's level is being taken."""

    plan: Plan
    step: Step = Step.WARM_UP
    waiting: bool = False
    problem: Problem | None = None
    fit: Fit | None = None
    levels: Mapping[Step, Level] = field(default_factory=lambda: MappingProxyType({}))
    blocks: Blocks = Blocks(WARM_S)

    @property
    def done(self) -> bool:
        return self.step is Step.DONE

    @property
    def latest(self) -> Block | None:
        """The last second of readings."""
        return self.blocks.done[-1] if self.blocks.done else None

    @property
    def drift(self) -> tuple[float, float] | None:
        """Counts a minute of both cells since the board was last touched; None while there is too little to tell."""
        quiet = undisturbed(self.blocks.done)
        return (
            drift_per_min(quiet)
            if len(quiet) > 2 and not any(c.mean is None for b in quiet for _, c in b.cells)
            else None
        )

    @property
    def progress(self) -> float:
        """How far the step is, 0 to 1, while it is being taken."""
        if self.waiting or self.done:
            return 0.0
        needed = WARM_S if self.step is Step.WARM_UP else 3
        return min(1.0, len(undisturbed(self.blocks.done)) / needed)

    @property
    def asks(self) -> str:
        """What the person is to do now, one line."""
        first, second, third = (well.name for well in self.plan.wells)
        mass = "the sphere" if self.plan.mass.grams is None else f"the mass of {self.plan.mass.grams:g} g"
        return {
            Step.WARM_UP: "Leave the cells alone while they warm up.",
            Step.BOARD_OFF: "Take the board off: nothing may touch the pinnacles.",
            Step.BOARD_ON: "Put the empty board on its pinnacles.",
            Step.FIRST: f"Put {mass} into well {first}, and take your hand away.",
            Step.SECOND: f"Move {'it' if self.problem is None else mass} to well {second}.",
            Step.CHECK: f"Move {'it' if self.problem is None else mass} to well {third}.",
            Step.BOARD_AGAIN: f"Take {mass} off again, the board stays.",
            Step.DONE: "Done.",
        }[self.step]


def begin(plan: Plan) -> Calibrating:
    """The first step, which needs nobody: the cells warm up."""
    return Calibrating(plan)


def confirm(state: Calibrating) -> Calibrating:
    """The person says that it is done; from now on the level is taken. Without effect unless it is waited for."""
    if not state.waiting:
        return state
    return replace(state, waiting=False, problem=None, blocks=Blocks(WARM_S))


def take(state: Calibrating, sample: RawSample) -> Calibrating:
    """Takes the next sample."""
    blocks = state.blocks.take(sample)
    if blocks is state.blocks:
        return state
    whole = blocks.done is not state.blocks.done and blocks.done
    state = replace(state, blocks=blocks)
    if not whole or state.waiting or state.done:
        return state
    trouble = trouble_with_cells(blocks.done)
    starting = state.step is Step.WARM_UP and blocks.count < START_S
    if trouble is not None and not (starting and trouble.trouble is Trouble.NO_DATA):
        return _refused(state, trouble, state.step)
    return _warm_up(state) if state.step is Step.WARM_UP else _measure(state)


def _refused(state: Calibrating, problem: Problem, step: Step) -> Calibrating:
    """Waits for the step to be done again, or an earlier one; what came after that one is forgotten."""
    kept = {s: level for s, level in state.levels.items() if ORDER.index(s) < ORDER.index(step)}
    return replace(state, step=step, waiting=True, problem=problem, levels=MappingProxyType(kept))


def _warm_up(state: Calibrating) -> Calibrating:
    quiet = undisturbed(state.blocks.done)
    drift = state.drift
    if len(quiet) >= WARM_S and drift is not None and max(map(abs, drift)) <= WARM_COUNTS_PER_MIN:
        return replace(state, step=Step.BOARD_OFF, waiting=True)
    if state.blocks.count < WARM_UP_LIMIT_S:
        return state
    problem = Problem(
        Trouble.DRIFTING,
        f"the cells still drift after {WARM_UP_LIMIT_S // 60} minutes",
        "Keep draughts, sun and heaters away from the table, and touch nothing; then try again.",
    )
    return _refused(state, problem, Step.WARM_UP)


def _measure(state: Calibrating) -> Calibrating:
    level = still_level(state.blocks.done)
    if level is None:
        if state.blocks.count < STILL_LIMIT_S:
            return state
        problem = Problem(
            Trouble.NOISY,
            "the readings do not come to rest",
            "Take your hands and all cables off the board and stop what shakes the table; check the cells' wiring.",
        )
        return _refused(state, problem, state.step)
    levels = MappingProxyType({**state.levels, state.step: level})
    refused = _CHECKS[state.step](state.plan, levels)
    if refused is not None:
        return _refused(state, *refused)
    state = replace(state, levels=levels, waiting=True)
    if state.step is Step.BOARD_AGAIN:
        return _finish(state)
    return replace(state, step=ORDER[ORDER.index(state.step) + 1])


def _finish(state: Calibrating) -> Calibrating:
    cells, levels = state.plan.cells, state.levels
    at_wells = tuple(levels[step] for step in WELL_STEPS)
    readings = Readings(
        levels[Step.BOARD_OFF], levels[Step.BOARD_ON], state.plan.wells, at_wells, levels[Step.BOARD_AGAIN]
    )
    try:
        found = fit(readings, state.plan.mass, (cells.low, cells.high))
    except BadInput as error:
        again = Problem(Trouble.WRONG_WELL, str(error), "Do the wells again, with one and the same mass.")
        return _refused(state, again, Step.FIRST)
    return replace(state, step=Step.DONE, waiting=False, fit=found)


Levels = Mapping[Step, Level]
Refusal = tuple[Problem, Step] | None


def _board_off(_: Plan, levels: Levels) -> Refusal:
    problem = check_board_off(levels[Step.BOARD_OFF])
    return (problem, Step.BOARD_OFF) if problem else None


def _board_on(plan: Plan, levels: Levels) -> Refusal:
    problem = check_board_on(levels[Step.BOARD_OFF], levels[Step.BOARD_ON], plan.cells)
    if problem is None:
        return None
    return problem, Step.BOARD_OFF if problem.trouble is Trouble.BOARD_WAS_ON else Step.BOARD_ON


def _first(plan: Plan, levels: Levels) -> Refusal:
    problem = _check_mass(plan, levels, Step.FIRST)
    return (problem, Step.FIRST) if problem else None


def _second(plan: Plan, levels: Levels) -> Refusal:
    problem = _check_mass(plan, levels, Step.SECOND)
    if problem is not None:
        return problem, Step.SECOND
    changes = [_changes(levels, step) for step in (Step.FIRST, Step.SECOND)]
    problem = check_wells(plan.wells[:2], changes, plan.row) or check_gains(_lines(plan, levels), plan.mass)
    return (problem, Step.FIRST) if problem else None


def _check(plan: Plan, levels: Levels) -> Refusal:
    problem = _check_mass(plan, levels, Step.CHECK)
    if problem is not None:
        return problem, Step.CHECK
    share, place = _lines(plan, levels).weigh(*_changes(levels, Step.CHECK))
    problem = check_third(plan.wells[2], share, place, plan.row)
    return (problem, Step.FIRST) if problem else None


def _board_again(_: Plan, levels: Levels) -> Refusal:
    problem = check_board_again(levels[Step.BOARD_ON], levels[Step.CHECK], levels[Step.BOARD_AGAIN])
    if problem is None:
        return None
    return problem, Step.BOARD_AGAIN if problem.trouble is Trouble.MASS_STILL_ON else Step.BOARD_OFF


_CHECKS: Mapping[Step, Callable[[Plan, Levels], Refusal]] = MappingProxyType(
    {
        Step.BOARD_OFF: _board_off,
        Step.BOARD_ON: _board_on,
        Step.FIRST: _first,
        Step.SECOND: _second,
        Step.CHECK: _check,
        Step.BOARD_AGAIN: _board_again,
    }
)


def _changes(levels: Levels, step: Step) -> tuple[float, float]:
    """By how many counts the mass changed both cells, as against the board alone."""
    now, board = levels[step], levels[Step.BOARD_ON]
    return now.low.counts - board.low.counts, now.high.counts - board.high.counts


def _lines(plan: Plan, levels: Levels) -> Lines:
    """Through the two wells; `check_wells` has seen to it that they fit."""
    changes = [_changes(levels, step) for step in (Step.FIRST, Step.SECOND)]
    return Lines.through([w.mm for w in plan.wells[:2]], [c[0] for c in changes], [c[1] for c in changes])


def _check_mass(plan: Plan, levels: Levels, step: Step) -> Problem | None:
    number = WELL_STEPS.index(step)
    well = plan.wells[number]
    moved = number > 0 and well.mm != plan.wells[number - 1].mm
    before = levels[WELL_STEPS[number - 1]] if moved else None
    return check_mass(well, levels[Step.BOARD_OFF], levels[Step.BOARD_ON], levels[step], before, number == 0)
