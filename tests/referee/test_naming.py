"""No question has two answers that look the same, and each answer gives the explanation that it names."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.referee import possible as hyp
from companion.referee.answering import NoAnswer, answer
from companion.referee.explain import ANSWERS, _ask, said
from companion.referee.hypotheses import Meaning, placement_of
from companion.referee.naming import said_with_who, texts, told_apart
from companion.referee.sensed import Sensed
from companion.referee.state import Setup, Verdict, resume
from companion.referee.unseen import Way, _as_hypothesis
from companion.referee.verdicts import settle
from companion.referee.words import in_words
from companion.rules import Match, MatchRules, Move, Position, Side
from vision.geometry import Grid

START = Position.start()
NEAR = Position.parse("bbb1bbb/7/7/3B3/2w4/ww1Wwww w - -")
BLIND = Setup(camera=False)
SURE, UNSURE = Sensed(None, (), 1, Grid()), Sensed((), (), 1, Grid())
EACH = st.integers(0, 41)


def asked(position, ranked, sensed=SURE):
    """The question that these explanations lead to, and the state in which it is open."""
    verdict = Verdict(((), ()), True, tuple(ranked))
    state = replace(resume(Match(MatchRules()), position, None, None), verdict=verdict)
    state, rulings = _ask(state, sensed, verdict, 1.0)
    return state, told_apart(state, rulings)[0]


def everything(position, touched, wells):
    """Explanations of every sort about these wells of a position, in this order."""
    standing, found = placement_of(position), [hyp.nothing(placement_of(position))]
    for start, goal in pairwise(wells):
        if standing[start]:
            found += hyp.wrong_displacements(position, standing, start, goal)
            found += hyp.rolled(position, standing, start, goal)
            found += hyp.put_back_then_moves(position, standing, start)[goal % 5 :: 7]
    found += [h for h in hyp.put_backs(position, standing) if h.moves[0].from_well in wells]
    found += hyp.moves_made(position, touched)[wells[0] % 3 :: 3] + hyp.nudged(position, touched)[:: wells[0] + 1]
    found += hyp.in_hand(position, standing)[:2] + hyp.move_pairs(position)[:: wells[-1] * 5 + 1]
    found += hyp.moves_beside_a_capture(position)[:3]
    unclear = Way(moves=(Move.parse("a1-a2"),), clear=False)
    return [*found, _as_hypothesis(unclear, position.side, position)]


def answered(state, text):
    """The rulings of an answer, None where it is for the person to say."""
    try:
        return answer(BLIND, state, text, 2.0)[1]
    except NoAnswer:
        return None


def ruled(state, h):
    """The rulings of an explanation."""
    if h.meaning is Meaning.UNCLEAR:
        return None
    if h.meaning in (Meaning.IN_HAND, Meaning.NOTHING):
        return ()
    return settle(replace(state, asked=False), h, 1.0, 2.0)[1]


@settings(max_examples=40)
@given(
    st.sampled_from([START, NEAR]),
    st.none() | st.sampled_from([0, 1, 16]),
    st.lists(EACH, min_size=2, max_size=6, unique=True),
    st.randoms(use_true_random=False),
    st.sampled_from([SURE, UNSURE]),
)
def test_no_two_answers_look_the_same_and_each_gives_what_it_names(position, touched, wells, chance, sensed):
    known = {(h.meaning, h.moves, h.reason, h.player, h.after): h for h in everything(position, touched, wells)}
    some = chance.sample(list(known.values()), min(len(known), ANSWERS))
    alike = [h for h in known.values() if said(h) == said(some[0])]
    offered = list(dict.fromkeys([*alike, *some]))[:ANSWERS]
    state, question = asked(position, [(0.25, h) for h in offered], sensed)
    names = [c.move for c in question.candidates]
    assert len(set(names)) == len(names)
    for h in offered:
        (name,) = {name for name in names if name in (said(h), said_with_who(h))}
        assert answered(state, name) == ruled(state, h)
        since = replace(state, verdict=Verdict(((1.0,), ()), True, tuple((0.25, h) for h in offered[::-1])))
        assert answered(since, name) == ruled(state, h)
        if said(h) != name:  # a log that goes on tells no more than this text
            after_a_restart = resume(Match(MatchRules()), position, None, None)
            assert answered(replace(after_a_restart, touched=touched), name) == ruled(state, h)


def test_who_and_why_are_said_where_the_moves_do_not_tell_two_apart():
    white, black = hyp.wrong_displacements(START, placement_of(START), 35, 28)
    state, question = asked(START, [(0.5, white), (0.3, black), (0.2, hyp.nothing(placement_of(START)))])
    assert [(c.move, c.p) for c in question.candidates] == [
        ("a6-a5 by White, not their sphere", 0.5),
        ("a6-a5 by Black, out of turn", 0.3),
        ("nothing", 0.2),
    ]
    (illegal,) = answered(state, "a6-a5 by Black, out of turn")
    assert (illegal.player, illegal.move, illegal.reason) == (Side.BLACK, "a6-a5", "not_your_turn")
    assert "a6-a5 by Black, out of turn 30%" in in_words(question)


def test_moves_that_are_told_apart_by_themselves_stay_plain():
    white, _ = hyp.wrong_displacements(START, placement_of(START), 35, 28)
    legal = hyp.moves_made(START, None)[0]
    _, question = asked(START, [(0.6, white), (0.4, legal)])
    assert [c.move for c in question.candidates] == ["a6-a5", str(legal.moves[0])]


def test_what_means_the_same_to_a_person_is_one_answer_as_likely_as_both():
    one, two = hyp.in_hand(START, placement_of(START))[:2]
    _, question = asked(START, [(0.5, one), (0.3, two), (0.2, hyp.nothing(placement_of(START)))])
    assert [(c.move, c.p) for c in question.candidates] == [("in_hand", 0.8), ("nothing", 0.2)]


def test_a_sphere_set_back_before_a_move_is_told_apart_too():
    both = hyp.put_back_then_moves(START, placement_of(START), 35)
    alike = [h for h in both if said(h) == said(both[0])]
    assert texts(alike) == (
        "a6-a6 by White, not their sphere, and then a1-a2",
        "a6-a6 by Black, out of turn, and then a1-a2",
    )


def test_at_the_table_white_or_black_may_have_moved_whats_blacks(table):
    """With the camera alone nobody sees whose hand it was: both are offered, by name."""
    game = table(START.text(), loads=False)
    game.cover("a5", "a6")
    game.wait(1.0)
    game.standing[28], game.standing[35] = game.standing[35], 0
    game.cover()
    game.wait(30.0)
    (question,) = game.rulings
    assert [c.move for c in question.candidates] == [
        "a6-a5 by White, not their sphere",
        "a6-a5 by Black, out of turn",
    ]
