"""What somebody who does not know the program does to it on the command line, and what they are told."""

import json
import logging
import shutil
import sqlite3
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import click
import cv2
import numpy as np
import pytest

from companion.cli import run
from companion.commands.output import FiniteFloat
from companion.log import EventLog

TABLE = """
[board]
[markers]
centres_mm = { "0" = [-134.9, -114.9], "1" = [134.9, -114.9], "2" = [134.9, 114.9], "3" = [-134.9, 114.9] }
"""
LOADS = "t_s,low_counts,high_counts\n"
OVER = "bbb1bbb/3B3/7/7/7/www1www w - -"
FULL = Path("/dev/full")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.toml").write_text(TABLE)
    cv2.imwrite("flat.png", np.full((120, 160, 3), 90, np.uint8))
    return tmp_path


@pytest.fixture
def board(here, shared):
    """Pictures of one table: empty.jpg, start.jpg and p1.jpg."""
    for name in ("empty.jpg", "start.jpg", "p1.jpg", "table.toml"):
        shutil.copy(shared / "data" / "boards" / "scene01" / name, here)
    return here


def told(capsys, *arguments, code):
    """The one line on stderr."""
    found = run(list(arguments))
    out, err = capsys.readouterr()
    assert found == code, (out, err)
    assert out == ""
    assert len(err.strip().splitlines()) == 1, err
    return err


def png_that_says(width, height):
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("[camera]\nsize_px = [0, 0]\n", "size_px"),
        ("[camera]\nsize_px = [640.5, 480]\n", "whole numbers from 16 to 20000"),
        ("[camera]\nsize_px = [640, 30000]\n", "whole numbers from 16 to 20000"),
        ("[camera]\nmatrix = [[nan, 0, 1], [0, 1, 1], [0, 0, 1]]\n", "matrix"),
        ("[spheres]\nwhite_coloured = 'mauve'\n", "'mauve' is no known colour; known are red, orange"),
        ("[spheres]\nblack_coloured = 'Magenta'\n", "must differ"),
    ],
)
def test_settings_that_no_table_can_have_are_refused_by_every_command(here, capsys, more, says):
    (here / "table.toml").write_text(TABLE + more)
    assert says in told(capsys, "moves", "--table", "table.toml", code=2)


def test_a_board_without_extent_is_refused(here, capsys):
    (here / "table.toml").write_text(TABLE.replace("[board]", "[board]\nsize_mm = [0, 260]"))
    assert "size_mm" in told(capsys, "moves", "--table", "table.toml", code=2)


def test_two_markers_in_one_place_are_refused_by_their_names(here, capsys):
    (here / "table.toml").write_text(TABLE.replace("[134.9, 114.9]", "[134.9, -114.9]"))
    assert "markers 1 and 2" in told(capsys, "moves", "--table", "table.toml", code=2)


def test_a_known_colour_that_is_not_the_usual_one_is_taken(here, capsys):
    (here / "table.toml").write_text(TABLE + "[spheres]\nwhite_coloured = 'red'\n")
    assert run(["moves", "--table", "table.toml", "--json"]) == 0


@pytest.mark.parametrize("speed", ["nan", "inf", "-inf", "0", "fast"])
def test_a_speed_that_is_no_number_or_out_of_bounds_is_refused(here, capsys, speed):
    assert "speed" in told(capsys, "replay", ".", "--speed", speed, code=2)


def test_a_finite_number_keeps_its_bounds():
    kind = FiniteFloat(min=0.1, max=10)
    assert kind.convert("2.5", None, None) == 2.5
    for wrong in ("nan", "inf", "0", "11"):
        with pytest.raises(click.BadParameter):
            kind.convert(wrong, None, None)


def test_after_a_capture_the_game_is_over_and_nothing_is_said_of_turns(capsys):
    assert run(["check", "a1-a2", "--position", OVER]) == 1
    text = capsys.readouterr().out
    assert "the game is over, Black has won by capture" in " ".join(text.split())
    assert "turn" not in text
    assert run(["check", "a1-a2", "--position", OVER, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["reasons"] == ["not_your_turn"]


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["--help"], ["moves"], ["perft", "1"]])
def test_output_that_cannot_be_written_is_told_in_one_line(arguments):
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "companion.cli", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr.strip().splitlines() == ["senryaku: the output: No space left on device"]


@pytest.mark.parametrize("arguments", [["--help"], ["moves"], ["perft", "1"]])
def test_nobody_reading_the_output_is_no_failure(arguments):
    command = [sys.executable, "-m", "companion.cli", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        complaint = running.stderr.read()
    assert (running.returncode, complaint) == (0, b"")


@pytest.mark.parametrize("arguments", ["--help", "moves", "perft 1"])
def test_an_output_closed_from_the_start_is_no_failure(arguments):
    command = ["sh", "-c", f'exec "$0" -m companion.cli {arguments} >&-', sys.executable]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("frames", "says"),
    [
        ("0.0,\n1.0,a.png\n", "frames.csv:2"),
        ("inf,flat.png\n1.0,flat.png\n", "frames.csv:2"),
        ("1_0,flat.png\n", "frames.csv:2"),
        ("١,flat.png\n", "frames.csv:2"),
        ("0.0,a.png\n0.1,b.png\n", "none of its pictures"),
    ],
)
def test_a_wrong_line_in_the_list_of_pictures_is_named(here, capsys, caplog, frames, says):
    (here / "frames.csv").write_text("t_s,file\n" + frames)
    assert says in told(capsys, "replay", ".", code=2)


@pytest.mark.parametrize("line", ["inf,1,2", "1_0,1,2", "1,1_000,2", "1,٣,2"])
def test_only_plain_numbers_stand_in_a_load_log(here, capsys, line):
    (here / "load.csv").write_text(f"{LOADS}0,1,2\n{line}\n3,1,2\n")
    assert "load.csv:3" in told(capsys, "load-events", "load.csv", "--table", "table.toml", code=2)


