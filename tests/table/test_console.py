"""The referee's console: what a person can do at a table, also where no witness is left."""

import json

import pytest

from companion.errors import BadInput, SenryakuError
from companion.log import EventLog, contradictions, fold
from companion.log.export import result_words
from companion.referee.policy import Handling, Policy
from companion.referee.state import For
from companion.referee.words import event_in_words
from companion.rules import MatchRules, Position, legal_moves
from companion.table.refereeing import Refereeing
from companion.table.requests import request_from
from companion.table.resuming import referee_state
from companion.table.settings import TableSettings
from companion.table.table import Table
from vision.geometry import MarkerLayout

MARKERS = MarkerLayout({0: (-100.0, -90.0), 1: (100.0, -90.0), 2: (100.0, 90.0), 3: (-100.0, 90.0)})
CAPTURE = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -"


@pytest.fixture
def log(tmp_path):
    with EventLog.open(tmp_path / "table.db") as opened:
        yield opened


def table_on(log, rules=None, loads=False, camera=False, policy=None):
    rules = rules or MatchRules()
    settings = TableSettings("Table 1", markers=MARKERS, rules=rules, policy=policy or Policy())
    state = referee_state(fold(log.events()), rules)
    return Table(log, Refereeing.of(settings, state, loads=loads, camera=camera), lambda: 1_800_000_000.0)


@pytest.fixture
def table(log):
    """A table without any witness, in the middle of its first game."""
    made = table_on(log)
    made.begin_match("Ada", "Ben", MatchRules())
    made.console({"do": "start"})
    return made


def kinds(log):
    return [e.kind for e in log.events()]


def agrees(table):
    """What the referee holds to be right is what the log says."""
    game, state = table.table_state.game, table._refereeing.state
    if game is None or game.over is not None:
        return state.phase == "await_start"
    return (state.position, state.past, state.illegal_moves) == (game.position, game.line, game.illegal_moves)


# Without any witness


def test_a_whole_match_can_be_played_through_the_console(log):
    table = table_on(log, MatchRules(track_steps=2))
    table.begin_match("Ada", "Ben", MatchRules(track_steps=2))
    table.console({"do": "start"})
    for move in ("d1-d2", "d6-d5", "d2-d3", "d5-d4"):
        table.console({"do": "move", "move": move})
    table.console({"do": "move", "move": "d3xd4"})
    state = table.state()
    assert state["game"]["over"] == {"winner": "white", "termination": "capture", "points": 2}
    assert state["match"]["winner"] == "white"
    assert contradictions(log.events()) == []
    assert {e.origin for e in log.events()} == {"person"}


def test_games_start_one_after_the_other_and_who_begins_alternates(table):
    assert table.state()["game"]["side"] == "white"
    table.console({"do": "resign", "player": "black"})
    table.console({"do": "start"})
    assert table.state()["game"]["side"] == "black"
    assert agrees(table)


def test_a_player_without_a_move_loses(table):
    table.console({"do": "position", "position": "7/7/7/7/3W3/B1w4 w - -"})
    table.console({"do": "move", "move": "c1-b1"})
    assert table.state()["game"]["over"] == {"winner": "white", "termination": "no_move", "points": 1}


@pytest.mark.parametrize(
    ("command", "winner", "termination", "points"),
    [
        ({"do": "resign", "player": "white"}, "black", "resignation", 1),
        ({"do": "forfeit", "player": "black"}, "white", "forfeit", 1),
        ({"do": "award", "winner": "black"}, "black", "forfeit", 1),
        ({"do": "crash", "player": "white"}, "black", "crash", 1),
        ({"do": "void"}, None, "void", 0),
    ],
)
def test_a_person_ends_the_game(table, command, winner, termination, points):
    table.console(command)
    assert table.state()["game"]["over"] == {"winner": winner, "termination": termination, "points": points}


def test_an_award_is_called_one(table):
    table.console({"do": "award", "winner": "black"})
    (game,) = table.history()
    assert result_words(game.over, game.awarded) == "Black wins by award"
    said = game.rulings[-1]
    assert event_in_words(said.kind, said.payload) == "The referee awards the game to black: 1 point"
    assert table.state()["can_undo"]["says"].endswith("Black wins by award")
    table.console({"do": "undo"})
    table.console({"do": "forfeit", "player": "white"})
    (game,) = table.history()
    assert result_words(game.over, game.awarded) == "Black wins by forfeit"
    assert agrees(table)


