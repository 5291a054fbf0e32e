"""What lies over a well, beside it or above it makes it uncertain, also in the board's colour or a sphere's."""

import cv2
import numpy as np
import pytest

from vision.evidence import SURE
from vision.reader import BoardReader
from vision.reading import Content

SPHERES = {"a1": "w", "c2": "w", "f3": "w", "d1": "W", "b5": "b", "g6": "b", "d6": "B"}


def reader_for(table, draw_board, known: bool) -> BoardReader:
    reader = BoardReader(table.grid, table.camera, table.markers, table.colours)
    if known:
        reader.learn_empty(draw_board(table, {}, table.pose(), 3))
    return reader


def well_named(table, name):
    return [table.grid.name(w) for w in range(table.grid.wells)].index(name)


def seen_at(table, name, aside=(0.0, 0.0), height=11.5):
    """Where a place beside a well's middle is seen, in pitches, and a sphere's radius there: pixels."""
    x, y = table.grid.centre_mm(well_named(table, name))
    x, y = x + aside[0] * table.grid.pitch_mm, y + aside[1] * table.grid.pitch_mm
    (u, v), (edge, _) = table.pose().project(np.array([(x, y, height), (x + 12.5, y, height)]))
    return (round(u), round(v)), edge - u


def board_ink(table, picture):
    at, _ = seen_at(table, "d3", (0.5, 0.5), 0.0)
    return tuple(float(c) for c in np.median(picture[at[1] - 3 : at[1] + 4, at[0] - 3 : at[0] + 4], axis=(0, 1)))


@pytest.mark.parametrize("aside", [(0.0, 0.0), (0.0, 0.5), (0.5, 0.0)])
@pytest.mark.parametrize("light", [0.85, 1.0])
def test_a_well_half_under_something_flat_of_the_board_s_colour_is_not_empty_for_certain(
    table, draw_board, aside, light
):
    picture = draw_board(table, SPHERES, table.pose())
    at, radius = seen_at(table, "d3", aside, 0.0)
    ink = tuple(light * c for c in board_ink(table, picture))
    cv2.circle(picture, at, round(2.4 * radius), tuple(0.75 * c for c in ink), -1, cv2.LINE_AA)
    cv2.circle(picture, at, round(2.1 * radius), ink, -1, cv2.LINE_AA)
    noise = np.random.default_rng(5).normal(0, 1.0, picture.shape)
    reading = reader_for(table, draw_board, False).read(np.clip(picture + noise, 0, 255).astype(np.uint8), 0.0)
    for name in ("d3", "d2", "d4", "c3", "e3"):
        (u, v), _ = seen_at(table, name)
        if np.hypot(u - at[0], v - at[1]) < 2.2 * radius:
            assert reading.p[well_named(table, name), Content.EMPTY] < SURE, name


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("letter", ["w", "b", "W"])
@pytest.mark.parametrize("aside", [(0.35, 0.0), (0.0, -0.4), (-0.3, 0.25)])
def test_a_sphere_beside_its_well_leaves_no_well_empty_for_certain(table, draw_board, known, letter, aside):
    bare = draw_board(table, SPHERES, table.pose())
    picture = draw_board(table, {**SPHERES, "d3": letter}, table.pose())
    (u, v), radius = seen_at(table, "d3")
    (x, y), _ = seen_at(table, "d3", aside)
    mask = cv2.circle(np.zeros(bare.shape[:2], np.uint8), (x, y), round(radius), 1, -1)
    moved = np.where(mask[..., None] > 0, np.roll(picture, (y - v, x - u), axis=(0, 1)), bare)
    reading = reader_for(table, draw_board, known).read(moved, 0.0)
    assert reading.p[well_named(table, "d3"), : Content.HIDDEN].max() < SURE


