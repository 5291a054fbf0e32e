"""Whole recorded games: was the crash foretold before the hand was there, and was nobody warned of what was safe?"""

import pytest

from companion.rules import well_name
from companion.table.settings import WARN_ABOVE
from tests.table.recorded_games import refereed

BEFORE_S = 0.3
"""A hand that is to be warned is not yet at the well."""
SAFE_MM = 1.0


def replayed(folder):
    return refereed(folder)[0]


def warned_wells(outlook):
    return {well_name(well.well) for well in outlook.above(WARN_ABOVE)}


def test_the_wells_whose_reaching_crashes_were_marked_while_the_sphere_was_still_in_hand(shared):
    found = replayed(shared / "data" / "recordings" / "r3_crash_place")
    lifted, contact = 76.64, 78.73
    marked = [(t, outlook) for t, outlook in found.shown if lifted < t < contact - BEFORE_S]
    assert marked, "nothing was foretold between the lift and the placing"
    assert warned_wells(marked[-1][1]) == {"a5", "c5"}
    assert marked[0][0] < contact - 1.0
    assert found.crashes[0][1]["steps"][0]["step"] == "place"
    assert found.crashes[0][1]["risk"] > WARN_ABOVE


def test_a_removal_that_crashes_was_warned_of_before_any_hand_was_there(shared):
    found = replayed(shared / "data" / "recordings" / "r5_crash_remove")
    outlook = found.at(82.88 - BEFORE_S)
    assert warned_wells(outlook) == {"d1"}
    assert outlook.wells[0].touch.step == "remove"
    assert outlook.least_risk < 0.1
    assert found.crashes[0][1]["steps"][0]["step"] == "remove"


@pytest.mark.parametrize("name", ["r1_capture", "r2_infringements", "r4_held_and_bump", "r6_lamp_10sps"])
def test_nobody_is_warned_of_a_move_that_is_safe_by_more_than_a_millimetre(shared, name):
    found = replayed(shared / "data" / "recordings" / name)
    steps = [step for report in found.reports for step in report["steps"]]
    assert len(steps) >= 20
    assert found.notices == 0
    assert [step for step in steps if step["margin_mm"] > SAFE_MM and step["risk"] > WARN_ABOVE] == []
