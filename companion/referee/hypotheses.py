"""Hypotheses: everything that may explain what was seen since the last settled position.

A hypothesis is a sequence of steps, each of which lifts, removes, places or rolls one sphere, and what they would
mean under the rules.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import log

from companion.referee import odds
from companion.rules import Move, Position, Reason, Side, legal_moves, play, why_illegal
from vision.reading import Content

Placement = tuple[int, ...]
"""For each of the 42 wells a `Content`, never hidden."""

CONTENT_OF_LETTER = {"": 0, "w": 1, "b": 2, "W": 3, "B": 4}
LETTER_OF_CONTENT = ("", "w", "b", "W", "B")
FILES = 7
ILLEGAL_DISPLACEMENTS = 200
"""About how many ways there are to put one sphere where it may not go; the prior is shared among them."""
ROLLS = 40
"""About how many ways there are to push a sphere of one player to a neighbouring well."""


class StepKind(StrEnum):
    LIFT = "lift"
    PLACE = "place"
    ROLL = "roll"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a hand does with one sphere. `to_well` only for a roll."""

    kind: StepKind
    well: int
    content: int
    to_well: int | None = None


class Meaning(StrEnum):
    """What a hypothesis would mean for the game."""

    NOTHING = "nothing"
    MOVE = "move"
    TWO_MOVES = "two_moves"
    ILLEGAL = "illegal"
    PUT_BACK = "put_back"
    RESTORED = "restored"
    PUT_BACK_THEN = "put_back_then"
    IN_HAND = "in_hand"


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """`steps` lead from what stood to `after`; `prior` is a log probability; `moves` are what they amount to.

    `parts` are the hypotheses that this one is made of, where it is several in a row.
    """

    meaning: Meaning
    steps: tuple[Step, ...]
    after: Placement
    prior: float
    moves: tuple[Move, ...] = ()
    reason: Reason | None = None
    player: Side | None = None
    parts: tuple["Hypothesis", ...] = ()


@lru_cache(maxsize=4096)
def placement_of(position: Position) -> Placement:
    """What stands in each well, as a camera would see it."""
    wells = [0] * 42
    for well, letter in position.letters().items():
        wells[well] = CONTENT_OF_LETTER[letter]
    return tuple(wells)


def ranks_text(placement: Placement) -> str:
    """The six ranks of a position text."""
    rows = []
    for rank in range(5, -1, -1):
        row, gap = "", 0
        for content in placement[rank * FILES : rank * FILES + FILES]:
            if content == 0:
                gap += 1
                continue
            row += (str(gap) if gap else "") + LETTER_OF_CONTENT[content]
            gap = 0
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows)


def side_of(content: int) -> Side:
    """Whose sphere it is. `content` is not empty."""
    return Side.WHITE if content in (Content.WHITE, Content.WHITE_COLOURED) else Side.BLACK


def displaced(placement: Placement, from_well: int, to_well: int) -> Placement:
    """The placement after one sphere went from one well to another; what stood there is gone."""
    wells = list(placement)
    wells[to_well], wells[from_well] = wells[from_well], 0
    return tuple(wells)


def without(placement: Placement, well: int) -> Placement:
    """The placement with one well emptied."""
    return (*placement[:well], 0, *placement[well + 1 :])


def move_steps(placement: Placement, move: Move) -> tuple[Step, ...]:
    """A move is lift and place; a capture is remove, lift, place."""
    sphere = placement[move.from_well]
    steps: tuple[Step, ...] = (
        Step(StepKind.LIFT, move.from_well, sphere),
        Step(StepKind.PLACE, move.to_well, sphere),
    )
    if placement[move.to_well]:
        steps = (Step(StepKind.REMOVE, move.to_well, placement[move.to_well]), *steps)
    return steps


def nothing(placement: Placement) -> Hypothesis:
    return Hypothesis(Meaning.NOTHING, (), placement, log(odds.NOTHING))


