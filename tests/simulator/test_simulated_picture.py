"""The simulated camera's pictures show what is there, where the settings say it is."""

import cv2
import numpy as np
import pytest

from companion.rules import Position, Side, parse_well
from companion.simulator.actions import HandMove, Lean, Tip
from companion.simulator.picture import camera_for
from companion.simulator.settings import simulated_settings
from companion.simulator.statics import START_SPHERES
from companion.simulator.table import SimulatedTable
from companion.simulator.view import view_of
from companion.simulator.world import HandView, LooseSphere, Scene

SETTINGS = simulated_settings(0)
VIEW = view_of(SETTINGS.camera)
START = Scene(tuple(sorted(START_SPHERES.items())))


@pytest.fixture(scope="module")
def camera():
    return camera_for(SETTINGS, 1.0, 0)


def markers_in(picture):
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(dictionary, parameters)
    corners, ids, _ = detector.detectMarkers(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
    return {int(i): c.reshape(4, 2) for i, c in zip(np.ravel(ids), corners, strict=True)} if ids is not None else {}


def colour_at(picture, well, z=12.0):
    x, y = SETTINGS.grid.centre_mm(well)
    u, v = VIEW.project(np.array([[x, y, z]]))[0]
    return picture[int(v) - 4 : int(v) + 5, int(u) - 4 : int(u) + 5].reshape(-1, 3).mean(axis=0)


@pytest.mark.parametrize("scene", [Scene(()), START])
def test_all_markers_are_found_where_the_settings_put_them(camera, scene):
    found = markers_in(camera.draw(scene, 0.0))
    assert set(found) == {0, 1, 2, 3}
    half = SETTINGS.markers.size_mm / 2
    for number, (x, y) in SETTINGS.markers.centres_mm.items():
        corners = [(x - half, y + half), (x + half, y + half), (x + half, y - half), (x - half, y - half)]
        expected = VIEW.project(np.array([(*corner, 0.0) for corner in corners]))
        assert np.abs(found[number] - expected).max() < 0.8
        assert np.abs((found[number] - expected).mean(axis=0)).max() < 0.25


def test_marker_0_lies_at_a1(camera):
    found = markers_in(camera.empty())
    corner = VIEW.project(np.array([(*SETTINGS.grid.centre_mm(0), 0.0)]))[0]
    distances = {number: np.hypot(*(corners.mean(axis=0) - corner)) for number, corners in found.items()}
    assert min(distances, key=distances.get) == 0


def test_spheres_look_like_what_they_are(camera):
    picture = camera.draw(START, 0.0)
    white, black = colour_at(picture, parse_well("a1")), colour_at(picture, parse_well("a6"))
    assert white.min() > 150
    assert black.max() < 100
    blue, green, red = colour_at(picture, parse_well("d1"))
    assert red > green + 60
    assert blue > green + 40
    blue, green, red = colour_at(picture, parse_well("d6"))
    assert blue > red + 60


def test_empty_wells_look_the_same_with_and_without_spheres_elsewhere(camera):
    empty, start = camera.empty(), camera.draw(START, 0.0)
    for well in range(14, 28):
        assert colour_at(start, well, 0.0) == pytest.approx(colour_at(empty, well, 0.0), abs=8)


def test_a_hand_covers_wells_and_comes_from_its_owners_side(camera):
    bare = camera.draw(START, 0.0).astype(int)
    rows = []
    for side in Side:
        hand = HandView(side, 0.0, 0.0, 26.0, flat=False)
        changed = np.abs(camera.draw(Scene(START.spheres, hands=(hand,)), 0.0) - bare).sum(axis=2) > 60
        assert 4000 < changed.sum() < 80000
        rows.append(np.nonzero(changed)[0].mean())
    white, black = rows
    assert white > 280
    assert black < 200


def test_a_hand_outside_is_not_seen(camera):
    bare = camera.draw(START, 0.0).astype(int)
    hand = HandView(Side.WHITE, 10.0, -255.0, 80.0, flat=True)
    shown = camera.draw(Scene(START.spheres, hands=(hand,)), 0.0)
    assert np.abs(shown - bare).max() < 40


def test_a_captured_sphere_lies_beside_the_board():
    position = Position.parse("bbb1bbb/7/3B3/3w3/7/wwwW1ww w - -")
    table = SimulatedTable(1, frames_per_second=0, position=position, playing=frozenset())
    table.ask(HandMove(parse_well("d3"), parse_well("d4")))
    for sample in table:
        if sample.t > 9:
            break
    assert table.truth[-1]["termination"] == "capture"
    picture = table.picture()
    blue, green, red = colour_at(picture, parse_well("d4"))
    assert min(blue, green, red) > 150, "White's sphere stands where the coloured one stood"
    ((x, y),) = [place for sphere, place in table.world.loose.items() if sphere == 10]
    assert abs(x) > 165, "beside the board"
    u, v = VIEW.project(np.array([[x, y, -14.0]]))[0]
    blue, _, red = picture[int(v) - 3 : int(v) + 4, int(u) - 3 : int(u) + 4].reshape(-1, 3).mean(axis=0)
    assert blue > red + 60


def test_a_sphere_in_the_fingers_is_seen_between_them(camera):
    hand = HandView(Side.WHITE, 0.0, 30.0, 60.0, flat=False)
    held = LooseSphere(10, 0.0, 30.0, 44.0)
    without = camera.draw(Scene((), hands=(hand,)), 0.0).astype(int)
    shown = camera.draw(Scene((), in_hand=(held,), hands=(hand,)), 0.0).astype(int)
    bluer = (shown[..., 0] - without[..., 0]) - (shown[..., 2] - without[..., 2]) > 80
    assert 60 < bluer.sum() < 2000


def test_a_tipped_board_looks_tipped():
    table = SimulatedTable(1, frames_per_second=0, playing=frozenset())
    level = markers_in(table.picture())
    table.ask(Tip())
    for sample in table:
        if sample.t > 4:
            break
    leaning = markers_in(table.picture())
    assert set(leaning) == {0, 1, 2, 3}
    moved = max(np.abs(leaning[i] - level[i]).max() for i in leaning)
    assert moved > 4


def test_a_leaning_hand_is_seen_while_the_board_is_held():
    table = SimulatedTable(1, frames_per_second=4, playing=frozenset())
    table.ask(Lean(Side.WHITE, 2.0))
    seen = []
    for thing in table:
        if thing.t > 3.0 and hasattr(thing, "image"):
            seen.append(bool(table.world.scene().hands))
        if thing.t > 8:
            break
    assert seen[0]
    assert not seen[-1]


def test_pictures_waver_in_light_and_noise(camera):
    one, other = camera.draw(START, 1.0).astype(int), camera.draw(START, 1.0).astype(int)
    difference = (one - other)[40:440, 40:600]
    assert 1.0 < difference.std() < 6.0
    assert abs(difference.mean()) < 0.5
    assert abs(camera.draw(START, 0.0).mean() - camera.draw(START, 24.0).mean()) > 0.1
