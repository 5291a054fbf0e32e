"""The rules, one by one, as rulings: what hands do at a table that both witnesses see, and what the referee says."""

import pytest

from companion.rules import MatchRules

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"
CAPTURE = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -"
OUT_OF_REACH = "bbb1bbb/7/3B3/7/2w4/ww1Wwww w - -"
RESTING = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w c2 -"
FACING = "bbbB1bb/7/7/3b3/3w3/ww1Wwww w - -"
LAST_MOVE = "7/7/7/7/3W3/B1w4 w - -"


def said(rulings):
    """Kind and what tells it apart, without times and odds."""
    names = ("player", "move", "reason", "step", "winner", "termination", "points", "about")
    return [(r.kind, *(str(getattr(r, n)) for n in names if getattr(r, n, None) is not None)) for r in rulings]


# What hands do


def moves(*texts):
    def do(game):
        for text in texts:
            game.move(text)
        game.wait(4.0)

    return do


def sets_back(well, then=None):
    def do(game):
        game.lift(well)
        game.wait(1.0)
        game.place(well)
        game.wait(3.0)
        if then:
            game.move(then)

    return do


def replaces(taken, move):
    """A sphere is taken off the board and another one set into its well."""

    def do(game):
        game.take_off(taken)
        game.move(move.replace("x", "-"))
        game.wait(3.0)

    return do


def takes_off(well, *, sets_it_back=False, then=None):
    """The hand comes from White's edge."""

    def do(game):
        game.hand_over(*(well[0] + str(rank) for rank in range(1, int(well[1]) + 1)))
        game.lift(well)
        game.wait(1.0)
        if sets_it_back:
            game.place(well)
        game.cover()
        if sets_it_back:
            game.wait(3.0)
        if then:
            game.move(then)
        game.wait(8.0)

    return do


def rolls(start, end):
    def do(game):
        game.roll(start, end)
        game.wait(4.0)

    return do


def reaches(move, *arm):
    """The arm comes over the ranks of the player whose hand it is."""

    def do(game):
        game.hand_over(*arm)
        game.lift(move[:2])
        game.wait(1.0)
        game.place(move[3:])
        game.cover()
        game.wait(4.0)

    return do


def presses(seconds):
    return lambda game: game.press(seconds)


def tips(*steps):
    """The board tips after these steps: `lift b1`, `place b2`, `off d3`, `hand b1 b2`, `wait 1.5`."""

    def do(game):
        for step in steps:
            what, *where = step.split()
            if what == "wait":
                game.wait(float(where[0]))
            elif what == "hand":
                game.hand_over(*where)
            elif what == "place":
                game.place(where[0])
            else:
                game.lift(where[0])
        game.tip()

    return do


def back_and_forth(times):
    """Both coloured spheres go sideways and back, which repeats the position."""
    there, back = ("d1-e1", "d6-e6"), ("e1-d1", "e6-d6")
    return moves(*[text for _ in range(times) for text in (*there, *back)])


SIDEWAYS = "bbbB2b/7/7/7/7/wwwW2w w - -"
WON = ("game_over", "black", "forfeit", "1")

