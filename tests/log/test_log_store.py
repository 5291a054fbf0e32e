"""The log's file: what is appended is there, in order, for ever, and only one process writes."""

import hashlib
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from companion.errors import BadInput, SenryakuError
from companion.log import BadLog, Event, EventLog, LogInUse, LogNotSaved, verify
from companion.log.database import APPLICATION_ID, FORMAT
from companion.log.events import Entry as LogEntry
from companion.log.events import canonical_json, digest_of
from companion.rules import Position

START = {"position": Position.start().text()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games" / "table 1.log"


@pytest.fixture
def log(path: Path) -> Iterator[EventLog]:
    with EventLog.open(path) as opened:
        yield opened


def one_line(error: BaseException) -> str:
    text = str(error)
    assert "\n" not in text
    return text


def test_a_new_log_makes_its_folder_and_is_empty(log: EventLog, path: Path) -> None:
    assert path.is_file()
    assert log.events() == []
    assert log.last_seq == 0


def test_an_event_comes_back_as_it_was_appended(log: EventLog, path: Path) -> None:
    payload = {"text": 'Zoë says "go" 😀', "list": [1, 2.5, None, True, {"deep": []}]}
    event = log.append(1700000000.125, "note", "person", payload)
    assert (event.seq, event.time, event.kind, event.origin) == (1, 1700000000.125, "note", "person")
    assert event.payload == payload
    assert log.events() == [event]
    log.close()
    with EventLog.open(path) as again:
        assert again.events() == [event]


def test_what_is_appended_later_to_a_payload_does_not_reach_the_event(log: EventLog) -> None:
    payload = {"text": "before", "list": (1, 2)}
    event = log.append(1, "note", "person", payload)
    payload["text"] = "after"
    assert event.payload == {"text": "before", "list": [1, 2]}
    assert log.events() == [event]
    assert isinstance(log.events()[0].time, float)


def test_sequence_numbers_count_from_one_also_over_several_openings(path: Path) -> None:
    for n in range(3):
        with EventLog.open(path) as log:
            assert log.append(n, "note", "table", {"text": str(n)}).seq == n + 1
    with EventLog.open(path) as log:
        assert [event.payload["text"] for event in log.events()] == ["0", "1", "2"]
        assert log.last_seq == 3


def test_events_after_a_number_are_the_later_ones(log: EventLog) -> None:
    events = log.append_all([(n, "note", "table", {"text": str(n)}) for n in range(5)])
    assert [log.events(after) for after in range(7)] == [events[after:] for after in range(7)]


def test_every_digest_covers_the_event_and_the_digest_before(log: EventLog) -> None:
    first = log.append(1, "note", "table", {"z": 0.5, "text": "é"})
    second = log.append(2.25, "held", "both", {"player": "white"})
    texts = [
        "0" * 64 + r'[1,1.0,"note","table",{"text":"\u00e9","z":0.5}]',
        first.digest + '[2,2.25,"held","both",{"player":"white"}]',
    ]
    assert [first.digest, second.digest] == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


def test_several_events_are_appended_all_or_none(log: EventLog) -> None:
    log.append(1, "start", "both", START)
    with pytest.raises(BadInput, match="held: player is 'nobody'"):
        log.append_all([(2, "note", "table", {"text": "fine"}), (3, "held", "both", {"player": "nobody"})])
    assert log.last_seq == 1
    both = log.append_all([(2, "note", "table", {"text": "a"}), (3, "note", "table", {"text": "b"})])
    assert [event.seq for event in both] == [2, 3]
    assert log.append_all([]) == []
    assert log.last_seq == 3


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ((1, "nap", "both", {}), "event kind is 'nap'; it must be one of match, start"),
        ((1, "note", "oracle", {"text": ""}), "note: origin is 'oracle'; it must be one of camera"),
        ((1, "note", "table", {}), "note: text is missing"),
        ((1, "note", "table", ["x"]), "note: payload is .* table of values"),
        ((float("nan"), "note", "table", {"text": ""}), "note: time is nan"),
        ((True, "note", "table", {"text": ""}), "note: time is True"),
        ((1, "note", "table", {"text": "", "x": float("inf")}), "not fit for the log"),
        ((1, "note", "table", {"text": "", "x": {1}}), "not fit for the log"),
        ((1, "start", "both", {"position": "7/7 w"}), "start: position is '7/7 w'; it must be a position"),
        ((1, "start", "both", {"position": 7}), "start: position is 7; it must be a position text"),
        ((1, "held", "both", {"player": "red"}), "held: player is 'red'; it must be 'white' or 'black'"),
        ((1, "undo", "person", {"undoes": [], "says": ""}), "undo: undoes is .* a list of sequence numbers"),
        ((1, "redo", "person", {"redoes": True, "says": ""}), "redo: redoes is True; it must be a whole number"),
        ((1, "question", "both", {"about": "move", "candidates": [{"move": "d1-d2"}]}), "question: candidates is"),
        (
            (1, "game_over", "both", {"termination": "draw", "points": 0}),
            "termination is 'draw'; .* capture",
        ),
        ((1, "game_over", "both", {"termination": "crash", "points": 1}), "only a void game has none"),
        ((1, "match", "table", {"white": "A", "black": "B", "rules": {"tracks": 3}}), "unknown setting tracks"),
        ((1, "match", "table", {"white": "A", "black": "B", "rules": {"track_steps": 0}}), "track_steps is 0"),
        ((1, "match", "table", {"white": "A", "black": "B", "rules": [1]}), "is no table of settings"),
    ],
)
def test_an_event_that_could_not_be_read_later_is_refused(
    log: EventLog, entry: tuple[float, str, str, dict[str, object]], message: str
) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        log.append(*entry)
    one_line(caught.value)
    assert log.last_seq == 0


