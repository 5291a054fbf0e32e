"""What a player's hand is known for after some touches, and what the loads say while it touches."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.balance import (
    EXPERIENCE,
    KINDS,
    NEW_HAND,
    Felt,
    Hand,
    Touch,
    hand_after,
    kind_probabilities,
    risk_while_touching,
    step_risk,
)
from companion.balance.touches import fingerprint, lifted_off
from companion.errors import BadInput

OUTER = Touch(lifts=False, half_spacing_mm=8.0, total_g=1000.0, centre_mm=-1.0, mass_g=25.0, p_mm=90.0)
LOW, HIGH = 562.5, 437.5
"""Loads at rest before it."""

AFTER_LOW, AFTER_HIGH = LOW + 25 * (8 - 90) / 16, HIGH + 25 * (8 + 90) / 16


def felt(push_near=0.0, swing=0.0, tipped=False):
    """A placing on the high side with so much more on the near cell and so much rocking, grams."""
    return Felt(
        peak_low_g=LOW + swing,
        peak_high_g=AFTER_HIGH + push_near + swing,
        min_low_g=max(0.0, AFTER_LOW - 0.85 * push_near - swing),
        min_high_g=HIGH - swing,
        tipped=tipped,
    )


CLEAN = felt(push_near=110.0, swing=3.0)
PRESSED = felt(push_near=450.0, swing=10.0)


def test_the_step_itself_is_no_overshoot():
    assert fingerprint(OUTER, felt())[:4] == pytest.approx((0.0, 0.0, 0.0, 0.0))


def test_an_overshoot_is_told_in_units_of_the_step():
    heavier = Touch(False, 8.0, 2000.0, -1.0, 50.0, 90.0)
    twice = Felt(2 * CLEAN.peak_low_g, 2 * CLEAN.peak_high_g, 2 * CLEAN.min_low_g, 2 * CLEAN.min_high_g)
    assert fingerprint(heavier, twice)[:4] == pytest.approx(fingerprint(OUTER, CLEAN)[:4])
    assert fingerprint(heavier, twice)[4] == pytest.approx(fingerprint(OUTER, CLEAN)[4] + math.log(2))


def test_mirrored_touches_feel_alike():
    mirrored = Touch(False, 8.0, 1000.0, 1.0, 25.0, -90.0)
    seen = Felt(PRESSED.peak_high_g, PRESSED.peak_low_g, PRESSED.min_high_g, PRESSED.min_low_g)
    assert fingerprint(mirrored, seen) == pytest.approx(fingerprint(OUTER, PRESSED))


def test_a_cell_that_carries_nothing_came_free():
    assert lifted_off(OUTER, CLEAN) == 0
    assert lifted_off(OUTER, felt(push_near=1000.0)) == 1
    assert lifted_off(OUTER, Felt(900.0, 600.0, 300.0, 0.0)) == 2


def test_a_gentle_touch_looks_clean_and_a_push_does_not():
    clean = kind_probabilities(OUTER, CLEAN, NEW_HAND, EXPERIENCE)
    assert KINDS[clean.index(max(clean))] == "clean"
    pressed = kind_probabilities(OUTER, PRESSED, NEW_HAND, EXPERIENCE)
    assert pressed[KINDS.index("clean")] < 0.05
    assert sum(pressed) == pytest.approx(1.0)


def test_a_player_who_keeps_pressing_is_foretold_more_crashes_than_one_who_does_not():
    gentle = pressing = NEW_HAND
    for _ in range(15):
        gentle = hand_after(gentle, OUTER, CLEAN, EXPERIENCE)
        pressing = hand_after(pressing, OUTER, PRESSED, EXPERIENCE)
    next_touch = Touch(lifts=True, half_spacing_mm=6.0, total_g=1000.0, centre_mm=2.0, mass_g=25.0, p_mm=90.0)
    risks = [step_risk(next_touch, 0.0, hand) for hand in (gentle, NEW_HAND, pressing)]
    assert risks[0] < 0.5 * risks[1]
    assert risks[1] < risks[2]


def test_a_hand_is_known_better_the_more_it_has_touched_and_never_perfectly():
    hand, sds = NEW_HAND, []
    for _ in range(600):
        hand = hand_after(hand, OUTER, PRESSED, EXPERIENCE)
        sds.append(hand.level_sd)
    assert sds[0] < NEW_HAND.level_sd
    assert sds[-1] > 0.0
    assert sum(hand.counts) <= 400.0 + 1e-6


def test_a_hand_that_mends_its_ways_is_believed_in_time():
    hand = NEW_HAND
    for _ in range(800):
        hand = hand_after(hand, OUTER, PRESSED, EXPERIENCE)
    pressing = hand.shares[KINDS.index("press")]
    for _ in range(800):
        hand = hand_after(hand, OUTER, CLEAN, EXPERIENCE)
    assert hand.shares[KINDS.index("press")] < 0.3 * pressing


def test_a_hand_comes_back_from_json_as_it_was():
    hand = hand_after(NEW_HAND, OUTER, PRESSED, EXPERIENCE)
    assert Hand.from_json(json.loads(json.dumps(hand.to_json()))) == hand


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"counts": {"clean": 1.0}, "level": 0.0, "level_sd": 1.0},
        {"counts": dict.fromkeys(KINDS, 0.0), "level": 0.0, "level_sd": 1.0},
        {"counts": dict.fromkeys(KINDS, 1.0), "level": 0.0, "level_sd": math.nan},
        {"counts": dict.fromkeys(KINDS, "many"), "level": 0.0, "level_sd": 1.0},
    ],
)
def test_a_hand_that_cannot_be_is_refused_in_one_line(value):
    with pytest.raises(BadInput) as refusal:
        Hand.from_json(value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"total_g": 0.0},
        {"mass_g": -1.0},
        {"half_spacing_mm": math.inf},
        {"p_mm": math.nan},
        {"lifts": True, "mass_g": 950},
    ],
)
def test_a_touch_that_cannot_be_is_refused(wrong):
    values = {"lifts": False, "half_spacing_mm": 6.0, "total_g": 900.0, "centre_mm": 0.0, "mass_g": 20.0, "p_mm": 90.0}
    with pytest.raises(BadInput):
        Touch(**(values | wrong))


def test_while_a_hand_leans_on_the_board_the_risk_rises():
    resting, leaning = (
        risk_while_touching(OUTER, felt(push_near=push, swing=5.0), EXPERIENCE) for push in (100.0, 480.0)
    )
    assert resting < 0.01 < leaning


def test_a_step_after_which_the_board_cannot_balance_tips_it_whatever_the_loads_say():
    hopeless = Touch(lifts=False, half_spacing_mm=4.0, total_g=600.0, centre_mm=3.0, mass_g=40.0, p_mm=90.0)
    assert risk_while_touching(hopeless, Felt(75.0, 525.0, 75.0, 525.0), EXPERIENCE) == 1.0


@given(st.floats(-1.0, 1.0), st.floats(0.0, 3000.0), st.booleans())
def test_whether_the_board_tipped_is_not_asked_while_it_may_still_stand(side, push, tipped):
    touch = Touch(lifts=True, half_spacing_mm=6.0, total_g=900.0, centre_mm=side, mass_g=20.0, p_mm=50.0)
    known = risk_while_touching(touch, Felt(500.0 + push, 600.0 + push, 100.0, 50.0, tipped), EXPERIENCE)
    assert known == risk_while_touching(touch, Felt(500.0 + push, 600.0 + push, 100.0, 50.0), EXPERIENCE)
    assert 0.0 <= known <= 1.0
