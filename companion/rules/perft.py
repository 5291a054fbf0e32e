"""Counts move sequences. Used to check the rules, and to show that they are fast."""

from companion.errors import BadInput
from companion.rules.moves import STEPS
from companion.rules.position import Position
from companion.rules.wells import BOARD, N_FILES, N_WELLS, Side

Army = tuple[int, int, int]
"""A side's spheres, its coloured sphere and its resting sphere, as bitboards."""

# All five steps of a side are counted in one go: `movable * _SPREAD[side]` lays five copies of a bitboard side by side,
# each in a lane of its own and shifted by one of the steps; `free * _LANES` repeats the free wells in all five. Where
# both have a bit there is a move. `_REACH` removes the steps that wrapped around the board's edge. As a step may shift
# down, every lane starts with room for the largest step.
_ROOM = N_FILES + 1
_LANE = N_WELLS + 2 * _ROOM
_LANES = sum(1 << (lane * _LANE + _ROOM) for lane in range(5))


def _spread(side: Side) -> int:
    return sum(1 << (lane * _LANE + _ROOM + shift) for lane, (shift, _) in enumerate(STEPS[side]))


def _reach(side: Side) -> int:
    return sum(reach << (lane * _LANE + _ROOM) for lane, (_, reach) in enumerate(STEPS[side]))


_SPREAD = {side: _spread(side) for side in Side}
_REACH = {side: _reach(side) for side in Side}


def perft(position: Position, depth: int) -> int:
    """How many sequences of `depth` legal moves start here; a finished game has no continuations.

    Raises BadInput for a negative depth.
    """
    if depth < 0:
        raise BadInput(f"perft depth is {depth}; it must be 0 or more")
    if depth == 0:
        return 1
    if position.captured is not None:
        return 0
    side = position.side
    mine, theirs = _army(position, side), _army(position, side.other)
    if depth > 1:
        return _count(side, mine, theirs, depth)
    open_wells = BOARD & ~position.occupied | position.coloured(side.other)
    return (_steps(side, mine) & open_wells * _LANES).bit_count()


def _army(position: Position, side: Side) -> Army:
    return position.spheres(side), position.coloured(side), position.resting(side)


def _steps(side: Side, army: Army) -> int:
    """All steps on the board of the spheres that may move, in lanes, whatever stands in the way."""
    spheres, _, resting = army
    return (spheres & ~resting) * _SPREAD[side] & _REACH[side]


def _count(side: Side, mine: Army, theirs: Army, depth: int) -> int:
    """Sequences of two or more moves. A capture ends the game, so only moves to empty wells are followed."""
    spheres, coloured, resting = mine
    other = side.other
    movable = spheres & ~resting
    empty = BOARD & ~(spheres | theirs[0])
    open_wells = empty | coloured  # to the opponent, who may step onto our coloured sphere
    replies = _steps(other, theirs)
    total = 0
    for shift, reach in STEPS[side]:
        targets = (movable << shift if shift > 0 else movable >> -shift) & reach & empty
        while targets:
            to = targets & -targets
            targets ^= to
            from_ = to >> shift if shift > 0 else to << -shift
            if depth == 2:
                after = empty ^ from_ if from_ == coloured else open_wells ^ from_ ^ to
                total += (replies & after * _LANES).bit_count()
            else:
                moved = spheres ^ from_ ^ to
                ours = (moved, to, 0) if from_ == coloured else (moved, coloured, to)
                total += _count(other, theirs, ours, depth - 1)
    return total
