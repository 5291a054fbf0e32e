"""`score-tiles` and `read-tiles`: Try 4 as text and as a picture."""

from pathlib import Path
from typing import Any

import click

from companion.commands.output import json_option, print_json, stderr, stdout
from companion.commands.sensors import picture_targets, write_picture
from companion.errors import BadInput, SenryakuError
from companion.rules.try4 import Try4Game, Turn
from companion.rules.try4_text import EXAMPLE_OF_A_TURN, BadGameText, TurnRefused, play_text
from companion.rules.try4_tiles import TileSet
from companion.table.settings import TableSettings, Try4Settings, read_settings
from vision.annotate_tiles import annotate_tiles, in_words
from vision.recorded_frames import read_picture
from vision.tile_colours import TilePalette
from vision.tile_mat import TileGrid
from vision.tile_reader import NUMBERS, TileReader
from vision.tile_reading import CellIs, TileReading, tile_reading_json

MOST_TEXT_BYTES = 1_000_000
"""A game on the largest board takes a hundredth of this."""


class RuleBroken(SenryakuError, ValueError):
    """A turn in a game's file breaks a rule; the message names file, line and rule."""


@click.command()
@click.argument("game_file", metavar="GAME.txt", type=click.Path(path_type=Path))
@json_option
def score_tiles(game_file: Path, as_json: bool) -> None:
    """Score a Try 4 game written as text, turn by turn. Exit 1 at a turn that breaks a rule.

    GAME.txt has one turn a line, its tiles as CELL=COLOURNUMBER with spaces between; `#` begins a comment. Before the
    first turn lines may say what is played with, where it is not the standard set on 7x7 by one player:

    \b
        set: red 1 1 2 3 4; blue 1 1 2 3 4
        board: 7x7
        players: 2
        c3=red1
        c4=red1 d3=red2 d4=blue1   # completes a square
    """
    text = _text_of(game_file)
    try:
        game = play_text(text)
    except BadGameText as error:
        raise BadInput(f"{game_file}: {error}") from error
    except TurnRefused as error:
        raise RuleBroken(f"{game_file}: {error}") from error
    if not game.turns:
        stderr.print(f"{game_file}: no turn is written in it; give one a line, as {EXAMPLE_OF_A_TURN}", markup=False)
    if as_json:
        print_json(game_json(game))
    else:
        _print_game(game)


def _text_of(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_TEXT_BYTES + 1)
        if len(data) > MOST_TEXT_BYTES:
            raise BadInput(f"{file}: is too large for a game; give a text with one turn a line")
        return data.decode("utf-8")
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror}); give a text with one turn a line") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: is no text (UTF-8); give one turn a line, as c3=red1 c4=red2 d3=red3") from error


def game_json(game: Try4Game) -> dict[str, Any]:
    """A scored game: `turns`, `total`, `over`; with several players also `totals`, and each turn's `player` from 1."""
    several = game.rules.players > 1
    result: dict[str, Any] = {
        "turns": [turn_json(turn) | ({"player": turn.player + 1} if several else {}) for turn in game.turns],
        "total": game.total,
        "over": game.over,
    }
    return result | ({"totals": list(game.totals)} if several else {})


def turn_json(turn: Turn) -> dict[str, Any]:
    """A scored turn: `score` and `squares`, each with its `cells`, `colour` and `number` score."""
    squares = [{"cells": list(map(str, s.cells)), "colour": s.colour, "number": s.number} for s in turn.squares]
    return {"score": turn.score, "squares": squares}


def _print_game(game: Try4Game) -> None:
    for count, turn in enumerate(game.turns, start=1):
        who = f" (player {turn.player + 1})" if game.rules.players > 1 else ""
        stdout.print(f"turn {count}{who}: {turn.score}", markup=False)
        for square in turn.squares:
            cells = " ".join(map(str, square.cells))
            stdout.print(f"  {cells}: colour {square.colour} + number {square.number}", markup=False)
    left = sum(game.unplaced.values())
    if game.rules.players > 1:
        totals = ", ".join(f"player {n} {total}" for n, total in enumerate(game.totals, start=1))
        stdout.print(f"totals: {totals}", markup=False)
    state = "the game is over" if game.over else f"{left} tile{'' if left == 1 else 's'} to be placed"
    stdout.print(f"total: {game.total}; {state}", markup=False)


