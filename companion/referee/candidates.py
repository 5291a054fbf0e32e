"""Which hypotheses are worth weighing, given what was seen and felt."""

from collections.abc import Iterator

import numpy as np

from companion.referee import odds
from companion.referee import possible as hyp
from companion.referee.hypotheses import Hypothesis
from companion.referee.sensed import Sensed
from companion.referee.state import Phase, RefereeState
from companion.referee.unseen import turns_unseen
from firmware_bridge.events import LoadEventKind
from vision.reading import Content

WELLS_OF_A_MOVE = 2
"""A move changes two wells; more have another explanation."""


def candidates(state: RefereeState, sensed: Sensed) -> Iterator[Hypothesis]:
    """All hypotheses that this evidence does not rule out at once."""
    yield hyp.nothing(state.standing)
    position = state.position
    if state.phase is Phase.RESTORING:
        assert state.wrong is not None
        yield hyp.restored(position, state.wrong, state.standing[state.wrong.to_well])
        yield from hyp.moves_from_elsewhere(position, state.standing, state.wrong)
        return
    yield from hyp.moves_made(position, state.touched)
    yield from hyp.in_hand(position, state.standing)
    yield from hyp.moves_beside_a_capture(position)
    yield from _wrong_displacements(state, sensed)
    lifts = sum(e.kind is LoadEventKind.LIFT for e in sensed.steps or ())
    if lifts:
        yield from hyp.put_backs(position, state.standing)
    if lifts >= 2:
        left = _left_wells(sensed)
        if sensed.finals:
            # By the cells alone it is the same as a sphere that went where it may not, and came back.
            yield from (h for h in hyp.nudged(position, state.touched) if h.moves[0].from_well in left)
        for touched in sorted(_first_lifted(state, sensed)):
            both = hyp.put_back_then_moves(position, state.standing, touched)
            yield from (h for h in both if h.moves[-1].from_well in left)
    yield from turns_unseen(position, state.touched, sensed)
    if lifts >= 2 or sensed.steps is None or _wells_that_differ(state) > WELLS_OF_A_MOVE:
        left = _left_wells(sensed)
        yield from (h for h in hyp.move_pairs(position) if hyp.pair_leaves(h, left))


def _first_lifted(state: RefereeState, sensed: Sensed) -> frozenset[int]:
    """The wells whose sphere may have been the first to be lifted, by the place that the load cells gave."""
    first = next((s for s in sensed.steps or () if s.kind is LoadEventKind.LIFT), None)
    wells = (well for well, content in enumerate(state.standing) if content)
    if first is None:
        return frozenset(wells)
    return frozenset(well for well in wells if sensed.is_near(first, well))


def _wells_that_differ(state: RefereeState) -> int:
    newest = state.pictures[-1] if state.pictures else None
    return 0 if newest is None else int(newest.contradicted(state.standing).sum())


def _left_wells(sensed: Sensed) -> frozenset[int]:
    """The wells that may be empty now, by the pictures: whence a sphere may have gone."""
    empty = np.ones(42, dtype=bool)
    for picture in sensed.finals:
        empty &= picture.loglik[:, Content.EMPTY] > odds.CLEAREST_WELL / 2
    return frozenset(int(well) for well in np.flatnonzero(empty))


def _wrong_displacements(state: RefereeState, sensed: Sensed) -> Iterator[Hypothesis]:
    """Illegal and rolled displacements that the pictures make plausible, of the hundreds that there are."""
    finals = sensed.finals
    if not finals:
        yield from _felt_displacements(state, sensed)
        return
    loglik = sum((p.loglik for p in finals), np.zeros_like(finals[0].loglik))
    standing = np.array(state.standing)
    wells = np.arange(len(standing))
    emptied = loglik[:, 0] - loglik[wells, standing]
    # gain[a, b]: how much better the pictures are explained if the sphere of well a stands in well b
    arrives = loglik[:, standing].T - loglik[wells, standing][None, :]
    gain = emptied[:, None] + arrives
    gain[standing == 0, :] = -np.inf
    np.fill_diagonal(gain, -np.inf)
    threshold = max(float(gain.max()), 0.0) - odds.PLAUSIBLE
    for from_well, to_well in np.argwhere(gain >= threshold):
        where = (state.position, state.standing, int(from_well), int(to_well))
        yield from hyp.wrong_displacements(*where)
        if sensed.steps is not None:
            yield from hyp.rolled(*where)


def _felt_displacements(state: RefereeState, sensed: Sensed) -> Iterator[Hypothesis]:
    """Without pictures: every displacement from where a sphere may have been lifted to where one was placed."""
    places = [s for s in sensed.steps or () if s.kind is LoadEventKind.PLACE]
    for from_well in _first_lifted(state, sensed):
        for to_well, content in enumerate(state.standing):
            if content == Content.EMPTY and places and sensed.is_near(places[-1], to_well):
                yield from hyp.wrong_displacements(state.position, state.standing, from_well, to_well)
