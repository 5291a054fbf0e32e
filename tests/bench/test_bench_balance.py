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

from companion.balance import EXPERIENCE, Balance, all_moves, forced_crashes
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
from companion.rules import Position

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
