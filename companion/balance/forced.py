"""Forced crashes: moves after which every reply is likelier than not to tip the board.

Such a move may do it at once, or leave only replies after which another such move exists. The search deepens move by
move and says how deep it got, and whether it saw everything down to there or ran out of positions to look at.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from companion.balance.fitted import EXPERIENCE
from companion.balance.hands import Hand, touch_risk
from companion.balance.risk import NEW_HAND
from companion.balance.statics import Balance, coordinate_mm, total_and_moment_of
from companion.balance.touches import Touch
from companion.rules import Move, Position, Side, legal_moves, play
from companion.rules.wells import N_WELLS

LIKELY = 0.5
"""Likelier than not."""

DEEPEST = 12
"""Nobody plans twelve moves ahead; a search of a nearly blocked position would otherwise go on for ever."""


@dataclass(frozen=True, slots=True)
class ForcedCrash:
    """A move that forces a crash within so many moves of the player who makes it, itself counted.

    `least_risk` is the smallest crash risk of any reply that ends it (1 where no reply is left).
    """

    move: Move
    within: int
    least_risk: float


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found and how far it can be trusted.

    `depth`: every forced crash within so many moves is in `forced`; deeper ones may exist. `exhausted` where the budget
    ran out before the depth that was asked for, `nodes` the positions looked at.
    """

    forced: tuple[ForcedCrash, ...]
    depth: int
    nodes: int
    exhausted: bool


class _OutOfNodes(Exception):
    """The budget is spent."""


@dataclass(slots=True)
class _Searcher:
    places: tuple[float, ...]
    half_spacing_mm: float
    hands: Mapping[Side, Hand]
    budget: int
    nodes: int = 0
    risks: dict[tuple[bool, float, float, float, float, Side], float] = field(default_factory=dict)

    def forced(self, position: Position, standing: "_Standing", depth: int) -> Iterator[ForcedCrash]:
        """Moves of the side to move that are safe enough themselves and leave no safe reply."""
        for move in legal_moves(position):
            if move.capture:
                continue  # It ends the game in its own way.
            risk, after = self.risk(position, standing, move)
            if risk >= LIKELY:
                continue
            least = self.least_risk(play(position, move), after, depth)
            if least is not None:
                yield ForcedCrash(move, depth, least)

    def least_risk(self, position: Position, standing: "_Standing", depth: int) -> float | None:
        """Smallest risk of a reply where the side to move is lost within the depth; None where it has a way out."""
        self.nodes += 1
        if self.nodes > self.budget:
            raise _OutOfNodes
        least, open_replies = 1.0, []
        for move in legal_moves(position):
            risk, after = self.risk(position, standing, move)
            if risk >= LIKELY:
                least = min(least, risk)
            elif depth == 1 or move.capture:
                return None
            else:
                open_replies.append((risk, move, after))
        # The safest reply is the likeliest way out.
        for _, move, after in sorted(open_replies, key=lambda reply: reply[0]):
            found = next(self.forced(play(position, move), after, depth - 1), None)
            if found is None:
                return None
            least = min(least, found.least_risk)
        return least

    def risk(self, position: Position, standing: "_Standing", move: Move) -> tuple[float, "_Standing"]:
        """Risk of a move at the expected margins, and what stands after it."""
        safe, now = 1.0, standing
        if move.capture:
            chance, now = self.touch(now, True, move.to_well, now.masses[move.to_well], position.side)
            safe *= 1 - chance
        mass = now.masses[move.from_well]
        chance, now = self.touch(now, True, move.from_well, mass, position.side)
        safe *= 1 - chance
        chance, now = self.touch(now, False, move.to_well, mass, position.side)
        return 1 - safe * (1 - chance), now

    def touch(
        self, standing: "_Standing", lifts: bool, well: int, mass: float, side: Side
    ) -> tuple[float, "_Standing"]:
        p = self.places[well]
        key = lifts, round(standing.total, 3), round(standing.moment, 2), mass, p, side
        if key not in self.risks:
            touch = Touch(lifts, self.half_spacing_mm, standing.total, standing.moment / standing.total, mass, p)
            self.risks[key] = touch_risk(touch, self.hands[side], EXPERIENCE)
        return self.risks[key], standing.changed(-mass if lifts else mass, well, p)


@dataclass(frozen=True, slots=True)
class _Standing:
    """Total and moment, and the mass in every well (0 where none)."""

    total: float
    moment: float
    masses: tuple[float, ...]

    def changed(self, mass: float, well: int, p: float) -> "_Standing":
        masses = (*self.masses[:well], mass if mass > 0 else 0.0, *self.masses[well + 1 :])
        return _Standing(self.total + mass, self.moment + mass * p, masses)


def forced_crashes(
    balance: Balance,
    position: Position,
    hands: Mapping[Side, Hand] | None = None,
    budget: int = 20_000,
    deepest: int = DEEPEST,
) -> Search:
    """Searches for forced crashes of the side to move, at the margins that are expected.

    `budget` is the number of positions to look at: with it the caller sets the time. Deepens from one move on, and
    stops once a crash is forced, as deeper ones are then of no interest.
    """
    masses = {well: mass for well, (mass, _) in balance.masses(position).items()}
    total, moment = total_and_moment_of(balance, balance.masses(position))
    standing = _Standing(total, moment, tuple(masses.get(well, 0.0) for well in range(N_WELLS)))
    places = tuple(coordinate_mm(well, balance.axis, balance.pitch_mm) for well in range(N_WELLS))
    known = hands or {}
    searcher = _Searcher(places, balance.half_spacing[0], {side: known.get(side, NEW_HAND) for side in Side}, budget)
    for depth in range(1, deepest + 1):
        found = []
        try:
            for crash in searcher.forced(position, standing, depth):
                found.append(crash)
        except _OutOfNodes:
            return Search(tuple(found), depth - 1, searcher.nodes - 1, exhausted=True)
        if found:
            return Search(tuple(found), depth, searcher.nodes, exhausted=False)
    return Search((), deepest, searcher.nodes, exhausted=False)
