"""Whatever the bytes, there is a page or an error that says what is wrong with them."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from edge_clm.config import Limits
from edge_clm.errors import InvalidInput
from edge_clm.media.decode import decode
from tests.media import files

LIMITS = Limits(max_pixels=1_000_000)


@cache
def pictures() -> dict[str, bytes]:
    """One intact file of every kind and of the stranger modes."""
    image = files.picture()
    grey16 = Image.fromarray(np.full((64, 64), 30000, np.uint16))
    clear = image.copy()
    clear.putalpha(128)
    return {
        **{kind: files.encoded(image, kind) for kind in ("PNG", "WEBP", "GIF", "BMP", "TIFF")},
        "JPEG": files.encoded(image, "JPEG", exif=files.exif(6)),
        "progressive": files.encoded(image, "JPEG", progressive=True),
        "cmyk": files.encoded(image.convert("CMYK"), "JPEG"),
        "HEIF": files.encoded(image, "HEIF"),
        "AVIF": files.encoded(image, "AVIF"),
        "lzw": files.encoded(image, "TIFF", compression="tiff_lzw"),
        "jpeg in tiff": files.encoded(image, "TIFF", compression="jpeg"),
        "fax": files.encoded(image.convert("1"), "TIFF", compression="group4"),
        "wide": files.encoded(grey16, "TIFF", compression="tiff_adobe_deflate"),
        "wide png": files.encoded(grey16, "PNG"),
        "clear": files.encoded(clear, "PNG", exif=files.exif(8)),
        "clear webp": files.encoded(clear, "WEBP", lossless=True),
        "palette": files.encoded(image.quantize(8), "PNG", transparency=b"\x00\x80\xff"),
        "pages": files.encoded(image, "TIFF", save_all=True, append_images=[image]),
        "moving": files.encoded(image, "GIF", save_all=True, append_images=[image.rotate(90)]),
    }


@cache
def documents() -> dict[str, bytes]:
    return {
        "pages": files.pdf_pages(2),
        "form": files.pdf_form(),
        "picture": files.pdf_picture(100, 100),
        "locked": files.pdf_locked(b""),
    }


def check(data: bytes, page: int) -> None:
    try:
        found = decode(data, page, LIMITS)
    except InvalidInput as error:
        assert error.reason != "INTERNAL"
        return
    height, width, channels = found.pixels.shape
    assert found.pixels.dtype == np.uint8
    assert channels == 3
    assert height * width <= LIMITS.max_pixels
    assert min(height, width) >= LIMITS.min_side
    assert 1 <= found.page <= found.pages
    assert len(found.sha256) == 64


@st.composite
def damaged(draw: st.DrawFn, intact: dict[str, bytes]) -> bytes:
    """A file with some bytes changed, most of them near its head, and perhaps cut or stretched."""
    data = bytearray(intact[draw(st.sampled_from(sorted(intact)))])
    for _ in range(draw(st.integers(0, 6))):
        near = draw(st.sampled_from([64, 256, len(data)]))
        data[draw(st.integers(0, min(near, len(data)) - 1))] = draw(st.integers(0, 255))
    if draw(st.booleans()):
        data = data[: draw(st.integers(0, len(data)))]
    return bytes(data) + draw(st.binary(max_size=8))


@settings(derandomize=True, deadline=None, max_examples=600, database=None)
@given(st.deferred(lambda: damaged(pictures())), st.integers(0, 3))
def test_damaged_pictures(data: bytes, page: int) -> None:
    """A changed or cut picture gives a page or an error of ours."""
    check(data, page)


@settings(derandomize=True, deadline=None, max_examples=40, database=None)
@given(st.deferred(lambda: damaged(documents())), st.integers(0, 3))
def test_damaged_documents(data: bytes, page: int) -> None:
    """A changed or cut PDF gives a page or an error of ours."""
    check(data, page)


HEADS = [b"", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"II*\x00", b"MM\x00+", b"BM"]
HEADS += [b"RIFF\x00\x01\x00\x00WEBPVP8X", b"\x00\x00\x00\x18ftypheic", b"\x00\x00\x00\x18ftypavif"]


@settings(derandomize=True, deadline=None, max_examples=300, database=None)
@given(st.sampled_from(HEADS), st.binary(max_size=400), st.integers(0, 3))
def test_noise_behind_a_true_head(head: bytes, noise: bytes, page: int) -> None:
    """Random bytes, also behind the mark of a format, give an error of ours."""
    check(head + noise, page)
