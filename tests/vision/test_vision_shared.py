"""Readings of path-traced pictures with truth; the whole set is scored by hand with the shared `boards.py`."""

import json
import tomllib
from pathlib import Path

import cv2
import pytest

from vision.geometry import CameraModel, Grid, MarkerLayout, SphereColours
from vision.reader import BoardReader
from vision.reading import Content

WORDS = {content.word: content for content in Content}
LETTERS = {"w": Content.WHITE, "W": Content.WHITE_COLOURED, "b": Content.BLACK, "B": Content.BLACK_COLOURED}
START = "bbbBbbb/7/7/7/7/wwwWwww"


def new_reader(folder: Path) -> BoardReader:
    settings = tomllib.loads((folder / "table.toml").read_text())
    board, camera, markers = settings["board"], settings["camera"], settings["markers"]
    return BoardReader(
        Grid(pitch_mm=board["well_pitch_mm"], sphere_diameter_mm=board["sphere_diameter_mm"]),
        CameraModel(tuple(camera["size_px"]), tuple(map(tuple, camera["matrix"])), tuple(camera["distortion"])),
        MarkerLayout({int(k): tuple(v) for k, v in markers["centres_mm"].items()}, size_mm=markers["size_mm"]),
        SphereColours(**settings["spheres"]),
    )


def placed(text: str) -> list[Content]:
    contents = []
    for rank in reversed(text.split(maxsplit=1)[0].split("/")):
        for letter in rank:
            contents += [Content.EMPTY] * int(letter) if letter.isdigit() else [LETTERS[letter]]
    return contents


def faults(reading, truth: Path) -> tuple[int, int, int, int]:
    """Visible wells read wrongly, left open, and in all; covered wells guessed wrongly."""
    wells = json.loads(truth.read_text())["wells"]
    wrong = opened = visible = guessed = 0
    for well, is_ in enumerate(reading.likeliest()):
        true = wells[Grid().name(well)]
        if true == "any":
            continue
        hidden = isinstance(true, dict) and true.get("hidden")
        content = WORDS[true["is"] if isinstance(true, dict) else true]
        visible += not hidden
        opened += is_ == Content.HIDDEN and not hidden
        guessed += bool(hidden) and is_ not in (Content.HIDDEN, content)
        wrong += not hidden and is_ not in (Content.HIDDEN, content)
    return wrong, opened, visible, guessed


def shots(folder: Path) -> list[Path]:
    return sorted(p.with_suffix(".jpg") for p in folder.glob("*.json"))


def test_scenes_are_read_with_hardly_a_fault_and_none_with_confidence(shared):
    total = [0, 0, 0, 0]
    for folder in sorted((shared / "data/boards").glob("scene*")):
        reader = new_reader(folder)
        reader.learn_empty(cv2.imread(str(folder / "empty.jpg")))
        reader.learn_start(cv2.imread(str(folder / "start.jpg")), placed(START))
        for shot in shots(folder):
            reading = reader.read(cv2.imread(str(shot)), 0.0)
            found = faults(reading, shot.with_suffix(".json"))
            assert not (reading.confident and (found[0] or found[3])), shot
            total = [a + b for a, b in zip(total, found, strict=True)]
    wrong, opened, visible, _ = total
    assert visible > 1000
    assert (wrong + opened) * 500 <= visible


def test_single_pictures_of_unknown_tables_are_read_with_few_faults_and_none_with_confidence(shared):
    total = [0, 0, 0, 0]
    for folder in sorted((shared / "data/boards").glob("cold*")):
        for shot in shots(folder):
            reading = new_reader(folder).read(cv2.imread(str(shot)), 0.0)
            found = faults(reading, shot.with_suffix(".json"))
            assert not (reading.confident and (found[0] or found[3])), shot
            total = [a + b for a, b in zip(total, found, strict=True)]
    wrong, opened, visible, _ = total
    assert (wrong + opened) * 200 <= visible


@pytest.mark.parametrize("name", ["r1_capture", "r6_lamp_10sps"])
def test_in_a_recording_frames_before_the_first_hand_show_the_start_position(shared, name):
    folder = shared / "data/recordings" / name
    first_hand = min(
        event["t_lift"]
        for event in map(json.loads, (folder / "truth.jsonl").read_text().splitlines())
        if event.get("t_lift")
    )
    reader = new_reader(folder)
    reader.learn_empty(cv2.imread(str(folder / "empty.jpg")))
    rows = [line.split(",") for line in (folder / "frames.csv").read_text().split()[1:]]
    calm = [file for t, file in rows if float(t) < first_hand - 2]
    assert calm
    for file in calm:
        reading = reader.read(cv2.imread(str(folder / file)), 0.0)
        assert reading.likeliest() == placed(START)
        assert reading.confident


@pytest.mark.parametrize("name", ["r2_infringements", "r3_crash_place", "r5_crash_remove", "r6_lamp_10sps"])
def test_in_a_recording_no_hand_makes_a_resting_sphere_something_else(shared, name):
    """Spheres that never move in the recording are, in every frame before its end, what they are or hidden."""
    folder = shared / "data/recordings" / name
    events = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    until = min([e["t"] - 2 for e in events if e["kind"] == "crash"] + [1e9])
    known = [
        placed(e.get("placement") or e["position"])
        for e in events
        if e["t"] < until and e["kind"] != "none" and (e.get("placement") or e.get("position"))
    ]
    resting = [w for w in range(42) if len({position[w] for position in known}) == 1]
    reader = new_reader(folder)
    reader.learn_empty(cv2.imread(str(folder / "empty.jpg")))
    rows = [line.split(",") for line in (folder / "frames.csv").read_text().split()[1:]]
    reader.learn_start(cv2.imread(str(folder / rows[0][1])), placed(START))
    assert len(resting) > 15
    for t, file in rows[::2]:
        if float(t) >= until:
            break
        likely = reader.read(cv2.imread(str(folder / file)), 0.0).likeliest()
        spheres = [w for w in resting if known[0][w] != Content.EMPTY]
        assert all(likely[w] in (known[0][w], Content.HIDDEN) for w in spheres), file
