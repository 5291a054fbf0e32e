"""What lies before the player to move, well by well."""

import pytest

from companion.balance import Balance, all_moves, outlook, touched_wells
from companion.rules import Move, Position, parse_well

KNOWN = Balance(half_spacing_mm=6.0)


def test_before_a_lift_every_sphere_that_can_move_is_marked_once():
    start = Position.start()
    seen = outlook(all_moves(KNOWN, start))
    assert {well.well for well in seen.wells} == set(range(7))
    assert {well.touch.step for well in seen.wells} == {"lift"}
    assert seen.taken == ()


def test_the_riskiest_well_comes_first_and_the_safest_move_is_named():
    seen = outlook(all_moves(KNOWN, Position.start()))
    risks = [well.risk for well in seen.wells]
    assert risks == sorted(risks, reverse=True)
    assert seen.safest == seen.wells[-1]
    assert seen.least_risk == min(risks)


def test_a_sphere_counts_the_risk_of_its_safest_move_to_the_end():
    moves = all_moves(KNOWN, Position.start())
    for well in outlook(moves).wells:
        ways = [move.risk for move in moves if move.move.from_well == well.well]
        assert well.risk == pytest.approx(min(ways))
        assert well.risk >= well.touch.risk


def test_with_a_sphere_in_hand_the_wells_it_can_go_to_are_marked_by_the_placing_alone():
    moves = all_moves(KNOWN, Position.start())
    seen = outlook(moves, [parse_well("d1")])
    assert {well.well for well in seen.wells} == {parse_well(name) for name in ("c2", "d2", "e2")}
    for well in seen.wells:
        assert well.touch.step == "place"
        assert well.risk == pytest.approx(well.touch.risk)


def test_a_capture_begins_at_the_enemy_sphere_and_then_goes_to_the_capturing_one():
    position = Position.parse("bbb1bbb/7/3B3/2W4/7/www1www w - -")
    moves = all_moves(KNOWN, position)
    enemy, own = parse_well("d4"), parse_well("c3")
    assert touched_wells(Move(own, enemy, True)) == (enemy, own, enemy)
    before = {well.well: well.touch.step for well in outlook(moves).wells}
    assert before[enemy] == "remove"
    removed = outlook(moves, [enemy])
    assert [(well.well, well.touch.step) for well in removed.wells] == [(own, "lift")]
    lifted = outlook(moves, [enemy, own])
    assert [(well.well, well.touch.step) for well in lifted.wells] == [(enemy, "place")]


def test_what_is_above_a_level_is_what_is_warned_of():
    narrow = Balance(half_spacing_mm=2.0)  # one lift from the back rank shifts the centre further
    seen = outlook(all_moves(narrow, Position.start()))
    assert seen.above(0.5) == seen.wells
    assert seen.above(1.0) == ()


def test_where_nothing_can_be_moved_nothing_is_at_risk():
    seen = outlook(())
    assert [seen.wells, seen.safest, seen.least_risk] == [(), None, 0.0]
