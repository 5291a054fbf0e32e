"""Position text, both ways, and everything that can be wrong with one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput
from companion.rules import InvalidPosition, Position, Side, parse_well, well_name

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"


@st.composite
def placements(draw):
    """Letters by well of a possible position, one coloured sphere perhaps captured."""
    letters = draw(st.sampled_from(["WB", "W", "B"])) + "w" * draw(st.integers(0, 6)) + "b" * draw(st.integers(0, 6))
    return dict(zip(draw(st.permutations(range(42))), letters, strict=False))


@given(st.from_type(Position))
def test_a_position_survives_writing_and_reading(position):
    assert Position.parse(position.text()) == position


@given(st.from_type(Position))
def test_the_placement_is_the_first_field_and_six_ranks_of_seven_wells(position):
    placement = position.text().split()[0]
    assert position.placement() == placement
    ranks = placement.split("/")
    assert len(ranks) == 6
    assert all(sum(int(c) if c.isdigit() else 1 for c in rank) == 7 for rank in ranks)


@given(placements())
def test_every_well_holds_what_was_placed_there(placement):
    position = Position.from_placement(placement, Side.WHITE)
    assert [position.content(well) for well in range(42)] == [placement.get(well, "") for well in range(42)]
    assert position.letters() == dict(sorted(placement.items()))


def test_the_start_has_both_back_ranks_full_and_white_to_move():
    assert Position.start().text() == START
    assert Position.parse(START) == Position.start()
    assert Position.start(Side.BLACK).text() == "bbbBbbb/7/7/7/7/wwwWwww b - -"


def test_wells_are_named_by_file_and_rank():
    names = ["a1", "g1", "a2", "d6", "g6"]
    assert [parse_well(name) for name in names] == [0, 6, 7, 38, 41]
    assert [parse_well(well_name(well)) for well in range(42)] == list(range(42))


@pytest.mark.parametrize("text", ["", "a", "a0", "a7", "h1", "11", "a11", "aa", "1a"])
def test_a_well_that_does_not_exist_is_refused(text):
    with pytest.raises(BadInput, match="wells are a1 to g6"):
        parse_well(text)


@pytest.mark.parametrize("well", [-1, 42])
def test_a_well_number_out_of_range_is_refused(well):
    with pytest.raises(BadInput):
        well_name(well)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("bbbBbbb/7/7/7/wwwWwww w - -", ["6 ranks wanted, found 5"]),
        ("bbbBbbb/7/7/7/7/7/wwwWwww w - -", ["6 ranks wanted, found 7"]),
        ("bbbBbb/7/7/7/7/wwwWwww w - -", ["rank 6 needs 7 wells, has 6"]),
        ("bbbBbbb/7/7/71/7/wwwWwww w - -", ["rank 3 needs 7 wells, has 8"]),
        ("bbbBbbb/7/7/7/q6/wwwWwww w - -", ["unknown letter 'q' in rank 2"]),
        ("bbbBbbb/7/7/7/W6/wwwWwww w - -", ["2 white coloured spheres"]),
        ("bbbBbbb/7/B6/7/7/wwwWwww w - -", ["2 black coloured spheres"]),
        ("bbbBbbb/7/7/7/w6/wwwWwww w - -", ["7 plain white spheres, at most 6"]),
        ("bbb1bbb/7/7/7/7/www1www w - -", ["both coloured spheres are missing"]),
        ("bbbBbbb/7/7/7/7/wwwWwww white - -", ["side to move is 'white', not 'w' or 'b'"]),
        ("bbbBbbb/7/7/7/7/wwwWwww W - -", ["side to move is 'W'"]),
        ("bbbBbbb/7/7/7/7/wwwWwww w a2 -", ["white's resting well a2 is empty"]),
        ("bbbBbbb/7/7/7/7/wwwWwww w d1 -", ["white's resting well d1 holds the coloured sphere"]),
        ("bbbBbbb/7/7/7/7/wwwWwww w - a1", ["black's resting well a1 holds a white sphere"]),
        ("bbbBbbb/7/7/7/7/wwwWwww w - a9", ["black's resting well is 'a9', not a well or '-'"]),
        ("bbbBbbb/7/7/7/7/wwwWwww", ["4 fields wanted", "found 1"]),
        ("bbbBbbb/7/7/7/7/wwwWwww w - - -", ["found 5"]),
        ("", ["found 0"]),
        (
            "bbbBbb/x6/7/7/w6/wwwWwww x d1 a9",
            ["rank 6 needs", "'x' in rank 5", "7 plain white", "to move is 'x'", "holds the coloured", "'a9'"],
        ),
    ],
)
def test_a_bad_position_is_refused_with_all_its_problems_in_one_line(text, problems):
    with pytest.raises(InvalidPosition) as caught:
        Position.parse(text)
    message = str(caught.value)
    assert message.startswith(f"position {text!r}: ")
    assert "\n" not in message
    for problem in problems:
        assert problem in message
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("sides", ["bbb1bbb/7/7/7/7/wwwWwww w - -", "bbbBbbb/7/7/7/7/www1www b - -"])
def test_a_position_after_a_capture_lacks_one_coloured_sphere(sides):
    assert Position.parse(sides).text() == sides


def test_the_captured_side_is_known():
    assert Position.parse("bbb1bbb/7/7/7/7/wwwWwww w - -").captured is Side.BLACK
    assert Position.parse("bbbBbbb/7/7/7/7/www1www w - -").captured is Side.WHITE
    assert Position.start().captured is None


@given(st.text(alphabet="wWbB1234567/ -ad16\n\x00é٣", max_size=60))
def test_any_text_is_either_read_or_refused_in_one_line(text):
    try:
        position = Position.parse(text)
    except InvalidPosition as refused:
        problems, message = refused.problems, str(refused)
    else:
        assert Position.parse(position.text()) == position
        return
    assert problems
    assert "\n" not in message


def test_a_long_text_is_not_quoted_in_full():
    with pytest.raises(InvalidPosition) as caught:
        Position.parse("q" * 10_000)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("placement", "resting", "problem"),
    [
        ({42: "w", 0: "W"}, (0, 0), "no well 42"),
        ({0: "W", 1: "x"}, (0, 0), "unknown sphere 'x'"),
        ({0: "W", 1: "w"}, (1 << 2, 0), "white's resting well c1 is empty"),
        ({0: "W", 1: "w"}, (3, 0), "is not one well"),
        ({0: "W", 1: "w"}, (0, 2), "black's resting well b1 holds a white sphere"),
        ("7/7/7/7/7/W5", (0, 0), "rank 1 needs 7 wells, has 6"),
    ],
)
def test_a_bad_placement_is_refused(placement, resting, problem):
    with pytest.raises(InvalidPosition, match=problem):
        Position.from_placement(placement, Side.WHITE, *resting)


def test_a_placement_may_name_empty_wells():
    assert Position.from_placement({0: "W", 1: "", 41: "B"}, Side.BLACK).text() == "6B/7/7/7/7/W6 b - -"


def test_positions_with_the_same_spheres_have_the_same_placement_whoever_is_to_move():
    start = Position.start()
    assert start.same_placement(start.with_side(Side.BLACK))
    assert not start.same_placement(Position.parse("bbbBbbb/7/7/7/w6/1wwWwww b a2 -"))
