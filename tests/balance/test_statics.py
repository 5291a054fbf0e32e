"""The board's centre of mass and margin, against the law of the lever worked by hand."""

import itertools
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from companion.balance import (
    Balance,
    centre_from_loads,
    centre_mm,
    coordinate_mm,
    margin_from_loads,
    margin_mm,
    total_and_moment,
)
from companion.errors import BadInput
from companion.rules import Position, Side, parse_well

loads = st.floats(0.0, 5000.0)
axes = st.sampled_from(["ranks", "files"])
START = Position.start()


@st.composite
def placements(draw):
    """Some spheres anywhere, both coloured ones among them."""
    letters = "WB" + "w" * draw(st.integers(0, 6)) + "b" * draw(st.integers(0, 6))
    wells = draw(st.permutations(range(42)))
    return dict(zip(wells, letters, strict=False))


def mirrored(placement, axis):
    """The placement seen in a mirror that lies along the centre line between the pinnacles."""

    def well(of):
        rank, file = divmod(of, 7)
        return (5 - rank) * 7 + file if axis == "ranks" else rank * 7 + 6 - file

    return {well(w): letter for w, letter in placement.items()}


def test_coordinates_run_from_rank_one_to_six_and_from_file_a_to_g():
    assert [coordinate_mm(parse_well(well), "ranks", 36.0) for well in ("d1", "d3", "d4", "d6")] == [-90, -18, 18, 90]
    assert [coordinate_mm(parse_well(well), "files", 36.0) for well in ("a4", "d4", "g4")] == [-108, 0, 108]


def test_the_start_position_lies_level():
    for axis in ("ranks", "files"):
        balance = Balance(axis=axis, half_spacing_mm=6.0)
        assert total_and_moment(balance, START) == (780.0, pytest.approx(0.0))
        assert margin_mm(balance, START) == pytest.approx(6.0)


def test_one_step_of_a_20_gram_sphere_moves_the_centre_by_nine_tenths_of_a_millimetre():
    after = Position.parse("bbbBbbb/7/7/7/3W3/www1www w - -")
    balance = Balance(half_spacing_mm=6.0)
    assert centre_mm(balance, after) == pytest.approx(20 * 36 / 780)
    assert margin_mm(balance, after) == pytest.approx(6 - 20 * 36 / 780)


def test_a_mass_known_for_a_well_goes_before_that_of_its_letter():
    balance = Balance(sphere_masses_g={"w": 30.0, "W": 25.0, parse_well("a1"): 40.0})
    total, moment = total_and_moment(balance, START)
    assert total == pytest.approx(500 + 7 * 20 + 25 + 5 * 30 + 40)
    assert moment == pytest.approx(90 * (7 * 20 - (25 + 5 * 30 + 40)))


def test_the_boards_own_moment_counts():
    assert centre_mm(Balance(board_moment_gmm=780.0), START) == pytest.approx(1.0)


@given(placements(), axes, st.floats(-2000, 2000))
def test_a_mirrored_board_has_the_same_margin_and_the_opposite_centre(placement, axis, own):
    here = Balance(axis=axis, board_moment_gmm=own)
    there = Balance(axis=axis, board_moment_gmm=-own)
    position = Position.from_placement(placement, Side.WHITE)
    reflected = Position.from_placement(mirrored(placement, axis), Side.WHITE)
    assert centre_mm(there, reflected) == pytest.approx(-centre_mm(here, position), abs=1e-9)
    assert margin_mm(there, reflected) == pytest.approx(margin_mm(here, position), abs=1e-9)


@given(placements(), st.floats(1.0, 100.0), st.integers(0, 5))
def test_a_sphere_on_the_centre_line_never_changes_the_moment(placement, mass, rank):
    well = rank * 7 + 3
    without = {w: letter for w, letter in placement.items() if w != well}
    spare = [x for x in "wb" if list(without.values()).count(x) < 6]
    assume(spare and set(without.values()) & {"W", "B"})
    balance = Balance(axis="files", board_moment_gmm=123.0, sphere_masses_g={well: mass})
    total, moment = total_and_moment(balance, Position.from_placement(without, Side.WHITE))
    with_it = Position.from_placement({**without, well: spare[0]}, Side.WHITE)
    assert total_and_moment(balance, with_it) == (pytest.approx(total + mass), pytest.approx(moment))


@given(placements(), axes)
def test_the_loads_of_a_position_give_back_its_centre_and_margin(placement, axis):
    balance = Balance(axis=axis, half_spacing_mm=7.0)
    position = Position.from_placement(placement, Side.BLACK)
    total, moment = total_and_moment(balance, position)
    low, high = (total - moment / 7.0) / 2, (total + moment / 7.0) / 2
    assert centre_from_loads(low, high, 7.0) == pytest.approx(centre_mm(balance, position), abs=1e-9)
    assert margin_from_loads(low, high, 7.0) == pytest.approx(margin_mm(balance, position), abs=1e-9)


@given(loads, loads, st.floats(1.0, 20.0))
def test_the_margin_of_two_loads_is_the_same_with_the_cells_exchanged(low, high, half_spacing):
    margin = margin_from_loads(low, high, half_spacing)
    assert margin == margin_from_loads(high, low, half_spacing)
    if margin is not None:
        assert -1e-9 <= margin <= half_spacing


def test_the_margin_of_two_loads_is_all_of_the_half_spacing_when_level_and_nothing_at_the_edge():
    assert margin_from_loads(390.0, 390.0, 6.0) == 6.0
    assert margin_from_loads(0.0, 780.0, 6.0) == 0.0
    assert margin_from_loads(195.0, 585.0, 6.0) == pytest.approx(3.0)


def test_without_a_load_there_is_no_margin_to_show():
    for low, high in itertools.product((0.0, -0.2), repeat=2):
        assert margin_from_loads(low, high, 6.0) is None
        assert centre_from_loads(low, high, 6.0) is None


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"axis": "diagonal"}, "axis is 'diagonal'"),
        ({"half_spacing_mm": 0.0}, "half_spacing_mm is 0.0"),
        ({"pitch_mm": float("nan")}, "pitch_mm is nan"),
        ({"sphere_masses_g": {"w": -1.0}}, "sphere_masses_g['w'] is -1.0"),
        ({"sphere_sds_g": {3: -0.5}}, "sphere_sds_g[3] is -0.5"),
        ({"board_moment_gmm": float("inf")}, "board_moment_gmm is inf"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(settings, named):
    with pytest.raises(BadInput, match=re.escape(named)):
        Balance(**settings)
