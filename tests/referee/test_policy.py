"""What a table's policy makes of each kind of ruling: accept, ask, log, ignore."""

import pytest

from companion.referee.answering import answer
from companion.referee.policy import RULING_KINDS, Handling, Policy
from companion.rules import MatchRules

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"
MIDGAME = "bbb1bbb/7/3B3/7/2w4/ww1Wwww w - -"
CAPTURE = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -"
RESTING = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w c2 -"


def kinds(rulings):
    return [r.kind for r in rulings]


def asked(game):
    return [c.move for c in game.rulings[-1].candidates]


def reply(game, text):
    about = next(r.about for r in reversed(game.rulings) if r.kind == "question")
    game.state, made = answer(game.setup, game.state, text, game.t, about)
    game.rulings += made
    return game.new()


def sets_back(game, well):
    game.lift(well)
    game.wait(1.0)
    game.place(well)
    return game.wait(3.0)


@pytest.mark.parametrize("kind", RULING_KINDS)
def test_only_held_is_not_simply_accepted_where_nothing_is_set(kind):
    assert Policy().of(kind) is (Handling.LOG if kind == "held" else Handling.ACCEPT)


def test_kinds_that_nothing_is_set_for_are_made():
    assert Policy().of("start") is Handling.ACCEPT


# illegal


def test_an_illegal_move_is_asked_about_and_a_yes_makes_it_one(table):
    game = table(START, policy=Policy(illegal=Handling.ASK))
    assert kinds(game.move("b1-b3")) == ["question"]
    assert asked(game) == ["b1-b3", "let_stand"]
    (illegal,) = reply(game, "b1-b3")
    assert (illegal.kind, illegal.reason) == ("illegal", "too_far")
    assert kinds(game.move("b3-b1")) == ["restored"]
    assert kinds(game.move("b1-b2")) == ["move"]


def test_while_an_illegal_move_is_asked_about_nothing_else_is_ruled(table):
    game = table(START, policy=Policy(illegal=Handling.ASK))
    game.move("b1-b3")
    assert game.move("c6-c5") + game.wait(8.0) == []


def test_putting_it_back_settles_the_question_about_it(table):
    game = table(START, policy=Policy(illegal=Handling.ASK))
    game.move("b1-b3")
    assert kinds(game.move("b3-b1")) == ["restored"]
    assert kinds(game.move("b1-b2")) == ["move"]


def test_it_may_be_let_stand_instead(table):
    game = table(START, policy=Policy(illegal=Handling.ASK))
    game.move("b1-b3")
    (correct,) = reply(game, "let_stand")
    assert correct.position == "bbbBbbb/7/7/1w5/7/w1wWwww b b3 -"
    assert kinds(game.wait(1.0) + game.move("c6-c5")) == ["move"]


def test_a_rolled_sphere_that_is_let_stand_has_moved(table):
    game = table(START, policy=Policy(illegal=Handling.ASK))
    game.roll("b1", "b2")
    game.wait(3.0)
    assert asked(game) == ["b1-b2 rolled", "let_stand"]
    (move,) = reply(game, "let_stand")
    assert (move.kind, move.move) == ("move", "b1-b2")


def test_an_illegal_move_that_is_only_logged_stands_and_does_not_count(table):
    game = table(START, MatchRules(illegal_moves_forfeit=1), policy=Policy(illegal=Handling.LOG))
    illegal, correct = game.move("b1-b3")
    assert (illegal.kind, illegal.counts, correct.kind) == ("illegal", False, "correct")
    assert correct.position.split()[1] == "b"
    assert kinds(game.move("c6-c5")) == ["move"]
    assert game.state.illegal_moves == (0, 0)


def test_an_ignored_illegal_move_stands_and_nothing_is_said_of_it(table):
    game = table(START, policy=Policy(illegal=Handling.IGNORE))
    assert kinds(game.move("b1-b3")) == ["correct"]
    assert kinds(game.move("c6-c5")) == ["move"]


def test_touch_move_is_not_enforced_where_illegal_moves_are_ignored(table):
    game = table(START, policy=Policy(illegal=Handling.IGNORE))
    assert sets_back(game, "b1") == []
    assert [r.move for r in game.move("d1-d2")] == ["d1-d2"]


def test_an_illegal_capture_is_asked_about_even_where_illegal_moves_stand(table):
    game = table(RESTING, policy=Policy(illegal=Handling.LOG))
    game.take_off("d3")
    assert kinds(game.move("c2-d3") + game.wait(2.0)) == ["question"]


# held


def test_a_held_board_forfeits_at_once_where_that_is_accepted(table):
    game = table(MIDGAME, policy=Policy(held=Handling.ACCEPT))
    held, over = game.press(2.0)
    assert (held.kind, str(over.winner), over.termination) == ("held", "black", "forfeit")


