"""Each mishap before the camera, during play: no wrong well, a notice, play goes on rightly, and the notice goes."""

import itertools

import numpy as np
import pytest

from companion.commands.demo_session import DemoSession
from companion.simulator.mishaps import (
    COVERED_S,
    DIMMING,
    HUNG,
    MISHAPS,
    SHORT,
    SWAPPED_COLOURS,
    UNPLUGGED,
)
from companion.table.camera_notices import FROZEN_S
from vision.evidence import SURE
from vision.frames import Frame
from vision.reading import Content

CONTENTS = {"": 0, "w": 1, "b": 2, "W": 3, "B": 4}
NAMED = {
    "camera shifted": "the camera was moved",
    "camera tilted": "the camera was moved",
    "camera upside down": "the camera was moved",
    "board bumped": "the board was moved",
    "two markers covered": "covered: marker at",
    "all markers covered": "too few markers in sight",
    "one marker covered": "covered: marker at",
    "lamp off": "the light has changed",
    "lamp on": "the light has changed",
    "lamp dimming": "the light has changed",
    "patch of sun": None,  # where it disturbs nothing nothing is said
    "glare": "a lamp or the sun shines on the board",
    UNPLUGGED: "no pictures",
    HUNG: "same picture again",
    SWAPPED_COLOURS: "red and blue are exchanged",
}
WITHIN_S = {"lamp off": 4.0, "lamp on": 4.0, DIMMING: 22.0, "glare": 8.0}
"""All others must be named within 3.5 s: light is told only where hands are away."""
LOOK_S = 0.2
"""Somebody looks at the notices at least so often."""
LASTS_S = {UNPLUGGED: 4.0, HUNG: 4.0, DIMMING: 22.0}
"""Without any picture for long the referee cannot know all of what was played."""
AFTERWARDS_S = 10.0
"""A notice of a move stays for 6 s; two moves are made in the meantime."""


class Witness:
    """Follows a table: compares every reading with what stands on the board, and keeps what was said of the camera."""

    def __init__(self, session):
        self.session = session
        self.wrong = []
        self.said = {}
        self._looked_at = 0.0

    def play(self, seconds):
        world, table = self.session.simulated.world, self.session.table
        began = world.t
        self.said = {}
        for item in itertools.takewhile(lambda item: item.t < began + seconds, self.session.items()):
            table.take(item)
            if isinstance(item, Frame) or item.t - self._looked_at >= LOOK_S:
                self._looked_at = item.t
                for words in self.notices():
                    self.said.setdefault(words, item.t - began)
            if isinstance(item, Frame):
                self._compare(table._refereeing.reading, item)

    def _compare(self, reading, frame):
        if reading.t != frame.t or self.session.simulated.world.board.tipped_toward:
            return
        truth = np.array([CONTENTS[self.session.simulated.letter_at(well)] for well in range(42)])
        best = reading.p.argmax(axis=1)
        bad = (best != truth) & (best != Content.HIDDEN) & (reading.p.max(axis=1) >= SURE)
        self.wrong += [(frame.t, int(well)) for well in np.flatnonzero(bad)]

    def notices(self):
        return [f["what"] for f in self.session.table.state()["faults"] if f["witness"] == "camera"]

    def said_after(self, words):
        return min((t for what, t in self.said.items() if words in what), default=float("inf"))


def moves(lines):
    return [(line["player"], line["move"]) for line in lines if line["kind"] == "move"]


def test_every_mishap_is_tried():
    assert set(NAMED) == set(MISHAPS)


@pytest.mark.parametrize("name", MISHAPS)
def test_a_mishap_is_noticed_and_neither_reading_nor_ruling_is_wrong(tmp_path, name):
    with DemoSession.open(tmp_path / "demo.db", 41, False, None, False) as session:
        witness = Witness(session)
        witness.play(8)
        assert witness.notices() == []
        session.table.ask({"do": "fault", "name": name})
        began = session.simulated.world.t
        witness.play(LASTS_S.get(name, 9.0))
        if NAMED[name] is not None:
            assert witness.said_after(NAMED[name]) <= WITHIN_S.get(name, 3.5)
        if name == HUNG:
            assert session.table._refereeing.reading.t <= began + FROZEN_S
            assert any("same picture" in words for words in witness.notices())
        if name in SHORT:
            assert COVERED_S < 9.0
            assert not any("covered" in words or "too few" in words for words in witness.notices())
        session.table.ask({"do": "fault", "name": None})
        made = len(moves(session.simulated.truth))
        witness.play(AFTERWARDS_S)
        assert len(moves(session.simulated.truth)) >= made + 2
        assert witness.notices() == [] or all("covered: marker at" in words for words in witness.notices())
        # A camera that hangs shows for a moment what stood there before
        assert [w for w in witness.wrong if name != HUNG] == []
        ruled, happened = moves(session.ruled()), moves(session.simulated.truth)
        assert ruled == happened[: len(ruled)]
        assert len(ruled) >= len(happened) - 1
        assert {line["kind"] for line in session.ruled()} <= {"start", "move", "game_over"}


@pytest.mark.parametrize("name", ["board bumped", "camera shifted"])
def test_a_board_that_is_moved_while_its_markers_are_covered_is_not_read_where_it_was(tmp_path, name):
    with DemoSession.open(tmp_path / "demo.db", 41, False, None, False) as session:
        witness = Witness(session)
        witness.play(8)
        session.table.ask({"do": "fault", "name": "all markers covered"})
        witness.play(0.5)
        session.table.ask({"do": "fault", "name": name})
        witness.play(3.0)
        assert witness.wrong == []
        session.table.ask({"do": "fault", "name": None})
        witness.play(AFTERWARDS_S)
        assert witness.wrong == []


def test_two_markers_are_enough_to_find_a_board_that_was_moved(tmp_path):
    with DemoSession.open(tmp_path / "demo.db", 41, False, None, False) as session:
        witness = Witness(session)
        witness.play(8)
        session.table.ask({"do": "fault", "name": "two markers covered"})
        witness.play(0.5)
        session.table.ask({"do": "fault", "name": "camera shifted"})
        witness.play(5.0)  # a hand may be over a third marker for a moment
        assert witness.said_after("the camera was moved") < 4.0
        assert session.simulated.mishaps.at(session.simulated.world.t).covered
        assert (session.table._refereeing.reading.p.argmax(axis=1) != Content.HIDDEN).sum() > 21
        assert witness.wrong == []


def test_what_nobody_need_act_on_is_said_without_a_remedy(tmp_path):
    with DemoSession.open(tmp_path / "demo.db", 41, False, None, False) as session:
        witness = Witness(session)
        witness.play(8)
        session.table.ask({"do": "fault", "name": "board bumped"})
        witness.play(1)
        (notice,) = (f for f in session.table.state()["faults"] if "moved" in f["what"])
        assert notice["remedy"] == ""
        session.table.ask({"do": "fault", "name": "one marker covered"})
        witness.play(5)
        assert any(f["remedy"] for f in session.table.state()["faults"] if "covered" in f["what"])
