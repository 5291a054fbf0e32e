"""The sheet with which a camera is calibrated, as PDF in true size."""

from vision.charuco_sheet import CharucoSheet

PAGE_MM = (297.0, 210.0)
"""A4, lying. The sheet also fits on US letter paper."""
POINTS_PER_MM = 72 / 25.4
RULE_MM = 100.0
HINT = "Print at 100 % (no fitting to the page), glue flat on a stiff board."
RULE_HINT = "This line is 100 mm long."


def camera_sheet_pdf(sheet: CharucoSheet) -> bytes:
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
