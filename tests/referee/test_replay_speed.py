"""The same recording gives the same rulings, byte for byte, however fast it is replayed."""

import itertools
import json

import pytest

from companion.referee.state import begin
from companion.table.pacing import paced
from companion.table.recording import Recording
from companion.table.refereeing import Refereeing, rulings

SECONDS = 40.0


class Clock:
    """A clock that only goes on while somebody sleeps, and a little for every look at it."""

    def __init__(self, look_s):
        self.now = 0.0
        self.look_s = look_s

    def time(self):
        self.now += self.look_s
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def replayed(folder, pace=iter):
    recording = Recording.open(folder)
    refereeing = Refereeing.of(
        recording.settings,
        begin(recording.settings.rules),
        loads=recording.loads,
        camera=recording.camera,
        empty=recording.empty(),
    )
    items = itertools.takewhile(lambda item: item.t < SECONDS, recording.items())
    return "\n".join(json.dumps(r.to_json()) for r in rulings(refereeing, pace(items)))


@pytest.mark.parametrize("name", ["r2_infringements", "r3_crash_place"])
def test_rulings_do_not_depend_on_the_speed_of_the_replay(shared, name):
    folder = shared / "data" / "recordings" / name
    as_fast_as_it_goes = replayed(folder)
    assert as_fast_as_it_goes.count("\n") > 5
    for speed, look_s in ((1.0, 0.0), (0.25, 0.003), (50.0, 0.4)):
        clock = Clock(look_s)
        told = replayed(folder, lambda items, s=speed, c=clock: paced(items, s, c.time, c.sleep))
        assert told == as_fast_as_it_goes
