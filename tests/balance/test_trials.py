"""Scoring forecasts, reading trials, and fitting to them."""

import csv
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.balance import EXPERIENCE, KINDS
from companion.balance.fitted_text import module_text
from companion.balance.fitting import fit
from companion.balance.regression import logit, probit, ridge
from companion.balance.trials import area_under_curve, by_player_and_board, figures, foretell, read_trials
from companion.errors import BadInput

ROW = {
    "trial": "0",
    "split": "fit",
    "board": "0",
    "player": "0",
    "step": "place",
    "half_spacing_mm": "8.0",
    "sphere_mass_g": "25.0",
    "p_mm": "90.0",
    "W_before_g": "1000.0",
    "c_before_mm": "-1.0",
    "hand": "clean",
    "hand_force_N": "0.05",
    "hand_ms": "100",
    "drop_mm": "",
    "peak_low_g": "565.0",
    "peak_high_g": "700.0",
    "min_low_g": "420.0",
    "min_high_g": "436.0",
    "crashed": "0",
    "onset_ms": "",
}


def rows(count, seed=1):
    """Made-up trials: the stronger the touch, the further out and the smaller the margin, the likelier a crash."""
    dice = random.Random(seed)
    made = []
    for n in range(count):
        strength = math.exp(dice.gauss(0.0, 0.5) + 0.3 * (n % 3))
        p, centre = dice.choice([-90.0, -54.0, 18.0, 54.0, 90.0]), dice.uniform(-6.0, 6.0)
        crashed = 8.0 - abs(centre) < strength * abs(p) / 60 * dice.uniform(0.5, 1.5)
        made.append(
            ROW
            | {
                "trial": str(n),
                "board": str(n % 7),
                "player": str(n % 3),
                "step": dice.choice(["lift", "place"]),
                "p_mm": str(p),
                "c_before_mm": str(centre),
                "hand": dice.choice(KINDS),
                "hand_force_N": str(strength),
                "drop_mm": str(strength),
                "peak_high_g": str(700 + 200 * strength),
                "min_low_g": str(dice.choice([-0.1, 200.0])),
                "min_high_g": str(dice.choice([-0.1, 200.0])),
                "crashed": str(int(crashed)),
            }
        )
    return made


def test_a_forecast_that_orders_all_trials_has_the_whole_area_under_its_curve():
    assert area_under_curve([False, False, True, True], [0.1, 0.2, 0.3, 0.4]) == 1.0
    assert area_under_curve([False, False, True, True], [0.4, 0.3, 0.2, 0.1]) == 0.0
    assert area_under_curve([False, True, True], [0.5, 0.5, 0.5]) == 0.5


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30))
def test_the_area_is_the_share_of_pairs_in_the_right_order(trials):
    crashes = [forecast for end, forecast in trials if end]
    others = [forecast for end, forecast in trials if not end]
    ends, forecasts = [end for end, _ in trials], [float(forecast) for _, forecast in trials]
    if not crashes or not others:
        with pytest.raises(BadInput):
            area_under_curve(ends, forecasts)
        return
    pairs = sum((a > b) + (a == b) / 2 for a in crashes for b in others) / len(crashes) / len(others)
    assert area_under_curve(ends, forecasts) == pytest.approx(pairs)


@pytest.mark.parametrize(
    "wrong", [{"step": "roll"}, {"hand": "kick"}, {"W_before_g": "much"}, {"peak_low_g": ""}, {"sphere_mass_g": "0"}]
)
def test_a_row_that_cannot_be_is_named(wrong):
    with pytest.raises(BadInput, match="row 2"):
        read_trials([ROW, ROW | wrong])


def test_a_missing_column_is_named():
    with pytest.raises(BadInput, match="peak_low_g"):
        read_trials([{name: value for name, value in ROW.items() if name != "peak_low_g"}])


def test_no_forecast_knows_its_own_touch_or_a_later_one():
    later = [row | {"peak_high_g": "5000", "crashed": "1"} if int(row["trial"]) >= 30 else row for row in rows(60)]
    before, after = (foretell(read_trials(made), EXPERIENCE) for made in (rows(60), later))
    assert before[:31] == after[:31]
    assert before[31:] != after[31:]


def test_no_forecast_knows_the_kind_of_touch():
    untold = [row | {"hand": "clean", "hand_force_N": "1", "hand_ms": "1", "drop_mm": "1"} for row in rows(60)]
    assert foretell(read_trials(rows(60)), EXPERIENCE) == foretell(read_trials(untold), EXPERIENCE)


def test_touches_on_another_board_count_only_where_they_should():
    among, alone = read_trials(rows(60)), read_trials([row for row in rows(60) if row["board"] == "3"])
    forecasts = foretell(among, EXPERIENCE, by_player_and_board)
    there = [p for trial, p in zip(among, forecasts, strict=True) if trial.board == "3"]
    assert there == foretell(alone, EXPERIENCE)


def test_a_fit_foretells_its_trials_better_than_their_margin_and_can_be_shipped_as_text():
    trials = read_trials(rows(900))
    fitted = fit(trials)
    margins = [1 / (1 + math.exp(trial.smaller_margin_mm)) for trial in trials]
    assert figures(trials, foretell(trials, fitted)).brier < figures(trials, margins).brier
    shipped = {}
    exec(compile(module_text(fitted), "fitted", "exec"), shipped)
    assert foretell(trials, shipped["EXPERIENCE"]) == pytest.approx(foretell(trials, fitted), abs=0.02)


def test_too_few_trials_of_a_kind_are_refused():
    with pytest.raises(BadInput, match="too few"):
        fit(read_trials(rows(40)))


def test_regressions_find_what_made_the_data():
    dice = np.random.default_rng(3)
    x = dice.normal(0.0, 1.0, (4000, 2))
    z = 0.5 + x @ [0.8, -1.2]
    constant, weights = probit(x, z + dice.normal(size=4000) > 0, 1e-6)
    assert (constant, *weights) == pytest.approx((0.5, 0.8, -1.2), abs=0.15)
    terms = np.column_stack([np.ones(4000), x])
    ends = dice.random(4000) < 1 / (1 + np.exp(-z))
    assert logit(terms, ends, 1e-6) == pytest.approx((0.5, 0.8, -1.2), abs=0.2)
    assert ridge(terms, z, 1e-9) == pytest.approx((0.5, 0.8, -1.2), abs=1e-6)


def test_the_shipped_numbers_foretell_the_shared_trials_far_better_than_the_margin(shared):
    with (shared / "data" / "tips" / "tips.csv").open(newline="") as file:
        trials = read_trials(csv.DictReader(file))
    ahead = figures(trials, foretell(trials, EXPERIENCE))
    assert ahead.auc > 0.96
    assert ahead.near_auc > 0.86
    assert ahead.brier < 0.06
