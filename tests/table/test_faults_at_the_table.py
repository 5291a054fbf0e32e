"""Each fault of the load cells, injected into a running table: named, played on with the camera alone, over again."""

import pytest

from companion.commands.demo_session import DemoSession
from companion.simulator.live_faults import DRIFTING, LIVE_FAULTS, SWAPPED
from tests.table.playing import play

NAMED_WITHIN_S = {SWAPPED: 5.0, DRIFTING: 5.0}
"""All others must be named within 2 s."""
OVER_WITHIN_S = {SWAPPED: 15.0, DRIFTING: 15.0}
"""All others must be over within 5 s: these two need a settled position to compare with."""
STEP_S = 0.1


def seconds_until(session, holds, within_s):
    """Plays on until it holds; for how long, or None when not in time."""
    began = session.simulated.world.t
    while not holds():
        if session.simulated.world.t - began > within_s:
            return None
        play(session, STEP_S)
    return session.simulated.world.t - began


def faults(session):
    return [f for f in session.table.state()["faults"] if f["witness"] == "load_cells"]


def moves(lines):
    return [(line["player"], line["move"]) for line in lines if line["kind"] == "move"]


@pytest.mark.parametrize("name", LIVE_FAULTS)
def test_a_fault_is_named_play_goes_on_and_it_recovers(tmp_path, capsys, name):
    needs_rest = name in (SWAPPED, DRIFTING)
    with DemoSession.open(tmp_path / "demo.db", 21, False, None, False) as session:
        play(session, 16 if needs_rest else 10)
        assert faults(session) == []
        session.table.ask({"do": "fault", "name": name})
        named_s = seconds_until(session, lambda: faults(session), NAMED_WITHIN_S.get(name, 2.0))
        assert named_s is not None, "not named in time"
        said = [f["what"] for f in faults(session)]
        play(session, 1.0)
        assert name in {f["what"] for f in faults(session)} | set(said)
        assert all(f["what"] and f["remedy"] for f in faults(session))
        assert session.table.live()["witnesses"]["load_cells"] != "ok"
        before = len(moves(session.ruled()))
        if needs_rest:
            play(session, 30)
        went_on_s = seconds_until(session, lambda: len(moves(session.ruled())) > before, 16)
        assert went_on_s is not None, "play does not go on"
        session.table.ask({"do": "fault", "name": None})
        over_s = seconds_until(session, lambda: not faults(session), OVER_WITHIN_S.get(name, 5.0))
        with capsys.disabled():
            print(f"\n{name:28}{named_s:5.1f} s until named ({', '.join(said)}); {over_s or -1.0:5.1f} s until over")
        assert over_s is not None, "does not recover"
        play(session, 5)
        assert faults(session) == [], "does not stay over"
        ruled, happened = moves(session.ruled()), moves(session.simulated.truth)
        assert ruled == happened[: len(ruled)]
        assert len(ruled) >= len(happened) - 1
        assert {line["kind"] for line in session.ruled()} <= {"start", "move", "game_over", "question"}
