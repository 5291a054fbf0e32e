"""The grid's geometry is a value: boards of wells of any size are read by the same reader."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.conftest import Table
from vision.geometry import CameraModel, Grid, MarkerLayout
from vision.reader import BoardReader


def board(files, ranks, pitch_mm, rank_pitch_mm=None):
    grid = Grid(files, ranks, pitch_mm, pitch_mm * 0.7, rank_pitch_mm=rank_pitch_mm)
    half = np.array([(files - 1) / 2 * pitch_mm, (ranks - 1) / 2 * (rank_pitch_mm or pitch_mm)])
    corner = half + pitch_mm * 0.5 + 14
    size = (float(2 * corner[0] + 30), float(2 * corner[1] + 30))
    centres = {i: (sx * corner[0], sy * corner[1]) for i, (sx, sy) in enumerate([(-1, -1), (1, -1), (1, 1), (-1, 1)])}
    focal = 760.0
    camera = CameraModel((640, 480), ((focal, 0, 319.5), (0, focal, 239.5), (0, 0, 1)))
    return Table(replace(grid, size_mm=size), camera, MarkerLayout(centres))


@pytest.mark.parametrize(
    ("files", "ranks", "pitch_mm", "rank_pitch_mm"),
    [(9, 9, 24.0, None), (19, 19, 11.0, None), (5, 8, 30.0, 26.0), (7, 6, 36.0, None)],
)
def test_a_board_of_any_size_is_read_by_its_wells(draw_board, files, ranks, pitch_mm, rank_pitch_mm):
    table = board(files, ranks, pitch_mm, rank_pitch_mm)
    rng = np.random.default_rng(files * ranks)
    names = [table.grid.name(w) for w in range(table.grid.wells)]
    back, front = names[: 2 * files], names[-2 * files :]
    start = dict.fromkeys(back, "w") | dict.fromkeys(front, "b") | {back[files // 2]: "W", front[files // 2]: "B"}
    chosen = rng.permutation(table.grid.wells)[: table.grid.wells // 3]
    letters = ["W", "B", *rng.choice(["w", "b"], len(chosen) - 2)]
    spheres = {names[w]: str(letter) for w, letter in zip(chosen, letters, strict=True)}
    pose = table.pose(10, away_mm=2.3 * max(table.grid.size_mm[0] * 0.75, table.grid.size_mm[1]))
    reader = BoardReader(table.grid, table.camera, table.markers, table.colours)
    reader.learn_empty(draw_board(table, {}, pose, 5))
    reader.learn_start(draw_board(table, start, pose, 5), table.contents(start))
    reading = reader.read(draw_board(table, spheres, pose, 5), 0.0)
    assert reading.board_found, reading.why
    expected = table.contents(spheres)
    wrong = [(n, g, e) for n, g, e in zip(names, reading.likeliest(), expected, strict=True) if g is not e]
    assert wrong == []
