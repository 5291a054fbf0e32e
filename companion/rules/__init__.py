"""The rules of Senryaku and of a match: pure, no I/O, no clock."""

from companion.rules.match import Match, MatchRules, Outcome, Termination, outcome, repetitions
from companion.rules.moves import IllegalMove, Move, Reason, legal_moves, normalised, play, why_illegal
from companion.rules.perft import perft
from companion.rules.position import Position
from companion.rules.position_text import InvalidPosition
from companion.rules.wells import N_WELLS, Side, parse_well, well_name

__all__ = [
    "N_WELLS",
    "IllegalMove",
    "InvalidPosition",
    "Match",
    "MatchRules",
    "Move",
    "Outcome",
    "Position",
    "Reason",
    "Side",
    "Termination",
    "legal_moves",
    "normalised",
    "outcome",
    "parse_well",
    "perft",
    "play",
    "repetitions",
    "well_name",
    "why_illegal",
]
