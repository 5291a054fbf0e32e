"""How well crashes are foretold on trials with known ends, and how fast. `make bench-balance TIPS=FILE` scores a file.

Run as a program, `python test_bench_balance.py FILE` fits the model to the rows of the file that are marked `fit` and
prints the module `companion/balance/fitted.py` anew.
"""

import csv
import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from companion.balance import (
    EXPERIENCE,
    Balance,
    Reading,
    all_moves,
    forced_crashes,
    lifted,
    nothing_known,
    placed,
    read,
    sphere_in,
    steps,
)
from companion.balance.fitted_text import module_text
from companion.balance.fitting import fit
from companion.balance.trials import (
    Figures,
    area_under_curve,
    by_player_and_board,
    figures,
    foretell,
    foretell_while_touching,
    read_trials,
)
from companion.rules import Position, legal_moves, play
from companion.simulator.board import TICK_S, Board
from companion.simulator.cells import Cells, known_cells
from companion.simulator.statics import START_SPHERES, BoardSpec, balance_of

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "build" / "balance"

LEAST_AUC, LEAST_NEAR_AUC, MOST_BRIER = 0.965, 0.87, 0.060
LEAST_AUC_TOUCHING = 0.99
MOST_ERROR, TENTH_HOLDS = 0.02, 100
"""Calibration counts in every tenth of the scale that holds so many trials."""

MOST_MS_ALL_MOVES = 2.0
LEAST_NODES_A_SECOND = 2000
"""A reply search two moves deep looks at a few thousand positions: it should be done while a player thinks."""

DRAWS = 100


def trials_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return read_trials(csv.DictReader(file))


@pytest.fixture(scope="module")
def tips(request):
    named = os.environ.get("TIPS")
    path = Path(named) if named else request.getfixturevalue("shared") / "data" / "tips" / "tips.csv"
    if not path.is_file():
        pytest.fail(f"TIPS={path}: no such file")
    return trials_of(path)


def scored(trials):
    """Places of the trials that count: those marked test, or all where none is."""
    return [n for n, trial in enumerate(trials) if trial.split == "test"] or list(range(len(trials)))


def told(name, figures):
    return (
        f"{name:44} AUC {figures.auc:.4f}  at 0 to 4 mm {figures.near_auc:.4f}  Brier {figures.brier:.4f}"
        f"  largest error of a tenth with {TENTH_HOLDS} {figures.worst_error(TENTH_HOLDS):.3f}"
    )


def if_it_were_right(trials, forecasts):
    """Mean and standard deviation of each figure where ends are drawn from the forecasts themselves.

    It says what chance alone does to a file of this size, and how often the calibration of a perfect model would pass.
    """
    rng = np.random.default_rng(1)
    p = np.array(forecasts)
    near = [n for n, trial in enumerate(trials) if 0 <= trial.smaller_margin_mm < 4]
    tenth = np.minimum(9, (p * 10).astype(int))
    rows, passed = [], 0
    for _ in range(DRAWS):
        ends = rng.random(len(p)) < p
        rows.append(
            (
                area_under_curve(ends.tolist(), forecasts),
                area_under_curve(ends[near].tolist(), p[near].tolist()),
                float(np.mean((ends - p) ** 2)),
            )
        )
        held = [tenth == n for n in range(10) if np.sum(tenth == n) >= TENTH_HOLDS]
        passed += all(abs(np.mean(ends[of]) - np.mean(p[of])) < MOST_ERROR for of in held)
    means, sds = np.mean(rows, axis=0), np.std(rows, axis=0)
    return means, sds, passed / DRAWS


def shortfalls(ahead: Figures, touching: Figures):
    """What falls short, in words; empty where nothing does."""
    worst = ahead.worst_error(TENTH_HOLDS)
    checks = [
        (ahead.auc >= LEAST_AUC, f"AUC {ahead.auc:.4f}, wanted {LEAST_AUC} or more"),
        (ahead.near_auc >= LEAST_NEAR_AUC, f"AUC at 0 to 4 mm {ahead.near_auc:.4f}, wanted {LEAST_NEAR_AUC} or more"),
        (ahead.brier <= MOST_BRIER, f"Brier {ahead.brier:.4f}, wanted {MOST_BRIER} or less"),
        (worst < MOST_ERROR, f"calibration error {worst:.3f}, wanted below {MOST_ERROR}"),
        (touching.auc >= LEAST_AUC_TOUCHING, f"AUC while touching {touching.auc:.4f}, wanted {LEAST_AUC_TOUCHING}"),
    ]
    return [words for holds, words in checks if not holds]


