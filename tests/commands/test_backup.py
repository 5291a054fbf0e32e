"""`backup` and `restore`: nothing is lost on the way, also while a table writes, and nothing is overwritten unasked."""

import contextlib
import json
import sqlite3
import zipfile

import pytest

from companion.cli import run
from companion.commands.backup_files import MARK, last_backup
from companion.log import EventLog, Kind, Origin, rules_payload, verify
from companion.log.try4_file import connect_to_games
from companion.rules import MatchRules
from tests.firmware_bridge.calibration_bench import table_file

MATCH = {"white": "Ada", "black": "Ben", "rules": rules_payload(MatchRules())}


def played(file, events=3):
    with EventLog.open(file) as log:
        for n in range(events):
            log.append(1.8e9 + n, Kind.MATCH, Origin.PERSON, MATCH)


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs"
    played(folder / "one.db")
    played(folder / "two.db", 5)
    evidence = folder / "one.evidence"
    evidence.mkdir()
    with zipfile.ZipFile(evidence / "000002.zip", "w") as piece:
        piece.writestr("loads.csv", "t_s")
    return folder


def backed_up(logs, target, *options):
    assert run(["backup", str(target), "--log-folder", str(logs), *options]) == 0
    return target


def test_all_that_was_backed_up_comes_back(logs, tmp_path, capsys):
    settings = table_file(tmp_path)
    archive = backed_up(logs, tmp_path / "stick" / "all.zip", "--table", str(settings))
    new, table = tmp_path / "new", tmp_path / "table"
    capsys.readouterr()
    assert run(["restore", str(archive), "--log-folder", str(new), "--table-folder", str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["logs"] == {"one.db": 3, "two.db": 5}
    for name, events in (("one.db", 3), ("two.db", 5)):
        assert verify(new / name) == []
        with EventLog.read(new / name) as log:
            assert log.last_seq == events
    assert (new / "one.evidence" / "000002.zip").read_bytes() == (logs / "one.evidence" / "000002.zip").read_bytes()
    assert (table / "table.toml").read_text() == settings.read_text()
    with EventLog.open(new / "one.db") as log:  # and goes on
        assert log.append(1.9e9, Kind.MATCH, Origin.PERSON, MATCH).seq == 4


def test_a_log_that_is_being_written_is_copied_whole_with_its_newest_events(logs, tmp_path):
    with EventLog.open(logs / "one.db") as log:
        log.append(1.8e9 + 9, Kind.MATCH, Origin.PERSON, MATCH)
        archive = backed_up(logs, tmp_path / "all.zip")
    assert run(["restore", str(archive), "--log-folder", str(tmp_path / "new")]) == 0
    with EventLog.read(tmp_path / "new" / "one.db") as log:
        assert log.last_seq == 4


def test_games_of_try_4_and_what_was_learned_come_back_too(logs, tmp_path):
    connect_to_games(logs / "one.try4.db").close()
    (logs / "one.balance.json").write_text("{}")
    archive = backed_up(logs, tmp_path / "all.zip")
    new = tmp_path / "new"
    assert run(["restore", str(archive), "--log-folder", str(new)]) == 0
    connect_to_games(new / "one.try4.db").close()
    assert (new / "one.balance.json").read_text() == "{}"


def test_a_database_of_another_program_is_refused(logs, tmp_path, capsys):
    with contextlib.closing(sqlite3.connect(logs / "photos.db")) as other:
        other.execute("CREATE TABLE picture (name TEXT)")
    assert run(["backup", str(tmp_path / "all.zip"), "--log-folder", str(logs)]) == 2
    assert "photos.db" in capsys.readouterr().err


def test_in_a_folder_the_backup_is_named_after_its_time_and_the_time_is_remembered(logs, tmp_path):
    assert last_backup(logs) is None
    backed_up(logs, tmp_path / "stick")
    (file,) = (tmp_path / "stick").iterdir()
    assert file.name.startswith("senryaku-2")
    assert last_backup(logs) > 1.7e9
    (logs / MARK).write_text("nonsense")
    assert last_backup(logs) is None


def test_evidence_can_be_left_out(logs, tmp_path):
    archive = backed_up(logs, tmp_path / "all.zip", "--no-evidence")
    assert not [name for name in zipfile.ZipFile(archive).namelist() if name.startswith("evidence")]


def test_a_log_that_is_there_is_replaced_only_when_told_and_kept(logs, tmp_path, capsys):
    archive = backed_up(logs, tmp_path / "all.zip")
    played(logs / "one.db", 1)
    assert run(["restore", str(archive), "--log-folder", str(logs)]) == 1
    assert "--replace" in capsys.readouterr().err
    assert run(["restore", str(archive), "--log-folder", str(logs), "--replace"]) == 0
    with EventLog.read(logs / "one.db") as log, EventLog.read(logs / "one.db.before") as before:
        assert (log.last_seq, before.last_seq) == (3, 4)


def test_a_running_table_keeps_its_log(logs, tmp_path, capsys):
    archive = backed_up(logs, tmp_path / "all.zip")
    with EventLog.open(logs / "two.db"):
        assert run(["restore", str(archive), "--log-folder", str(logs), "--replace"]) == 1
    assert "writes to this log" in capsys.readouterr().err
    assert not (logs / "one.db.before").exists()


def test_a_log_that_is_not_whole_is_not_backed_up_and_no_file_is_left(logs, tmp_path, capsys):
    log = logs / "two.db"
    data = log.read_bytes()
    log.write_bytes(data.replace(b'"white":"Ada"', b'"white":"Eve"', 1))
    assert run(["backup", str(tmp_path / "all.zip"), "--log-folder", str(logs)]) == 2
    assert "two.db" in capsys.readouterr().err
    assert not list(tmp_path.glob("all.zip*"))
    assert last_backup(logs) is None


def _rewritten(archive, target, change):
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            for out, data in change(name, old.read(name)):
                new.writestr(out, data)
    return target


CHANGES = {
    "a log is missing": lambda name, data: [] if name == "logs/two.db" else [(name, data)],
    "a log was changed": lambda name, data: [(name, data.replace(b"Ada", b"Eve") if name == "logs/two.db" else data)],
    "no backup": lambda name, data: [] if name == "backup.json" else [(name, data)],
    "a newer format": lambda name, data: [
        (name, data.replace(b'"format": 1', b'"format": 2') if name == "backup.json" else data)
    ],
    "a file outside": lambda name, data: [("../outside" if name == "logs/two.db" else name, data)],
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_bad_backup_changes_nothing(logs, tmp_path, capsys, what):
    archive = _rewritten(backed_up(logs, tmp_path / "all.zip"), tmp_path / "bad.zip", CHANGES[what])
    capsys.readouterr()
    new = tmp_path / "new"
    assert run(["restore", str(archive), "--log-folder", str(new)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not new.exists() or not list(new.glob("*.db"))
    assert not (tmp_path / "outside").exists()


def test_what_is_no_zip_or_not_there_is_named(tmp_path, capsys):
    (tmp_path / "x.zip").write_text("hello")
    assert run(["restore", str(tmp_path / "x.zip"), "--log-folder", str(tmp_path)]) == 2
    assert run(["restore", str(tmp_path / "y.zip"), "--log-folder", str(tmp_path)]) == 2
    assert run(["backup", str(tmp_path / "b.zip"), "--log-folder", str(tmp_path / "empty")]) == 2
    err = capsys.readouterr().err.strip().splitlines()
    assert len(err) == 3
    assert all(part in line for part, line in zip(("x.zip", "y.zip", "empty"), err, strict=True))
