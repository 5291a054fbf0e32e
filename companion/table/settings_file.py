"""Changes values in a `table.toml`, and keeps everything else in it, comments too."""

import contextlib
import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from companion.errors import SenryakuError
from companion.table.settings import read_settings
from companion.table.toml_sections import BadSettings

Changes = Mapping[tuple[str, ...], Any]
"""New values by their keys, from the top: `("load_cells", "low", "offset_counts")`."""

HEADER = re.compile(r"^[ \t]*\[{1,2}[ \t]*[\w\"'][^\n,\[\]]*\]{1,2}[ \t]*(#[^\n]*)?$", re.MULTILINE)
"""The line with which a table begins; rows of a list over several lines have commas."""
TOKEN = re.compile(
    r"(?P<newline>\r?\n)|(?P<blank>[ \t]+)|(?P<comment>#[^\n]*)"
    r"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\[\]{}]|[^\s\[\]{}#"']+"""
)
"""A piece of a value: a text in quotes, a bracket, or what stands between."""


class CannotWrite(SenryakuError, OSError):
    """A settings file that could not be written; the message says which and why. What was there still is."""


def change_settings(file: Path, changes: Changes) -> Path:
    """Writes new values into a `table.toml`; gives the file beside it in which the old one is kept.

    The new file takes the old one's place in one step, after it was read back, so that a power cut leaves the one or
    the other.

    Raises:
        BadSettings: the file is bad, or would be with these values; it stays as it is.
        CannotWrite: it or its copy cannot be written.
    """
    file = file.resolve()
    read_settings(file, board_known=False)
    old = file.read_text(encoding="utf-8")
    new = changed_text(old, changes)
    kept, fresh = _free(file.with_name(file.name + ".bak")), file.with_name(f".{file.name}.new")
    try:
        _write(fresh, new)
        shutil.copymode(file, fresh)
        _read_back(fresh, changes)
        _write(kept, old)
        fresh.replace(file)
    except OSError as error:
        raise CannotWrite(f"{file}: cannot be written ({error.strerror or error}); nothing was changed") from error
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # some file systems cannot; the file is there all the same
        _sync(file.parent)
    _read_back(file, changes)
    return kept


def write_apart(file: Path, changes: Changes, apart: Path) -> None:
    """Writes the settings of a `table.toml` with new values into another file; the table's own stays as it is.

    Raises:
        BadSettings: the file is bad, or would be with these values.
        CannotWrite: the other file cannot be written.
    """
    read_settings(file, board_known=False)
    new = changed_text(file.read_text(encoding="utf-8"), changes)
    try:
        _write(apart, new)
    except OSError as error:
        raise CannotWrite(f"{apart}: cannot be written ({error.strerror or error}); nothing was changed") from error
    _read_back(apart, changes)


def _free(file: Path) -> Path:
    """The file, or the same with a number behind it where others are already there: what was kept once stays."""
    number, free = 1, file
    while free.exists():
        number += 1
        free = file.with_name(f"{file.name}{number}")
    return free


def changed_text(text: str, changes: Changes) -> str:
    """A TOML text with new values in place of the old ones; without its comments only if there is no other way."""
    wanted = tomllib.loads(text)
    for path, value in changes.items():
        inner = wanted
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = value
    edited = text
    for path, value in changes.items():
        edited = _with_value(edited, path[:-1], path[-1], value)
    with contextlib.suppress(tomllib.TOMLDecodeError):
        if tomllib.loads(edited) == wanted:
            return edited
    return tomli_w.dumps(wanted)


def _with_value(text: str, section: tuple[str, ...], key: str, value: Any) -> str:
    """The text with one value set, for tables written in the usual way; `changed_text` checks what came out."""
    line = f"{key} = {_inline(value)}"
    header = re.search(rf"^[ \t]*\[[ \t]*{re.escape('.'.join(section))}[ \t]*\][^\n]*(\n|\Z)", text, re.MULTILINE)
    if header is None:
        return f"{text.rstrip()}\n\n[{'.'.join(section)}]\n{line}\n"
    end = HEADER.search(text, header.end())
    stop = end.start() if end else len(text)
    there = re.compile(rf"^([ \t]*){re.escape(key)}[ \t]*=", re.MULTILINE).search(text, header.end(), stop)
    if there is None:
        before = text[: header.end()]
        return f"{before}{'' if header[1] else chr(10)}{line}\n{text[header.end() :]}"
    return f"{text[: there.start()]}{there[1]}{line}{text[_end_of_value(text, there.end()) :]}"


def _inline(value: Any) -> str:
    """A value on one line. What `tomli_w` spreads over several is a list."""
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return tomli_w.dumps({"key": value}).partition("=")[2].strip()


def _end_of_value(text: str, start: int) -> int:
    """Where the value that begins at `start` ends: before blanks and a comment, and after the last of its brackets."""
    depth, end = 0, start
    for token in TOKEN.finditer(text, start):
        if token["comment"] or token["blank"]:
            continue
        if token["newline"]:
            if depth == 0:
                break
            continue
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        end = token.end()
        if depth == 0 and token[0] in "]}":
            break
    return end


def _read_back(file: Path, changes: Changes) -> None:
    """Raises BadSettings unless the file is a good one and holds the new values."""
    read_settings(file)
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    for path, value in changes.items():
        inner: Any = values
        for key in path:
            inner = inner.get(key, {})
        if inner != value:
            raise BadSettings(f"{file}: {'.'.join(path)} does not read back as {value!r}")


def _write(file: Path, text: str) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
