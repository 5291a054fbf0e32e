"""How a game ends, what it is worth, and the match that it is part of."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from companion.errors import BadInput
from companion.rules.moves import legal_moves
from companion.rules.position import Position
from companion.rules.wells import Side

MAX_SETTING = 99
"""Largest number of track steps, points and counts that can be set (rules of the match)."""


class Termination(StrEnum):
    """How a game ended."""

    CAPTURE = "capture"
    CRASH = "crash"
    NO_MOVE = "no_move"
    FORFEIT = "forfeit"
    RESIGNATION = "resignation"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game; a void game has no winner and no points, any other has a winner."""

    winner: Side | None
    termination: Termination
    points: int

    def __post_init__(self) -> None:
        if (self.winner is None) != (self.termination is Termination.VOID):
            raise BadInput(f"outcome {self.termination}: winner is {self.winner}; only a void game has none")
        if self.points < 0 or (self.winner is None and self.points):
            raise BadInput(f"outcome {self.termination}: {self.points} points; 0 or more, and 0 for a void game")


@dataclass(frozen=True, slots=True)
class MatchRules:
    """Settings of a match. Raises BadInput naming the setting and what it may be."""

    first: Side = Side.WHITE
    alternate_first: bool = True
    track_steps: int = 7
    capture_points: int = 2
    crash_points: int = 1
    no_move_points: int = 1
    forfeit_points: int = 1
    resignation_points: int = 1
    void_at_repetition: int | None = None
    illegal_moves_forfeit: int | None = None
    holding_forfeits: bool = False

    def __post_init__(self) -> None:
        if self.first not in tuple(Side):
            raise BadInput(f"first is {self.first!r}; it must be 'white' or 'black'")
        # A setting read from JSON or TOML is a plain string; from here on it is a Side.
        object.__setattr__(self, "first", Side(self.first))
        for name in ("alternate_first", "holding_forfeits"):
            if not isinstance(getattr(self, name), bool):
                raise BadInput(f"{name} is {getattr(self, name)!r}; it must be true or false")
        _check_number("track_steps", self.track_steps, 1)
        for termination in Termination:
            if termination is not Termination.VOID:
                _check_number(f"{termination}_points", self.points(termination), 0)
        if self.void_at_repetition is not None:
            _check_number("void_at_repetition", self.void_at_repetition, 2)
        if self.illegal_moves_forfeit is not None:
            _check_number("illegal_moves_forfeit", self.illegal_moves_forfeit, 1)

    def points(self, termination: Termination) -> int:
        """Match points for the winner of a game that ended so."""
        if termination is Termination.VOID:
            return 0
        points: int = getattr(self, f"{termination.value}_points")
        return points

    def outcome(self, termination: Termination, winner: Side | None = None) -> Outcome:
        """The end of a game under these rules; raises BadInput if a winner is missing, or given for a void game."""
        return Outcome(winner, termination, self.points(termination))


def _check_number(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_SETTING:
        raise BadInput(f"{name} is {value!r}; it must be a whole number from {least} to {MAX_SETTING}")


_DEFAULT_RULES = MatchRules()


def outcome(position: Position, rules: MatchRules = _DEFAULT_RULES) -> Outcome | None:
    """How the game has ended in this position, None if it goes on.

    Only capture and no_move can be seen in a position; all other endings come from outside.
    """
    loser = position.captured
    if loser is not None:
        return rules.outcome(Termination.CAPTURE, loser.other)
    if not legal_moves(position):
        return rules.outcome(Termination.NO_MOVE, position.side.other)
    return None


@dataclass(frozen=True, slots=True)
class Match:
    """The scoring board: how many steps each player's sphere has advanced, and how many games have been played."""

    rules: MatchRules = _DEFAULT_RULES
    white: int = 0
    black: int = 0
    games: int = 0

    def __post_init__(self) -> None:
        steps = self.rules.track_steps
        for side, value in ((Side.WHITE, self.white), (Side.BLACK, self.black)):
            if not 0 <= value <= steps:
                raise BadInput(f"{side}'s steps are {value}; the track has 0 to {steps}")
        if self.white == self.black == steps:
            raise BadInput(f"both players stand at the end of the track ({steps} steps); only one can")
        if self.games < 0:
            raise BadInput(f"games are {self.games}; it must be 0 or more")

    def after(self, outcome: Outcome) -> "Match":
        """The match after one more game; points beyond the end of the track are not carried.

        A void game counts as played, so the right to begin passes on. Raises BadInput if the match is over.
        """
        if self.winner is not None:
            raise BadInput(f"the match is over, {self.winner} has won; start a new one")
        end = self.rules.track_steps
        games = self.games + 1
        if outcome.winner is Side.WHITE:
            return replace(self, white=min(self.white + outcome.points, end), games=games)
        if outcome.winner is Side.BLACK:
            return replace(self, black=min(self.black + outcome.points, end), games=games)
        return replace(self, games=games)

    def steps(self, side: Side) -> int:
        """How many steps a player's sphere has advanced."""
        return self.white if side is Side.WHITE else self.black

    @property
    def winner(self) -> Side | None:
        """Whoever has reached the place where the opponent's sphere started."""
        return next((side for side in Side if self.steps(side) >= self.rules.track_steps), None)

    @property
    def over(self) -> bool:
        """Whether somebody has won the match."""
        return self.winner is not None

    @property
    def first_of_next_game(self) -> Side:
        """Who begins the next game."""
        first = self.rules.first
        return first.other if self.rules.alternate_first and self.games % 2 else first


def repetitions(positions: Iterable[Position]) -> int:
    """How often the last position's placement with the same side to move has occurred, itself included; 0 if empty."""
    keys = [(position.boards, position.side) for position in positions]
    return keys.count(keys[-1]) if keys else 0
