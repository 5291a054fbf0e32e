"""What the referee's state and the cells say of a turn that has begun: who is to move, what is in the air."""

from collections.abc import Sequence

from companion.balance import Learned, MoveRisk, Outlook, WellRisk, coordinate_mm, outlook, touched_wells
from companion.referee.hypotheses import Meaning, placement_of
from companion.referee.state import Phase, RefereeState
from companion.rules import Position
from firmware_bridge.events import LoadEvent

MATCHES_WELL_MM = 12.0
"""A sphere that was lifted this near to a well's line may be the one that stood there."""
PLACE_SDS = 3.0
"""Or so many standard deviations of the place that was felt."""


def after_lift(moves: Sequence[MoveRisk], lift: LoadEvent, axis: str, pitch_mm: float) -> Outlook:
    """A sphere was lifted and nobody has seen which: any that stood where the cells felt it."""
    assert lift.p_mm is not None
    near = max(MATCHES_WELL_MM, PLACE_SDS * lift.p_sd_mm)
    first = {touched_wells(m.move)[0] for m in moves}
    maybe = [well for well in first if abs(coordinate_mm(well, axis, pitch_mm) - lift.p_mm) <= near]
    views = [outlook(moves, (well,)) for well in maybe]
    worst: dict[int, WellRisk] = {}
    for well in sorted((w for view in views for w in view.wells), key=lambda w: w.risk):
        worst[well.well] = well
    ranked = tuple(sorted(worst.values(), key=lambda w: (-w.risk, w.well)))
    return Outlook((), ranked, min(ranked, key=lambda w: w.risk)) if ranked else outlook(moves)


def in_the_air(state: RefereeState) -> tuple[int, ...]:
    """The wells whose spheres are in hand, in the order in which they were lifted, as far as the referee knows."""
    verdict = state.verdict
    if state.in_hand is None or verdict is None or verdict.found.meaning is not Meaning.IN_HAND:
        return ()
    return tuple(step.well for step in verdict.found.steps)


def to_move(state: RefereeState) -> bool:
    """Whether somebody is to move, and everything stands where the position says."""
    settled = state.waiting is None and not state.lost and not state.asked
    return state.phase is Phase.PLAYING and settled and state.standing == placement_of(state.position)


def belongs(known: Learned, position: Position) -> bool:
    """Whether the spheres that are known stand as in this position."""
    standing = {well: of for well, of in zip(known.standing, known.letters, strict=True) if well is not None}
    return standing == position.letters()
