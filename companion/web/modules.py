"""Which modules a page's script needs in the end: named in the page, all come at once and not one after the other."""

import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"
IMPORT = re.compile(r'^import (?:[^;]+? from )?"\./([\w-]+\.js)";', re.MULTILINE)


@cache
def modules_of(name: str) -> tuple[str, ...]:
    """The files that a module imports, and those that these import, each once; without itself."""
    found: list[str] = []
    waiting = [name]
    while waiting:
        text = (STATIC / waiting.pop(0)).read_text(encoding="utf-8")
        new = [other for other in IMPORT.findall(text) if other not in found and other != name]
        found += new
        waiting += new
    return tuple(found)