def calibration_svg(figures):
    """A plot of what happened against what was foretold, with two standard errors; areas show how many trials."""
    size, edge = 420, 50

    def x(p):
        return edge + p * size

    def y(p):
        return edge + (1 - p) * size

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 2 * edge} {size + 2 * edge}"'
        ' font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<rect x="{edge}" y="{edge}" width="{size}" height="{size}" fill="none" stroke="#888"/>',
        f'<path d="M{x(0)} {y(0)}L{x(1)} {y(1)}" stroke="#888" stroke-dasharray="5 4"/>',
    ]
    for n in range(0, 11, 2):
        parts.append(f'<text x="{x(n / 10)}" y="{y(0) + 18}" text-anchor="middle">{n * 10}%</text>')
        parts.append(f'<text x="{x(0) - 6}" y="{y(n / 10) + 4}" text-anchor="end">{n * 10}%</text>')
    for tenth in figures.tenths:
        if tenth.count:
            error = 2 * math.sqrt(max(tenth.forecast * (1 - tenth.forecast), 1e-4) / tenth.count)
            low, high = max(0.0, tenth.happened - error), min(1.0, tenth.happened + error)
            at = x(tenth.forecast)
            parts.append(f'<path d="M{at:.1f} {y(low):.1f}V{y(high):.1f}" stroke="#225ea8" stroke-width="2"/>')
            radius = 2 + math.sqrt(tenth.count) / 5
            parts.append(f'<circle cx="{at:.1f}" cy="{y(tenth.happened):.1f}" r="{radius:.1f}" fill="#225ea8"/>')
            parts.append(f'<text x="{at + 9:.1f}" y="{y(tenth.happened) + 16:.1f}" fill="#555">{tenth.count}</text>')
    middle = edge + size / 2
    parts.append(f'<text x="{middle}" y="{size + 2 * edge - 8}" text-anchor="middle">crash risk foretold</text>')
    parts.append(f'<text x="{middle}" y="30" text-anchor="middle">crashes that happened (two standard errors)</text>')
    return "\n".join([*parts, "</svg>", ""])


def test_bench_crashes_foretold(tips, capsys):
    places = scored(tips)
    chosen = [tips[n] for n in places]

    def of(forecasts):
        return figures(chosen, [forecasts[n] for n in places])

    forecasts = foretell(tips, EXPERIENCE)
    ahead, touching = of(forecasts), of(foretell_while_touching(tips, EXPERIENCE))
    means, sds, passes = if_it_were_right(chosen, [forecasts[n] for n in places])
    margin = [-trial.smaller_margin_mm for trial in tips]
    bare = figures(chosen, [1 / (1 + math.exp(-margin[n])) for n in places])
    lines = [
        f"{len(chosen)} trials on {len({trial.board for trial in chosen})} boards",
        told("shipped, earlier touches on any board", ahead),
        told("shipped, earlier touches on the same board", of(foretell(tips, EXPERIENCE, by_player_and_board))),
    ]
    to_fit = [trial for trial in tips if trial.split == "fit"]
    if to_fit and len(to_fit) < len(tips):
        lines.append(told("fitted anew to the rows marked fit", of(foretell(tips, fit(to_fit)))))
    lines += [
        f"{'smaller margin alone':44} AUC {bare.auc:.4f}  at 0 to 4 mm {bare.near_auc:.4f}",
        told("shipped, while touching, from the loads", touching),
        f"were the forecasts exactly right, chance would give AUC {means[0]:.4f} +- {sds[0]:.4f}, at 0 to 4 mm "
        f"{means[1]:.4f} +- {sds[1]:.4f}, Brier {means[2]:.4f} +- {sds[2]:.4f}, and {passes:.0%} of such files would "
        "pass the calibration",
        "while touching: peak_low_g, peak_high_g, min_low_g, min_high_g, which end at 1.5 degrees of tilt, long before "
        "the crash at 8.5; not onset_ms",
        "tenth: trials, foretold, happened",
        *(
            f"  {n * 10:3}%: {tenth.count:5} {tenth.forecast:.3f} {tenth.happened:.3f}"
            for n, tenth in enumerate(ahead.tenths)
            if tenth.count
        ),
    ]
    missing = shortfalls(ahead, touching)
    lines.append("falls short: " + "; ".join(missing) if missing else "nothing falls short")
    REPORT.mkdir(parents=True, exist_ok=True)
    (REPORT / "calibration.svg").write_text(calibration_svg(ahead), encoding="utf-8")
    text = "\n".join(lines)
    (REPORT / "report.md").write_text(
        f"# Crashes foretold\n\n```\n{text}\n```\n\n![calibration](calibration.svg)\n", encoding="utf-8"
    )
    with capsys.disabled():
        print(f"\n{text}\nreport: {REPORT / 'report.md'}")
    assert not missing, "; ".join(missing)


