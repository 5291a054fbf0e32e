"""Writes the calibration sheet to a file that prints in true size: PDF (drawn), or PNG (so many dots an inch)."""

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np

from companion.errors import BadInput, SenryakuError
from vision.charuco_sheet import CharucoSheet

PAGE_MM = (297.0, 210.0)
"""A4, lying. The sheet also fits on US letter paper."""
POINTS_PER_MM = 72 / 25.4
MM_PER_INCH = 25.4
RULE_MM = 100.0
HINT = "Print at 100 % (no fitting to the page), glue flat on a stiff board."
RULE_HINT = "This line is 100 mm long."


class CannotWrite(SenryakuError, OSError):
    """The sheet cannot be written where it should be."""


def write_sheet(file: Path, sheet: CharucoSheet, dpi: int) -> None:
    """Writes `file`, a .pdf or .png; only the latter has dots. Raises BadInput for another ending, or `CannotWrite`."""
    kind = file.suffix.lower()
    if kind not in (".pdf", ".png"):
        raise BadInput(f"{file}: should end in .pdf or .png")
    data = pdf_of(sheet) if kind == ".pdf" else png_of(sheet, dpi)
    try:
        file.write_bytes(data)
    except OSError as error:
        raise CannotWrite(f"{file}: cannot be written ({error.strerror})") from error


def pdf_of(sheet: CharucoSheet) -> bytes:
    """One page with the sheet in its middle, a rule below it, and a line that says how to print it."""
    width, height = sheet.columns * sheet.square_mm, sheet.rows * sheet.square_mm
    left, bottom = (PAGE_MM[0] - width) / 2, (PAGE_MM[1] - height) / 2 + 4
    # PDF counts upward from the page's lower left corner
    black = [f"{left + x:.4f} {bottom + height - y - h:.4f} {w:.4f} {h:.4f} re" for x, y, w, h in sheet.black_mm]
    rule = f"{left:.4f} {bottom - 5:.4f} m {left + RULE_MM:.4f} {bottom - 5:.4f} l S"
    content = "\n".join(
        [
            f"{POINTS_PER_MM:.8f} 0 0 {POINTS_PER_MM:.8f} 0 0 cm",
            *black,
            "f",
            f"0.3 w {rule}",
            f"BT /F 3.2 Tf {left + RULE_MM + 3:.2f} {bottom - 6:.2f} Td ({RULE_HINT} {HINT}) Tj ET",
        ]
    ).encode("ascii")
    page = " ".join(f"{side * POINTS_PER_MM:.4f}" for side in PAGE_MM)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page}] /Contents 4 0 R "
        "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>".encode("ascii"),
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


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
