"""What may have happened in a turn: the hypotheses that each sort of turn gives.

The same few positions are asked about with every picture, so what depends on a position alone is kept.
"""

from functools import lru_cache
from math import log

from companion.referee import odds
from companion.referee.hypotheses import (
    Hypothesis,
    Meaning,
    Placement,
    Step,
    StepKind,
    displaced,
    move_steps,
    near,
    placement_of,
    side_of,
    without,
)
from companion.rules import Move, Position, Reason, legal_moves, play, why_illegal

ILLEGAL_DISPLACEMENTS = 200
"""About how many ways there are to put one sphere where it may not go; the prior is shared among them."""
ROLLS = 40
"""About how many ways there are to push a sphere of one player to a neighbouring well."""
FEW, MANY = 16, 4096
"""How much is kept: for as many positions, or as many single displacements."""
Hypotheses = tuple[Hypothesis, ...]


def nothing(placement: Placement) -> Hypothesis:
    return Hypothesis(Meaning.NOTHING, (), placement, log(odds.NOTHING))


def _keeps(move: Move, touched: int | None) -> bool:
    """Is it a move of the touched sphere, or the capture of the enemy coloured one that was taken off its well?"""
    return touched is not None and (move.from_well == touched or (move.capture and move.to_well == touched))


@lru_cache(maxsize=FEW * 16)
def moves_made(position: Position, touched: int | None) -> Hypotheses:
    """Each legal move. Once a sphere was touched, moving another one is against the rule of touch-move."""
    legal = legal_moves(position)
    right = placement_of(position)
    kept = sum(_keeps(move, touched) for move in legal)
    found = []
    for move in legal:
        broken = bool(kept) and not _keeps(move, touched)
        among = len(legal) if not kept else len(legal) - kept if broken else kept
        found.append(
            Hypothesis(
                Meaning.ILLEGAL if broken else Meaning.MOVE,
                move_steps(right, move),
                placement_of(play(position, move)),
                log((odds.ILLEGAL if broken else odds.LEGAL) / among),
                (move,),
                Reason.PUT_BACK if broken else None,
                position.side,
            )
        )
    return tuple(found)


@lru_cache(maxsize=FEW)
def nudged(position: Position, touched: int | None) -> Hypotheses:
    """A legal move whose sphere was set down in a well beside its goal first, and taken on in the same grip."""
    right = placement_of(position)
    found = []
    for made in moves_made(position, touched):
        move = made.moves[0]
        if move.capture:
            continue
        sphere = right[move.from_well]
        beside = [well for well in range(42) if not right[well] and well != move.to_well and near(well, move.to_well)]
        for via in beside:
            steps = (
                Step(StepKind.LIFT, move.from_well, sphere),
                Step(StepKind.PLACE, via, sphere),
                Step(StepKind.LIFT, via, sphere),
                Step(StepKind.PLACE, move.to_well, sphere),
            )
            prior = made.prior + log(odds.NUDGED / len(beside))
            found.append(Hypothesis(made.meaning, steps, made.after, prior, (move,), made.reason, position.side))
    return tuple(found)


@lru_cache(maxsize=FEW)
def moves_from_elsewhere(position: Position, standing: Placement, wrong: Move) -> Hypotheses:
    """After an illegal move: the same sphere is moved on to a well where it might have gone in the first place."""
    found = []
    for move in legal_moves(position):
        if move.from_well == wrong.from_well and not move.capture:
            sphere = standing[wrong.to_well]
            steps = (Step(StepKind.LIFT, wrong.to_well, sphere), Step(StepKind.PLACE, move.to_well, sphere))
            after = placement_of(play(position, move))
            prior = log(odds.ILLEGAL)
            found.append(Hypothesis(Meaning.MOVE, steps, after, prior, (move,), player=position.side))
    return tuple(found)


@lru_cache(maxsize=FEW)
def moves_beside_a_capture(position: Position) -> Hypotheses:
    """The enemy coloured sphere taken off, which binds to a capture, and then another move made all the same."""
    right, legal = placement_of(position), legal_moves(position)
    taken = sorted({move.to_well for move in legal if move.capture})
    others = [move for move in legal if not move.capture]
    found = []
    for well in taken:
        for move in others:
            steps = (Step(StepKind.REMOVE, well, right[well]), *move_steps(right, move))
            after = without(displaced(right, move.from_well, move.to_well), well)
            prior = log(odds.ILLEGAL / ILLEGAL_DISPLACEMENTS)
            found.append(Hypothesis(Meaning.ILLEGAL, steps, after, prior, (move,), Reason.PUT_BACK, position.side))
    return tuple(found)


@lru_cache(maxsize=FEW)
def in_hand(position: Position, standing: Placement) -> Hypotheses:
    """A turn not yet finished: a sphere lifted, the enemy coloured sphere removed, or removed and the next lifted."""
    captures = [move for move in legal_moves(position) if move.capture]
    found = []
    for well in range(42):
        if standing[well]:
            lift = Step(StepKind.LIFT, well, standing[well])
            found.append(Hypothesis(Meaning.IN_HAND, (lift,), without(standing, well), log(odds.LEGAL / 14)))
    for move in captures:
        lift = Step(StepKind.LIFT, move.from_well, standing[move.from_well])
        remove = Step(StepKind.REMOVE, move.to_well, standing[move.to_well])
        after = without(without(standing, move.to_well), move.from_well)
        found.append(Hypothesis(Meaning.IN_HAND, (remove, lift), after, log(odds.LEGAL / 14)))
    return tuple(found)


