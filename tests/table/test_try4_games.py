"""Try 4 on the screen: what the pages ask, what they are shown, and what is refused."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput, SenryakuError
from companion.log.try4_store import Try4Store
from companion.rules.try4_text import play_text
from companion.table.try4_games import Meanwhile, Try4Games, plain_name

SMALL = {"columns": 3, "rows": 3, "players": 2, "set": "red 1 2", "names": ["Ada", "Ben"]}


@pytest.fixture
def games(tmp_path):
    with Try4Store.open(tmp_path / "try4.db") as store:
        yield Try4Games(store, itertools.count(1000.0).__next__)


def ask(games, do, **more):
    state = games.state()
    return games.command({"do": do, "game": state["game"], "turns": len(state["turns"]), **more})


def play(games, **laid):
    return ask(games, "play", laid=laid)


def test_the_first_page_shows_a_new_game_with_the_standard_set(games):
    state = games.state()
    assert (state["columns"], state["rows"], state["players"]) == (7, 7, 1)
    assert sum(state["unplaced"].values()) == 25
    assert [row["colour"] for row in state["rows_of_tiles"]] == ["red", "blue", "green", "yellow", "purple"]
    assert games.state()["game"] == state["game"], "looking twice begins no second game"


def test_play_scores_the_turn_and_shows_each_new_square(games):
    play(games, c3="red1")
    state = play(games, c4="red2", d3="red3", d4="red4")
    assert state["turns"][-1]["squares"] == [{"cells": ["c3", "d3", "c4", "d4"], "colour": 4, "number": 10}]
    assert state["total"] == 14
    assert state["board"]["d4"] == "red4"


def test_tiles_that_are_laid_stay_laid_and_nothing_is_played(games):
    ask(games, "lay", laid={"a1": "red1", "b2": "blue1"})
    state = games.state()
    assert state["laid"] == {"a1": "red1", "b2": "blue1"}
    assert not state["turns"]
    assert ask(games, "lay", laid={})["laid"] == {}


def test_a_turn_that_breaks_a_rule_is_explained_and_its_tiles_stay(games):
    play(games, c3="red1")
    state = play(games, a1="red2", g7="red3")
    assert [(r["rule"], r["cells"]) for r in state["refused"]] == [("no_square", ["a1", "g7"])]
    assert state["laid"] == {"a1": "red2", "g7": "red3"}
    assert len(state["turns"]) == 1
    assert play(games)["refused"][0]["rule"] == "no_tiles"


@pytest.mark.parametrize(
    "laid",
    [
        {"c3": "red2"},
        {"h1": "red2"},
        {"a9": "red2"},
        {"a1": "red2", "b1": "red2"},
        {"a1": "pink1"},
        {"a1": 7},
        {"?": "red2"},
    ],
)
def test_tiles_that_cannot_lie_there_are_bad_input(games, laid):
    play(games, c3="red1")
    for do in ("lay", "play"):
        with pytest.raises(BadInput):
            ask(games, do, laid=laid)
    assert games.state()["laid"] == {}


def test_a_page_that_has_missed_a_turn_is_told_to_look_again(games):
    state = games.state()
    play(games, c3="red1")
    with pytest.raises(Meanwhile, match="has changed meanwhile"):
        games.command({"do": "play", "game": state["game"], "turns": 0, "laid": {"c3": "red2"}})
    assert games.state()["board"] == {"c3": "red1"}


def test_delete_clears_the_board_and_can_be_undone(games):
    state = play(games, c3="red1")
    cleared = ask(games, "clear")
    assert cleared["board"] == {}
    assert cleared["cleared"] == state["game"]
    back = games.command({"do": "bring_back", "cleared": cleared["cleared"]})
    assert back["board"] == {"c3": "red1"}
    assert games.state()["game"] == state["game"]
    assert games.statistics()["results"] == []


def test_settings_hold_at_once_on_a_bare_board_and_from_the_next_game_else(games):
    assert ask(games, "settings", **SMALL)["columns"] == 3
    play(games, a1="red1")
    state = ask(games, "settings", **{**SMALL, "columns": 5})
    assert (state["columns"], state["settings"]["columns"]) == (3, 5)
    assert ask(games, "clear")["columns"] == 5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"columns": 1}, "columns: must be a number from 2 to 12"),
        ({"rows": 13}, "rows: must be a number from 2 to 12"),
        ({"rows": "7"}, "rows: must be a number"),
        ({"players": 5}, "players: must be a number from 1 to 4"),
        ({"players": True}, "players: must be a number"),
        ({"set": "red"}, "tile set, 'red'"),
        ({"set": "red 1 2 3 4 5 6 7 8 9 10"}, "10 tiles are too many for the 9 cells"),
        ({"set": None}, "tile set: give one"),
        ({"names": "Ada"}, "names: give a list"),
    ],
)
def test_settings_that_make_no_game_are_refused_with_what_may_be(games, change, says):
    with pytest.raises(BadInput, match=says):
        ask(games, "settings", **{**SMALL, **change})
    assert games.state()["settings"]["columns"] == 7


def test_statistics_show_every_total_of_every_finished_game_with_what_it_can_be_compared_with(games):
    ask(games, "settings", **SMALL)
    play(games, a1="red1")
    assert play(games, a2="red2")["over"]
    (first, second) = games.statistics()["results"]
    assert (first["player"], first["total"], second["player"]) == ("Ada", 0, "Ben")
    assert first["kind"] == "2 players, 3 × 3, own set of 2 tiles"


def test_deleting_the_history_leaves_the_game_that_goes_on(games):
    ask(games, "settings", **SMALL)
    play(games, a1="red1")
    play(games, a2="red2")
    ask(games, "clear")
    play(games, b1="red1")
    state = ask(games, "delete_history")
    assert state["board"] == {"b1": "red1"}
    assert games.statistics()["results"] == []


def test_the_standard_set_in_other_colours_is_still_the_standard_set(games):
    colours = ["pink", "pink", "black", "white", "grey"]
    state = ask(
        games, "settings", **{**SMALL, "columns": 7, "rows": 7, "set": "; ".join(f"{c} 1 1 2 3 4" for c in colours)}
    )
    assert [row["colour"] for row in state["rows_of_tiles"]] == colours
    assert state["unplaced"]["pink1"] == 4


@given(
    st.dictionaries(st.text(max_size=6), st.recursive(st.none() | st.integers() | st.text(max_size=8), st.lists)),
    st.sampled_from(["lay", "play", "clear", "bring_back", "settings", "delete_history", "x"]),
)
def test_whatever_a_page_sends_is_done_or_refused_in_one_line(tmp_path_factory, junk, do):
    with Try4Store.open(tmp_path_factory.mktemp("junk") / "try4.db") as store:
        games = Try4Games(store, lambda: 0.0)
        said = ""
        try:
            games.command({**junk, "do": do})
            ask(games, do, **junk)
        except SenryakuError as error:
            said = str(error)
        assert "\n" not in said


def test_a_whole_game_on_the_screen_scores_as_the_same_game_written_as_text(games):
    ask(games, "settings", columns=5, rows=5, players=1, set="red 1 2 3 4 1 2; blue 1 2 3", names=[])
    turns = [{"c3": "red1"}, {"c4": "red2", "d3": "red3", "d4": "red4"}, {"e3": "red2", "e4": "red1"}]
    turns += [{"c5": "blue1", "d5": "blue3", "e5": "blue2"}]
    for turn in turns:
        state = play(games, **turn)
    text = "set: red 1 2 3 4 1 2; blue 1 2 3\nboard: 5x5\n"
    text += "\n".join(" ".join(f"{c}={t}" for c, t in turn.items()) for turn in turns)
    assert [turn["score"] for turn in state["turns"]] == [t.score for t in play_text(text).turns] == [0, 14, 14, 24]
    assert state["over"]


def begun(games):
    state = games.state()
    return {"game": state["game"], "turns": 0, "was": {}}


def test_play_pressed_twice_plays_once_and_the_second_press_says_nothing(games):
    asked = {**begun(games), "do": "play", "laid": {"c3": "red1"}}
    first = games.command(asked)
    second = games.command(asked)
    assert len(first["turns"]) == len(second["turns"]) == 1
    assert second["refused"] == []


def test_what_two_pages_of_one_game_lay_is_kept_side_by_side(games):
    seen = begun(games)
    games.command({**seen, "do": "lay", "laid": {"a1": "red1"}})
    both = games.command({**seen, "do": "lay", "laid": {"b1": "blue1"}})
    assert both["laid"] == {"a1": "red1", "b1": "blue1"}
    back = games.command({**seen, "was": {"b1": "blue1"}, "do": "lay", "laid": {}})
    assert back["laid"] == {"a1": "red1"}


def test_two_pages_that_lay_in_one_cell_are_told_so_and_nothing_is_overwritten(games):
    seen = begun(games)
    games.command({**seen, "do": "lay", "laid": {"a1": "red1"}})
    with pytest.raises(Meanwhile, match="a1: another screen"):
        games.command({**seen, "do": "lay", "laid": {"a1": "blue1"}})
    with pytest.raises(Meanwhile, match="other tiles were laid"):
        games.command({**seen, "do": "play", "laid": {"b1": "blue1"}})
    assert games.state()["laid"] == {"a1": "red1"}


def test_a_taken_cell_is_said_to_be_taken(games):
    seen = begun(games)
    games.command({**seen, "do": "play", "laid": {"c3": "red1"}})
    with pytest.raises(BadInput, match="c3: already taken"):
        games.command({**seen, "turns": 1, "do": "lay", "laid": {"c3": "blue1"}})


def test_marks_of_direction_and_control_characters_are_no_part_of_a_name():
    assert plain_name(" A\u202eda\x07 \u2066Lovelace ") == "A da Lovelace"
