"""What a ruling was based on is kept: pictures, loads, explanations, rule; within a budget, and whole after a kill."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import cv2
import numpy as np
import pytest

from companion.commands.demo_session import DemoSession
from companion.table.evidence import KEEP_S, LEAD_S, PICTURE_EVERY_S, Lately
from companion.table.evidence_case import BadEvidence, Case
from companion.table.evidence_page import page
from companion.table.evidence_store import EvidenceStore, evidence_file, kept
from firmware_bridge.samples import RawSample
from vision.frames import Frame

PICTURE = np.full((120, 160, 3), 90, np.uint8)


def case(seq, size=1000):
    return Case({"event": {"seq": seq}}, {"before.jpg": os.urandom(size)})


def store_in(folder, budget=10**9):
    return EvidenceStore(folder, budget)


# What is remembered


def test_the_picture_before_is_the_last_one_that_no_hand_covers():
    lately = Lately()
    for t, clear in ((1.0, True), (2.0, True), (3.0, False), (4.0, True)):
        lately.note(Frame(t, PICTURE), clear)
    stretch = lately.stretch(3.5, 4.0)
    assert stretch.before.t == 2.0
    assert stretch.after.t == 4.0


def test_the_newest_picture_is_the_one_after_however_fast_they_come():
    lately = Lately()
    for n in range(60):
        lately.note(Frame(n * PICTURE_EVERY_S / 15, PICTURE), True)
    assert lately.stretch(1.0, 4.0).after.t == pytest.approx(59 * PICTURE_EVERY_S / 15)
    assert len(lately._pictures) == 4


def test_the_load_trace_begins_a_little_before_the_change():
    lately = Lately()
    for n in range(1000):
        lately.note(RawSample(n / 10, n, -n))
    times = [s.t for s in lately.stretch(90.0, 95.0).samples]
    assert times[0] == pytest.approx(90.0 - LEAD_S)
    assert times[-1] == pytest.approx(95.0)


def test_what_is_older_than_a_turn_is_forgotten():
    lately = Lately()
    for n in range(int(3 * KEEP_S)):
        lately.note(RawSample(float(n), n, n))
        lately.note(Frame(float(n), PICTURE), True)
    assert len(lately._samples) <= KEEP_S + 1
    assert len(lately._pictures) <= KEEP_S + 1


def test_a_clock_that_is_set_back_begins_anew():
    lately = Lately()
    for t in (500.0, 501.0, 0.0, 1.5):
        lately.note(Frame(t, PICTURE), True)
        lately.note(RawSample(t, 1, 1))
    assert [p.t for p in lately._pictures] == [0.0, 1.5]
    assert [s.t for s in lately._samples] == [0.0, 1.5]


def test_without_a_witness_there_is_nothing_and_nothing_fails():
    stretch = Lately().stretch(0.0, 1.0)
    assert (stretch.before, stretch.after, stretch.samples) == (None, None, ())


# What is on the disk


def test_a_case_is_read_back_as_it_was_saved(tmp_path):
    store = store_in(tmp_path / "e")
    saved = case(7)
    store.save(saved)
    store.close()
    assert Case.read(evidence_file(tmp_path / "e", 7)) == saved
    assert store.problem is None


def test_the_same_evidence_gives_the_same_bytes():
    one = case(7)
    assert one.to_bytes() == Case(one.about, one.files).to_bytes()


def test_the_oldest_goes_first_when_the_budget_is_full(tmp_path):
    store = store_in(tmp_path, 10_500)
    store.protect(100)
    for seq in range(1, 21):
        store.save(case(seq))
    store.close()
    left = list(kept(tmp_path))
    assert left == list(range(21 - len(left), 21))
    assert sum(f.stat().st_size for f in kept(tmp_path).values()) <= 10_500
    assert len(left) > 5


def test_the_current_game_and_an_open_question_are_never_removed(tmp_path):
    store = store_in(tmp_path, 5_000)
    store.protect(15, frozenset({3}))
    for seq in range(1, 31):
        store.save(case(seq))
    store.close()
    assert list(kept(tmp_path)) == [3, *range(15, 31)]


def test_a_new_run_goes_on_with_the_same_budget(tmp_path):
    for run in range(3):
        store = store_in(tmp_path, 8_000)
        store.protect(1000)
        for seq in range(run * 10, run * 10 + 10):
            store.save(case(seq))
        store.close()
    assert sum(f.stat().st_size for f in kept(tmp_path).values()) <= 8_000
    assert 29 in kept(tmp_path)


def test_a_disk_that_cannot_be_written_to_is_named_and_does_not_stop_the_game(tmp_path):
    (tmp_path / "e").write_text("no folder")
    store = store_in(tmp_path / "e")
    store.save(case(1))
    store.close()
    assert store.problem is not None
    assert str(tmp_path / "e") in store.problem


def test_saving_again_works_once_there_is_room(tmp_path):
    blocker = tmp_path / "e"
    blocker.write_text("no folder")
    store = store_in(blocker)
    store.save(case(1))
    while store.problem is None:
        time.sleep(0.01)
    blocker.unlink()
    store.save(case(2))
    store.close()
    assert store.problem is None
    assert list(kept(blocker)) == [2]


WRITER = """
import os, sys
from pathlib import Path
from companion.table.evidence_case import Case
from companion.table.evidence_store import EvidenceStore
store = EvidenceStore(Path(sys.argv[1]))
for seq in range(1, 100000):
    store._write if store._sizes is None else None
    store.save(Case({"event": {"seq": seq}}, {"before.jpg": os.urandom(200_000)}))
    if seq == 5:
        print("writing", flush=True)
    while not store._jobs.empty():
        pass