def test_a_position_set_by_hand_is_the_position(table):
    table.console({"do": "position", "position": CAPTURE})
    assert table.state()["game"]["position"] == CAPTURE
    assert table.state()["last_ruling"]["kind"] == "correct"
    table.console({"do": "move", "move": "c2xd3"})
    assert table.state()["game"]["over"]["termination"] == "capture"


def test_undo_and_redo_work_across_the_end_of_a_game(table):
    table.console({"do": "move", "move": "d1-d2"})
    table.console({"do": "void"})
    table.console({"do": "undo"})
    assert table.state()["game"]["over"] is None
    assert agrees(table)
    table.console({"do": "undo", "seq": table.state()["can_undo"]["seq"]})
    assert table.state()["game"]["moves"] == []
    assert agrees(table)
    table.console({"do": "redo"})
    table.console({"do": "redo"})
    assert table.state()["game"]["over"]["termination"] == "void"
    assert agrees(table)


def test_the_game_is_void_at_the_set_number_of_repetitions_also_after_a_restart(log):
    rules = MatchRules(void_at_repetition=3)
    table = table_on(log, rules)
    table.begin_match("Ada", "Ben", rules)
    table.console({"do": "start"})
    table.console({"do": "position", "position": "bbbB2b/7/7/7/7/wwwW2w w - -"})
    there_and_back = ("d1-e1", "d6-e6", "e1-d1", "e6-d6")
    for move in there_and_back:
        table.console({"do": "move", "move": move})
    table = table_on(log, rules)
    for move in there_and_back:
        table.console({"do": "move", "move": move})
    assert table.state()["game"]["over"]["termination"] == "void"


def test_a_position_is_said_to_repeat_itself(table):
    table.console({"do": "position", "position": "bbbB2b/7/7/7/7/wwwW2w w - -"})
    for move in ("d1-e1", "d6-e6", "e1-d1", "e6-d6") * 2:
        table.console({"do": "move", "move": move})
    assert table.state()["game"]["repetition"] == 3


# Refusals: one line that says why


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ({"do": "move", "move": "b1-b3"}, "too_far"),
        ({"do": "move", "move": "c6-c5"}, "opponents_sphere"),
        ({"do": "move", "move": "b3-b4"}, "empty"),
        ({"do": "start"}, "not over yet"),
        ({"do": "let_stand"}, "nothing waits"),
        ({"do": "answer", "question": 3, "move": "b1-b2"}, "no longer open"),
        ({"do": "undo", "seq": 1}, "no longer the last step"),
        ({"do": "redo"}, "no undo"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_and_changes_nothing(table, log, command, why):
    before, state = kinds(log), table._refereeing.state
    with pytest.raises(SenryakuError) as refused:
        table.console(command)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)
    assert kinds(log) == before
    assert table._refereeing.state is state


@pytest.mark.parametrize(
    "command", [{"do": "move", "move": "d1-d2"}, {"do": "void"}, {"do": "resign", "player": "white"}]
)
def test_without_a_game_there_is_nothing_to_do_but_start_one(log, command):
    table = table_on(log)
    with pytest.raises(SenryakuError, match="no game is on"):
        table.console(command)


def test_a_position_cannot_be_set_after_the_end_of_the_game(table):
    table.console({"do": "void"})
    with pytest.raises(SenryakuError, match="no game is on"):
        table.console({"do": "position", "position": CAPTURE})


def test_there_may_be_nothing_to_take_back(log):
    with pytest.raises(SenryakuError, match="nothing to take back"):
        table_on(log).console({"do": "undo"})


@pytest.mark.parametrize(
    "command",
    [
        {},
        {"do": 3},
        {"do": "dance"},
        {"do": "move"},
        {"do": "move", "move": "z1-z2"},
        {"do": "position", "position": "nonsense"},
        {"do": "answer", "question": "3", "move": "b1-b2"},
        {"do": "answer", "question": True, "move": "b1-b2"},
        {"do": "award", "winner": "red"},
        {"do": "undo", "seq": "last"},
    ],
)
def test_requests_that_make_no_sense_are_refused_in_one_line(command):
    with pytest.raises(BadInput) as refused:
        request_from(json.loads(json.dumps(command)))
    assert "\n" not in str(refused.value)


