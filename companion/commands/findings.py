"""What the doctor finds: one line a part."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: a part, whether it is all right, what there is or what is wrong, and what to do about it.

    `there` is false for a part that this table or computer does not have, and need not have.
    """

    part: str
    ok: bool
    what: str
    remedy: str = ""
    there: bool = True

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        how = "WRONG" if not self.ok else "ok" if self.there else "not there"
        return f"{self.part}: {how}: {self.what}{'. ' if self.remedy else ''}{self.remedy}"


def fine(part: str, what: str) -> Finding:
    """A part that is all right."""
    return Finding(part, True, what)


def wrong(part: str, what: str, remedy: str) -> Finding:
    """A part with which something is to be done."""
    return Finding(part, False, what, remedy)


def absent(part: str, what: str) -> Finding:
    """A part that is not there, and is not missed."""
    return Finding(part, True, what, there=False)
