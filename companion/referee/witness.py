"""What may be said on whose word: the rules for when one witness is missing or faulty.

A witness counts while it is heard from and sound: the load cells unless they have been silent for a second or have had
a blinding fault for two (a slow drift blinds nobody), the camera unless its last picture is more than five seconds old.

both
    The referee says everything, where one explanation fits what both report. Where they contradict each other neither
    outvotes the other: he asks.
camera alone
    Moves, once they have stood a while or the opponent acts; spheres put where they may not go; the position put right.
    It sees neither a sphere rolled or set back, nor a held board, nor a crash: of these he says nothing.
load cells alone
    A held board; a crash while it is certain whose turn it is. Moves, and that one was illegal, he only asks, as the
    cells feel along one line only.
none
    Nothing. The referee's console starts the game, enters moves and ends it; all else works as ever.

`explain` and `crashes` weigh by these rules; `may_say` holds every ruling against them once more before it is made, and
what may not be said is asked.
"""

from enum import StrEnum

from companion.referee import odds
from companion.referee.rulings import Crash, Held, Illegal, Ruling
from companion.referee.state import RefereeState, Setup
from companion.rules import Reason
from firmware_bridge.faults import REMEDIES, PairFault, explanation


class Witnesses(StrEnum):
    """Who is there to be relied on."""

    BOTH = "both"
    CAMERA = "camera"
    LOAD_CELLS = "load_cells"
    NONE = "none"


def blinds(fault: str) -> bool:
    """Does this fault make what the cells say of lifts and placings worthless? A slow drift does not."""
    return fault == PairFault.SWAPPED or fault not in REMEDIES or explanation(fault).blinds


def witnesses(setup: Setup, state: RefereeState, t: float) -> Witnesses:
    """Who is to be relied on at the time `t`."""
    camera = camera_counts(setup, state, t)
    if loads_count(setup, state, t):
        return Witnesses.BOTH if camera else Witnesses.LOAD_CELLS
    return Witnesses.CAMERA if camera else Witnesses.NONE


def loads_count(setup: Setup, state: RefereeState, t: float) -> bool:
    """A fault that lasts is a lost witness; a short one is waited for."""
    load = state.load
    if not setup.loads or load is None or t - load.t > odds.LOADS_LOST_AFTER:
        return False
    return state.fault_since is None or t - state.fault_since < odds.FAULT_GRACE


def camera_counts(setup: Setup, state: RefereeState, t: float) -> bool:
    """Is there a picture, and a fresh one?"""
    return setup.camera and bool(state.pictures) and t - state.pictures[-1].t <= odds.CAMERA_LOST_AFTER


def may_say(who: Witnesses, ruling: Ruling) -> bool:
    """Whether this may be ruled on the word of these witnesses; else a person is asked."""
    if who is Witnesses.CAMERA:
        unseen = isinstance(ruling, Illegal) and (ruling.reason == Reason.ROLLED or ruling.move[:2] == ruling.move[3:])
        return not (unseen or isinstance(ruling, Held | Crash))
    return not (who is Witnesses.LOAD_CELLS and isinstance(ruling, Illegal))
