"""Try 4 on a mat: what is read becomes turns, refusals and questions. Readings are made by hand, without pictures."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.referee.try4_mat import (
    PATIENT,
    SETTLED,
    UNMOVED_S,
    MatState,
    Phase,
    Trouble,
    blinded,
    content,
    decide,
    look,
    press,
    take,
    tell,
)
from companion.rules.try4 import Try4Game, Try4Rules
from companion.rules.try4_text import placings_of
from companion.rules.try4_tiles import Cell, Tile
from vision.tile_mat import TileGrid
from vision.tile_reading import CellIs, CellReading, TileReading, nothing_found, reading_of

GRID = TileGrid()
STEP_S = 0.25


def reading(lies="", t=0.0, unsure="", hidden=""):
    """A reading of a mat: `a1=red1 ...` for certain; `unsure` likewise, or only cells; `hidden` cells."""
    cells = [CellReading(CellIs.EMPTY)] * GRID.cells
    for cell, tile in placings_of(lies).items():
        cells[cell.row * 7 + cell.column] = CellReading(CellIs.TILE, tile.colour, tile.number, 0.99, 0.99, 0.99)
    for part in unsure.split():
        name, _, guess = part.partition("=")
        cell, tile = Cell.parse(name), Tile.parse(guess) if guess else None
        colour, number = (None, None) if tile is None else (tile.colour, tile.number)
        cells[cell.row * 7 + cell.column] = CellReading(CellIs.UNSURE, colour, number, 0.3 if tile else 0.0)
    for name in hidden.split():
        cell = Cell.parse(name)
        cells[cell.row * 7 + cell.column] = CellReading(CellIs.HIDDEN)
    return reading_of(GRID, t, tuple(cells))


def seen(state, lies="", times=PATIENT, unsure="", hidden=""):
    """The state after some readings of the same, with whatever turn was played on the way."""
    t = state.window[-1].t if state.window else 0.0
    for k in range(1, times + 1):
        state, _ = decide(take(state, reading(lies, t + k * STEP_S, unsure, hidden)))
    return state


def game_of(*turns, rules=None):
    game = Try4Game(rules or Try4Rules())
    for turn in turns:
        game = game.play(placings_of(turn))
    return game


def lying(game):
    return " ".join(f"{cell}={tile}" for cell, tile in game.board.items())


def troubles(problems):
    return [(problem.trouble, [str(cell) for cell in problem.cells], problem.rule) for problem in problems]


def test_a_turn_is_played_when_play_is_pressed_and_not_before():
    state = seen(MatState(Try4Game()), "c3=red1")
    assert look(state).placed == placings_of("c3=red1")
    assert not state.game.turns
    state, turn = decide(press(state))
    assert turn is not None
    assert turn.placings == placings_of("c3=red1")
    assert not state.pressed


def test_play_pressed_too_early_waits_until_the_mat_has_settled():
    state, turn = decide(press(seen(MatState(Try4Game()), "c3=red1", times=1)))
    assert turn is None
    assert state.pressed
    assert seen(state, "c3=red1", times=SETTLED).game.board == placings_of("c3=red1")


def test_hands_over_the_mat_wait_and_what_is_under_them_is_not_gone():
    game = game_of("c3=red1")
    state = seen(MatState(game), "c3=red1 c4=blue1")
    state = press(seen(state, "c4=blue1", hidden="c3"))
    state, turn = decide(state)
    assert turn is None
    assert look(state).phase is Phase.HANDS
    assert not look(state).problems
    state = seen(state, "c3=red1 c4=blue2")
    assert state.game.turns[-1].placings == placings_of("c4=blue2")


def test_what_hides_cells_for_long_without_moving_is_asked_about_and_an_answer_gets_past_it():
    """Such as two tiles that the camera takes for one thing: nobody waits for ever for a hand that is none."""
    state = seen(MatState(Try4Game()), "d4=green3", hidden="a1 a2")
    assert look(state).phase is Phase.HANDS
    t = 100.0
    for k in range(int(UNMOVED_S / STEP_S) + PATIENT):
        state, _ = decide(take(state, reading("d4=green3", t + k * STEP_S, hidden="a1 a2")))
    asked = look(state)
    assert asked.phase is Phase.ASKING
    assert [str(question.cell) for question in asked.questions] == ["a1", "a2"]
    assert asked.placed == placings_of("d4=green3")
    state = tell(tell(state, Cell.parse("a1"), Tile("purple", 1)), Cell.parse("a2"), None)
    assert look(state).placed == placings_of("a1=purple1 d4=green3")
    assert look(state).phase is Phase.READY


def test_what_a_person_says_of_all_hidden_cells_gets_past_at_once():
    state = seen(MatState(Try4Game()), hidden="a1 a2")
    state = press(tell(tell(state, Cell.parse("a1"), Tile("purple", 1)), Cell.parse("a2"), None))
    state = seen(state, hidden="a1 a2")
    assert state.game.board == placings_of("a1=purple1")


def test_a_hand_that_moves_is_waited_for_however_long():
    state, t = MatState(Try4Game()), 0.0
    for k in range(40):
        t += STEP_S
        state = take(state, reading("", t, hidden=("a1 b1 c1", "b2 c2 d2")[k // 3 % 2]))
        assert look(state).phase is Phase.HANDS


def test_tiles_beside_a_hand_are_shown_and_nothing_is_decided_by_them():
    state = take(press(MatState(Try4Game())), reading("d4=green3", 0.0, hidden="a1"))
    state, turn = decide(state)
    assert turn is None
    assert look(state).placed == placings_of("d4=green3")
    assert look(state).cells[Cell.parse("a1")] is CellIs.HIDDEN


def test_a_turn_that_breaks_a_rule_is_explained_with_its_cells_and_waits_to_be_put_right():
    game = game_of("a1=red1")
    state, turn = decide(press(seen(MatState(game), "a1=red1 c3=blue1 f6=blue2")))
    assert turn is None
    assert troubles(state.refused) == [(Trouble.RULE, ["c3", "f6"], "no_square")]
    state = seen(state, "a1=red1 c3=blue1 f6=blue2")
    assert state.refused, "it stands as long as the mat is as it was"
    state = seen(state, "a1=red1 c3=blue1")
    assert not state.refused
    assert not state.pressed, "Play is pressed anew"
    state, turn = decide(press(state))
    assert turn is not None


def test_play_with_nothing_laid_is_refused():
    state, turn = decide(press(seen(MatState(game_of("a1=red1")), "a1=red1")))
    assert turn is None
    assert [problem.rule for problem in state.refused] == ["no_tiles"]


@pytest.mark.parametrize(
    ("lies", "trouble"),
    [
        ("b1=red2 c4=blue1", (Trouble.MISSING, ["a1"], None)),
        ("b1=red2 d4=red1 c4=blue1", (Trouble.MOVED, ["a1", "d4"], None)),
        ("a1=blue3 b1=red2 c4=blue1", (Trouble.CHANGED, ["a1"], None)),
    ],
)
def test_tiles_moved_removed_or_exchanged_are_noticed_before_play_and_refuse_the_turn(lies, trouble):
    state = seen(MatState(game_of("a1=red1", "b1=red2")), lies)
    assert troubles(look(state).problems) == [trouble]
    state, turn = decide(press(state))
    assert turn is None
    assert troubles(state.refused) == [trouble]
    assert "a1" in state.refused[0].text


def test_two_tiles_exchanged_are_both_named():
    state = seen(MatState(game_of("a1=red1", "b1=red2")), "a1=red2 b1=red1")
    assert troubles(look(state).problems) == [(Trouble.CHANGED, ["a1"], None), (Trouble.CHANGED, ["b1"], None)]


def test_a_tile_turned_over_is_asked_about_and_play_waits():
    game = game_of("a1=red1")
    state = seen(press(MatState(game)), "c3=blue1", unsure="a1=red4")
    (question,) = look(state).questions
    assert (str(question.cell), str(question.known)) == ("a1", "red1")
    assert str(question.candidates[0]) == "red1"
    assert len(state.game.turns) == 1
    assert seen(state, "a1=red1 c3=blue1").game.board == placings_of("a1=red1 c3=blue1"), "turned up again it is played"


def test_a_played_tile_in_glare_that_still_looks_like_itself_is_not_asked_about():
    game = game_of("a1=red1")
    glare = reading("", 0.0, unsure="a1=red1")
    cells = list(glare.cells)
    cells[0] = replace(cells[0], p=0.7)
    state = MatState(game)
    for k in range(PATIENT):
        state = take(state, reading_of(GRID, k * STEP_S, tuple(cells)))
    assert not look(state).questions
    assert look(state).phase is Phase.READY


def test_an_unsure_tile_is_asked_about_and_never_guessed():
    state = seen(press(MatState(Try4Game())), unsure="c3=red1")
    assert not state.game.turns
    (question,) = look(state).questions
    assert str(question.candidates[0]) == "red1"
    assert set(map(str, question.candidates)) == {str(tile) for tile in state.game.unplaced}
    state, turn = decide(tell(state, Cell.parse("c3"), Tile.parse("blue2")))
    assert turn is not None, "Play was pressed before and still holds"
    assert turn.placings == placings_of("c3=blue2")
    state = seen(state, "d5=red1", unsure="c3=red1")
    assert not look(state).questions, "who it is has been said and is not asked again"
    assert look(state).placed == placings_of("d5=red1")


def test_a_persons_word_goes_over_a_certain_reading_until_the_mat_changes():
    state = seen(MatState(Try4Game()), "c3=red1")
    state = tell(state, Cell.parse("c3"), Tile.parse("red2"))
    assert look(seen(state, "c3=red1")).placed == placings_of("c3=red2")
    assert look(seen(state, "c3=blue4")).placed == placings_of("c3=blue4")
    assert look(seen(seen(state, "c3=blue4"), "c3=red1")).placed == placings_of("c3=red1")


def test_a_tile_read_in_some_pictures_only_is_read_where_none_says_otherwise():
    state = MatState(Try4Game())
    for k, how in enumerate(("unsure", "lies", "unsure", "lies")):
        state = take(state, reading(t=k * STEP_S, **{how: "c3=red1"}))
    assert look(state).placed == placings_of("c3=red1")


def test_readings_that_contradict_are_not_mixed():
    state = seen(MatState(Try4Game()), "c3=red1")
    state = take(state, reading("c3=blue2", 9.0))
    assert look(state).phase is Phase.SETTLING
    assert look(seen(state, "c3=blue2")).placed == placings_of("c3=blue2")


def test_without_the_mat_nothing_is_decided_and_blind_a_person_says_what_lies_where():
    game = game_of("a1=red1")
    state = take(press(seen(MatState(game), "a1=red1")), nothing_found(GRID, 1.0, "no markers"))
    assert look(state).phase is Phase.LOST
    assert not look(state).problems
    state = tell(blinded(state), Cell.parse("c3"), Tile.parse("blue1"))
    state, turn = decide(press(state))
    assert turn is not None
    assert turn.placings == placings_of("c3=blue1")
    state = seen(state, "a1=red1 c3=blue1")
    assert not state.blind
    assert not look(state).problems


def test_when_the_camera_sees_again_it_goes_by_what_it_sees():
    state = tell(blinded(MatState(Try4Game())), Cell.parse("c3"), Tile.parse("blue1"))
    assert look(seen(state, "")).placed == {}


def test_the_game_ends_with_its_last_tile_and_play_then_does_nothing():
    game = game_of(rules=replace(Try4Rules(), tiles=Try4Rules().tiles.parse("red 1")))
    state, turn = decide(press(seen(MatState(game), "c3=red1")))
    assert turn is not None
    assert look(state).phase is Phase.OVER
    assert press(state).pressed is False


@given(st.data())
def test_whatever_the_readings_only_tiles_that_were_read_for_certain_or_told_are_ever_played(data):
    """Random readings and answers: no tile comes into the game from an unsure reading alone."""
    state, certain, told = MatState(Try4Game()), set(), set()
    tiles = [f"{colour}{number}" for colour in ("red", "blue") for number in (1, 2)]
    for k in range(data.draw(st.integers(1, 12))):
        step = data.draw(st.sampled_from(["read", "press", "tell"]))
        cell = data.draw(st.sampled_from(["a1", "b2", "c3"]))
        tile = data.draw(st.sampled_from(tiles))
        if step == "press":
            state = press(state)
        elif step == "tell":
            told.add((cell, tile))
            state = tell(state, Cell.parse(cell), Tile.parse(tile))
        else:
            sure = data.draw(st.booleans())
            if sure:
                certain.add((cell, tile))
            for n in range(data.draw(st.integers(1, 5))):
                t = k * 10 + n * STEP_S
                state, _ = decide(take(state, reading(*((f"{cell}={tile}", t) if sure else ("", t, f"{cell}={tile}")))))
        state, _ = decide(state)
    for cell, tile in state.game.board.items():
        assert (str(cell), str(tile)) in certain | told


def test_a_reading_that_hides_everything_is_no_reading():
    state = seen(MatState(game_of("a1=red1")), "a1=red1")
    hidden = TileReading(5.0, True, (CellReading(CellIs.HIDDEN),) * GRID.cells, True)
    assert content(take(state, hidden), Cell.parse("a1")) == Tile.parse("red1")


def test_a_played_tile_that_hardly_looks_like_itself_is_asked_about():
    """Turned over, a tile's back may chance to have its colour, and a guess may chance to be its number."""
    state = seen(MatState(game_of("a1=red1")), unsure="a1=red1")
    assert [str(question.cell) for question in look(state).questions] == ["a1"]


def test_of_two_equal_tiles_that_are_gone_only_one_is_said_to_lie_where_one_lies_now():
    state = seen(MatState(game_of("a1=red1", "b1=red1")), "d4=red1")
    assert troubles(look(state).problems) == [
        (Trouble.MOVED, ["a1", "d4"], None),
        (Trouble.MISSING, ["b1"], None),
    ]
