"""What a table shows that is not in its log: loads and margin, what the camera sees, how the witnesses are."""

from collections.abc import Sequence
from typing import Any

from companion.balance import centre_from_loads, margin_from_loads
from companion.referee.hypotheses import LETTER_OF_CONTENT
from companion.referee.misplaced import Astray, misplaced
from companion.referee.state import Phase, RefereeState
from companion.rules import well_name
from companion.table.refereeing import Refereeing
from companion.table.witnesses import WitnessFault
from vision.reading import BoardReading, Content

PUZZLED_AFTER_S = 6.0
"""A hand that is still busy is gone by then (s)."""


def live_values(refereeing: Refereeing, t: float, faults: Sequence[WitnessFault]) -> dict[str, Any]:
    """JSON values; `misplaced` only while the game waits for the board to be put right."""
    load, reading = refereeing.load, refereeing.reading
    half_spacing_mm = refereeing.setup.half_spacing_mm
    low, high = (None, None) if load is None else (load.low_g, load.high_g)
    margin = centre = None
    if low is not None and high is not None and half_spacing_mm is not None and low + high > 0:
        margin = margin_from_loads(low, high, half_spacing_mm)
        centre = centre_from_loads(low, high, half_spacing_mm)
    state, grid = refereeing.state, refereeing.setup.grid
    seen = reading if reading is not None and reading.board_found else None
    astray, waits = out_of_place(state, seen), _waits(state)
    puzzled = len(astray) > 1 and _puzzled(state, t)
    return {
        "t": round(t, 2),
        "low_g": None if low is None else round(low, 1),
        "high_g": None if high is None else round(high, 1),
        "half_spacing_mm": half_spacing_mm,
        "margin_mm": None if margin is None else round(margin, 2),
        "centre_mm": None if centre is None else round(centre, 2),
        "touching": load is not None and load.touching,
        "in_hand": None if state.in_hand is None else well_name(state.in_hand),
        "reading": None
        if seen is None
        else {grid.name(well): content.word for well, content in enumerate(seen.likeliest())},
        "waits_for_board": waits or puzzled,
        "misplaced": [sphere.to_json() for sphere in astray] if waits or puzzled else [],
        "witnesses": {
            "load_cells": _health("load_cells", refereeing.setup.loads, faults),
            "camera": _health("camera", refereeing.setup.camera, faults),
        },
    }


def _waits(state: RefereeState) -> bool:
    """Is something to be put right on the board before the game goes on?"""
    return state.phase is Phase.RESTORING or (state.phase is Phase.PLAYING and state.waiting is not None)


def _puzzled(state: RefereeState, t: float) -> bool:
    """Has all of the board been in plain sight for a while, and looked like nothing that follows from the position?"""
    since = state.changed_since
    if state.phase is not Phase.PLAYING or since is None or t - since < PUZZLED_AFTER_S or not state.pictures:
        return False
    return state.pictures[-1].sees_all()


def out_of_place(state: RefereeState, seen: BoardReading | None) -> tuple[Astray, ...]:
    """Every sphere that the camera sees where it should not be, in the order in which they can be put right.

    What is hidden is taken to be right. Without a picture: what the last ruling left out of place.
    """
    right = state.position.letters()
    now = {well: LETTER_OF_CONTENT[content] for well, content in enumerate(state.standing) if content}
    if seen is not None:
        contents = seen.likeliest()
        letters = {w: right.get(w, "") if c is Content.HIDDEN else LETTER_OF_CONTENT[c] for w, c in enumerate(contents)}
        now = {well: letter for well, letter in letters.items() if letter}
    return misplaced(now, right, None if state.wrong is None else (state.wrong.to_well, state.wrong.from_well))


def _health(witness: str, there: bool, faults: Sequence[WitnessFault]) -> str:
    if not there:
        return "missing"
    return ", ".join(f.what for f in faults if f.witness == witness) or "ok"
