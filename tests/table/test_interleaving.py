"""Samples and pictures come late, each in its own way, and go on in order of time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from companion.table.interleaving import MOST_HOLD_S, Interleaving
from firmware_bridge.samples import RawSample
from vision.frames import Frame

IMAGE = np.zeros((4, 4, 3), np.uint8)


def sample(t):
    return RawSample(t, 1, 2)


def picture(t):
    return Frame(t, IMAGE)


ARRIVALS = st.lists(st.tuples(st.booleans(), st.floats(0, 20), st.floats(0, 0.9)), max_size=60)


@given(ARRIVALS)
def test_whatever_comes_when_it_goes_on_in_order_and_nothing_is_lost_unsaid(arrivals):
    order, out = Interleaving(2), []
    came = sorted(((t + late, picture(t) if seen else sample(t)) for seen, t, late in arrivals), key=lambda a: a[0])
    for now, item in came:
        order.add(item, now)
        out += order.ready(now)
    out += order.rest()
    assert [item.t for item in out] == sorted(item.t for item in out)
    assert len(out) + order.late == len(arrivals)


@given(ARRIVALS)
def test_nothing_waits_for_longer_than_a_second(arrivals):
    order = Interleaving(2)
    for seen, t, late in arrivals:
        order.add(picture(t) if seen else sample(t), t + late)
    order.ready(21.0 + MOST_HOLD_S)
    assert order.rest() == []


def test_a_sample_waits_for_a_picture_that_was_taken_before_it():
    order = Interleaving(2)
    order.add(picture(0.9), 1.0)
    order.add(sample(1.05), 1.05)
    assert [item.t for item in order.ready(1.06)] == [0.9]
    order.add(picture(1.04), 1.14)
    assert [item.t for item in order.ready(1.14)] == [1.04]
    order.add(picture(1.1), 1.2)
    assert [item.t for item in order.ready(1.2)] == [1.05]


def test_a_table_with_one_witness_waits_for_nobody():
    order = Interleaving(1)
    order.add(sample(1.0), 1.2)
    assert [item.t for item in order.ready(1.2)] == [1.0]


def test_where_the_camera_is_silent_samples_go_on_all_the_same():
    order = Interleaving(2)
    order.add(sample(1.0), 1.01)
    assert order.ready(1.01) == []
    assert [item.t for item in order.ready(1.05)] == [1.0]


def test_a_picture_that_comes_after_its_turn_is_left_out_and_the_next_is_waited_for():
    order = Interleaving(2)
    order.add(sample(1.0), 1.0)
    order.ready(1.1)
    order.add(picture(0.8), 1.1)
    assert order.late == 1
    order.add(sample(1.2), 1.2)
    assert order.ready(1.4) == []
