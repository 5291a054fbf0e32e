"""A picture a second, or none for a while: what happens in between is not seen, and must not be taken for granted."""

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"
PICTURE_A_SECOND = 20
"""In steps of 0.05 s."""


def said(rulings):
    return [(r.kind, getattr(r, "move", getattr(r, "about", None))) for r in rulings]


def few_pictures(table, position=START):
    game = table(position)
    game.picture_every = PICTURE_A_SECOND
    game.wait(3.0)
    return game


def test_a_sphere_that_was_seen_to_be_rolled_away_is_not_set_back_when_it_is_taken_home(table):
    """Nobody felt the roll; two pictures showed where it led."""
    game = few_pictures(table, "1bbBbbb/1b5/7/7/7/wwwWwww b - -")
    game.carry("b5", "c5")
    game.wait(1.4)
    game.cover("b6", "c6", "b5", "c5")
    game.lift("c5")
    game.wait(1.0)
    game.place("b5")
    game.cover()
    assert ("illegal", "b5-b5") not in said(game.wait(4.0))


def test_whose_hand_holds_the_board_is_said_once_it_was_looked_at(table):
    """White's hand is in no picture at first, though it is Black's turn."""
    game = few_pictures(table, "bbbBbbb/7/7/7/w6/1wwWwww b a2 -")
    game.pressing_since = game.t
    early = game.wait(1.3)
    game.cover("e1", "f1")
    later = game.wait(1.5)
    assert [(r.kind, r.player) for r in (*early, *later)] == [("held", "white")]


def test_a_press_that_was_not_looked_at_is_asked_about(table):
    game = few_pictures(table)
    game.camera_away = True
    game.pressing_since = game.t
    game.wait(1.4)
    game.pressing_since = None
    assert said(game.wait(2.0)) == [("question", "held")]


def test_two_moves_are_not_ruled_where_three_were_felt(table):
    """f6-f5, e1-f2, e6-f6 looks as e6-f5, e1-f2 would; the cells fell silent before the last placing."""
    game = table("bbbBbbb/7/7/7/7/wwwWwww b - -")
    game.wait(2.0)
    game.camera_away = True
    for start, end in (("f6", "f5"), ("e1", "f2")):
        game.lift(start)
        game.wait(1.0)
        game.place(end)
        game.wait(2.0)
    game.lift("e6")
    game.cells_away = True
    game.wait(1.0)
    game.carry("e6", "f6")
    game.camera_away = False
    assert not [r for r in game.wait(3.0) if r.kind in ("move", "illegal")]


def test_a_sphere_in_hand_when_the_last_turn_is_ruled_was_not_rolled(table):
    """The cells tell of neither its lift nor its placing, but the board was lighter, mostly before that ruling."""
    game = few_pictures(table)
    game.carry("a1", "a2")
    game.wait(1.0)
    game.in_air_g = 20.0
    game.cover("b6", "b5", "a6", "a5")
    assert said(game.wait(1.6)) == [("move", "a1-a2")]
    game.in_air_g = 0.0
    game.carry("b6", "b5")
    game.cover()
    assert "illegal" not in {r.kind for r in game.wait(4.0)}


def test_what_the_cells_felt_roll_is_no_sure_move_though_they_place_it_elsewhere(table):
    """A finger that pulls makes the board lighter meanwhile, as a sphere in the air would."""
    game = table("bbbBbbb/7/7/7/7/wwwWwww b - -")
    game.wait(2.0)
    game.cover("g6", "g5")
    game.in_air_g = 18.0
    game.wait(1.2)
    game.in_air_g = 0.0
    game.carry("g6", "g5")
    game.feel_roll("d3", "d1")
    game.cover()
    assert ("move", "g6-g5") not in said(game.wait(6.0))
