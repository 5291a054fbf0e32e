"""Wrong input to any command: one clear line on stderr, exit 2, no traceback, nothing on stdout."""

import json

import pytest

from companion.cli import run

TABLE = """
[board]
[markers]
centres_mm = { "0" = [-134.9, -114.9], "1" = [134.9, -114.9], "2" = [134.9, 114.9], "3" = [-134.9, 114.9] }
"""
LOADS = "t_s,low_counts,high_counts\n0.0,1,2\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.toml").write_text(TABLE)
    (tmp_path / "load.csv").write_text(LOADS)
    (tmp_path / "noise.jpg").write_bytes(b"not a picture")
    (tmp_path / "nothing.jpg").write_bytes(b"")
    (tmp_path / "bad.toml").write_text("[board\n")
    (tmp_path / "unknown.toml").write_text(TABLE + "[board.extra]\n")
    (tmp_path / "typo.toml").write_text(TABLE + "[pinnacles]\naxis = 'rank'\n")
    (tmp_path / "no_markers.toml").write_text("[board]\n")
    (tmp_path / "no_board.toml").write_text(TABLE.replace("[board]", ""))
    (tmp_path / "words.csv").write_text(LOADS + "one,2,3\n")
    (tmp_path / "header.csv").write_text("t,a,b\n")
    (tmp_path / "backward.csv").write_text(LOADS + "0.0,1,2\n")
    (tmp_path / "empty").mkdir()
    for name, frames in {"frames": "t_s,file\n0.0,../noise.jpg\n", "times": "t_s,file\nsoon,a.jpg\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "table.toml").write_text(TABLE)
        (tmp_path / name / "frames.csv").write_text(frames)
    return tmp_path


CASES = [
    ("", "Usage"),
    ("nonsense", "nonsense"),
    ("perft", "DEPTH"),
    ("perft many", "many"),
    ("perft -1", "-1"),
    ("perft 3 --position nowhere", "nowhere"),
    ("perft 3 --colour", "--colour"),
    ("perft 3 4", "4"),
    ("moves --position 'bbbBbbb/7/7/7/7/wwwWww w - -'", "rank 1"),
    ("moves --position 'bbbBbbb/7/7/7/7/wwwWwww x - -'", "side to move"),
    ("moves --position 'bbbBbbb/7/7/7/7/wwwWwww w d4 -'", "d4"),
    ("moves --table missing.toml", "missing.toml"),
    ("moves --table bad.toml", "bad.toml"),
    ("moves --table typo.toml", "axis"),
    ("check", "MOVE"),
    ("check d1", "d1"),
    ("check d1-d9", "d9"),
    ("check d3-d4", "d3"),
    ("check d1xd2", "d2"),
    ("check d1-d2 --position ''", "position"),
    ("read-board noise.jpg", "--table"),
    ("read-board --table table.toml", "IMAGE"),
    ("read-board noise.jpg --table table.toml", "noise.jpg"),
    ("read-board nothing.jpg --table table.toml", "nothing.jpg"),
    ("read-board missing.jpg --table table.toml", "missing.jpg"),
    ("read-board empty --table table.toml", "empty"),
    ("read-board noise.jpg --table missing.toml", "missing.toml"),
    ("read-board noise.jpg --table unknown.toml", "extra"),
    ("read-board noise.jpg --table no_markers.toml", "[markers]"),
    ("read-board noise.jpg --table no_board.toml", "[board]"),
    ("load-events load.csv", "--table"),
    ("load-events missing.csv --table table.toml", "missing.csv"),
    ("load-events words.csv --table table.toml", "words.csv:3"),
    ("load-events header.csv --table table.toml", "header.csv:1"),
    ("load-events backward.csv --table table.toml", "backward.csv:3"),
    ("load-events noise.jpg --table table.toml", "noise.jpg"),
    ("replay missing", "missing"),
    ("replay load.csv", "load.csv"),
    ("replay empty", "table.toml"),
    ("replay frames --speed 0", "speed"),
    ("replay frames", "frames.csv:2"),
    ("replay times", "frames.csv:2"),
    ("verify missing.db", "missing.db"),
    ("verify noise.jpg", "noise.jpg"),
    ("demo --games 0", "games"),
    ("demo --games some", "some"),
    ("demo --port 99999", "99999"),
    ("demo --speed -1", "speed"),
    ("demo --seed -1", "seed"),
    ("demo --speed nan --games 1", "finite"),
    ("demo --log '' --no-browser --games 1", "is a folder"),
    ("demo --log empty --no-browser --games 1", "empty: is a folder"),
    ("demo --log noise.jpg --no-browser --games 1", "noise.jpg"),
]


@pytest.mark.parametrize(("line", "names"), CASES)
def test_bad_input_gets_one_line_that_names_it(here, capsys, line, names):
    import shlex

    code = run(shlex.split(line))
    out, err = capsys.readouterr()
    assert code == 2, (out, err)
    assert "Traceback" not in err
    assert names in err
    if line:
        assert len(err.strip().splitlines()) == 1
        assert out == ""


def test_an_illegal_move_is_an_answer_not_an_error(capsys):
    assert run(["check", "d1-d3", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == {"move": "d1-d3", "legal": False, "reasons": ["too_far"]}
    assert err == ""
