"""Which spheres are out of place, in which order they go back, and what an illegal move that stands comes to."""

from hypothesis import given
from hypothesis import strategies as st

from companion.referee.let_stand import let_stand
from companion.referee.misplaced import left_out_of_place, misplaced
from companion.referee.rulings import Corrected, Illegal, MoveMade, Restored
from companion.referee.words import in_words
from companion.rules import Move, Position, Side, legal_moves, why_illegal

START = Position.start()
LETTERS = START.letters()


@given(st.permutations(range(42)), st.sets(st.integers(0, 41)))
def test_carrying_them_as_said_puts_everything_right(wells, beside):
    """Also where all spheres were rearranged, and some lie beside the board."""
    now = {wells[well]: letter for well, letter in LETTERS.items() if well not in beside}
    board, aside = dict(now), [letter for well, letter in LETTERS.items() if well in beside]
    names = {name: well for well in range(42) for name in [_name(well)]}
    held = {}
    for astray in misplaced(now, LETTERS):
        if astray.at is None:
            aside.remove(astray.sphere)
        else:
            well = names[astray.at]
            assert held.pop(well, None) == astray.sphere or board.pop(well) == astray.sphere
        if astray.to is None:
            aside.append(astray.sphere)
            continue
        to = names[astray.to]
        if to in board:
            held[to] = board.pop(to)  # in a ring of full wells somebody holds two for a moment
        board[to] = astray.sphere
    assert board == LETTERS


def _name(well):
    return f"{'abcdefg'[well % 7]}{well // 7 + 1}"


def test_a_board_that_is_right_has_nothing_out_of_place():
    assert misplaced(LETTERS, LETTERS) == ()


def test_the_sphere_that_moved_is_the_one_that_goes_back_though_others_look_alike():
    ways = left_out_of_place("a1-c3", START, "bbbBbbb/7/7/2w4/7/1wwWwww")
    assert [(w.at, w.to) for w in ways] == [("c3", "a1")]


def test_free_wells_are_filled_first():
    right = {0: "w", 1: "b", 2: "W"}
    ways = misplaced({1: "w", 2: "b", 5: "W"}, right)
    assert [(w.at, w.to) for w in ways] == [("b1", "a1"), ("c1", "b1"), ("f1", "c1")]


def test_a_sphere_taken_in_an_illegal_capture_comes_back_from_beside_the_board():
    position = Position.parse("bbbB1bb/7/7/3b3/3w3/ww1Wwww w - -")
    ways = left_out_of_place("d2-d3", position, "bbbB1bb/7/7/3w3/7/ww1Wwww")
    assert [str(w) for w in ways] == [
        "the plain white sphere on d3 to d2",
        "the plain black sphere beside the board to d3",
    ]


def test_an_illegal_move_is_said_with_the_way_back():
    placement = "bbbBbbb/7/7/1w5/7/w1wWwww"
    illegal = Illegal(1.0, Side.WHITE, "b1-b3", "too_far", START.text(), placement)
    assert in_words(illegal).endswith("Put the plain white sphere on b3 to b1.")


DISPLACED = st.tuples(st.integers(0, 41), st.integers(0, 41), st.sampled_from(list(Side)))
POSITIONS = st.sampled_from(
    [START, Position.parse("bbb1bbb/7/7/3B3/2w4/ww1Wwww w c2 -"), Position.parse("7/3B3/2wW3/3b3/7/7 b c4 d3")]
)


@given(POSITIONS, DISPLACED)
def test_an_illegal_move_that_stands_always_leaves_a_position_with_the_opponent_to_move(position, displaced):
    start, end, player = displaced
    letters = position.letters()
    if start not in letters:
        return
    placement = dict(letters)
    placement[end] = placement.pop(start)
    if not {"W", "B"} & set(placement.values()):
        return
    ranks = Position.from_placement(placement, position.side).placement()
    move = Move(start, end)
    if player is position.side and not why_illegal(position, move) and start != end:
        expected = MoveMade
    else:
        expected = Restored if start == end else Corrected
    (ruling,) = let_stand(1.0, position, str(move), player, ranks, "too_far")
    assert isinstance(ruling, expected)
    if start == end:
        return
    after = Position.parse(ruling.position)
    assert after.placement() == ranks
    assert after.side is player.other
    moved = 1 << end & after.spheres(player) & ~after.coloured(player)
    assert after.resting(player) == moved
    assert all(m.from_well != end for m in legal_moves(after.with_side(player))) or not moved
