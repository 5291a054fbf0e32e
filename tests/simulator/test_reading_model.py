"""Readings without pixels are like those of drawn pictures."""

import numpy as np

from companion.referee.state import begin
from companion.rules import MatchRules
from companion.simulator.trial import Path, Trial, settings_of, table_of
from companion.table.refereeing import Refereeing
from vision.frames import Frame
from vision.reading import Content

SECONDS = 25.0


def test_the_model_hides_the_wells_that_the_reader_finds_hidden():
    table = table_of(Trial(2, Path.PIXELS, frames_per_second=4.0))
    refereeing = Refereeing.of(
        settings_of(table), begin(MatchRules()), loads=True, camera=True, empty=table.empty_picture()
    )
    model = table.model_reader()
    hidden, same, wells = 0, 0, 0
    for thing in table:
        refereeing.take(thing)
        if isinstance(thing, Frame):
            drawn = refereeing.reading.p.argmax(axis=1) == Content.HIDDEN
            modelled = model.read(thing.image, thing.t).p.argmax(axis=1) == Content.HIDDEN
            hidden += int(drawn.sum())
            same += int((drawn == modelled).sum())
            wells += len(drawn)
        if thing.t > SECONDS:
            break
    assert hidden > 50
    assert same / wells > 0.97


def test_a_well_in_plain_sight_is_seldom_confused():
    table = table_of(Trial(2))
    reader = table.model_reader()
    expected = None
    wrong, wells = 0, 0
    for _ in range(400):
        found = reader.read(np.zeros((64, 64, 3), np.uint8), 0.0).p.argmax(axis=1)
        expected = found if expected is None else expected
        wrong += int((found != expected).sum())
        wells += len(found)
    assert 0 < wrong < wells * 2e-3
