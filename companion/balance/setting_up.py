"""What stays known of spheres that were set up for another game."""

from dataclasses import replace

import numpy as np

from companion.balance.learned import (
    BOARD_MOMENT,
    LETTERS,
    SEAT_SD_MM,
    SPHERES,
    Array,
    Learned,
    as_joint,
    as_values,
    nothing_known,
)
from companion.rules import Position


def set_up(learned: Learned, position: Position) -> Learned:
    """The same spheres set up for another game, like ones in any order.

    Of spheres of one letter only the mean and the spread are kept, as nobody knows which went where: mean and
    covariance are averaged over all exchanges. Spheres that were not known before start from the prior.
    """
    letters = "".join(position.letters().values())
    if sorted(letters) != sorted(learned.letters):
        return nothing_known(position, learned.axis, learned.pitch_mm)
    values, covariance = _exchangeable(learned)
    source = {letter: [n for n, of in enumerate(learned.letters) if of == letter] for letter in LETTERS}
    order = [*range(SPHERES), *(SPHERES + source[letter].pop(0) for letter in letters)]
    covariance = covariance[np.ix_(order, order)]
    covariance[BOARD_MOMENT, BOARD_MOMENT] += len(letters) * (SEAT_SD_MM * float(values[SPHERES:].mean())) ** 2
    return replace(
        learned,
        letters=letters,
        standing=tuple(position.letters()),
        values=as_values(values[order]),
        covariance=as_joint(covariance),
    )


def _exchangeable(learned: Learned) -> tuple[Array, Array]:
    """Mean and covariance averaged over every exchange of like spheres."""
    values = np.array(learned.values)
    second = np.array(learned.covariance) + np.outer(values, values)
    groups = [[SPHERES + n for n, of in enumerate(learned.letters) if of == letter] for letter in LETTERS]
    parts = [[n] for n in range(SPHERES)] + [group for group in groups if group]
    mean, mixed = values.copy(), second.copy()
    for a in parts:
        mean[a] = values[a].mean()
        for b in parts:
            block = second[np.ix_(a, b)]
            if a is not b:
                mixed[np.ix_(a, b)] = block.mean()
            elif len(a) > 1:
                own = np.trace(block) / len(a)
                other = (block.sum() - np.trace(block)) / (len(a) * (len(a) - 1))
                mixed[np.ix_(a, b)] = np.where(np.eye(len(a), dtype=bool), own, other)
    return mean, mixed - np.outer(mean, mean)
