"""`replay`: the referee over a recording."""

import time
from pathlib import Path

import click

from companion.commands.output import FiniteFloat, json_option, print_json, stderr, stdout
from companion.referee.words import in_words
from companion.table.pacing import paced
from companion.table.recording import Recording
from companion.table.refereeing import Refereeing, rulings

NEVER_BEGUN = (
    "nothing was ruled, as the start position was never seen; a recording begins with all spheres in their places"
)


@click.command()
@click.argument("folder", metavar="RECORDING", type=click.Path(path_type=Path))
@click.option("--speed", type=FiniteFloat(min=0.01), help="Times real time; as fast as it can be read without it.")
@json_option
def replay(folder: Path, speed: float | None, as_json: bool) -> None:
    """Let the referee watch a recording, and print the rulings."""
    recording = Recording.open(folder)
    refereeing = Refereeing.of(
        recording.settings,
        recording.beginning(),
        loads=recording.loads,
        camera=recording.camera,
        empty=recording.empty(),
    )
    items = recording.items()
    if speed is not None:
        items = paced(items, speed, time.monotonic, time.sleep)
    begun = False
    for ruling in rulings(refereeing, items):
        begun = True
        if as_json:
            print_json(ruling.to_json())
        else:
            stdout.print(f"{ruling.t:9.2f} s  {in_words(ruling)}", markup=False)
    if not begun:
        stderr.print(f"{folder}: {NEVER_BEGUN}", markup=False)
