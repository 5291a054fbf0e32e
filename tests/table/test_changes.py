"""What a person changes at the console while the table runs: matches, names, settings, pauses."""

import numpy as np
import pytest

from companion.errors import BadInput, SenryakuError
from companion.log import EventLog, fold
from companion.referee.policy import Policy
from companion.rules import MatchRules, Position
from companion.table.load_trace import KEEP_S, LoadTrace
from companion.table.refereeing import Refereeing
from companion.table.resuming import referee_state
from companion.table.settings import TableSettings
from companion.table.start_check import out_of_start
from companion.table.table import Table
from firmware_bridge.events import LoadState
from vision.geometry import MarkerLayout
from vision.reading import BoardReading, Content

MARKERS = MarkerLayout({0: (-100.0, -90.0), 1: (100.0, -90.0), 2: (100.0, 90.0), 3: (-100.0, 90.0)})


@pytest.fixture
def log(tmp_path):
    with EventLog.open(tmp_path / "table.db") as opened:
        yield opened


def table_on(log):
    settings = TableSettings("Table 1", markers=MARKERS)
    state = referee_state(fold(log.events()), settings.rules)
    return Table(log, Refereeing.of(settings, state, loads=False, camera=False), lambda: 1_800_000_000.0)


@pytest.fixture
def table(log):
    made = table_on(log)
    made.begin_match("Ada", "Ben", MatchRules())
    made.console({"do": "start"})
    return made


def test_a_new_match_begins_in_the_middle_of_a_game_and_can_be_taken_back(table):
    table.console({"do": "move", "move": "d1-d2"})
    table.console({"do": "match", "white": " Eva \n Lu ", "black": "Tom", "rules": {"track_steps": 3}})
    state = table.state()
    assert (state["match"]["white"], state["match"]["steps"], state["game"]) == ("Eva Lu", 3, None)
    table.console({"do": "start"})
    assert table.state()["game"]["number"] == 1
    table.console({"do": "undo"})
    table.console({"do": "undo"})
    assert table.state()["match"]["white"] == "Ada"
    assert [move["move"] for move in table.state()["game"]["moves"]] == ["d1-d2"]


def test_names_change_and_the_game_goes_on(table):
    table.console({"do": "move", "move": "d1-d2"})
    table.console({"do": "names", "white": "Eva", "black": "Tom"})
    table.console({"do": "move", "move": "d6-d5"})
    state = table.state()
    assert (state["match"]["white"], state["match"]["black"]) == ("Eva", "Tom")
    assert len(state["game"]["moves"]) == 2


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, None, 7, "\u202e\u200f"])
def test_a_name_that_is_none_is_refused(table, name):
    with pytest.raises(BadInput, match="names"):
        table.console({"do": "names", "white": name, "black": "Tom"})


@pytest.mark.parametrize(("white", "black"), [("Ada", "Ada"), ("Ada", " ada\u202e "), ("x" * 40, "X" * 40)])
def test_players_who_cannot_be_told_apart_are_refused(table, white, black):
    for do in ("names", "match"):
        with pytest.raises(BadInput, match="both players are called"):
            table.console({"do": do, "white": white, "black": black})


