"""Fits an Experience to trials whose truth is known. The same trials always give the same values.

Thresholds of the kinds are fitted knowing each touch's strength and duration, which makes them sharp; then both are
taken as unknown, with the spread that one hand shows, as they are when a player's next touch is foretold.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from companion.balance.hands import Experience, StrengthSeen, touching_terms
from companion.balance.kinds import CLEAN, KINDS, PRESS, SLAM, Tipping, can_press_tip, terms
from companion.balance.regression import Array, logit, probit, ridge, softmax
from companion.balance.touches import fingerprint, lifted_off, squares
from companion.balance.trials import Trial
from companion.errors import BadInput

_Each = TypeVar("_Each")

SHARES_WEIGHT = 2.0
"""How many touches the presumption of an average hand is worth: players differ so much that a few touches outweigh it
(1.5 to 3 do equally well in cross-validation by board, 5 does worse)."""

PENALTY_ODDS, PENALTY_STRENGTH, PENALTY_TOUCHING = 1.0, 5.0, 0.5
"""Penalties on squared coefficients of standardised terms, in units of log likelihood (of squared error for strength):
of the order that cross-validation by board prefers; a factor of two changes nothing that can be measured."""

PENALTY_TIPPING = ((0.02, 0.02, 1.0, 1.0, 0.02), (0.2, 0.02, 1.0, 1.0, 0.02))
"""Penalty on the threshold's coefficients by step (placings, lifts) and kind, in units of log likelihood: chosen, as
the terms were, by cross-validation by board among the trials to be fitted. With products of two terms it fits a little
better still, but then a wider or heavier board may seem to tip more easily; boosted trees do worse for every kind."""

LEAST_OF_A_KIND = 30
"""Fewer trials of one kind and step than this cannot be fitted."""

_ALTERNATIONS = 20
"""Rounds of means by player and by kind in turn; they settle within five."""


def fit(trials: Sequence[Trial]) -> Experience:
    """Raises BadInput where a kind or step is missing among the trials."""
    for lifts in (False, True):
        for kind, name in enumerate(KINDS):
            if len(_of(trials, kind, lifts)) < LEAST_OF_A_KIND:
                step = "lifts" if lifts else "placings"
                raise BadInput(f"fewer than {LEAST_OF_A_KIND} {step} of kind {name} among the trials: too few to fit")
    kinds = range(len(KINDS))
    levels, middles = _levels(trials)
    return Experience(
        tipping=_by_step(lambda lifts: tuple(_tipping(trials, k, lifts, levels, middles) for k in kinds)),
        shares=tuple(sum(trial.kind == kind for trial in trials) / len(trials) for kind in kinds),
        shares_weight=SHARES_WEIGHT,
        level_sd=float(np.std(list(levels.values()))),
        kind_odds=_by_step(lambda lifts: (_kind_odds(trials, lifts, False), _kind_odds(trials, lifts, True))),
        strength_seen=_by_step(
            lambda lifts: (None, *(_strength_seen(trials, k, lifts, levels, middles) for k in kinds if k != CLEAN))
        ),
        touching=_by_step(lambda lifts: tuple(_touching(trials, lifts, off) for off in range(3))),
    )


def _by_step(of: Callable[[bool], _Each]) -> tuple[_Each, _Each]:
    return of(False), of(True)


def _of(trials: Sequence[Trial], kind: int, lifts: bool) -> list[Trial]:
    return [trial for trial in trials if trial.kind == kind and trial.touch.lifts == lifts]


def _levels(trials: Sequence[Trial]) -> tuple[dict[str, float], dict[int, float]]:
    """Level of every player and middle of every kind (clean: 0), natural logarithms of strength."""
    rough = [(trial.player, trial.kind, math.log(trial.strength)) for trial in trials if trial.kind != CLEAN]
    levels = {player: 0.0 for player, _, _ in rough}
    middles = dict.fromkeys(range(len(KINDS)), 0.0)
    for _ in range(_ALTERNATIONS):
        for kind in range(1, len(KINDS)):
            middles[kind] = _mean([value - levels[player] for player, of, value in rough if of == kind])
        for player in levels:
            levels[player] = _mean([value - middles[kind] for of, kind, value in rough if of == player])
        usual = _mean(list(levels.values()))
        levels = {player: level - usual for player, level in levels.items()}
    return levels, middles


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _tipping(
    trials: Sequence[Trial], kind: int, lifts: bool, levels: dict[str, float], middles: dict[int, float]
) -> Tipping:
    used = [trial for trial in _of(trials, kind, lifts) if trial.touch.margin_after_mm > 0]
    if kind == PRESS:
        used = [trial for trial in used if can_press_tip(trial.touch)]
    geometry = np.array([terms(trial.touch)[kind] for trial in used])
    strength = np.array([0.0 if kind == CLEAN else math.log(trial.strength) - middles[kind] for trial in used])
    held = np.array([math.log(trial.held_ms) if kind in (SLAM, PRESS) else 0.0 for trial in used])
    columns, ends = np.column_stack([geometry, strength, held]), np.array([t.felt.tipped for t in used])
    constant, weights = probit(columns, ends, PENALTY_TIPPING[lifts][kind])
    *powers, per_strength, per_held = (float(weight) for weight in weights)
    # What is not known beforehand: how strong this touch is beside the hand's own level, and how long it lasts.
    within = strength - np.array([0.0 if kind == CLEAN else levels[trial.player] for trial in used])
    return Tipping(
        constant=constant + per_held * float(np.mean(held)),
        powers=tuple(powers),
        per_strength=per_strength,
        within=float(np.std(within)),
        held=abs(per_held) * float(np.std(held)),
    )


def _kind_odds(trials: Sequence[Trial], lifts: bool, tipped: bool) -> tuple[tuple[float, ...], ...]:
    used = [trial for trial in trials if trial.touch.lifts == lifts and trial.felt.tipped == tipped]
    return softmax(_fingerprints(used), np.array([trial.kind for trial in used]), len(KINDS), PENALTY_ODDS)


def _strength_seen(
    trials: Sequence[Trial], kind: int, lifts: bool, levels: dict[str, float], middles: dict[int, float]
) -> StrengthSeen:
    used = _of(trials, kind, lifts)
    seen = _fingerprints(used)
    form = ridge(seen, np.array([math.log(trial.strength) - middles[kind] for trial in used]), PENALTY_STRENGTH)
    shown = seen @ np.array(form)
    level = np.array([levels[trial.player] for trial in used])
    gain, offset = np.polyfit(level, shown, 1)
    sd = float(np.std(shown - gain * level - offset))
    return StrengthSeen((form[0] - float(offset), *form[1:]), float(gain), sd)


def _touching(trials: Sequence[Trial], lifts: bool, off: int) -> tuple[float, ...]:
    used = [
        trial
        for trial in trials
        if trial.touch.lifts == lifts and trial.touch.margin_after_mm > 0 and lifted_off(trial.touch, trial.felt) == off
    ]
    values = np.array([touching_terms(trial.touch, trial.felt) for trial in used])
    return logit(values, np.array([trial.felt.tipped for trial in used]), PENALTY_TOUCHING)


def _fingerprints(trials: Sequence[Trial]) -> Array:
    return np.array([squares(fingerprint(trial.touch, trial.felt)) for trial in trials])
