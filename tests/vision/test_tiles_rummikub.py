"""Digits 1 to 4 on photographs of real tiles: templates shown from one half of the photographs, read on the other half.

What is given for each crop is where the tile is (its outline), as on a mat its square is; not how it is turned. Its
short side gives the scale. Digits are looked for at every angle, 15 degrees apart.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.colour import colours_of, log_levels
from vision.tile_colours import Carrier, TilePalette, seen_palette
from vision.tile_digits import SIDE, DigitModel, normal_patches, shipped_model
from vision.tile_faces import number_certainty
from vision.tile_ink import Ink, inks_on
from vision.tile_reading import SURE

NUMBERS = (1, 2, 3, 4)
ANGLES = tuple(range(0, 360, 15))
SIDE_PX = 44
EDGE_OF_SIDE = 0.09


@dataclass(frozen=True)
class Crop:
    """One tile of the data: what it is, what ink was found on it, and its patches at every angle."""

    file: str
    split: str
    colour: str
    number: int
    ink: Ink
    ink_colour: np.ndarray
    body: np.ndarray
    patches: np.ndarray | None


def crop_of(folder: Path, row: dict[str, str]) -> Crop:
    image = cv2.imread(str(folder / row["file"]))
    outline = np.array([[float(v) for v in point.split(",")] for point in row["outline_px"].split()], np.float32)
    _, sides, _ = cv2.minAreaRect(outline)
    scale = SIDE_PX / min(sides)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    face = cv2.resize(image, None, fx=scale, fy=scale, interpolation=how)
    region = np.zeros(face.shape[:2], np.uint8)
    cv2.fillPoly(region, [np.rint(outline * scale).astype(np.int32)], 1)
    width = 2 * round(SIDE_PX * EDGE_OF_SIDE) + 1
    region = cv2.erode(region, np.ones((width, width), np.uint8), borderValue=0) > 0
    (ink,) = inks_on(face[None], region)
    levels = colours_of(log_levels(face))
    body = np.median(levels[region & (ink.mask == 0)], axis=0)
    colour = np.median(levels[ink.certain], axis=0) if ink.certain.any() else body
    patches = normal_patches(ink.mask, ANGLES)
    return Crop(row["file"], row["split"], row["colour"], int(row["number"]), ink, colour, body, patches)


@pytest.fixture(scope="module")
def crops(shared) -> list[Crop]:
    folder = shared / "data" / "rummikub"
    (listing,) = folder.glob("*.csv")
    with listing.open(newline="") as rows:
        return [crop_of(folder, row) for row in csv.DictReader(rows)]


def half(crops: list[Crop], split: str) -> list[Crop]:
    return [crop for crop in crops if crop.split == split]


def shown_templates(crops: list[Crop]) -> DigitModel:
    """The shipped templates, and those of tiles whose digits are told: each turned as fits its own digit best."""
    model = shipped_model().among(NUMBERS)
    known = [crop for crop in crops if crop.patches is not None and not crop.ink.cut]
    upright = []
    for crop in known:
        alike = model.likenesses(crop.patches, [crop.number])[:, 0]
        upright.append(crop.patches[alike.argmax()])
    return model.with_more(np.array(upright, np.float32).reshape(-1, SIDE, SIDE), [crop.number for crop in known])


def shown_colours(crops: list[Crop]) -> TilePalette:
    names = sorted({crop.colour for crop in crops})
    of = {name: [crop for crop in crops if crop.colour == name and crop.ink.certain.any()] for name in names}
    bodies = np.array([np.median([c.body for c in of[name]], axis=0) for name in names])
    inks = np.array([np.median([c.ink_colour - c.body for c in of[name]], axis=0) for name in names])
    return seen_palette(names, bodies - bodies.mean(axis=0), inks)


def numbers_read(crops: list[Crop], model: DigitModel) -> tuple[int, int, int]:
    """How many numbers are read right with certainty, read wrong with certainty, and left open."""
    right = wrong = left_open = 0
    for crop in crops:
        likeness = None if crop.patches is None else model.likenesses(crop.patches, NUMBERS).max(axis=0)
        at, p = number_certainty(likeness, crop.ink)
        if p < SURE:
            left_open += 1
        elif NUMBERS[at] == crop.number:
            right += 1
        else:
            wrong += 1
    return right, wrong, left_open


@pytest.mark.parametrize(("learned", "tested"), [("fit", "test"), ("test", "fit")])
def test_real_digits_are_read_after_half_of_the_photographs_were_shown(crops, learned, tested):
    model = shown_templates(half(crops, learned))
    right, wrong, left_open = numbers_read(half(crops, tested), model)
    assert right + wrong + left_open == len(half(crops, tested))
    assert right >= 0.99 * (right + wrong), (right, wrong, left_open)
    assert left_open <= 0.05 * len(half(crops, tested)), (right, wrong, left_open)


def test_real_digits_are_read_by_the_shipped_templates_alone(crops):
    right, wrong, left_open = numbers_read(crops, shipped_model().among(NUMBERS))
    assert right >= 0.99 * (right + wrong), (right, wrong, left_open)
    assert left_open <= 0.1 * len(crops), (right, wrong, left_open)


def test_the_photographs_of_the_two_halves_are_different_ones(crops, shared):
    (listing,) = (shared / "data" / "rummikub").glob("*.csv")
    with listing.open(newline="") as rows:
        photos = [(row["photo"], row["split"]) for row in csv.DictReader(rows)]
    assert not {p for p, split in photos if split == "fit"} & {p for p, split in photos if split == "test"}


def test_it_is_the_ink_that_has_these_tiles_colour_and_it_is_told_from_the_other_half(crops):
    palette = shown_colours(half(crops, "fit"))
    assert palette.carrier is Carrier.INK
    told = right = 0
    for crop in half(crops, "test"):
        (p,) = palette.probabilities((crop.ink_colour - crop.body)[None])
        if p.max() >= SURE:
            told += 1
            right += palette.names[int(p.argmax())] == crop.colour
    assert told >= 0.9 * len(half(crops, "test"))
    assert right >= 0.99 * told, (right, told)
