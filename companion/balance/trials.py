"""Trials of touches with known ends: what they are, and how well a model foretold them."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.balance.hands import Experience, Hand, hand_after, new_hand, risk_while_touching, touch_risk
from companion.balance.kinds import KINDS
from companion.balance.touches import Felt, Touch
from companion.errors import BadInput


@dataclass(frozen=True, slots=True)
class Trial:
    """One touch of one player on one board, what the cells felt, and the truth about the hand (only for fitting).

    `strength` is the height of a drop in mm or a force in N, `held_ms` how long the hand touched.
    """

    number: int
    board: str
    player: str
    split: str
    touch: Touch
    felt: Felt
    kind: int
    strength: float
    held_ms: float

    @property
    def smaller_margin_mm(self) -> float:
        before = min(self.touch.holds_before_gmm) / self.touch.total_g
        return min(before, self.touch.margin_after_mm)


@dataclass(frozen=True, slots=True)
class Tenth:
    """Forecasts in one tenth of the scale of probability: how many, their mean, and how often it happened."""

    count: int
    forecast: float
    happened: float

    @property
    def error(self) -> float:
        return abs(self.forecast - self.happened)


@dataclass(frozen=True, slots=True)
class Figures:
    """How good forecasts were. `near_auc` is over trials whose smaller margin is 0 to 4 mm."""

    trials: int
    auc: float
    near_auc: float
    brier: float
    tenths: tuple[Tenth, ...]

    def worst_error(self, at_least: int) -> float:
        """The largest calibration error of a tenth that holds so many trials."""
        return max((tenth.error for tenth in self.tenths if tenth.count >= at_least), default=0.0)


def read_trials(rows: Iterable[Mapping[str, str]]) -> list[Trial]:
    """Reads rows of text by column name; raises BadInput naming the first row that is wrong.

    `onset_ms` is not read: whether it is empty says nearly all about the end.
    """
    trials = []
    for number, row in enumerate(rows, 1):
        try:
            trials.append(_trial(row))
        except (KeyError, ValueError) as error:
            raise BadInput(f"row {number} of the trials: {error!r}") from None
    return trials


def _trial(row: Mapping[str, str]) -> Trial:
    def number(name: str) -> float:
        return float(row[name])

    if row["step"] not in ("lift", "place"):
        raise BadInput(f"step is {row['step']!r}; it must be lift or place")
    if row["hand"] not in KINDS:
        raise BadInput(f"hand is {row['hand']!r}; it must be one of {', '.join(KINDS)}")
    return Trial(
        number=int(row["trial"]),
        board=row["board"],
        player=row["player"],
        split=row["split"],
        touch=Touch(
            lifts=row["step"] == "lift",
            half_spacing_mm=number("half_spacing_mm"),
            total_g=number("W_before_g"),
            centre_mm=number("c_before_mm"),
            mass_g=number("sphere_mass_g"),
            p_mm=number("p_mm"),
        ),
        felt=Felt(
            peak_low_g=number("peak_low_g"),
            peak_high_g=number("peak_high_g"),
            min_low_g=number("min_low_g"),
            min_high_g=number("min_high_g"),
            tipped=row["crashed"] == "1",
        ),
        kind=KINDS.index(row["hand"]),
        strength=number("drop_mm") if row["hand"] == "drop" else number("hand_force_N"),
        held_ms=number("hand_ms"),
    )


def by_player(trial: Trial) -> Hashable:
    """Whose earlier touches count: the player's, on whatever board."""
    return trial.player


def by_player_and_board(trial: Trial) -> Hashable:
    """Only the player's touches on this board count."""
    return trial.player, trial.board


def foretell(
    trials: Sequence[Trial], experience: Experience, whose: Callable[[Trial], Hashable] = by_player
) -> list[float]:
    """Probability of a crash for each trial in order of its number, from statics and earlier touches alone.

    Every hand starts as an average one; a trial is learned from only after it was foretold.
    """
    hands: dict[Hashable, Hand] = {}
    forecasts = [0.0] * len(trials)
    for place in sorted(range(len(trials)), key=lambda place: trials[place].number):
        trial = trials[place]
        hand = hands.get(whose(trial)) or new_hand(experience)
        forecasts[place] = touch_risk(trial.touch, hand, experience)
        hands[whose(trial)] = hand_after(hand, trial.touch, trial.felt, experience)
    return forecasts


def foretell_while_touching(trials: Iterable[Trial], experience: Experience) -> list[float]:
    """The same from the loads during the touch."""
    return [risk_while_touching(trial.touch, trial.felt, experience) for trial in trials]


def figures(trials: Sequence[Trial], forecasts: Sequence[float]) -> Figures:
    """Raises BadInput where nothing can be measured: no trials, or all with the same end."""
    ends = [trial.felt.tipped for trial in trials]
    near = [n for n, trial in enumerate(trials) if 0 <= trial.smaller_margin_mm < 4]
    return Figures(
        trials=len(trials),
        auc=area_under_curve(ends, forecasts),
        near_auc=area_under_curve([ends[n] for n in near], [forecasts[n] for n in near]),
        brier=math.fsum((p - end) ** 2 for p, end in zip(forecasts, ends, strict=True)) / len(trials),
        tenths=_tenths(ends, forecasts),
    )


def area_under_curve(ends: Sequence[bool], forecasts: Sequence[float]) -> float:
    """Probability that a crash was given a higher forecast than a touch without one, ties counting half.

    From the rank sum (Mann and Whitney, 1947). Raises BadInput unless there are both.
    """
    crashes = sum(ends)
    others = len(ends) - crashes
    if not crashes or not others:
        raise BadInput(f"{crashes} crashes in {len(ends)} trials: no area under a curve")
    order = sorted(range(len(ends)), key=forecasts.__getitem__)
    rank_sum, first = 0.0, 0
    while first < len(order):
        last = first
        while last < len(order) and forecasts[order[last]] == forecasts[order[first]]:
            last += 1
        rank_sum += (first + last + 1) / 2 * sum(ends[n] for n in order[first:last])
        first = last
    return (rank_sum - crashes * (crashes + 1) / 2) / (crashes * others)


def _tenths(ends: Sequence[bool], forecasts: Sequence[float]) -> tuple[Tenth, ...]:
    found: list[list[int]] = [[] for _ in range(10)]
    for n, forecast in enumerate(forecasts):
        found[min(9, int(forecast * 10))].append(n)
    return tuple(
        Tenth(
            len(held),
            sum(forecasts[n] for n in held) / len(held) if held else math.nan,
            sum(ends[n] for n in held) / len(held) if held else math.nan,
        )
        for held in found
    )
