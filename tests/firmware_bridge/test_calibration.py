"""A calibration that is done as asked finds the true cells within what it says; any other is refused with a remedy."""

from dataclasses import replace
from math import hypot, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import BadInput
from companion.simulator.bench import Bench
from companion.simulator.cells import WALK_G_PER_ROOT_S
from firmware_bridge.calibration import Plan, Step, begin, confirm, take
from firmware_bridge.calibration_checks import Trouble
from firmware_bridge.calibration_fit import Mass, Well, choose_wells
from firmware_bridge.samples import COUNTS_MAX, LoadCells, RawSample
from tests.firmware_bridge.calibration_bench import Run

FAR = 4.5
"""Standard deviations that no estimate is off by: one in 100,000 of a good one is."""
RANKS = [Well(f"d{i + 1}", 36.0 * (i - 2.5)) for i in range(6)]


def errors(bench, fit):
    """How far each estimate is from the truth, in standard deviations: offsets, gains, half spacing, middle."""
    wandered = WALK_G_PER_ROOT_S * sqrt(bench.t)  # since the start; the truth is only known without it
    out = {"half spacing": (fit.half_spacing_mm - bench.spec.half_spacing_mm) / fit.half_spacing_sd}
    out["middle"] = fit.middle_mm / fit.middle_sd
    for i, (name, cell) in enumerate((("low", fit.low), ("high", fit.high))):
        true = bench.true_cells[i]
        sd = hypot(cell.offset_sd, wandered * true.counts_per_gram)
        out[f"{name} offset"] = (cell.offset_counts - bench.true_offset(i)) / sd
        out[f"{name} gain"] = (cell.counts_per_gram - true.counts_per_gram) / cell.gain_sd
    return out


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    axis=st.sampled_from(["ranks", "files"]),
    spacing=st.floats(4, 9),
    mass=st.floats(15, 40),
    rate=st.sampled_from([10, 80]),
    turned=st.tuples(st.booleans(), st.booleans()),
)
def test_a_known_mass_gives_the_true_cells_within_what_is_said(seed, axis, spacing, mass, rate, turned):
    bench = Bench(seed, axis=axis, half_spacing_mm=spacing, mass_g=mass, rate_hz=rate, turned=turned)
    state = Run(bench, Mass(mass)).go()
    assert state.done, state.problem
    assert max(map(abs, errors(bench, state.fit).values())) < FAR, errors(bench, state.fit)
    for cell in (state.fit.low, state.fit.high):
        assert cell.gain_sd < 0.006 * abs(cell.counts_per_gram)
        assert cell.offset_sd < 0.1 * abs(cell.counts_per_gram)
    assert state.fit.half_spacing_sd < 0.01 * spacing
    assert state.fit.board_g == pytest.approx(bench.spec.board_mass_g, rel=0.01)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), axis=st.sampled_from(["ranks", "files"]), spacing=st.floats(4, 9))
def test_an_unknown_mass_gives_the_gains_ratio_and_the_half_spacing_and_keeps_the_scale(seed, axis, spacing):
    bench = Bench(seed, axis=axis, half_spacing_mm=spacing, mass_g=18 + seed % 5)
    run = Run(bench, Mass(None))
    fit = run.go().fit
    old = bench.cells
    assert not fit.scale_known
    kept = fit.low.counts_per_gram * fit.high.counts_per_gram
    assert kept == pytest.approx(old.low.counts_per_gram * old.high.counts_per_gram)
    low, high = bench.true_cells
    ratio = fit.low.counts_per_gram / fit.high.counts_per_gram
    sd = ratio * hypot(fit.low.gain_sd / fit.low.counts_per_gram, fit.high.gain_sd / fit.high.counts_per_gram)
    assert abs(ratio - low.counts_per_gram / high.counts_per_gram) < FAR * sd
    assert sd < 0.003
    found = errors(bench, fit)
    assert max(abs(found[k]) for k in ("half spacing", "low offset", "high offset")) < FAR


def test_the_stated_uncertainties_are_neither_too_small_nor_far_too_large():
    all_errors = []
    for seed in range(20):
        bench = Bench(seed, mass_g=20.0, half_spacing_mm=5 + seed / 5, rate_hz=10)
        all_errors.append(list(errors(bench, Run(bench, Mass(20.0, 0.0)).go().fit).values()))
    rms = np.sqrt(np.mean(np.square(all_errors), axis=0))
    names = list(errors(bench, Run(Bench(0), Mass(20.0)).go().fit))
    spread = dict(zip(names, rms, strict=True))
    # the bench puts the mass exactly in its wells, so what is allowed for that goes unused
    assert spread.pop("middle") < 0.3
    assert all(0.15 < value < 1.5 for value in spread.values()), spread


