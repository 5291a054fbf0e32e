"""A person overrules the referee at a simulated table, and the game goes on from there."""

import pytest

from companion.commands.demo_session import DemoSession
from companion.log import contradictions
from tests.table.playing import play, play_until


@pytest.fixture
def session(tmp_path):
    """Somebody has just put White's sphere from b1 on b3."""
    with DemoSession.open(tmp_path / "demo.db", 5, False, None, False) as opened:
        opened.simulated.let_play(frozenset())
        play(opened, 3)
        opened.table.ask({"do": "hand_move", "from": "b1", "to": "b3"})
        play(opened, 4)
        assert opened.table.state()["game"]["waiting"]["for"] == "restore"
        yield opened


def moves_made(session):
    game = session.table.table_state.game
    return game.moves if game else ()


def kinds(session):
    return [e.kind for e in session._log.events()]


def test_an_illegal_move_that_is_let_stand_is_played_on_from(session):
    session.table.console({"do": "let_stand"})
    session.table.ask({"do": "let_play"})
    play_until(session, lambda: len(moves_made(session)) >= 3, 22)
    game = session.table.table_state.game
    assert [(str(m.player), bool(m.let_stand)) for m in game.moves][:2] == [("white", True), ("black", False)]
    assert kinds(session).count("illegal") == 1
    assert len(game.moves) >= 3
    assert contradictions(session._log.events()) == []


def test_a_game_that_is_awarded_is_over_and_the_next_one_begins(session):
    session.table.console({"do": "award", "winner": "black"})
    assert session.table.state()["game"]["over"]["winner"] == "black"
    play_until(session, lambda: kinds(session).count("start") == 2, 40)
    assert session.table.state()["match"]["black_steps"] == 1
    assert kinds(session).count("start") == 2


def test_a_move_taken_back_by_the_referee_is_not_ruled_again_until_it_is_made_again(session):
    session.table.ask({"do": "hand_move", "from": "b3", "to": "b1"})
    play(session, 5)
    session.table.ask({"do": "hand_move", "from": "b1", "to": "b2"})
    session.simulated.let_play(frozenset())
    play(session, 5)
    assert [m.move for m in session.table.table_state.game.moves] == ["b1-b2"]
    session.table._followed = lambda _: None  # the sphere stays where it is for now
    session.table.console({"do": "undo"})
    play(session, 6)
    assert session.table.table_state.game.moves == ()
    live = session.table.live()
    assert live["waits_for_board"]
    assert live["misplaced"] == [{"sphere": "w", "at": "b2", "to": "b1"}]


def test_a_game_whose_end_is_taken_back_goes_on_though_the_board_was_being_set_up(session):
    session.table.console({"do": "award", "winner": "black"})
    play(session, 6)
    session.table.console({"do": "undo"})
    waiting = session.table.table_state.game
    assert waiting.over is None
    session.table.ask({"do": "let_play"})
    play_until(session, lambda: len(moves_made(session)) > len(waiting.moves), 45)
    game = session.table.table_state.game
    assert game.number == waiting.number
    assert len(game.moves) > len(waiting.moves)
    assert session.simulated.games_over == 0
    assert contradictions(session._log.events()) == []
