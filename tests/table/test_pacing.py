"""A stream held back to a chosen speed."""

from companion.table.pacing import paced
from firmware_bridge.samples import RawSample


class Clock:
    def __init__(self):
        self.now = 100.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def samples(*times):
    return [RawSample(t, 0, 0) for t in times]


def test_items_come_no_sooner_than_their_time():
    clock = Clock()
    seen = []
    for item in paced(samples(5.0, 5.5, 7.0), 1.0, clock, clock.sleep):
        seen.append((item.t, clock.now))
    assert seen == [(5.0, 100.0), (5.5, 100.5), (7.0, 102.0)]


def test_twice_the_speed_waits_half_as_long():
    clock = Clock()
    list(paced(samples(0.0, 4.0), 2.0, clock, clock.sleep))
    assert clock.slept == [2.0]


def test_what_is_late_is_not_waited_for():
    clock = Clock()
    stream = paced(samples(0.0, 1.0, 2.0), 1.0, clock, clock.sleep)
    next(stream)
    clock.now += 10
    list(stream)
    assert clock.slept == []
