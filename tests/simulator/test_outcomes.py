"""What becomes of what happened: right, late, asked about, missed, wrong or invented."""

import pytest

from companion.simulator.outcomes import judge
from companion.simulator.trial import Path, Trial, play


def move(t, text, player="white"):
    return {"t": t, "kind": "move", "player": player, "move": text}


def none(t, what="cup"):
    return {"t": t, "kind": "none", "what": what}


def question(t, about="move"):
    return {"t": t, "kind": "question", "about": about}


def became(truth, ruled):
    return [str(outcome.became) for outcome in judge(truth, ruled)]


@pytest.mark.parametrize(
    ("truth", "ruled", "expected"),
    [
        ([move(5, "a1-a2")], [move(5.5, "a1-a2")], ["right"]),
        ([move(5, "a1-a2")], [move(14, "a1-a2")], ["late"]),
        ([move(5, "a1-a2")], [], ["missed"]),
        ([move(5, "a1-a2")], [question(8)], ["question"]),
        ([move(5, "a1-a2")], [move(6, "a1-b2")], ["wrong"]),
        ([], [move(6, "a1-b2")], ["invented"]),
        ([none(5)], [], ["right"]),
        ([none(5)], [{"t": 7, "kind": "held", "player": "white"}], ["invented"]),
        ([none(5)], [question(7)], ["question"]),
        ([none(5)], [{"t": 7, "kind": "restored"}], ["right"]),
        ([question(5, "crash")], [question(5.2, "crash")], ["right"]),
        ([question(5, "crash")], [{"t": 5.2, "kind": "crash", "player": "white", "step": "lift"}], ["wrong"]),
        ([move(5, "a1-a2"), move(9, "b6-b5", "black")], [move(9.4, "b6-b5", "black")], ["missed", "right"]),
    ],
)
def test_it_is_told_what_became_of_it(truth, ruled, expected):
    assert became(truth, ruled) == expected


def test_a_ruling_is_late_by_the_time_since_it_could_be_known():
    assert judge([move(5, "a1-a2")], [move(5.6, "a1-a2")])[0].late == pytest.approx(0.6)


def test_the_same_match_comes_out_the_same_way():
    trial = Trial(5, mistakes=0.2, longest_s=60.0)
    one, two = play(trial), play(trial)
    assert one == two
    assert len(one.outcomes) > 5


def test_a_match_with_drawn_pictures_is_refereed_as_it_happened():
    played = play(Trial(5, Path.PIXELS, frames_per_second=5.0, mistakes=0.1, longest_s=60.0))
    assert len(played.outcomes) > 5
    assert not [o for o in played.outcomes if o.became in ("wrong", "invented")]
