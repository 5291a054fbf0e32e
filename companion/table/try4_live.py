"""What the camera reads on a Try 4 mat, as JSON values for the pages."""

from typing import Any

from companion.referee.try4_mat import Content, Look, Problem
from companion.rules.try4_tiles import Cell
from vision.tile_reading import CellIs, TileReading

JsonObject = dict[str, Any]

MOST_ANSWER_TILES = 30
"""Of the candidates that are shown for an unsure tile."""


def look_json(seen: Look) -> JsonObject:
    """What the mat shows as JSON values; `cells` names only those that are not empty."""
    return {
        "phase": str(seen.phase),
        "cells": {str(cell): _content_json(is_) for cell, is_ in seen.cells.items() if is_ is not None},
        "placed": {str(cell): str(tile) for cell, tile in sorted(seen.placed.items())},
        "problems": [problem_json(problem) for problem in seen.problems],
        "questions": [
            {
                "cell": str(question.cell),
                "candidates": [str(tile) for tile in question.candidates[:MOST_ANSWER_TILES]],
                "known": None if question.known is None else str(question.known),
            }
            for question in seen.questions
        ],
    }


def drawn_json(reading: TileReading, columns: int) -> list[JsonObject]:
    """What a picture shows where, to be drawn over it: corners in pixels, what is read, and whether it is sure."""
    return [
        {
            "cell": str(Cell(number % columns, number // columns)),
            "at_px": [[round(x, 1), round(y, 1)] for x, y in cell.at_px],
            "tile": None if cell.colour is None else f"{cell.colour}{cell.number}",
            "sure": cell.is_ is CellIs.TILE,
        }
        for number, cell in enumerate(reading.cells)
        if cell.at_px
    ]


def hidden_json(reading: TileReading, columns: int) -> list[str]:
    """The cells in which nothing can be seen."""
    hidden = [number for number, cell in enumerate(reading.cells) if cell.is_ is CellIs.HIDDEN]
    return [str(Cell(number % columns, number // columns)) for number in hidden]


def _content_json(content: Content) -> str:
    return f"?{content}" if isinstance(content, CellIs) else str(content)


def problem_json(problem: Problem) -> JsonObject:
    """What is to be put right, as JSON values."""
    return {
        "trouble": str(problem.trouble),
        "rule": problem.rule,
        "cells": list(map(str, problem.cells)),
        "text": problem.text,
    }
