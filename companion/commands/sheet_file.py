"""Writes the calibration sheet to a file that prints in true size: PDF (drawn), or PNG (so many dots an inch)."""

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np

from companion.errors import BadInput, SenryakuError
from companion.table.camera_sheet import camera_sheet_pdf
from vision.charuco_sheet import CharucoSheet

MM_PER_INCH = 25.4


class CannotWrite(SenryakuError, OSError):
    """The sheet cannot be written where it should be."""


def write_sheet(file: Path, sheet: CharucoSheet, dpi: int) -> None:
    """Writes `file`, a .pdf or .png; only the latter has dots. Raises BadInput for another ending, or `CannotWrite`."""
    kind = file.suffix.lower()
    if kind not in (".pdf", ".png"):
        raise BadInput(f"{file}: should end in .pdf or .png")
    data = camera_sheet_pdf(sheet) if kind == ".pdf" else png_of(sheet, dpi)
    try:
        file.write_bytes(data)
    except OSError as error:
        raise CannotWrite(f"{file}: cannot be written ({error.strerror})") from error


def png_of(sheet: CharucoSheet, dpi: int) -> bytes:
    """The sheet with a white margin of half a square; its size on paper stands in the file (PNG's pHYs)."""
    per_mm = dpi / MM_PER_INCH
    drawn = sheet.draw(per_mm)
    margin = round(sheet.square_mm / 2 * per_mm)
    framed = cv2.copyMakeBorder(drawn, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=255)
    _, data = cv2.imencode(".png", np.asarray(framed, np.uint8))
    png = data.tobytes()
    head = 8 + 4 + 4 + 13 + 4  # signature and the chunk IHDR, which comes first
    per_metre = round(per_mm * 1000)
    size = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    return png[:head] + struct.pack(">I", len(size) - 4) + size + struct.pack(">I", zlib.crc32(size)) + png[head:]
