"""Printables of Try 4 in true size, as PDF: the mat with its markers, and the tiles to cut out."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import cv2
from fpdf import FPDF
from fpdf.enums import StrokeCapStyle, StrokeJoinStyle

from companion.errors import BadInput
from companion.rules.try4_tiles import Tile, TileSet
from companion.table.settings import TableSettings, Try4Settings
from vision.geometry import MarkerLayout
from vision.markers import dictionary_named, marker_cells
from vision.tile_glyphs import PLAIN, strokes

Rgb = tuple[int, int, int]

PAINTS: dict[str, Rgb] = {
    "red": (200, 30, 35),
    "blue": (20, 75, 190),
    "green": (20, 130, 55),
    "yellow": (250, 205, 40),
    "purple": (115, 35, 145),
    "orange": (245, 130, 20),
    "turquoise": (0, 160, 165),
    "cyan": (0, 165, 200),
    "magenta": (205, 20, 130),
    "pink": (240, 130, 170),
    "violet": (95, 60, 180),
    "white": (255, 255, 255),
    "grey": (135, 135, 135),
    "gray": (135, 135, 135),
    "black": (30, 30, 30),
}
PAPERS_MM: dict[str, tuple[float, float]] = {"a4": (210, 297), "a3": (297, 420), "letter": (215.9, 279.4)}
WHOLE = "whole"
"""A sheet that takes the whole mat, for a print shop."""
EDGE_MM = 10.0
"""Of a sheet that home printers leave white."""
MAT_EDGE_MM = 29.0
"""Around the grid, for the markers and their white."""
MARKER_INSET_MM = 14.5
"""From the mat's edges to a marker's middle: its own side and white around it."""
MARKER_MM = 22.0
TILE_OF_CELL = 0.82
GAP_MM = 4.0
DIGIT_OF_TILE = 0.5
LINE_MM, HAIR_MM = 0.5, 0.1
GRID_GREY, TEXT_GREY = 150, 90
RULER_MM = 100.0
RULER_ROOM_MM = 12.0
PALE = 150.0
"""Brightness from which a tile's ink is dark."""
PRINTED = datetime(2026, 1, 1, tzinfo=UTC)
"""Written into each file instead of the time, so that the same settings give the same file."""


@dataclass(frozen=True, slots=True)
class MatPlan:
    """What is printed: the mat's size, its grid and where its markers are, mm from its middle."""

    size_mm: tuple[float, float]
    columns: int
    rows: int
    cell_mm: float
    markers: MarkerLayout


def mat_plan(try4: Try4Settings, settings: TableSettings | None = None) -> MatPlan:
    """A mat as the settings say, markers included; without settings one of our own. Raises `BadInput`."""
    grid = (try4.columns * try4.cell_mm, try4.rows * try4.cell_mm)
    width, height = try4.mat_mm or (grid[0] + 2 * MAT_EDGE_MM, grid[1] + 2 * MAT_EDGE_MM)
    if width < grid[0] or height < grid[1]:
        raise BadInput(f"[try4] mat_mm: {width:g} x {height:g} mm is smaller than the grid, {grid[0]:g} x {grid[1]:g}")
    if settings is None or not settings.markers.centres_mm:
        x, y = width / 2 - MARKER_INSET_MM, height / 2 - MARKER_INSET_MM
        markers = MarkerLayout({0: (-x, -y), 1: (x, -y), 2: (x, y), 3: (-x, y)}, size_mm=MARKER_MM)
    else:
        markers = settings.markers
    half = markers.size_mm / 2
    for number, (x, y) in markers.centres_mm.items():
        if abs(x) + half > width / 2 or abs(y) + half > height / 2:
            raise BadInput(
                f"[markers] centres_mm: marker {number} does not lie on the mat of {width:g} x {height:g} mm"
            )
        if abs(x) - half < grid[0] / 2 and abs(y) - half < grid[1] / 2:
            raise BadInput(
                f"[markers] centres_mm: marker {number} lies on the grid; move it out, or make mat_mm larger"
            )
    return MatPlan((width, height), try4.columns, try4.rows, try4.cell_mm, markers)


def table_text(plan: MatPlan, try4: Try4Settings) -> str:
    """The lines of a `table.toml` that fit a printed mat."""
    centres = ", ".join(f'"{n}" = [{x:g}, {y:g}]' for n, (x, y) in sorted(plan.markers.centres_mm.items()))
    colours = ", ".join(f'"{name}"' for name in try4.colours)
    return "\n".join(
        [
            "[try4]",
            f"columns = {plan.columns}",
            f"rows = {plan.rows}",
            f"cell_mm = {plan.cell_mm:g}",
            f"tile_mm = {tile_side_mm(try4):g}",
            f"mat_mm = [{plan.size_mm[0]:g}, {plan.size_mm[1]:g}]",
            f"colours = [{colours}]",
            "",
            "[markers]",
            f'dictionary = "{plan.markers.dictionary}"',
            f"size_mm = {plan.markers.size_mm:g}",
            f"centres_mm = {{ {centres} }}",
        ]
    )


