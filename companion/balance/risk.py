"""The margin after each step of a move, and the risk that the hand tips the board there.

A touch takes some of the margin. A clean touch takes little and nearly always the same, of the margin that it leaves
behind: from a clean lift or placing the board is safe while it was safe before. A rough one (slammed, nudged, pressed)
takes anything, before the step or after it. The numbers stem from a rigid-body simulation of the board, for a player
of whom nothing is known yet.
"""

import math
from dataclasses import dataclass
from typing import Literal

from companion.balance.statics import Balance, margin_of
from companion.rules import IllegalMove, Move, Position, normalised, why_illegal

StepName = Literal["remove", "lift", "place"]

CLEAN_LIFT_MM = 0.19, 0.05
"""Mean and spread of the margin that a clean or snatched lift takes: 0.14 to 0.24 mm."""

CLEAN_PLACE_MM = 0.35, 0.10
"""The same for a clean placing: 0.2 to 0.3 mm from a height of 2 mm, 0.4 to 0.6 from 10 mm."""

ROUGH_SHARE = 0.1
"""How many touches are rough, for a player who takes care but has not been watched yet."""

ROUGH_MEAN_MM = 1.0
"""Margin that a rough touch takes on average: slammed 0.4 to 0.7 mm, nudged 0.5 to 0.8, a finger's 1 N 1.3 to 2.8.
Taken as exponential, as pressing can take any amount."""

_LARGEST_EXPONENT = 700.0
"""e to this is still a float; what it is multiplied with is then as good as 0."""


@dataclass(frozen=True, slots=True)
class Step:
    """One touch: the margin after it and its standard deviation, mm, and the probability that it tips the board."""

    step: StepName
    margin_mm: float
    sd_mm: float
    risk: float


def steps(balance: Balance, position: Position, move: Move) -> tuple[Step, ...]:
    """The touches of a legal move: lift and place, or remove (the enemy coloured sphere), lift and place.

    Raises IllegalMove, or BadInput where there is nothing to lift.
    """
    reasons = why_illegal(position, move)
    if reasons:
        raise IllegalMove(position, move, reasons)
    masses = balance.masses(position)
    margin, _ = margin_of(balance, masses)
    done: list[Step] = []

    def touched(name: StepName) -> None:
        before = done[-1].margin_mm if done else margin
        after, sd = margin_of(balance, masses)
        done.append(Step(name, after, sd, step_risk(name, before, after, sd)))

    if normalised(position, move).capture:
        del masses[move.to_well]
        touched("remove")
    in_hand = masses.pop(move.from_well)
    touched("lift")
    masses[move.to_well] = in_hand
    touched("place")
    return tuple(done)


def step_risk(step: StepName, before_mm: float, after_mm: float, sd_mm: float) -> float:
    """Probability that a touch tips the board, from the margins before and after it and their standard deviation."""
    taken, spread = CLEAN_PLACE_MM if step == "place" else CLEAN_LIFT_MM
    # Both are normal, so what a clean touch takes exceeds the margin as often as their difference exceeds 0.
    clean = _below((taken - after_mm) / math.hypot(spread, sd_mm))
    return (1 - ROUGH_SHARE) * clean + ROUGH_SHARE * _rough_risk(min(before_mm, after_mm), sd_mm)


def _rough_risk(margin_mm: float, sd_mm: float) -> float:
    """P(taken > margin) for an exponential `taken` and a margin that is normal with sd_mm (0 allowed)."""
    if sd_mm == 0:
        return math.exp(-max(margin_mm, 0.0) / ROUGH_MEAN_MM)
    tipping_anyway = _below(-margin_mm / sd_mm)
    # Where the margin is above 0 the exponential must exceed it: completing the square gives a shifted normal.
    ratio = sd_mm / ROUGH_MEAN_MM
    exponent = min(ratio * ratio / 2 - margin_mm / ROUGH_MEAN_MM, _LARGEST_EXPONENT)
    return min(1.0, tipping_anyway + math.exp(exponent) * _below(margin_mm / sd_mm - ratio))


def _below(z: float) -> float:
    """P(Z < z) of a standard normal, exact in its lower tail too."""
    return math.erfc(-z / math.sqrt(2)) / 2


def move_risk(balance: Balance, position: Position, move: Move) -> float:
    """Probability that any step of a move tips the board; raises like `steps`."""
    return risk_of(steps(balance, position, move))


def risk_of(taken: tuple[Step, ...]) -> float:
    """Probability that any of these steps tips the board, each on its own."""
    return 1 - math.prod(1 - step.risk for step in taken)