def test_a_heavy_mass_goes_next_to_the_middle():
    bench = Bench(3, mass_g=100.0)
    run = Run(bench, Mass(100.0))
    assert [w.name for w in run.plan.wells] == ["d3", "d4", "a4"]
    state = run.go()
    assert max(map(abs, errors(bench, state.fit).values())) < FAR


@given(spacing=st.floats(3, 12), mass=st.floats(1, 200))
def test_the_wells_that_are_chosen_do_not_tip_a_board(spacing, mass):
    try:
        first, second, _ = choose_wells(RANKS, Well("a4", 18.0), spacing, mass)
    except BadInput as error:
        most = float(str(error).split("at most ")[1].split()[0])
        assert most < mass
        if most > 1:
            choose_wells(RANKS, Well("a4", 18.0), spacing, most - 1)
        return
    assert first.mm < 0 < second.mm
    assert mass * second.mm / (500 + mass) < spacing


def wrong(trouble, back_to, bench=None, mass=20.0, **change):
    """Does one thing otherwise than asked, and expects the refusal."""
    bench = bench or Bench(5, mass_g=20.0)
    run = Run(bench, Mass(mass))
    for name, value in change.items():
        getattr(run, name).update(value(bench) if callable(value) else value)
    return refused(run, trouble, back_to)


def refused(run, trouble, back_to):
    state = run.go()
    assert state.problem is not None
    assert state.problem.trouble is trouble, state.problem
    assert (state.step, state.waiting, state.fit) == (back_to, True, None)
    assert "\n" not in str(state.problem)
    assert len(state.problem.remedy) > 10
    return str(state.problem)


def test_the_board_left_on_is_noticed():
    wrong(Trouble.BOARD_NOT_NOTICED, Step.BOARD_ON, instead={Step.BOARD_OFF: lambda: None})


def test_the_board_taken_off_late_is_noticed():
    wrong(
        Trouble.BOARD_WAS_ON,
        Step.BOARD_OFF,
        instead=lambda bench: {Step.BOARD_OFF: lambda: None, Step.BOARD_ON: bench.board_off},
    )


@pytest.mark.parametrize(("turned", "name"), [((True, False), "low"), ((False, True), "high")])
def test_a_cell_the_other_way_up_is_refused_by_name(turned, name):
    bench = Bench(5, turned=turned)
    run = Run(bench, Mass(20.0))
    cells = bench.cells
    upright = replace(
        cells,
        low=replace(cells.low, counts_per_gram=abs(cells.low.counts_per_gram)),
        high=replace(cells.high, counts_per_gram=abs(cells.high.counts_per_gram)),
    )
    run.plan = replace(run.plan, cells=upright)
    assert name in refused(run, Trouble.REVERSED, Step.BOARD_ON).lower()


def test_a_mass_that_is_not_there_is_not_noticed():
    wrong(Trouble.MASS_NOT_NOTICED, Step.FIRST, instead={Step.FIRST: lambda: None})


def test_a_mass_that_is_too_small_is_not_noticed():
    wrong(Trouble.MASS_NOT_NOTICED, Step.FIRST, Bench(5, mass_g=0.04), mass=0.04)


def test_a_mass_that_was_not_moved_is_noticed():
    wrong(Trouble.EQUAL, Step.SECOND, instead={Step.SECOND: lambda: None})


def test_swapped_cells_are_refused():
    run = Run(Bench(5), Mass(20.0))
    run.alter = lambda s, _: RawSample(s.t, s.high, s.low)
    said = refused(run, Trouble.SWAPPED, Step.FIRST)
    assert "swap" in said


@pytest.mark.parametrize("there", ["d2", "d3"])
def test_a_wrong_well_is_refused_and_named(there):
    assert there in wrong(Trouble.WRONG_WELL, Step.FIRST, wrong_well={Step.FIRST: there})


def test_a_second_well_on_the_wrong_side_is_refused():
    wrong(Trouble.WRONG_WELL, Step.SECOND, wrong_well={Step.SECOND: "d2"})


def test_two_wrong_wells_that_fit_each_other_fail_the_check():
    said = wrong(Trouble.CHECK_FAILED, Step.FIRST, wrong_well={Step.FIRST: "d2", Step.SECOND: "d5"})
    assert "d2" in said


def test_the_wrong_well_at_the_check_fails_it():
    assert "d3" in wrong(Trouble.CHECK_FAILED, Step.FIRST, wrong_well={Step.CHECK: "d3"})


def test_a_mass_of_another_weight_is_refused_where_it_cannot_be():
    run = Run(Bench(5, mass_g=20.0), Mass(20.0))
    run.plan = replace(run.plan, mass=Mass(200.0))
    assert "200 g" in refused(run, Trouble.WRONG_MASS, Step.FIRST)


def test_a_mass_that_tips_the_board_is_refused():
    run = Run(Bench(5, mass_g=60.0), Mass(20.0))
    refused(run, Trouble.TIPPED, Step.FIRST)


