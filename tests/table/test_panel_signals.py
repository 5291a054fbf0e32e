"""What lamps and buzzer say, and what buttons mean."""

import pytest

from companion.log import Kind, Origin, TableState, fold, rules_payload
from companion.log.store import EventLog
from companion.rules import MatchRules, Position, Side
from companion.table.panel_signals import WARNED, KeepLastMinute, asked, lamp, sound, warning
from companion.table.requests import Pause, Resign, Resume, StartGame
from firmware_bridge.panel import ATTENTION, CONFIRMED, CRASHED, Margin

MATCH = (Kind.MATCH, {"white": "Ada", "black": "Ben", "rules": rules_payload(MatchRules())})
START = (Kind.START, {"t": 1.0, "position": Position.start().text()})
CRASH = (Kind.CRASH, {"t": 2.0, "player": "white", "step": "lift"})
OVER = (Kind.GAME_OVER, {"t": 2.0, "winner": "black", "termination": "crash", "points": 1})
RESIGNED = (Kind.GAME_OVER, {"t": 2.0, "winner": "black", "termination": "resignation", "points": 1})
PAUSE = (Kind.PAUSE, {})


@pytest.fixture
def after(tmp_path):
    def make(*events):
        with EventLog.open(tmp_path / "log.db") as log:
            for n, (kind, payload) in enumerate(events):
                log.append(1.8e9 + n, kind, Origin.PERSON, payload)
            return fold(log.events())

    return make


@pytest.mark.parametrize(
    ("margin", "lit"), [(4.0, Margin.SAFE), (0.6, Margin.NEAR), (-0.1, Margin.CRASH), (0.0, Margin.CRASH), (None, None)]
)
def test_one_lamp_says_how_near_the_board_is_to_tipping(after, margin, lit):
    assert lamp(after(MATCH, START), {"margin_mm": margin}, "all") == lit


@pytest.mark.parametrize("warnings", ["spectators", "nobody"])
def test_players_who_are_not_to_be_warned_see_only_that_it_tips(after, warnings):
    state = after(MATCH, START)
    assert lamp(state, {"margin_mm": 0.5}, warnings) is None
    assert lamp(state, {"margin_mm": -0.5}, warnings) is Margin.CRASH


def test_what_is_known_of_spheres_and_hands_goes_before_the_bare_margin(after):
    state = after(MATCH, START)
    assert lamp(state, {"margin_mm": 4.0, "lamp": "crash"}, "all") is Margin.CRASH
    assert lamp(state, {"margin_mm": 0.6, "lamp": "safe"}, "all") is Margin.SAFE
    assert lamp(state, {"margin_mm": 4.0, "lamp": None}, "all") is Margin.SAFE
    assert lamp(state, {"margin_mm": 4.0, "lamp": "crash"}, "spectators") is None


def test_a_warning_is_heard_once_when_the_crash_lamp_lights_during_play(after):
    playing, over = after(MATCH, START), after(MATCH, START, CRASH, OVER)
    assert warning(Margin.SAFE, Margin.CRASH, playing) == WARNED
    assert warning(Margin.CRASH, Margin.CRASH, playing) is None
    assert warning(Margin.SAFE, Margin.NEAR, playing) is None
    assert warning(Margin.NEAR, Margin.CRASH, over) is None, "the crash itself has a sound of its own"


def test_after_a_crash_its_lamp_stays_lit_and_after_another_end_none_is(after):
    assert lamp(after(MATCH, START, CRASH, OVER), {"margin_mm": 3.0}, "all") is Margin.CRASH


def test_after_a_resignation_no_lamp_is_lit(after):
    assert lamp(after(MATCH, START, RESIGNED), {"margin_mm": 3.0}, "all") is None


def test_no_lamp_is_lit_before_a_game_and_in_a_pause(after):
    assert lamp(TableState(), {"margin_mm": 3.0}, "all") is None
    assert lamp(after(MATCH, START, PAUSE), {"margin_mm": 3.0}, "all") is None


def test_the_most_urgent_is_heard_and_a_legal_move_makes_no_sound():
    assert sound([Kind.MOVE]) is None
    assert sound([Kind.GAME_OVER, Kind.CRASH]) is CRASHED
    assert sound([Kind.RESTORED, Kind.ILLEGAL]) is ATTENTION
    assert sound([Kind.START]) is CONFIRMED


@pytest.mark.parametrize(("button", "side"), [("white_button", Side.WHITE), ("black_button", Side.BLACK)])
def test_a_player_s_button_stops_the_game_and_held_resigns(after, button, side):
    assert asked(button, False, after(MATCH, START)) == (Pause(side),)
    paused = after(PAUSE)
    assert asked(button, False, paused) == ()
    assert asked(button, True, paused) == (Resume(), Resign(side))


def test_the_referee_s_button_lets_the_game_go_on_or_the_next_begin_and_held_keeps_the_last_minute(after):
    assert asked("referee_button", False, after(MATCH)) == (StartGame(),)
    assert asked("referee_button", False, after(START)) == ()
    assert asked("referee_button", False, after(PAUSE)) == (Resume(),)
    assert asked("referee_button", True, after()) == (KeepLastMinute(),)
