"""What a player's hand is like, learned from what the load cells felt of its earlier touches.

A hand is a mixture of kinds of touch and a level of strength. Nobody says which kind a touch was: the loads say with
what probability it was each, and that much is counted (the quasi-Bayes rule of Smith and Makov, 1978, for a Dirichlet
prior). The strength is a normal mean, learned from what each kind shows of it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from operator import mul
from typing import Any

from companion.balance.kinds import KINDS, Tipping, tip_chances
from companion.balance.touches import Felt, Touch, fingerprint, lifted_off, squares
from companion.errors import BadInput

MEMORY_TOUCHES = 400.0
"""A hand is remembered over about so many touches (ten to twenty games); people change their habits."""

MOST_SHOWN = 1.2
"""No touch shows more strength than so (natural logarithm: a bit more than threefold either way): beyond what it was
fitted to a quadratic form says anything."""

Terms = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StrengthSeen:
    """What a touch of one kind shows of the hand's level: a quadratic form of the fingerprint, which is `gain` times
    the level on average, give or take `sd` (natural logarithms of strength)."""

    form: Terms
    gain: float
    sd: float


@dataclass(frozen=True, slots=True)
class Experience:
    """What many touches of many hands taught: everything that is fitted, in one value.

    Pairs are for placings and lifts. `kind_odds[lifts][tipped]` are quadratic forms of the fingerprint by kind, whose
    softmax is the probability of each kind for an average hand; `strength_seen[lifts]` by kind, None for a clean one;
    `touching[lifts][lifted off]` is a quadratic form of fingerprint and holds: log odds that the board will tip.
    """

    tipping: tuple[tuple[Tipping, ...], tuple[Tipping, ...]]
    shares: Terms
    shares_weight: float
    level_sd: float
    kind_odds: tuple[tuple[tuple[Terms, ...], ...], tuple[tuple[Terms, ...], ...]]
    strength_seen: tuple[tuple[StrengthSeen | None, ...], tuple[StrengthSeen | None, ...]]
    touching: tuple[tuple[Terms, ...], tuple[Terms, ...]]


@dataclass(frozen=True, slots=True)
class Hand:
    """`counts`: touches of each kind, what is presumed of a new player included. `level`: strength as a natural
    logarithm relative to an average hand, with its standard deviation. Raises BadInput naming what cannot be."""

    counts: Terms
    level: float
    level_sd: float

    def __post_init__(self) -> None:
        if len(self.counts) != len(KINDS) or not all(math.isfinite(n) and n > 0 for n in self.counts):
            raise BadInput(f"counts of a hand are {self.counts}; there must be {len(KINDS)}, each above 0")
        if not (math.isfinite(self.level) and math.isfinite(self.level_sd) and self.level_sd > 0):
            raise BadInput(f"level of a hand is {self.level} +- {self.level_sd}; it must be finite, the latter above 0")

    @property
    def shares(self) -> Terms:
        """How often this hand does what, by kind; they add to 1."""
        total = sum(self.counts)
        return tuple(n / total for n in self.counts)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a file: `from_json` reads them."""
        return {"counts": dict(zip(KINDS, self.counts, strict=True)), "level": self.level, "level_sd": self.level_sd}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Hand":
        """Reads what `to_json` wrote; raises BadInput."""
        try:
            counts = tuple(float(value["counts"][kind]) for kind in KINDS)
            return cls(counts, float(value["level"]), float(value["level_sd"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"a hand needs counts of {', '.join(KINDS)}, level and level_sd: {error!r}") from None


def new_hand(experience: Experience) -> Hand:
    """A player who has not been watched yet."""
    counts = tuple(share * experience.shares_weight for share in experience.shares)
    return Hand(counts, 0.0, experience.level_sd)


def touch_risk(touch: Touch, hand: Hand, experience: Experience) -> float:
    """Probability that this hand's touch tips the board, before it is begun."""
    chances = tip_chances(touch, experience.tipping, hand.level, hand.level_sd)
    return float(sum(map(mul, hand.shares, chances)))


def kind_probabilities(touch: Touch, felt: Felt, hand: Hand, experience: Experience) -> Terms:
    """Which kind of touch this was, from what the cells felt; they add to 1.

    Half from what the hand is known for, half from what an average hand does: a hand judged by its own record alone
    would confirm it.
    """
    values = squares(fingerprint(touch, felt))
    forms = experience.kind_odds[touch.lifts][felt.tipped]
    logs = [
        sum(map(mul, form, values)) + math.log((share + usual) / 2 / usual)
        for form, share, usual in zip(forms, hand.shares, experience.shares, strict=True)
    ]
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def hand_after(hand: Hand, touch: Touch, felt: Felt, experience: Experience) -> Hand:
    """The hand as it is known after one more touch."""
    kinds = kind_probabilities(touch, felt, hand, experience)
    values = squares(fingerprint(touch, felt))
    precision = hand.level_sd**-2
    weighted = hand.level * precision
    for seen, probability in zip(experience.strength_seen[touch.lifts], kinds, strict=True):
        if seen is not None:
            shown = max(-MOST_SHOWN, min(MOST_SHOWN, sum(map(mul, seen.form, values))))
            precision += probability * (seen.gain / seen.sd) ** 2
            weighted += probability * seen.gain * shown / seen.sd**2
    counts = [n + probability for n, probability in zip(hand.counts, kinds, strict=True)]
    kept = min(1.0, MEMORY_TOUCHES / sum(counts))
    least_sd = experience.level_sd / math.sqrt(MEMORY_TOUCHES)
    return Hand(tuple(n * kept for n in counts), weighted / precision, max(precision**-0.5, least_sd))


def touching_terms(touch: Touch, felt: Felt) -> Terms:
    """Quadratic terms of the fingerprint and of the logarithms of the holds after the step and of the lever.

    The board must be standing after the step.
    """
    near, far = touch.holds_after_gmm
    return squares((*fingerprint(touch, felt), math.log(near), math.log(far), math.log(touch.lever_mm)))


def risk_while_touching(touch: Touch, felt: Felt, experience: Experience) -> float:
    """Probability that the board tips, from the loads so far; `felt.tipped` is not looked at.

    Where no cell has come free yet little is lost; where one has, it is the overshoot against the moments that hold
    the board which tells whether it falls back.
    """
    if touch.margin_after_mm <= 0:
        return 1.0
    form = experience.touching[touch.lifts][lifted_off(touch, felt)]
    values = touching_terms(touch, felt)
    log_odds = sum(map(mul, form, values))
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, log_odds))))
