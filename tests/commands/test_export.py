"""`export`: a game of a log as text, JSON or CSV."""

import json
from pathlib import Path

import pytest

from companion.cli import run
from companion.log import EventLog
from companion.rules import Position

START = Position.start().text()
AFTER = "bbbBbbb/7/7/7/3W3/www1www b - -"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "club.db"
    with EventLog.open(file) as opened:
        opened.append(1.0, "match", "person", {"white": "Ada", "black": "Bo"})
        opened.append(2.0, "start", "both", {"position": START})
        opened.append(3.0, "game_over", "person", {"winner": "black", "termination": "resignation", "points": 1})
        opened.append(4.0, "start", "both", {"position": START})
        opened.append(5.0, "move", "both", {"player": "white", "move": "d1-d2", "position": AFTER})
    return file


def test_the_last_game_is_exported_unless_another_is_named(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(log)]) == 0
    assert "1. d1-d2" in capsys.readouterr().out
    assert run(["export", f"{log}:1", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["says"] == "Black wins by resignation"
    assert run(["export", f"{log}:2", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("seq,time,kind")


def test_the_games_of_a_log_are_listed(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(log), "--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "   1  Ada - Bo, 0 moves, Black wins by resignation",
        "   2  Ada - Bo, 1 move, not over",
    ]
    assert run(["export", str(log), "--list", "--json"]) == 0
    assert [game["game"] for game in json.loads(capsys.readouterr().out)] == [1, 2]


@pytest.mark.parametrize(
    ("game", "says"),
    [
        ("nothing.db", "there is no such log"),
        ("{}:3", "there is no game 3; its games are 1 to 2"),
        ("{}:0", "no game 0"),
    ],
)
def test_a_game_that_is_not_there_is_said_in_one_line(
    log: Path, capsys: pytest.CaptureFixture[str], game: str, says: str
) -> None:
    assert run(["export", game.format(log)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_a_log_without_a_game_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    EventLog.open(tmp_path / "new.db").close()
    assert run(["export", str(tmp_path / "new.db")]) == 2
    assert "no game has begun" in capsys.readouterr().err