@click.command()
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="IMAGE...")
@click.option("--table", "table_file", type=click.Path(path_type=Path), required=True, help="The table's table.toml.")
@click.option(
    "--shown",
    type=click.Path(path_type=Path),
    help="A picture of one tile of each colour in row 1, from a1 on in the order of [try4] colours: to learn them.",
)
@click.option(
    "--annotate", "annotate_dir", type=click.Path(path_type=Path), help="Write pictures with the reading here."
)
@json_option
def read_tiles(
    images: tuple[Path, ...], table_file: Path, shown: Path | None, annotate_dir: Path | None, as_json: bool
) -> int:
    """Say which tile lies in each cell on each IMAGE of a Try 4 mat. Exit 1 if a reading is not certain.

    Certain means that every cell that is seen is read with certainty; how many are not seen is said too. In the text
    `.` is an empty cell, `?` one that is not seen (under a hand, say), and `red3?` a tile that is not certain.
    """
    settings = read_settings(table_file)
    if settings.try4 is None:
        raise BadInput(f"{table_file}: [try4] is missing; it says how large the mat's grid is")
    pictures = [(file, read_picture(file)) for file in images]
    palette = None if shown is None else _learned(shown, settings, settings.try4)
    targets = [None] * len(images) if annotate_dir is None else picture_targets(annotate_dir, images)
    results: list[dict[str, Any]] = []
    for (file, picture), target in zip(pictures, targets, strict=True):
        # Each picture is read by itself: a later one owes nothing to an earlier one.
        reader = tile_reader_of(settings, settings.try4, palette)
        reading = reader.read(picture, 0.0)
        results.append(tile_reading_json(str(file), reading, grid_of(settings.try4)))
        if target is not None:
            pose = reader.sight.pose if reader.sight else None
            write_picture(target, annotate_tiles(picture, reading, grid_of(settings.try4), pose))
        if not as_json:
            _print_reading(file, reading, grid_of(settings.try4))
    if as_json:
        print_json(results)
    return 0 if all(result["confident"] for result in results) else 1


def grid_of(try4: Try4Settings) -> TileGrid:
    """The mat's grid as the settings say."""
    return TileGrid(try4.columns, try4.rows, try4.cell_mm, try4.tile_mm)


def tile_reader_of(settings: TableSettings, try4: Try4Settings, palette: TilePalette | None = None) -> TileReader:
    """A reader for a table's mat. Raises `BadInput` for colours or numbers that the camera cannot read."""
    tiles = TileSet.parse(try4.tile_set) if try4.tile_set else None
    numbers = NUMBERS if tiles is None else tuple({tile.number for tile in tiles.tiles})
    return TileReader(grid_of(try4), settings.camera, settings.markers, colours_of(try4), numbers, palette)


def colours_of(try4: Try4Settings) -> tuple[str, ...]:
    """The names of the tiles' colours, each once: those of the tile set where one is given, in the settings' order."""
    named = tuple(dict.fromkeys(try4.colours))
    if not try4.tile_set:
        return named
    in_set = TileSet.parse(try4.tile_set).colours
    return tuple(sorted(in_set, key=lambda name: named.index(name) if name in named else len(named)))


def _learned(file: Path, settings: TableSettings, try4: Try4Settings) -> TilePalette:
    names = colours_of(try4)
    if len(names) > try4.columns:
        raise BadInput(f"--shown: {len(names)} colours do not fit in a row of {try4.columns} cells")
    picture = read_picture(file)
    reader = tile_reader_of(settings, try4, TilePalette(()))
    try:
        return reader.learn_colours(picture, list(enumerate(names)))
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from error


def _print_reading(file: Path, reading: TileReading, grid: TileGrid) -> None:
    stdout.print(f"{file}: {in_words(reading, grid)}", markup=False)
    if not reading.board_found:
        return
    signs = {CellIs.EMPTY: ".", CellIs.HIDDEN: "?"}
    shown = [
        signs.get(cell.is_, f"{cell.colour or ''}{cell.number or ''}" + ("?" if cell.is_ is CellIs.UNSURE else ""))
        for cell in reading.cells
    ]
    wide = max(len(text) for text in shown) + 1
    for row in reversed(range(grid.rows)):
        cells = shown[row * grid.columns : (row + 1) * grid.columns]
        stdout.print(f"  {row + 1:2} " + "".join(text.ljust(wide) for text in cells).rstrip(), markup=False)
    letters = "".join(chr(ord("a") + column).ljust(wide) for column in range(grid.columns))
    stdout.print(f"     {letters.rstrip()}", markup=False)
    if any(cell.is_ is CellIs.HIDDEN for cell in reading.cells):
        stdout.print("  ? is a cell that is not seen: something lies over it", markup=False)
