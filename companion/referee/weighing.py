"""Weighs explanations against one another, and ranks what could be ruled by them."""

from collections.abc import Sequence
from math import exp

import numpy as np
from numpy.typing import NDArray

from companion.referee import odds
from companion.referee.hypotheses import Hypothesis, Meaning, Placement
from companion.referee.likelihood import NEVER, at_most, score
from companion.referee.seen import WELLS
from companion.referee.sensed import Sensed
from companion.rules import Move, Reason, Side

WEIGHED = 8
"""So many of what could be ruled are kept: the rest matters to nobody."""
Ruled = tuple[tuple[Meaning, tuple[Move, ...], Reason | None, Side | None, Placement], ...]


def weighed(possible: Sequence[Hypothesis], sensed: Sensed) -> tuple[tuple[float, Hypothesis], ...]:
    """What could be ruled, with its probability, likeliest first.

    Explanations that lead to the same ruling count together, and the likeliest of them stands for all. Those that
    cannot come near the best one any more are not looked at closely.
    """
    shown = _shown(possible, sensed)
    bounds = shown + np.array([at_most(hypothesis, sensed) for hypothesis in possible])
    scores: dict[int, float] = {}
    best = NEVER
    for i in map(int, np.argsort(-bounds, kind="stable")):
        if bounds[i] < best - odds.HOPELESS:
            break
        value = float(shown[i]) + score(possible[i], sensed, best - odds.HOPELESS - float(shown[i]))
        if value > NEVER:
            scores[i], best = value, max(best, value)
    by_ruling: dict[Ruled, list[tuple[float, Hypothesis]]] = {}
    for i, value in scores.items():
        by_ruling.setdefault(_ruled(possible[i]), []).append((exp(value - best), possible[i]))
    total = sum(weight for same in by_ruling.values() for weight, _ in same)
    chances = [
        (sum(weight for weight, _ in same) / total, max(same, key=lambda each: each[0])[1])
        for same in by_ruling.values()
    ]
    return tuple(sorted(chances, key=lambda pair: -pair[0])[:WEIGHED])


def _shown(possible: Sequence[Hypothesis], sensed: Sensed) -> NDArray[np.float64]:
    """How well each agrees with the last pictures."""
    if not sensed.finals:
        return np.zeros(len(possible))
    loglik = np.sum([p.loglik for p in sensed.finals], axis=0)
    after = np.array([hypothesis.after for hypothesis in possible])
    return np.asarray(loglik[WELLS, after].sum(axis=1))


def _ruled(hypothesis: Hypothesis) -> Ruled:
    """What would be ruled by it."""
    return tuple((h.meaning, h.moves, h.reason, h.player, h.after) for h in hypothesis.parts or (hypothesis,))
