"""The referee on a table that two perfect witnesses watch: what the rules say, he says."""

from companion.rules import MatchRules

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"
CAPTURE = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -"


def said(rulings):
    return [{k: v for k, v in r.to_json().items() if k not in ("t", "confidence", "candidates")} for r in rulings]


def kinds(rulings):
    return [r.kind for r in rulings]


def test_a_game_starts_once_the_start_position_stands(table):
    game = table()
    assert said(game.wait(1.0)) == [{"kind": "start", "position": START}]


def test_a_game_does_not_start_while_a_hand_covers_a_well(table):
    game = table()
    game.cover("c1")
    assert game.wait(3.0) == []
    game.cover()
    assert kinds(game.wait(1.0)) == ["start"]


def test_a_game_does_not_start_with_a_sphere_missing(table):
    game = table()
    game.put("a1", "")
    assert game.wait(3.0) == []


def test_moves_are_followed_one_after_the_other(table):
    game = table(START)
    assert [r["move"] for text in ("d1-d2", "c6-c5", "a1-b2", "d6-d5") for r in said(game.move(text))] == [
        "d1-d2",
        "c6-c5",
        "a1-b2",
        "d6-d5",
    ]


def test_a_capture_ends_the_game(table):
    game = table(CAPTURE)
    move, over = said(game.move("c2xd3"))
    assert move["move"] == "c2xd3"
    assert over == {"kind": "game_over", "winner": "white", "termination": "capture", "points": 2}


def test_a_sphere_moved_too_far_must_go_back(table):
    game = table(START)
    (illegal,) = said(game.move("b1-b3"))
    assert (illegal["player"], illegal["move"], illegal["reason"]) == ("white", "b1-b3", "too_far")
    assert illegal["position"] == START
    assert game.wait(5.0) == []
    assert said(game.move("b3-b1")) == [{"kind": "restored", "position": START}]
    assert said(game.move("b1-b2"))[0]["move"] == "b1-b2"


def test_a_sphere_on_the_wrong_well_may_be_moved_on_to_a_right_one(table):
    game = table(START)
    game.move("b1-b3")
    assert kinds(game.move("b3-b2")) == ["restored", "move"]


def test_a_plain_sphere_may_not_move_twice_running(table):
    game = table(START)
    game.move("b1-b2")
    game.move("c6-c5")
    (illegal,) = said(game.move("b2-b3"))
    assert illegal["reason"] == "same_sphere_twice"


def test_moving_backward_is_named(table):
    game = table("bbbBbbb/7/7/1w5/7/w1wWwww w - -")
    (illegal,) = said(game.move("b3-b2"))
    assert illegal["reason"] == "backward"


def test_a_rolled_sphere_is_illegal_even_where_it_might_have_gone(table):
    game = table(START)
    game.roll("b1", "b2")
    (illegal,) = said(game.wait(3.0))
    assert (illegal["move"], illegal["reason"]) == ("b1-b2", "rolled")


def test_a_sphere_rolled_across_the_line_that_the_cells_feel_is_rolled_too(table):
    game = table(START, axis="files")
    game.wait(2.0)
    game.roll("b1", "b2")
    (illegal,) = said(game.wait(4.0))
    assert (illegal["move"], illegal["reason"]) == ("b1-b2", "rolled")


def test_a_sphere_set_back_is_no_move_and_must_move_now(table):
    game = table(START)
    game.lift("b1")
    game.wait(1.0)
    game.place("b1")
    (put_back,) = said(game.wait(2.0))
    assert (put_back["move"], put_back["reason"]) == ("b1-b1", "put_back")
    (other,) = said(game.move("d1-d2"))
    assert other["kind"] == "illegal"
    assert other["reason"] == "put_back"


def test_the_touched_sphere_moves_after_all(table):
    game = table(START)
    game.lift("b1")
    game.wait(1.0)
    game.place("b1")
    game.wait(2.0)
    (move,) = said(game.move("b1-b2"))
    assert move["kind"] == "move"


def test_two_quick_moves_are_two_moves(table):
    game = table(START)
    game.cover(*[f + r for f in "abcdefg" for r in "123456"])
    game.move("b1-b2")
    game.move("c6-c5")
    game.cover()
    assert [r["move"] for r in said(game.wait(2.0))] == ["b1-b2", "c6-c5"]


def test_nobody_is_accused_while_a_hand_covers_the_change(table):
    game = table(START)
    game.cover("b1", "b2", "a2", "c2", "a1", "c1")
    assert [r for r in game.move("b1-b2") if r.kind != "question"] == []
    game.cover()
    assert [r["move"] for r in said(game.wait(1.0))] == ["b1-b2"]


def test_a_sphere_in_hand_is_no_ruling(table):
    game = table(START)
    game.lift("b1")
    assert game.wait(20.0) == []
    assert game.state.in_hand == 1


def test_holding_the_board_is_said_once(table):
    game = table(START)
    assert said(game.press(4.0)) == [{"kind": "held", "player": "white"}]
    assert said(game.press(3.0)) == [{"kind": "held", "player": "white"}]


def test_a_short_press_is_not_holding(table):
    assert table(START).press(0.6) == []


def test_holding_forfeits_where_the_table_says_so(table):
    game = table(START, MatchRules(holding_forfeits=True))
    assert said(game.press(2.0))[1] == {"kind": "game_over", "winner": "black", "termination": "forfeit", "points": 1}


def test_a_crash_while_the_sphere_is_set_down_is_the_movers(table):
    game = table(START)
    game.lift("b1")
    game.wait(1.5)
    assert said(game.tip()) == [
        {"kind": "crash", "player": "white", "step": "place"},
        {"kind": "game_over", "winner": "black", "termination": "crash", "points": 1},
    ]


def test_a_crash_at_the_lift_is_the_lifters(table):
    game = table(START)
    game.cover("b1", "b2")
    game.wait(0.5)
    assert said(game.tip())[0] == {"kind": "crash", "player": "white", "step": "lift"}


def test_a_crash_just_after_a_placing_is_still_the_movers(table):
    game = table(START)
    game.lift("b1")
    game.wait(1.0)
    game.place("b2")
    game.wait(0.3)
    assert said(game.tip())[0] == {"kind": "crash", "player": "white", "step": "place"}


def test_a_crash_with_no_hand_near_is_asked_about(table):
    game = table(START)
    game.wait(2.0)
    assert kinds(game.tip()) == ["question"]


def test_the_camera_alone_follows_moves(table):
    game = table(START, loads=False)
    game.move("d1-d2")
    game.move("c6-c5")
    game.wait(6.0)
    assert [r["move"] for r in said(game.rulings)] == ["d1-d2", "c6-c5"]


def test_the_camera_alone_says_nothing_of_a_move_that_is_put_back(table):
    game = table(START, loads=False)
    game.roll("b1", "b2")
    game.wait(1.0)
    game.roll("b2", "b1")
    assert game.wait(8.0) == []


def test_load_cells_alone_say_nothing_wrong(table):
    game = table(START, camera=False)
    game.move("b1-b2")
    game.wait(5.0)
    assert set(kinds(game.rulings)) <= {"question"}


def test_who_begins_alternates(table):
    game = table(CAPTURE)
    game.move("c2xd3")
    fresh = table()
    game.standing = list(fresh.standing)
    (start,) = said(game.wait(1.0))
    assert start["position"].split()[1] == "b"
