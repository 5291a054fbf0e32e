"""Margins and risks as JSON values, and what is to be warned of, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from companion.balance import Outlook, Search, Step, WellRisk
from companion.rules import Side, well_name


def step_json(step: Step) -> dict[str, Any]:
    """One step as in the contract for `moves`."""
    return {
        "step": step.step,
        "margin_mm": round(step.margin_mm, 2),
        "sd_mm": round(step.sd_mm, 2),
        "risk": round(step.risk, 4),
    }


def well_json(well: WellRisk, level: float) -> dict[str, Any]:
    """One well that the hand may go to: the next touch there, and the risk of all that must follow it."""
    return {
        "well": well_name(well.well),
        **step_json(well.touch),
        "risk": round(well.risk, 4),
        "move": str(well.move),
        "warn": well.risk > level,
    }


def outlook_json(ahead: Outlook, side: Side, level: float) -> dict[str, Any]:
    """What lies before the player to move: wells by risk, the riskiest first; `least_risk` of the safest way on."""
    safest = ahead.safest
    return {
        "side": str(side),
        "in_hand": [well_name(well) for well in ahead.taken],
        "wells": [well_json(well, level) for well in ahead.wells],
        "safest": None if safest is None else str(safest.move),
        "least_risk": round(ahead.least_risk, 4),
        "warn_above": level,
    }


def search_json(search: Search) -> dict[str, Any]:
    """Forced crashes that were found, and how far the search can be trusted."""
    return {
        "moves": [
            {"move": str(f.move), "within": f.within, "least_risk": round(f.least_risk, 4)} for f in search.forced
        ],
        "depth": search.depth,
        "complete": not search.exhausted,
        "positions": search.nodes,
    }


def warnings_of(
    ahead: Outlook, side: Side, names: Mapping[Side, str], level: float, search: Search | None = None
) -> list[dict[str, Any]]:
    """What to warn of now, the gravest first, each `{"kind", "text", ...}`; empty where all is well.

    `no_safe_move`: whatever the player does is likelier than the level to crash; `step`: these touches are;
    `forced`: moves after which the opponent has no way out.
    """
    found: list[dict[str, Any]] = []
    risky = ahead.above(level)
    if risky and ahead.least_risk > level:
        what = "place for it" if ahead.taken else "move"
        text = f"{names[side]} has no safe {what}: at best {_percent(ahead.least_risk)} crash"
        found.append({"kind": "no_safe_move", "side": str(side), "risk": round(ahead.least_risk, 4), "text": text})
    elif risky:
        found.append({"kind": "step", "wells": [well_name(w.well) for w in risky], "text": _step_words(risky)})
    if search is not None and search.forced:
        moves = [str(f.move) for f in search.forced]
        deep = search.forced[0].within
        how = "at the next turn" if deep == 1 else f"within {deep} moves"
        text = f"{' or '.join(moves[:3])} forces {names[side.other]} to crash {how}"
        found.append({"kind": "forced", "moves": moves, "within": deep, "text": text})
    return found


def _step_words(risky: Sequence[WellRisk]) -> str:
    worst = risky[0]
    verbs = {"remove": "Removing", "lift": "Lifting", "place": "Placing on"}
    wells = " ".join(well_name(w.well) for w in risky[:4]) + (" ..." if len(risky) > 4 else "")
    what = f"{verbs[worst.touch.step]} {wells}"
    return f"{what}: {'up to ' if len(risky) > 1 else ''}{_percent(worst.risk)} crash"


def _percent(risk: float) -> str:
    return f"{round(100 * risk)}%" if risk < 0.995 else "certain"