@lru_cache(maxsize=FEW)
def move_pairs(position: Position) -> Hypotheses:
    """A legal move and a legal reply, made so quickly that they arrive as one change."""
    first = legal_moves(position)
    right = placement_of(position)
    found = []
    for move in first:
        between = play(position, move)
        replies = legal_moves(between)
        standing = placement_of(between)
        for reply in replies:
            found.append(
                Hypothesis(
                    Meaning.TWO_MOVES,
                    move_steps(right, move) + move_steps(standing, reply),
                    placement_of(play(between, reply)),
                    log(odds.TWO_PLIES / (len(first) * len(replies))),
                    (move, reply),
                    player=position.side,
                )
            )
    return tuple(found)


def pair_leaves(pair: Hypothesis, left: frozenset[int]) -> bool:
    """Can these two moves have been made, if `left` are the wells that may be empty now?"""
    move, reply = pair.moves
    return reply.from_well in left and (move.from_well in left or move.from_well == reply.to_well)


def first_of_two(position: Position, pair: Hypothesis) -> Hypothesis:
    """The first move of a pair by itself."""
    move = pair.moves[0]
    steps = move_steps(placement_of(position), move)
    return Hypothesis(Meaning.MOVE, steps, placement_of(play(position, move)), pair.prior, (move,), None, pair.player)


@lru_cache(maxsize=FEW)
def put_backs(position: Position, standing: Placement) -> Hypotheses:
    """Each sphere lifted and set back where it came from."""
    occupied = [well for well in range(42) if standing[well]]
    movable = {move.from_well for move in legal_moves(position)}
    found = []
    for well in occupied:
        sphere = standing[well]
        own = side_of(sphere) is position.side
        weight = odds.PUT_BACK if well in movable else odds.PUT_BACK / (odds.FIXED_SPHERE if own else odds.OWN_SPHERE)
        steps = (Step(StepKind.LIFT, well, sphere), Step(StepKind.PLACE, well, sphere))
        prior = log(weight / len(occupied))
        where, move = (Meaning.PUT_BACK, steps, standing), (Move(well, well),)
        if own:
            found.append(Hypothesis(*where, prior, move, Reason.PUT_BACK, position.side))
        else:
            late = prior - log(odds.OTHER_HAND)
            found.append(Hypothesis(*where, prior, move, Reason.OPPONENTS_SPHERE, position.side))
            found.append(Hypothesis(*where, late, move, Reason.NOT_YOUR_TURN, position.side.other))
    return tuple(found)


@lru_cache(maxsize=FEW * 14)
def put_back_then_moves(position: Position, standing: Placement, touched: int) -> Hypotheses:
    """The sphere of one well set back, and then the move: its own, as it must be, or another one's."""
    return tuple(
        Hypothesis(
            Meaning.PUT_BACK_THEN,
            before.steps + move.steps,
            move.after,
            before.prior + move.prior,
            before.moves + move.moves,
            player=position.side,
            parts=(before, move),
        )
        for before in put_backs(position, standing)
        if before.moves[0].from_well == touched
        for move in moves_made(position, touched)
    )


@lru_cache(maxsize=MANY)
def rolled(position: Position, standing: Placement, from_well: int, to_well: int) -> Hypotheses:
    """A sphere of the player's own pushed to a neighbouring well, whether or not it might have gone there."""
    sphere = standing[from_well]
    if standing[to_well] or not near(from_well, to_well) or side_of(sphere) is not position.side:
        return ()
    return (
        Hypothesis(
            Meaning.ILLEGAL,
            (Step(StepKind.ROLL, from_well, sphere, to_well),),
            displaced(standing, from_well, to_well),
            log(odds.ROLLED / ROLLS),
            (Move(from_well, to_well),),
            Reason.ROLLED,
            position.side,
        ),
    )


@lru_cache(maxsize=MANY)
def wrong_displacements(position: Position, standing: Placement, from_well: int, to_well: int) -> Hypotheses:
    """One sphere lifted and placed against the rules: by the player to move, or by the other one out of turn."""
    move = Move(from_well, to_well)
    reasons = why_illegal(position, move)
    if not reasons:
        return ()
    own = side_of(standing[from_well]) is position.side
    weight = odds.ILLEGAL if own else odds.ILLEGAL / odds.OWN_SPHERE
    prior = log(weight / ILLEGAL_DISPLACEMENTS)
    blame = [(position.side, reasons[0], prior)]
    if not own:
        other = position.side.other
        possible = not why_illegal(position.with_side(other), move)
        blame.append((other, Reason.NOT_YOUR_TURN, prior if possible else prior - log(odds.OTHER_HAND)))
    steps, after = move_steps(standing, move), displaced(standing, from_well, to_well)
    return tuple(
        Hypothesis(Meaning.ILLEGAL, steps, after, chance, (move,), reason, player) for player, reason, chance in blame
    )


def right_again(position: Position) -> Hypothesis:
    """Everything stands where it should again, however it came there."""
    return Hypothesis(Meaning.RESTORED, (), placement_of(position), log(odds.LEGAL), player=position.side)


def restored(position: Position, wrong: Move, sphere: int) -> Hypothesis:
    """The wrongly moved sphere goes back to where it came from."""
    steps = (Step(StepKind.LIFT, wrong.to_well, sphere), Step(StepKind.PLACE, wrong.from_well, sphere))
    return Hypothesis(Meaning.RESTORED, steps, placement_of(position), log(odds.LEGAL), player=position.side)