# Questions and illegal moves, as a log has them


def asked(log, *candidates, about="move", **more):
    options = [{"move": move, "p": 0.5} for move in candidates]
    return log.append(1.0, "question", "both", {"about": about, "candidates": options, **more}).seq


def begun(log):
    log.append(1.0, "match", "person", {"white": "Ada", "black": "Ben"})
    log.append(1.0, "start", "both", {"position": Position.start().text()})


def illegal(log, move, reason, placement, player="white"):
    position = Position.start().text()
    payload = {"player": player, "move": move, "reason": reason, "position": position, "placement": placement}
    return log.append(1.0, "illegal", "both", payload)


def test_an_answer_makes_the_move_and_is_undone_with_it(log):
    begun(log)
    question = asked(log, "b1-b2", "b1-c2")
    table = table_on(log)
    table.console({"do": "answer", "question": question, "move": "b1-c2"})
    assert kinds(log)[-2:] == ["answer", "move"]
    assert [m["move"] for m in table.state()["game"]["moves"]] == ["b1-c2"]
    assert agrees(table)
    table.console({"do": "undo"})
    assert table.state()["game"]["waiting"]["question"]["seq"] == question


@pytest.mark.parametrize(
    ("answer", "then"),
    [
        ("nothing", []),
        ("in_hand", []),
        ("b1-b2", ["move"]),
        ("b1-b3", ["illegal"]),
        ("b1-b2 rolled", ["illegal"]),
        ("b1-b1", ["illegal"]),
        ("b1-b2 c6-c5", ["move", "move"]),
        ("b1-b1 b1-b2", ["illegal", "move"]),
        ("b1-b1 d1-d2", ["illegal", "illegal"]),
    ],
)
def test_whatever_the_referee_may_ask_can_be_answered(log, answer, then):
    begun(log)
    question = asked(log, answer, "something_else")
    table = table_on(log)
    table.console({"do": "answer", "question": question, "move": answer})
    assert kinds(log)[-1 - len(then) :] == ["answer", *then]
    assert agrees(table)
    assert contradictions(log.events()) == []


def test_something_else_is_for_the_person_to_say(log):
    begun(log)
    question = asked(log, "b1-b2", "something_else")
    table = table_on(log)
    with pytest.raises(SenryakuError, match="set the position by hand"):
        table.console({"do": "answer", "question": question, "move": "something_else"})
    table.console({"do": "position", "position": CAPTURE})
    assert table.state()["game"]["waiting"] is None


def test_an_answer_that_was_not_offered_or_comes_late_is_refused(log):
    begun(log)
    first = asked(log, "b1-b2", "b1-c2")
    second = asked(log, "a1-a2", "nothing")
    table = table_on(log)
    with pytest.raises(SenryakuError, match=f"question {second} is"):
        table.console({"do": "answer", "question": first, "move": "b1-b2"})
    with pytest.raises(SenryakuError, match="a1-a2 or nothing"):
        table.console({"do": "answer", "question": second, "move": "b1-b2"})


@pytest.mark.parametrize("about", ["crash", "held"])
def test_a_crash_or_a_forfeit_is_answered_also_after_a_restart(log, about):
    begun(log)
    words = {"crash": "crash white", "held": "forfeit white"}
    question = asked(log, words[about], "nothing", about=about)
    table = table_on(log)
    table.console({"do": "answer", "question": question, "move": words[about]})
    over = table.state()["game"]["over"]
    assert (over["winner"], over["termination"]) == ("black", {"crash": "crash", "held": "forfeit"}[about])


def test_a_crash_question_is_still_open_after_a_restart(log):
    begun(log)
    asked(log, "crash white", "crash black", "nothing", about="crash")
    assert table_on(log, camera=True)._refereeing.state.waiting.what is For.CRASH


def test_an_illegal_move_is_let_stand(log):
    begun(log)
    illegal(log, "b1-b3", "too_far", "bbbBbbb/7/7/1w5/7/w1wWwww")
    table = table_on(log)
    waiting = table.state()["game"]["waiting"]
    assert waiting["misplaced"] == [{"sphere": "w", "at": "b3", "to": "b1"}]
    table.console({"do": "let_stand"})
    assert table.state()["game"]["position"] == "bbbBbbb/7/7/1w5/7/w1wWwww b b3 -"
    assert table.state()["can_undo"]["says"] == "letting White's b1-b3 (too far) stand"
    (stood,) = table.history()[0].moves
    assert (stood.player, stood.move, stood.let_stand) == ("white", "b1-b3", "too_far")
    assert table.state()["game"]["waiting"] is None
    assert agrees(table)
    table.console({"do": "undo"})
    assert table.state()["game"]["waiting"]["for"] == "restore"
    assert table._refereeing.state.phase == "restoring"


