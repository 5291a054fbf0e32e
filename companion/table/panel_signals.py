"""What the panel on the table's edge shows and means: from the table's state to a lamp and a sound, from a button to
what is asked. Pure.

A button always means the same. A player's button stops the game and calls the referee; held, the player resigns. The
referee's button lets the game go on, or the next one begin; held, the last minute is kept as a recording.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from companion.log import Kind, TableState
from companion.rules import Side, Termination
from companion.table.requests import Pause, Request, Resign, Resume, StartGame
from firmware_bridge.panel import ATTENTION, CONFIRMED, CRASHED, Margin, Pattern

NEAR_MM = 1.0
"""Below this margin an ordinary touch can tip the board; the screens have the same."""
REFUSED = Pattern(0.04, 0.04, 4)
"""What was asked for by a button cannot be done now."""
WARNED = Pattern(0.08, 0.08, 2)
"""The sphere in hand may tip the board, or a hand is about to: short, as it comes before anything has happened."""
PLAYERS: Mapping[str, Side] = MappingProxyType({"white_button": Side.WHITE, "black_button": Side.BLACK})


@dataclass(frozen=True, slots=True)
class KeepLastMinute:
    """Something odd happened: what was seen and felt of late is to be kept."""


def lamp(state: TableState, live: Mapping[str, Any], warnings: str) -> Margin | None:
    """The lamp to be lit. Players see how near the board is to tipping only where `warnings` are for all."""
    game = state.game
    if game is not None and game.over is not None:
        return Margin.CRASH if game.over.termination is Termination.CRASH else None
    margin = live.get("margin_mm")
    if margin is None:
        return None
    if margin <= 0:
        return Margin.CRASH
    if warnings != "all" or game is None or state.paused is not None:
        return None
    learned = live.get("lamp")  # what is known of spheres and hands tells more than the margin alone
    if learned is not None:
        return Margin(learned)
    return Margin.NEAR if margin < NEAR_MM else Margin.SAFE


SOUNDS: Mapping[str, Pattern] = MappingProxyType(
    {
        Kind.CRASH: CRASHED,
        Kind.ILLEGAL: ATTENTION,
        Kind.QUESTION: ATTENTION,
        Kind.HELD: ATTENTION,
        Kind.PAUSE: ATTENTION,
        Kind.START: CONFIRMED,
        Kind.RESTORED: CONFIRMED,
        Kind.GAME_OVER: CONFIRMED,
    }
)
"""By the kind of event, the most urgent first. A legal move makes no sound."""


def sound(kinds: Iterable[str]) -> Pattern | None:
    """What is heard when these events have just been noted; only the most urgent."""
    there = set(kinds)
    return next((pattern for kind, pattern in SOUNDS.items() if kind in there), None)


def warning(before: Margin | None, now: Margin | None, state: TableState) -> Pattern | None:
    """What is heard when the lamp changes: a warning as the crash lamp lights in a game that goes on, once."""
    going_on = state.game is not None and state.game.over is None
    return WARNED if going_on and now is Margin.CRASH and before is not Margin.CRASH else None


def asked(button: str, held: bool, state: TableState) -> tuple[Request | KeepLastMinute, ...]:
    """What a pressed or held button asks for; nothing where there is nothing to do."""
    player = PLAYERS.get(button)
    if player is not None:
        if held:
            return (Resume(), Resign(player)) if state.paused is not None else (Resign(player),)
        return () if state.paused is not None else (Pause(player),)
    if held:
        return (KeepLastMinute(),)
    if state.paused is not None:
        return (Resume(),)
    return (StartGame(),) if state.game is None or state.game.over is not None else ()
