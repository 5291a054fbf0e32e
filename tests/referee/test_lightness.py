"""How light the board was, before and after a ruling that comes late."""

from dataclasses import replace

import pytest

from companion.referee.lightness import dip_of, weighed_before, weighing_since
from companion.referee.state import begin
from companion.rules import MatchRules

AT_REST_G, IN_HAND_G = 600.0, 580.0


def weighed(*spells):
    """Ten loads a second; each spell is a total and for how long it was weighed."""
    totals = [total for total, seconds in spells for _ in range(round(seconds * 10))]
    timed = tuple((n / 10, total) for n, total in enumerate(totals, start=1))
    return replace(begin(MatchRules()), weight_g=AT_REST_G, totals=timed)


def test_a_board_that_rocks_was_not_lighter():
    assert dip_of(AT_REST_G, (AT_REST_G - 30, AT_REST_G + 30) * 10) == pytest.approx(0.0)


def test_a_sphere_in_hand_before_a_late_ruling_is_known_after_it_and_when_the_next_lift_is_told():
    """It stood at 1 s; the next was in hand from 1.5 to 3 s; the ruling came at 3.5 s, one more lift at 5 s."""
    state = weighed((AT_REST_G, 1.5), (IN_HAND_G, 1.5), (AT_REST_G, 2.5))
    ruled = weighing_since(replace(state, used_until=3.5), 1.0)
    assert ruled.dipped_g == pytest.approx(AT_REST_G - IN_HAND_G)
    assert weighed_before(ruled, 5.0).dipped_g == pytest.approx(AT_REST_G - IN_HAND_G)


def test_a_lift_that_is_told_late_made_nothing_lighter_before_it():
    state = replace(weighed((AT_REST_G, 5.0), (IN_HAND_G, 1.5)), dipped_g=20.0, lightest_g=IN_HAND_G)
    before = weighed_before(state, 5.0)
    assert before.dipped_g == pytest.approx(0.0)
    assert before.lightest_g == AT_REST_G


def test_what_is_too_long_ago_to_be_known_stays_as_it_was_found():
    state = replace(weighed((AT_REST_G, 1.0)), dipped_g=20.0)
    state = replace(state, totals=tuple((t + 9, total) for t, total in state.totals))
    assert weighed_before(state, 10.0).dipped_g == 20.0
