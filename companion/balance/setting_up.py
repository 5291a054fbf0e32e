"""What stays known of spheres that were set up for another game, or put right by hand."""

from collections.abc import Mapping
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


def rearranged(learned: Learned, letters: Mapping[int, str]) -> Learned:
    """The same spheres as they stand now (letters by well), carried there unseen.

    Those that may have stayed where they were did; of the others any may have gone anywhere, and the order in which
    they are known decides. Spheres that are not known start from the prior, and so then does all else.
    """
    free = {letter: [n for n, of in enumerate(learned.letters) if of == letter] for letter in LETTERS}
    standing: dict[int, int] = {}
    for well, letter in letters.items():
        stays = next((n for n in free[letter] if learned.standing[n] == well), None)
        if stays is not None:
            free[letter].remove(stays)
            standing[stays] = well
    for well, letter in letters.items():
        if well not in standing.values():
            if not free[letter]:
                return nothing_known(letters, learned.axis, learned.pitch_mm)
            standing[free[letter].pop(0)] = well
    covariance = np.array(learned.covariance)
    for n, before in enumerate(learned.standing):
        if standing.get(n) != before:
            covariance[BOARD_MOMENT, BOARD_MOMENT] += 2 * (SEAT_SD_MM * learned.values[SPHERES + n]) ** 2
    now = tuple(standing.get(n) for n in range(len(learned.letters)))
    return replace(learned, standing=now, covariance=as_joint(covariance))


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
