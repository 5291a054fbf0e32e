"""Mistakes of every kind happen at a simulated table, and the truth about them is what the rules say."""

import pytest

from companion.rules import Position
from companion.simulator.people import EVERY_SLIP, Slip
from companion.simulator.table import SimulatedTable

CAPTURE = "bbb1bbb/7/3B3/2w4/7/ww1Wwww w - -"
"""White may take the coloured sphere on d4."""
EXPECTED = {
    Slip.OPPONENTS_SPHERE: ("illegal", "reason", "opponents_sphere"),
    Slip.OUT_OF_TURN: ("illegal", "reason", "not_your_turn"),
    Slip.PLAIN_CAPTURE: ("illegal", "reason", "plain_capture"),
    Slip.OCCUPIED: ("illegal", "reason", "occupied"),
    Slip.SET_BACK_FIXED: ("illegal", "reason", "same_sphere_twice"),
    Slip.FIDGETED: ("illegal", "reason", "not_your_turn"),
    Slip.TOUCHED: ("none", "what", "touched"),
    Slip.LEANED: ("none", "what", "leaned"),
    Slip.OTHER_HOLDS: ("held", "player", "black"),
    Slip.QUICK_REPLY: ("move", "how", "quick"),
    Slip.NUDGED: ("move", "how", "nudged"),
    Slip.SLEEVE: ("none", "what", "sleeve"),
    Slip.CUP: ("none", "what", "cup"),
    Slip.STRANGE_SPHERE: ("none", "what", "strange_sphere"),
    Slip.KNOCKED_OVER: ("question", "about", "crash"),
}
LONGEST_S = 400.0


def first(slip, kind, key, value, position=None, seed=3):
    """The truth up to the first line of the sort that is looked for."""
    table = SimulatedTable(seed, None, 0.9, frames_per_second=0, slips={slip: 1.0}, position=position, pace=1.5)
    for thing in table:
        for n, line in enumerate(table.truth):
            if line["kind"] == kind and line.get(key) == value:
                return table.truth[: n + 1]
        if thing.t > LONGEST_S:
            break
    pytest.fail(f"no {kind} with {key} {value} within {LONGEST_S} s")


@pytest.mark.parametrize("slip", EXPECTED)
def test_it_happens_and_is_told(slip):
    truth = first(slip, *EXPECTED[slip])
    assert truth[0]["kind"] == "start"


@pytest.mark.parametrize("step", ["lift", "place"])
def test_the_board_tips_at_either_step_of_a_move(step):
    assert any(
        line["step"] == step
        for seed in range(4)
        for line in first(Slip.CRASH, "game_over", "termination", "crash", seed=seed)
        if line["kind"] == "crash"
    )


def test_the_board_tips_when_the_captured_sphere_is_removed():
    position = Position.parse(CAPTURE)
    steps = set()
    for seed in range(8):
        truth = first(Slip.CRASH, "game_over", "termination", "crash", position, seed)
        steps |= {line["step"] for line in truth if line["kind"] == "crash"}
    assert "remove" in steps


def test_a_captured_sphere_may_be_left_at_the_edge_or_kept_over_the_board():
    truth = first(Slip.UNTIDY_CAPTURE, "game_over", "termination", "capture", Position.parse(CAPTURE))
    assert any(line.get("how") == "untidy" for line in truth)


def test_a_sphere_that_cannot_move_is_right_again_as_soon_as_it_is_set_back():
    slip, wanted = Slip.SET_BACK_FIXED, EXPECTED[Slip.SET_BACK_FIXED]
    table = SimulatedTable(3, None, 0.9, frames_per_second=0, slips={slip: 1.0}, pace=1.5)
    for _ in table:
        kinds = [line["kind"] for line in table.truth]
        reasons = [line.get("reason") for line in table.truth]
        if wanted[2] in reasons:
            assert kinds[reasons.index(wanted[2]) + 1] == "restored"
            return


def test_every_slip_has_its_share():
    assert set(EVERY_SLIP) == set(Slip)
    assert sum(EVERY_SLIP.values()) > 0.99
