"""Kill -9, torn files and forged events: what is read back is what was written, or the fault is named."""

import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from companion.log import BadLog, Event, EventLog, LogNotSaved, verify
from companion.log.events import Entry, canonical_json, digest_of
from companion.rules import Position

APPEND_FOR_EVER = """
import sys
from companion.log import EventLog
with EventLog.open(sys.argv[1]) as log:
    while True:
        n = log.last_seq + 1
        log.append(n, "note", "table", {"text": f"{n} " * (n * 7919 % 3000)})
        print(n, flush=True)
"""


def test_every_acknowledged_event_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "table.log"
    chance = random.Random(7)
    acknowledged = 0
    for _ in range(5):
        command = [sys.executable, "-c", APPEND_FOR_EVER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(chance.randint(1, 120)):
                acknowledged = int(process.stdout.readline())
            process.kill()
            acknowledged = max([acknowledged, *map(int, process.stdout.read().split())])
        assert verify(path) == []
        with EventLog.open(path) as log:
            events = log.events()
        # One more than was acknowledged may have been saved: it was killed before it could say so.
        assert acknowledged <= len(events) <= acknowledged + 1
        assert all(event.payload["text"] == f"{event.seq} " * (event.seq * 7919 % 3000) for event in events)


@pytest.fixture
def torn(tmp_path: Path) -> tuple[Path, list[Event]]:
    """A log as a power cut finds it, half in its main file and half in the write-ahead file; and what is in it."""
    path, copy = tmp_path / "table.log", tmp_path / "copy.log"
    start = ("start", "both", {"position": Position.start().text()})
    with EventLog.open(path) as log:
        log.append_all([(n, *start) for n in range(20)])
    with EventLog.open(path) as log:
        for n in range(20):
            log.append(20 + n, "note", "table", {"text": f"{n} " * 40})
        for name in ("", "-wal"):
            shutil.copy(f"{path}{name}", f"{copy}{name}")
        return copy, log.events()


def test_a_write_ahead_file_cut_off_anywhere_leaves_the_events_up_to_there(torn: tuple[Path, list[Event]]) -> None:
    path, events = torn
    wal = path.with_name(path.name + "-wal")
    main_bytes, wal_bytes = path.read_bytes(), wal.read_bytes()
    chance = random.Random(11)
    lengths = set()
    for cut in [0, len(wal_bytes), *sorted(chance.randrange(len(wal_bytes)) for _ in range(60))]:
        path.write_bytes(main_bytes)
        wal.write_bytes(wal_bytes[:cut])
        path.with_name(path.name + "-shm").unlink(missing_ok=True)
        assert verify(path) == []
        with EventLog.open(path) as log:
            left = log.events()
            assert left == events[: len(left)]
            log.append(99, "note", "table", {"text": "the game goes on"})
        assert verify(path) == []
        lengths.add(len(left))
    assert (min(lengths), max(lengths)) == (20, 40)
    assert len(lengths) > 10


def test_a_bad_byte_in_the_write_ahead_file_leaves_the_events_up_to_there(torn: tuple[Path, list[Event]]) -> None:
    path, events = torn
    wal = path.with_name(path.name + "-wal")
    main_bytes, wal_bytes = path.read_bytes(), wal.read_bytes()
    chance = random.Random(13)
    for _ in range(60):
        path.write_bytes(main_bytes)
        wal.write_bytes(with_bad_byte(wal_bytes, chance))
        path.with_name(path.name + "-shm").unlink(missing_ok=True)
        with EventLog.open(path) as log:
            left = log.events()
        assert left == events[: max(20, len(left))]
        assert verify(path) == []


def with_bad_byte(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ chance.randrange(1, 256)]) + data[at + 1 :]


def test_a_bad_byte_in_the_main_file_never_yields_wrong_events(torn: tuple[Path, list[Event]]) -> None:
    path, events = torn
    with EventLog.open(path):
        pass  # brings everything into the main file
    good = path.read_bytes()
    chance = random.Random(17)
    refused = 0
    for _ in range(400):
        for name in ("-wal", "-shm"):
            path.with_name(path.name + name).unlink(missing_ok=True)
        path.write_bytes(with_bad_byte(good, chance))
        said = [str(problem) for problem in verify(path)]
        try:
            with EventLog.open(path) as log:
                assert log.events() == events
        except (BadLog, LogNotSaved) as error:
            refused += isinstance(error, BadLog)
            named_by_verify = bool(said) or isinstance(error, LogNotSaved)
            said.append(str(error))
            assert named_by_verify, said
        assert all(text.startswith(f"{path}: ") and "\n" not in text for text in said)
    assert refused > 100


