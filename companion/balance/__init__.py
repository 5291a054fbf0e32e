"""Statics of the board on its two pinnacles, and the risk that a move tips it: pure, no I/O, no clock."""

from companion.balance.risk import Step, move_risk, risk_of, step_risk, steps
from companion.balance.statics import (
    AXES,
    DEFAULT_HALF_SPACING_MM,
    Balance,
    centre_from_loads,
    centre_mm,
    coordinate_mm,
    margin_from_loads,
    margin_mm,
    total_and_moment,
)

__all__ = [
    "AXES",
    "DEFAULT_HALF_SPACING_MM",
    "Balance",
    "Step",
    "centre_from_loads",
    "centre_mm",
    "coordinate_mm",
    "margin_from_loads",
    "margin_mm",
    "move_risk",
    "risk_of",
    "step_risk",
    "steps",
    "total_and_moment",
]