"""


def test_what_was_saved_before_a_kill_is_whole(tmp_path):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.readline()
    while len(kept(tmp_path)) < 8:
        time.sleep(0.01)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    found = kept(tmp_path)
    assert [Case.read(file).seq for file in found.values()] == list(found)
    store = store_in(tmp_path)
    store.save(case(999_999))
    store.close()
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all"])
def test_a_damaged_file_is_named_in_one_line(tmp_path, content):
    file = tmp_path / "000003.zip"
    file.write_bytes(content)
    with pytest.raises(BadEvidence) as refused:
        Case.read(file)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_zip_of_something_else_is_no_evidence(tmp_path):
    file = tmp_path / "000003.zip"
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("evidence.json", "[]")
    with pytest.raises(BadEvidence):
        Case.read(file)


# At a table


@pytest.fixture
def played(tmp_path):
    """A simulated table on which a sphere was put too far, and the evidence of that."""
    with DemoSession.open(tmp_path / "demo.db", 5, False, None, False) as session:
        session.simulated.let_play(frozenset())
        _play(session, 3)
        session.table.ask({"do": "hand_move", "from": "b1", "to": "b3"})
        _play(session, 4)
        events = {e.kind: e for e in session._log.events()}
    return tmp_path, events


def _play(session, seconds):
    stop = session.simulated.world.t + seconds
    session.play(itertools.takewhile(lambda item: item.t < stop, session.items()))


def test_an_illegal_move_is_kept_with_all_that_it_was_based_on(played):
    folder, events = played
    kept_case = Case.read(evidence_file(folder / "demo.evidence", events["illegal"].seq))
    about = kept_case.about
    assert about["event"]["digest"] == events["illegal"].digest
    assert about["rule"].startswith("A turn is one move")
    assert "b1-b3" in about["says"]
    assert about["hypotheses"][0]["says"] == "b1-b3"
    assert about["hypotheses"][0]["p"] > 0.9
    assert [e["kind"] for e in about["load_events"]] == ["lift", "place"]
    before, after = (cv2.imdecode(np.frombuffer(kept_case.files[n], np.uint8), 1) for n in ("before.jpg", "after.jpg"))
    assert before.shape == after.shape == (480, 640, 3)
    pictures = about["pictures"]
    assert pictures["before.jpg"]["t_s"] <= about["since_s"] <= pictures["after.jpg"]["t_s"]
    rows = kept_case.files["load.csv"].decode().splitlines()
    assert rows[0] == "t_s,low_counts,high_counts"
    assert len(rows) > 200
    assert float(rows[-1].split(",")[0]) <= about["until_s"] + 1e-3


def test_every_ruling_of_a_game_has_its_evidence(played):
    folder, events = played
    rulings = {e.seq for e in events.values() if e.kind in ("start", "illegal")}
    assert rulings <= set(kept(folder / "demo.evidence"))


def test_the_page_tells_it_to_people(played):
    folder, events = played
    text = page(Case.read(evidence_file(folder / "demo.evidence", events["illegal"].seq))).decode()
    for part in ("b1-b3", 'src="before.jpg"', 'src="after.jpg"', "<polyline", "The rule:", events["illegal"].digest):
        assert part in text


def test_the_page_does_without_what_is_not_there():
    about = {
        "event": {"seq": 3, "time": 0.0, "kind": "move", "origin": "person", "payload": {}, "digest": "0" * 64},
        "says": "<b>", "rule": "", "position_before": "-", "since_s": 0.0, "until_s": 0.0, "pictures": {},
        "hypotheses": [], "load_events": [], "calibration": {},
    }  # fmt: skip
    text = page(Case(json.loads(json.dumps(about)), {})).decode()
    assert "&lt;b&gt;" in text
    assert "no camera picture" in text
    assert "no load cell" in text
