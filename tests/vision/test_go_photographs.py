"""Real photographs of Go boards, read with the corners given and no markers.

The signs by which pieces are told from bare board were tuned on `gobonline` (sun, glare, laser spots); only the share
of an outline that may be missing was chosen with a look at all three. All of the photographs:
`python tests/vision/test_go_photographs.py ../shared/data/go`.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from vision.board_pose import Pose, pose_from_corners
from vision.geometry import CameraModel, Grid
from vision.pieces import PieceReader
from vision.reading import BoardReading, Content
from vision.recorded_frames import read_picture

LETTERS = {".": Content.EMPTY, "W": Content.WHITE, "B": Content.BLACK}
TURNED = ("t1/t1_001.jpg", "t1/t1_002.jpg")  # seen from the side: the longer pitch lies across
BETWEEN_POINTS = {(row, 16) for row in range(8, 12)}  # stones in these pictures lie between two points:
DISPUTED = {f"t2/skip/t2_{n:03}.jpg": BETWEEN_POINTS for n in (50, 51, 52)}
NOT_SCORED = ("t2/skip/t2_053.jpg", "t2/skip/t2_054.jpg")
QUICK = {
    "t1": ("t1/t1_001.jpg", "t1/t1_009.jpg", "t1/t1_011.jpg"),
    "t2": ("t2/t2_000.jpg", "t2/skip/t2_008.jpg", "t2/skip/t2_050.jpg", "t2/skip/t2_079.jpg", "t2/t2_101.jpg"),
    "gobonline": ("gobonline/empty_overhead.jpeg", "gobonline/stones_overhead.jpg", "gobonline/few_stones_glare.jpg"),
}


@dataclass
class Score:
    points: int = 0
    faults: int = 0
    confident_errors: int = 0
    certain_pictures: int = 0
    pictures: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(*(getattr(self, f) + getattr(other, f) for f in self.__dataclass_fields__))

    def __str__(self) -> str:
        return (
            f"{self.points - self.faults} of {self.points} points right ({1 - self.faults / self.points:.3%}) in "
            f"{self.pictures} pictures ({self.certain_pictures} certain); confident errors: {self.confident_errors}"
        )


def grid_of(image: str) -> Grid:
    pitches = (23.7, 22.0) if image in TURNED else (22.0, 23.7)  # mm: the usual board
    return Grid(19, 19, pitches[0], sphere_diameter_mm=22.0, rank_pitch_mm=pitches[1], piece_height_mm=9.0)


def read_photograph(folder: Path, entry: dict) -> BoardReading:
    picture = read_picture(folder / entry["image"])
    grid = grid_of(entry["image"])
    pose = pose_from_corners(np.array(entry["corners_px"]), grid, CameraModel(), (picture.shape[1], picture.shape[0]))
    assert isinstance(pose, Pose), pose
    reader = PieceReader(grid, CameraModel())
    reader.place(pose)
    return reader.read(picture, 0.0)


def score(folder: Path, entry: dict) -> Score:
    reading = read_photograph(folder, entry)
    likely, result = reading.likeliest(), Score(certain_pictures=int(reading.confident), pictures=1)
    for row, letters in enumerate(entry["rows"]):
        for column, letter in enumerate(letters):
            if (row, column) in DISPUTED.get(entry["image"], ()):
                continue
            wrong = likely[(18 - row) * 19 + column] != LETTERS[letter]
            result += Score(1, int(wrong), int(wrong and reading.confident))
    return result


def entries(folder: Path, setup: str) -> list[dict]:
    listed = json.loads((folder / "truth.json").read_text())
    return [e for e in listed if e["setup"] == setup and e["image"] not in NOT_SCORED]


@pytest.mark.parametrize("setup", sorted(QUICK))
def test_go_stones_are_read_on_real_boards_without_markers(shared, setup):
    folder = shared / "data/go"
    total = sum((score(folder, e) for e in entries(folder, setup) if e["image"] in QUICK[setup]), Score())
    assert total.pictures == len(QUICK[setup])
    assert total.confident_errors == 0
    assert total.faults * 1000 <= total.points


def test_a_photograph_with_sun_on_the_board_is_not_certain(shared):
    folder = shared / "data/go"
    sunny = next(e for e in entries(folder, "gobonline") if e["image"] == "gobonline/empty_angled.jpeg")
    reading = read_photograph(folder, sunny)
    assert not reading.confident
    assert set(reading.likeliest()) == {Content.EMPTY}


if __name__ == "__main__":
    everything = Score()
    for name in sorted(QUICK):
        part = sum((score(Path(sys.argv[1]), e) for e in entries(Path(sys.argv[1]), name)), Score())
        print(f"{name}: {part}")
        everything += part
    print(f"all: {everything}")
