"""What the referee costs: for a picture read, a load state and a load event, and as a share of one core in play."""

from time import perf_counter

import pytest

from companion.referee.referee import take
from companion.referee.state import begin
from companion.rules import MatchRules
from companion.simulator.trial import Path, Trial, settings_of, table_of
from companion.table.refereeing import Refereeing
from firmware_bridge.events import LoadEvent, LoadState
from vision.frames import Frame
from vision.reading import BoardReading

SECONDS = 90.0
GOAL = 0.05
"""Share of one core, at 80 samples and 15 pictures a second; judged by the quickest of the rounds."""
ROUNDS = 5
KINDS = {"reading": BoardReading, "load state": LoadState, "load event": LoadEvent}


@pytest.fixture(scope="module")
def game():
    """The evidence of the first minute and a half of a game without mistakes, and the set-up it is ruled under."""
    trial = Trial(4, Path.MODEL, mistakes=0.0)
    table = table_of(trial)
    refereeing = Refereeing.of(settings_of(table), begin(MatchRules()), loads=True, camera=True)
    refereeing.reader = table.model_reader()
    evidence = []
    for item in table:
        if item.t > SECONDS:
            break
        new = [refereeing.reader.read(item.image, item.t)] if isinstance(item, Frame) else refereeing.tracker.feed(item)
        evidence += new
    return refereeing.setup, evidence


def ruled(game):
    """Seconds spent on each kind of evidence, how much of it there was, and the rulings."""
    setup, evidence = game
    state, spent, count, rulings = begin(MatchRules()), dict.fromkeys(KINDS, 0.0), dict.fromkeys(KINDS, 0), []
    for one in evidence:
        kind = next(name for name, of in KINDS.items() if isinstance(one, of))
        start = perf_counter()
        state, made = take(setup, state, one)
        spent[kind] += perf_counter() - start
        count[kind] += 1
        rulings += made
    return spent, count, rulings


def test_bench_a_minute_and_a_half_of_play(benchmark, game):
    rulings = benchmark.pedantic(lambda: ruled(game)[2], rounds=ROUNDS)
    assert sum(ruling.kind == "move" for ruling in rulings) > 10


def test_the_referee_takes_little_of_one_core(game):
    runs = [ruled(game) for _ in range(ROUNDS)]
    count = runs[0][1]
    least = {kind: min(spent[kind] for spent, _, _ in runs) for kind in KINDS}
    for kind in KINDS:
        print(f"\n{kind}: {least[kind] / max(count[kind], 1) * 1e3:.3f} ms each, {count[kind]} of them")
    share = sum(least.values()) / SECONDS
    print(f"referee: {share:.1%} of one core")
    assert share < GOAL
