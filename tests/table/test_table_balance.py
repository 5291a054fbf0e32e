"""The balance of a table at run time: what it follows, says, keeps and shows to whom."""

import time
from dataclasses import replace

import pytest

from companion.balance import Touch, step_risk
from companion.log import EventLog
from companion.referee.state import begin
from companion.rules import MatchRules, Side
from companion.simulator.known_hand import SIMULATED_HAND
from companion.simulator.table import SimulatedTable
from companion.table.balance_file import Kept, balance_file, read_kept, write_kept
from companion.table.balancing import NEW_HAND
from companion.table.refereeing import Refereeing
from companion.table.settings import TableSettings
from companion.table.table import Table
from companion.table.table_balance import TableBalance
from firmware_bridge.panel import Margin


class Run:
    """A simulated table with a scene for a camera, its log and its balance."""

    def __init__(self, folder, seed=3, half_spacing_mm=6.0, known=True, **settings):
        self.simulated = SimulatedTable(seed, 1, drawn=False, half_spacing_mm=half_spacing_mm)
        made = self.simulated.settings
        cells = made.cells if known else replace(made.cells, half_spacing_mm=None)
        self.settings = TableSettings("T", made.grid, made.axis, cells=cells, camera=made.camera, **settings)
        self.settings = replace(self.settings, markers=made.markers, colours=made.colours)
        self.log = EventLog.open(folder / "t.db")
        self.file = balance_file(folder / "t.db")
        refereeing = Refereeing.of(self.settings, begin(MatchRules()), loads=True, camera=True)
        refereeing.reader = self.simulated.model_reader()
        self.balance = TableBalance(self.settings, refereeing.state, self.file)
        self.table = Table(self.log, refereeing, time.time, balance=self.balance)
        self.table.begin_match("Ada", "Ben", MatchRules())
        self.shown = []

    def play(self, seconds):
        for item in self.simulated:
            self.table.take(item)
            live = self.table.live()
            if live.get("risks") and (not self.shown or self.shown[-1] != live["risks"]):
                self.shown.append(live["risks"])
            if item.t > seconds:
                break
        return self

    def close(self):
        self.table.close()
        self.log.close()

    def moves(self):
        return [e.payload for e in self.log.events() if e.kind == "move"]


