"""`calibrate load-cells`: step by step from the bare cells to a calibration that can be trusted."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import click
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from companion.commands.calibrate_camera import camera
from companion.commands.calibrate_corners import corners
from companion.commands.calibrate_people import Keyboard, SimulatedHand, simulated_bench
from companion.commands.output import FiniteFloat, json_option, print_json, stderr, stdout
from companion.commands.refused import CalibrationRefused
from companion.errors import BadInput
from companion.table.cell_calibration import changes_of, fit_json, plan_for
from companion.table.settings import TableSettings, read_settings
from companion.table.settings_file import change_settings, write_apart
from companion.table.sources import load_source
from firmware_bridge.calibration import Calibrating, Plan, begin, confirm, take
from firmware_bridge.calibration_fit import Fit, Mass
from firmware_bridge.readers import LoadSource, SimulatedReader
from firmware_bridge.samples import CellCalibration, RawSample

LEAST_KNOWN = 0.05
"""How well a mass must be known, as a share of it: gains this wrong would make a 20 g sphere weigh a gram more."""
MIDDLE_WORTH_SAYING_MM = 1.0
"""So far off the pinnacles' middle shifts every place that is read, though each is still told from the next."""
SHOWN_PER_S = 8


class Person(Protocol):
    """Whoever does what is asked."""

    def confirms(self, state: Calibrating) -> bool:
        """Asked with every sample: whether what is waited for has been done. Raises EOFError when it will not be."""
        ...


@click.group()
def calibrate() -> None:
    """Calibrate a table's parts, step by step."""


calibrate.add_command(camera)
calibrate.add_command(corners)


