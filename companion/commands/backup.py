"""`backup` and `restore`: all logs of a table as one file, and back."""

import time
from datetime import datetime
from pathlib import Path

import click

from companion.commands.backup_files import read_backup, write_backup
from companion.commands.output import json_option, print_json, stdout
from companion.table.data_folder import data_folder
from companion.table.settings import read_settings

folder_option = click.option("--log-folder", "folder", type=click.Path(path_type=Path), help="Where the logs are kept.")


@click.command()
@click.argument("target", metavar="FOLDER|FILE.zip", type=click.Path(path_type=Path))
@click.option(
    "--table", "table_file", type=click.Path(path_type=Path), help="Copy this table.toml and its pictures too."
)
@click.option("--no-evidence", is_flag=True, help="Leave out pictures and loads around rulings: a small file.")
@folder_option
@json_option
def backup(target: Path, table_file: Path | None, no_evidence: bool, folder: Path | None, as_json: bool) -> None:
    """Copy every log, its evidence and the table's settings into one zip file, also while a table runs.

    Given a folder, such as that of a USB stick, the file is named after the day and time.
    """
    if table_file is not None:
        read_settings(table_file, board_known=False)
    now = time.time()
    file = target if target.suffix == ".zip" else target / f"senryaku-{datetime.fromtimestamp(now):%Y%m%d-%H%M%S}.zip"
    copied = write_backup(folder or data_folder(), file, table_file, now, not no_evidence)
    if as_json:
        print_json({"file": str(copied.file), "logs": copied.events, "evidence": copied.evidence})
        return
    for name, events in copied.events.items():
        stdout.print(f"{name}: {events} {_what(name)}", markup=False)
    stdout.print(f"{copied.evidence} pieces of evidence; all in {copied.file}, read back and whole", markup=False)


@click.command()
@click.argument("archive", metavar="FILE.zip", type=click.Path(path_type=Path))
@click.option("--table-folder", type=click.Path(path_type=Path), help="Put table.toml and its pictures there too.")
@click.option("--replace", is_flag=True, help="Replace logs that are there; they are kept as NAME.db.before.")
@folder_option
@json_option
def restore(archive: Path, table_folder: Path | None, replace: bool, folder: Path | None, as_json: bool) -> None:
    """Put the logs of a backup back. Every one is checked before anything is changed. Stop the table first."""
    copied = read_backup(archive, folder or data_folder(), table_folder, replace)
    if as_json:
        print_json({"file": str(copied.file), "logs": copied.events, "evidence": copied.evidence})
        return
    for name, events in copied.events.items():
        stdout.print(f"{name}: {events} {_what(name)} restored", markup=False)


def _what(name: str) -> str:
    return "games" if name.endswith(".try4.db") else "events"
