"""When the load cells are no witness."""

from firmware_bridge.faults import REMEDIES, PairFault, explanation


def blinds(fault: str) -> bool:
    """Does this fault make what the cells say of lifts and placings worthless? A slow drift does not."""
    return fault == PairFault.SWAPPED or fault not in REMEDIES or explanation(fault).blinds
