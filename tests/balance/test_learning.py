"""What ordinary play teaches of a board and its spheres, on boards made of numbers."""

import json
import math
import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.balance import Learned, Reading, coordinate_mm, lifted, nothing_known, placed, read, set_up, sphere_in
from companion.balance.weighing import Scale
from companion.errors import BadInput
from companion.rules import Position, legal_moves, play

SEAT_MM, NOISE_G, DRIFT_G, GAIN, ZERO_G = 0.15, 0.05, 0.02, 0.006, 0.4
START = Position.start()


@dataclass
class Board:
    """Truth: a board with spheres that lie a little off their wells' middles, on two cells that wander and whose zeros
    and gains are a little off."""

    dice: random.Random
    axis: str
    pitch_mm: float
    half_spacing_mm: float
    mass_g: float
    moment_gmm: float
    spheres_g: dict[int, float]
    seats_mm: dict[int, float] = field(default_factory=dict)
    zeros_g: list[float] = field(default_factory=lambda: [0.0, 0.0])
    gains: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def any(cls, seed, position=START):
        dice = random.Random(seed)
        common = dice.uniform(18.0, 40.0)
        spheres = {
            well: common + dice.gauss(0.0, 0.3) + letter.isupper() * dice.gauss(0.0, 0.8)
            for well, letter in position.letters().items()
        }
        shape = dice.choice(["ranks", "files"]), dice.uniform(31, 40), dice.uniform(4.5, 11.5), dice.uniform(350, 880)
        board = cls(dice, *shape, dice.gauss(0.0, 250.0), spheres)
        board.seat_all()
        board.zeros_g = [dice.gauss(0.0, ZERO_G), dice.gauss(0.0, ZERO_G)]
        board.gains = 1 + dice.gauss(0.0, GAIN), 1 + dice.gauss(0.0, GAIN)
        return board

    def seat_all(self):
        self.seats_mm = {well: self.dice.gauss(0.0, SEAT_MM) for well in self.spheres_g}

    def total_and_moment(self):
        places = {well: coordinate_mm(well, self.axis, self.pitch_mm) + self.seats_mm[well] for well in self.spheres_g}
        moment = self.moment_gmm + sum(mass * places[well] for well, mass in self.spheres_g.items())
        return self.mass_g + sum(self.spheres_g.values()), moment

    def margin_mm(self):
        total, moment = self.total_and_moment()
        return self.half_spacing_mm - abs(moment / total)

    def reading(self):
        total, moment = self.total_and_moment()
        apart = moment / self.half_spacing_mm
        self.zeros_g = [zero + self.dice.gauss(0.0, DRIFT_G) for zero in self.zeros_g]
        low = self.gains[0] * (total - apart) / 2 + self.zeros_g[0] + self.dice.gauss(0.0, NOISE_G)
        high = self.gains[1] * (total + apart) / 2 + self.zeros_g[1] + self.dice.gauss(0.0, NOISE_G)
        return Reading(low, high, NOISE_G)

    def lift(self, well):
        self.seats_mm.pop(well)
        return self.spheres_g.pop(well)

    def place(self, well, mass):
        self.spheres_g[well], self.seats_mm[well] = mass, self.dice.gauss(0.0, SEAT_MM)


@dataclass(frozen=True)
class Foretold:
    ply: int
    margin_mm: float
    sd_mm: float
    came_mm: float


@dataclass(frozen=True)
class Played:
    foretold: list
    known: Learned
    notices: list
    position: Position


def played(board, plies, known=None, position=START):
    """Random legal play: what was foretold of each step, what is known at the end, what was noticed on the way."""
    known = known or nothing_known(position, board.axis, board.pitch_mm)
    known, first = read(known, board.reading())
    foretold, notices = [], [first]
    for ply in range(plies):
        moves = [move for move in legal_moves(position) if not move.capture]
        if not moves:
            break
        move = board.dice.choice(moves)
        scale = Scale.of(known.balance(), position)
        without = {well: well for well in scale.wells if well != move.from_well}
        expected = scale.weigh([without, {**without, move.from_well: move.to_well}])
        sphere = sphere_in(known, move.from_well)
        mass = board.lift(move.from_well)
        foretold.append(Foretold(ply, expected[0].margin_mm, expected[0].sd_mm, board.margin_mm()))
        known, notice = read(lifted(known, move.from_well), board.reading(), sphere)
        notices.append(notice)
        board.place(move.to_well, mass)
        foretold.append(Foretold(ply, expected[1].margin_mm, expected[1].sd_mm, board.margin_mm()))
        known, notice = read(placed(known, sphere, move.to_well), board.reading(), sphere)
        notices.append(notice)
        position = play(position, move)
    return Played(foretold, known, [notice for notice in notices if notice], position)


def test_from_nothing_known_margins_are_foretold_closely_after_ten_plies_and_their_deviations_are_honest():
    late = []
    for seed in range(60):
        game = played(Board.any(seed), 20)
        late += [step for step in game.foretold if step.ply >= 10]
        assert game.notices == []
    errors = sorted(abs(step.margin_mm - step.came_mm) for step in late)
    assert errors[int(0.95 * len(errors))] < 0.1
    held = sum(abs(step.margin_mm - step.came_mm) < 1.96 * step.sd_mm for step in late) / len(late)
    assert 0.93 <= held <= 0.975


def test_before_anything_moved_a_margin_is_not_claimed_to_be_known():
    game = played(Board.any(1), 1)
    assert game.foretold[0].sd_mm > 0.5


