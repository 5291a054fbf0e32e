"""What pictures show of a placement that should stand: whether it does, since when, and how far off it is."""

from itertools import takewhile

from companion.referee.hypotheses import Placement
from companion.referee.seen import Seen
from companion.referee.state import RefereeState
from companion.referee.unseen import FEWEST_LIFTS
from firmware_bridge.events import LoadEventKind


def was_disarranged(state: RefereeState) -> bool:
    """Has the whole board been seen with more than one well not as it should be? Now somebody has put it right."""
    return any(p.sees_all() and p.contradicted(state.standing).sum() > 1 for p in state.pictures)


def is_like_a_move(picture: Seen, state: RefereeState) -> bool:
    """No more wells have changed than by a move: more are put right by and by."""
    return int(picture.contradicted(state.standing).sum()) <= 2


def lost_track(state: RefereeState) -> bool:
    """The game goes on for turns, and nothing of what has changed is put right: nobody will do that any more."""
    lifts = sum(step.kind is LoadEventKind.LIFT for step in state.steps)
    astray = [int(p.contradicted(state.standing).sum()) for p in state.pictures if p.sees_all()]
    return lifts >= FEWEST_LIFTS and bool(astray) and astray[-1] == max(astray)


def stands(state: RefereeState, placement: Placement, seconds: float) -> bool:
    """Has this stood in plain sight, all of it, for so long since the last step? Then it matters not how it came."""
    clear = list(takewhile(lambda p: p.sees_all() and p.shows(placement), reversed(state.pictures)))
    last_step = max((s.t_contact for s in state.steps), default=float("-inf"))
    return bool(clear) and clear[0].t - max(clear[-1].t, last_step) >= seconds


def differs_now(state: RefereeState) -> bool:
    """Does the newest picture show something else than what should stand?"""
    newest = state.pictures[-1] if state.pictures else None
    return newest is not None and newest.board_found and bool(newest.contradicted(state.standing).any())