def test_threads_that_append_at_once_take_turns(log: EventLog, path: Path) -> None:
    def write(name: str) -> None:
        for n in range(20):
            log.append(n, "note", "table", {"text": f"{name}{n}"})

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = log.events()
    assert [event.seq for event in events] == list(range(1, 81))
    for name in "abcd":
        texts = [e.payload["text"] for e in events if e.payload["text"].startswith(name)]
        assert texts == [f"{name}{n}" for n in range(20)]
    assert verify(path) == []


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE event SET payload = '{}'",
        "UPDATE event SET seq = 9 WHERE seq = 2",
        "DELETE FROM event WHERE seq = 2",
        "INSERT OR REPLACE INTO event SELECT 1, time, kind, origin, payload, digest FROM event WHERE seq = 2",
        "INSERT INTO event SELECT 7, time, kind, origin, payload, digest FROM event WHERE seq = 2",
        "INSERT INTO event SELECT 3, 'noon', kind, origin, payload, digest FROM event WHERE seq = 2",
    ],
)
def test_the_file_itself_refuses_to_change_or_remove_an_event(log: EventLog, path: Path, sql: str) -> None:
    log.append_all([(n, "note", "table", {"text": str(n)}) for n in range(2)])
    with closing(sqlite3.connect(path)) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute(sql)
    assert verify(path) == []


def test_a_reader_sees_what_has_been_appended_so_far(log: EventLog, path: Path) -> None:
    first = log.append(1, "start", "both", START)
    with EventLog.read(path) as reader:
        assert reader.events() == [first]
        second = log.append(2, "note", "table", {"text": ""})
        assert reader.events(after=1) == [second]
        assert reader.last_seq == 2
        assert not hasattr(reader, "append")
        log.close()
        assert reader.events() == [first, second]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody can reach, which pytest's own is not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def nothing_can_be_written_to(folder: Path) -> Iterator[None]:
    folder.chmod(0o555)
    user = os.geteuid()
    if user == 0:  # root may write anywhere
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(0o755)


def test_a_log_is_read_where_nothing_can_be_written_beside_it(folder: Path) -> None:
    path = folder / "table.log"
    with EventLog.open(path) as log:
        event = log.append(1, "start", "both", START)
    with nothing_can_be_written_to(folder):
        with EventLog.read(path) as reader:
            assert reader.events() == [event]
        assert verify(path) == []
        with pytest.raises(LogNotSaved, match="cannot be opened for writing"):
            EventLog.open(path)


def test_nothing_is_left_out_where_the_write_ahead_file_cannot_be_read(folder: Path) -> None:
    path = folder / "table.log"
    EventLog.open(path).close()
    with EventLog.open(path) as log:
        log.append(1, "start", "both", START)
        copy = shutil.copytree(folder, folder / "stick")
    (copy / "table.log-shm").unlink()
    with nothing_can_be_written_to(copy), pytest.raises(BadLog, match=r"still in table\.log-wal; copy both") as caught:
        EventLog.read(copy / "table.log")
    one_line(caught.value)


def test_a_log_that_may_only_be_read_is_not_opened_for_writing(folder: Path) -> None:
    path = folder / "table.log"
    EventLog.open(path).close()
    path.chmod(0o444)
    with nothing_can_be_written_to(folder), pytest.raises(LogNotSaved, match="cannot be opened for writing"):
        EventLog.open(path)
    path.with_name("table.log.lock").chmod(0o666)
    with nothing_can_be_written_to(folder), pytest.raises(LogNotSaved, match="readonly"):
        EventLog.open(path)


def test_a_second_writer_in_the_same_process_is_refused(log: EventLog, path: Path) -> None:
    with pytest.raises(LogInUse, match=f"this process .pid {os.getpid()}.") as caught:
        EventLog.open(path)
    assert str(path) in one_line(caught.value)
    assert isinstance(caught.value, SenryakuError)
    assert isinstance(caught.value, OSError)
    log.close()
    EventLog.open(path).close()


HOLD = r"""
import os, sys
from companion.log import EventLog
log = EventLog.open(sys.argv[1])
log.append(1, "note", "table", {"text": "mine"})
if len(sys.argv) > 2 and os.fork() == 0:  # a child that outlives us
    os.write(1, b"ready\n")
    sys.stdin.read()
    os._exit(0)
os.write(1, b"ready\n")
sys.stdin.read()
os._exit(0)
"""


