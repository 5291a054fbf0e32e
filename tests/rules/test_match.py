"""How games end, what they are worth, and the scoring board of a match."""

import dataclasses
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput
from companion.rules import (
    Match,
    MatchRules,
    Move,
    Outcome,
    Position,
    Side,
    Termination,
    outcome,
    play,
    repetitions,
)

START = Position.start()


def won(side, points=1):
    return Outcome(side, Termination.CRASH, points)


def test_a_game_goes_on_while_both_coloured_spheres_stand_and_there_is_a_move():
    assert outcome(START) is None


def test_capturing_the_coloured_sphere_wins_two_points():
    after = play(Position.parse("7/3B3/2wW3/3b3/7/7 w - d3"), Move.parse("c4xd5"))
    assert outcome(after) == Outcome(Side.WHITE, Termination.CAPTURE, 2)


def test_a_player_without_a_legal_move_loses_one_point():
    # White's last plain sphere rests and the coloured one is walled in at the far rank.
    blocked = Position.parse("bWb4/B6/7/7/7/6w w g1 -")
    assert outcome(blocked) == Outcome(Side.BLACK, Termination.NO_MOVE, 1)
    assert outcome(blocked.with_side(Side.BLACK)) is None


def test_points_of_an_ending_are_a_setting():
    rules = MatchRules(capture_points=5, no_move_points=3)
    assert outcome(Position.parse("7/7/2wW3/3b3/7/7 b - -"), rules) == Outcome(Side.WHITE, Termination.CAPTURE, 5)
    assert outcome(Position.parse("bWb4/B6/7/7/7/6w w g1 -"), rules) == Outcome(Side.BLACK, Termination.NO_MOVE, 3)


def test_every_ending_has_its_points():
    rules = MatchRules()
    points = {str(t): rules.points(t) for t in Termination}
    assert points == {"capture": 2, "crash": 1, "no_move": 1, "forfeit": 1, "resignation": 1, "void": 0}


def test_endings_that_come_from_outside_are_worth_what_the_rules_say():
    rules = MatchRules(crash_points=3)
    assert rules.outcome(Termination.CRASH, Side.BLACK) == Outcome(Side.BLACK, Termination.CRASH, 3)
    assert rules.outcome(Termination.VOID) == Outcome(None, Termination.VOID, 0)


@pytest.mark.parametrize(("termination", "winner"), [(Termination.VOID, Side.WHITE), (Termination.CRASH, None)])
def test_only_a_void_game_has_no_winner(termination, winner):
    with pytest.raises(BadInput, match="winner"):
        MatchRules().outcome(termination, winner)


def test_the_first_to_the_end_of_the_track_wins_and_points_beyond_it_are_not_carried():
    match = Match(MatchRules(track_steps=3))
    match = match.after(won(Side.WHITE, 2)).after(won(Side.BLACK, 1))
    assert (match.white, match.black, match.games, match.winner, match.over) == (2, 1, 2, None, False)
    match = match.after(won(Side.WHITE, 2))
    assert (match.white, match.black, match.winner, match.over) == (3, 1, Side.WHITE, True)


def test_no_game_is_added_to_a_match_that_is_over():
    match = Match(MatchRules(track_steps=1)).after(won(Side.BLACK))
    with pytest.raises(BadInput, match="the match is over, black has won"):
        match.after(won(Side.WHITE))


def test_who_begins_alternates_game_by_game():
    match, began = Match(), []
    for _ in range(4):
        began.append(match.first_of_next_game)
        match = match.after(won(Side.WHITE))
    assert began == [Side.WHITE, Side.BLACK, Side.WHITE, Side.BLACK]


def test_black_may_be_set_to_begin_and_to_begin_always():
    rules = MatchRules(first=Side.BLACK, alternate_first=False)
    assert [Match(rules, games=n).first_of_next_game for n in range(3)] == [Side.BLACK] * 3
    assert Match(MatchRules(first=Side.BLACK), games=1).first_of_next_game is Side.WHITE


def test_a_void_game_scores_nothing_and_passes_on_the_right_to_begin():
    match = Match().after(Outcome(None, Termination.VOID, 0))
    assert (match.white, match.black, match.games) == (0, 0, 1)
    assert match.first_of_next_game is Side.BLACK


@given(st.integers(1, 99), st.lists(st.tuples(st.sampled_from(Side), st.integers(0, 99)), max_size=40))
def test_a_match_adds_up_and_has_one_winner(steps, results):
    match = Match(MatchRules(track_steps=steps))
    won_points = {Side.WHITE: 0, Side.BLACK: 0}
    for side, points in results:
        if match.over:
            break
        match = match.after(won(side, points))
        won_points[side] += points
    for side in Side:
        assert match.steps(side) == min(won_points[side], steps)
        assert (match.winner is side) == (won_points[side] >= steps)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"first": "red"}, "first is 'red'; it must be 'white' or 'black'"),
        ({"track_steps": 0}, "track_steps is 0; it must be a whole number from 1 to 99"),
        ({"track_steps": 100}, "track_steps is 100"),
        ({"track_steps": True}, "track_steps is True"),
        ({"capture_points": -1}, "capture_points is -1"),
        ({"crash_points": 1.5}, "crash_points is 1.5"),
        ({"resignation_points": "1"}, "resignation_points is '1'"),
        ({"void_at_repetition": 1}, "void_at_repetition is 1; it must be a whole number from 2"),
        ({"illegal_moves_forfeit": 0}, "illegal_moves_forfeit is 0"),
        ({"alternate_first": 1}, "alternate_first is 1; it must be true or false"),
        ({"holding_forfeits": "yes"}, "holding_forfeits is 'yes'"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(settings, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        MatchRules(**settings)


def test_rules_survive_being_written_as_json():
    rules = MatchRules(first=Side.BLACK, track_steps=11, void_at_repetition=5, holding_forfeits=True)
    again = MatchRules(**json.loads(json.dumps(dataclasses.asdict(rules))))
    assert again == rules
    assert isinstance(again.first, Side)


@pytest.mark.parametrize("score", [{"white": -1}, {"black": 8}, {"white": 7, "black": 7}, {"games": -1}])
def test_a_score_that_cannot_be_is_refused(score):
    with pytest.raises(BadInput):
        Match(**score)


def test_a_repetition_is_the_same_placement_with_the_same_side_to_move():
    texts = ["a1-a2", "a6-a5", "d1-d2", "d6-d5", "d2-c2", "d5-c5", "c2-d2", "c5-d5", "d2-c2", "d5-c5", "c2-d2", "c5-d5"]
    line = [START]
    for text in texts:
        line.append(play(line[-1], Move.parse(text)))
    assert [repetitions(line[: n + 1]) for n in (4, 8, 12)] == [1, 2, 3]
    assert repetitions([*line, line[-1].with_side(Side.BLACK)]) == 1


def test_nothing_has_occurred_in_no_positions():
    assert repetitions([]) == 0