LEARNED_AFTER_PLIES, PLIES = 10, 20
MOST_MM_OFF, HELD = 0.3, (0.93, 0.97)
MOST_SPACING_OFF, MOST_MASS_OFF_G = 0.02, 0.3
SIMULATED_GAMES, FIRST_SEED = 40, 1000
AT_REST_AFTER_S, READ_FOR_S, REST_SD_G = 4.0, 1.5, 0.05


class SimulatedTable:
    """A simulated board on simulated cells, handled slowly: every reading is one at rest."""

    def __init__(self, seed, rate_hz):
        self.dice = np.random.default_rng(seed)
        self.spec = BoardSpec(
            axis=("ranks", "files")[seed % 2],
            half_spacing_mm=float(self.dice.uniform(6, 9)),
            board_mass_g=float(self.dice.uniform(450, 600)),
            own_moment_g_mm=float(self.dice.normal(0, 150)),
            sphere_masses_g=tuple(float(mass) for mass in self.dice.normal(20, 0.3, 14)),
        )
        self.board = Board(self.spec, START_SPHERES, self.dice)
        self.known = known_cells(self.dice, rate_hz, self.spec.half_spacing_mm)
        self.cells = Cells(self.known, (self.board.low_g, self.board.high_g), self.dice)

    def margin_mm(self, spheres=None):
        standing = self.board.spheres if spheres is None else spheres
        return balance_of(self.spec, standing).margin_mm(self.spec.half_spacing_mm)

    def least_margin_mm(self, move):
        without = {well: sphere for well, sphere in self.board.spheres.items() if well != move.from_well}
        return min(
            self.margin_mm(without), self.margin_mm({**without, move.to_well: self.board.spheres[move.from_well]})
        )

    def reading(self):
        end, lows, highs = self.board.t + AT_REST_AFTER_S + READ_FOR_S, [], []
        while self.board.t < end:
            ticks = max(1, int((self.cells.next_t - self.board.t) / TICK_S) + 1)
            self.cells.follow(self.board.advance(ticks))
            sample = self.cells.read()
            if sample and sample.low is not None and sample.high is not None and self.board.t > end - READ_FOR_S:
                lows.append(self.known.low.grams(sample.low))
                highs.append(self.known.high.grams(sample.high))
        return Reading(without_spikes(lows), without_spikes(highs), REST_SD_G)

    def pitch_mm(self):
        step = 7 if self.spec.axis == "ranks" else 1
        return self.spec.place_mm(step) - self.spec.place_mm(0)


def without_spikes(grams):
    middle = float(np.median(grams))
    return float(np.mean([value for value in grams if abs(value - middle) < 1]))


