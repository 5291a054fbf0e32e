"""The simulated board obeys statics at rest, rocks after a touch, and tips when it must."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput
from companion.simulator.board import TICK_S, Board, Push, Shape, rocking_hz
from companion.simulator.statics import START_SPHERES, BoardSpec, balance_of, make_board, margins_of_move

SETTLED_TICKS = 3000


def board_at_rest(spec: BoardSpec, spheres=START_SPHERES) -> Board:
    return Board(spec, spheres, np.random.default_rng(0))


def settle(board: Board) -> None:
    board.advance(SETTLED_TICKS)


@st.composite
def standings(draw):
    """Boards that stand: some spheres in some wells, the pinnacles far enough apart."""
    wells = draw(st.lists(st.integers(0, 41), min_size=0, max_size=14, unique=True))
    spheres = {well: sphere for sphere, well in enumerate(wells)}
    axis = draw(st.sampled_from(["ranks", "files"]))
    spec = make_board(np.random.default_rng(draw(st.integers(0, 99))), axis, draw(st.floats(30, 60)))
    return spec, spheres


@given(standings())
def test_loads_at_rest_are_those_of_statics(standing):
    spec, spheres = standing
    board = board_at_rest(spec, spheres)
    board.advance(5)
    balance = balance_of(spec, spheres)
    low, high = balance.loads_g(spec.half_spacing_mm)
    assert (board.low_g, board.high_g) == pytest.approx((low, high), abs=1e-6)
    assert low + high == pytest.approx(balance.total_g)
    assert spec.half_spacing_mm * (high - low) == pytest.approx(balance.moment_g_mm)


@pytest.mark.parametrize("axis", ["ranks", "files"])
def test_a_sphere_loads_the_cells_by_where_it_stands(axis):
    spec = BoardSpec(axis=axis)
    with_it, without = balance_of(spec, {0: 0}), balance_of(spec, {})
    place = -90.0 if axis == "ranks" else -108.0
    d = spec.half_spacing_mm
    low, high = (a - b for a, b in zip(with_it.loads_g(d), without.loads_g(d), strict=True))
    assert low == pytest.approx(20 * (d - place) / (2 * d))
    assert high == pytest.approx(20 * (d + place) / (2 * d))


def test_lifting_a_sphere_of_the_back_rank_takes_the_known_margin():
    margins = margins_of_move(BoardSpec(), START_SPHERES, 0, 7)
    assert margins[0] == pytest.approx(6 - 20 * 90 / 760)
    assert margins[1] == pytest.approx(6 - 20 * 36 / 780)


def test_a_capture_has_three_steps():
    spheres = {10: 0, 17: 10}
    spec = BoardSpec(half_spacing_mm=20)
    removed, lifted, placed = margins_of_move(spec, spheres, 10, 17)
    assert removed == pytest.approx(20 - 20 * 54 / 520)
    assert lifted == pytest.approx(20)
    assert placed == pytest.approx(20 - 20 * 18 / 520)


@given(st.floats(0.5, 3.0))
def test_a_clean_lift_that_leaves_a_margin_does_not_tip(margin):
    c_after = 20 * 90 / 760
    board = board_at_rest(BoardSpec(half_spacing_mm=c_after + margin))
    board.lift(0, 0.05)
    settle(board)
    assert not board.tipped_toward


@given(st.floats(0.05, 2.0), st.sampled_from([0, 6, 35, 41]))
def test_a_lift_that_leaves_no_margin_tips_to_the_heavy_side(lacking, well):
    c_after = 20 * 90 / 760
    board = board_at_rest(BoardSpec(half_spacing_mm=c_after - lacking))
    board.lift(well, 0.05)
    settle(board)
    assert board.tipped_toward == (1 if well < 7 else -1)


def test_a_tipped_board_rests_on_one_pinnacle_and_sheds_its_spheres():
    board = board_at_rest(BoardSpec(half_spacing_mm=1.5))
    board.lift(0, 0.05)
    settle(board)
    assert board.low_g == 0
    assert len(board.roll_off()) == 13
    board.advance(2000)
    assert 300 < board.high_g <= 500


def test_after_a_lift_the_board_rocks_with_the_cells_in_opposite_ways():
    board = board_at_rest(BoardSpec())
    board.lift(0, 0.03)
    board.advance(50)
    loads = np.array(board.advance(500))
    swing = loads - loads.mean(axis=0)
    assert np.corrcoef(swing.T)[0, 1] < -0.99
    assert np.ptp(loads.sum(axis=1)) < 0.1
    spectrum = np.abs(np.fft.rfft(swing[:, 0], 20000))
    assert np.fft.rfftfreq(20000, TICK_S)[spectrum.argmax()] == pytest.approx(7.0, abs=0.5)


def test_rocking_dies_down():
    board = board_at_rest(BoardSpec())
    board.lift(0, 0.03)
    early = np.ptp(np.array(board.advance(300))[:, 0])
    board.advance(500)
    assert np.ptp(np.array(board.advance(300))[:, 0]) < early / 5


@given(st.floats(1.0, 14.0))
def test_wider_pinnacles_rock_faster(spacing):
    assert rocking_hz(spacing) <= rocking_hz(spacing + 0.5)


def test_a_rolled_sphere_keeps_its_weight_on_the_board():
    board = board_at_rest(BoardSpec())
    board.lift(0, TICK_S)
    board.push(Push(board.t, board.t + 0.4, -90, 20.0, Shape.ROLL, -54))
    loads = np.array(board.advance(199))
    assert loads.sum(axis=1)[2:] == pytest.approx(780, abs=1e-6)
    assert loads[-1, 1] > loads[0, 1]


def test_a_hand_that_presses_hard_beyond_the_pinnacle_tips_the_board():
    board = board_at_rest(BoardSpec())
    board.push(Push(0, 0.6, 90, 300, fingers=True))
    settle(board)
    assert board.tipped_toward == 1


def test_a_light_knock_leaves_the_board_standing():
    board = board_at_rest(BoardSpec())
    board.push(Push(0, 0.5, 10, 150, Shape.KNOCK))
    loads = np.array(board.advance(2000))
    assert np.ptp(loads.sum(axis=1)) > 100
    assert not board.tipped_toward


def test_every_board_is_a_little_different():
    one, other = (make_board(np.random.default_rng(seed)) for seed in (1, 2))
    assert one.sphere_masses_g != other.sphere_masses_g
    assert all(math.isclose(mass, 20, abs_tol=0.51) for mass in one.sphere_masses_g)


@pytest.mark.parametrize("bad", [{"axis": "diagonal"}, {"half_spacing_mm": 0.0}])
def test_an_impossible_board_is_refused(bad):
    with pytest.raises(BadInput):
        BoardSpec(**bad)
