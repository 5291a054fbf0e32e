"""The rule behind a ruling, in words, for whoever wants to appeal against it."""

from collections.abc import Mapping
from typing import Any

ONE_WELL = "A turn is one move of one of one's own spheres by one well: forward, sideways or diagonally forward."
TOUCHED = "A lifted sphere must be moved; setting it back where it came from is not a move."
REASONS = {
    "backward": f"{ONE_WELL} Never backward.",
    "too_far": f"{ONE_WELL} No jumping.",
    "same_sphere_twice": "A plain sphere may not move in two of its player's turns running.",
    "opponents_sphere": ONE_WELL,
    "not_your_turn": "The players move in turn.",
    "plain_capture": "Only coloured spheres are captured.",
    "rolled": "A sphere must be lifted, not rolled.",
    "put_back": TOUCHED,
    "occupied": "The well that a sphere moves to is empty, except for a capture.",
}
ENDINGS = {
    "capture": "Whoever captures the opponent's coloured sphere wins the game.",
    "crash": "Whoever tips the board loses the game.",
    "no_move": "Whoever is to move and has no legal move loses the game.",
    "forfeit": "Whoever holds or resets the board during play, or breaks the rules too often, can lose the game by it.",
    "resignation": "A player may concede the game.",
    "void": "A game that repeats itself can be called void; nobody wins it.",
}
KINDS = {
    "start": "A game begins with both back ranks filled, the coloured spheres in the middle.",
    "move": ONE_WELL,
    "restored": "An illegal move does not lose: the position is put right, and the game goes on.",
    "held": "The board may not be held or reset during play.",
    "crash": "A crash counts against the player whose turn it is, from the first lift until the opponent's first lift.",
    "question": "What is not certain is not ruled but asked.",
    "correct": "The referee can set the position at any time.",
}


def rule_of(kind: str, payload: Mapping[str, Any]) -> str:
    """One or two sentences; empty where there is no rule behind an event."""
    if kind == "illegal":
        return REASONS.get(str(payload.get("reason")), ONE_WELL)
    if kind == "game_over":
        return ENDINGS.get(str(payload.get("termination")), "")
    return KINDS.get(kind, "")