def learned_on(table):
    """Steps as (ply, foretold mm, sd mm, true mm), what is known at the end, and how many exchanges it saw."""
    position, foretold = Position.start(), []
    known, notice = read(nothing_known(position, table.spec.axis, table.pitch_mm()), table.reading())
    notices = int(notice is not None)
    for ply in range(PLIES):
        moves = [m for m in legal_moves(position) if not m.capture and table.least_margin_mm(m) > 0.6]
        if not moves:
            break
        move = moves[int(table.dice.integers(len(moves)))]
        expected = steps(known.balance(), position, move)
        number = sphere_in(known, move.from_well)
        sphere = table.board.lift(move.from_well, 0.1)
        foretold.append((ply, expected[0].margin_mm, expected[0].sd_mm, table.margin_mm()))
        known, notice = read(lifted(known, move.from_well), table.reading(), number)
        notices += notice is not None
        table.board.place(move.to_well, sphere, 0.1)
        foretold.append((ply, expected[1].margin_mm, expected[1].sd_mm, table.margin_mm()))
        known, notice = read(placed(known, number, move.to_well), table.reading(), number)
        notices += notice is not None
        position = play(position, move)
    return foretold, known, notices


@pytest.mark.parametrize("rate_hz", [80, 10])
def test_bench_learning_from_nothing_on_simulated_tables(rate_hz, capsys):
    steps_late, spacings, masses, noticed = [], [], [], 0
    for seed in range(FIRST_SEED, FIRST_SEED + SIMULATED_GAMES):
        table = SimulatedTable(seed, rate_hz)
        foretold, known, notices = learned_on(table)
        noticed += notices
        steps_late += [step for step in foretold if step[0] >= LEARNED_AFTER_PLIES]
        if foretold[-1][0] == PLIES - 1:
            spacings.append(abs(known.half_spacing_mm[0] / table.spec.half_spacing_mm - 1))
            truth = [table.spec.sphere_masses_g[table.board.spheres[well]] for well in known.standing]
            moved = [n for n, well in enumerate(known.standing) if well not in START_SPHERES]
            masses += [abs(known.masses_g[n] - truth[n]) for n in moved]
    off = float(np.percentile([abs(step[1] - step[3]) for step in steps_late], 95))
    held = float(np.mean([abs(step[1] - step[3]) < 1.96 * step[2] for step in steps_late]))
    spacing, mass = float(np.percentile(spacings, 95)), float(np.percentile(masses, 95))
    with capsys.disabled():
        print(
            f"\nlearning at {rate_hz} samples a second: {len(steps_late)} steps after {LEARNED_AFTER_PLIES} plies, 95% "
            f"within {off:.3f} mm, 95% intervals hold {held:.1%}; after {PLIES} plies of {len(spacings)} games half "
            f"spacing 95% within {spacing:.2%}, spheres that moved within {mass:.2f} g; false exchanges: {noticed}"
        )
    assert off <= MOST_MM_OFF
    # Steps of one game err together, so a few games scatter more than their number of steps says.
    assert HELD[0] - 0.02 <= held <= HELD[1] + 0.02
    assert spacing <= MOST_SPACING_OFF
    assert mass <= MOST_MASS_OFF_G
    assert noticed == 0


WELL_KNOWN = Balance(half_spacing_mm=6.0, half_spacing_sd_mm=0.05, board_mass_sd_g=2.0, board_moment_sd_gmm=40.0)
MIDDLE = Position.parse("b2B1bb/1b1b3/4b2/2w1w2/1w1W3/w4ww w - -")


@pytest.mark.parametrize("position", [Position.start(), MIDDLE], ids=["start", "middle"])
def test_bench_all_moves_with_their_risks(benchmark, position):
    benchmark.pedantic(all_moves, args=(WELL_KNOWN, position), rounds=200, warmup_rounds=5)
    assert benchmark.stats.stats.min * 1000 < MOST_MS_ALL_MOVES


def test_bench_forced_crash_search(benchmark, capsys):
    narrow = Balance(half_spacing_mm=4.5)
    search = benchmark.pedantic(forced_crashes, args=(narrow, MIDDLE), kwargs={"budget": 3000}, rounds=3)
    rate = search.nodes / benchmark.stats.stats.min
    with capsys.disabled():
        print(f"\nforced crashes: {search.nodes} positions, {rate:,.0f} a second, complete to depth {search.depth}")
    assert search.nodes >= 3000
    assert rate >= LEAST_NODES_A_SECOND


if __name__ == "__main__":
    print(module_text(fit([trial for trial in trials_of(Path(sys.argv[1])) if trial.split == "fit"])), end="")