def test_a_damaged_page_that_hides_its_last_event_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "table.log"
    with EventLog.open(path) as log:
        log.append_all([(n, "note", "table", {"text": str(n)}) for n in range(5)])
    data = bytearray(path.read_bytes())
    page = data.index(b"\x0d\x00\x00\x00\x05", 4096)  # a leaf of a table, with five rows
    data[page + 4] = 4
    path.write_bytes(data)
    with pytest.raises(BadLog, match="the file is damaged"):
        EventLog.open(path)
    assert any("the file is damaged" in str(problem) for problem in verify(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.log"
    with EventLog.open(path) as log:
        log.append_all([(n, "note", "table", {"text": str(n)}) for n in range(1, 9)])
    return path


def tamper(path: Path, *statements: str) -> None:
    """As somebody would who knows SQLite: the guards are taken away and put back."""
    with closing(sqlite3.connect(path)) as other:
        guards = other.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            other.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            other.execute(statement)
        for _, sql in guards:
            other.execute(sql)
        other.commit()


def test_a_clean_log_has_no_problems(path: Path) -> None:
    assert verify(path) == []


@pytest.mark.parametrize(
    "change",
    [
        'payload = \'{"text":"9"}\'',
        'payload = \'{"text": "4"}\'',
        "time = 77.0",
        "kind = 'fault'",
        "origin = 'both'",
    ],
)
def test_a_changed_event_is_named(path: Path, change: str) -> None:
    tamper(path, f"UPDATE event SET {change} WHERE seq = 4")
    (problem,) = verify(path)
    assert problem.seq == 4
    assert str(problem).startswith(f"{path}: event 4 was changed")
    with pytest.raises(BadLog, match="event 4 was changed"):
        EventLog.open(path)
    with EventLog.read(path) as reader:
        with pytest.raises(BadLog, match="event 4 was changed"):
            reader.events()
        assert [event.seq for event in reader.events(after=4)] == [5, 6, 7, 8]


def test_a_changed_event_with_a_digest_to_match_is_named_by_the_next(path: Path) -> None:
    with EventLog.read(path) as reader:
        events = reader.events()
    forged = digest_of(events[2].digest, 4, Entry(4.0, "note", "table", {"text": "9"}))
    tamper(path, f"UPDATE event SET payload = '{{\"text\":\"9\"}}', digest = '{forged}' WHERE seq = 4")
    (problem,) = verify(path)
    assert problem.seq == 5


def test_missing_events_are_named(path: Path) -> None:
    tamper(path, "DELETE FROM event WHERE seq IN (1, 4, 5)")
    assert [(p.seq, str(p)) for p in verify(path)] == [
        (1, f"{path}: event 1 is missing"),
        (4, f"{path}: events 4 to 5 are missing"),
    ]
    with pytest.raises(BadLog, match="event 1 is missing"):
        EventLog.open(path)


def test_swapped_events_are_named(path: Path) -> None:
    tamper(path, *(f"UPDATE event SET seq = {new} WHERE seq = {old}" for old, new in ((4, 99), (5, 4), (99, 5))))
    assert [problem.seq for problem in verify(path)] == [4, 5, 6]


def test_a_well_chained_event_that_no_table_could_have_written_is_named(path: Path) -> None:
    with EventLog.read(path) as reader:
        last = reader.events()[-1]
    payload = {"player": "green"}
    digest = digest_of(last.digest, 9, Entry(9.0, "held", "both", payload))
    tamper(path, f"INSERT INTO event VALUES (9, 9.0, 'held', 'both', '{canonical_json(payload)}', '{digest}')")
    (problem,) = verify(path)
    assert problem.seq == 9
    assert "event 9 cannot be read: held: player is 'green'" in str(problem)


def test_a_guard_that_was_taken_away_is_named(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TRIGGER event_is_never_changed")
    (problem,) = verify(path)
    assert problem.seq is None
    assert "event_is_never_changed" in str(problem)
