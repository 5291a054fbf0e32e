"""What lies before the player to move: for each well that his hand can go to next, how likely that ends in a crash."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.balance.risk import MoveRisk, Step, risk_of
from companion.rules import Move


@dataclass(frozen=True, slots=True)
class WellRisk:
    """The next touch at a well. `risk` counts that touch and what must follow it, on the safest way on.

    `move` is that way: whoever has touched a sphere must move it, so a harmless lift may still lead to no good place.
    """

    well: int
    touch: Step
    risk: float
    move: Move


@dataclass(frozen=True, slots=True)
class Outlook:
    """The wells that matter now, the riskiest first; `safest` is the move that is least likely to crash.

    `taken` are the wells whose spheres are in the player's hands already. Both are empty where nothing can be moved.
    """

    taken: tuple[int, ...]
    wells: tuple[WellRisk, ...]
    safest: WellRisk | None

    @property
    def least_risk(self) -> float:
        """Risk of what is left of the safest move; 0 where there is no move, as none is made."""
        return 0.0 if self.safest is None else self.safest.risk

    def above(self, level: float) -> tuple[WellRisk, ...]:
        """Wells where a crash is likelier than the level."""
        return tuple(well for well in self.wells if well.risk > level)


def touched_wells(move: Move) -> tuple[int, ...]:
    """Where the hand goes, step by step: a capture removes the enemy coloured sphere first."""
    lift_and_place = (move.from_well, move.to_well)
    return (move.to_well, *lift_and_place) if move.capture else lift_and_place


def outlook(moves: Iterable[MoveRisk], taken: Sequence[int] = ()) -> Outlook:
    """What is to come of these moves once the spheres from the `taken` wells are in hand, in that order."""
    best: dict[int, WellRisk] = {}
    for foreseen in moves:
        wells = touched_wells(foreseen.move)
        done = len(taken)
        if wells[:done] != tuple(taken) or done >= len(wells):
            continue
        left = foreseen.steps[done:]
        found = WellRisk(wells[done], left[0], risk_of(left), foreseen.move)
        if found.well not in best or found.risk < best[found.well].risk:
            best[found.well] = found
    ranked = tuple(sorted(best.values(), key=lambda well: (-well.risk, well.well)))
    return Outlook(tuple(taken), ranked, ranked[-1] if ranked else None)
