"""From what every sample of a well says to the probabilities of what the well holds, and to hidden where too little."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.appearance import ANYTHING, Scores
from vision.palette import COLOURED
from vision.reading import Content

Probabilities = NDArray[np.float64]

INDEPENDENT_SAMPLES = 8.0  # the samples of a disc say as much as so many independent ones
EXPLAINED = 1.0  # nats by which a surface must beat "anything at all" at a sample to explain it
MIN_VISIBLE = 0.55  # share of a disc that must show what it is, or the well counts as hidden ...
MIN_VISIBLE_COVERED = 0.8  # ... and where all around it is covered as well
SPILL_WEIGHT = 0.6  # more of it where the rim looks like the sphere itself: a sphere ends at its outline
VISIBLE_SOFTNESS = 0.02
LOG_PRIORS = np.log(np.array([28, 6, 6, 1, 1]) / 42)  # of the contents but `HIDDEN`, as in any position


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """`p` (wells, 5): probabilities of the contents if the well is not hidden; `best` (wells,): the likeliest.

    `visible` (wells,): the probability that enough of it is seen; `votes` (wells, 5): log odds.
    """

    p: Probabilities
    best: NDArray[np.intp]
    visible: Probabilities
    votes: Probabilities


def tally(discs: Scores, rims: Scores, plain: Scores, strays: Scores) -> Tally:
    """Adds up samples' log densities on discs and around them, (5 contents, wells, samples) each.

    `plain` (wells, samples): around the discs as bare board, by colour alone. `strays` (5, wells): nats by which discs
    as a whole stray from each content.
    """
    votes = np.maximum(discs, ANYTHING).mean(axis=2).T.astype(np.float64) * INDEPENDENT_SAMPLES + LOG_PRIORS - strays.T
    p = np.exp(votes - votes.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    best, wells = p.argmax(axis=1), np.arange(len(p))
    explained = (discs[best, wells] > ANYTHING + EXPLAINED).mean(axis=1)
    covered = (rims[Content.EMPTY] < ANYTHING).mean(axis=1)
    like_it = (rims[best, wells] > ANYTHING + EXPLAINED) & (plain < ANYTHING)
    spilled = np.where(best == Content.EMPTY, 0, like_it.mean(axis=1))
    needed = MIN_VISIBLE + (MIN_VISIBLE_COVERED - MIN_VISIBLE) * covered + SPILL_WEIGHT * spilled
    return Tally(p, best, chance((explained - needed) / VISIBLE_SOFTNESS), votes)


def probabilities(count: Tally, own: Probabilities) -> Probabilities:
    """(wells, 6), from a tally and `own` (5, wells): the chance that a disc that seems to be a content really is it.

    There is one sphere of each colour: where several wells seem to hold it, all but the best match are covered.
    """
    wells = np.arange(len(count.p))
    shown = (count.visible * own[count.best, wells])[:, None]
    p = np.concatenate([count.p * shown, 1 - shown], axis=1)
    likely = p.argmax(axis=1)
    for content in COLOURED:
        rivals = np.flatnonzero(likely == content)
        if len(rivals) > 1:
            losers = rivals[rivals != rivals[count.votes[rivals, content].argmax()]]
            p[losers, Content.HIDDEN] += p[losers, content]
            p[losers, content] = 0
    return p


def chance(nats: NDArray[np.floating]) -> Probabilities:
    """The probability that belongs to log odds."""
    return np.asarray(1 / (1 + np.exp(np.clip(-nats, -40, 40))), np.float64)