def tile_side_mm(try4: Try4Settings) -> float:
    """A printed tile's side."""
    return round(try4.cell_mm * TILE_OF_CELL, 1) if try4.tile_mm is None else try4.tile_mm


def mat_pdf(plan: MatPlan, paper: str) -> bytes:
    """The mat on one sheet where it fits, else on several to be cut and put together."""
    pdf = document("Try 4 mat")
    if paper == WHOLE:
        part = plan.size_mm
        sheet = (part[0] + 2 * EDGE_MM, part[1] + 2 * EDGE_MM + RULER_ROOM_MM)
    else:
        sheet, part = _sheet_and_part(plan.size_mm, paper)
    across, down = (max(1, -int(-(side - 0.01) // room)) for side, room in zip(plan.size_mm, part, strict=True))
    used = (plan.size_mm[0] / across, plan.size_mm[1] / down)
    for row in range(down):
        for column in range(across):
            pdf.add_page(format=sheet)
            left, top = (sheet[0] - used[0]) / 2, (sheet[1] - RULER_ROOM_MM - used[1]) / 2
            with pdf.rect_clip(left, top, used[0], used[1]):
                _draw_mat(pdf, plan, left - column * used[0], top - row * used[1])
            cut_marks(pdf, left, top, used)
            where = (
                f"sheet {row * across + column + 1} of {across * down}: row {row + 1} from the top, column {column + 1}"
            )
            ruler(pdf, sheet, f"{where}. Print at 100 %" if across * down > 1 else "Print at 100 %")
    return bytes(pdf.output())


def tiles_pdf(tiles: TileSet, side_mm: float, paper: str) -> bytes:
    """The tiles of a set, to be cut out and glued on card. Raises `BadInput` for a colour that is not known here."""
    pdf = document("Try 4 tiles")
    sheet = PAPERS_MM["a4" if paper == WHOLE else paper]
    across, down = (int((room + GAP_MM) // (side_mm + GAP_MM)) for room in _room(sheet))
    if across < 1 or down < 1:
        raise BadInput(
            f"[try4] tile_mm: tiles of {side_mm:g} mm do not fit on a sheet of {sheet[0]:g} x {sheet[1]:g} mm"
        )
    rows = list(_in_rows(tiles, across))
    for first in range(0, len(rows), down):
        pdf.add_page(format=sheet)
        for row, line in enumerate(rows[first : first + down]):
            for column, tile in enumerate(line):
                step = side_mm + GAP_MM
                _draw_tile(pdf, tile, EDGE_MM + column * step, EDGE_MM + row * step, side_mm)
        ruler(pdf, sheet, f"Tiles of {side_mm:g} mm. Print at 100 %, glue on card, cut along the edges")
    return bytes(pdf.output())


def _in_rows(tiles: TileSet, across: int) -> Iterator[list[Tile]]:
    """One colour after the other, each beginning a row where it needs no more than one."""
    for colour in tiles.colours:
        of_it = [tile for tile in tiles.tiles if tile.colour == colour]
        yield from (of_it[k : k + across] for k in range(0, len(of_it), across))


def document(title: str) -> FPDF:
    pdf = FPDF(unit="mm")
    pdf.set_auto_page_break(False)
    pdf.set_title(title)
    pdf.set_creation_date(PRINTED)
    return pdf


def _room(sheet: tuple[float, float]) -> tuple[float, float]:
    return sheet[0] - 2 * EDGE_MM, sheet[1] - 2 * EDGE_MM - RULER_ROOM_MM


def _sheet_and_part(size_mm: tuple[float, float], paper: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """The sheet, upright or lying, that takes fewest pages, and how much of the mat each takes."""
    upright = PAPERS_MM[paper]
    lying = (upright[1], upright[0])

    def pages(sheet: tuple[float, float]) -> int:
        room = _room(sheet)
        return -int(-size_mm[0] // room[0]) * -int(-size_mm[1] // room[1])

    sheet = min((upright, lying), key=pages)
    return sheet, _room(sheet)


def _draw_mat(pdf: FPDF, plan: MatPlan, left: float, top: float) -> None:
    """The mat with its top left corner at a place on the page."""
    width, height = plan.size_mm
    middle = (left + width / 2, top + height / 2)
    half = (plan.columns * plan.cell_mm / 2, plan.rows * plan.cell_mm / 2)
    pdf.set_draw_color(GRID_GREY)
    pdf.set_line_width(LINE_MM)
    for column in range(plan.columns + 1):
        x = middle[0] - half[0] + column * plan.cell_mm
        pdf.line(x, middle[1] - half[1], x, middle[1] + half[1])
    for row in range(plan.rows + 1):
        y = middle[1] - half[1] + row * plan.cell_mm
        pdf.line(middle[0] - half[0], y, middle[0] + half[0], y)
    pdf.set_font("helvetica", size=9)
    pdf.set_text_color(TEXT_GREY)
    for column in range(plan.columns):
        x = middle[0] - half[0] + (column + 0.5) * plan.cell_mm
        pdf.text(x - 1, middle[1] + half[1] + 5, chr(ord("a") + column))
    for row in range(plan.rows):
        y = middle[1] + half[1] - (row + 0.5) * plan.cell_mm
        pdf.text(middle[0] - half[0] - 5, y + 1, str(row + 1))
    for number, (x, y) in plan.markers.centres_mm.items():
        draw_marker(pdf, plan.markers, number, middle[0] + x, middle[1] - y)


def draw_marker(pdf: FPDF, layout: MarkerLayout, number: int, x: float, y: float) -> None:
    """A marker around a place. It is drawn as runs of cells that touch, so that no hair of white shows between."""
    dictionary_named(layout.dictionary)
    try:
        cells = marker_cells(layout.dictionary, number)
    except cv2.error as error:
        raise BadInput(f"[markers] centres_mm: {layout.dictionary} has no marker {number}") from error
    step = layout.size_mm / len(cells)
    left, top = x - layout.size_mm / 2, y - layout.size_mm / 2
    pdf.set_fill_color(0)
    pdf.rect(left, top, layout.size_mm, layout.size_mm, style="F")
    pdf.set_fill_color(255)
    for row, line in enumerate(cells):
        for column, white in enumerate(line):
            if white:
                wider = step if column + 1 < len(line) and line[column + 1] else 0.0
                deeper = step if row + 1 < len(cells) and cells[row + 1][column] else 0.0
                pdf.rect(left + column * step, top + row * step, step + wider, step, style="F")
                pdf.rect(left + column * step, top + row * step, step, step + deeper, style="F")


def _draw_tile(pdf: FPDF, tile: Tile, left: float, top: float, side: float) -> None:
    paint = PAINTS.get(tile.colour)
    if paint is None:
        raise BadInput(f"tile colour {tile.colour!r} cannot be printed; known are {', '.join(PAINTS)}")
    pdf.set_fill_color(*paint)
    pdf.set_draw_color(TEXT_GREY)
    pdf.set_line_width(HAIR_MM)
    pdf.rect(left, top, side, side, style="DF")
    pale = 0.3 * paint[0] + 0.59 * paint[1] + 0.11 * paint[2] > PALE
    ink = "#141414" if pale else "#ffffff"
    text = str(tile.number)
    height = side * DIGIT_OF_TILE
    advance = (PLAIN.width + 0.2) * height
    start = left + side / 2 - (len(text) * advance - 0.2 * height) / 2
    for k, digit in enumerate(text):
        _draw_digit(pdf, int(digit), start + k * advance, top + (side + height) / 2, height, ink)


def _draw_digit(pdf: FPDF, digit: int, left: float, foot: float, height: float, ink: str) -> None:
    """A digit as `vision` draws it too, on a line with its foot."""
    with pdf.new_path() as path:
        path.style.fill_color = None
        path.style.stroke_color = ink
        path.style.stroke_width = PLAIN.stroke * height
        path.style.stroke_cap_style = StrokeCapStyle.ROUND
        path.style.stroke_join_style = StrokeJoinStyle.ROUND
        path.style.auto_close = False
        for stroke in strokes(digit):
            places = [(left + float(x) * height, foot - float(y) * height) for x, y in stroke]
            path.move_to(*places[0])
            for place in places[1:]:
                path.line_to(*place)


def cut_marks(pdf: FPDF, left: float, top: float, size: tuple[float, float]) -> None:
    pdf.set_draw_color(0)
    pdf.set_line_width(HAIR_MM)
    for x in (left, left + size[0]):
        for y, out in ((top, -1), (top + size[1], 1)):
            pdf.line(x, y + out, x, y + 5 * out)
    for y in (top, top + size[1]):
        for x, out in ((left, -1), (left + size[0], 1)):
            pdf.line(x + out, y, x + 5 * out, y)


def ruler(pdf: FPDF, sheet: tuple[float, float], text: str) -> None:
    """A ruler to lay another against: printers like to shrink."""
    length = min(RULER_MM, (sheet[0] - 2 * EDGE_MM) // 10 * 10)
    left, y = EDGE_MM, sheet[1] - EDGE_MM - 1
    pdf.set_draw_color(0)
    pdf.set_line_width(HAIR_MM * 2)
    pdf.line(left, y, left + length, y)
    for k in range(int(length) + 1):
        tall = 3.0 if k % 10 == 0 else 2.0 if k % 5 == 0 else 1.2
        pdf.line(left + k, y, left + k, y - tall)
    pdf.set_text_color(0)
    pdf.set_font("helvetica", size=7)
    pdf.text(left, y - 4.5, f"{text}: this ruler must be {length:g} mm long.")