@pytest.fixture
def running(tmp_path):
    runs = []

    def run(seconds, **settings):
        runs.append(Run(tmp_path, **settings).play(seconds))
        return runs[-1]

    yield run
    for one in runs:
        one.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Six moves."""
    run = Run(tmp_path_factory.mktemp("table")).play(30.0)
    yield run
    run.close()


def test_before_a_lift_the_spheres_and_with_one_in_hand_the_targets_have_risks(played):
    shown = played.shown
    at_rest = [r for r in shown if not r["in_hand"] and r["wells"][0]["step"] == "lift"]
    in_hand = [r for r in shown if r["in_hand"]]
    assert at_rest
    assert in_hand
    assert {well["step"] for risks in in_hand for well in risks["wells"]} == {"place"}
    for risks in shown:
        assert risks["player"] == {"white": "Ada", "black": "Ben"}[risks["side"]]
        assert risks["least_risk"] == min(well["risk"] for well in risks["wells"])


def test_every_move_in_the_log_says_what_was_foretold_and_felt(played):
    moves = played.moves()
    assert len(moves) >= 4
    for move in moves:
        balance = move["balance"]
        assert [step["step"] for step in balance["steps"]] == ["lift", "place"]
        assert all(step["least_mm"] is not None for step in balance["steps"])
        assert 0 <= balance["least_risk"] <= balance["risk"] <= 1


def test_who_is_named_anew_has_a_hand_of_his_own_at_once(running):
    run = running(seconds=6.0)
    run.table.console({"do": "names", "white": "Cleo", "black": "Dan"})
    risks = run.table.live()["risks"]
    assert risks["player"] == {"white": "Cleo", "black": "Dan"}[risks["side"]]
    assert run.balance._balancing.hand(Side(risks["side"])) is NEW_HAND


def test_hands_and_board_are_kept_beside_the_log_and_known_after_a_restart(running):
    run = running(seconds=14.0)
    learned = run.balance._balancing.teaching.known
    run.close()
    kept = read_kept(run.file)
    assert set(kept.hands) >= {"Ada"}
    assert kept.learned.values == learned.values
    again = TableBalance(run.settings, begin(MatchRules()), run.file)
    assert again._balancing.teaching.known.values == learned.values
    again.close()


def test_a_hand_that_is_known_beforehand_gives_way_to_what_was_kept_of_it(running, tmp_path):
    run = running(seconds=14.0)
    run.close()
    kept = read_kept(run.file).hands["Ada"]
    gentle = {"Ada": SIMULATED_HAND, "Eva": SIMULATED_HAND}
    fresh = TableBalance(run.settings, begin(MatchRules()), tmp_path / "none.json", gentle)
    again = TableBalance(run.settings, begin(MatchRules()), run.file, gentle)
    assert fresh._balancing.hands == gentle
    assert (again._balancing.hands["Ada"], again._balancing.hands["Eva"]) == (kept, SIMULATED_HAND)
    fresh.close()
    again.close()


def test_a_simulated_hand_risks_little_on_a_board_that_stands_firmly():
    lift = Touch(lifts=True, half_spacing_mm=6.0, total_g=780.0, centre_mm=0.5, mass_g=20.0, p_mm=-90.0)
    assert lift.margin_after_mm > 3
    assert step_risk(lift, 0.1, SIMULATED_HAND) < 0.01 < step_risk(lift, 0.1, NEW_HAND)


def test_a_file_that_cannot_be_read_is_named_and_the_table_learns_anew(tmp_path):
    file = tmp_path / "t.balance.json"
    file.write_text("{")
    made = SimulatedTable(3).settings
    balance = TableBalance(TableSettings("T", made.grid), begin(MatchRules()), file)
    (fault,) = balance.faults()
    assert str(file) in fault.what
    balance.close()
    assert file.read_text() == "{"


def test_a_board_turned_round_is_not_taken_for_the_one_that_is_known(running):
    run = running(seconds=8.0)
    run.close()
    turned = replace(run.settings, axis="files")
    again = TableBalance(turned, begin(MatchRules()), run.file)
    assert again._balancing.teaching.known is None
    again.close()


def test_without_a_half_spacing_in_the_settings_there_is_a_margin_once_it_was_learned(running):
    run = running(known=False, seconds=40.0)
    live = run.table.live()
    assert live["half_spacing_mm"] == pytest.approx(6.0, rel=0.05)
    assert 0 < live["margin_mm"] < 6.3


@pytest.mark.parametrize(("warnings", "shown", "lamp"), [("all", 1, 1), ("spectators", 1, 0), ("nobody", 0, 0)])
def test_who_sees_what(running, warnings, shown, lamp):
    run = running(seconds=12.0, warnings=warnings)
    live = run.table.live()
    assert (live.get("risks") is not None) == bool(shown)
    assert live["margin_mm"] is not None
    assert (run.balance.lamp is not None) == bool(lamp)
    assert run.balance.lamp in (None, Margin.SAFE, Margin.NEAR)
    assert live["lamp"] == (None if run.balance.lamp is None else str(run.balance.lamp))


def test_on_a_board_too_narrow_to_be_lifted_from_there_is_no_safe_move(running):
    run = running(seconds=8.0, half_spacing_mm=2.0)
    risks = run.shown[0]
    assert risks["least_risk"] > 0.5
    assert [warning["kind"] for warning in risks["warnings"]] == ["no_safe_move"]
    assert "Ada has no safe move" in risks["warnings"][0]["text"]
    assert all(well["warn"] for well in risks["wells"])


def test_the_level_of_a_warning_is_the_tables_own(running):
    risks = running(seconds=8.0, warn_above=0.01).shown[0]
    assert risks["warn_above"] == 0.01
    assert risks["warnings"]


def test_a_hand_without_a_name_is_not_kept(tmp_path):
    made = SimulatedTable(3).settings
    file = tmp_path / "t.balance.json"
    write_kept(file, Kept())
    balance = TableBalance(TableSettings("T", made.grid), begin(MatchRules()), file)
    balance._balancing.hands["White"] = balance._balancing.hand(Side.WHITE)
    assert balance._balancing.kept().hands == {}
    balance.close()
