"""`senryaku evidence`: one file for an appeal."""

import json
import zipfile

import pytest

from companion.cli import run
from companion.log import EventLog
from companion.rules import Position
from companion.table.evidence_case import Case
from companion.table.evidence_store import EvidenceStore, evidence_folder


@pytest.fixture
def log(tmp_path):
    """A log with a start and a move, and evidence for the move."""
    file = tmp_path / "table.db"
    with EventLog.open(file) as opened:
        opened.append(1.0, "start", "both", {"position": Position.start().text()})
        after = "bbbBbbb/7/7/7/3W3/www1www b - -"
        move = opened.append(2.0, "move", "both", {"player": "white", "move": "d1-d2", "position": after})
    about = {
        "event": {"seq": 2, "time": 2.0, "kind": "move", "origin": "both", "payload": {}, "digest": move.digest},
        "says": "White moves d1-d2", "rule": "One well.", "position_before": Position.start().text(),
        "since_s": 1.0, "until_s": 2.0, "pictures": {}, "hypotheses": [], "load_events": [],
        "calibration": {n: {"offset_counts": 0.0, "counts_per_gram": 400.0} for n in ("low", "high")},
    }  # fmt: skip
    load = b"t_s,low_counts,high_counts\n0.0,4000,4000\n1.0,4400,\n"
    store = EvidenceStore(evidence_folder(file))
    store.save(Case(about, {"load.csv": load}))
    store.close()
    return file


def test_the_evidence_of_an_event_becomes_one_file(log, tmp_path, capsys):
    out = tmp_path / "appeal.zip"
    assert run(["evidence", str(log), "2", "-o", str(out)]) == 0
    assert "White moves d1-d2" in capsys.readouterr().out
    with zipfile.ZipFile(out) as opened:
        assert set(opened.namelist()) == {"index.html", "evidence.json", "load.csv"}
        assert b"White moves d1-d2" in opened.read("index.html")


def test_json_says_what_was_written(log, tmp_path, capsys):
    out = tmp_path / "appeal.zip"
    assert run(["evidence", str(log), "2", "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"event": 2, "says": "White moves d1-d2", "file": str(out)}


def test_without_a_number_it_lists_what_there_is(log, capsys):
    assert run(["evidence", str(log)]) == 0
    assert capsys.readouterr().out.split() == ["2", "move", "d1-d2"]


def refused(capsys, code, *arguments):
    assert run(["evidence", *map(str, arguments)]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


def test_an_event_without_evidence_is_named_with_those_that_have_some(log, capsys):
    assert "event 1 (start) is kept; there is for: 2" in refused(capsys, 1, log, 1)


def test_an_event_that_is_not_there_is_refused(log, capsys):
    assert "there is no event 9" in refused(capsys, 2, log, 9)


def test_a_file_that_is_there_is_not_written_over(log, tmp_path, capsys):
    out = tmp_path / "appeal.zip"
    out.write_text("mine")
    assert "is there already" in refused(capsys, 2, log, 2, "-o", out)
    assert out.read_text() == "mine"


def test_a_place_that_cannot_be_written_to_is_refused(log, tmp_path, capsys):
    assert "cannot be written" in refused(capsys, 2, log, 2, "-o", tmp_path / "nowhere" / "a.zip")


def test_evidence_of_another_log_is_not_passed_off(log, capsys):
    log.unlink()
    with EventLog.open(log) as opened:
        opened.append(1.0, "start", "both", {"position": Position.start().text()})
        opened.append(2.0, "held", "both", {"player": "white"})
    assert "another log's event 2" in refused(capsys, 1, log, 2)


def test_a_log_that_is_not_there_is_refused(tmp_path, capsys):
    assert "no such log" in refused(capsys, 2, tmp_path / "no.db", 1)