def test_after_twenty_plies_the_half_spacing_and_every_sphere_that_moved_are_known():
    off = []
    for seed in range(25):
        board = Board.any(seed)
        known = played(board, 20).known
        assert known.values[0] == pytest.approx(board.half_spacing_mm, rel=0.02)
        moved = [n for n in range(14) if known.standing[n] not in START.letters()]
        assert len(moved) >= 4
        # Grams are those of the cells: their common calibration is nothing that play could teach.
        grams = sum(board.gains) / 2
        off += [abs(known.masses_g[n] - grams * board.spheres_g[known.standing[n]]) for n in moved]
    assert sorted(off)[int(0.95 * len(off))] < 0.3


def test_another_sphere_in_the_same_well_is_noticed():
    board = Board.any(3)
    game = played(board, 20)
    well = next(move.from_well for move in legal_moves(game.position))
    board.spheres_g[well] += 6.0
    sphere = sphere_in(game.known, well)
    known, notice = read(game.known, board.reading(), sphere)
    assert notice is not None
    assert (notice.what, notice.well) == ("sphere", well)
    assert known.masses_g[sphere] == pytest.approx(board.spheres_g[well], abs=1.0)


def test_another_board_is_noticed_and_everything_is_learned_anew():
    board = Board.any(4)
    game = played(board, 12)
    other = Board.any(5, game.position)
    other.axis, other.pitch_mm = board.axis, board.pitch_mm
    known, notice = read(game.known, other.reading())
    assert notice is not None
    assert (notice.what, notice.well) == ("board", None)
    again = played(other, 20, known, game.position)
    assert again.notices == []
    assert again.known.values[0] == pytest.approx(other.half_spacing_mm, rel=0.02)


def test_a_gram_of_drift_is_no_exchange():
    board = Board.any(8)
    game = played(board, 10)
    board.zeros_g = [zero + 0.3 for zero in board.zeros_g]
    _, notice = read(game.known, board.reading())
    assert notice is None


def test_noisier_cells_than_stated_are_taken_for_noisier():
    board = Board.any(9)
    known = played(board, 5).known
    before = known.noise
    for _ in range(40):
        reading = board.reading()
        high = reading.high_g + board.dice.gauss(0.0, 0.3)
        known, _ = read(known, Reading(reading.low_g + board.dice.gauss(0.0, 0.3), high, NOISE_G))
    assert known.noise > 1.5 * before


def test_spheres_set_up_again_in_any_order_are_no_surprise():
    board = Board.any(6)
    first = played(board, 25).known
    again = set_up(first, START)
    assert again.values[:4] == pytest.approx(first.values[:4])
    whites = [n for n, letter in enumerate(again.letters) if letter == "w"]
    assert len({round(again.masses_g[n], 9) for n in whites}) == 1
    masses = {letter: [] for letter in "wWbB"}
    for letter, well in zip(first.letters, first.standing, strict=True):
        masses[letter].append(board.spheres_g[well])
    for of in masses.values():
        board.dice.shuffle(of)
    board.spheres_g = {well: masses[letter].pop() for well, letter in START.letters().items()}
    board.seat_all()
    game = played(board, 20, again)
    assert game.notices == []
    early = [step for step in game.foretold if step.ply < 5]
    assert all(abs(step.margin_mm - step.came_mm) < 4 * step.sd_mm for step in early)
    assert max(step.sd_mm for step in early) < 0.3


def test_other_spheres_than_before_are_learned_from_nothing():
    fewer = set_up(nothing_known(START, "ranks", 36.0), Position.parse("3B3/7/7/7/7/3W3 w - -"))
    assert fewer.letters == "WB"
    assert len(fewer.values) == 6


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_uncertainty_stays_that_of_something_possible(seed):
    game = played(Board.any(seed), 6)
    covariance = game.known.covariance
    assert all(covariance[n][n] > 0 for n in range(18))
    for row, column in ((0, 1), (3, 4), (1, 10), (4, 5)):
        assert abs(covariance[row][column]) <= math.sqrt(covariance[row][row] * covariance[column][column]) * (1 + 1e-9)
    assert game.known.balance().masses(game.position).keys() == game.position.letters().keys()


def test_what_was_learned_comes_back_from_json_as_it_was():
    known = played(Board.any(7), 3).known
    assert Learned.from_json(json.loads(json.dumps(known.to_json()))) == known


@pytest.mark.parametrize(
    "wrong",
    [
        {"axis": "diagonal"},
        {"letters": "xyz"},
        {"values": [1.0]},
        {"values": [math.nan] * 18},
        {"covariance": [[1.0]]},
        {"covariance": "none"},
        {"standing": [0]},
        {"noise": None},
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(wrong):
    whole = nothing_known(START, "ranks", 36.0).to_json()
    with pytest.raises(BadInput) as refusal:
        Learned.from_json(whole | wrong)
    assert "\n" not in str(refusal.value)


def test_nothing_saved_is_refused():
    with pytest.raises(BadInput):
        Learned.from_json({})


def test_a_lift_from_a_well_without_a_sphere_is_refused():
    with pytest.raises(BadInput, match="well 20"):
        lifted(nothing_known(START, "ranks", 36.0), 20)


@pytest.mark.parametrize("reading", [Reading(math.nan, 400.0, 0.1), Reading(400.0, 400.0, 0.0)])
def test_a_reading_that_cannot_be_is_refused(reading):
    with pytest.raises(BadInput):
        read(nothing_known(START, "ranks", 36.0), reading)
