"""Which sphere a hand has in its fingers: the one at the tips, not those under the palm and the arm."""

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from companion.referee.seen import Seen
from companion.rules import Side

AT_THE_TIPS = (1.0, 0.3, 0.01)
"""How likely a covered sphere is the one in the fingers, by how many ranks it lies behind the tips of the hand."""
UNDER_THE_ARM = 0.003
UNCOVERED = 0.01
"""A sphere in plain sight all the while may have been touched between two pictures, but hardly."""
AT_CONTACT = 0.4
"""The fingers are at a sphere for so long before its lift and after its placing (s)."""
SEEN_IN_HAND = 4.0
"""A sphere that is in plain sight in all pictures of the moment was not between the fingers then (log); one that shows
in a share of them may have been by so much less: pictures of one hand are no independent witnesses."""
ARM_COVERS = log(0.9 / 0.1) / 2
"""An arm hides a rank that it crosses nine times in ten, and one beyond the hand hardly ever."""
ARM_AT_MOST = 6.0
"""Pictures of one hand are no independent witnesses."""
FILES, RANKS = 7, 6


def reach(pictures: Sequence[Seen], player: Side) -> list[float]:
    """How likely the hand of `player`, who sits at his back rank, is at each well; 1 for all without a hand."""
    covered = [any(p.visible[well] < 0.5 for p in pictures) for well in range(FILES * RANKS)]
    if not any(covered):
        return [1.0] * len(covered)
    depths = [well // FILES if player is Side.WHITE else RANKS - 1 - well // FILES for well in range(len(covered))]
    tips = max(depth for depth, hidden in zip(depths, covered, strict=True) if hidden)
    return [_weight(tips - depth) if hidden else UNCOVERED for depth, hidden in zip(depths, covered, strict=True)]


def _weight(behind: int) -> float:
    return AT_THE_TIPS[behind] if behind < len(AT_THE_TIPS) else UNDER_THE_ARM


def hand_at(pictures: Sequence[Seen], well: int, contacts: Sequence[float]) -> float:
    """Log-likelihood that a hand had the sphere of this well at these moments: fingers hide what they hold."""
    total = 0.0
    for contact in contacts:
        near = [p for p in pictures if abs(p.t - contact) <= AT_CONTACT and covers([p])]
        if near:
            total -= SEEN_IN_HAND * sum(float(p.visible[well]) for p in near) / len(near)
    return max(-ARM_AT_MOST, total)


def arm_of(hidden: NDArray[np.bool_], player: Side, wells: Sequence[int]) -> float:
    """Log-likelihood that the hand seen at these wells came from `player`'s side of the board.

    `hidden[picture, well]` says which wells were hidden in each of the pictures of that time.

    An arm covers ranks between the wells and its player's own edge, and none beyond them. To the outer files it may
    reach past the board: that no rank is covered says nothing there.
    """
    ranks = [well // FILES for well in wells]
    below, above = range(min(ranks) - 1), range(max(ranks) + 2, RANKS)
    own, other = (below, above) if player is Side.WHITE else (above, below)
    covers = np.zeros(RANKS)
    covers[list(own)], covers[list(other)] = ARM_COVERS, -ARM_COVERS
    at_wells = hidden[:, list(wells)].any(axis=1)
    crossed = hidden[at_wells].reshape(-1, RANKS, FILES).any(axis=2)
    outer = any(well % FILES in (0, FILES - 1) for well in wells)
    total = float((np.where(crossed, 1.0, 0.0 if outer else -1.0) @ covers).sum())
    return max(-ARM_AT_MOST, min(ARM_AT_MOST, total))


def hand_from(pictures: Sequence[Seen], player: Side, telling: NDArray[np.bool_] | None = None) -> bool:
    """Does a hand reach over the board from this player's edge, and not from the other one?

    `telling` (wells,): those that are looked at, all if None.
    """
    own, other = (
        (slice(0, FILES), slice(-FILES, None)) if player is Side.WHITE else (slice(-FILES, None), slice(0, FILES))
    )
    looked_at = np.ones(FILES * RANKS, np.bool_) if telling is None else telling
    hidden = [(p.visible < 0.5) & looked_at for p in pictures if p.board_found]
    return any(bool(h[own].any()) and not bool(h[other].any()) for h in hidden)


def covers(pictures: Sequence[Seen]) -> bool:
    """Is there a hand over the board at all?"""
    return any(bool((p.visible < 0.5).any()) for p in pictures)
