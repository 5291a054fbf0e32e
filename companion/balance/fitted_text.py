"""Source of the module that ships what was fitted, so that anyone can fit again and see what changed."""

import textwrap
from dataclasses import fields
from typing import Any

from companion.balance.hands import Experience

_WIDTH = 120

_HEADER = '''"""What many touches taught: the fitted numbers, and nothing else. Written by a program: see `fitting.py`.

Fitted to the boards marked `fit` of some thousand simulated trials (rigid-body physics, six hands of different habits,
half spacings of 4 to 12 mm, boards of 320 to 900 g, spheres of 18 to 41 g). Placings stand before lifts everywhere,
kinds in the order clean, drop, slam, nudge, press.
"""

from companion.balance.hands import Experience, StrengthSeen
from companion.balance.kinds import Tipping

# fmt: off
'''

_NOTES = {
    "tipping": """Thresholds of each kind, in standard deviations; the powers belong to the terms that `kinds.TERMS`
names (natural logarithms of mm, grams and gram mm). Fitted with each touch's strength known.""",
    "shares": "How often an average hand does what.",
    "shares_weight": "How many touches that is worth against what is seen of a player.",
    "level_sd": "Spread of the hands' levels of strength, natural logarithm: they differ by a third either way.",
    "kind_odds": """Log odds of each kind against a clean touch, as quadratic forms of the fingerprint (no unit):
where the board stood and where it tipped, each by kind.""",
    "strength_seen": """How strong a touch of each kind was beside the middle of its kind (natural logarithm), as
quadratic forms of the fingerprint.""",
    "touching": """Log odds that the board will tip, as quadratic forms of the fingerprint and of the logarithms of the
near and the far hold after the step (gram mm) and of the lever (mm): no cell free, the far one free, the
near one free.""",
}


def module_text(experience: Experience) -> str:
    """The text of `fitted.py`; numbers to five digits."""
    lines = [_HEADER]
    for name, note in _NOTES.items():
        lines += [f"_{name.upper()} = {_source(getattr(experience, name), '')}", f'"""{note}"""', ""]
    lines += ["EXPERIENCE = Experience(", *(f"    {name}=_{name.upper()}," for name in _NOTES), ")"]
    return "\n".join([*lines, '"""What is known of touches before any player has been watched."""', ""])


def _source(value: Any, indent: str) -> str:
    """Python source of nested tuples, numbers and records."""
    inner = indent + "    "
    if value is None:
        return "None"
    if isinstance(value, float):
        return repr(float(f"{value:.5g}"))
    if isinstance(value, tuple):
        items = [_source(item, inner) for item in value]
        if all(isinstance(item, float) for item in value):
            room = _WIDTH - len(indent) - 12
            return textwrap.fill(f"({', '.join(items)})", room, subsequent_indent=inner, break_on_hyphens=False)
        return "\n".join(["(", *(f"{inner}{item}," for item in items), f"{indent})"])
    parts = [f"{inner}{field.name}={_source(getattr(value, field.name), inner)}," for field in fields(value)]
    return "\n".join([f"{type(value).__name__}(", *parts, f"{indent})"])
