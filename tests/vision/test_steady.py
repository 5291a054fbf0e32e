"""Readings over time: what counts as settled."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.geometry import Grid
from vision.reader import nothing_seen
from vision.reading import BoardReading, Content
from vision.steady import GAP_S, HOLD_S, Steady

GRID = Grid()
WELLS = {GRID.name(w): w for w in range(GRID.wells)}
START = {f"{f}1": Content.WHITE for f in "abcdefg"} | {f"{f}6": Content.BLACK for f in "abcdefg"}


def reading(t, spheres, unsure=()):
    p = np.zeros((42, 6))
    p[:, Content.EMPTY] = 1
    for name, content in spheres.items():
        p[WELLS[name]] = np.eye(6)[content]
    for name in unsure:
        p[WELLS[name]] = p[WELLS[name]] * 0.6 + np.full(6, 0.4 / 6)
    return BoardReading(t, True, p, not unsure)


def feed(steady, spheres, since, until, unsure=()):
    settled = None
    for t in np.arange(since, until, 0.1):
        settled = steady.feed(reading(float(t), spheres, unsure))
    return settled


def test_a_still_board_settles_after_a_while_and_not_before():
    steady = Steady(GRID)
    assert not feed(steady, START, 0, HOLD_S - 0.05).complete
    settled = feed(steady, START, HOLD_S, HOLD_S + 0.5)
    assert settled.complete
    assert settled.contents[WELLS["c1"]] is Content.WHITE
    assert settled.contents[WELLS["c3"]] is Content.EMPTY
    assert set(settled.since) == {settled.since[0]}
    assert HOLD_S - 0.15 < settled.since[0] < HOLD_S + 0.25


def test_a_hand_over_one_corner_does_not_stop_the_rest():
    steady = Steady(GRID)
    hand = dict.fromkeys(("a1", "b1", "a2"), Content.HIDDEN)
    settled = feed(steady, START | hand, 0, 2)
    open_wells = {name for name, w in WELLS.items() if settled.contents[w] is None}
    assert open_wells == {"a1", "b1", "a2", "a3", "b2", "b3", "c1", "c2"}
    assert feed(steady, START, 2, 4).complete


def test_what_is_settled_stays_so_while_a_hand_is_next_to_it():
    steady = Steady(GRID)
    before = feed(steady, START, 0, 2)
    after = feed(steady, START | {"d1": Content.HIDDEN}, 2, 4)
    assert after.contents[WELLS["d1"]] is None
    assert after.contents[WELLS["c1"]] is Content.WHITE
    assert after.since[WELLS["c1"]] == before.since[WELLS["c1"]]


def test_a_moved_sphere_settles_where_it_went_once_all_is_calm():
    steady = Steady(GRID)
    feed(steady, START, 0, 2)
    moved = {k: v for k, v in START.items() if k != "d1"} | {"d2": Content.WHITE}
    at_once = steady.feed(reading(2.0, moved))
    assert at_once.contents[WELLS["d1"]] is None
    assert at_once.contents[WELLS["d2"]] is None
    later = feed(steady, moved, 2.1, 3)
    assert later.complete
    assert later.contents[WELLS["d2"]] is Content.WHITE
    assert later.since[WELLS["d2"]] > 2.3
    assert later.since[WELLS["g6"]] < 1


def test_a_flickering_well_never_settles_and_disturbs_no_other():
    steady = Steady(GRID)
    for n in range(40):
        settled = steady.feed(reading(n * 0.1, START, unsure=["c3"] if n % 2 else []))
    assert settled.contents[WELLS["c3"]] is None
    assert sum(content is None for content in settled.contents) == 1


def test_an_unsure_moment_does_not_unsettle():
    steady = Steady(GRID)
    feed(steady, START, 0, 2)
    assert steady.feed(reading(2.0, START, unsure=["c3"])).complete


def test_after_a_long_gap_all_is_open_again():
    steady = Steady(GRID)
    feed(steady, START, 0, 2)
    assert set(steady.feed(reading(2.1 + GAP_S, START)).contents) == {None}


def test_nothing_is_settled_while_the_board_is_not_found():
    steady = Steady(GRID)
    feed(steady, START, 0, 2)
    assert set(steady.feed(nothing_seen(GRID, 2.0, "too few markers")).contents) == {None}


@given(st.lists(st.tuples(st.sampled_from(sorted(WELLS)), st.sampled_from(list(Content))), max_size=25))
def test_what_is_settled_was_read_in_each_of_the_last_readings(changes):
    steady, spheres, past = Steady(GRID), dict(START), []
    for n, (name, content) in enumerate(changes):
        spheres[name] = content
        for k in range(4):
            one = reading(n * 0.8 + k * 0.2, spheres)
            past.append(one.likeliest())
            settled = steady.feed(one)
            for well, fixed in enumerate(settled.contents):
                assert fixed is None or all(p[well] is fixed for p in past[-3:])
                assert fixed is not Content.HIDDEN