def test_settings_are_in_force_at_once_and_the_log_says_so(table, log):
    table.console({"do": "settings", "rules": {"illegal_moves_forfeit": 2}, "policy": {"held": "ask"}})
    assert log.events()[-1].payload["says"] == "illegal moves forfeit from off to 2, held from log to ask"
    assert table._refereeing.setup.policy.held == "ask"
    assert table._refereeing.state.match.rules.illegal_moves_forfeit == 2
    assert table.desk()["policy"]["held"] == "ask"
    again = table_on(log)
    assert again._refereeing.setup.policy.held == "ask"
    assert again._refereeing.state.match.rules.illegal_moves_forfeit == 2
    table.console({"do": "undo"})
    assert table._refereeing.setup.policy == Policy()
    assert table._refereeing.state.match.rules == MatchRules()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "rules"),
        ({"rules": {"track_steps": 0}}, "track_steps is 0"),
        ({"rules": {"tracks": 3}}, "unknown setting tracks"),
        ({"rules": [1]}, "object"),
        ({"policy": {"move": "guess"}}, "'guess' is not one of accept, ask, log, ignore"),
        ({"policy": {"start": "ask"}}, "'start' is no kind of ruling"),
        ({"policy": {"move": ["ask"]}}, "is not one of"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(table, log, change, says):
    before = log.last_seq
    with pytest.raises(BadInput, match=says):
        table.console({"do": "settings", **change})
    assert log.last_seq == before


def test_what_is_in_force_already_is_no_change(table):
    with pytest.raises(SenryakuError, match="in force already"):
        table.console({"do": "settings", "policy": {"move": "accept"}})


def test_a_track_too_short_for_the_score_is_refused(table):
    for _ in range(2):
        table.console({"do": "award", "winner": "white"})
        table.console({"do": "start"})
    with pytest.raises(BadInput, match="steps"):
        table.console({"do": "settings", "rules": {"track_steps": 1}})


def test_a_paused_table_stays_paused_over_a_restart(table, log):
    table.console({"do": "pause"})
    with pytest.raises(SenryakuError, match="paused already"):
        table.console({"do": "pause"})
    again = table_on(log)
    assert again._refereeing.paused
    table.console({"do": "move", "move": "d1-d2"})  # a person may enter moves meanwhile
    table.console({"do": "resume"})
    assert not table._refereeing.paused
    with pytest.raises(SenryakuError, match="not paused"):
        table.console({"do": "resume"})


# The start position


def seen(letters):
    p = np.zeros((42, 6))
    order = {"": 0, "w": 1, "b": 2, "W": 3, "B": 4, "?": 5}
    for well in range(42):
        p[well, order[letters.get(well, "")]] = 1.0
    assert len(Content) == 6
    return BoardReading(t=1.0, p=p, board_found=True, confident=True)


def test_the_start_position_is_checked_before_a_game_starts():
    start = Position.start()
    assert out_of_start(start, None) is None
    right = start.letters()
    assert out_of_start(start, seen(right)) == ()
    swapped = {**right, 0: right[3], 3: right[0]}
    assert [(astray.sphere, astray.at, astray.to) for astray in out_of_start(start, seen(swapped))]
    missing = {well: letter for well, letter in right.items() if well != 0}
    assert [str(astray) for astray in out_of_start(start, seen(missing))] == [
        "the plain white sphere beside the board to a1"
    ]
    assert out_of_start(start, seen({**right, 0: "?"})) == ()


def test_a_game_starts_from_another_position_only_if_that_is_meant(log):
    made = table_on(log)
    made.begin_match("Ada", "Ben", MatchRules())
    made._refereeing.reading = seen({})
    with pytest.raises(SenryakuError, match="the start position does not stand: "):
        made.console({"do": "start"})
    made.console({"do": "start", "anyway": True})
    assert made.state()["game"]["number"] == 1


# Loads to draw


def load(t, low=500.0):
    return LoadState(t=t, low_g=low, high_g=250.0, settled=True, touching=False)


def test_the_loads_of_the_last_minute_are_kept():
    trace = LoadTrace()
    for n in range(1000):
        trace.note(load(n * 0.1, 500.0 + n))
        trace.note(load(n * 0.1, 500.0 + n))
    trace.note(None)
    points = trace.since(0)
    assert len(points) == pytest.approx(KEEP_S * 10 + 1, abs=1)
    assert points[-1] == [99.9, 1499.0, 250.0]
    assert trace.since(99.8) == [[99.9, 1499.0, 250.0]]
    trace.note(load(1.0, None))
    assert trace.since(0) == [[1.0, None, 250.0]]
