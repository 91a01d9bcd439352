"""PDF: one page drawn to RGB pixels, in a process of its own (see `pdfium`)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from edge_clm.config import Limits
from edge_clm.errors import (
    EdgeClmError,
    ImageTooManyPixels,
    ImageTruncated,
    InternalFault,
    NoSuchPage,
    PdfEncrypted,
)
from edge_clm.media import pdfium
from edge_clm.media.shape import check_shape
from edge_clm.types import Pixels

_PROGRAM = Path(__file__).with_name("pdfium.py")
_TAIL = 4096
"""Bytes at the end among which PDFium, too, looks for where the cross-references are."""
_CRASHES = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE})


def render(data: bytes, page: int, limits: Limits) -> tuple[Pixels, int]:
    """Draws page `page` (from 1) at 200 dpi, or at 2200 pixels along the longest side.

    Form fields and annotations are drawn, the page's own rotation is applied. Returns uint8
    (height, width, 3) and the number of pages. Raises PdfEncrypted, NoSuchPage, ImageTruncated,
    ImageTooManyPixels and ImageShapeUnusable.
    """
    _check_end(data)
    found, rows = _run(data, page, limits)
    if refused := found.get("refused"):
        raise _refusal(refused, page, found.get("pages", 0))
    width, height = found["width"], found["height"]
    check_shape(width, height, limits)
    flat = np.frombuffer(rows, np.uint8).reshape(height, found["stride"])
    return flat[:, : 3 * width].reshape(height, width, 3).copy(), found["pages"]


def _check_end(data: bytes) -> None:
    """PDFium patches up a file that was cut off and draws what is left, blank pages mostly."""
    tail = data[-_TAIL - 1024 :].rstrip(b"\x00\t\n\f\r ")[-_TAIL:]
    if b"startxref" not in tail and b"%%EOF" not in tail:
        raise ImageTruncated("the PDF ends early")


def _run(data: bytes, page: int, limits: Limits) -> tuple[dict[str, Any], bytes]:
    done = subprocess.run(  # noqa: S603 - our own program, no shell, numbers for arguments
        [
            sys.executable,
            "-I",
            str(_PROGRAM),
            str(page),
            str(limits.max_pixels),
            str(limits.min_side),
            str(limits.max_ratio),
        ],
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise _death(done.returncode)
    head, _, rows = done.stdout.partition(b"\n")
    found: dict[str, Any] = json.loads(head)
    return found, rows


def _death(status: int) -> EdgeClmError:
    if -status in _CRASHES:
        return ImageTruncated("the PDF is damaged")
    if status < 0 or status == pdfium.OUT_OF_MEMORY:
        return ImageTooManyPixels("the PDF's page would take too much memory or time to draw")
    return InternalFault("the program that draws PDF pages failed")


def _refusal(refused: str, page: int, pages: int) -> EdgeClmError:
    if refused == "encrypted":
        return PdfEncrypted("the PDF needs a password")
    if refused == "no_such_page":
        return NoSuchPage(f"the document has {pages} pages, not {page}", field="page.number")
    if pages:
        return ImageTruncated("the page is damaged and cannot be drawn")
    return ImageTruncated("the PDF is damaged or has no pages")