def test_a_mass_left_on_the_board_is_noticed():
    wrong(Trouble.MASS_STILL_ON, Step.BOARD_AGAIN, instead={Step.BOARD_AGAIN: lambda: None})


def test_a_board_that_shifts_on_its_pinnacles_is_noticed():
    run = Run(Bench(5), Mass(20.0))
    run.alter = lambda s, state: (
        replace(s, low=None if s.low is None else s.low + 900, high=None if s.high is None else s.high - 900)
        if state.step is Step.BOARD_AGAIN and not state.waiting
        else s
    )
    refused(run, Trouble.BOARD_SHIFTED, Step.BOARD_OFF)


FAULTS = {
    Trouble.SATURATED: lambda s, noise: replace(s, low=COUNTS_MAX),
    Trouble.STUCK: lambda s, noise: replace(s, low=4321),
    Trouble.NO_DATA: lambda s, noise: replace(s, low=None),
    Trouble.NOISY: lambda s, noise: replace(s, low=None if s.low is None else s.low + round(600 * noise.normal())),
}


@pytest.mark.parametrize("step", [Step.BOARD_OFF, Step.BOARD_ON, Step.SECOND, Step.BOARD_AGAIN])
@pytest.mark.parametrize("trouble", FAULTS)
def test_a_cell_that_fails_is_refused_at_any_step(step, trouble):
    run, noise = Run(Bench(5), Mass(20.0)), np.random.default_rng(0)
    run.alter = lambda s, state: FAULTS[trouble](s, noise) if state.step is step and not state.waiting else s
    said = refused(run, trouble, step)
    assert trouble is Trouble.NOISY or said.startswith("Low cell")


def test_cells_that_drift_on_and_on_are_refused():
    run = Run(Bench(5, rate_hz=10), Mass(20.0))
    run.alter = lambda s, _: replace(s, high=None if s.high is None else s.high + round(5 * s.t))
    refused(run, Trouble.DRIFTING, Step.WARM_UP)


def test_cells_that_warm_up_are_waited_for():
    """A cold start: 3 g with a time constant of 2 minutes."""
    bench = Bench(5, rate_hz=10)
    run = Run(bench, Mass(20.0))

    def cold(sample, _):
        off = round(1300 * np.exp(-sample.t / 120))
        return RawSample(sample.t, *(None if c is None else c - off for c in (sample.low, sample.high)))

    run.alter = cold
    state = run.go()
    assert state.done
    assert bench.t > 180
    found = errors(bench, state.fit)
    assert max(abs(found[k]) for k in ("low gain", "high gain", "half spacing")) < FAR


def test_what_is_refused_can_be_done_again_and_is_then_right():
    bench = Bench(5)
    run = Run(bench, Mass(20.0))
    run.wrong_well = {Step.FIRST: "d3"}
    state = run.go()
    assert set(state.levels) == {Step.BOARD_OFF, Step.BOARD_ON}
    run.wrong_well = {}
    for sample in bench:
        if state.waiting:
            run.do(state.step)
            state = confirm(state)
        state = take(state, sample)
        if state.done:
            break
    assert max(map(abs, errors(bench, state.fit).values())) < FAR


def test_nothing_is_measured_before_the_person_confirms():
    bench = Bench(5)
    state = begin(Run(bench, Mass(20.0)).plan)
    assert confirm(state) is state
    for sample in bench:
        state = take(state, sample)
        if sample.t > 100:
            break
    assert (state.step, state.waiting, dict(state.levels)) == (Step.BOARD_OFF, True, {})


def test_samples_of_another_clock_begin_the_level_anew():
    state = begin(Run(Bench(5), Mass(20.0)).plan)
    for t in (5.0, 5.5, 6.1, 7.2, 1.0):
        state = take(state, RawSample(t, 1, 2))
    assert state.blocks.done == ()
    assert len(state.blocks.pending) == 1


@pytest.mark.parametrize("wells", ["d6,d1,d2", "d1,e1,d2", "d1,d6", "d1,d9,d2", ""])
def test_wells_that_will_not_do_are_refused(wells):
    with pytest.raises(BadInput):
        Run(Bench(5), Mass(20.0), wells)


@pytest.mark.parametrize("grams", [0.0, -5.0, float("nan")])
def test_a_mass_must_weigh_something(grams):
    with pytest.raises(BadInput, match="mass"):
        Plan(LoadCells(), (RANKS[0], RANKS[5], RANKS[1]), Mass(grams))


def test_a_reader_that_starts_late_is_waited_for_and_one_that_never_does_is_refused():
    plan = Run(Bench(5), Mass(20.0)).plan
    state = begin(plan)
    for i in range(120):
        state = take(state, RawSample(i * 0.15, None, None))
        assert state.problem is None or state.blocks.count >= 15
    assert state.problem is not None
    assert state.problem.trouble is Trouble.NO_DATA
