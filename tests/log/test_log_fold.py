"""From events to the state: what the table shows after each kind of event."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from companion.log import EMPTY, fold, state_json
from companion.rules import MatchRules, Move, Outcome, Position, Side, Termination, play

NEAR_CAPTURE = "3B3/7/3W3/w6/7/7 w - -"
"""White's coloured sphere is two wells below Black's: d4-d5, then whatever, then d5xd6 wins."""


def test_an_empty_log_is_an_empty_table() -> None:
    assert state_json(fold([])) == {
        "seq": 0,
        "match": None,
        "game": None,
        "last_ruling": None,
        "recent": [],
        "faults": [],
        "can_undo": None,
        "can_redo": None,
        "paused_since": None,
        "paused_by": None,
    }


def test_the_state_has_the_shape_that_screens_rely_on(book: Any) -> None:
    book.match(track_steps=5)
    book.start()
    book.play("d1-d2")
    book.add("fault", "table", witness="load_cells", what="low cell silent", remedy="check its plug")
    shape = book.json
    assert json.loads(json.dumps(shape)) == shape
    recent = shape.pop("recent")
    move = recent[-1]
    after = play(Position.start(), Move.parse("d1-d2")).text()
    assert move == {
        "seq": 3,
        "time": 1003.0,
        "kind": "move",
        "player": "white",
        "move": "d1-d2",
        "position": after,
        "confidence": 0.99,
    }
    assert [ruling["kind"] for ruling in recent] == ["start", "move"]
    assert shape == {
        "seq": 4,
        "match": {
            "white": "Ada",
            "black": "Bo",
            "steps": 5,
            "white_steps": 0,
            "black_steps": 0,
            "games_played": 0,
            "over": False,
            "winner": None,
        },
        "game": {
            "number": 1,
            "position": after,
            "side": "black",
            "start": Position.start().text(),
            "over": None,
            "moves": [{"seq": 3, "n": 1, "player": "white", "move": "d1-d2"}],
            "waiting": None,
            "repetition": 1,
            "started": 1002.0,
            "ended": None,
            "paused_s": 0.0,
        },
        "last_ruling": move,
        "faults": [{"witness": "load_cells", "what": "low cell silent", "remedy": "check its plug"}],
        "can_undo": {"seq": 3, "says": "White's move d1-d2"},
        "can_redo": None,
        "paused_since": None,
        "paused_by": None,
    }


def test_moves_are_numbered_and_the_position_follows(book: Any) -> None:
    book.start()
    for text in ("d1-d2", "d6-d5", "a1-a2"):
        book.play(text)
    game = book.json["game"]
    assert [(m["n"], m["player"], m["move"]) for m in game["moves"]] == [
        (1, "white", "d1-d2"),
        (2, "black", "d6-d5"),
        (3, "white", "a1-a2"),
    ]
    assert game["side"] == "black"
    assert game["position"].endswith(" b a2 -")
    assert len(book.state.game.line) == 4


def test_the_log_is_believed_also_where_the_rules_disagree(book: Any) -> None:
    book.start()
    odd = "7/7/3B3/7/3W3/7 b - -"
    book.add("move", "person", player="white", move="a1-a5", position=odd)
    assert book.json["game"]["position"] == odd


def test_a_match_counts_games_and_points_and_numbers_the_games(book: Any) -> None:
    book.match(track_steps=3)
    assert book.json["game"] is None
    for winner, number in ((Side.WHITE, 1), (Side.BLACK, 2), (Side.WHITE, 3)):
        book.start()
        assert book.json["game"]["number"] == number
        book.end(Outcome(winner, Termination.CRASH, 1))
        assert book.json["game"]["over"] == {"winner": str(winner), "termination": "crash", "points": 1}
    match = book.json["match"]
    assert (match["white_steps"], match["black_steps"], match["games_played"]) == (2, 1, 3)
    assert (match["over"], match["winner"]) == (False, None)
    book.start()
    book.end(Outcome(Side.WHITE, Termination.CAPTURE, 2))
    match = book.json["match"]
    assert (match["white_steps"], match["over"], match["winner"]) == (3, True, "white")
    book.start()
    book.end(Outcome(Side.BLACK, Termination.CAPTURE, 2))
    assert book.json["match"] == match  # a match that is over is over


def test_a_new_match_starts_from_nothing(book: Any) -> None:
    book.match()
    book.start()
    book.end(Outcome(Side.WHITE, Termination.CAPTURE, 2))
    book.match("Cy", "Di", first="black")
    assert book.json["game"] is None
    match = book.json["match"]
    assert (match["white"], match["black"], match["white_steps"], match["games_played"]) == ("Cy", "Di", 0, 0)
    assert book.state.match.score.rules == MatchRules(first=Side.BLACK)


def test_a_void_game_has_no_winner(book: Any) -> None:
    book.match()
    book.start()
    book.end(Outcome(None, Termination.VOID, 0))
    assert book.json["game"]["over"] == {"winner": None, "termination": "void", "points": 0}
    assert book.json["match"]["games_played"] == 1


def test_a_game_ends_once(book: Any) -> None:
    book.match()
    book.start()
    book.end(Outcome(Side.WHITE, Termination.CRASH, 1))
    book.end(Outcome(Side.BLACK, Termination.CAPTURE, 2))
    assert book.json["game"]["over"]["winner"] == "white"
    assert book.json["match"]["games_played"] == 1


def test_single_games_are_numbered_by_those_that_ended(book: Any) -> None:
    book.start()
    book.start()
    assert book.json["game"]["number"] == 1  # the first was broken off
    book.end(Outcome(Side.WHITE, Termination.CRASH, 1))
    assert book.json["match"] is None
    book.start()
    assert book.json["game"]["number"] == 2


def test_an_illegal_move_waits_until_it_is_put_back(book: Any) -> None:
    book.start()
    placement = "bbbBbbb/7/7/3W3/7/www1www"
    position = book.position.text()
    book.add(
        "illegal", "camera", player="white", move="d1-d3", reason="too_far", position=position, placement=placement
    )
    assert book.json["game"]["waiting"] == {
        "for": "restore",
        "illegal": {"player": "white", "move": "d1-d3", "reason": "too_far"},
        "position": position,
        "placement": placement,
        "misplaced": [{"sphere": "W", "at": "d3", "to": "d1"}],
    }
    assert book.state.game.illegal_moves == (1, 0)
    book.restored()
    assert book.json["game"]["waiting"] is None
    assert book.json["game"]["position"] == position
    assert book.state.game.illegal_moves == (1, 0)


def test_a_sphere_put_back_and_then_moved_needs_no_restoring(book: Any) -> None:
    book.start()
    book.illegal("d1-d1", "put_back")
    assert book.json["game"]["waiting"]["placement"] is None
    book.play("d1-d2")
    assert book.json["game"]["waiting"] is None


def test_a_question_waits_for_its_answer(book: Any) -> None:
    book.start()
    asked = book.question("b1-b2", "b1-c2")
    assert book.json["game"]["waiting"] == {
        "for": "answer",
        "question": {
            "seq": asked.seq,
            "about": "move",
            "candidates": [{"move": "b1-b2", "p": 0.5}, {"move": "b1-c2", "p": 0.5}],
        },
    }
    book.add("answer", "person", question=asked.seq - 1, move="b1-b2")
    assert book.json["game"]["waiting"]["for"] == "answer"  # that was another question
    book.add("answer", "person", question=asked.seq, move="b1-b2")
    assert book.json["game"]["waiting"] is None
    book.play("b1-b2")
    assert [move["move"] for move in book.json["game"]["moves"]] == ["b1-b2"]


@pytest.mark.parametrize(
    "settle",
    [
        lambda book: book.play("d1-d2"),
        lambda book: book.end(Outcome(Side.WHITE, Termination.CRASH, 1)),
        lambda book: book.restored(),
        lambda book: book.add("correct", "person", position=Position.start(Side.BLACK).text()),
        lambda book: book.start(),
    ],
    ids=["a move", "the end of the game", "the position restored", "a correction", "a new game"],
)
def test_later_evidence_or_a_person_settles_a_question(book: Any, settle: Callable[[Any], None]) -> None:
    book.start()
    book.question("b1-b2", "b1-c2")
    settle(book)
    assert book.json["game"]["waiting"] is None


def test_an_illegal_move_settles_a_question_and_waits_to_be_put_back(book: Any) -> None:
    book.start()
    book.question("b1-b2", "b1-c2")
    book.illegal("b1-b3", "too_far")
    assert book.json["game"]["waiting"]["for"] == "restore"


def test_a_question_about_a_wrong_position_comes_before_putting_it_back(book: Any) -> None:
    book.start()
    book.illegal("b1-b3", "too_far")
    asked = book.question("b1-b2", "nothing")
    assert book.json["game"]["waiting"]["for"] == "answer"
    book.add("answer", "person", question=asked.seq, move="nothing")
    assert book.json["game"]["waiting"]["for"] == "restore"


CRASH = [{"move": f"crash {side}", "p": 0.4} for side in Side] + [{"move": "nothing", "p": 0.2}]
FORFEIT = [{"move": "forfeit white", "p": 0.5}, {"move": "nothing", "p": 0.5}]


def test_an_answered_question_is_no_longer_the_last_that_is_said(book: Any) -> None:
    book.start()
    move = book.play("d1-d2")
    asked = book.add("question", "load_cells", about="crash", candidates=CRASH)
    assert book.json["last_ruling"]["seq"] == asked.seq
    book.add("answer", "person", question=asked.seq, move="nothing", about="crash")
    assert book.json["last_ruling"]["seq"] == move.seq
    assert [ruling["kind"] for ruling in book.json["recent"]] == ["start", "move", "question"]
    book.undo()
    assert book.json["last_ruling"]["seq"] == asked.seq


def test_the_board_that_nobody_held_is_no_longer_said_to_be_held(book: Any) -> None:
    start = book.start()
    held = book.add("held", "load_cells", player="white")
    asked = book.add("question", "load_cells", about="held", candidates=FORFEIT)
    book.add("answer", "person", question=asked.seq, move="nothing", about="held")
    assert book.json["last_ruling"]["seq"] == start.seq
    book.add("held", "load_cells", player="white")
    unsure = book.add("question", "load_cells", about="held", candidates=FORFEIT)
    book.add("question", "both", about="move", candidates=[])
    assert book.json["last_ruling"]["seq"] == unsure.seq + 1
    book.add("answer", "person", question=unsure.seq + 1, move="in_hand", about="move")
    assert book.json["last_ruling"]["kind"] == "held"
    assert book.json["last_ruling"]["seq"] != held.seq


def test_a_position_set_by_hand_counts_from_then_on(book: Any) -> None:
    book.start()
    book.play("d1-d2")
    book.illegal("d6-d4", "too_far")
    book.add("correct", "person", position=NEAR_CAPTURE)
    game = book.json["game"]
    assert (game["position"], game["side"], game["waiting"]) == (NEAR_CAPTURE, "white", None)
    assert [move["move"] for move in game["moves"]] == ["d1-d2"]
    assert book.json["last_ruling"]["kind"] == "correct"
    book.play("d4-d5")
    assert book.json["game"]["position"] == play(Position.parse(NEAR_CAPTURE), Move.parse("d4-d5")).text()


def test_a_game_can_begin_by_hand(book: Any) -> None:
    book.add("correct", "person", position=NEAR_CAPTURE)
    assert book.json["game"]["start"] == NEAR_CAPTURE


def test_a_held_board_and_a_crash_are_shown_and_end_nothing_by_themselves(book: Any) -> None:
    book.start()
    book.add("held", "load_cells", player="white")
    assert book.json["last_ruling"] == {"seq": 2, "time": 1002.0, "kind": "held", "player": "white"}
    book.add("crash", "load_cells", player="white", step="lift")
    assert book.json["last_ruling"]["step"] == "lift"
    assert book.json["game"]["over"] is None


def test_the_last_thirty_rulings_are_shown_newest_last(book: Any) -> None:
    book.start()
    for n in range(50):
        book.add("held", "load_cells", player="white")
        book.add("note", "person", text=str(n))
    recent = book.json["recent"]
    assert [ruling["seq"] for ruling in recent] == list(range(42, 101, 2))
    assert book.json["last_ruling"] == recent[-1]
    assert book.json["seq"] == 101


def test_thirty_rulings_are_shown_also_where_the_oldest_is_the_second_of_its_step(book: Any) -> None:
    book.start()
    for _ in range(20):
        book.illegal("a1-a3", "too_far")
        book.restored()
    book.add("held", "load_cells", player="white")
    assert [ruling["seq"] for ruling in book.json["recent"]] == list(range(13, 43))


def test_faults_come_and_go_whatever_happens_in_the_game(book: Any) -> None:
    def faults() -> list[tuple[str, str, str]]:
        return [(f["witness"], f["what"], f["remedy"]) for f in book.json["faults"]]

    book.start()
    book.add("fault", "table", witness="camera", what="no picture", remedy="check the cable")
    book.add("fault", "table", witness="load_cells", what="spikes", remedy="use the Pico")
    book.add("fault", "table", witness="camera", what="no picture", remedy="check it again")
    assert faults() == [("load_cells", "spikes", "use the Pico"), ("camera", "no picture", "check it again")]
    book.play("d1-d2")
    book.undo()
    book.match()
    assert len(faults()) == 2
    book.add("fault_over", "table", witness="load_cells", what="silence")
    book.add("fault_over", "table", witness="load_cells", what="spikes")
    assert faults() == [("camera", "no picture", "check it again")]


def test_a_capture_ends_the_game_for_the_capturer(book: Any) -> None:
    book.match()
    book.start(NEAR_CAPTURE)
    for text in ("d4-d5", "d6-c6", "d5xc6"):
        book.play(text)
    assert book.json["game"]["over"] == {"winner": "white", "termination": "capture", "points": 2}
    assert book.json["match"]["white_steps"] == 2


def test_states_are_values(book: Any) -> None:
    book.start()
    before = state_json(book.states[1])
    book.play("d1-d2")
    assert state_json(book.states[1]) == before
    assert book.states[0] == EMPTY


def test_a_pause_does_not_count_to_the_time_of_a_game(book: Any) -> None:
    book.start()
    book.add("pause", "person")
    assert book.json["paused_since"] == 1002.0
    assert book.json["paused_by"] is None
    book.add("pause", "person")  # a second one changes nothing
    book.play("d1-d2")
    book.add("resume", "person")
    assert book.json["paused_since"] is None
    assert book.json["game"]["paused_s"] == 3.0
    book.add("resume", "person")
    assert book.json["game"]["paused_s"] == 3.0
    book.add("game_over", winner="white", termination="crash", points=1)
    assert (book.json["game"]["started"], book.json["game"]["ended"]) == (1001.0, 1007.0)
    book.start()
    assert book.json["game"]["paused_s"] == 0.0


def test_an_undo_takes_no_pause_back(book: Any) -> None:
    book.start()
    book.play("d1-d2")
    book.add("pause", "person")
    book.undo()
    assert book.json["paused_since"] == 1003.0


def test_settings_are_in_force_from_their_event_on_and_can_be_taken_back(book: Any) -> None:
    book.match(track_steps=5)
    book.start()
    book.add("settings", "person", says="track steps from 5 to 3", rules={"track_steps": 3}, policy={"move": "ask"})
    assert book.json["match"]["steps"] == 3
    assert book.state.standing.policy == (("move", "ask"),)
    assert book.json["can_undo"]["says"] == "the change of settings (track steps from 5 to 3)"
    book.undo()
    assert book.json["match"]["steps"] == 5
    assert book.state.standing.policy == ()


def test_new_names_keep_the_score_and_a_new_match_keeps_what_is_asked(book: Any) -> None:
    book.match()
    book.start()
    book.add("game_over", winner="white", termination="crash", points=1)
    book.add("settings", "person", says="White is Eva", white="Eva", policy={"move": "ask"})
    assert (book.json["match"]["white"], book.json["match"]["white_steps"]) == ("Eva", 1)
    book.match()
    assert (book.json["match"]["white"], book.state.standing.policy) == ("Ada", (("move", "ask"),))


def test_a_scoring_board_that_cannot_stand_under_new_rules_stays(book: Any) -> None:
    book.match()
    for _ in range(3):
        book.start()
        book.add("game_over", winner="white", termination="capture", points=2)
    book.add("settings", "person", says="a track of 3", rules={"track_steps": 3})
    assert (book.json["match"]["steps"], book.json["match"]["white_steps"]) == (7, 6)


def test_marks_of_writing_direction_in_a_log_turn_no_text_around(book: Any) -> None:
    book.add("match", "person", white="Ada\u202e\u2066X", black="B\u200fo", rules={})
    book.add("fault", "table", witness="camera", what="gone\u202e", remedy="look")
    assert (book.json["match"]["white"], book.json["match"]["black"]) == ("Ada X", "B o")
    assert book.json["faults"][0]["what"] == "gone"
