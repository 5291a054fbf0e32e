"""The margin after each step of a move, and the risk that the hand tips the board."""

import csv
import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from companion.balance import Balance, margin_mm, move_risk, step_risk, steps
from companion.balance.touches import Touch
from companion.rules import IllegalMove, Move, Position, legal_moves, play

START = Position.start()
CAPTURE = Position.parse("7/3B3/2wW3/3b3/7/7 w c4 d3")
sds = st.floats(0.0, 60.0)
touches = st.builds(
    Touch,
    lifts=st.booleans(),
    half_spacing_mm=st.floats(3.0, 14.0),
    total_g=st.floats(300.0, 1500.0),
    centre_mm=st.floats(-2.9, 2.9),
    mass_g=st.floats(10.0, 45.0),
    p_mm=st.floats(-130.0, 130.0),
)


def test_a_move_is_a_lift_and_a_place():
    assert [s.step for s in steps(Balance(), START, Move.parse("d1-d2"))] == ["lift", "place"]


def test_a_capture_removes_lifts_and_places():
    assert [s.step for s in steps(Balance(), CAPTURE, Move.parse("d4xd5"))] == ["remove", "lift", "place"]


def test_a_capture_written_as_a_plain_move_takes_the_same_steps():
    assert steps(Balance(), CAPTURE, Move.parse("d4-d5")) == steps(Balance(), CAPTURE, Move.parse("d4xd5"))


def test_lifting_from_the_back_rank_takes_two_and_a_half_millimetres():
    lift, place = steps(Balance(half_spacing_mm=6.0), START, Move.parse("a1-a2"))
    assert lift.margin_mm == pytest.approx(6 - 20 * 90 / 760)
    assert place.margin_mm == pytest.approx(6 - 20 * 36 / 780)


def test_the_first_lift_crashes_a_board_that_is_narrower_than_it():
    narrow = Balance(half_spacing_mm=2.0, half_spacing_sd_mm=0.0, board_moment_sd_gmm=0.0)
    assert move_risk(narrow, START, Move.parse("a1-a2")) > 0.95


def test_a_board_that_is_very_wide_never_tips():
    assert move_risk(Balance(half_spacing_mm=30.0), START, Move.parse("a1-a2")) < 2e-3


def test_a_sphere_takes_its_own_mass_along():
    heavy = Balance(half_spacing_mm=6.0, sphere_masses_g={0: 40.0})
    _, place = steps(heavy, START, Move.parse("a1-a2"))
    assert place.margin_mm == pytest.approx(6 - abs((-20 * 90 + 40 * 36) / 800))


@given(st.data())
def test_after_the_last_step_the_margin_is_that_of_the_position_after_the_move(data):
    balance, position = Balance(half_spacing_mm=6.0, sphere_masses_g={"W": 25.0, "b": 19.0}), START
    for _ in range(data.draw(st.integers(0, 30))):
        moves = legal_moves(position)
        if not moves:
            break
        move = data.draw(st.sampled_from(moves))
        taken = steps(balance, position, move)
        position = play(position, move)
        assert taken[-1].margin_mm == pytest.approx(margin_mm(balance, position))


def test_the_risk_of_a_move_is_that_of_any_of_its_steps():
    balance = Balance(half_spacing_mm=4.0)
    taken = steps(balance, START, Move.parse("d1-d2"))
    assert move_risk(balance, START, Move.parse("d1-d2")) == pytest.approx(1 - math.prod(1 - s.risk for s in taken))


def test_an_illegal_move_has_no_steps():
    with pytest.raises(IllegalMove):
        steps(Balance(), START, Move.parse("d1-d3"))


def test_an_unknown_half_spacing_makes_the_margin_uncertain():
    known, unknown = (steps(Balance(half_spacing_mm=d), START, Move.parse("d1-d2"))[0] for d in (6.0, None))
    assert unknown.margin_mm == known.margin_mm
    assert unknown.sd_mm > 5 * known.sd_mm
    assert unknown.risk > known.risk


def test_the_uncertainty_of_a_margin_is_what_every_uncertain_value_changes_in_it():
    known = Balance(half_spacing_mm=6.0, half_spacing_sd_mm=0.0, board_mass_sd_g=0.0, board_moment_sd_gmm=0.0)
    known = replace(known, sphere_sd_g=0.0, board_moment_gmm=900.0)
    move = Move.parse("a1-a2")

    def place(balance):
        return steps(balance, START, move)[-1]

    loose = place(known).sd_mm
    for value, sd, by in (
        ("half_spacing_mm", "half_spacing_sd_mm", 0.3),
        ("board_mass_g", "board_mass_sd_g", 20.0),
        ("board_moment_gmm", "board_moment_sd_gmm", 50.0),
    ):
        change = place(replace(known, **{value: getattr(known, value) + by})).margin_mm - place(known).margin_mm
        assert place(replace(known, **{sd: by})).sd_mm == pytest.approx(math.hypot(change, loose), rel=0.01)
    for well in (0, 3, 41):
        change = place(replace(known, sphere_masses_g={well: 20.1})).margin_mm - place(known).margin_mm
        with_it = place(replace(known, sphere_sds_g={well: 2.0})).sd_mm
        assert with_it == pytest.approx(math.hypot(change * 20, loose), rel=0.01)


@given(touches, sds)
def test_a_risk_is_a_probability(touch, sd):
    assert 0.0 <= step_risk(touch, sd) <= 1.0


@given(touches, st.floats(0.0, 10.0))
def test_pinnacles_further_apart_never_mean_more_risk(touch, more):
    wider = replace(touch, half_spacing_mm=touch.half_spacing_mm + more)
    assert step_risk(wider, 0.0) <= step_risk(touch, 0.0) + 1e-5


@given(st.floats(3.0, 5.0), st.floats(400.0, 700.0), st.floats(30.0, 45.0), st.floats(90.0, 130.0))
def test_a_board_that_balances_only_before_the_step_tips(half_spacing, total, mass, p):
    touch = Touch(True, half_spacing, total, 0.0, mass, p)
    assume(touch.margin_after_mm < -0.5)
    assert step_risk(touch, 0.0) == pytest.approx(1.0, abs=1e-3)


def test_an_uncertain_margin_matters_near_the_edge_and_not_far_from_it():
    safe = Touch(True, 12.0, 780.0, 0.0, 20.0, 18.0)
    tight = Touch(True, 2.6, 780.0, 0.0, 20.0, 90.0)
    assert step_risk(safe, 0.0) == pytest.approx(step_risk(safe, 0.3), abs=0.01)
    assert step_risk(safe, 0.3) < 0.1 < step_risk(tight, 0.3)


def test_the_risk_beats_a_bare_threshold_on_simulated_tips(shared):
    with (shared / "data" / "tips" / "tips.csv").open(newline="") as file:
        trials = list(csv.DictReader(file))
    ours = bare = 0.0
    for trial in trials:
        touch = Touch(
            trial["step"] == "lift",
            *(float(trial[name]) for name in ("half_spacing_mm", "W_before_g", "c_before_mm", "sphere_mass_g", "p_mm")),
        )
        crashed = int(trial["crashed"])
        ours += (step_risk(touch, 0.1) - crashed) ** 2
        bare += ((float(trial["margin_after_mm"]) < 0.25) - crashed) ** 2
    assert len(trials) > 5000
    assert ours < 0.95 * bare
