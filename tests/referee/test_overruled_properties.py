"""Whatever hands do and whatever a person says at the console: log, rules and referee never come apart."""

import contextlib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import SenryakuError
from companion.log import Entry, contradictions, fold
from companion.log.events import FIRST_PREVIOUS, chained
from companion.referee import by_hand
from companion.referee.answering import answer
from companion.referee.policy import Handling, Policy
from companion.referee.rulings import MoveMade, Question
from companion.rules import MatchRules, Move, Position, Side, Termination, legal_moves, well_name

START = "bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -"
WELLS = st.integers(0, 41)
ACT = st.one_of(
    st.tuples(st.just("carry"), WELLS, WELLS),
    st.tuples(st.just("legal"), WELLS),
    st.tuples(st.just("off"), WELLS),
    st.tuples(st.just("cover"), st.frozensets(WELLS, max_size=8)),
    st.tuples(st.just("press")),
    st.tuples(st.just("tip")),
    st.tuples(st.just("wait"), st.floats(0.2, 6.0)),
    st.tuples(st.just("answer"), st.integers(0, 3)),
    st.tuples(st.just("enter"), st.integers(0, 100)),
    st.tuples(st.just("set"), st.sampled_from([START, "7/3B3/2wW3/3b3/7/7 w c4 d3", "7/3B3/2wW3/3b3/7/7 b - -"])),
    st.tuples(st.just("end"), st.sampled_from(list(Termination)[1:])),
    st.tuples(st.just("start")),
)
POLICIES = st.builds(Policy, *[st.sampled_from(list(Handling))] * 6)
WITNESSES = st.sampled_from([{}, {"loads": False}, {"camera": False}, {"loads": False, "camera": False}])


def do(game, act):
    kind, *what = act
    stands = [well for well in range(42) if game.standing[well]]
    if kind == "carry" and stands:
        game.lift(well_name(stands[what[0] % len(stands)]))
        game.wait(0.8)
        free = [well for well in range(42) if not game.standing[well]]
        game.place(well_name(free[what[1] % len(free)]))
        game.wait(1.0)
    elif kind == "legal" and (legal := legal_moves(game.state.position)):
        move = legal[what[0] % len(legal)]
        if game.standing[move.from_well]:
            game.move(str(move))
    elif kind == "off" and stands:
        game.take_off(well_name(stands[what[0] % len(stands)]))
    elif kind == "cover":
        game.hidden = set(what[0])
    elif kind == "press":
        game.press(2.0)
    elif kind == "tip":
        game.tip()
    elif kind == "wait":
        game.wait(what[0])
    else:
        say(game, kind, *what)


def say(game, kind, *what):
    """A person at the console; what cannot be done now is refused, and changes nothing."""
    with contextlib.suppress(SenryakuError):
        game.state, made = _asked(game, kind, *what)
        game.rulings += made


def _asked(game, kind, *what):
    setup, state, t = game.setup, game.state, game.t
    if kind == "answer":
        open_one = next((r for r in reversed(game.rulings) if r.kind not in ("held", "note")), None)
        if not isinstance(open_one, Question):
            return state, ()
        candidates = open_one.candidates
        return answer(setup, state, candidates[what[0] % len(candidates)].move, t, open_one.about)
    if kind == "enter":
        legal = legal_moves(state.position) or (Move(0, 0),)
        return by_hand.enter_move(setup, state, legal[what[0] % len(legal)], t)
    if kind == "set":
        return by_hand.set_position(setup, state, Position.parse(what[0]), t)
    if kind == "end":
        return by_hand.end(state, what[0], None if what[0] is Termination.VOID else Side.WHITE, t)
    return by_hand.start(setup, state, t)


def logged(rulings):
    """The rulings as a log has them, after the beginning of a game in `START`."""
    events, previous = [], FIRST_PREVIOUS
    entries = [("match", {"white": "Ada", "black": "Ben"}), ("start", {"position": START})]
    entries += [(r.kind, r.payload()) for r in rulings]
    for seq, (kind, payload) in enumerate(entries, 1):
        events.append(chained(previous, seq, Entry(1.0, kind, "person", payload)))
        previous = events[-1].digest
    return events


def no_wins_by_position(found):
    """A person may end a game by any ending; only what the referee says of a position must be so."""
    return [c for c in found if "is not won by" not in c.what]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(policy=POLICIES, witnesses=WITNESSES, acts=st.lists(ACT, max_size=9))
def test_log_rules_and_referee_never_come_apart(table, policy, witnesses, acts):
    game = table(START, MatchRules(track_steps=99), policy=policy, **witnesses)
    for act in acts:
        do(game, act)
    events = logged(game.rulings)
    assert no_wins_by_position(contradictions(events)) == []
    in_log = fold(events).game
    if game.state.phase == "await_start":
        assert in_log.over is not None
        return
    assert in_log.over is None
    assert game.state.position == in_log.position
    assert game.state.illegal_moves == in_log.illegal_moves
    assert game.state.past[-1] == in_log.line[-1]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACT, max_size=7))
def test_once_the_right_position_stands_the_game_goes_on(table, acts):
    """However muddled, and whoever has said what: from there on the next legal move is followed."""
    game = table(START, MatchRules(track_steps=99))
    for act in acts:
        do(game, act)
    if game.state.phase == "await_start" or not legal_moves(game.state.position):
        return
    game.hidden = set()
    game.standing = list(game.right())
    game.wait(9.0)
    legal = [m for m in legal_moves(game.state.position) if not m.capture]
    if game.state.touched is not None:
        legal = [m for m in legal if m.from_well == game.state.touched] or legal
        if not any(m.from_well == game.state.touched for m in legal):
            return  # bound to a capture
    if not legal:
        return
    game.new()
    told = game.move(str(legal[0])) + game.wait(4.0)
    assert [r.move for r in told if isinstance(r, MoveMade)][:1] == [str(legal[0])]
