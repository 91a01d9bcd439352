"""Pictures: JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC and AVIF to upright RGB pixels."""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageFile,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from edge_clm.config import Limits
from edge_clm.errors import (
    EdgeClmError,
    ImageNotRecognised,
    ImageTooManyBytes,
    ImageTooManyPixels,
    ImageTruncated,
    NoSuchPage,
)
from edge_clm.media import sniff, tiff
from edge_clm.media.colour import flatten
from edge_clm.media.directory import orientation
from edge_clm.media.shape import check_shape
from edge_clm.media.tone import Samples
from edge_clm.types import Pixels

MAX_SCANS = 200
"""Most scans of a progressive JPEG: encoders write about ten, and each goes over the whole picture."""

_READERS: dict[str, type[ImageFile.ImageFile]] = {
    sniff.JPEG: JpegImagePlugin.JpegImageFile,
    sniff.PNG: PngImagePlugin.PngImageFile,
    sniff.WEBP: WebPImagePlugin.WebPImageFile,
    sniff.GIF: GifImagePlugin.GifImageFile,
    sniff.BMP: BmpImagePlugin.BmpImageFile,
    sniff.TIFF: TiffImagePlugin.TiffImageFile,
    sniff.AVIF: AvifImagePlugin.AvifImageFile,
}
"""Each type's own reader, never Pillow's search, which would go on to try formats not offered."""
_TURNED_BY_READER = frozenset({sniff.TIFF, sniff.HEIC})
_UNREAD = ("unsupported", "not supported", "unknown pixel mode", "cannot handle")
_WEBP_HEAD = 30
_STRIP = 512
"""Rows copied at a time."""
_quiet = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Opened:
    image: Image.Image
    pages: int = 1
    samples: Samples = field(default_factory=Samples)


def unpack(data: bytes, kind: str, page: int, limits: Limits) -> tuple[Pixels, int]:
    """Unpacks page `page` (from 1) of a picture of media type `kind`.

    Returns uint8 (height, width, 3), upright, and the number of pages. Raises ImageTooManyPixels,
    ImageTooManyBytes, ImageTruncated, ImageShapeUnusable and NoSuchPage.
    """
    with _codecs():
        opened = _open(data, kind, page, limits)
        with opened.image as image:
            if page > opened.pages:
                raise NoSuchPage(
                    f"the picture has {opened.pages} page, not {page}", field="page.number"
                )
            check_shape(*image.size, limits)
            return _pixels(image, data, kind, opened.samples), opened.pages


@contextmanager
def _codecs() -> Iterator[None]:
    """Runs codecs one at a time, mute, and turns whatever they raise into the errors of `errors`.

    Hostile files bring codecs to raise nearly anything, so the net is wide on purpose. Their
    warnings are about metadata; filters are of the whole process, hence the lock.
    """
    with _quiet, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except EdgeClmError:
            raise
        except (Image.DecompressionBombError, MemoryError) as error:
            raise ImageTooManyPixels("the picture would take too much memory") from error
        except Exception as error:
            raise _meaning(error) from error


def _meaning(error: Exception) -> EdgeClmError:
    """Which error of ours a codec's is; only its words tell damage from what it cannot do."""
    words = str(error).lower()
    if "max_text" in words:
        return ImageTooManyBytes("the PNG's text unpacks to too many bytes")
    if any(sign in words for sign in _UNREAD):
        return ImageNotRecognised("the picture is of a kind that is not read here")
    return ImageTruncated("the picture ends early or is damaged")


def _open(data: bytes, kind: str, page: int, limits: Limits) -> _Opened:
    """Reads headers only."""
    if kind == sniff.HEIC:
        return _Opened(_open_heic(data, limits))
    if kind == sniff.TIFF:
        chosen = tiff.select(data, page, limits)
        reader = TiffImagePlugin.TiffImageFile(io.BytesIO(chosen.data))
        return _Opened(reader, chosen.pages, chosen.samples)
    if kind == sniff.WEBP:
        check_shape(*_webp_size(data), limits)
    if kind == sniff.JPEG and data.count(b"\xff\xda") > MAX_SCANS:
        raise ImageTruncated(f"the JPEG has more than {MAX_SCANS} scans")
    return _Opened(_READERS[kind](io.BytesIO(data)))


def _open_heic(data: bytes, limits: Limits) -> Image.Image:
    """The primary picture of the file, turned upright by its own transformations."""
    import pillow_heif

    file = pillow_heif.HeifFile(io.BytesIO(data))
    width, height = file.size
    check_shape(width, height, limits)
    image: Image.Image = file.to_pillow()
    return image


def _webp_size(data: bytes) -> tuple[int, int]:
    """Width and height by the first chunk; the decoder would first make room for them."""
    if len(data) < _WEBP_HEAD:
        raise ImageTruncated("the WebP ends within its header")
    if data[12:16] == b"VP8X":
        return (
            int.from_bytes(data[24:27], "little") + 1,
            int.from_bytes(data[27:30], "little") + 1,
        )
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return (
        int.from_bytes(data[26:28], "little") & 0x3FFF,
        int.from_bytes(data[28:30], "little") & 0x3FFF,
    )


def _pixels(image: Image.Image, data: bytes, kind: str, samples: Samples) -> Pixels:
    image.load()
    turn = 1 if kind in _TURNED_BY_READER else orientation(_exif(image))
    if kind == sniff.PNG:
        _correct_clear_colour(image, depth=data[24])
    return _turned(_copied(flatten(image, samples)), turn)


def _exif(image: Image.Image) -> bytes:
    exif = image.info.get("exif")
    return exif if isinstance(exif, bytes) else b""


def _correct_clear_colour(image: Image.Image, depth: int) -> None:
    """Pillow brings a PNG's values to eight bits, but not the one that stands for clear.

    Grey of few bits it scales, colours of 16 bits it cuts to their upper byte.
    """
    clear = image.info.get("transparency")
    top = (1 << depth) - 1
    if image.mode == "L" and isinstance(clear, int):
        image.info["transparency"] = (clear & top) * 255 // top
    elif image.mode == "RGB" and isinstance(clear, tuple):
        image.info["transparency"] = tuple((value & top) >> (depth - 8) for value in clear)


def _copied(image: Image.Image) -> Pixels:
    """An RGB picture as an array of its own, without a second whole copy on the way."""
    pixels = np.empty((image.height, image.width, 3), np.uint8)
    for top in range(0, image.height, _STRIP):
        bottom = min(top + _STRIP, image.height)
        pixels[top:bottom] = np.asarray(image.crop((0, top, image.width, bottom)))
    return pixels


def _turned(pixels: Pixels, turn: int) -> Pixels:
    """Undoes an EXIF orientation, 1 to 8."""
    if turn == 1:
        return pixels
    if turn >= 5:
        pixels = pixels.swapaxes(0, 1)
    if turn in (3, 4, 7, 8):
        pixels = pixels[::-1]
    if turn in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return np.ascontiguousarray(pixels)
