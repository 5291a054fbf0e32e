"""`verify`: is a log whole?"""

from pathlib import Path

import click

from companion.commands.output import json_option, print_json, stdout
from companion.errors import BadInput
from companion.log import verify as verify_log

SQLITE_HEAD = b"SQLite format 3\0"
"""How every SQLite file begins (SQLite's file format)."""


@click.command()
@click.argument("log_file", metavar="LOG", type=click.Path(path_type=Path))
@json_option
def verify(log_file: Path, as_json: bool) -> int:
    """Check the chain of a log: nothing missing, nothing changed. Exit 1 if something is."""
    _refuse_what_is_no_log(log_file)
    problems = verify_log(log_file)
    if as_json:
        told = [{"seq": problem.seq, "what": problem.what} for problem in problems]
        print_json({"log": str(log_file), "whole": not problems, "problems": told})
    for problem in () if as_json else problems:
        stdout.print(str(problem), markup=False)
    if not as_json and not problems:
        stdout.print(f"{log_file}: whole", markup=False)
    return 1 if problems else 0


def _refuse_what_is_no_log(file: Path) -> None:
    """A file that never was a log is a mistake in the command, not a broken log."""
    try:
        with file.open("rb") as opened:
            head = opened.read(len(SQLITE_HEAD))
    except OSError as error:
        raise BadInput(
            f"{file}: cannot be read ({error.strerror}); give the log of a table, such as demo.db"
        ) from error
    if head != SQLITE_HEAD:
        raise BadInput(f"{file}: is no log; give the log of a table, such as demo.db")
