"""Files a piece of evidence: what the referee keeps in mind of it, whether or not anything is ruled on."""

from dataclasses import replace

import numpy as np

from companion.referee import odds
from companion.referee.lightness import dip_of, late_totals
from companion.referee.seen import Seen
from companion.referee.state import RefereeState
from companion.referee.witness import blinds
from firmware_bridge.events import LoadEvent, LoadEventKind, LoadState
from firmware_bridge.faults import troubled
from vision.reading import BoardReading

Evidence = LoadEvent | LoadState | BoardReading


def filed(state: RefereeState, evidence: Evidence) -> RefereeState:
    """The state with one more piece of evidence. Of touches that are no sphere it is kept that there was one."""
    if isinstance(evidence, BoardReading):
        return _with_picture(state, Seen.of(evidence))
    if isinstance(evidence, LoadState):
        return _with_load(state, evidence)
    if evidence.t_contact <= state.used_until or evidence.kind is LoadEventKind.TIP:
        return state
    if evidence.kind is LoadEventKind.FOREIGN:
        return replace(state, foreign=True)
    if evidence.kind is LoadEventKind.LIFT and evidence.mass_g is not None:
        state = replace(state, sphere_g=evidence.mass_g)
    return replace(state, steps=(*state.steps, evidence))


def _with_picture(state: RefereeState, seen: Seen) -> RefereeState:
    """Keeps the newest picture always, older ones only so far apart as they may tell something new."""
    pictures = state.pictures
    if len(pictures) >= 2 and pictures[-1].t - pictures[-2].t < odds.PICTURE_SPACING:
        pictures = pictures[:-1]
    return replace(state, pictures=(*pictures, seen)[-odds.KEEP_PICTURES :], veiled=_veiled(state, seen))


def _veiled(state: RefereeState, seen: Seen) -> tuple[float, ...]:
    """The share of the pictures that do not show each well, of those in which nobody touches the board."""
    if not state.pictures or not seen.board_found or (state.load is not None and state.load.touching):
        return state.veiled
    part = min(1.0, max(0.0, seen.t - state.pictures[-1].t) / odds.VEILED_OVER_S)
    shares = np.asarray(state.veiled)
    return tuple((shares + part * ((seen.visible < 0.5) - shares)).tolist())


def _with_load(state: RefereeState, load: LoadState) -> RefereeState:
    blind = any(blinds(fault) for fault in load.faults)
    fault_since = (load.t if state.fault_since is None else state.fault_since) if blind else None
    touch = load.t - load.touching_since if load.touching and load.touching_since is not None else 0.0
    longest = max(state.longest_touch, touch)
    state = replace(state, load=load, fault_since=fault_since, rests=_rests(state.rests, load), longest_touch=longest)
    return _weigh(state, load)


def _rests(rests: tuple[LoadState, ...], load: LoadState) -> tuple[LoadState, ...]:
    """The last few load states in which nobody touched the board."""
    if load.low_g is None or load.high_g is None or load.touching or load.tipped:
        return rests
    return (*rests, load)[-odds.KEEP_RESTS :]


def _weigh(state: RefereeState, load: LoadState) -> RefereeState:
    """Follows the board's weight while nothing happens, and how light it becomes while a hand is there."""
    total = load.total_g
    if total is None or troubled(load.faults):
        return replace(
            state, weighed_since=load.t, blurred=state.blurred or load.touching or state.changed_since is not None
        )
    gap = state.weighed_at is not None and load.t - state.weighed_at > odds.UNWEIGHED_S
    kept = tuple(each for each in state.totals if load.t - each[0] <= odds.TOTALS_KEPT_S)
    if gap:
        state = replace(state, weighed_since=kept[-1][0] if kept else state.weighed_since)
    state = replace(state, weighed_at=load.t, totals=(*kept, (load.t, total)))
    if load.tipped or gap:
        state = replace(state, blurred=True)
    # A board that a finger sets bouncing is light for a moment; one whose sphere is carried stays so for a while.
    last = late_totals(state)[-odds.DIP_TOTALS :]
    latest = last[-odds.LATE_TOTALS :]
    hand_away = not state.pictures or _in_sight_for(state, load.t) >= odds.AVERAGED_S
    # A board that rocks is not at rest, also where the cells do not know yet that somebody touches it.
    rocks = len(latest) < odds.LATE_TOTALS or max(latest) - min(latest) > odds.ROCKS_G
    touched = load.touching or load.tipped or rocks
    state = replace(state, dipped_g=max(state.dipped_g, dip_of(state.weight_g, last)))
    if not touched and state.changed_since is None and hand_away:
        old = total if state.weight_g is None or state.lightest_g is not None else state.weight_g
        return replace(state, weight_g=old + odds.WEIGHT_FOLLOWS * (total - old), lightest_g=None)
    if len(last) == odds.DIP_TOTALS and not load.pressing and _undisturbed(state, load.t):
        # Nothing is in anybody's hand: what swings about the board's weight is the board.
        mean = sum(last) / len(last)
        if state.weight_g is None or abs(mean - state.weight_g) > odds.STAYED_G:
            state = replace(state, weight_g=mean, lightest_g=None)
    if touched and len(latest) < odds.LATE_TOTALS:
        return state
    now = max(latest) if touched else total
    return replace(state, lightest_g=now if state.lightest_g is None else min(state.lightest_g, now))


def _undisturbed(state: RefereeState, t: float) -> bool:
    """Have all spheres been seen where they should be, with no hand over the board, for as long as is averaged?

    Told by video only: a hand comes and goes between pictures that are a second apart.
    """
    video = bool(state.pictures) and t - state.pictures[-1].t <= odds.VIDEO_SPACING
    return state.changed_since is None and video and _in_sight_for(state, t) >= odds.AVERAGED_S


def _in_sight_for(state: RefereeState, t: float) -> float:
    """For how long all spheres have been seen where they should be, as far as that matters."""
    since = t
    for picture in reversed(state.pictures):
        if t - since >= odds.AVERAGED_S or not (picture.sees_all() and picture.shows(state.standing)):
            break
        since = picture.t
    return t - since
