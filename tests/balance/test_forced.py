"""Moves after which every reply is likelier than not to tip the board."""

import pytest

from companion.balance import Balance, Hand, all_moves, forced_crashes, move_risk
from companion.rules import Position, Side, legal_moves, play

CLEAN = Hand((1000.0, 1e-3, 1e-3, 1e-3, 1e-3), 0.0, 0.01)
CALM = dict.fromkeys(Side, CLEAN)

LONE = Position.parse("3B3/7/7/7/7/2wW3 w - -")
"""Black's one sphere weighs the far side down alone; White has two on the near one."""


def narrow(half_spacing_mm):
    """A board of 500 g with 20 g spheres of which everything is known."""
    return Balance(
        half_spacing_mm=half_spacing_mm,
        half_spacing_sd_mm=0.0,
        board_mass_sd_g=0.0,
        board_moment_sd_gmm=0.0,
        sphere_sd_g=0.0,
        loose_sd_mm=0.0,
    )


def test_where_the_opponents_only_lift_tips_the_board_every_safe_move_forces_it():
    # After a white step Black's lift leaves 20 g * (90 + 54) mm on 540 g: 5.3 mm from the middle.
    balance = narrow(5.0)
    search = forced_crashes(balance, LONE, CALM)
    assert search.depth == 1
    assert not search.exhausted
    assert search.forced
    for crash in search.forced:
        assert crash.within == 1
        assert move_risk(balance, LONE, crash.move, CLEAN) < 0.5
        replies = [reply.risk for reply in all_moves(balance, play(LONE, crash.move), CLEAN)]
        assert min(replies) >= 0.5
        assert crash.least_risk == pytest.approx(min(replies), abs=1e-3)


def test_a_move_that_is_not_among_them_leaves_a_safe_reply_or_is_none_itself():
    balance = narrow(5.0)
    forced = {crash.move for crash in forced_crashes(balance, LONE, CALM).forced}
    for move in set(legal_moves(LONE)) - forced:
        replies = all_moves(balance, play(LONE, move), CLEAN)
        assert move_risk(balance, LONE, move, CLEAN) >= 0.5 or any(reply.risk < 0.5 for reply in replies)


def test_a_wide_board_forces_nothing_as_deep_as_one_looks():
    search = forced_crashes(narrow(30.0), LONE, CALM, deepest=2)
    assert search.forced == ()
    assert search.depth == 2
    assert not search.exhausted


def test_a_search_that_runs_out_of_positions_says_how_deep_it_got():
    search = forced_crashes(narrow(8.0), Position.start(), CALM, budget=30)
    assert search.exhausted
    assert search.nodes == 30
    assert search.depth < 3


def test_more_positions_never_make_it_shallower():
    depths = [forced_crashes(narrow(8.0), Position.start(), CALM, budget=n).depth for n in (5, 50, 500)]
    assert depths == sorted(depths)
    assert depths[0] < depths[-1]


def test_an_opponents_heavy_hand_forces_what_a_clean_one_does_not():
    heavy = Hand((1e-3, 1e-3, 1e-3, 1e-3, 1000.0), 1.0, 0.1)
    balance = narrow(7.5)
    assert forced_crashes(balance, LONE, CALM, deepest=1).forced == ()
    assert forced_crashes(balance, LONE, {Side.WHITE: CLEAN, Side.BLACK: heavy}, deepest=1).forced
