"""A recording through the whole path: samples and pictures in, rulings out."""

import json

import pytest

from companion.cli import run
from companion.table.recording import BadRecording, Recording
from tests.table.recorded_games import refereed

TOLD = {
    "move": ("player", "move"),
    "illegal": ("player", "move", "reason"),
    "restored": (),
    "held": ("player",),
    "crash": ("player", "step"),
    "game_over": ("winner", "termination"),
}


def told(lines):
    return [(line["kind"], *(line.get(key) for key in TOLD[line["kind"]])) for line in lines if line["kind"] in TOLD]


@pytest.mark.parametrize("name", ["r1_capture", "r5_crash_remove", "r2_infringements"])
def test_the_rulings_are_those_that_should_come(shared, name):
    recording = Recording.open(shared / "data" / "recordings" / name)
    truth = [json.loads(line) for line in (recording.folder / "truth.jsonl").read_text().splitlines()]
    found = refereed(recording.folder)[0].rulings
    assert told([ruling.to_json() for ruling in found]) == told(truth)
    assert not [ruling for ruling in found if ruling.kind == "question"]


def test_replay_prints_the_same_bytes_every_time(shared, capsys):
    outputs = []
    for _ in range(2):
        assert run(["replay", str(shared / "data" / "recordings" / "r6_lamp_10sps"), "--json"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert json.loads(outputs[0].splitlines()[0])["kind"] == "start"


def test_a_folder_without_either_witness_is_no_recording(tmp_path):
    (tmp_path / "table.toml").write_text('[board]\n[markers]\ncentres_mm = {"0"=[0,0],"1"=[1,0],"2"=[1,1]}\n')
    with pytest.raises(BadRecording, match=r"neither load\.csv nor frames\.csv"):
        Recording.open(tmp_path)
