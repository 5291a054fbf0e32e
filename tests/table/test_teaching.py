"""Reading what stands still, and following spheres from well to well."""

import numpy as np
import pytest

from companion.balance.learned import BOARD_MASS, HALF_SPACING
from companion.rules import Position, parse_well
from companion.table.rests import Rests
from companion.table.teaching import Carried, Teaching
from firmware_bridge.events import LoadState

PITCH, SPACING, BOARD, SPHERE = 36.0, 6.3, 480.0, 19.0


class Scale:
    """Two exact cells under a board with fourteen like spheres, and a clock."""

    def __init__(self, teaching, sphere=SPHERE, seed=1):
        self.teaching, self.t = teaching, 0.0
        self.masses = dict.fromkeys(Position.start().letters(), sphere)
        self.board = BOARD
        self.dice = np.random.default_rng(seed)

    def loads(self):
        total = self.board + sum(self.masses.values())
        moment = sum(m * (well // 7 - 2.5) * PITCH for well, m in self.masses.items())
        return (total - moment / SPACING) / 2, (total + moment / SPACING) / 2

    def rest(self, seconds=2.0, noise=0.02):
        low, high = self.loads()
        for _ in range(int(seconds * 10)):
            self.t += 0.1
            n = self.dice.normal(0, noise, 2)
            self.teaching.note(LoadState(self.t, low + n[0], high + n[1], settled=True))

    def touch(self):
        self.t += 0.1
        self.teaching.note(LoadState(self.t, *self.loads(), touching=True))
        return self.t

    def move(self, start, end):
        self.rest()
        lift = self.touch()
        mass = self.masses.pop(parse_well(start))
        self.rest()
        place = self.touch()
        self.masses[parse_well(end)] = mass
        self.rest(1.0)
        steps = [Carried(True, parse_well(start), lift), Carried(False, parse_well(end), place)]
        return self.teaching.carry(steps, self.t)


def taught(half_spacing_mm=None):
    teaching = Teaching("ranks", PITCH, half_spacing_mm)
    scale = Scale(teaching)
    scale.rest()
    teaching.begin(Position.start())
    return teaching, scale


MOVES = ["a1-a2", "a6-a5", "d1-d2", "d6-d5", "c1-c2", "c6-c5", "a2-a3", "a5-a4", "d2-d3", "d5-d4"]


def test_nothing_is_known_before_the_first_game():
    assert Teaching("ranks", PITCH, None).now() is None


def test_from_nothing_ten_plies_teach_half_spacing_and_masses():
    teaching, scale = taught()
    for move in MOVES:
        scale.move(*move.split("-"))
    known = teaching.now()
    assert known.values[HALF_SPACING] == pytest.approx(SPACING, rel=0.02)
    moved = [n for n, well in enumerate(known.standing) if well not in Position.start().letters()]
    assert [known.masses_g[n] for n in moved] == pytest.approx([SPHERE] * len(moved), abs=0.3)
    assert teaching.notices == []


def test_a_half_spacing_from_the_settings_is_where_learning_starts():
    teaching, _ = taught(half_spacing_mm=8.0)
    assert teaching.known.values[HALF_SPACING] == 8.0


def test_the_rest_that_lasts_counts_already():
    teaching, scale = taught()
    before = teaching.known.values[BOARD_MASS]
    scale.rest()
    assert teaching.known.values[BOARD_MASS] == before
    now = teaching.now()
    assert now.values[BOARD_MASS] + sum(now.masses_g) == pytest.approx(BOARD + 14 * SPHERE, abs=0.5)


def test_touches_are_told_with_what_stood_before_each():
    _, scale = taught(SPACING)
    (lift, touched), (place, set_down) = scale.move("a1", "a2")
    assert [lift.lifts, touched.lifts, place.lifts, set_down.lifts] == [True, True, False, False]
    assert touched.total_g - set_down.total_g == pytest.approx(SPHERE, abs=0.1)
    assert set_down.mass_g == pytest.approx(SPHERE, abs=0.3)  # weighed while it was in the air
    assert [touched.p_mm, set_down.p_mm] == [-90, -54]


def test_one_strange_reading_is_left_aside_and_a_second_is_an_exchange():
    teaching, scale = taught(SPACING)
    for move in MOVES[:6]:
        scale.move(*move.split("-"))
    scale.masses[parse_well("g1")] += 15.0  # a heavier one in its place, while nobody looked
    scale.move("g1", "g2")
    assert teaching.notices == []
    scale.move("b6", "b5")
    scale.move("b1", "b2")
    assert [notice.what for notice in teaching.notices][:1] in (["sphere"], ["board"])


def test_a_hand_that_bears_lightly_for_a_moment_does_not_spoil_a_stretch():
    rests = Rests()
    for n in range(30):
        lean = 3.0 if n in (10, 11) else 0.0
        rests.note(LoadState(n / 10, 300.0 + lean, 310.0 + lean, settled=True))
    reading = rests.between(-1.0, 99.0).reading()
    assert [reading.low_g, reading.high_g] == pytest.approx([300.0, 310.0])


def test_a_rocking_board_tells_its_weight_better_than_its_centre():
    rests = Rests()
    for n in range(30):
        swing = 20 * np.sin(n * 2.1)
        rests.note(LoadState(n / 10, 300.0 + swing, 310.0 - swing, settled=True))
    reading = rests.between(-1.0, 99.0).reading()
    assert reading.low_g + reading.high_g == pytest.approx(610.0)
    assert reading.rocking_g > 2.0 > reading.sd_g


def test_what_stands_is_believed_however_it_came_there():
    teaching, scale = taught(SPACING)
    letters = dict(Position.start().letters())
    letters[parse_well("d3")] = letters.pop(parse_well("d1"))
    teaching.stands(letters, scale.t)
    known = teaching.known
    assert known.letters[known.standing.index(parse_well("d3"))] == "W"


def test_another_game_keeps_what_is_known_of_the_board():
    teaching, scale = taught()
    for move in MOVES:
        scale.move(*move.split("-"))
    before = teaching.now().values[HALF_SPACING]
    teaching.begin(Position.start())
    assert teaching.known.values[HALF_SPACING] == pytest.approx(before, rel=0.01)
    assert None not in teaching.known.standing
