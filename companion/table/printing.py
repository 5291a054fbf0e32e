"""What a table needs on paper, in true size, by name: the same sheets for the command and for the set-up page."""

from companion.errors import BadInput
from companion.rules.try4_tiles import TileSet
from companion.table.board_sheets import USUAL, markers_pdf, scoring_board_pdf
from companion.table.camera_sheet import camera_sheet_pdf
from companion.table.settings import TableSettings, Try4Settings
from companion.table.tile_sheets import PAPERS_MM, mat_pdf, mat_plan, tile_side_mm, tiles_pdf
from vision.charuco_sheet import CharucoSheet

SHEETS = ("markers", "camera-sheet", "scoring-board", "mat", "tiles")


def sheet_pdf(what: str, settings: TableSettings | None, paper: str) -> bytes:
    """A sheet by its name, with the measures of a table, or of the table that the pages describe.

    Raises BadInput for another name or paper, and where the measures do not fit on it.
    """
    if paper not in PAPERS_MM:
        raise BadInput(f"paper: should be one of {', '.join(PAPERS_MM)}")
    table = settings or TableSettings("Table")
    try4 = table.try4 or Try4Settings()
    match what:
        case "markers":
            return markers_pdf(table.markers if table.markers.centres_mm else USUAL, table.grid, paper)
        case "camera-sheet":
            return camera_sheet_pdf(CharucoSheet())
        case "scoring-board":
            return scoring_board_pdf(table, paper)
        case "mat":
            return mat_pdf(mat_plan(try4, table if table.try4 else None), paper)
        case "tiles":
            tiles = TileSet.parse(try4.tile_set) if try4.tile_set else TileSet.standard(try4.colours)
            return tiles_pdf(tiles, tile_side_mm(try4), paper)
        case other:
            raise BadInput(f"{other!r} is no sheet; known are {', '.join(SHEETS)}")