RULES = {
    "a legal move": (START, {}, moves("b1-b2"), [("move", "white", "b1-b2")]),
    "diagonally forward": (START, {}, moves("b1-c2"), [("move", "white", "b1-c2")]),
    "the coloured sphere is free to move twice running": (
        START,
        {},
        moves("d1-d2", "c6-c5", "d2-d3"),
        [("move", "white", "d1-d2"), ("move", "black", "c6-c5"), ("move", "white", "d2-d3")],
    ),
    "a capture ends the game": (
        CAPTURE,
        {},
        moves("c2xd3"),
        [("move", "white", "c2xd3"), ("game_over", "white", "capture", "2")],
    ),
    "backward": (
        "bbbBbbb/7/7/1w5/7/w1wWwww w - -",
        {},
        moves("b3-b2"),
        [("illegal", "white", "b3-b2", "backward")],
    ),
    "too far": (START, {}, moves("b1-b3"), [("illegal", "white", "b1-b3", "too_far")]),
    "the same plain sphere twice running": (
        START,
        {},
        moves("b1-b2", "c6-c5", "b2-b3"),
        [("move", "white", "b1-b2"), ("move", "black", "c6-c5"), ("illegal", "white", "b2-b3", "same_sphere_twice")],
    ),
    "the opponent's sphere": (
        START,
        {},
        reaches("c6-c4", "c6", "c5", "c4", "c3", "c2", "c1"),
        [("illegal", "white", "c6-c4", "opponents_sphere")],
    ),
    "out of turn": (
        START,
        {},
        reaches("c6-c5", "c6", "c5", "b6", "d6"),
        [("illegal", "black", "c6-c5", "not_your_turn")],
    ),
    "a plain sphere captured": (FACING, {}, replaces("d3", "d2xd3"), [("illegal", "white", "d2-d3", "plain_capture")]),
    "a well that is taken": (START, {}, replaces("b1", "a1-b1"), [("illegal", "white", "a1-b1", "occupied")]),
    "rolled": (START, {}, rolls("b1", "b2"), [("illegal", "white", "b1-b2", "rolled")]),
    "lifted and set back": (START, {}, sets_back("b1"), [("illegal", "white", "b1-b1", "put_back")]),
    "set back, and then moved": (
        START,
        {},
        sets_back("b1", "b1-b2"),
        [("illegal", "white", "b1-b1", "put_back"), ("move", "white", "b1-b2")],
    ),
    "set back, and another one moved instead": (
        START,
        {},
        sets_back("b1", "d1-d2"),
        [("illegal", "white", "b1-b1", "put_back"), ("illegal", "white", "d1-d2", "put_back")],
    ),
    "a sphere that may not move is set back, and another may be chosen": (
        RESTING,
        {},
        sets_back("c2", "a1-a2"),
        [("illegal", "white", "c2-c2", "same_sphere_twice"), ("restored",), ("move", "white", "a1-a2")],
    ),
    "the enemy coloured sphere taken off, set back and not captured": (
        CAPTURE,
        {},
        takes_off("d3", sets_it_back=True, then="a1-a2"),
        [("illegal", "white", "d3-d3", "opponents_sphere"), ("illegal", "white", "a1-a2", "put_back")],
    ),
    "the enemy coloured sphere taken off, set back and then captured": (
        CAPTURE,
        {},
        takes_off("d3", sets_it_back=True, then="c2xd3"),
        [
            ("illegal", "white", "d3-d3", "opponents_sphere"),
            ("move", "white", "c2xd3"),
            ("game_over", "white", "capture", "2"),
        ],
    ),
    "the enemy coloured sphere taken off where no capture is possible": (
        OUT_OF_REACH,
        {},
        takes_off("d4", sets_it_back=True, then="a1-a2"),
        [("illegal", "white", "d4-d4", "opponents_sphere"), ("restored",), ("move", "white", "a1-a2")],
    ),
    "an illegal capture is no end of the game": (
        RESTING,
        {},
        replaces("d3", "c2xd3"),
        [("illegal", "white", "c2xd3", "same_sphere_twice")],
    ),
    "a held board is said, and the game goes on": (START, {}, presses(2.0), [("held", "white")]),
    "a held board forfeits where that is set": (
        OUT_OF_REACH,
        {"holding_forfeits": True},
        presses(2.0),
        [("held", "white"), WON],
    ),
    "a crash at the lift": (
        START,
        {},
        tips("hand b1 a1"),
        [("crash", "white", "lift"), ("game_over", "black", "crash", "1")],
    ),
    "a crash at the placing": (
        START,
        {},
        tips("lift b1", "wait 1.5"),
        [("crash", "white", "place"), ("game_over", "black", "crash", "1")],
    ),
    "a crash just after the placing": (
        START,
        {},
        tips("lift b1", "wait 1.0", "place b2", "wait 0.2"),
        [("move", "white", "b1-b2"), ("crash", "white", "place"), ("game_over", "black", "crash", "1")],
    ),
    "a crash while the captured sphere is removed": (
        CAPTURE,
        {},
        tips("hand d3 d2 d1", "off d3"),
        [("crash", "white", "remove"), ("game_over", "black", "crash", "1")],
    ),
    "a crash with nobody near is asked about": (START, {}, tips("wait 2.0"), [("question", "crash")]),
    "no move is left": (
        LAST_MOVE,
        {},
        moves("c1-b1"),
        [("move", "white", "c1-b1"), ("game_over", "white", "no_move", "1")],
    ),
    "so many illegal moves forfeit": (
        START,
        {"illegal_moves_forfeit": 2},
        moves("b1-b3", "b3-b1", "c1-c4"),
        [("illegal", "white", "b1-b3", "too_far"), ("restored",), ("illegal", "white", "c1-c4", "too_far"), WON],
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_referee_rules_as_the_rules_say(table, rule):
    position, settings, hands_do, expected = RULES[rule]
    game = table(position, MatchRules(**settings))
    hands_do(game)
    assert said(game.rulings) == expected


def test_a_repeated_position_is_no_end_of_the_game_unless_that_is_set(table):
    game = table(SIDEWAYS)
    back_and_forth(3)(game)
    assert {r.kind for r in game.rulings} == {"move"}


def test_the_game_is_void_at_the_set_number_of_repetitions(table):
    game = table(SIDEWAYS, MatchRules(void_at_repetition=3))
    back_and_forth(2)(game)
    assert said(game.rulings)[-1] == ("game_over", "void", "0")
    assert len([r for r in game.rulings if r.kind == "move"]) == 8


def test_an_enemy_coloured_sphere_that_stays_off_without_a_capture_breaks_touch_move(table):
    game = table(CAPTURE)
    game.take_off("d3")
    told = said(game.move("a1-a2") + game.wait(9.0))
    assert told == [("illegal", "white", "a1-a2", "put_back")]
    game.standing = list(game.right())
    assert [r.kind for r in game.wait(9.0)] == ["restored"]
    assert said(game.move("c2xd3"))[0] == ("move", "white", "c2xd3")


# A move is replaceable until it has settled and the opponent has acted


def test_set_down_and_nudged_on_in_one_grip_is_one_move(table):
    game = table(START)
    game.hand_over("b1", "b2", "a1", "c1", "c2")
    game.lift("b1")
    game.wait(0.8)
    game.place("b2")
    game.lift("b2")
    game.wait(0.3)
    game.place("c2")
    game.cover()
    assert said(game.wait(4.0)) == [("move", "white", "b1-c2")]


def test_set_down_let_go_and_moved_on_later_is_a_move_and_then_another_one(table):
    """Rules: a turn is one move; what is moved on after it has settled is no longer that turn."""
    game = table(START)
    assert said(game.move("b1-b2")) == [("move", "white", "b1-b2")]
    told = said(game.move("b2-b3") + game.wait(6.0))
    assert ("move", "white", "b2-b3") not in told
    assert {kind for kind, *_ in told} <= {"illegal", "question"}


def test_a_move_taken_back_after_it_has_settled_is_never_silently_accepted(table):
    game = table(START)
    game.move("b1-b2")
    told = game.move("b2-b1") + game.wait(6.0)
    assert told
    assert game.state.position.side == "black"
