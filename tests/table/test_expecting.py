"""What the load tracker is told about the board's weight."""

from types import SimpleNamespace

import pytest

from companion.referee.hypotheses import placement_of
from companion.rules import Move, Position, play
from companion.table.expecting import SLACK_G, Expecting
from firmware_bridge.events import LoadState

START = placement_of(Position.start())
MOVED = placement_of(play(Position.start(), Move.parse("d1-d2")))


@pytest.fixture
def tracker():
    told = []
    return SimpleNamespace(
        told=told,
        spheres=SimpleNamespace(usual_g=20.0),
        places=SimpleNamespace(scale=1.0),
        expect=lambda total, moment, slack: told.append((total, moment, slack)),
    )


def load(t, **state):
    return LoadState(t, 390.0, 390.0, settled=True, **state)


def test_only_what_has_moved_since_is_reckoned(tracker):
    expecting = Expecting("ranks", 36.0, 6.0)
    expecting.note(tracker, START, load(1.0))
    expecting.note(tracker, MOVED, load(5.0))
    assert tracker.told == [(780.0, 0.0, SLACK_G), (780.0, pytest.approx(20 * 36.0), SLACK_G)]


def test_nothing_is_told_while_a_hand_is_there_or_the_camera_is_not_sure(tracker):
    expecting = Expecting("ranks", 36.0, 6.0)
    expecting.note(tracker, None, load(1.0))
    expecting.note(tracker, START, load(2.0, touching=True))
    assert tracker.told == []


def test_a_board_is_weighed_also_while_drift_is_named_or_the_fault_would_never_end(tracker):
    expecting = Expecting("ranks", 36.0, 6.0)
    expecting.note(tracker, START, load(1.0, faults=("low drift beyond budget",)))
    assert len(tracker.told) == 1


def test_a_board_set_up_anew_is_weighed_anew(tracker):
    expecting = Expecting("ranks", 36.0, 6.0)
    expecting.note(tracker, START, load(1.0))
    expecting.forget()
    expecting.note(tracker, START, LoadState(9.0, 392.0, 394.0, settled=True))
    assert tracker.told[-1][0] == 786.0
