"""Printables of a Senryaku table in true size, as PDF: its markers, and a scoring board for the two spheres."""

from fpdf import FPDF

from companion.errors import BadInput
from companion.table.settings import TableSettings
from companion.table.tile_sheets import EDGE_MM, HAIR_MM, PAPERS_MM, TEXT_GREY, WHOLE, document, draw_marker, ruler
from vision.geometry import Grid, MarkerLayout

QUIET_OF_SIDE = 0.25
"""White around a marker, as a share of its side; without any it is not found."""
USUAL = MarkerLayout({0: (-135.0, -115.0), 1: (135.0, -115.0), 2: (135.0, 115.0), 3: (-135.0, 115.0)})
"""Of the table that the pages describe."""
TEXT_MM = 4.0
PLACE_OF_SPHERE = 0.7
"""A sphere stands in a hole that is narrower than itself."""
PITCH_OF_SPHERE = 1.25


def markers_pdf(layout: MarkerLayout, grid: Grid, paper: str) -> bytes:
    """Each marker with its white, a cut line, where it goes, and which way is up.

    Raises BadInput where one does not fit on the sheet.
    """
    sheet = PAPERS_MM["a4" if paper == WHOLE else paper]
    cell = layout.size_mm * (1 + 2 * QUIET_OF_SIDE)
    across, down = int((sheet[0] - 2 * EDGE_MM) // (cell + 4)), int((sheet[1] - 2 * EDGE_MM - 20) // (cell + 14))
    if across < 1 or down < 1:
        raise BadInput(f"[markers] size_mm: {layout.size_mm:g} mm do not fit on a sheet of {sheet[0]:g} x {sheet[1]:g}")
    pdf = document("Markers")
    numbers = sorted(layout.centres_mm)
    for first in range(0, len(numbers), across * down):
        pdf.add_page(format=sheet)
        for k, number in enumerate(numbers[first : first + across * down]):
            row, column = divmod(k, across)
            left, top = EDGE_MM + column * (cell + 4), EDGE_MM + row * (cell + 14)
            pdf.set_draw_color(TEXT_GREY)
            pdf.set_line_width(HAIR_MM)
            pdf.rect(left, top, cell, cell)
            draw_marker(pdf, layout, number, left + cell / 2, top + cell / 2)
            _label(pdf, left, top + cell, _where(number, layout, grid))
        ruler(pdf, sheet, f"Markers of {layout.size_mm:g} mm. Print at 100 %, cut along the lines, glue flat")
    return bytes(pdf.output())


def _label(pdf: FPDF, left: float, top: float, lines: tuple[str, ...]) -> None:
    pdf.set_font("helvetica", size=7)
    pdf.set_text_color(TEXT_GREY)
    for n, line in enumerate(lines):
        pdf.text(left, top + TEXT_MM * (n + 0.8), line)


def _where(number: int, layout: MarkerLayout, grid: Grid) -> tuple[str, ...]:
    x, y = layout.centres_mm[number]
    ranks, files = grid.pitches_mm[1] * (grid.ranks - 1) / 2, grid.pitches_mm[0] * (grid.files - 1) / 2
    rank = round(min(max(y, -ranks), ranks) / grid.pitches_mm[1] + (grid.ranks - 1) / 2)
    file = round(min(max(x, -files), files) / grid.pitches_mm[0] + (grid.files - 1) / 2)
    return f"{number}: near {grid.name(rank * grid.files + file)}", "this edge toward White"


def scoring_board_pdf(settings: TableSettings, paper: str) -> bytes:
    """A track for each player's sphere, as many steps long as the rules say; White's runs up, Black's down.

    Raises BadInput where it does not fit on the sheet.
    """
    upright = PAPERS_MM["a4" if paper == WHOLE else paper]
    sheet = (max(upright), min(upright))
    steps, sphere = settings.rules.track_steps, settings.grid.sphere_diameter_mm
    pitch = PITCH_OF_SPHERE * sphere
    long = pitch * (steps + 1)
    if long > sheet[0] - 2 * EDGE_MM:
        raise BadInput(
            f"[rules] track_steps: {steps} steps of {pitch:g} mm need {long:g} mm, the sheet has "
            f"{sheet[0] - 2 * EDGE_MM:g}; take a larger --paper"
        )
    pdf = document("Scoring board")
    pdf.add_page(format=sheet)
    left, middle = (sheet[0] - long) / 2, sheet[1] / 2 - 8
    for name, y, backward in (("Black", middle - pitch, True), ("White", middle + pitch, False)):
        _track(pdf, name, left, y, steps, sphere, backward)
    ruler(pdf, sheet, f"Scoring board for spheres of {sphere:g} mm, {steps} steps. Print at 100 %")
    return bytes(pdf.output())


def _track(pdf: FPDF, name: str, left: float, y: float, steps: int, sphere: float, backward: bool) -> None:
    pitch, place = PITCH_OF_SPHERE * sphere, PLACE_OF_SPHERE * sphere
    pdf.set_draw_color(0)
    pdf.set_line_width(0.4)
    pdf.set_text_color(0)
    xs = [left + pitch * (k + 0.5) for k in range(steps + 1)]
    xs = xs[::-1] if backward else xs
    for k, x in enumerate(xs):
        pdf.set_fill_color(*((255, 255, 255) if 0 < k < steps else (225, 225, 225)))
        pdf.ellipse(x - place / 2, y - place / 2, place, place, style="DF")
        pdf.set_font("helvetica", size=9)
        pdf.text(x - (1 if k < 10 else 2), y + place / 2 + 4.5, str(k))
        if k:
            before = xs[k - 1]
            toward = 1 if x > before else -1
            pdf.line(before + toward * place / 2, y, x - toward * place / 2, y)
    pdf.set_font("helvetica", style="B", size=11)
    pdf.text(min(xs) - place / 2, y - place / 2 - 3, f"{name}: begins at 0, wins the match at {steps}")
