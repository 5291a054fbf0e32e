"""The `senryaku` command: finds the subcommand, and turns every error into one line."""

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import click

from companion.errors import BadInput, SenryakuError

COMMANDS = {
    "demo": ("companion.commands.demo", "Play a match on a simulated table, with the scoring board."),
    "run": ("companion.commands.run", "Referee a real table, with the scoring board."),
    "pair": ("companion.commands.pair", "Tell the code that makes a device the referee's."),
    "replay": ("companion.commands.replay", "Let the referee watch a recording."),
    "record": ("companion.commands.record", "Record what cells and camera give, or keep the last minute."),
    "moves": ("companion.commands.rules", "List the legal moves, with margins and crash risk."),
    "check": ("companion.commands.rules", "Say whether a move is legal, and if not why."),
    "perft": ("companion.commands.rules", "Count the sequences of moves."),
    "read-board": ("companion.commands.sensors", "Say what stands in each well on a picture."),
    "read-tiles": ("companion.commands.tiles", "Say which tile lies in each cell of a Try 4 mat."),
    "score-tiles": ("companion.commands.tiles", "Score a Try 4 game written as text."),
    "print": ("companion.commands.printables", "Write markers, scoring board, Try 4 mat or tiles as PDF."),
    "load-events": ("companion.commands.sensors", "Print the load events in a load log."),
    "calibrate": ("companion.commands.calibrate", "Calibrate load cells or camera, step by step."),
    "doctor": ("companion.commands.doctor", "Check every part: ok, or what is wrong and what to do."),
    "traces": ("companion.commands.traces", "Watch both loads live, for setting up."),
    "analyse": ("companion.commands.analyse", "Go through a game: margins, risks, the move that lost it."),
    "evidence": ("companion.commands.evidence", "Export what a ruling was based on, for an appeal."),
    "backup": ("companion.commands.backup", "Copy all logs of a table into one file."),
    "restore": ("companion.commands.backup", "Put the logs of a backup back."),
    "export": ("companion.commands.export", "Export a game of a log as text, JSON or CSV."),
    "verify": ("companion.commands.log", "Check the chain of a log."),
}
"""Each command's module, imported only when the command is asked for (`perft` need not wait for OpenCV), and what the
list of commands says of it."""
FAILED, MISUSED, INTERRUPTED = 1, 2, 130


class NobodyReads(Exception):
    """The output is closed. Not an `OSError`, as Click would end the program on that with the code of a failure."""


@contextlib.contextmanager
def _noticing_that_nobody_reads() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise NobodyReads from error
    except SystemExit as stop:
        # Rich's way to end where the output is closed.
        if isinstance(stop.__context__, BrokenPipeError):
            raise NobodyReads from stop
        raise


class LazyGroup(click.Group):
    """Knows its subcommands by name, and imports one when it is used."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with _noticing_that_nobody_reads():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _noticing_that_nobody_reads():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(COMMANDS[cmd_name][0]), cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="senryaku-companion")
def senryaku() -> None:
    """Referees a real Senryaku board, keeps the score and warns of a crash.

    Without hardware: `senryaku demo` plays a match on a simulated table.
    """


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits: 0 fine, 1 the thing asked for failed, 2 misused or a bad file."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Runs the command line and gives its exit code."""
    try:
        return _run(arguments)
    except (NobodyReads, BrokenPipeError):
        # Whoever read our output has seen enough (`| head`): that is no failure, and nobody is left to tell.
        _leave_stdout()
        return 0
    except OSError as error:
        _leave_stdout()
        place = error.filename if error.filename is not None else "the output"
        return _complain("senryaku", f"{place}: {error.strerror or error}", FAILED)


def _run(arguments: list[str] | None) -> int:
    """Raises `OSError` where the output, or a file that no command answers for, cannot be written."""
    try:
        outcome: Any = senryaku.main(arguments, prog_name="senryaku", standalone_mode=False)
        if sys.stdout is not None:  # as it is where it was closed from the start (`>&-`)
            sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return MISUSED
    except click.ClickException as error:
        return _complain(_where(error), error.format_message(), MISUSED)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BadInput as error:
        return _complain("senryaku", str(error), MISUSED)
    except SenryakuError as error:
        return _complain("senryaku", str(error), FAILED)
    return outcome if isinstance(outcome, int) else 0


def _leave_stdout() -> None:
    """What is still to be written goes nowhere, or Python would fail on it again when it ends."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _where(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if isinstance(context, click.Context) else "senryaku"


def _complain(where: str, message: str, code: int) -> int:
    line = " ".join(message.split())
    hint = f" (see {where} --help)" if code == MISUSED and where != "senryaku" else ""
    with contextlib.suppress(OSError):
        click.echo(f"{where}: {line}{hint}", err=True)
    return code


if __name__ == "__main__":
    main()
