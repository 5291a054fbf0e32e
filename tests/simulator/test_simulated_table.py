"""A simulated table plays games by the rules, tells the truth about them, and does what it is asked to."""

import hashlib
from itertools import islice

import numpy as np
import pytest

from companion.errors import BadInput
from companion.rules import Match, MatchRules, Move, Position, Side, legal_moves, outcome, parse_well, play, why_illegal
from companion.simulator.actions import Bump, HandMove, Lean, Tip
from companion.simulator.putting_right import is_right, ways_back
from companion.simulator.statics import SPHERE_LETTERS
from companion.simulator.table import SimulatedTable, spheres_for
from firmware_bridge.samples import RawSample
from vision.frames import Frame


def run(table, until=None):
    """Lets a table go on, to a time or to its end."""
    for thing in table:
        if until is not None and thing.t >= until:
            return
    assert until is None


def asked(*wishes, at=0.0, until=40.0, position=None, **options):
    """The truth of a table that only does what it is asked to."""
    table = SimulatedTable(7, frames_per_second=0, playing=frozenset(), position=position, **options)
    waiting = list(wishes)
    for thing in table:
        if waiting and thing.t >= at and table.world.ended() is None:
            table.ask(waiting.pop(0))
        if thing.t >= until:
            break
    return table


def kinds(table):
    return [line["kind"] for line in table.truth]


def well(name):
    return parse_well(name)


def check_by_the_rules(truth):
    """Replays a truth with the rules; returns the number of games that ended."""
    position, over, wrong = None, 0, False
    for line in truth:
        kind = line["kind"]
        if kind == "start":
            position = Position.parse(line["position"])
        elif kind == "move":
            assert not wrong
            assert line["player"] == position.side
            position = play(position, Move.parse(line["move"]))
            assert line["position"] == position.text()
        elif kind == "illegal":
            move = Move.parse(line["move"])
            assert line["player"] == position.side
            if line["reason"] == "rolled":
                assert move in legal_moves(position)
            else:
                assert line["reason"] == why_illegal(position, move)[0]
            wrong = line["reason"] != "put_back"
            assert wrong == (line["placement"] != position.placement())
        elif kind == "restored":
            assert wrong
            wrong = False
            assert line["position"] == position.text()
        elif kind == "held":
            assert line["player"] == position.side
        elif kind == "game_over":
            over += 1
            if line["termination"] != "crash":
                result = outcome(position)
                assert (result.winner, result.termination) == (line["winner"], line["termination"])
    return over


@pytest.mark.parametrize("seed", range(4))
def test_the_truth_of_normal_games_replays_by_the_rules(seed):
    table = SimulatedTable(seed, games=2, frames_per_second=0)
    run(table)
    assert check_by_the_rules(table.truth) == 2
    assert set(kinds(table)) <= {"start", "move", "game_over", "crash"}
    times = [line["t"] for line in table.truth]
    assert times == sorted(times)


@pytest.mark.parametrize("seed", range(4))
def test_the_truth_of_games_with_mistakes_replays_by_the_rules(seed):
    table = SimulatedTable(seed, games=2, mistakes=0.6, frames_per_second=0)
    run(table)
    assert check_by_the_rules(table.truth) == 2
    assert {"illegal", "held", "none"} <= set(kinds(table))


def test_every_plain_kind_of_mistake_happens():
    reasons = set()
    for seed in range(3):
        table = SimulatedTable(seed, games=2, mistakes=0.8, frames_per_second=0)
        run(table)
        reasons |= {line["reason"] for line in table.truth if line["kind"] == "illegal"}
    assert {"too_far", "backward", "same_sphere_twice", "rolled", "put_back"} == reasons


def test_a_sphere_that_was_put_back_must_be_moved():
    table = SimulatedTable(2, games=3, mistakes=0.7, frames_per_second=0)
    run(table)
    checked = 0
    for i, line in enumerate(table.truth):
        if line.get("reason") == "put_back":
            then = next(later for later in table.truth[i:] if later["kind"] in ("move", "crash"))
            if then["kind"] == "move":
                assert then["move"][:2] == line["move"][:2]
                checked += 1
    assert checked


def test_players_take_four_to_five_seconds_a_move():
    table = SimulatedTable(1, games=1, frames_per_second=0)
    run(table)
    times = [line["t"] for line in table.truth if line["kind"] == "move"]
    assert 3.5 < np.median(np.diff(times)) < 5.5


def test_pace_makes_hands_faster():
    slow, fast = (SimulatedTable(1, games=1, frames_per_second=0, pace=pace) for pace in (1.0, 3.0))
    run(slow)
    run(fast)
    slow_t, fast_t = ([line["t"] for line in t.truth if line["kind"] == "move"][:10] for t in (slow, fast))
    assert np.median(np.diff(fast_t)) < 0.5 * np.median(np.diff(slow_t))


