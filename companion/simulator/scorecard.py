"""Compares what the referee ruled with what the simulator knows happened, game by game."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

TOLD: dict[str, tuple[str, ...]] = {
    "move": ("player", "move"),
    "illegal": ("player", "move", "reason"),
    "restored": (),
    "held": ("player",),
    "crash": ("player", "step"),
    "game_over": ("winner", "termination", "points"),
}
"""The rulings that are compared, and by what."""


@dataclass(frozen=True, slots=True)
class GameCard:
    """One game as it happened and as it was ruled, a line for each ruling."""

    number: int
    happened: tuple[str, ...]
    ruled: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return self.happened == self.ruled

    @property
    def result(self) -> str:
        """How it ended, or that it did not."""
        return self.happened[-1] if self.happened and self.happened[-1].startswith("game_over") else "not finished"

    def first_difference(self) -> str:
        """Where the two part, in words; empty where they do not."""
        for n in range(max(len(self.happened), len(self.ruled))):
            was = self.happened[n] if n < len(self.happened) else "nothing"
            said = self.ruled[n] if n < len(self.ruled) else "nothing"
            if was != said:
                return f"ruling {n + 1}: happened {was}, ruled {said}"
        return ""


def compare(happened: Iterable[dict[str, Any]], ruled: Iterable[dict[str, Any]]) -> list[GameCard]:
    """Both in the shape of rulings (`kind` and what belongs to it); a `start` begins a game."""
    truth, log = _games(happened), _games(ruled)
    count = max(len(truth), len(log))
    return [GameCard(n + 1, _nth(truth, n), _nth(log, n)) for n in range(count)]


def _nth(games: Sequence[list[str]], n: int) -> tuple[str, ...]:
    return tuple(games[n]) if n < len(games) else ()


def _games(lines: Iterable[dict[str, Any]]) -> list[list[str]]:
    games: list[list[str]] = []
    for line in lines:
        kind = line["kind"]
        if kind == "start":
            games.append([])
        elif kind in TOLD:
            if not games:
                games.append([])
            games[-1].append(" ".join([kind, *(str(line.get(key)) for key in TOLD[kind])]))
    return games
