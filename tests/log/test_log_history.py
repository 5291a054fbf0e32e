"""The games that a log holds: what was played, what was taken back, who won, and how it reads."""

import csv
import io
import json
from typing import Any

import pytest

from companion.log.export import game_csv, game_json, game_text, player_json, summary_json
from companion.log.history import games, players
from companion.rules import Position, Side


def lost(book: Any, winner: str, termination: str = "crash") -> None:
    book.add("game_over", winner=winner, termination=termination, points=1)


def test_every_game_is_found_with_its_players_and_the_score_after_it(book: Any) -> None:
    book.match("Ada", "Bo", track_steps=3)
    book.start()
    book.play("d1-d2")
    lost(book, "white")
    book.start()
    lost(book, "black", "resignation")
    book.match("Eva", "Tom")
    book.start()
    book.play("a1-a2")
    found = games(book.events)
    assert [(g.number, g.white, g.black, len(g.moves), g.score) for g in found] == [
        (1, "Ada", "Bo", 1, (1, 0)),
        (2, "Ada", "Bo", 0, (1, 1)),
        (1, "Eva", "Tom", 1, (0, 0)),
    ]
    assert [g.id for g in found] == [2, 5, 8]
    assert [summary_json(g)["says"] for g in found] == ["White wins by crash", "Black wins by resignation", "not over"]


def test_what_was_taken_back_is_in_no_export(book: Any) -> None:
    book.match()
    book.start()
    book.play("d1-d2")
    book.play("d6-d5")
    book.undo()
    book.play("c6-c5")
    (game,) = games(book.events)
    assert [move.move for move in game.moves] == ["d1-d2", "c6-c5"]
    assert "d6-d5" not in game_text(game) + game_csv(game) + json.dumps(game_json(game))


def test_an_end_that_is_taken_back_is_no_end(book: Any) -> None:
    book.match()
    book.start()
    lost(book, "white")
    book.undo()
    book.play("d1-d2")
    (game,) = games(book.events)
    assert (game.over, game.ended, game.score) == (None, None, (0, 0))


def test_a_game_that_goes_on_from_a_position_set_by_hand_is_the_same_game(book: Any) -> None:
    book.match()
    book.start()
    book.add("correct", "person", position="7/7/3B3/2wW3/7/7 w - -")
    book.play("c3xd4")
    (game,) = games(book.events)
    assert [move.move for move in game.moves] == ["c3xd4"]
    assert game.over is not None


def test_names_that_change_later_are_the_names(book: Any) -> None:
    book.match("Ada", "Bo")
    book.start()
    book.add("settings", "person", says="names", white="Eva", black="Tom")
    (game,) = games(book.events)
    assert (game.white, game.black) == ("Eva", "Tom")


def test_other_names_are_those_of_all_games_of_the_match(book: Any) -> None:
    book.match("Ada", "Bo")
    book.start("7/7/3B3/2wW3/7/7 w - -")
    book.play("c3xd4")
    book.start()
    book.add("settings", "person", says="names", white="Eva", black="Tom")
    book.match("Ida", "Jo")
    book.start()
    assert [(game.white, game.black) for game in games(book.events)] == [("Eva", "Tom"), ("Eva", "Tom"), ("Ida", "Jo")]


def test_the_analysis_tells_missed_captures_and_what_was_left_open(book: Any) -> None:
    book.match()
    book.start("7/7/3B3/2wW3/7/7 w - -")
    book.play("c3-b3")
    book.play("d4-e4")
    book.play("d3xe4")
    (game,) = games(book.events)
    first, second, third = game.moves
    assert (first.missed, first.exposed) == ("c3xd4", True)
    assert (second.missed, second.exposed) == ("d4xd3", True)
    assert (third.missed, third.exposed, third.seconds) == (None, False, 1.0)
    assert first.choices > 3


def test_a_game_as_text_reads_by_turns_with_what_was_ruled_between(book: Any) -> None:
    book.match("Ada", "Bo")
    book.start()
    book.play("d1-d2")
    book.add("illegal", player="black", move="c6-c4", reason="too_far", position=book.position.text())
    book.add("restored", position=book.position.text())
    book.play("c6-c5")
    book.play("a1-a2")
    lost(book, "black")
    text = game_text(games(book.events)[0])
    assert text.splitlines() == [
        "Ada (White) against Bo (Black), game 1",
        "Started 1970-01-01 00:16:42 UTC, ended 1970-01-01 00:16:48 UTC",
        "Result: Black wins by crash, 1 point",
        "Scoring board: White 0, Black 1 of 7 steps",
        f"Start: {Position.start().text()}",
        "",
        "  1. d1-d2",
        "     (Illegal: black c6-c4, it went further than one well)",
        "     (The position is right again)",
        "  1. ...      c6-c5",
        "  2. a1-a2",
        "     (Black wins by a crash: 1 point)",
    ]


THREE_ON = "bbb1bbb/3B3/7/7/3W3/www1www w - -"


def lets_stand(book: Any, move: str, player: str, position: str, reason: str = "too_far") -> None:
    book.add("illegal", player=player, move=move, reason=reason, position=book.position.text())
    book.add("correct", "person", position=position, player=player, move=move, let_stand=reason)


def moves_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line[:3].strip().isdigit()]


