"""What the cells did not feel: a sphere is called rolled only where it is certain that it was not lifted."""

from companion.referee.state import begin
from companion.rules import MatchRules
from companion.simulator.people import Slip
from companion.simulator.trial import Trial, settings_of, table_of
from companion.table.refereeing import Refereeing
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState

START = "bbb1bbb/3B3/7/7/3w3/www1Www w - -"


def go_along_the_line(game, *, felt=None, state=None):
    """A sphere goes from d2 to c2, along the line between the pinnacles, so that no moment changes."""
    game.wait(2.0)
    game.cover("d2", "c2", "d1")
    game.wait(0.5)
    for _ in range(8):
        game.t = round(game.t + 0.1, 3)
        game._give(state(game.t) if state else game._load_state())
    if felt:
        game._give(LoadEvent(game.t, felt, game.t - 0.6, 20.0, -54.0))
    game.put("d2", "")
    game.put("c2", "w")
    game.cover()
    return game.wait(6.0)


def said(rulings):
    return [(r.kind, getattr(r, "reason", "")) for r in rulings]


def test_with_all_its_weight_on_the_board_it_was_rolled(table):
    assert said(go_along_the_line(table(START))) == [("illegal", "rolled")]


def test_with_its_weight_off_the_board_for_a_moment_it_was_not(table):
    told = go_along_the_line(table(START), state=lambda t: LoadState(t, 290.0, 290.0, touching=True, touching_since=t))
    assert ("illegal", "rolled") not in said(told)
    assert told


def test_where_the_cells_made_nothing_of_it_nobody_is_accused_of_rolling(table):
    told = go_along_the_line(table(START), felt=LoadEventKind.FOREIGN)
    assert ("illegal", "rolled") not in said(told)
    assert told


def test_where_a_cell_was_at_fault_meanwhile_nobody_is_accused_of_rolling(table):
    fault = ("low drift beyond budget",)
    told = go_along_the_line(
        table(START),
        state=lambda t: LoadState(t, 300.0, 300.0, touching=True, touching_since=t, faults=fault),
    )
    assert ("illegal", "rolled") not in said(told)
    assert told


def test_a_cup_taken_from_the_board_is_not_what_a_sphere_weighs():
    """Nobody has a sphere in hand while all of them are in their wells."""
    table = table_of(Trial(1001))
    refereeing = Refereeing.of(settings_of(table), begin(MatchRules()), loads=True, camera=True)
    refereeing.reader = table.model_reader()
    cup = False
    for item in table:
        refereeing.take(item)
        cup = cup or any(line.get("what") == Slip.CUP for line in table.truth)
        if item.t > 40.0:
            break
    assert cup
    assert abs(refereeing.tracker.spheres.usual_g - 20.0) < 1.0


def test_what_began_before_the_last_ruling_was_not_watched_by_the_cells(table):
    """A hurried player has moved along the line when the move before is ruled on, and a hand covers it for a while."""
    game = table(START)
    game.wait(2.0)
    game.lift("b1")
    game.wait(0.8)
    game.place("b2")
    game.cover("b6", "c6", "c5")
    game.wait(0.3)
    game.put("b6", "")
    game.put("c5", "b")
    game.cover()
    told = [*game.rulings, *game.wait(0.5)]
    game.cover("b6", "c6", "b5", "c5")
    game.wait(1.5)
    game.cover()
    told += game.wait(6.0)
    assert ("move", "") in said(told)
    assert ("illegal", "rolled") not in said(told)
