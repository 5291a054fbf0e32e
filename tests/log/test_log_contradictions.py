"""The fold believes the log; this is how one hears that log and rules disagree."""

from typing import Any

import pytest

from companion.log import contradictions
from companion.rules import Outcome, Position, Side, Termination

START = Position.start().text()
CLOSE = "7/7/3B3/3W3/7/7 w - -"


def said(book: Any) -> list[str]:
    return [str(contradiction) for contradiction in contradictions(book.events)]


def test_a_game_by_the_rules_has_none(book: Any) -> None:
    book.match()
    book.start()
    book.play("d1-d2")
    book.illegal("d6-d4", "too_far")
    book.restored()
    book.undo()
    book.redo()
    book.play("d6-d5")
    book.add("correct", "person", position=CLOSE)
    book.play("d3xd4")
    assert said(book) == []


@pytest.mark.parametrize(
    ("player", "move", "after", "what"),
    [
        ("black", "d6-d5", START, "it was white's turn, not black's"),
        ("white", "d1-d3", START, f"d1-d3 is illegal in '{START}': too_far"),
        ("white", "d3-d4", START, f"d3-d4: well d3 is empty in '{START}'"),
        ("white", "over", START, "'over' is no move; write d1-d2, or c4xd5 for a capture"),
        ("white", "d1-d2", START, f"d1-d2 leads to 'bbbBbbb/7/7/7/3W3/www1www b - -', not to '{START}'"),
    ],
)
def test_a_move_against_the_rules_is_named(book: Any, player: str, move: str, after: str, what: str) -> None:
    book.start()
    book.add("move", "person", player=player, move=move, position=after)
    assert said(book) == [f"event 2: {what}"]


def test_an_end_that_the_position_does_not_show_is_named(book: Any) -> None:
    book.start()
    book.end(Outcome(Side.WHITE, Termination.CAPTURE, 2))
    assert said(book) == [f"event 2: the position '{START}' is not won by capture for white"]


def test_what_comes_without_a_game_or_after_its_end_is_named(book: Any) -> None:
    book.end(Outcome(Side.WHITE, Termination.CRASH, 1))
    book.start()
    book.end(Outcome(Side.WHITE, Termination.CRASH, 1))
    book.play("d1-d2")
    assert said(book) == ["event 1: game_over without a game", "event 4: move after the end of the game"]


def test_answers_undos_and_redos_of_what_is_not_there_are_named(book: Any) -> None:
    book.start()
    book.add("answer", "person", question=1, move="nothing")
    book.add("undo", "person", undoes=[7], says="?")
    book.add("redo", "person", redoes=3, says="?")
    assert said(book) == [
        "event 2: no question 1 was open",
        "event 3: the undo names events that are not there, or are undone already",
        "event 4: there is no undo 3 that could be taken back",
    ]