def test_an_illegal_move_that_was_let_stand_is_a_move_of_the_game(book: Any) -> None:
    """Whoever began the game: numbers count on, and no dots stand where there was a move."""
    book.match("Ada", "Bo")
    book.start(Position.start(Side.BLACK).text())
    lets_stand(book, "a6-a4", "black", "1bbBbbb/7/b6/7/7/wwwWwww w - a4")
    book.play("c1-b2")
    book.play("d6-d5")
    book.play("e1-e2")
    book.play("b6-a6")
    book.play("f1-g2")
    (game,) = games(book.events)
    assert moves_of(game_text(game)) == [
        "  1. a6-a4 (illegal: too far, let stand)    c1-b2",
        "  2. d6-d5    e1-e2",
        "  3. b6-a6    f1-g2",
    ]
    said = game_json(game)
    assert [(move["n"], move["move"], move["let_stand"]) for move in said["moves"][:2]] == [
        (1, "a6-a4", "too_far"),
        (2, "c1-b2", None),
    ]
    assert [ruling["says"] for ruling in said["rulings"] if ruling["kind"] == "correct"] == [
        "The referee lets black a6-a4 stand (too far)"
    ]
    assert summary_json(game)["moves"] == len(book.json["game"]["moves"]) == 6
    assert book.json["game"]["moves"][0]["let_stand"] == "too_far"


def test_turns_are_counted_on_where_the_side_to_move_was_set_by_hand(book: Any) -> None:
    book.match()
    book.start()
    book.play("d1-d2")
    book.play("d6-d5")
    book.add("correct", "person", position=THREE_ON.replace(" w ", " b "))
    book.play("a6-a5")
    book.play("a1-a2")
    book.add("correct", "person", position=THREE_ON)
    book.play("b1-b2")
    (game,) = games(book.events)
    assert moves_of(game_text(game)) == ["  1. d1-d2    d6-d5", "  2. ...      a6-a5", "  3. a1-a2", "  4. b1-b2"]


def test_a_rolled_move_that_was_let_stand_is_marked(book: Any) -> None:
    book.match()
    book.start()
    after = "bbbBbbb/7/7/7/3W3/www1www b - -"
    book.add("move", "person", player="white", move="d1-d2", position=after, let_stand="rolled")
    (game,) = games(book.events)
    assert moves_of(game_text(game)) == ["  1. d1-d2 (illegal: rolled, let stand)"]
    assert "White moves d1-d2 (rolled, let stand)" in game_csv(game)


@pytest.mark.parametrize(
    ("about", "answer", "words"),
    [("crash", "nothing", "nobody tipped the board"), ("move", "a6-a5 by Black, out of turn", None)],
)
def test_what_was_answered_is_exported_with_the_question(book: Any, about: str, answer: str, words: str | None) -> None:
    book.match()
    book.start()
    asked = book.add("question", "load_cells", about=about, candidates=[{"move": answer, "p": 1.0}])
    book.add("answer", "person", question=asked.seq, move=answer, about=about)
    book.play("d1-d2")
    (game,) = games(book.events)
    lines = game_text(game).splitlines()
    assert lines[-2:] == [f"     (Answered: {words or answer})", "  1. d1-d2"]
    assert f"Answered: {words or answer}" in game_csv(game)
    assert game_json(game)["rulings"][2]["says"] == f"Answered: {words or answer}"


def test_a_game_as_csv_has_a_row_a_ruling(book: Any) -> None:
    book.match()
    book.start()
    book.play("d1-d2")
    lost(book, "white")
    rows = list(csv.DictReader(io.StringIO(game_csv(games(book.events)[0]))))
    assert [row["kind"] for row in rows] == ["start", "move", "game_over"]
    assert (rows[1]["move"], rows[1]["player"], rows[1]["time"]) == ("d1-d2", "white", "1970-01-01 00:16:43 UTC")


def test_no_cell_of_the_csv_is_a_formula(book: Any) -> None:
    book.start()
    book.add("illegal", player="white", move="=1+1", reason="@x", position=book.position.text())
    row = list(csv.DictReader(io.StringIO(game_csv(games(book.events)[0]))))[-1]
    assert (row["move"], row["reason"]) == ("'=1+1", "'@x")


def test_players_are_counted_over_all_matches(book: Any) -> None:
    book.match("Ada", "Bo")
    book.start()
    book.play("d1-d2")
    book.add("illegal", player="black", move="c6-c4", reason="too_far", position=book.position.text())
    lost(book, "white")
    book.match("Bo", "Ada")
    book.start("7/7/3B3/2wW3/7/7 w - -")
    book.play("c3xd4")
    book.start()
    first, second = map(player_json, players(games(book.events)))
    assert first == {
        "name": "Ada",
        "games": 2,
        "won": 1,
        "lost": 1,
        "captures": 0,
        "crashes": 0,
        "illegal": 0,
        "moves": 1,
        "seconds_a_move": 1.0,
    }
    assert (second["name"], second["captures"], second["crashes"], second["illegal"]) == ("Bo", 1, 1, 1)


def test_an_empty_log_has_no_games() -> None:
    assert games([]) == []
    assert players([]) == []


def test_an_export_tells_what_was_felt_of_the_balance(book: Any) -> None:
    after = "bbbBbbb/7/7/7/3W3/www1www b - -"
    steps = [{"step": "lift", "margin_mm": 1.4, "risk": 0.1, "least_mm": 0.2}]
    book.match()
    book.start()
    book.add("move", player="white", move="d1-d2", position=after, balance={"risk": 0.1, "steps": steps})
    book.add("move", player="black", move="d6-d5", position=after, balance="nonsense")
    told = game_json(games(book.events)[0])["moves"]
    assert told[0]["balance"]["steps"] == steps
    assert told[1]["balance"] is None
