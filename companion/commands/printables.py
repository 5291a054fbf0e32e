"""`print`: markers and scoring board, and the mat and the tiles of Try 4, as PDF in true size."""

from pathlib import Path

import click

from companion.commands.output import stderr
from companion.errors import BadInput, SenryakuError
from companion.rules.try4_tiles import TileSet
from companion.table.board_sheets import USUAL, markers_pdf, scoring_board_pdf
from companion.table.settings import TableSettings, Try4Settings, read_settings
from companion.table.tile_sheets import PAPERS_MM, WHOLE, mat_pdf, mat_plan, table_text, tile_side_mm, tiles_pdf


class CannotWrite(SenryakuError, OSError):
    """A PDF cannot be written where it should be."""


@click.command("print")
@click.argument("what", type=click.Choice(["markers", "scoring-board", "mat", "tiles"]))
@click.argument("target", metavar="FILE.pdf", type=click.Path(path_type=Path))
@click.option("--table", "table_file", type=click.Path(path_type=Path), help="A table.toml: its measures.")
@click.option(
    "--paper",
    type=click.Choice([*PAPERS_MM, WHOLE]),
    default="a4",
    show_default=True,
    help="The sheet; 'whole' is one as large as the mat, for a print shop.",
)
def print_sheets(what: str, target: Path, table_file: Path | None, paper: str) -> None:
    """Write markers, a scoring board, or the Try 4 mat or tiles as a PDF in true size.

    A mat larger than the sheet comes on several, with marks to cut and put together. The lines for the table.toml that
    fit the mat are printed.
    """
    if target.suffix.lower() not in ("", ".pdf"):
        raise BadInput(f"{target}: a PDF is written; let the name end in .pdf")
    settings = None if table_file is None else read_settings(table_file)
    if what in ("markers", "scoring-board"):
        table = settings or TableSettings("Table", markers=USUAL)
        markers = what == "markers"
        if markers and not table.markers.centres_mm:
            raise BadInput(f"{table_file}: [markers] is missing; it says which markers there are, and how large")
        _write(target, markers_pdf(table.markers, table.grid, paper) if markers else scoring_board_pdf(table, paper))
        return
    try4 = _try4(table_file, settings)
    if what == "tiles":
        tiles = TileSet.parse(try4.tile_set) if try4.tile_set else TileSet.standard(try4.colours)
        _write(target, tiles_pdf(tiles, tile_side_mm(try4), paper))
        return
    plan = mat_plan(try4, settings)
    _write(target, mat_pdf(plan, paper))
    click.echo(table_text(plan, try4))


def _try4(table_file: Path | None, settings: TableSettings | None) -> Try4Settings:
    if settings is None:
        return Try4Settings()
    if settings.try4 is None:
        raise BadInput(f"{table_file}: [try4] is missing; it says how large the mat's grid is")
    return settings.try4


def _write(target: Path, data: bytes) -> None:
    try:
        target.write_bytes(data)
    except OSError as error:
        raise CannotWrite(f"{target}: cannot be written ({error.strerror})") from error
    stderr.print(f"wrote {target}", markup=False)


print = print_sheets  # noqa: A001 the name under which the command is found