@calibrate.command("load-cells")
@click.argument("table_file", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--mass", "mass_g", type=FiniteFloat(min=0, min_open=True), help="Grams of the mass or sphere used.")
@click.option("--mass-sd", type=FiniteFloat(min=0), default=0.05, help="How well that is known, grams (0.05).")
@click.option(
    "--wells", help="Three wells for the mass: two far apart, the low one first, and another to check with: d1,d6,d2."
)
@click.option("--simulated", is_flag=True, help="Try it without hardware: a simulated hand does what is asked.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="With --simulated: which table.")
@json_option
def load_cells(
    table_file: Path,
    mass_g: float | None,
    mass_sd: float,
    wells: str | None,
    simulated: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Calibrate the two load cells and the distance of their pinnacles.

    It takes the empty board and one mass, for example a sphere that was weighed (--mass 20.1). Without --mass any
    sphere will do, but then grams keep their old scale. You take the board off and on and press Enter at each step;
    warming up takes from half a minute to 15. Nothing is written before all checks have passed; the old settings stay
    in TABLE.toml.bak. What is tried with --simulated goes into TABLE.simulated.toml: the table's own stay as they are.
    """
    settings = read_settings(table_file)
    mass = Mass(mass_g, mass_sd)
    if mass.grams is not None and mass.sd > LEAST_KNOWN * mass.grams:
        raise BadInput(
            f"a mass of {mass.grams:g} g known to {mass.sd:g} g sets no scale: weigh it to {LEAST_KNOWN:.0%} or "
            "better, or leave --mass out and grams keep their old scale"
        )
    plan = plan_for(settings, mass, wells)
    source: LoadSource
    person: Person
    if simulated:
        bench = simulated_bench(settings, seed, mass_g)
        source, person = SimulatedReader(bench), SimulatedHand(bench, settings.grid)
    else:
        source, person = load_source(settings), Keyboard()
    try:
        with _Screen(plan, source) as screen:
            found = carry_out(plan, source, person, screen.show)
    finally:
        source.close()
    written, kept = table_file, None
    if simulated:
        written = table_file.with_suffix(".simulated.toml")
        write_apart(table_file, changes_of(found), written)
    else:
        kept = change_settings(table_file, changes_of(found))
    if as_json:
        print_json({**fit_json(found), "written": str(written), "kept": None if kept is None else str(kept)})
    else:
        _report(settings, found, written, kept)


def carry_out(
    plan: Plan, samples: Iterable[RawSample], person: Person, show: Callable[[Calibrating], None] = lambda _: None
) -> Fit:
    """Goes through all steps. Raises CalibrationRefused, saying what does not fit and what to do."""
    state = begin(plan)
    try:
        for sample in samples:
            state = take(state, sample)
            if state.fit is not None:
                show(state)
                return state.fit
            if person.confirms(state):
                state = confirm(state)
            show(state)
    except EOFError as error:
        ended = str(error)
    except KeyboardInterrupt:
        stderr.print("Stopped; nothing was written.")
        raise
    else:
        ended = "no more samples come"
    at = f"it ended at the step {state.step.value!r} ({state.asks})" + (f": {ended}" if ended else "")
    why = str(state.problem) if state.problem else at
    raise CalibrationRefused(f"not calibrated, nothing was written: {why}")


def _report(settings: TableSettings, found: Fit, file: Path, kept: Path | None) -> None:
    old = settings.cells
    table = Grid("", "before", "now", "one sd", box=None, pad_edge=False)
    for name, before, cell in (("low", old.low, found.low), ("high", old.high, found.high)):
        table.add_row(
            f"{name} offset, counts",
            f"{before.offset_counts:.0f}",
            f"{cell.offset_counts:.0f}",
            f"{cell.offset_sd:.0f}",
        )
        table.add_row(
            f"{name} counts a gram",
            f"{before.counts_per_gram:.2f}",
            f"{cell.counts_per_gram:.2f}",
            f"{cell.gain_sd:.2f}",
        )
    spacing = "not known" if old.half_spacing_mm is None else f"{old.half_spacing_mm:.2f}"
    table.add_row("half spacing, mm", spacing, f"{found.half_spacing_mm:.2f}", f"{found.half_spacing_sd:.2f}")
    table.add_row("pinnacles' middle, mm", "", f"{found.middle_mm:+.2f}", f"{found.middle_sd:.2f}")
    stdout.print(table)
    stdout.print(f"The board weighs {found.board_g:.1f} g, the mass {found.mass_g:.2f} g.", markup=False)
    if not found.scale_known:
        default = CellCalibration().counts_per_gram
        only = ", which nobody has set yet" if old.low.counts_per_gram == default == old.high.counts_per_gram else ""
        stdout.print(
            f"The mass is not known, so grams keep their old scale{only}; weigh the sphere and give --mass to set it.",
            markup=False,
        )
    if abs(found.middle_mm) > MIDDLE_WORTH_SAYING_MM:
        toward = "high" if found.middle_mm > 0 else "low"
        stdout.print(
            f"The pinnacles stand {abs(found.middle_mm):.1f} mm too far toward the {toward} side: shift the board.",
            markup=False,
        )
    if kept is None:
        stdout.print(
            f"Tried on a simulated table: written to {file}, your table's settings stay as they are.", markup=False
        )
    else:
        stdout.print(f"Written to {file}, the old settings are in {kept}.", markup=False)


class _Screen:
    """Shows on stderr what is to be done, how far it is, and the loads; without a terminal a line for each step."""

    def __init__(self, plan: Plan, source: LoadSource) -> None:
        self._cells = plan.cells
        self._source = source
        self._said = ""
        self._step: object = None
        self._live = (
            Live(console=stderr, refresh_per_second=SHOWN_PER_S, transient=True) if stderr.is_terminal else None
        )

    def __enter__(self) -> "_Screen":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, state: Calibrating) -> None:
        """Shows where it stands; with a problem also what the reader itself has to say."""
        said = f"{state.problem} " if state.problem else ""
        trouble = getattr(getattr(self._source, "health", None), "trouble", None) if state.problem else None
        said += f"({trouble}) " if trouble else ""
        said += state.asks
        if said != self._said or state.step is not self._step:
            self._said, self._step = said, state.step
            stderr.print(f"{state.step.value}: {said}", markup=False)
        if self._live is not None:
            self._live.update(self._line(state))

    def _line(self, state: Calibrating) -> Text:
        parts = ["Press Enter when it is done" if state.waiting else f"measuring {100 * state.progress:3.0f}%"]
        if state.latest is not None:
            for (name, block), cell in zip(state.latest.cells, (self._cells.low, self._cells.high), strict=True):
                if block.mean is None:
                    parts.append(f"{name}: nothing")
                else:
                    grams = (block.mean - cell.offset_counts) / cell.counts_per_gram
                    parts.append(f"{name} {grams:9.1f} g (noise {block.noise:.0f} counts)")
        if state.drift is not None:
            parts.append("drift {:+.0f}, {:+.0f} counts/min".format(*state.drift))
        return Text("   ".join(parts))
