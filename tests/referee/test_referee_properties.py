"""Whatever hands do, and however little of it is seen: no ruling contradicts the rules."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.referee.rulings import Crash, GameOver, Held, Illegal, MoveMade, Restored, Start
from companion.rules import Move, Position, legal_moves, normalised, play, well_name, why_illegal
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from vision.reading import BoardReading

WELLS = st.integers(0, 41)
HAND = st.one_of(
    st.tuples(st.just("carry"), WELLS, WELLS),
    st.tuples(st.just("legal"), st.integers(0, 100)),
    st.tuples(st.just("roll"), WELLS, WELLS),
    st.tuples(st.just("cover"), st.frozensets(WELLS, max_size=12)),
    st.tuples(st.just("press"), st.floats(0.2, 2.0)),
    st.tuples(st.just("wait"), st.floats(0.1, 6.0)),
    st.tuples(st.just("tip")),
)
STARTS = st.sampled_from(
    ["bbbBbbb/7/7/7/7/wwwWwww w - -", "bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -", "7/3B3/2wW3/3b3/7/7 w c4 d3"]
)
SETUPS = st.sampled_from([{}, {"axis": "files"}, {"loads": False}, {"camera": False}])


GRAMS = st.one_of(st.none(), st.floats(-5.0, 900.0))
PLACE = st.one_of(st.none(), st.floats(-120.0, 120.0))
RAW = st.one_of(
    st.builds(
        lambda kind, late, mass, p, to_p: lambda t: LoadEvent(t, kind, t - late, mass, p, to_p),
        st.sampled_from(LoadEventKind),
        st.floats(0.0, 3.0),
        st.one_of(st.none(), st.floats(1.0, 80.0)),
        PLACE,
        PLACE,
    ),
    st.builds(
        lambda low, high, flags, faults: lambda t: LoadState(t, low, high, flags[0], t - 1.0, *flags[1:], faults),
        GRAMS,
        GRAMS,
        st.tuples(*[st.booleans()] * 4),
        st.sampled_from([(), ("low no data",), ("low drift beyond budget",), ("cells swapped",)]),
    ),
    st.builds(
        lambda seed, found: (
            lambda t: BoardReading(t, found, np.random.default_rng(seed).dirichlet(np.full(6, 0.2), 42), False)
        ),
        st.integers(0, 99),
        st.booleans(),
    ),
)
"""Anything at all that witnesses could say, whether or not it makes sense."""


def occupied(game, well):
    """The nearest occupied well, counting up."""
    return next((w % 42 for w in range(well, well + 42) if game.standing[w % 42]), None)


def free(game, well):
    return next(w % 42 for w in range(well, well + 42) if not game.standing[w % 42])


def do(game, action):
    kind, *what = action
    if kind == "carry" and (well := occupied(game, what[0])) is not None:
        game.lift(well_name(well))
        game.wait(0.8)
        game.place(well_name(free(game, what[1])))
    elif kind == "legal" and (legal := legal_moves(game.state.position)):
        move = legal[what[0] % len(legal)]
        if game.standing[move.from_well] and game.in_hand is not None:
            game.move(str(move))
    elif kind == "roll" and (well := occupied(game, what[0])) is not None:
        game.roll(well_name(well), well_name(free(game, what[1])))
    elif kind == "cover":
        game.hidden = set(what[0])
    elif kind == "press":
        game.press(what[0])
    elif kind == "wait":
        game.wait(what[0])
    elif kind == "tip":
        game.tip()


def check(rulings, position):
    """Follows the rulings with the rules engine."""
    playing = True
    for ruling in rulings:
        if isinstance(ruling, Start):
            position, playing = Position.parse(ruling.position), True
        elif isinstance(ruling, MoveMade):
            move = Move.parse(ruling.move)
            assert playing
            assert ruling.player is position.side
            assert move == normalised(position, move)
            position = play(position, move)
            assert ruling.position == position.text()
        elif isinstance(ruling, Illegal):
            assert playing
            assert ruling.position == position.text()
            move = Move.parse(ruling.move)
            if ruling.reason not in ("rolled", "put_back", "not_your_turn"):
                assert ruling.reason in why_illegal(position, move)
            if ruling.reason == "not_your_turn":
                assert ruling.player is position.side.other
        elif isinstance(ruling, Restored):
            assert ruling.position == position.text()
        elif isinstance(ruling, Held | Crash):
            assert playing
        elif isinstance(ruling, GameOver):
            assert playing
            playing = False
    return position


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=STARTS, setup=SETUPS, actions=st.lists(HAND, max_size=8))
def test_no_ruling_contradicts_the_rules(table, start, setup, actions):
    game = table(start, **setup)
    for action in actions:
        do(game, action)
    game.hidden = set()
    game.wait(3.0)
    position = check(game.rulings, Position.parse(start))
    assert game.state.position == position or game.state.phase == "await_start"


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=STARTS, actions=st.lists(HAND, max_size=6))
def test_from_any_state_the_right_position_brings_the_game_back(table, start, actions):
    """However muddled: once the position that the referee holds to be right stands, the next move is followed."""
    game = table(start)
    for action in actions:
        do(game, action)
    if game.state.phase == "await_start":
        return
    game.hidden = set()
    game.standing = list(game.right())
    game.wait(8.0)
    legal = [m for m in legal_moves(game.state.position) if not m.capture]
    if game.state.touched is not None:
        legal = [m for m in legal if m.from_well == game.state.touched]  # none if bound to a capture
    if not legal:
        return
    game.new()
    told = game.move(str(legal[0])) + game.wait(4.0)
    assert [r.move for r in told if isinstance(r, MoveMade)][:1] == [str(legal[0])]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=STARTS, evidence=st.lists(st.tuples(st.floats(0.01, 3.0), RAW), max_size=25))
def test_whatever_the_witnesses_have_said_the_right_position_brings_the_game_back(table, start, evidence):
    game = table(start)
    game.wait(1.0)
    for seconds, said in evidence:
        game.t = round(game.t + seconds, 3)
        game._give(said(game.t))
    position = check(game.rulings, Position.parse(start))
    if game.state.phase == "await_start":
        return
    assert game.state.position == position
    game.standing = list(game.right())
    game.wait(12.0)
    legal = [m for m in legal_moves(game.state.position) if not m.capture]
    if game.state.touched is not None:
        legal = [m for m in legal if m.from_well == game.state.touched]  # none if bound to a capture
    if game.state.phase == "await_start" or not legal:
        return
    game.new()
    told = game.move(str(legal[0])) + game.wait(4.0)
    assert [r.move for r in told if isinstance(r, MoveMade)][:1] == [str(legal[0])]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=STARTS, actions=st.lists(HAND, max_size=6))
def test_the_same_evidence_gives_the_same_rulings(table, start, actions):
    one, other = table(start), table(start)
    for action in actions:
        do(one, action)
        do(other, action)
    assert [r.to_json() for r in one.rulings] == [r.to_json() for r in other.rulings]
