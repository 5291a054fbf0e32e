"""A finished game gone through again: every move's margins and risks, what was missed, and the move that lost it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.balance import (
    NEW_HAND,
    Hand,
    Learned,
    MoveRisk,
    all_moves,
    forced_crashes,
    rearranged,
)
from companion.balance.learned import BOARD_MASS, HALF_SPACING
from companion.rules import Move, Position, Side, Termination, legal_moves, normalised, play
from companion.table.game_record import GameRecord, Made
from companion.table.risk_words import step_json

LIKELY = 0.5
"""Likelier than not: a capture that is likelier to succeed wins, a move that is likelier to crash is none."""
NEAR_MISS_MM = 0.4
"""A touch during which the margin fell below this was nearly a crash."""
SEARCHED = 400
"""Positions looked at for a forced crash after each move that might have saved the game."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture that was possible and not made, with its crash risk (None without load cells)."""

    move: str
    risk: float | None


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of the game.

    `made` is what is known of it by hindsight, `foretold` its risk as it was said before it was made, `felt_mm` the
    least margin during each of its touches, `safest` the move that would have been least likely to crash.
    """

    n: int
    player: Side
    move: str
    made: MoveRisk | None
    foretold: float | None
    felt_mm: tuple[float | None, ...]
    safest: MoveRisk | None
    missed: tuple[Capture, ...]

    @property
    def near_miss(self) -> bool:
        """Whether the board nearly tipped: it was felt, or it was likelier than not."""
        felt = any(mm is not None and mm < NEAR_MISS_MM for mm in self.felt_mm)
        return felt or (self.made is not None and self.made.risk > LIKELY)

    def to_json(self) -> dict[str, Any]:
        """One entry of the analysis."""
        steps = () if self.made is None else self.made.steps
        felt = self.felt_mm or (None,) * len(steps)
        return {
            "n": self.n,
            "player": str(self.player),
            "move": self.move,
            "steps": [
                {**step_json(s), "least_mm": None if mm is None else round(mm, 2)}
                for s, mm in zip(steps, felt, strict=False)
            ],
            "risk": None if self.made is None else round(self.made.risk, 4),
            "foretold": self.foretold,
            "safest": None
            if self.safest is None
            else {"move": str(self.safest.move), "risk": round(self.safest.risk, 4)},
            "missed_captures": [
                {"move": c.move, "risk": None if c.risk is None else round(c.risk, 4)} for c in self.missed
            ],
            "near_miss": self.near_miss,
        }


@dataclass(frozen=True, slots=True)
class Blunder:
    """The move that lost the game: `n` its number (one more than the moves made where the crash came instead of one).

    `better` is a move that would not have lost so soon, None where none could be found.
    """

    n: int
    player: Side
    move: str | None
    why: str
    better: str | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """A whole game."""

    record: GameRecord
    plies: tuple[Ply, ...]
    lost_by: Blunder | None

    def to_json(self) -> dict[str, Any]:
        """All of it in JSON values."""
        record, known, lost = self.record, self.record.known, self.lost_by
        over = record.over
        return {
            "white": record.names[Side.WHITE],
            "black": record.names[Side.BLACK],
            "start": record.start.text(),
            "over": None
            if over is None
            else {"winner": None if over.winner is None else str(over.winner), "termination": str(over.termination)},
            "known": None
            if known is None
            else {
                "half_spacing_mm": round(known.values[HALF_SPACING], 2),
                "board_g": round(known.values[BOARD_MASS], 1),
                "sphere_g": round(sum(known.masses_g) / len(known.masses_g), 2),
            },
            "moves": [ply.to_json() for ply in self.plies],
            "crash": None if record.crash is None else dict(record.crash),
            "lost_by": None
            if lost is None
            else {
                "n": lost.n,
                "player": str(lost.player),
                "move": lost.move,
                "why": lost.why,
                "better": lost.better,
            },
        }


def analysed(record: GameRecord) -> Analysis:
    """Goes through a game with what was known of the board at its end."""
    boards = _boards(record)
    plies = tuple(_ply(record, n, made, boards[n - 1]) for n, made in enumerate(record.moves, start=1))
    return Analysis(record, plies, _lost_by(record, boards))


def _boards(record: GameRecord) -> list[Learned | None]:
    """What was known at the end, with the spheres as they stood before each move and after the last."""
    known = record.known
    if known is None:
        return [None] * (len(record.moves) + 1)
    known = _standing(known, record.end)
    boards = [known]
    for made in reversed(record.moves):
        known = _standing(_taken_back(known, made), made.before)
        boards.append(known)
    return list(reversed(boards))


def _taken_back(known: Learned, made: Made) -> Learned:
    move = Move.parse(made.move)
    standing = [move.from_well if well == move.to_well else well for well in known.standing]
    enemy = "B" if made.player is Side.WHITE else "W"
    if move.capture and enemy in known.letters and standing[known.letters.index(enemy)] is None:
        standing[known.letters.index(enemy)] = move.to_well
    return replace(known, standing=tuple(standing))


def _standing(known: Learned, position: Position) -> Learned:
    letters = position.letters()
    thought = {w: of for w, of in zip(known.standing, known.letters, strict=True) if w is not None}
    return known if thought == letters else rearranged(known, letters)


def _hand(record: GameRecord, side: Side) -> Hand:
    return record.hands.get(record.names[side], NEW_HAND)


def _risks(record: GameRecord, position: Position, known: Learned | None) -> tuple[MoveRisk, ...]:
    if known is None:
        return ()
    return all_moves(known.balance(), position, _hand(record, position.side))


def _ply(record: GameRecord, n: int, made: Made, known: Learned | None) -> Ply:
    move = normalised(made.before, Move.parse(made.move))
    risks = _risks(record, made.before, known)
    missed = []
    if not move.capture:
        chances = {m.move: m.risk for m in risks}
        missed = [Capture(str(m), chances.get(m)) for m in legal_moves(made.before) if m.capture]
    report = made.balance or {}
    steps = report.get("steps", [])
    return Ply(
        n,
        made.player,
        made.move,
        next((m for m in risks if m.move == move), None),
        report.get("risk"),
        tuple(step.get("least_mm") for step in steps),
        min(risks, key=lambda m: m.risk, default=None),
        tuple(missed),
    )


def _lost_by(record: GameRecord, boards: Sequence[Learned | None]) -> Blunder | None:
    """The loser's last move for which there was a better one: after that, nothing helped any more."""
    over = record.over
    if over is None or over.winner is None or over.termination not in ENDS:
        return None
    loser = over.winner.other
    crashed = _crash_blunder(record, boards[-1], loser)
    if crashed is not None:
        return crashed
    for n in range(len(record.moves), 0, -1):
        made = record.moves[n - 1]
        if made.player is loser:
            better = _better(record, made, boards[n - 1])
            if better is not None:
                why = f"after it {record.names[loser]} could no longer help {ENDS[over.termination]}"
                return Blunder(n, loser, made.move, why, better)
    return None