def digest(table, count):
    found = hashlib.sha256()
    for thing in islice(table, count):
        found.update(repr(thing).encode() if isinstance(thing, RawSample) else thing.image.tobytes())
    return found.hexdigest()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others():
    one, same, other = (digest(SimulatedTable(seed, mistakes=0.3), 700) for seed in (5, 5, 6))
    assert one == same
    assert one != other


def test_samples_and_frames_come_in_order_of_time():
    things = list(islice(SimulatedTable(3), 600))
    times = [thing.t for thing in things]
    assert times == sorted(times)
    frames = [thing for thing in things if isinstance(thing, Frame)]
    assert np.diff([frame.t for frame in frames]) == pytest.approx(0.2, abs=1e-5)


def test_who_begins_alternates_and_the_board_is_set_up_again():
    table = SimulatedTable(4, games=3, frames_per_second=0)
    run(table)
    starts = [Position.parse(line["position"]) for line in table.truth if line["kind"] == "start"]
    assert [position.side for position in starts[:3]] == ["white", "black", "white"]
    assert all(position.placement() == Position.start().placement() for position in starts)
    overs = [line["t"] for line in table.truth if line["kind"] == "game_over"]
    pauses = [line["t"] - over for line, over in zip(_starts(table)[1:], overs, strict=False)]
    assert all(6 < pause < 25 for pause in pauses)


def _starts(table):
    return [line for line in table.truth if line["kind"] == "start"]


def test_black_can_begin():
    table = SimulatedTable(4, games=1, frames_per_second=0, first=Side.BLACK)
    run(table, until=1.0)
    assert Position.parse(table.truth[0]["position"]).side == "black"


def test_a_new_match_begins_when_one_is_over():
    table = SimulatedTable(4, games=3, frames_per_second=0, match=Match(MatchRules(track_steps=1)))
    run(table)
    starts = [Position.parse(line["position"]).side for line in _starts(table)]
    assert starts[:3] == ["white", "white", "white"]


def test_a_game_goes_on_from_a_position():
    position = Position.parse("bbb1bbb/3B3/7/7/3w3/wwwW1ww w d2 -")
    table = SimulatedTable(4, frames_per_second=0, position=position)
    run(table, until=10.0)
    assert table.truth[0]["position"] == position.text()
    assert table.truth[1]["kind"] == "move"
    check_by_the_rules(table.truth)


def test_a_wrong_placement_found_on_going_on_is_put_right():
    position = Position.parse("bbb1bbb/3B3/7/7/3w3/wwwW1ww w d2 -")
    standing = position.letters()
    standing[well("d4")] = standing.pop(well("d2"))
    table = SimulatedTable(4, frames_per_second=0, position=position, standing=standing)
    run(table, until=25.0)
    assert kinds(table)[:3] == ["start", "restored", "move"]


def test_wishes_for_legal_moves_are_moves():
    table = asked(HandMove(well("d1"), well("d2")), HandMove(well("c6"), well("d5")), until=20)
    assert [(line["player"], line["move"]) for line in table.truth[1:]] == [("white", "d1-d2"), ("black", "c6-d5")]


def test_a_wished_capture_removes_the_coloured_sphere_first():
    position = Position.parse("bbb1bbb/7/3B3/3w3/7/wwwW1ww w - -")
    table = asked(HandMove(well("d3"), well("d4")), position=position, until=8.5)
    assert table.truth[1]["move"] == "d3xd4"
    assert table.truth[2]["termination"] == "capture"
    assert "B" not in {SPHERE_LETTERS[s] for s in table.world.spheres.values()}


def test_a_wished_removal_of_the_coloured_sphere_is_followed_by_the_capture():
    position = Position.parse("bbb1bbb/7/3B3/3w3/7/wwwW1ww w - -")
    wishes = [HandMove(well("d4"), None), HandMove(well("d3"), well("d4"))]
    table = asked(*wishes, position=position, until=16)
    assert kinds(table)[:3] == ["start", "move", "game_over"]


def test_a_wished_illegal_move_is_put_right_after_a_while():
    table = asked(HandMove(well("d1"), well("d3")), until=25)
    assert kinds(table) == ["start", "illegal", "restored"]
    assert table.truth[1]["reason"] == "too_far"
    assert 3.5 < table.truth[2]["t"] - table.truth[1]["t"] < 10
    assert table.world.spheres[well("d1")] == 3


def test_whoever_made_an_illegal_move_can_put_it_right():
    table = asked(HandMove(well("d1"), well("d3")), HandMove(well("d3"), well("d1")), until=25)
    assert kinds(table) == ["start", "illegal", "restored"]
    assert table.truth[2]["t"] - table.truth[1]["t"] < 6


