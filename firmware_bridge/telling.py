"""Verdicts put into load events."""

from firmware_bridge.events import LoadEvent, LoadEventKind
from firmware_bridge.excursion import Excursion
from firmware_bridge.levels import Level
from firmware_bridge.places import Places
from firmware_bridge.rolling import locate_roll
from firmware_bridge.steps import Meaning, Verdict

AGAIN_SD_MM = 2.5
"""How well a place is known that is read from a moment between two steps (one standard deviation)."""
AGAIN_CONFIDENCE = 0.7


def tell_step(now: float, contact_t: float, verdict: Verdict, places: Places, again: bool = False) -> LoadEvent:
    """A lift or a place. `again`: read from the samples afterwards, for want of a rest on both sides."""
    return LoadEvent(
        now,
        LoadEventKind.LIFT if verdict.meaning is Meaning.LIFT else LoadEventKind.PLACE,
        contact_t,
        verdict.mass_g,
        verdict.raw_mm / places.scale,
        confidence=AGAIN_CONFIDENCE if again else 0.98 if verdict.sure else 0.8,
        mass_sd_g=verdict.mass_sd_g,
        p_sd_mm=max(verdict.sd_mm, AGAIN_SD_MM) if again else verdict.sd_mm,
    )


def tell_roll(
    now: float, contact_t: float, verdict: Verdict, out: Excursion, after: Level, places: Places
) -> LoadEvent:
    """A roll, and from where to where as well as the hand that let go tells."""
    roll = locate_roll(out.levels, after, verdict.raw_mm / places.scale, verdict.mass_g, places)
    return LoadEvent(
        now,
        LoadEventKind.ROLL,
        contact_t,
        verdict.mass_g,
        roll.p_mm,
        roll.to_mm,
        roll.confidence,
        p_sd_mm=roll.sd_mm,
    )


def tell_foreign(now: float, contact_t: float, verdict: Verdict) -> LoadEvent:
    """Something that is no sphere in a well."""
    return LoadEvent(now, LoadEventKind.FOREIGN, contact_t, verdict.mass_g or None, verdict.raw_mm, confidence=0.7)