def test_a_rolled_sphere_that_is_let_stand_has_moved(log):
    begun(log)
    illegal(log, "b1-b2", "rolled", "bbbBbbb/7/7/7/1w5/w1wWwww")
    table = table_on(log)
    table.console({"do": "let_stand"})
    assert [m["move"] for m in table.state()["game"]["moves"]] == ["b1-b2"]


def test_a_sphere_set_back_that_is_let_stand_need_not_move(log):
    begun(log)
    illegal(log, "b1-b1", "put_back", Position.start().placement())
    table = table_on(log)
    assert table._refereeing.state.touched == 1
    table.console({"do": "let_stand"})
    assert table._refereeing.state.touched is None
    assert table.state()["game"]["waiting"] is None


def test_the_game_is_awarded_while_an_illegal_move_stands(log):
    begun(log)
    illegal(log, "b1-b3", "too_far", "bbbBbbb/7/7/1w5/7/w1wWwww")
    table = table_on(log)
    table.console({"do": "award", "winner": "black"})
    assert table.state()["game"]["over"]["winner"] == "black"


def test_an_illegal_capture_that_is_let_stand_ends_the_game(log):
    begun(log)
    table = table_on(log)
    table.console({"do": "position", "position": "bbb1bbb/7/7/3B3/2w4/ww1Wwww w c2 -"})
    payload = {"player": "white", "move": "c2xd3", "reason": "same_sphere_twice", "position": CAPTURE}
    log.append(1.0, "illegal", "both", {**payload, "placement": "bbb1bbb/7/7/3w3/7/ww1Wwww"})
    table = table_on(log)
    table.console({"do": "let_stand"})
    assert table.state()["game"]["over"]["termination"] == "capture"


@pytest.mark.parametrize(
    ("position", "missing"),
    [
        ("7/7/3B3/7/7/7 w - -", "White's coloured sphere is missing"),
        ("bbb1bbb/7/7/7/7/wwwWwww b - -", "Black's coloured sphere is missing"),
    ],
)
def test_a_position_without_a_coloured_sphere_is_refused_and_changes_nothing(table, log, position, missing):
    before, state = table.state(), table._refereeing.state
    with pytest.raises(BadInput, match=f"^{missing}: .*award the game") as refused:
        table.console({"do": "position", "position": position})
    assert "\n" not in str(refused.value)
    assert (table.state(), table._refereeing.state) == (before, state)
    assert kinds(log) == ["match", "start"]


def test_illegal_moves_before_a_restart_still_count(log):
    rules = MatchRules(illegal_moves_forfeit=2)
    begun(log)
    illegal(log, "b1-b3", "too_far", "bbbBbbb/7/7/1w5/7/w1wWwww")
    assert table_on(log, rules)._refereeing.state.illegal_moves == (1, 0)


# With a camera: the board need not yet show what a person says


def test_after_a_correction_the_referee_waits_until_the_board_shows_it(log):
    begun(log)
    table = table_on(log, camera=True)
    table.console({"do": "move", "move": "d1-d2"})
    assert table._refereeing.state.waiting.what is For.BOARD
    assert table.live()["waits_for_board"] is True


def test_a_policy_in_the_settings_reaches_the_referee(log):
    policy = Policy(illegal=Handling.ASK)
    assert table_on(log, policy=policy)._refereeing.setup.policy is policy


def test_any_sequence_of_moves_by_hand_keeps_log_and_referee_together(log):
    table = table_on(log)
    table.begin_match("Ada", "Ben", MatchRules())
    table.console({"do": "start"})
    for n in range(60):
        moves = legal_moves(table.table_state.game.position) if table.table_state.game.over is None else ()
        if not moves:
            table.console({"do": "start"})
            continue
        table.console({"do": "move", "move": str(moves[n * 7 % len(moves)])})
        if n % 9 == 0:
            table.console({"do": "undo"})
        assert agrees(table)
    assert contradictions(log.events()) == []
