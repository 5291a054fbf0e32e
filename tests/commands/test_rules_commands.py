"""`moves`, `check` and `perft` print what the contract says."""

import json

import pytest

from companion.balance import Hand, nothing_known
from companion.cli import run
from companion.rules import Position
from companion.table.balance_file import Kept, write_kept

TABLE = """
[board]
[pinnacles]
half_spacing_mm = 6.0
[markers]
centres_mm = { "0" = [-134.9, -114.9], "1" = [134.9, -114.9], "2" = [134.9, 114.9], "3" = [-134.9, 114.9] }
"""


def printed(capsys, *arguments, code=0):
    assert run(list(arguments)) == code
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("depth", "count"), [(0, 1), (1, 19), (2, 361), (3, 6137), (4, 104329)])
def test_perft_counts_the_sequences(capsys, depth, count):
    assert run(["perft", str(depth)]) == 0
    assert capsys.readouterr().out == f"{count}\n"


def test_moves_without_a_table_say_nothing_of_balance(capsys):
    listed = printed(capsys, "moves", "--json")
    assert listed["side"] == "white"
    assert listed["position"] == "bbbBbbb/7/7/7/7/wwwWwww w - -"
    assert len(listed["moves"]) == 19
    assert listed["moves"][0] == {"move": "a1-a2", "sphere": "plain", "capture": False}
    assert {m["move"] for m in listed["moves"] if m["sphere"] == "coloured"} == {"d1-c2", "d1-d2", "d1-e2"}


def test_moves_with_a_table_have_margin_and_risk_of_every_step(capsys, tmp_path):
    table = tmp_path / "table.toml"
    table.write_text(TABLE)
    position = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -"
    listed = printed(capsys, "moves", "--json", "--table", str(table), "--position", position)
    capture = next(m for m in listed["moves"] if m["capture"])
    assert capture["move"] == "c2xd3"
    assert [s["step"] for s in capture["steps"]] == ["remove", "lift", "place"]
    for move in listed["moves"]:
        assert 0 <= move["risk"] <= 1
        assert all(set(s) == {"step", "margin_mm", "sd_mm", "risk"} for s in move["steps"])


def test_moves_count_with_what_play_has_taught_and_whose_hand_it_is(capsys, tmp_path):
    table, learned = tmp_path / "table.toml", tmp_path / "a.balance.json"
    table.write_text(TABLE)
    rough = Hand((1.0, 1.0, 1.0, 1.0, 60.0), 0.6, 0.1)  # leans on the spheres
    write_kept(learned, Kept(nothing_known(Position.start(), "ranks", 36.0, 4.0), {"Ada": rough}))
    asked = ("moves", "--json", "--table", str(table), "--learned", str(learned))
    narrow, hers = printed(capsys, *asked), printed(capsys, *asked, "--player", "Ada")
    wide = printed(capsys, "moves", "--json", "--table", str(table))
    for a, b, c in zip(narrow["moves"], wide["moves"], hers["moves"], strict=True):
        assert a["steps"][0]["margin_mm"] < b["steps"][0]["margin_mm"]
        assert a["risk"] < c["risk"]


@pytest.mark.parametrize("extra", [["--player", "Bo"], ["--learned", "none.balance.json"]])
def test_whom_or_what_nobody_knows_is_refused(capsys, tmp_path, extra):
    table = tmp_path / "table.toml"
    table.write_text(TABLE)
    assert run(["moves", "--table", str(table), *extra]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_check_gives_every_reason(capsys):
    position = "bbbBbbb/7/7/3w3/7/wwwW1ww w d3 -"
    answer = printed(capsys, "check", "d3-d1", "--position", position, "--json", code=1)
    assert answer["legal"] is False
    assert answer["reasons"][:3] == ["backward", "too_far", "same_sphere_twice"]


def test_check_writes_a_capture_as_a_capture(capsys):
    position = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -"
    assert printed(capsys, "check", "c2-d3", "--position", position, "--json")["move"] == "c2xd3"


@pytest.mark.parametrize(
    "command", ["demo", "replay", "moves", "check", "perft", "read-board", "load-events", "verify"]
)
def test_every_command_has_help(capsys, command):
    assert run([command, "--help"]) == 0
    assert "Usage: senryaku" in capsys.readouterr().out
