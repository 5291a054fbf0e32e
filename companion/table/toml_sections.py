"""Reads a TOML file section by section, and refuses by name whatever it does not know."""

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from companion.errors import BadInput

MOST = 1e9
"""The largest number that any setting can mean."""


class BadSettings(BadInput):
    """A settings file that cannot be used: the message names the file, the key and what would be right."""


def is_number(value: Any) -> bool:
    """Neither a truth value, which Python counts among the numbers, nor `nan`, `inf` or what no length or weight is."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST


class Section:
    """One table of a TOML file. Every getter marks its key as known; `finish` refuses the others."""

    def __init__(self, file: Path, name: str, values: dict[str, Any]) -> None:
        self.file = file
        self.name = name
        self._values = values
        self._known: list[str] = []

    @classmethod
    def read(cls, file: Path) -> "Section":
        """The whole file as a section without a name. Raises `BadSettings` where it is missing or no TOML."""
        try:
            return cls(file, "", tomllib.loads(file.read_text(encoding="utf-8")))
        except OSError as error:
            raise BadSettings(f"{file}: cannot be read ({error.strerror}); give a table.toml") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadSettings(f"{file}: not a TOML file: {error}") from error

    def bad(self, key: str, problem: str) -> BadSettings:
        """An error about one key of this section."""
        place = f"[{self.name}] {key}" if self.name else key
        return BadSettings(f"{self.file}: {place}: {problem}")

    def has(self, key: str) -> bool:
        return key in self._values

    def section(self, key: str) -> "Section":
        """A table inside this one; empty where it is absent."""
        value = self._take(key, {})
        if not isinstance(value, dict):
            raise self.bad(key, f"should be a table, not {value!r}")
        return Section(self.file, f"{self.name}.{key}" if self.name else key, value)

    def number(self, key: str, default: float, low: float = -MOST, high: float = MOST) -> float:
        value = self._take(key, default)
        if not is_number(value) or not low <= value <= high:
            raise self.bad(key, f"should be a number from {low:g} to {high:g}, not {value!r}")
        return float(value)

    def optional_number(self, key: str, low: float, high: float) -> float | None:
        return self.number(key, low, low, high) if self.has(key) else self._take(key, None)

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        value = self._take(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.bad(key, f"should be a whole number from {low} to {high}, not {value!r}")
        return value

    def optional_whole(self, key: str, low: int, high: int) -> int | None:
        return self.whole(key, low, low, high) if self.has(key) else self._take(key, None)

    def text(self, key: str, default: str) -> str:
        value = self._take(key, default)
        if not isinstance(value, str):
            raise self.bad(key, f"should be a text in quotes, not {value!r}")
        return value

    def choice(self, key: str, default: str, allowed: Iterable[str]) -> str:
        allowed = list(allowed)
        value = self.text(key, default)
        if value not in allowed:
            raise self.bad(key, f"{value!r} is not one of {', '.join(allowed)}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self._take(key, default)
        if not isinstance(value, bool):
            raise self.bad(key, f"should be true or false, not {value!r}")
        return value

    def numbers(self, key: str, default: Sequence[float], count: tuple[int, ...] = ()) -> tuple[float, ...]:
        """A list of numbers; `count` are the lengths it may have, any where empty."""
        value = self._take(key, list(default))
        if not isinstance(value, list) or not all(is_number(v) for v in value):
            raise self.bad(key, f"should be a list of numbers, not {value!r}")
        if count and len(value) not in count:
            raise self.bad(key, f"should hold {' or '.join(map(str, count))} numbers, it holds {len(value)}")
        return tuple(float(v) for v in value)

    def texts(self, key: str, default: Sequence[str]) -> tuple[str, ...]:
        value = self._take(key, list(default))
        if not isinstance(value, list) or any(not isinstance(v, str) for v in value):
            raise self.bad(key, f"should be a list of texts, not {value!r}")
        return tuple(value)

    def matrix(self, key: str) -> tuple[tuple[float, float, float], ...] | None:
        """A 3x3 list of lists, None where it is absent."""
        value = self._take(key, None)
        if value is None:
            return None
        rows = value if isinstance(value, list) else []
        if len(rows) != 3 or any(not isinstance(row, list) or len(row) != 3 for row in rows):
            raise self.bad(key, "should be three rows of three numbers")
        if not all(is_number(v) for row in rows for v in row):
            raise self.bad(key, "should be three rows of three numbers")
        return tuple((float(a), float(b), float(c)) for a, b, c in rows)

    def points(self, key: str, count: int) -> tuple[tuple[float, float], ...] | None:
        """A list of `count` points [x, y], None where it is absent."""
        value = self._take(key, None)
        if value is None:
            return None
        points = value if isinstance(value, list) else []
        if len(points) != count or any(
            not isinstance(p, list) or len(p) != 2 or not all(is_number(v) for v in p) for p in points
        ):
            raise self.bad(key, f"should be {count} points [x, y], not {value!r}")
        return tuple((float(x), float(y)) for x, y in points)

    def free(self, key: str) -> dict[str, Any]:
        """A table whose keys are data, not settings."""
        value = self._take(key, {})
        if not isinstance(value, dict):
            raise self.bad(key, f"should be a table, not {value!r}")
        return value

    def finish(self) -> None:
        """Refuses the first key that no getter asked for."""
        for key in self._values:
            if key not in self._known:
                raise self.bad(key, f"unknown; known here: {', '.join(sorted(self._known)) or 'nothing'}")

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        return self._values.get(key, default)