def _keeps(move: Move, touched: int | None) -> bool:
    """Is it a move of the touched sphere, or the capture of the enemy coloured one that was taken off its well?"""
    return touched is not None and (move.from_well == touched or (move.capture and move.to_well == touched))


def moves_made(position: Position, touched: int | None) -> Iterator[Hypothesis]:
    """Each legal move. Once a sphere was touched, moving another one is against the rule of touch-move."""
    legal = legal_moves(position)
    right = placement_of(position)
    bound = any(_keeps(move, touched) for move in legal)
    for move in legal:
        broken = bound and not _keeps(move, touched)
        yield Hypothesis(
            Meaning.ILLEGAL if broken else Meaning.MOVE,
            move_steps(right, move),
            placement_of(play(position, move)),
            log((odds.ILLEGAL if broken else odds.LEGAL) / len(legal)),
            (move,),
            Reason.PUT_BACK if broken else None,
            position.side,
        )


def moves_from_elsewhere(position: Position, standing: Placement, wrong: Move) -> Iterator[Hypothesis]:
    """After an illegal move: the same sphere is moved on to a well where it might have gone in the first place."""
    for move in legal_moves(position):
        if move.from_well == wrong.from_well and not move.capture:
            sphere = standing[wrong.to_well]
            steps = (Step(StepKind.LIFT, wrong.to_well, sphere), Step(StepKind.PLACE, move.to_well, sphere))
            after = placement_of(play(position, move))
            yield Hypothesis(Meaning.MOVE, steps, after, log(odds.ILLEGAL), (move,), player=position.side)


def in_hand(position: Position, standing: Placement) -> Iterator[Hypothesis]:
    """A turn not yet finished: a sphere lifted, the enemy coloured sphere removed, or removed and the next lifted."""
    captures = [move for move in legal_moves(position) if move.capture]
    for well in range(42):
        if standing[well]:
            lift = Step(StepKind.LIFT, well, standing[well])
            yield Hypothesis(Meaning.IN_HAND, (lift,), without(standing, well), log(odds.LEGAL / 14))
    for move in captures:
        lift = Step(StepKind.LIFT, move.from_well, standing[move.from_well])
        remove = Step(StepKind.REMOVE, move.to_well, standing[move.to_well])
        after = without(without(standing, move.to_well), move.from_well)
        yield Hypothesis(Meaning.IN_HAND, (remove, lift), after, log(odds.LEGAL / 14))


def move_pairs(position: Position, left: frozenset[int]) -> Iterator[Hypothesis]:
    """A legal move and a legal reply, made so quickly that they arrive as one change.

    `left` are the wells that may be empty now: only from these spheres can have gone.
    """
    first = legal_moves(position)
    right = placement_of(position)
    for move in first:
        between = play(position, move)
        replies = legal_moves(between)
        standing = placement_of(between)
        for reply in replies:
            if reply.from_well not in left or (move.from_well not in left and move.from_well != reply.to_well):
                continue
            yield Hypothesis(
                Meaning.TWO_MOVES,
                move_steps(right, move) + move_steps(standing, reply),
                placement_of(play(between, reply)),
                log(odds.TWO_PLIES / (len(first) * len(replies))),
                (move, reply),
                player=position.side,
            )


def first_of_two(position: Position, pair: Hypothesis) -> Hypothesis:
    """The first move of a pair by itself."""
    move = pair.moves[0]
    steps = move_steps(placement_of(position), move)
    return Hypothesis(Meaning.MOVE, steps, placement_of(play(position, move)), pair.prior, (move,), None, pair.player)