@pytest.mark.parametrize("cut", ["0.2,fl", "0.", "0.2", "0.2,", "\0\0\0"])
def test_a_list_of_pictures_cut_off_by_a_power_cut_is_played_to_there(here, capsys, caplog, cut):
    (here / "frames.csv").write_text("t_s,file\n0.0,flat.png\n0.1,flat.png\n" + cut)
    with caplog.at_level(logging.WARNING):
        assert run(["replay", ".", "--json"]) == 0
    (warning,) = caplog.messages
    assert "passed over" in warning


def test_a_recording_in_which_no_game_begins_says_so(here, capsys):
    (here / "frames.csv").write_text("t_s,file\n0.0,flat.png\n0.1,flat.png\n")
    assert run(["replay", ".", "--json"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "the start position was never seen" in err


def test_a_picture_that_cannot_be_read_is_passed_over_by_name(here, capsys, caplog):
    (here / "half.jpg").write_bytes(b"\xff\xd8\xff")
    (here / "frames.csv").write_text("t_s,file\n0.0,flat.png\n0.1,half.jpg\n0.2,flat.png\n")
    assert run(["replay", ".", "--json"]) == 0
    (warning,) = caplog.messages
    assert "half.jpg" in warning


@pytest.mark.parametrize("cut", ["0.2", "0.2,5", "0.", "0.2,1,-", "\0\0"])
def test_a_load_log_cut_off_by_a_power_cut_is_played_to_there(here, capsys, caplog, cut):
    (here / "load.csv").write_text(LOADS + "0.1,1,2\n" + cut)
    assert run(["load-events", "load.csv", "--table", "table.toml"]) == 0
    (warning,) = caplog.messages
    assert "load.csv:3" in warning


def test_a_warning_reaches_stderr_and_leaves_stdout_alone(here):
    (here / "load.csv").write_text(LOADS + "0.1,1,2\n0.")
    command = [sys.executable, "-m", "companion.cli", "load-events", "load.csv", "--table", "table.toml"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert "load.csv:3" in done.stderr


@pytest.mark.parametrize("kind", ["png", "jpg"])
def test_a_huge_picture_is_refused_before_it_is_decoded(here, capsys, kind):
    huge = here / f"huge.{kind}"
    if kind == "png":
        huge.write_bytes(png_that_says(30000, 20000))
    else:
        cv2.imwrite(str(huge), np.zeros((16, 32, 3), np.uint8))
        data, small = huge.read_bytes(), struct.pack(">HH", 16, 32)
        assert data.count(small) == 1
        huge.write_bytes(data.replace(small, struct.pack(">HH", 20000, 30000)))
    err = told(capsys, "read-board", huge.name, "--table", "table.toml", code=2)
    assert huge.name in err
    assert "30000 x 20000" in err


def test_a_picture_that_shows_no_board_to_learn_from_is_named(here, capsys):
    cv2.imwrite("other.png", np.full((120, 160, 3), 90, np.uint8))
    for option in ("--start", "--empty"):
        assert "flat.png" in told(
            capsys, "read-board", "other.png", "--table", "table.toml", option, "flat.png", code=2
        )


def test_pictures_that_cannot_be_written_are_told_in_one_line_and_the_reading_all_the_same(here, capsys):
    (here / "out" / "flat.annotated.jpg").mkdir(parents=True)
    for folder, named in (("table.toml", "table.toml"), ("out", "flat.annotated.jpg")):
        assert run(["read-board", "flat.png", "--table", "table.toml", "--annotate", folder]) == 2
        out, err = capsys.readouterr()
        assert "flat.png: not certain" in out
        assert named in err
        assert len(err.splitlines()) == 1


def test_a_missing_picture_does_not_keep_the_others_from_being_read(here, capsys):
    assert run(["read-board", "missing.png", "flat.png", "--table", "table.toml"]) == 2
    out, err = capsys.readouterr()
    assert "flat.png: not certain" in out
    assert "missing.png" in err


def test_images_of_the_same_name_are_each_kept(here, capsys):
    (here / "a").mkdir()
    shutil.copy("flat.png", "a/flat.png")
    shutil.copy("flat.png", "flat-2.png")
    images = ["flat.png", "a/flat.png", "flat-2.png"]
    assert run(["read-board", *images, "--table", "table.toml", "--annotate", "out"]) == 1
    assert len(list((here / "out").iterdir())) == 3


def test_a_board_with_spheres_is_not_taken_for_the_empty_one(board, capsys):
    arguments = ["read-board", "p1.jpg", "--table", "table.toml", "--empty"]
    err = told(capsys, *arguments, "start.jpg", code=2)
    assert "start.jpg: is not an empty board: spheres on a1, b1" in err
    assert run([*arguments, "empty.jpg"]) == 0


def test_a_whole_log_tells_its_number_of_events(here, capsys):
    with EventLog.open(here / "game.db") as log:
        for n in range(3):
            log.append(float(n), "note", "person", {"text": "a word"})
    assert run(["verify", "game.db"]) == 0
    assert "3 events, whole" in capsys.readouterr().out
    assert run(["verify", "game.db", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["events"] == 3


def test_the_database_of_another_program_is_no_log(here, capsys):
    with sqlite3.connect(here / "other.db") as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    assert "another program" in told(capsys, "verify", "other.db", code=2)


def test_the_help_of_verify_says_what_it_cannot_notice(capsys):
    assert run(["verify", "--help"]) == 0
    text = capsys.readouterr().out
    assert "-wal" in text
    assert "at the very end" in " ".join(text.split())
