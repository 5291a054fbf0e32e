"""Curves drawn with braille dots: two columns and four rows of them in each character."""

from collections.abc import Sequence

BLANK = 0x2800
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Unicode's dots, by column and row from the top."""


def braille(values: Sequence[float | None], width: int, height: int, least_span: float = 1.0) -> list[str]:
    """The last 2 * width values as a curve, `height` lines from the top; None leaves a gap.

    The lines hold from the least to the largest value, and never a span of less than `least_span`.
    """
    shown = list(values)[-2 * width :]
    lowest, highest = span_of(shown, least_span)
    rows = 4 * height
    cells = [[0] * width for _ in range(height)]
    before: int | None = None
    for i, value in enumerate(shown, start=2 * width - len(shown)):
        if value is None:
            before = None
            continue
        row = min(rows - 1, int((highest - value) / (highest - lowest) * rows))
        joined = range(row, row + 1) if before is None else range(min(row, before), max(row, before) + 1)
        for dot in joined:
            cells[dot // 4][i // 2] |= DOTS[i % 2][dot % 4]
        before = row
    return ["".join(chr(BLANK + dots) for dots in line) for line in cells]


def span_of(values: Sequence[float | None], least_span: float) -> tuple[float, float]:
    """From where to where the curve goes."""
    there = [value for value in values if value is not None] or [0.0]
    lowest, highest = min(there), max(there)
    short = max(0.0, least_span - (highest - lowest)) / 2
    return lowest - short, highest + short
