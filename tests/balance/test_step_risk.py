"""What decides whether one touch tips the board: the hold on both sides, the hand, and how sure the margin is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.balance import Balance, Hand, Touch, all_moves, move_risk, step_risk, steps
from companion.errors import BadInput
from companion.rules import Move, Position, legal_moves

START = Position.start()
CAPTURE = Position.parse("7/3B3/2wW3/3b3/7/7 w c4 d3")
CLEAN_HAND = Hand((1000.0, 1e-3, 1e-3, 1e-3, 1e-3), 0.0, 0.01)
HEAVY_HAND = Hand((1.0, 1.0, 10.0, 1.0, 10.0), 0.5, 0.1)


@st.composite
def touches(draw):
    """Lifts and placings anywhere on any playable board that stands before them."""
    half_spacing = draw(st.floats(3.0, 13.0))
    return Touch(
        lifts=draw(st.booleans()),
        half_spacing_mm=half_spacing,
        total_g=draw(st.floats(400.0, 1500.0)),
        centre_mm=half_spacing * draw(st.floats(-1.0, 1.0)),
        mass_g=draw(st.floats(15.0, 45.0)),
        p_mm=draw(st.floats(-120.0, 120.0)),
    )


def placing(margin_after_mm, p_mm=90.0):
    """A placing of 25 g on a 1000 g board that leaves so much margin on the sphere's side."""
    return Touch(False, 6.0, 1000.0, ((6.0 - margin_after_mm) * 1025.0 - 25.0 * p_mm) / 1000.0, 25.0, p_mm)


@given(touches(), st.floats(1.0, 500.0))
def test_weight_in_the_middle_of_the_board_never_means_more_risk(touch, more):
    # It holds the board down on both sides and changes nothing else.
    total = touch.total_g + more
    heavier = replace(touch, total_g=total, centre_mm=touch.centre_mm * touch.total_g / total)
    for hand in (CLEAN_HAND, HEAVY_HAND):
        assert step_risk(heavier, 0.0, hand) <= step_risk(touch, 0.0, hand) + 1e-5


@given(touches())
def test_the_two_sides_of_the_board_are_alike(touch):
    mirrored = replace(touch, centre_mm=-touch.centre_mm, p_mm=-touch.p_mm)
    assert step_risk(mirrored, 0.0) == pytest.approx(step_risk(touch, 0.0), rel=1e-3, abs=1e-6)


def test_a_clean_hand_needs_half_a_millimetre_and_no_more():
    assert step_risk(placing(0.1), 0.0, CLEAN_HAND) > 0.9
    assert step_risk(placing(0.8), 0.0, CLEAN_HAND) < 0.02


def test_a_heavy_hand_is_dangerous_where_a_clean_one_is_not():
    assert step_risk(placing(2.0), 0.0, HEAVY_HAND) > 0.3
    assert step_risk(placing(2.0), 0.0, CLEAN_HAND) < 0.01


def test_leaning_on_the_board_between_the_pinnacles_tips_nothing():
    leaning = Hand((1e-3, 1e-3, 1e-3, 1e-3, 1000.0), 1.0, 0.1)
    assert step_risk(placing(2.0, p_mm=0.0), 0.0, leaning) < 0.01
    assert step_risk(placing(2.0, p_mm=90.0), 0.0, leaning) > 0.8


def test_an_uncertain_margin_smears_a_sharp_edge():
    sure, unsure = (step_risk(placing(0.8), sd, CLEAN_HAND) for sd in (0.0, 1.0))
    assert sure < 0.02
    assert 0.1 < unsure < 0.5


@given(touches(), st.floats(0.0, 1.0))
def test_a_margin_of_eight_deviations_is_as_good_as_certain(touch, part):
    margin = min(*touch.holds_before_gmm, *touch.holds_after_gmm) / touch.total_g
    if margin > 0:
        assert step_risk(touch, part * margin / 8) == step_risk(touch, 0.0)


def test_all_moves_are_those_that_the_rules_allow_and_each_has_the_steps_that_it_has_alone():
    balance = Balance(half_spacing_mm=6.0)
    for position in (START, CAPTURE):
        found = all_moves(balance, position)
        assert [risk.move for risk in found] == list(legal_moves(position))
        for risk in found:
            alone = steps(balance, position, risk.move)
            assert [step.step for step in risk.steps] == [step.step for step in alone]
            assert [step.risk for step in risk.steps] == pytest.approx([step.risk for step in alone], abs=1e-9)
            assert risk.risk == pytest.approx(move_risk(balance, position, risk.move))
            assert risk.worst.risk == max(step.risk for step in risk.steps)


def test_no_legal_move_no_risk():
    assert all_moves(Balance(), Position.parse("7/3B3/7/7/7/7 w - -")) == ()


def test_what_spheres_have_in_common_cancels_between_the_sides():
    position, move = Position.parse("7/3B3/7/7/7/3W3 w - -"), Move.parse("d1-d2")
    apart = Balance(
        half_spacing_mm=6.0,
        half_spacing_sd_mm=0.0,
        board_mass_sd_g=0.0,
        board_moment_sd_gmm=0.0,
        sphere_sd_g=5.0,
        loose_sd_mm=0.0,
    )
    one, other = (0.0, 0.0, 0.0, 25.0, 0.0), (0.0, 0.0, 0.0, 0.0, 25.0)
    both, nothing = (0.0, 0.0, 0.0, 25.0, 25.0), (0.0,) * 5
    sds = [
        steps(known, position, move)[1].sd_mm
        for known in (
            apart,
            replace(apart, joint=(nothing, nothing, nothing, one, other)),
            replace(apart, joint=(nothing, nothing, nothing, both, both)),
        )
    ]
    assert sds[0] == pytest.approx(sds[1])
    assert sds[0] > 0.5
    assert sds[2] < 1e-6


def test_a_joint_covariance_of_another_position_is_refused():
    with pytest.raises(BadInput, match="joint covariance"):
        steps(Balance(joint=((1.0,),)), START, Move.parse("d1-d2"))
