"""One table at run time: what is ruled is logged, and it goes on where the log left off."""

import pytest

from companion.commands.demo_session import DemoSession
from companion.errors import BadInput
from companion.log import EventLog, LogNotSaved, contradictions, fold
from tests.table.playing import play, play_until


@pytest.fixture
def session(tmp_path):
    opened = DemoSession.open(tmp_path / "demo.db", 5, False, None, False)
    yield opened
    opened.__exit__(None, None, None)


def moves_made(session):
    game = session.table.table_state.game
    return 0 if game is None else len(game.moves)


def test_rulings_go_to_the_log_and_the_state_is_its_fold(session):
    play_until(session, lambda: moves_made(session) >= 2, 25)
    events = session._log.events()
    assert [e.kind for e in events][:3] == ["note", "match", "start"]
    assert {"move"} <= {e.kind for e in events}
    assert session.table.table_state == fold(events)
    assert contradictions(events) == []
    assert session.table.state()["seq"] == events[-1].seq
    assert session.table.events_after(2)[0]["seq"] == 3


def test_live_values_say_what_both_witnesses_see(session):
    play(session, 4)
    live = session.table.live()
    assert live["witnesses"] == {"load_cells": "ok", "camera": "ok"}
    assert 0 < live["margin_mm"] < live["half_spacing_mm"]
    assert live["reading"]["d1"] == "white_coloured"
    assert session.table.picture()[:2] == b"\xff\xd8"


def test_a_change_wakes_whoever_waits(session):
    seq, version = session.table.wait_for_change(-1, -1, 0)
    play(session, 3)
    assert session.table.wait_for_change(seq, version, 0) != (seq, version)


def test_undo_takes_the_move_back_and_the_referee_expects_the_position_before(session):
    play_until(session, lambda: moves_made(session) >= 2, 25)
    play(session, 1)  # a hand is on its way again
    before = session.table.table_state.game
    assert before is not None
    session.table.undo()
    after = session.table.table_state.game
    assert after is not None
    assert len(after.moves) == len(before.moves) - 1
    assert session.table._refereeing.state.position == after.position
    session.table.redo()
    assert session.table.table_state.game.position == before.position


def test_a_ruling_that_cannot_be_saved_is_not_passed_over(session):
    session._log.close()
    with pytest.raises(LogNotSaved):
        play(session, 30)


@pytest.mark.parametrize("seconds", [6, 11, 19])
def test_a_stopped_table_goes_on_with_the_same_game(tmp_path, seconds):
    file = tmp_path / "demo.db"
    with DemoSession.open(file, 9, False, None, False) as first:
        play(first, seconds)
        stopped = first.table.table_state
    with DemoSession.open(file, 9, False, None, False) as second:
        assert second.resumed
        assert second.table.table_state == stopped
        play(second, 0.5)
        assert second.simulated.position == stopped.game.position
        play_until(second, lambda: moves_made(second) > len(stopped.game.moves), 20)
        went_on = second.table.table_state
    assert went_on.game.number == stopped.game.number
    assert went_on.game.moves[: len(stopped.game.moves)] == stopped.game.moves
    assert len(went_on.game.moves) > len(stopped.game.moves)
    with EventLog.read(file) as log:
        assert contradictions(log.events()) == []


def test_another_seed_begins_a_new_match(tmp_path):
    file = tmp_path / "demo.db"
    with DemoSession.open(file, 9, False, None, False) as first:
        play(first, 8)
    with DemoSession.open(file, 10, False, None, False) as second:
        assert not second.resumed
        assert second.table.state()["game"] is None


def test_a_sphere_moved_by_hand_is_refereed_like_any_other(session):
    session.simulated.let_play(frozenset())
    play(session, 3)
    session.table.ask({"do": "hand_move", "from": "b1", "to": "b3"})
    play(session, 5)
    last = session.table.state()["last_ruling"]
    assert (last["kind"], last["move"], last["reason"]) == ("illegal", "b1-b3", "too_far")
    assert session.table.state()["game"]["waiting"]["for"] == "restore"
    session.table.ask({"do": "hand_move", "from": "b3", "to": "b1"})
    play(session, 6)
    assert session.table.state()["last_ruling"]["kind"] == "restored"
    session.table.ask({"do": "hand_move", "from": "b1", "to": "c2"})
    play(session, 6)
    assert session.table.state()["last_ruling"]["move"] == "b1-c2"


def test_several_spheres_out_of_place_are_put_right_by_whoever_and_the_game_goes_on(session):
    session.simulated.let_play(frozenset())
    play(session, 3)
    session.table.ask({"do": "hand_move", "from": "b1", "to": "b3"})
    play(session, 3)
    session.table.ask({"do": "hand_move", "from": "g1", "to": "g4"})
    play(session, 2)
    assert session.table.state()["game"]["waiting"]["for"] == "restore"
    play_until(session, lambda: session.table.state()["game"]["waiting"] is None, 25)  # the players put both back
    state = session.table.state()
    assert "restored" in [ruling["kind"] for ruling in state["recent"]]
    assert state["game"]["waiting"] is None
    session.table.ask({"do": "hand_move", "from": "b1", "to": "b2"})
    play(session, 6)
    assert "b1-b2" in [move["move"] for move in session.table.state()["game"]["moves"]]
    assert [ruling["kind"] for ruling in session.ruled()].count("illegal") == 1


def test_whoever_moves_a_sphere_plays_that_side_until_the_players_are_let_on(session):
    play(session, 1)
    session.table.ask({"do": "hand_move", "from": "c1", "to": "c2"})
    assert session.table.live()["by_hand"] == "white"
    play(session, 14)
    moves = session.table.table_state.game.moves
    assert [str(m.player) for m in moves][-1] == "black"
    before = len(moves)
    play(session, 10)
    assert len(session.table.table_state.game.moves) == before, "White was moved although a person plays it"
    session.table.ask({"do": "let_play"})
    play_until(session, lambda: moves_made(session) > before, 12)
    assert moves_made(session) > before


@pytest.mark.parametrize(
    "command", [{"do": "dance"}, {"do": "hand_move", "from": "z9", "to": "a1"}, {"do": "hand_move"}]
)
def test_commands_that_make_no_sense_are_refused(session, command):
    with pytest.raises(BadInput):
        session.table.ask(command)