def put_backs(position: Position, standing: Placement) -> Iterator[Hypothesis]:
    """Each sphere lifted and set back where it came from."""
    occupied = [well for well in range(42) if standing[well]]
    movable = {move.from_well for move in legal_moves(position)}
    for well in occupied:
        sphere = standing[well]
        own = side_of(sphere) is position.side
        weight = odds.PUT_BACK if well in movable else odds.PUT_BACK / (odds.FIXED_SPHERE if own else odds.OWN_SPHERE)
        steps = (Step(StepKind.LIFT, well, sphere), Step(StepKind.PLACE, well, sphere))
        prior = log(weight / len(occupied))
        where, move = (Meaning.PUT_BACK, steps, standing), (Move(well, well),)
        if own:
            yield Hypothesis(*where, prior, move, Reason.PUT_BACK, position.side)
        else:
            yield Hypothesis(*where, prior, move, Reason.OPPONENTS_SPHERE, position.side)
            yield Hypothesis(*where, prior - log(odds.OTHER_HAND), move, Reason.NOT_YOUR_TURN, position.side.other)


def put_backs_then_moves(
    position: Position, standing: Placement, first_lifted: frozenset[int], left: frozenset[int]
) -> Iterator[Hypothesis]:
    """A sphere set back, and then the move: the touched sphere's as it must be, or another one's.

    `first_lifted` are the wells from which the first lift may have been, `left` those that may be empty now.
    """
    for before in put_backs(position, standing):
        touched = before.moves[0].from_well
        if touched not in first_lifted:
            continue
        for move in moves_made(position, touched):
            if move.moves[0].from_well in left:
                yield Hypothesis(
                    Meaning.PUT_BACK_THEN,
                    before.steps + move.steps,
                    move.after,
                    before.prior + move.prior,
                    before.moves + move.moves,
                    player=position.side,
                    parts=(before, move),
                )


def rolled(position: Position, standing: Placement, from_well: int, to_well: int) -> Iterator[Hypothesis]:
    """A sphere of the player's own pushed to a neighbouring well, whether or not it might have gone there."""
    near = abs(from_well % FILES - to_well % FILES) <= 1 and abs(from_well // FILES - to_well // FILES) <= 1
    sphere = standing[from_well]
    if near and side_of(sphere) is position.side and not standing[to_well]:
        yield Hypothesis(
            Meaning.ILLEGAL,
            (Step(StepKind.ROLL, from_well, sphere, to_well),),
            displaced(standing, from_well, to_well),
            log(odds.ROLLED / ROLLS),
            (Move(from_well, to_well),),
            Reason.ROLLED,
            position.side,
        )


def wrong_displacements(position: Position, standing: Placement, from_well: int, to_well: int) -> Iterator[Hypothesis]:
    """One sphere lifted and placed against the rules: by the player to move, or by the other one out of turn."""
    move = Move(from_well, to_well)
    reasons = why_illegal(position, move)
    if not reasons:
        return
    own = side_of(standing[from_well]) is position.side
    weight = odds.ILLEGAL if own else odds.ILLEGAL / odds.OWN_SPHERE
    prior = log(weight / ILLEGAL_DISPLACEMENTS)
    blame = [(position.side, reasons[0], prior)]
    if not own:
        other = position.side.other
        possible = not why_illegal(position.with_side(other), move)
        blame.append((other, Reason.NOT_YOUR_TURN, prior if possible else prior - log(odds.OTHER_HAND)))
    for player, reason, chance in blame:
        yield Hypothesis(
            Meaning.ILLEGAL,
            move_steps(standing, move),
            displaced(standing, from_well, to_well),
            chance,
            (move,),
            reason,
            player,
        )


def right_again(position: Position) -> Hypothesis:
    """Everything stands where it should again, however it came there."""
    return Hypothesis(Meaning.RESTORED, (), placement_of(position), log(odds.LEGAL), player=position.side)


def restored(position: Position, wrong: Move, sphere: int) -> Hypothesis:
    """The wrongly moved sphere goes back to where it came from."""
    steps = (Step(StepKind.LIFT, wrong.to_well, sphere), Step(StepKind.PLACE, wrong.from_well, sphere))
    return Hypothesis(Meaning.RESTORED, steps, placement_of(position), log(odds.LEGAL), player=position.side)