@contextmanager
def another_writer(path: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD, str(path), *more]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for _ in range(1 + len(more)):
                assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()
            process.stdin.close()


def test_a_second_process_is_told_who_writes_to_the_log(path: Path) -> None:
    with another_writer(path) as process:
        with pytest.raises(LogInUse) as caught:
            EventLog.open(path)
        assert one_line(caught.value).startswith(f"{path}: the process with pid {process.pid} writes to this log")
        with EventLog.read(path) as reader:
            assert reader.last_seq == 1
    with EventLog.open(path) as log:
        assert log.last_seq == 1


def test_a_killed_writer_leaves_no_lock_even_if_a_child_of_it_lives_on(path: Path) -> None:
    with another_writer(path, "with a child") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with EventLog.open(path) as log:
            assert log.append(2, "note", "table", {"text": "next"}).seq == 2


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_cannot_be_saved_is_said_and_the_log_goes_on_when_there_is_room_again(log: EventLog, path: Path) -> None:
    kept = log.append(1, "start", "both", START)
    with full_disk(path.with_name(path.name + "-wal").stat().st_size), pytest.raises(LogNotSaved) as caught:
        log.append(2, "note", "table", {"text": "lost" * 5000})
    assert one_line(caught.value).startswith(f"{path}: the log could not be saved: ")
    assert isinstance(caught.value, SenryakuError)
    assert isinstance(caught.value, OSError)
    assert log.events() == [kept]
    assert log.append(3, "note", "table", {"text": "kept"}).seq == 2
    assert verify(path) == []


def test_after_an_error_the_log_goes_on_from_what_is_really_in_the_file(log: EventLog, path: Path) -> None:
    first = log.append(1, "start", "both", START)
    entry = LogEntry(2.0, "note", "table", {"text": "saved, though an error was reported"})
    row = (2, 2.0, "note", "table", canonical_json(entry.payload), digest_of(first.digest, 2, entry))
    with closing(sqlite3.connect(path)) as other:
        other.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", row)
        other.commit()
    with pytest.raises(LogNotSaved, match="follows the last one"):
        log.append(3, "note", "table", {"text": "lost"})
    assert log.append(4, "note", "table", {"text": "kept"}).seq == 3
    assert verify(path) == []


def test_a_closed_log_takes_no_more_events(log: EventLog) -> None:
    log.close()
    log.close()
    with pytest.raises(LogNotSaved, match="the log is closed"):
        log.append(1, "start", "both", START)
    with pytest.raises(BadLog, match="the log cannot be read"):
        log.events()


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LogNotSaved, match="cannot be opened for writing") as caught:
        EventLog.open(tmp_path / "file" / "table.log")
    assert str(tmp_path / "file" / "table.log") in one_line(caught.value)


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    for attempt in (EventLog.open, EventLog.read):
        with pytest.raises(BadLog) as caught:
            attempt(tmp_path)
        assert one_line(caught.value).startswith(str(tmp_path))


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE event (seq)")


def newer(path: Path) -> None:
    EventLog.open(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {FORMAT + 1}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_bytes(b"1. d1-d2 d6-d5\n" * 300), "this is no log, or a damaged one"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + b"\x7f" * 4096), "this is no log, or a damaged one"),
        (foreign, "a database of another program"),
        (newer, "a newer version wrote this log"),
    ],
    ids=["text", "garbage with a good beginning", "another program's", "from a newer version"],
)
def test_a_file_that_is_no_log_of_ours_is_refused_and_left_alone(tmp_path: Path, make: object, message: str) -> None:
    path = tmp_path / "some file"
    make(path)  # type: ignore[operator]
    before = path.read_bytes()
    for attempt in (EventLog.open, EventLog.read):
        with pytest.raises(BadLog, match=message) as caught:
            attempt(path)
        assert one_line(caught.value).startswith(f"{path}: ")
    assert path.read_bytes() == before
    (problem,) = verify(path)
    assert str(problem).startswith(f"{path}: ")
    assert message in str(problem)


def test_a_missing_log_is_not_made_by_reading_it(tmp_path: Path) -> None:
    with pytest.raises(BadLog, match="there is no such log"):
        EventLog.read(tmp_path / "none.log")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_as_a_power_cut_leaves_it_becomes_a_log(tmp_path: Path) -> None:
    path = tmp_path / "table.log"
    path.touch()
    with pytest.raises(BadLog, match="empty"):
        EventLog.read(path)
    with EventLog.open(path) as log:
        assert log.append(1, "start", "both", START).seq == 1


def test_a_log_says_that_it_is_one(log: EventLog, path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        names = ("application_id", "user_version", "journal_mode")
        marks = [other.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    assert marks == [APPLICATION_ID, FORMAT, "wal"]


def test_equal_events_can_stand_in_one_set(log: EventLog) -> None:
    event = log.append(1, "start", "both", START)
    assert {event, *log.events()} == {event}
    assert isinstance(event, Event)
