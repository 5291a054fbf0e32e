"""`analyse` goes through a finished game."""

import json

import pytest

from companion.balance import NEW_HAND, nothing_known
from companion.cli import run
from companion.log import EventLog, Kind, Origin
from companion.rules import Move, Position, play
from companion.table.balance_file import Kept

MOVES = ("d1-d2", "d6-d5", "d2-d3", "d5-d4", "a1-a2", "g6-g5", "d3xd4")


def logged(path, moves, *endings, names=("Ada", "Ben"), taught=None):
    """A log with one game of these moves, and what came at its end."""
    position = Position.start()
    with EventLog.open(path) as log:
        log.append(1.0, Kind.MATCH, Origin.PERSON, {"white": names[0], "black": names[1]})
        log.append(2.0, Kind.START, Origin.CAMERA, {"position": position.text()})
        for n, text in enumerate(moves):
            move, player = Move.parse(text), str(position.side)
            position = play(position, move)
            payload = {"player": player, "move": text, "position": position.text()}
            if n == 2:
                steps = [
                    {"step": "lift", "margin_mm": 1.0, "sd_mm": 0.1, "risk": 0.3, "least_mm": 0.1},
                    {"step": "place", "margin_mm": 2.0, "sd_mm": 0.1, "risk": 0.1, "least_mm": 1.5},
                ]
                payload["balance"] = {"risk": 0.37, "least_risk": 0.02, "steps": steps}
            log.append(3.0 + n, Kind.MOVE, Origin.BOTH, payload)
        for kind, payload in endings:
            log.append(50.0, kind, Origin.BOTH, payload)
        if taught is not None:
            log.append(51.0, Kind.NOTE, Origin.LOAD_CELLS, {"text": "taught", "taught": taught(position).to_json()})
    return path


def over(winner, termination, points):
    return Kind.GAME_OVER, {"winner": winner, "termination": termination, "points": points}


CAPTURED = over("white", "capture", 2)
CRASHED = ((Kind.CRASH, {"player": "white", "step": "lift"}), over("black", "crash", 1))


def weighed(half_spacing_mm):
    def taught(position):
        return Kept(nothing_known(position, "ranks", 36.0, half_spacing_mm), {"Ada": NEW_HAND})

    return taught


def printed(capsys, *arguments, code=0):
    assert run(["analyse", *map(str, arguments)]) == code
    return capsys.readouterr().out


def test_without_load_cells_a_game_has_moves_missed_captures_and_no_margins(capsys, tmp_path):
    log = logged(tmp_path / "a.db", MOVES, CAPTURED)
    told = json.loads(printed(capsys, log, "--json"))
    assert [m["move"] for m in told["moves"]] == list(MOVES)
    assert all(m["steps"] == [] and m["risk"] is None for m in told["moves"])
    assert told["known"] is None
    missed = {m["n"]: [c["move"] for c in m["missed_captures"]] for m in told["moves"] if m["missed_captures"]}
    assert missed == {5: ["d3xd4"], 6: ["d4xd3"]}


def test_the_move_that_lost_a_capture_is_the_last_with_a_way_out(capsys, tmp_path):
    log = logged(tmp_path / "a.db", MOVES, CAPTURED)
    lost = json.loads(printed(capsys, log, "--json"))["lost_by"]
    assert lost["player"] == "black"
    assert (lost["n"], lost["move"]) == (6, "g6-g5")
    assert lost["better"] is not None


def test_with_what_play_taught_every_step_has_its_margin_and_risk(capsys, tmp_path):
    log = logged(tmp_path / "a.db", MOVES[:6], *CRASHED, taught=weighed(6.0))
    told = json.loads(printed(capsys, log, "--json"))
    assert told["known"]["half_spacing_mm"] == 6.0
    for move in told["moves"]:
        assert [step["step"] for step in move["steps"]] == ["lift", "place"]
        assert 0 <= move["risk"] <= 1
        assert move["safest"]["risk"] <= move["risk"] + 1e-9
    assert told["moves"][2]["foretold"] == 0.37
    assert [m["n"] for m in told["moves"] if m["near_miss"]] == [3]


def test_a_crash_that_need_not_have_been_is_what_lost_it(capsys, tmp_path):
    log = logged(tmp_path / "a.db", MOVES[:6], *CRASHED, taught=weighed(9.0))
    lost = json.loads(printed(capsys, log, "--json"))["lost_by"]
    assert (lost["n"], lost["player"], lost["move"]) == (7, "white", None)
    assert lost["better"] is not None


def test_where_no_safe_move_was_left_an_earlier_one_lost_it(capsys, tmp_path):
    log = logged(tmp_path / "a.db", MOVES[:6], *CRASHED, taught=weighed(1.5))  # every lift tips such a board
    lost = json.loads(printed(capsys, log, "--json"))["lost_by"]
    assert lost is None or lost["n"] < 7


def test_text_and_page_say_the_same_and_names_are_no_markup(capsys, tmp_path):
    names = ("<b>Ada</b>", "Ben & Co")
    log = logged(tmp_path / "a.db", MOVES[:6], *CRASHED, names=names, taught=weighed(6.0))
    page = tmp_path / "game.html"
    text = printed(capsys, log, "--page", page)
    html = page.read_text()
    assert "<b>Ada</b> against Ben & Co, 6 moves: Ben & Co wins by a crash" in text
    assert "&lt;b&gt;Ada&lt;/b&gt;" in html
    assert "<b>Ada" not in html
    assert html.count("<title>") == 1 + 6 * 2 + 1  # the page's, every touch's, the crash's
    assert "<script" not in html


def test_a_game_can_be_chosen_by_number(capsys, tmp_path):
    log = logged(tmp_path / "a.db", MOVES, CAPTURED)
    with EventLog.open(log) as opened:
        opened.append(60.0, Kind.START, Origin.CAMERA, {"position": Position.start().text()})
    assert json.loads(printed(capsys, log, "--json"))["moves"] == []
    assert len(json.loads(printed(capsys, log, "--number", 1, "--json"))["moves"]) == len(MOVES)
    assert run(["analyse", str(log), "--number", "3"]) == 2
    assert "games are 1 to 2" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["missing", "empty folder", "no log"])
def test_what_is_no_game_is_refused_in_one_line(capsys, tmp_path, what):
    place = tmp_path / "game"
    if what == "empty folder":
        place.mkdir()
    elif what == "no log":
        place.write_text("hello")
    assert run(["analyse", str(place)]) in (1, 2)
    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0
    assert "game" in said
    assert (what == "empty folder") == ("is no recording" in said)


def test_a_recorded_game_is_gone_through_with_its_loads(capsys, shared):
    told = json.loads(printed(capsys, shared / "data" / "recordings" / "r3_crash_place", "--json"))
    assert told["over"] == {"winner": "black", "termination": "crash"}
    assert told["known"]["half_spacing_mm"] == pytest.approx(5.2, rel=0.03)
    assert len(told["moves"]) == 16
    assert told["lost_by"]["player"] == "white"
