"""Which moves of Senryaku are legal, why others are not, and what a move does."""

from itertools import pairwise, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from companion.errors import BadInput, SenryakuError
from companion.rules import IllegalMove, Move, Position, Reason, Side, legal_moves, normalised, play, why_illegal

START = Position.start()
FILES, RANKS = range(7), range(6)


# A second implementation, slow and plain, written from the rules' words only.


def slow_is_legal(position, from_file, from_rank, to_file, to_rank):
    """Whether the side to move may take its sphere from one place to another."""
    board = position.letters()
    mine, theirs = ("wW", "bB") if position.side == "white" else ("bB", "wW")
    if mine[1] not in board.values() or theirs[1] not in board.values():
        return False  # one capture ends the game
    sphere = board.get(from_rank * 7 + from_file, "")
    target = board.get(to_rank * 7 + to_file, "")
    resting = position.text().split()[2 if position.side == "white" else 3]
    forward = to_rank - from_rank if position.side == "white" else from_rank - to_rank
    sideways = abs(to_file - from_file)
    return (
        sphere in mine
        and sphere != ""
        and (forward, sideways) in [(0, 1), (1, 0), (1, 1)]
        and target in ("", theirs[1])
        and "abcdefg"[from_file] + str(from_rank + 1) != resting
    )


def slow_moves(position):
    """All legal moves as texts."""
    found = set()
    for from_file, from_rank, to_file, to_rank in product(FILES, RANKS, FILES, RANKS):
        if position.content(from_rank * 7 + from_file) and slow_is_legal(
            position, from_file, from_rank, to_file, to_rank
        ):
            sign = "x" if position.content(to_rank * 7 + to_file) else "-"
            found.add(f"{'abcdefg'[from_file]}{from_rank + 1}{sign}{'abcdefg'[to_file]}{to_rank + 1}")
    return found


wells = st.integers(0, 41)
moves = st.builds(Move, wells, wells, st.booleans())


@st.composite
def games(draw):
    """The positions of a game played from the start, and the moves between them."""
    line, played = [Position.start(draw(st.sampled_from(Side)))], []
    for choice in draw(st.lists(st.integers(0, 10_000), max_size=60)):
        choices = legal_moves(line[-1])
        if not choices:
            break
        played.append(choices[choice % len(choices)])
        line.append(play(line[-1], played[-1]))
    return line, played


def texts(reasons):
    return [str(reason) for reason in reasons]


@settings(deadline=None)
@given(st.from_type(Position))
def test_the_legal_moves_are_those_that_the_rules_words_allow(position):
    found = [str(move) for move in legal_moves(position)]
    assert len(found) == len(set(found))
    assert set(found) == slow_moves(position)


@given(st.from_type(Position), moves)
def test_a_move_has_no_reason_against_it_exactly_when_it_is_legal(position, move):
    try:
        meant = normalised(position, move)
    except BadInput:
        assume(False)
    assert (why_illegal(position, move) == ()) == (meant in legal_moves(position))


@given(st.from_type(Position), st.data())
def test_every_step_that_is_not_legal_has_a_reason(position, data):
    # Random pairs of wells are mostly far apart; this one tries every near one of one sphere.
    spheres = list(position.letters())
    from_well = data.draw(st.sampled_from(spheres))
    legal = set(legal_moves(position))
    for to_well in range(max(0, from_well - 8), min(42, from_well + 9)):
        move = normalised(position, Move(from_well, to_well))
        assert (why_illegal(position, move) == ()) == (move in legal), str(move)


@given(st.from_type(Position))
def test_legal_moves_come_in_the_order_of_their_wells(position):
    found = [(move.from_well, move.to_well) for move in legal_moves(position)]
    assert found == sorted(found)


@given(games())
def test_spheres_are_conserved_but_for_the_one_captured(game):
    line, played = game
    for before, move, after in zip(line, played, line[1:], strict=False):
        mine, theirs = before.side, before.side.other
        assert after.spheres(mine).bit_count() == before.spheres(mine).bit_count() == 7
        assert after.spheres(theirs).bit_count() == 7 - move.capture
        assert after.coloured(theirs).bit_count() == 1 - move.capture
        assert not after.white & after.black
        assert after.coloured(mine) & after.spheres(mine) == after.coloured(mine)