@pytest.mark.parametrize("known", [False, True])
def test_a_sphere_held_above_a_well_does_not_stand_in_it_for_certain(table, draw_board, start_spheres, known):
    picture = draw_board(table, {**SPHERES, "d3": "b"}, table.pose())
    (u, v), radius = seen_at(table, "d3")
    nearer, x, y = 1.2, u + 4, v + 3
    large = cv2.resize(picture, None, fx=nearer, fy=nearer, interpolation=cv2.INTER_CUBIC)
    move = np.array([[1, 0, x - nearer * u], [0, 1, y - nearer * v]], np.float32)
    held = cv2.warpAffine(large, move, (picture.shape[1], picture.shape[0]))
    mask = cv2.circle(np.zeros(picture.shape[:2], np.uint8), (x, y), round(0.97 * nearer * radius), 1, -1)
    reader = reader_for(table, draw_board, known)
    reader.learn_start(draw_board(table, start_spheres, table.pose()), table.contents(start_spheres))
    reading = reader.read(np.where(mask[..., None] > 0, held, draw_board(table, SPHERES, table.pose())), 0.0)
    assert reading.p[well_named(table, "d3"), : Content.HIDDEN].max() < SURE


@pytest.mark.parametrize("wide", [22, 30])
@pytest.mark.parametrize("offset", [0, 9, 18])
def test_hard_bands_of_shadow_on_a_known_board_turn_no_well_into_something_else_for_certain(
    table, draw_board, wide, offset
):
    picture = draw_board(table, SPHERES, table.pose())
    columns = (np.arange(picture.shape[1]) + offset) % 60 < wide
    picture[:, columns] = (picture[:, columns] * 0.25).astype(np.uint8)
    reading = reader_for(table, draw_board, True).read(picture, 0.0)
    for well, (content, true) in enumerate(zip(reading.likeliest(), table.contents(SPHERES), strict=True)):
        assert content in (true, Content.HIDDEN) or reading.p[well].max() < SURE, table.grid.name(well)


def matte(table, picture, name):
    """A black disc is painted there, a little darker toward its edge."""
    at, radius = seen_at(table, name)
    for share, ink in ((1.0, 21), (0.85, 25), (0.65, 31), (0.45, 39)):
        cv2.circle(picture, at, round(share * radius), (ink, ink, ink), -1, cv2.LINE_AA)


@pytest.mark.parametrize("name", ["a4", "d3"])
def test_a_dull_disc_is_no_black_sphere_for_certain_where_black_spheres_gleam(table, draw_board, name):
    spheres = {**SPHERES, "c4": "b", "e5": "b"}
    picture = draw_board(table, spheres, table.pose())
    matte(table, picture, name)
    reading = reader_for(table, draw_board, True).read(picture, 0.0)
    assert reading.p[well_named(table, name), : Content.HIDDEN].max() < SURE
    assert not reading.confident


def test_matte_black_spheres_are_certain_where_all_are_matte(table, draw_board):
    blacks = ["b5", "g6", "c4", "e5", "d3"]
    picture = draw_board(table, {**SPHERES, **dict.fromkeys(blacks, "b")}, table.pose())
    for name in blacks:
        matte(table, picture, name)
    reading = reader_for(table, draw_board, True).read(picture, 0.0)
    assert all(reading.likeliest()[well_named(table, name)] == Content.BLACK for name in blacks)
    assert reading.confident


@pytest.mark.parametrize("share", [0.4, 0.5, 0.6])
def test_a_black_sphere_of_an_earlier_picture_shining_through_leaves_no_well_empty_for_certain(
    table, draw_board, share
):
    after, before = (draw_board(table, spheres, table.pose()) for spheres in (SPHERES, {**SPHERES, "d3": "b"}))
    both = cv2.addWeighted(before, share, after, 1 - share, 0)
    reading = reader_for(table, draw_board, True).read(np.asarray(both, np.uint8), 0.0)
    assert reading.p[well_named(table, "d3"), : Content.HIDDEN].max() < SURE
