"""Statics of the board on its two pinnacles, what play teaches of it, and the risk that a touch tips it: pure."""

from companion.balance.fitted import EXPERIENCE
from companion.balance.forced import ForcedCrash, Search, forced_crashes
from companion.balance.hands import Experience, Hand, hand_after, kind_probabilities, new_hand, risk_while_touching
from companion.balance.kinds import KINDS
from companion.balance.learned import Learned, nothing_known
from companion.balance.learning import Notice, Reading, lifted, placed, read, sphere_in, touch_at
from companion.balance.outlook import Outlook, WellRisk, outlook, touched_wells
from companion.balance.risk import NEW_HAND, MoveRisk, Step, all_moves, move_risk, risk_of, step_risk, steps
from companion.balance.setting_up import rearranged, set_up
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
from companion.balance.touches import Felt, Touch

__all__ = [
    "AXES",
    "DEFAULT_HALF_SPACING_MM",
    "EXPERIENCE",
    "KINDS",
    "NEW_HAND",
    "Balance",
    "Experience",
    "Felt",
    "ForcedCrash",
    "Hand",
    "Learned",
    "MoveRisk",
    "Notice",
    "Outlook",
    "Reading",
    "Search",
    "Step",
    "Touch",
    "WellRisk",
    "all_moves",
    "centre_from_loads",
    "centre_mm",
    "coordinate_mm",
    "forced_crashes",
    "hand_after",
    "kind_probabilities",
    "lifted",
    "margin_from_loads",
    "margin_mm",
    "move_risk",
    "new_hand",
    "nothing_known",
    "outlook",
    "placed",
    "read",
    "rearranged",
    "risk_of",
    "risk_while_touching",
    "set_up",
    "sphere_in",
    "step_risk",
    "steps",
    "total_and_moment",
    "touch_at",
    "touched_wells",
]
