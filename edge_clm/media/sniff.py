"""What a file is, told by its first bytes and never by its name."""

from __future__ import annotations

from edge_clm.errors import ImageNotRecognised

JPEG = "image/jpeg"
PNG = "image/png"
WEBP = "image/webp"
GIF = "image/gif"
BMP = "image/bmp"
TIFF = "image/tiff"
HEIC = "image/heic"
AVIF = "image/avif"
PDF = "application/pdf"

_STARTS = (
    (b"\xff\xd8\xff", JPEG),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
    (b"II+\x00", TIFF),
    (b"MM\x00+", TIFF),
)
_BMP_HEADERS = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
"""Sizes that the second header of a BMP can have; its two letters alone begin many a text."""
_HEIC_BRANDS = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
)
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_PDF_SEARCH = 1024
"""Readers of PDF accept that many bytes of something else before the header."""


def media_type(data: bytes) -> str:
    """Tells the media type of a file by its content.

    Raises ImageNotRecognised for anything that is none of the types that are read.
    """
    for start, kind in _STARTS:
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    if data[:2] == b"BM" and int.from_bytes(data[14:18], "little") in _BMP_HEADERS:
        return BMP
    if data[4:8] == b"ftyp":
        return _of_brands(data)
    if b"%PDF-" in data[:_PDF_SEARCH]:
        return PDF
    raise ImageNotRecognised("the file is no picture or document that is read here")


def _of_brands(data: bytes) -> str:
    """HEIC and AVIF share a container, which also holds films; its brands tell them apart."""
    end = min(int.from_bytes(data[:4], "big"), len(data), 512)
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, end - 3, 4))}
    if brands & _AVIF_BRANDS:
        return AVIF
    if brands & _HEIC_BRANDS:
        return HEIC
    raise ImageNotRecognised("the file is a film or a picture in a coding that is not read here")
