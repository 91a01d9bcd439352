"""A file to the canonical pixels of one of its pages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from edge_clm.config import Limits
from edge_clm.errors import (
    ImageMissing,
    ImageNotRecognised,
    ImageShapeUnusable,
    ImageTooManyBytes,
    ImageTooManyPixels,
    ImageTruncated,
    RequestInvalid,
)
from edge_clm.media import pdf, raster, sniff
from edge_clm.types import Canonical, Pixels

MEDIA_TYPES: tuple[str, ...] = (
    sniff.JPEG,
    sniff.PNG,
    sniff.WEBP,
    sniff.GIF,
    sniff.BMP,
    sniff.TIFF,
    sniff.HEIC,
    sniff.AVIF,
    sniff.PDF,
)
"""What is read."""
_OF_A_PAGE = (ImageNotRecognised, ImageShapeUnusable, ImageTooManyPixels, ImageTruncated)
"""Errors that one page of a document may have and another not."""


def decode(data: bytes, page: int, limits: Limits) -> Canonical:
    """Unpacks one page of a file.

    `page` counts from 1; 0 means 1. The pixels are uint8 (height, width, 3), RGB, upright and owned
    by the result. Raises RequestInvalid for a negative page, ImageMissing, ImageTooManyBytes,
    ImageNotRecognised, ImageTooManyPixels, ImageTruncated, ImageShapeUnusable, PdfEncrypted and
    NoSuchPage; all of them before memory is spent on pixels, where the file tells in time. What is
    wrong with a page that is not the first names it, in the message and by the field page.number.
    """
    if page < 0:
        raise RequestInvalid("pages count from 1", field="page.number")
    if not data:
        raise ImageMissing("the image has no bytes")
    if len(data) > limits.max_bytes:
        raise ImageTooManyBytes(
            f"the file has {len(data)} bytes; at most {limits.max_bytes} are accepted"
        )
    number = max(page, 1)
    kind = sniff.media_type(data)
    with _naming(number):
        if kind == sniff.PDF:
            pixels, pages = pdf.render(data, number, limits)
        else:
            pixels, pages = raster.unpack(data, kind, number, limits)
    return Canonical(pixels, digest(pixels), number, pages, kind)


@contextmanager
def _naming(page: int) -> Iterator[None]:
    try:
        yield
    except _OF_A_PAGE as error:
        if page == 1:
            raise
        raise type(error)(f"page {page}: {error.message}", field="page.number") from error


def digest(pixels: Pixels) -> str:
    """Hex SHA-256 over mode, width, height and pixels of a uint8 (height, width, 3) array."""
    height, width, _ = pixels.shape
    hashed = hashlib.sha256(f"RGB {width} {height}\n".encode())
    hashed.update(np.ascontiguousarray(pixels).data)
    return hashed.hexdigest()
