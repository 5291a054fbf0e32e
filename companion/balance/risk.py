"""The margin after each step of a move, and the risk that the hand of the player who makes it tips the board there."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from companion.balance.fitted import EXPERIENCE
from companion.balance.hands import Hand, new_hand, touch_risk
from companion.balance.statics import Balance
from companion.balance.touches import Touch
from companion.balance.weighing import Scale, Standing, Weighed
from companion.rules import IllegalMove, Move, Position, legal_moves, normalised, why_illegal

StepName = Literal["remove", "lift", "place"]

NEW_HAND = new_hand(EXPERIENCE)
"""The hand of a player who has not been watched yet."""

_NODES = (0.0, 1.355626, -1.355626, 2.856970, -2.856970)
_WEIGHTS = (0.533333, 0.222076, 0.222076, 0.011257, 0.011257)
"""Gauss-Hermite quadrature of order 5 for a standard normal (Abramowitz and Stegun, table 25.10, rescaled)."""

_CERTAIN_SDS = 8.0
"""A margin of so many of its standard deviations may be taken as certain: what the hand does is far less so."""


@dataclass(frozen=True, slots=True)
class Step:
    """One touch: the margin after it and its standard deviation, mm, and the probability that it tips the board."""

    step: StepName
    margin_mm: float
    sd_mm: float
    risk: float


@dataclass(frozen=True, slots=True)
class MoveRisk:
    """A legal move with its steps and the probability that any of them tips the board."""

    move: Move
    steps: tuple[Step, ...]
    risk: float

    @property
    def worst(self) -> Step:
        """The step that is likeliest to tip the board."""
        return max(self.steps, key=lambda step: step.risk)


def steps(balance: Balance, position: Position, move: Move, hand: Hand = NEW_HAND) -> tuple[Step, ...]:
    """The touches of a legal move: lift and place, or remove (the enemy coloured sphere), lift and place.

    Raises IllegalMove, or BadInput where there is nothing to lift.
    """
    reasons = why_illegal(position, move)
    if reasons:
        raise IllegalMove(position, move, reasons)
    return _foreseen(balance, position, [normalised(position, move)], hand)[0].steps


def all_moves(balance: Balance, position: Position, hand: Hand = NEW_HAND) -> tuple[MoveRisk, ...]:
    """Every legal move of the side to move, in the order of `legal_moves`."""
    return tuple(_foreseen(balance, position, legal_moves(position), hand))


def move_risk(balance: Balance, position: Position, move: Move, hand: Hand = NEW_HAND) -> float:
    """Probability that any step of a move tips the board; raises like `steps`."""
    return risk_of(steps(balance, position, move, hand))


def risk_of(taken: Iterable[Step]) -> float:
    """Probability that any of these steps tips the board, each on its own."""
    return 1 - math.prod(1 - step.risk for step in taken)


def step_risk(touch: Touch, margin_sd_mm: float, hand: Hand = NEW_HAND) -> float:
    """Probability that a touch tips the board where its margin is known to within a standard deviation.

    Averaged over what the margin may be, both sides of the board alike.
    """
    margin = min(*touch.holds_before_gmm, *touch.holds_after_gmm) / touch.total_g
    if margin >= _CERTAIN_SDS * margin_sd_mm:
        return min(1.0, touch_risk(touch, hand, EXPERIENCE))
    risks = (_shifted(touch, node * margin_sd_mm, hand) for node in _NODES)
    return min(1.0, sum(weight * risk for weight, risk in zip(_WEIGHTS, risks, strict=True)))


def _shifted(touch: Touch, margin_mm: float, hand: Hand) -> float:
    """Risk with so much more margin on both sides."""
    half_spacing = touch.half_spacing_mm + margin_mm
    return 1.0 if half_spacing <= 0 else touch_risk(replace(touch, half_spacing_mm=half_spacing), hand, EXPERIENCE)


def _foreseen(balance: Balance, position: Position, moves: Sequence[Move], hand: Hand) -> list[MoveRisk]:
    """Weighs what stands after every step of every move in one go; lifts of one sphere are foreseen once."""
    scale = Scale.of(balance, position)
    sets: dict[tuple[int | None, int | None, int | None], Standing] = {}

    def becomes(gone: int | None, lifted: int | None, to_well: int | None) -> tuple[int | None, int | None, int | None]:
        key = gone, lifted, to_well
        if key not in sets:
            standing = {well: well for well in scale.wells if well not in (gone, lifted)}
            if lifted is not None and to_well is not None:
                standing[lifted] = to_well
            sets[key] = standing
        return key

    begin = becomes(None, None, None)
    plans = []
    for move in moves:
        plan: list[tuple[StepName, int, int, tuple[int | None, int | None, int | None]]] = []
        gone = move.to_well if move.capture else None
        if gone is not None:
            plan.append(("remove", gone, gone, becomes(gone, None, None)))
        plan.append(("lift", move.from_well, move.from_well, becomes(gone, move.from_well, None)))
        plan.append(("place", move.from_well, move.to_well, becomes(gone, move.from_well, move.to_well)))
        plans.append(plan)
    weighed = dict(zip(sets, scale.weigh(list(sets.values())), strict=True))
    known: dict[tuple[object, object], Step] = {}
    foreseen = []
    for move, plan in zip(moves, plans, strict=True):
        before, taken = begin, []
        for name, sphere, well, after in plan:
            if (before, after) not in known:
                known[before, after] = _step(scale, name, sphere, well, weighed[before], weighed[after], hand)
            taken.append(known[before, after])
            before = after
        foreseen.append(MoveRisk(move, tuple(taken), risk_of(taken)))
    return foreseen


def _step(scale: Scale, name: StepName, sphere: int, well: int, before: Weighed, after: Weighed, hand: Hand) -> Step:
    touch = Touch(
        lifts=name != "place",
        half_spacing_mm=scale.balance.half_spacing[0],
        total_g=before.total_g,
        centre_mm=before.centre_mm,
        mass_g=scale.mass_g(sphere),
        p_mm=scale.coordinates_mm[well],
    )
    return Step(name, after.margin_mm, after.sd_mm, step_risk(touch, after.sd_mm, hand))
