"""Undo and redo are events; they say what they take back, and everything else follows from the events that are left."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.log import fold, redo_event, undo_event
from companion.rules import Outcome, Position, Side, Termination

NEAR_CAPTURE = "3B3/7/3W3/w6/7/7 w - -"


def says(book: Any) -> str:
    text: str = book.json["can_undo"]["says"]
    return text


def without_seq(shape: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shape.items() if name != "seq"}


def test_there_is_nothing_to_take_back_in_an_empty_log(book: Any) -> None:
    assert undo_event(book.state) is None
    assert redo_event(book.state) is None


def test_an_undo_names_what_it_undoes_and_takes_it_back(book: Any) -> None:
    book.start()
    before = book.json
    move = book.play("d1-d2")
    event = book.undo()
    assert event.payload == {"undoes": [move.seq], "says": "White's move d1-d2"}
    assert without_seq(book.json) == {
        **without_seq(before),
        "can_redo": {"seq": event.seq, "says": "White's move d1-d2"},
    }


def test_a_redo_brings_it_back(book: Any) -> None:
    book.start()
    book.play("d1-d2")
    before = book.json
    undo = book.undo()
    event = book.redo()
    assert event.payload == {"redoes": undo.seq, "says": "White's move d1-d2"}
    assert without_seq(book.json) == without_seq(before)


def test_several_undos_are_redone_in_turn(book: Any) -> None:
    book.start()
    for text in ("d1-d2", "d6-d5", "a1-a2"):
        book.play(text)
    positions = [state.game.position for state in book.states[1:]]
    for position in positions[-2::-1]:
        book.undo()
        assert book.position == position
    for position in positions[1:]:
        book.redo()
        assert book.position == position
    assert redo_event(book.state) is None


def test_an_undo_can_be_taken_back_and_done_again(book: Any) -> None:
    book.start()
    book.play("d1-d2")
    for _ in range(3):
        book.undo()
        assert book.json["game"]["moves"] == []
        book.redo()
        assert len(book.json["game"]["moves"]) == 1


def test_a_new_ruling_after_an_undo_leaves_nothing_to_redo(book: Any) -> None:
    book.start()
    book.play("d1-d2")
    undo = book.undo()
    book.play("a1-a2")
    assert book.json["can_redo"] is None
    before = book.json
    book.add("redo", "person", redoes=undo.seq, says="too late")
    assert without_seq(book.json) == without_seq(before)


def test_faults_and_notes_are_no_rulings_and_leave_undo_and_redo_alone(book: Any) -> None:
    book.start()
    book.play("d1-d2")
    book.undo()
    book.add("fault", "table", witness="camera", what="dark", remedy="light")
    book.add("note", "person", text="a lamp failed")
    assert book.json["can_redo"]["says"] == "White's move d1-d2"
    book.redo()
    assert says(book) == "White's move d1-d2"
    assert len(book.json["faults"]) == 1


def test_undoing_a_move_that_won_takes_the_end_and_the_points_back_too(book: Any) -> None:
    book.match()
    book.start(NEAR_CAPTURE)
    book.play("d4-d5")
    book.play("d6-c6")
    before = book.json
    book.play("d5xc6")
    assert book.json["match"]["white_steps"] == 2
    assert says(book) == "White's move d5xc6 and the end of game 1: White wins by capture"
    book.undo()
    assert without_seq(book.json) == {**without_seq(before), "can_redo": book.json["can_redo"]}
    book.redo()
    assert book.json["match"]["white_steps"] == 2
    assert book.json["game"]["over"]["winner"] == "white"


def test_undo_works_across_the_start_of_the_next_game(book: Any) -> None:
    book.match()
    for _ in range(2):
        book.start()
        book.add("crash", "load_cells", player="black", step="place")
        book.end(Outcome(Side.WHITE, Termination.CRASH, 1), "load_cells")
    book.start()
    assert says(book) == "the start of game 3"
    book.undo()
    assert book.json["game"]["number"] == 2
    assert says(book) == "Black's crash (place) and the end of game 2: White wins by crash"
    book.undo()
    assert book.json["game"]["over"] is None
    assert (book.json["match"]["white_steps"], book.json["match"]["games_played"]) == (1, 1)


def test_undo_works_across_the_start_of_the_next_match(book: Any) -> None:
    book.match()
    book.start()
    book.end(Outcome(Side.WHITE, Termination.CAPTURE, 2))
    before = book.json
    book.match("Cy", "Di")
    assert says(book) == "the new match Cy against Di"
    book.undo()
    assert book.json["match"] == before["match"]
    assert book.json["game"] == before["game"]


def crash(book: Any) -> None:
    book.add("crash", "load_cells", player="white", step="lift")
    book.end(Outcome(Side.BLACK, Termination.CRASH, 1), "load_cells")


def held(book: Any) -> None:
    book.add("held", "load_cells", player="white")


def forfeit_at_once(book: Any) -> None:
    held(book)
    book.end(Outcome(Side.BLACK, Termination.FORFEIT, 1), "table")


def forfeit_by_tap(book: Any) -> None:
    held(book)
    book.end(Outcome(Side.BLACK, Termination.FORFEIT, 1), "person")


def too_many_illegal(book: Any) -> None:
    book.illegal("a1-a3", "too_far")
    book.end(Outcome(Side.BLACK, Termination.FORFEIT, 1), "table")


def illegal_and_restored(book: Any) -> None:
    book.illegal("a1-a3", "too_far")
    book.restored()


def restored_later(book: Any) -> None:
    book.illegal("a1-a3", "too_far")
    held(book)
    book.restored()


def void_by_repetition(book: Any) -> None:
    book.play("d1-d2")
    book.end(Outcome(None, Termination.VOID, 0), "table")


def void_by_tap(book: Any) -> None:
    book.play("d1-d2")
    book.end(Outcome(None, Termination.VOID, 0), "person")


def resign(book: Any) -> None:
    book.play("d1-d2")
    book.end(Outcome(Side.WHITE, Termination.RESIGNATION, 1), "person")


def put_back_then_moved(book: Any) -> None:
    book.illegal("d1-d1", "put_back")
    book.play("d1-d2")


def ask(book: Any) -> None:
    book.question("b1-b2", "b1-c2")


def ask_and_answer(book: Any) -> None:
    ask(book)
    book.add("answer", "person", question=book.events[-1].seq, move="b1-b2")
    book.play("b1-b2", "person")


def ask_answer_later(book: Any) -> None:
    ask(book)
    book.add("answer", "person", question=book.events[-1].seq, move="b1-b2")
    book.add("note", "person", text="meanwhile")
    book.play("b1-b2", "camera")


def ask_for_nothing_then_move(book: Any) -> None:
    ask(book)
    book.add("answer", "person", question=book.events[-1].seq, move="nothing")
    book.play("d1-d2")


def ask_about_a_crash(book: Any) -> None:
    book.add("question", "load_cells", about="crash", candidates=[{"move": "white", "p": 0.5}])
    book.add("answer", "person", question=book.events[-1].seq, move="white")
    crash(book)


def answer_then_new_match(book: Any) -> None:
    ask(book)
    book.add("answer", "person", question=book.events[-1].seq, move="b1-b2")
    book.match()


def correct(book: Any) -> None:
    book.add("correct", "person", position=Position.start(Side.BLACK).text())


ENDS = "the end of game 1: "


@pytest.mark.parametrize(
    ("happen", "steps"),
    [
        (crash, [f"White's crash (lift) and {ENDS}Black wins by crash"]),
        (held, ["White holding the board"]),
        (forfeit_at_once, [f"White holding the board and {ENDS}Black wins by forfeit"]),
        (forfeit_by_tap, [f"{ENDS}Black wins by forfeit", "White holding the board"]),
        (too_many_illegal, [f"White's illegal move a1-a3 (too far) and {ENDS}Black wins by forfeit"]),
        (illegal_and_restored, ["White's illegal move a1-a3 (too far)"]),
        (
            restored_later,
            ["the position being put right", "White holding the board", "White's illegal move a1-a3 (too far)"],
        ),
        (void_by_repetition, [f"White's move d1-d2 and {ENDS}void"]),
        (void_by_tap, [f"{ENDS}void", "White's move d1-d2"]),
        (resign, [f"{ENDS}White wins by resignation", "White's move d1-d2"]),
        (put_back_then_moved, ["White's move d1-d2", "White's illegal move d1-d1 (put back)"]),
        (ask, ["the question (move)"]),
        (ask_and_answer, ["White's move b1-b2", "the question (move)"]),
        (ask_answer_later, ["White's move b1-b2", "the question (move)"]),
        (ask_for_nothing_then_move, ["White's move d1-d2", "the answer: no move at all", "the question (move)"]),
        (ask_about_a_crash, [f"White's crash (lift) and {ENDS}Black wins by crash", "the question (crash)"]),
        (answer_then_new_match, ["the new match Ada against Bo", "the answer: b1-b2", "the question (move)"]),
        (correct, ["the position set by hand"]),
    ],
)
def test_what_belongs_together_is_taken_back_together(
    book: Any, happen: Callable[[Any], None], steps: list[str]
) -> None:
    book.start()
    before = book.json
    happen(book)
    shapes = [book.json]
    for step in steps:
        assert says(book) == step
        book.undo()
        shapes.append(book.json)
    assert without_seq(book.json) == {**without_seq(before), "can_redo": book.json["can_redo"]}
    for shape in shapes[-2::-1]:
        book.redo()
        assert book.json["game"] == shape["game"]
    assert without_seq(book.json) == without_seq(shapes[0])
    assert book.state == fold(book.events)


@pytest.mark.parametrize(
    ("about", "answer", "words"),
    [
        ("crash", "nothing", "nobody tipped the board"),
        ("held", "nothing", "nobody held the board"),
        ("move", "in_hand", "a sphere still in a hand"),
        ("crash", "crash white", "White tipped the board"),
    ],
)
def test_an_answer_that_is_taken_back_is_said_in_words(book: Any, about: str, answer: str, words: str) -> None:
    book.start()
    asked = book.add("question", "load_cells", about=about, candidates=[{"move": answer, "p": 1.0}])
    book.add("answer", "person", question=asked.seq, move=answer, about=about)
    assert says(book) == f"the answer: {words}"


def test_what_was_let_stand_is_named_when_it_is_taken_back(book: Any) -> None:
    book.start()
    book.illegal("a1-a3", "too_far")
    stands = "bbbBbbb/7/7/w6/7/1wwWwww b a3 -"
    book.add("correct", "person", position=stands, player="white", move="a1-a3", let_stand="too_far")
    assert says(book) == "letting White's a1-a3 (too far) stand"
    book.undo()
    assert book.json["game"]["waiting"]["for"] == "restore"
    assert book.json["game"]["moves"] == []


def test_after_undoing_an_answer_the_question_waits_again(book: Any) -> None:
    book.start()
    ask_and_answer(book)
    book.undo()
    assert book.json["game"]["waiting"]["for"] == "answer"
    assert book.json["game"]["moves"] == []


def test_after_undoing_a_move_the_illegal_one_before_it_waits_again(book: Any) -> None:
    book.start()
    put_back_then_moved(book)
    book.undo()
    assert book.json["game"]["waiting"]["illegal"]["reason"] == "put_back"


def test_an_undone_illegal_move_no_longer_counts(book: Any) -> None:
    book.start()
    book.illegal("a1-a3", "too_far")
    assert book.state.game.illegal_moves == (1, 0)
    book.undo()
    assert book.state.game.illegal_moves == (0, 0)


def test_one_undo_may_name_several_steps(book: Any) -> None:
    book.start()
    moves = [book.play(text) for text in ("d1-d2", "d6-d5", "a1-a2")]
    book.add("undo", "person", undoes=[moves[1].seq, moves[2].seq], says="the last two moves")
    assert [move["move"] for move in book.json["game"]["moves"]] == ["d1-d2"]
    book.redo()
    assert len(book.json["game"]["moves"]) == 3


def test_one_undo_may_name_something_in_the_middle(book: Any) -> None:
    book.start()
    book.illegal("a1-a3", "too_far")
    mistaken = book.events[-1]
    book.restored()
    book.play("d1-d2")
    before = book.json["game"]
    book.add("undo", "person", undoes=[mistaken.seq], says="an illegal move that was none")
    assert book.state.game.illegal_moves == (0, 0)
    assert book.json["game"] == before
    book.redo()
    assert book.state.game.illegal_moves == (1, 0)
    assert book.json["game"] == before
    assert [event.seq for event in book.state.active()] == [1, 2, 3, 4]


def test_one_undo_may_name_a_part_of_what_happened_together(book: Any) -> None:
    book.match()
    book.start(NEAR_CAPTURE)
    for text in ("d4-d5", "d6-c6", "d5xc6"):
        book.play(text)
    book.add("undo", "person", undoes=[book.events[-1].seq], says="the end of game 1")
    assert book.json["game"]["over"] is None
    assert len(book.json["game"]["moves"]) == 3
    assert book.json["match"]["white_steps"] == 0
    assert says(book) == "White's move d5xc6"
    book.redo()
    assert book.json["match"]["white_steps"] == 2


def test_an_undo_of_what_is_not_there_does_nothing(book: Any) -> None:
    book.start()
    move = book.play("d1-d2")
    book.add("undo", "person", undoes=[99], says="the future")
    book.add("undo", "person", undoes=[0], says="the past")
    assert len(book.json["game"]["moves"]) == 1
    assert book.json["can_redo"] is None
    book.undo()
    book.add("undo", "person", undoes=[move.seq], says="once more")
    assert book.json["can_redo"]["seq"] == 5


def test_undoing_everything_leads_back_to_the_beginning(book: Any) -> None:
    book.match()
    book.start()
    book.play("d1-d2")
    crash(book)
    book.start()
    while undo_event(book.state) is not None:
        book.undo()
    assert (book.json["match"], book.json["game"], book.json["recent"]) == (None, None, [])


def test_a_long_log_can_be_folded_compared_and_forgotten(book: Any) -> None:
    book.start()
    event = book.add("held", "load_cells", player="white")
    events = [book.events[0], *[event] * 50_000]
    first, second = fold(events), fold(events)
    assert first == second
    assert len(list(first.steps())) == 50_001
    del first, second, events