@given(games())
def test_nothing_ever_moves_backward(game):
    line, played = game
    for before, move in zip(line, played, strict=False):
        forward = move.to_well // 7 - move.from_well // 7
        assert (forward if before.side is Side.WHITE else -forward) in (0, 1)


@given(games())
def test_a_plain_sphere_never_moves_in_two_of_its_players_turns_running(game):
    line, played = game
    for first, again, position in zip(played, played[2:], line, strict=False):
        was_coloured = position.content(first.from_well) in ("W", "B")
        assert was_coloured or again.from_well != first.to_well


@given(games())
def test_the_turn_passes_with_every_move_and_the_opponents_resting_sphere_stays(game):
    line, _ = game
    for before, after in pairwise(line):
        assert after.side is before.side.other
        assert after.resting(before.side.other) == before.resting(before.side.other)


def test_a_plain_sphere_rests_after_its_move_and_none_does_after_the_coloured_one():
    position = play(START, Move.parse("a1-a2"))
    assert position.text() == "bbbBbbb/7/7/7/w6/1wwWwww b a2 -"
    position = play(position, Move.parse("d6-d5"))
    assert position.text() == "bbb1bbb/3B3/7/7/w6/1wwWwww w a2 -"
    position = play(position, Move.parse("d1-d2"))
    assert position.text() == "bbb1bbb/3B3/7/7/w2W3/1ww1www b - -"


def test_the_coloured_sphere_may_move_in_every_turn():
    position = play(play(START, Move.parse("d1-d2")), Move.parse("a6-a5"))
    assert play(position, Move.parse("d2-d3")).text() == "1bbBbbb/b6/7/3W3/7/www1www b - a5"


def test_a_capture_takes_the_coloured_sphere_and_leaves_no_moves():
    position = Position.parse("7/3B3/2wW3/3b3/7/7 w - d3")
    after = play(position, Move.parse("c4xd5"))
    assert after.text() == "7/3w3/3W3/3b3/7/7 b d5 d3"
    assert legal_moves(after) == legal_moves(after.with_side(Side.WHITE)) == ()


def test_black_captures_too_and_with_the_coloured_sphere_as_well():
    position = Position.parse("7/3B3/3W3/7/7/w6 b a1 -")
    assert play(position, Move.parse("d5xd4")).text() == "7/7/3B3/7/7/w6 w a1 -"


def test_a_step_onto_the_enemy_coloured_sphere_is_understood_as_the_capture():
    position = Position.parse("7/3B3/2wW3/3b3/7/7 w - d3")
    assert str(normalised(position, Move.parse("c4-d5"))) == "c4xd5"
    assert play(position, Move.parse("c4-d5")) == play(position, Move.parse("c4xd5"))
    assert why_illegal(position, Move.parse("c4-d5")) == ()


