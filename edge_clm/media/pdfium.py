"""Draws one page of a PDF; run as a program of its own by `pdf`, and needs nothing of edge_clm.

A page of a few hundred bytes can ask for hours and all of memory, and PDFium offers no way to stop
it; a process with limits of its own does, and a crash ends only the process. It is also what keeps
PDFium, which bears no second thread, to one caller. Reads the file from standard input and writes
one line of JSON, then the pixels where there are any.
"""

from __future__ import annotations

import json
import math
import resource
import sys
from typing import Any

DPI = 200
LONG_SIDE = 2200
"""Longest side of a drawn page in pixels, as a rule."""
SHORT_SIDE = 800
"""A long receipt is drawn longer than that, until it is this wide."""
CPU_SECONDS = 20
BASE_BYTES = 512 * 1024 * 1024
OUT_OF_MEMORY = 3
"""Exit status."""
_UNIT = 72
_PASSWORD, _SECURITY = 4, 5


def size_in_pixels(width: float, height: float, max_pixels: int) -> tuple[float, float, float]:
    """Scale, width and height at which a page of that many points is drawn.

    A page that has too many pixels at one per point is left at that, to be refused.
    """
    if width * height > max_pixels:
        return 1.0, width, height
    short, long = sorted((width, height))
    scale = min(
        DPI / _UNIT,
        max(LONG_SIDE / long, SHORT_SIDE / short),
        0.99 * math.sqrt(max_pixels / (width * height)),
    )
    return scale, width * scale, height * scale


def draw(
    data: bytes, page: int, max_pixels: int, min_side: int, max_ratio: int
) -> tuple[dict[str, Any], Any]:
    """Draws page `page` (from 1).

    Returns what was found, and the rows of pixels (RGB, `stride` bytes each) or None where the page
    is not to be drawn.
    """
    import pypdfium2

    pages = 0
    # Hostile files bring the wrapper to raise more than its own error.
    try:
        with pypdfium2.PdfDocument(data) as document:
            document.init_forms()
            pages = len(document)
            if page > pages:
                return {"refused": "no_such_page", "pages": pages}, None
            found, rows = _draw_page(document, page, max_pixels, min_side, max_ratio)
            return {"pages": pages, **found}, rows
    except MemoryError:
        raise
    except Exception as error:
        locked = getattr(error, "err_code", None) in (_PASSWORD, _SECURITY)
        return {"refused": "encrypted" if locked else "damaged", "pages": pages}, None


def _draw_page(
    document: Any, page: int, max_pixels: int, min_side: int, max_ratio: int
) -> tuple[dict[str, Any], Any]:
    sheet = document[page - 1]
    try:
        scale, width, height = size_in_pixels(sheet.get_width(), sheet.get_height(), max_pixels)
        shape = {"width": math.ceil(width), "height": math.ceil(height)}
        short, long = sorted(shape.values())
        if short * long > max_pixels or short < min_side or long > short * max_ratio:
            return shape, None
        if dear := _dear_picture(sheet, max_pixels):
            return {"width": dear[0], "height": dear[1]}, None
        bitmap = sheet.render(scale=scale, rev_byteorder=True)
        try:
            found = {"width": bitmap.width, "height": bitmap.height, "stride": bitmap.stride}
            return found, bytes(bitmap.buffer)
        finally:
            bitmap.close()
    finally:
        sheet.close()


def _dear_picture(sheet: Any, max_pixels: int) -> tuple[int, int] | None:
    """Width and height of a picture on the page that has more pixels than a page may have."""
    import pypdfium2.raw

    for picture in sheet.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]):
        width, height = picture.get_px_size()
        if width * height > max_pixels:
            return width, height
    return None


def _limit(max_pixels: int) -> None:
    memory = BASE_BYTES + 8 * max_pixels
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(arguments: list[str]) -> int:
    """Takes page, most pixels, least side and largest ratio; returns the exit status."""
    page, max_pixels, min_side, max_ratio = map(int, arguments)
    _limit(max_pixels)
    try:
        data = sys.stdin.buffer.read()
        found, rows = draw(data, page, max_pixels, min_side, max_ratio)
        sys.stdout.buffer.write(json.dumps(found).encode() + b"\n")
        if rows is not None:
            sys.stdout.buffer.write(rows)
        sys.stdout.buffer.flush()
    except MemoryError:
        return OUT_OF_MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
