"""`verify`: is a log whole?"""

from pathlib import Path

import click

from companion.commands.output import json_option, print_json, stdout
from companion.log import verify as verify_log


@click.command()
@click.argument("log_file", metavar="LOG", type=click.Path(path_type=Path))
@json_option
def verify(log_file: Path, as_json: bool) -> int:
    """Check the chain of a log: nothing missing, nothing changed. Exit 1 if something is."""
    problems = verify_log(log_file)
    if as_json:
        print_json({"log": str(log_file), "whole": not problems, "problems": list(problems)})
    for problem in () if as_json else problems:
        stdout.print(problem, markup=False)
    if not as_json and not problems:
        stdout.print(f"{log_file}: whole", markup=False)
    return 1 if problems else 0