def test_a_held_board_is_said_and_asked_about_and_the_game_goes_on(table):
    game = table(MIDGAME, policy=Policy(held=Handling.ASK))
    assert kinds(game.press(2.0)) == ["held", "question"]
    assert kinds(game.move("a1-a2")) == ["move"]


def test_the_answer_makes_the_forfeit(table):
    game = table(MIDGAME, policy=Policy(held=Handling.ASK))
    game.press(2.0)
    assert asked(game) == ["forfeit white", "nothing"]
    (over,) = reply(game, "forfeit white")
    assert (str(over.winner), over.termination) == ("black", "forfeit")


def test_no_forfeit_is_an_answer_that_changes_nothing(table):
    game = table(MIDGAME, policy=Policy(held=Handling.ASK))
    game.press(2.0)
    assert reply(game, "nothing") == []
    assert kinds(game.move("a1-a2")) == ["move"]


@pytest.mark.parametrize("rules", [MatchRules(), MatchRules(holding_forfeits=True)])
def test_an_ignored_hold_is_not_said_and_forfeits_nothing(table, rules):
    game = table(MIDGAME, rules, policy=Policy(held=Handling.IGNORE))
    assert game.press(4.0) == []
    assert kinds(game.move("a1-a2")) == ["move"]


# crash


def test_a_crash_is_asked_about_and_a_yes_ends_the_game(table):
    game = table(MIDGAME, policy=Policy(crash=Handling.ASK))
    game.lift("a1")
    game.wait(1.5)
    assert kinds(game.tip()) == ["question"]
    crash, over = reply(game, "crash white")
    assert (crash.step, str(over.winner), over.termination) == ("place", "black", "crash")


@pytest.mark.parametrize(("handling", "said"), [(Handling.LOG, ["crash"]), (Handling.IGNORE, [])])
def test_a_crash_that_nothing_follows_from_waits_for_the_board(table, handling, said):
    game = table(MIDGAME, policy=Policy(crash=handling))
    game.lift("a1")
    game.wait(1.5)
    assert kinds(game.tip()) == said
    game.standing = list(game.right())
    assert game.wait(8.0) == []
    assert kinds(game.move("a1-a2")) == ["move"]


# move, restored, game over


def test_a_move_is_asked_about_and_a_yes_makes_it(table):
    game = table(START, policy=Policy(move=Handling.ASK))
    assert kinds(game.move("b1-b2")) == ["question"]
    assert [r.move for r in reply(game, "b1-b2")] == ["b1-b2"]
    assert kinds(game.wait(1.0)) == []
    game.move("c6-c5")
    assert [r.move for r in reply(game, "c6-c5")] == ["c6-c5"]


def test_a_no_to_a_move_waits_for_the_board(table):
    game = table(START, policy=Policy(move=Handling.ASK))
    game.move("b1-b2")
    assert reply(game, "nothing") == []
    assert game.wait(8.0) == []
    game.standing = list(game.right())
    game.wait(1.0)
    assert kinds(game.move("d1-d2")) == ["question"]


def test_moves_that_are_only_logged_are_for_the_console_to_enter(table):
    game = table(START, policy=Policy(move=Handling.LOG))
    (note,) = game.move("b1-b2")
    assert (note.kind, note.text) == ("note", "White moves b1-b2")
    assert game.state.position.text() == START
    assert game.move("c6-c5") == []


def test_the_end_of_a_game_is_asked_about_after_the_move_was_made(table):
    game = table(CAPTURE, policy=Policy(game_over=Handling.ASK))
    assert kinds(game.move("c2xd3")) == ["move", "question"]
    (over,) = reply(game, "game_over")
    assert (str(over.winner), over.termination) == ("white", "capture")


def test_an_ignored_end_of_a_game_leaves_it_open(table):
    game = table(CAPTURE, policy=Policy(game_over=Handling.IGNORE))
    assert kinds(game.move("c2xd3")) == ["move"]
    assert game.wait(9.0) == []
    assert game.state.phase == "playing"


def test_a_position_put_right_is_asked_about_before_the_game_goes_on(table):
    game = table(START, policy=Policy(restored=Handling.ASK))
    game.move("b1-b3")
    assert kinds(game.move("b3-b1")) == ["question"]
    assert kinds(reply(game, "restored")) == ["restored"]
    assert kinds(game.move("b1-b2")) == ["move"]


@pytest.mark.parametrize("handling", [Handling.LOG, Handling.IGNORE])
def test_without_the_position_put_right_no_game_could_go_on(table, handling):
    game = table(START, policy=Policy(restored=handling))
    game.move("b1-b3")
    assert kinds(game.move("b3-b1")) == ["restored"]
