"""A simulated table for setting up: a board that is taken off and put on, and one mass that a hand puts into wells."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from companion.simulator.board import TICK_S, Board, Push
from companion.simulator.cells import SPIKES, Cells, TrueCell, known_cells, true_cell
from companion.simulator.statics import START_SPHERES, Spheres, make_board
from firmware_bridge.samples import LoadCells, RawSample

HAND_S = 1.2
"""A hand is on the board for so long."""
HAND_G = 60.0


class Bench:
    """Gives samples without an end by iterating, and does at once what it is told. The same arguments, the same bytes.

    `cells` is a calibration that is nearly right, `true_cells` what the cells really do (`offset_counts` at t = 0, to
    which the drift adds), `spec` the board's true measures. With `spheres` the board is set up for a game.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        rate_hz: int = 80,
        axis: str = "ranks",
        half_spacing_mm: float = 6.0,
        mass_g: float = 20.0,
        board_mass_g: float = 500.0,
        noise: float = 1.0,
        spikes: float = SPIKES,
        turned: tuple[bool, bool] = (False, False),
        spheres: bool = False,
    ) -> None:
        spec = make_board(np.random.default_rng([seed, 2]), axis, half_spacing_mm, board_mass_g=board_mass_g)
        self.spec = spec if spheres else replace(spec, sphere_masses_g=(mass_g,) * len(spec.sphere_masses_g))
        cells = known_cells(np.random.default_rng([seed, 1]), rate_hz, half_spacing_mm)
        low, high = (
            replace(cell, counts_per_gram=-cell.counts_per_gram) if over else cell
            for cell, over in zip((cells.low, cells.high), turned, strict=True)
        )
        self.cells: LoadCells = replace(cells, low=low, high=high)
        twin = np.random.default_rng([seed, 6])  # draws what `Cells` draws first
        self.true_cells: tuple[TrueCell, TrueCell] = (true_cell(twin, low), true_cell(twin, high))
        standing: Spheres = START_SPHERES if spheres else {}
        self._board = Board(self.spec, standing, np.random.default_rng([seed, 3]))
        loads = self._board.low_g, self._board.high_g
        self._cells = Cells(self.cells, loads, np.random.default_rng([seed, 6]), noise, spikes)
        self._noise = noise
        self._on = True
        self._well: int | None = None
        self.t = 0.0
        """When the last sample was taken, s."""

    def board_off(self) -> None:
        """Takes the board off, with what is on it."""
        self._on = False

    def board_on(self) -> None:
        """Sets the board on its pinnacles."""
        self._on = True
        self._board.set_upright(self._board.spheres)

    def put(self, well: int) -> None:
        """Puts the mass into a well, from where it is."""
        self.take_off()
        self._touch()
        self._board.place(well, 0, 0.05)
        self._well = well

    def take_off(self) -> None:
        """Takes the mass off the board."""
        if self._well is not None and self._well in self._board.spheres:
            self._touch()
            self._board.lift(self._well, 0.05)
        self._well = None

    @property
    def tipped(self) -> bool:
        """Whether the mass has tipped the board."""
        return bool(self._board.tipped_toward)

    def true_offset(self, cell: int) -> float:
        """The zero (counts) of cell 0, low, or 1, high, as of the last sample, but for its random wandering."""
        true = self.true_cells[cell]
        return true.offset_counts + true.counts_per_gram * true.drift_g_per_s * self._noise * self.t

    def __iter__(self) -> Iterator[RawSample]:
        while True:
            ticks = int(self._cells.next_t / TICK_S) - self._board.tick
            loads = self._board.advance(ticks) if ticks > 0 else []
            while 0 < len(loads) < ticks:  # a tip ends the advance early
                loads += self._board.advance(ticks - len(loads))
            self._cells.follow(loads if self._on else [(0.0, 0.0)] * len(loads))
            sample = self._cells.read()
            if sample is not None:
                self.t = sample.t
                yield sample

    def _touch(self) -> None:
        now = self._board.t
        self._board.push(Push(now, now + HAND_S, 0.0, HAND_G, waver_g=8.0, fingers=True))
