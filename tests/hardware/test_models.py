"""The printed parts: rendered with a table's measures they are whole bodies that fit each other."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.table.settings import read_settings

HARDWARE = Path(__file__).resolve().parents[2] / "hardware"
trimesh = pytest.importorskip("trimesh", reason="trimesh is in the dev extra")
pytestmark = pytest.mark.skipif(shutil.which("openscad") is None, reason="openscad is not installed (apt)")
CELL_MM, SADDLE_SCREW_MM = 12.7, 20.0


@pytest.fixture(scope="module")
def models():
    sys.path.insert(0, str(HARDWARE / "models"))
    try:
        import make_models
    finally:
        sys.path.pop(0)
    return make_models


def table(half_spacing_mm=6.0, axis="ranks", size_mm=(300.0, 260.0)):
    settings = read_settings(HARDWARE / "pi" / "table.toml")
    cells = replace(settings.cells, half_spacing_mm=half_spacing_mm)
    return replace(settings, cells=cells, axis=axis, grid=replace(settings.grid, size_mm=size_mm))


TABLES = {
    "as described": table(),
    "pinnacles near": table(3.0),
    "pinnacles far": table(40.0),
    "along the files, a large board": table(8.5, "files", (420.0, 380.0)),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What the command makes for the table that is described in the project."""
    folder = tmp_path_factory.mktemp("made")
    command = [sys.executable, str(HARDWARE / "models" / "make_models.py"), str(HARDWARE / "pi" / "table.toml")]
    subprocess.run([*command, str(folder)], check=True, capture_output=True, timeout=300)
    return folder


@pytest.fixture(scope="module")
def rendered(models, made, tmp_path_factory):
    """rendered(name, settings) -> mesh; what comes down to the same shapes is rendered once."""
    folder, described = tmp_path_factory.mktemp("rendered"), models.parameters(table())
    meshes = {}

    def mesh_of(name, settings):
        shapes = folder / f"{name}.csg"
        models.render(name, shapes, settings)
        key = shapes.read_text()
        if key not in meshes:
            file = made / f"{name}.stl"
            if models.parameters(settings) != described:
                file = folder / f"{name}.stl"
                models.render(name, file, settings)
            meshes[key] = trimesh.load_mesh(file)
        return meshes[key]

    return mesh_of


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize("name", ["pinnacle", "cell_mount", "board_stop", "arm_foot", "arm_elbow", "camera_plate"])
def test_each_part_is_one_watertight_body(models, rendered, name, what):
    assert name in models.PRINTED
    mesh = rendered(name, TABLES[what])
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.body_count == 1
    assert mesh.volume > 1000
    assert max(mesh.extents) < 210, "too large for a common printer"


@pytest.mark.parametrize("half_spacing_mm", [3.0, 6.0, 12.0, 40.0])
def test_the_tip_stands_at_the_half_spacing_and_the_two_do_not_touch(rendered, half_spacing_mm):
    mesh = rendered("pinnacle", table(half_spacing_mm))
    top = mesh.vertices[np.argmax(mesh.vertices[:, 2])]
    cell_end = max(1.0, half_spacing_mm - 12.5)
    assert cell_end + top[0] == pytest.approx(half_spacing_mm, abs=0.1)
    assert top[1] == pytest.approx(0, abs=0.1)
    assert cell_end + mesh.bounds[0][0] > 0, "it reaches over the middle"


def test_the_pinnacle_sits_astride_its_cell(rendered):
    mesh = rendered("pinnacle", table())
    inside = [[SADDLE_SCREW_MM, 0, -3], [10, CELL_MM / 2, -3], [10, -CELL_MM / 2, -0.5]]
    assert not any(contains(mesh, point) for point in inside)
    assert all(contains(mesh, point) for point in ([10, CELL_MM / 2 + 1.5, -3], [10, 0, 3]))


def contains(mesh, point):
    """Is a point within a closed mesh? A ray from it crosses the surface an odd number of times."""
    ray = np.array([0.3123, 0.2017, 0.9283])
    a, ab, ac = mesh.triangles[:, 0], *(mesh.triangles[:, k] - mesh.triangles[:, 0] for k in (1, 2))
    across = np.cross(ray, ac)
    flat = (ab * across).sum(axis=1)
    apart = np.array(point) - a
    u = (apart * across).sum(axis=1) / flat
    q = np.cross(apart, ab)
    v, t = q @ ray / flat, (ac * q).sum(axis=1) / flat
    return np.count_nonzero((u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)) % 2 == 1


def test_a_board_that_tips_lies_on_its_stop_before_it_comes_down_to_the_cells(rendered):
    stop = rendered("board_stop", table())
    pinnacle = rendered("pinnacle", table())
    mount_z = 4 + 8 + CELL_MM
    tip_z = mount_z + pinnacle.bounds[1][2]
    rim = stop.bounds[1][2]
    assert tip_z - rim == pytest.approx(6.0, abs=0.2)
    assert rim > mount_z


def test_bad_settings_and_no_openscad_are_said_in_one_line(models, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(models.shutil, "which", lambda _: None)
    assert models.main([str(HARDWARE / "pi" / "table.toml"), str(tmp_path)]) == 1
    assert "apt install openscad" in capsys.readouterr().err


def test_the_command_makes_all_files_with_the_described_tables_measures(models, made):
    assert {file.stem for file in made.glob("*.stl")} == set(models.PRINTED)
    assert len(models.PRINTED) == 6
    assert models.parameters(read_settings(HARDWARE / "pi" / "table.toml")) == models.parameters(table())
