"""Numbers of move sequences, and the symmetries of the board."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import BadInput
from companion.rules import Position, legal_moves, perft, play


def slow_perft(position, depth):
    """The same number by playing every move."""
    if depth == 0:
        return 1
    return sum(slow_perft(play(position, move), depth - 1) for move in legal_moves(position))


def mapped(position, well_to, swap):
    """The position with every sphere in another well, the two sides' colours exchanged where `swap`."""
    letters = {well_to(well): letter for well, letter in position.letters().items()}
    white, black = (
        sum(1 << well_to(well) for well in range(42) if board >> well & 1)
        for board in (position.white_resting, position.black_resting)
    )
    if not swap:
        return Position.from_placement(letters, position.side, white, black)
    exchanged = {well: letter.translate(str.maketrans("wWbB", "bBwW")) for well, letter in letters.items()}
    return Position.from_placement(exchanged, position.side.other, black, white)


@pytest.mark.parametrize(("depth", "sequences"), [*enumerate([1, 19, 361, 6137, 104329, 1933155])])
def test_the_numbers_of_sequences_from_the_start(depth, sequences):
    assert perft(Position.start(), depth) == sequences


def test_a_finished_game_has_no_continuations():
    # Among these 87 sequences are captures, which end the game before the third move.
    assert perft(Position.parse("7/3B3/2wW3/3b3/7/7 w c4 d3"), 3) == 87
    finished = Position.parse("7/7/2wW3/3b3/7/7 w - -")
    assert [perft(finished, depth) for depth in range(4)] == [1, 0, 0, 0]


def test_a_negative_depth_is_refused():
    with pytest.raises(BadInput, match="depth is -1"):
        perft(Position.start(), -1)


@settings(max_examples=60, deadline=None)
@given(st.from_type(Position), st.integers(0, 3))
def test_counting_agrees_with_playing_every_move(position, depth):
    assert perft(position, depth) == slow_perft(position, depth)


@settings(deadline=None)
@given(st.from_type(Position), st.integers(1, 3))
def test_a_board_with_its_files_mirrored_has_as_many_sequences(position, depth):
    mirror = mapped(position, lambda well: well // 7 * 7 + 6 - well % 7, swap=False)
    assert perft(mirror, depth) == perft(position, depth)
    assert len(legal_moves(mirror)) == len(legal_moves(position))


@settings(deadline=None)
@given(st.from_type(Position), st.integers(1, 3))
def test_a_board_seen_by_the_other_side_has_as_many_sequences(position, depth):
    turned = mapped(position, lambda well: (5 - well // 7) * 7 + well % 7, swap=True)
    assert perft(turned, depth) == perft(position, depth)
    assert len(legal_moves(turned)) == len(legal_moves(position))
