"""Multi-page TIFF: counting pages, and refusing files that would be dear to read."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import ceil

from edge_clm.config import Limits
from edge_clm.errors import ImageTooManyPixels, ImageTruncated, NoSuchPage
from edge_clm.media.directory import Directories, Entry
from edge_clm.media.shape import check_shape
from edge_clm.media.tone import Samples

MAX_DIRECTORIES = 10_000
"""Longest chain that is followed; no scanner makes such a file."""

_SUBFILE, _WIDTH, _HEIGHT, _BITS, _PHOTOMETRIC = 254, 256, 257, 258, 262
_STRIPS, _SAMPLES, _ROWS, _PLANES = 273, 277, 278, 284
_TILE_WIDTH, _TILE_HEIGHT, _TILES, _SAMPLE_FORMAT = 322, 323, 324, 339
_REDUCED = 1
"""Bit of the subfile type that marks a thumbnail of another page."""
_WHITE_IS_ZERO, _SIGNED, _SEPARATE = 0, 2, 2


@dataclass(frozen=True, slots=True)
class TiffPage:
    """One page of a TIFF."""

    data: bytes
    """The file with this page as its first."""
    pages: int
    samples: Samples


def select(data: bytes, page: int, limits: Limits) -> TiffPage:
    """Finds page `page` (from 1) of a TIFF and checks it before anything is unpacked.

    Thumbnails of other pages are not pages. Raises NoSuchPage, ImageTruncated, ImageTooManyPixels
    and ImageShapeUnusable.
    """
    try:
        chain = Directories(data)
        offsets = _pages(chain)
        if page > len(offsets):
            raise NoSuchPage(
                f"the document has {len(offsets)} pages, not {page}", field="page.number"
            )
        offset = offsets[page - 1]
        entries = chain.entries(offset)
        _check(chain, entries, limits)
        return TiffPage(_starting_at(data, chain, offset), len(offsets), _samples(chain, entries))
    except ValueError as error:
        raise ImageTruncated("the TIFF ends early or is damaged") from error


def _pages(chain: Directories) -> list[int]:
    every: list[int] = []
    whole: list[int] = []
    seen: set[int] = set()
    offset = chain.first
    while offset and offset not in seen:
        if len(every) == MAX_DIRECTORIES:
            raise ImageTruncated(f"the TIFF has more than {MAX_DIRECTORIES} directories")
        seen.add(offset)
        every.append(offset)
        if not _is_thumbnail(chain, offset):
            whole.append(offset)
        offset = chain.next(offset)
    return whole or every


def _is_thumbnail(chain: Directories, offset: int) -> bool:
    first = chain.first_entry(offset)
    return bool(first and first[0] == _SUBFILE and chain.number(first[1], 0) & _REDUCED)


def _check(chain: Directories, entries: dict[int, Entry], limits: Limits) -> None:
    width, height = _number(chain, entries, _WIDTH, 0), _number(chain, entries, _HEIGHT, 0)
    if not width or not height:
        raise ImageTruncated("the TIFF names no size")
    check_shape(width, height, limits)
    across, down = width, _number(chain, entries, _ROWS, height) or height
    parts = entries.get(_STRIPS)
    if _TILES in entries:
        across = _number(chain, entries, _TILE_WIDTH, width) or width
        down = _number(chain, entries, _TILE_HEIGHT, height) or height
        parts = entries[_TILES]
    down = min(down, max(height, 1)) if _TILES not in entries else down
    if across * down > limits.max_pixels:
        raise ImageTooManyPixels(f"the TIFF has tiles of {across} x {down} pixels")
    planes = _number(chain, entries, _SAMPLES, 1)
    layers = planes if _number(chain, entries, _PLANES, 1) == _SEPARATE else 1
    # Every part would be unpacked, however many times over they cover the picture.
    if parts and parts.count > ceil(width / across) * ceil(height / down) * layers:
        raise ImageTruncated("the TIFF has more strips or tiles than its size asks for")


def _samples(chain: Directories, entries: dict[int, Entry]) -> Samples:
    return Samples(
        bits=_number(chain, entries, _BITS, 1),
        signed=_number(chain, entries, _SAMPLE_FORMAT, 1) == _SIGNED,
        white_is_zero=_number(chain, entries, _PHOTOMETRIC, 1) == _WHITE_IS_ZERO,
    )


def _number(chain: Directories, entries: dict[int, Entry], tag: int, default: int) -> int:
    return chain.number(entries.get(tag), default)


def _starting_at(data: bytes, chain: Directories, offset: int) -> bytes:
    """The same file with another first directory, so that no library walks the chain again."""
    if chain.big:
        return data[:8] + struct.pack(chain.order + "Q", offset) + data[16:]
    return data[:4] + struct.pack(chain.order + "I", offset) + data[8:]