def test_a_sphere_taken_off_and_put_back_is_no_move():
    table = asked(HandMove(well("d1"), None), until=25)
    assert [line.get("reason") for line in table.truth] == [None, "put_back"]


def test_a_wished_move_of_the_other_player_is_out_of_turn():
    table = asked(HandMove(well("c6"), well("c5")), until=25)
    assert kinds(table) == ["start", "illegal", "restored"]
    assert (table.truth[1]["player"], table.truth[1]["reason"]) == ("black", "not_your_turn")


def test_an_opponents_sphere_moved_where_nobody_could_move_it_is_an_opponents_sphere():
    table = asked(HandMove(well("c6"), well("c4")), until=25)
    assert (table.truth[1]["player"], table.truth[1]["reason"]) == ("white", "opponents_sphere")


def test_impossible_wishes_are_ignored():
    table = asked(HandMove(well("d3"), well("d4")), HandMove(well("d1"), well("c1")), until=12)
    assert kinds(table) == ["start"]


@pytest.mark.parametrize(("seconds", "kind"), [(2.0, ["start", "held"]), (0.6, ["start"])])
def test_only_a_hand_that_stays_holds_the_board(seconds, kind):
    assert kinds(asked(Lean(Side.BLACK, seconds), until=12)) == kind


def test_a_bump_gives_no_ruling():
    assert kinds(asked(Bump(), until=8)) == ["start", "none"]


def test_a_wished_tip_crashes_the_board_for_the_player_to_move():
    table = asked(Tip(), until=6)
    crash, over = table.truth[1:3]
    assert (crash["kind"], crash["player"], crash["step"]) == ("crash", "white", "lift")
    assert (over["winner"], over["termination"], over["points"]) == ("black", "crash", 1)


def test_after_a_crash_the_board_is_empty_and_then_set_up_again():
    table = asked(Tip(), until=4)
    assert not table.world.spheres
    run(table, until=25)
    assert kinds(table) == ["start", "crash", "game_over", "start"]
    assert len(table.world.spheres) == 14


def test_the_board_really_tips_when_the_truth_says_so():
    table = SimulatedTable(7, frames_per_second=0, playing=frozenset(), noise=0.0, spikes=0.0)
    table.ask(Tip())
    lows, highs = [], []
    for sample in table:
        if sample.t > 5:
            break
        if sample.low is not None and sample.high is not None:
            lows.append(table.settings.cells.low.grams(sample.low))
            highs.append(table.settings.cells.high.grams(sample.high))
    assert min(*lows, *highs) < 2
    assert max(lows[-1], highs[-1]) > 300


def test_a_resting_hand_is_felt_by_both_cells_together():
    table = SimulatedTable(7, frames_per_second=0, playing=frozenset(), noise=0.0, spikes=0.0)
    table.ask(Lean(Side.WHITE, 2.0))
    totals = [
        table.settings.cells.low.grams(s.low) + table.settings.cells.high.grams(s.high)
        for s in _until(table, 6)
        if s.low is not None and s.high is not None
    ]
    assert max(totals) - totals[0] > 120
    assert totals[-1] == pytest.approx(totals[0], abs=1)


def _until(table, t):
    for thing in table:
        if thing.t > t:
            return
        yield thing


@pytest.mark.parametrize("bad", [{"rate_hz": 50}, {"pace": 0.0}, {"axis": "x"}, {"half_spacing_mm": -1.0}])
def test_impossible_tables_are_refused(bad):
    with pytest.raises(BadInput):
        SimulatedTable(0, **bad)


def test_more_spheres_than_there_are_cannot_be_set_up():
    with pytest.raises(BadInput, match="no sphere 'W' is left"):
        spheres_for({0: "W", 1: "W"})


def test_ways_back_put_any_wrong_board_right():
    wanted = {0: "w", 3: "W", 38: "B", 20: "b"}
    standing = {0: 3, 1: 0, 38: 7}
    loose = {10, 8}
    spheres, beside = dict(standing), set(loose)
    for way in ways_back(standing, wanted, loose):
        sphere = way.sphere if way.from_well is None else spheres.pop(way.from_well)
        beside.discard(sphere)
        if way.to_well is None:
            beside.add(sphere)
        else:
            assert way.to_well not in spheres
            spheres[way.to_well] = sphere
    assert is_right(spheres, wanted)


def test_the_board_can_crash_while_it_is_wrong():
    table = asked(HandMove(well("d1"), well("d3")), Tip(), until=16)
    assert kinds(table)[:4] == ["start", "illegal", "crash", "game_over"]