@pytest.mark.parametrize(
    ("position", "move", "reasons"),
    [
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "a1-a3", "too_far"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "a1-c2", "too_far"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "g1-a2", "too_far"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "d6-d5", "opponents_sphere"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "d6-d4", "opponents_sphere too_far"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "d6-e6", "opponents_sphere occupied"),
        ("bbbBbbb/7/7/7/7/wwwWwww b - -", "d1-d2", "opponents_sphere"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "d1-d1", "put_back"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "d6-d6", "opponents_sphere put_back"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "a1-b1", "occupied"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "a1xb1", "occupied"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "a1-d1", "too_far occupied"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "a1xd6", "too_far"),
        ("bbbBbbb/7/7/7/7/wwwWwww w - -", "a1xa6", "too_far plain_capture occupied"),
        ("bbbBbbb/7/7/w6/7/1wwWwww w - -", "a3-a2", "backward"),
        ("bbbBbbb/7/7/w6/7/1wwWwww w - -", "a3-b2", "backward"),
        ("bbbBbbb/7/7/w6/7/1wwWwww w - -", "a3-a1", "backward too_far"),
        ("bbbBbbb/7/7/w6/7/1wwWwww w a3 -", "a3-b1", "backward too_far same_sphere_twice occupied"),
        ("bbbBbbb/7/7/w6/7/1wwWwww w a3 -", "a3-a4", "same_sphere_twice"),
        ("bbbBbbb/7/7/w6/7/1wwWwww w a3 -", "a3-a3", "put_back"),
        ("1bbBbbb/7/b6/w6/7/1wwWwww w - -", "a3-a4", "plain_capture occupied"),
        ("1bbBbbb/7/b6/w6/7/1wwWwww w - -", "a3xa4", "plain_capture occupied"),
        ("1bbBbbb/7/b6/w6/7/1wwWwww b - a4", "a4xa3", "same_sphere_twice plain_capture occupied"),
        ("1bbBbbb/7/b6/7/7/wwwWwww b - -", "a4-b5", "backward"),
        ("bbb1bbb/7/w6/1B5/7/1wwWwww w - -", "a4xb3", "backward"),
        ("bbb1bbb/7/7/1B5/w6/1wwWwww w a2 -", "a2xb3", "same_sphere_twice"),
        ("bbb1bbb/7/7/7/7/wwwWwww b - -", "a6-a5", "not_your_turn"),
        ("bbbBbbb/7/7/7/7/www1www w - -", "a6-a4", "opponents_sphere not_your_turn too_far"),
    ],
)
def test_every_reason_is_told_the_most_telling_first(position, move, reasons):
    position, move = Position.parse(position), Move.parse(move)
    assert texts(why_illegal(position, move)) == reasons.split()
    with pytest.raises(IllegalMove) as caught:
        play(position, move)
    assert texts(caught.value.reasons) == reasons.split()


@given(st.from_type(Position), moves)
def test_the_reasons_come_in_their_order_of_telling(position, move):
    try:
        reasons = why_illegal(position, move)
    except BadInput:
        assume(False)
    assert list(reasons) == [reason for reason in Reason if reason in reasons]
    assert Reason.ROLLED not in reasons


def test_an_illegal_move_says_in_one_line_which_where_and_why():
    with pytest.raises(SenryakuError) as caught:
        play(START, Move.parse("a1-a3"))
    assert str(caught.value) == "a1-a3 is illegal in 'bbbBbbb/7/7/7/7/wwwWwww w - -': too_far"
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("move", "named"),
    [("d3-d4", "well d3 is empty"), ("a1xa2", "a2 is empty"), ("d3xd4", "well d3 is empty")],
)
def test_a_move_with_nothing_to_move_or_capture_is_bad_input_not_an_illegal_move(move, named):
    for judge in (why_illegal, play, normalised):
        with pytest.raises(BadInput, match=named) as caught:
            judge(START, Move.parse(move))
        assert START.text() in str(caught.value)
        assert not isinstance(caught.value, IllegalMove)


@given(moves)
def test_a_move_survives_writing_and_reading(move):
    assert Move.parse(str(move)) == move


def test_a_move_may_be_typed_in_capitals_and_with_spaces_around_it():
    assert Move.parse(" D1-D2\n") == Move(3, 10)
    assert Move.parse("C4XD5") == Move(23, 31, capture=True)


@pytest.mark.parametrize(
    "text", ["", "d1", "d1d2", "d1-", "d1-d2-d3", "d1--d2", "d1 d2", "h1-h2", "a0-a1", "a7xa6", "é1-d2"]
)
def test_text_that_is_no_move_is_refused_in_one_line_that_quotes_it(text):
    with pytest.raises(BadInput) as caught:
        Move.parse(text)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("from_well", "to_well"), [(-1, 0), (0, 42), (42, 0), (0, -7)])
def test_a_move_between_wells_that_do_not_exist_is_refused(from_well, to_well):
    with pytest.raises(BadInput, match="wells are 0"):
        Move(from_well, to_well)