ENDS = {
    Termination.CRASH: "crashing",
    Termination.CAPTURE: "the capture",
    Termination.NO_MOVE: "having no move left",
}


def _crash_blunder(record: GameRecord, known: Learned | None, loser: Side) -> Blunder | None:
    """The crash itself, where a move was there that was not likely to tip the board."""
    crash = record.crash
    if crash is None:
        return None
    n, step = len(record.moves) + 1, crash.get("step", "touch")
    safe = min(_risks(record, record.end, known), key=lambda m: m.risk, default=None)
    if known is not None and safe is not None and safe.risk <= LIKELY and record.end.side is loser:
        why = f"the board tipped on the {step}; {safe.move} was there with {safe.risk:.0%} crash risk"
        return Blunder(n, loser, None, why, str(safe.move))
    if known is None:
        return Blunder(n, loser, None, f"the board tipped on the {step}", None)
    return None


def _better(record: GameRecord, made: Made, known: Learned | None) -> str | None:
    """Another move, itself likely to succeed, after which the opponent neither captures nor forces a crash at once."""
    actual = normalised(made.before, Move.parse(made.move))
    risks: Mapping[Move, float] = {m.move: m.risk for m in _risks(record, made.before, known)}
    for move in sorted(legal_moves(made.before), key=lambda m: risks.get(m, 0.0)):
        if move == actual or risks.get(move, 0.0) > LIKELY:
            continue
        if move.capture or not _loses(record, play(made.before, move), known, move):
            return str(move)
    return None


def _loses(record: GameRecord, position: Position, known: Learned | None, move: Move) -> bool:
    """Whether the side that is to move now can win at once: by a capture, or by forcing a crash."""
    captures = [m for m in legal_moves(position) if m.capture]
    if known is None:
        return bool(captures)
    standing = tuple(move.to_well if well == move.from_well else well for well in known.standing)
    after = replace(known, standing=standing)
    risks = {m.move: m.risk for m in _risks(record, position, after)}
    if any(risks[m] <= LIKELY for m in captures):
        return True
    hands = {side: _hand(record, side) for side in Side}
    return bool(forced_crashes(after.balance(), position, hands, SEARCHED, deepest=1).forced)
