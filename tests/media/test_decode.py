"""What decoding promises: one page, its own pixels, one hash for the same picture."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from edge_clm.config import Limits
from edge_clm.errors import (
    ImageNotRecognised,
    ImageShapeUnusable,
    ImageTruncated,
    NoSuchPage,
    RequestInvalid,
)
from edge_clm.media.decode import MEDIA_TYPES, decode, digest
from edge_clm.media.sniff import media_type
from tests.media import files

LIMITS = Limits()
KINDS = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
    "HEIF": "image/heic",
    "AVIF": "image/avif",
}


@pytest.mark.parametrize(("kind", "told"), KINDS.items())
def test_media_type_is_told_by_content(kind: str, told: str) -> None:
    """Every type is told by its first bytes and is one of those announced."""
    data = files.encoded(files.picture(), kind)
    assert media_type(data) == told == decode(data, 0, LIMITS).media_type
    assert told in MEDIA_TYPES


def test_every_announced_type_is_read() -> None:
    """What GetInfo announces is what the tests above decode, and PDF."""
    assert set(MEDIA_TYPES) == {*KINDS.values(), "application/pdf"}
    assert media_type(files.pdf_pages()) == "application/pdf"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"BM is how this letter begins, and it is no picture",
        b"RIFF\x24\x00\x00\x00WAVEfmt ",
        b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"PK\x03\x04\x14\x00",
        b"%!PS-Adobe-3.0 EPSF-3.0",
        b"\xff\xd8",
    ],
)
def test_what_is_not_read_is_not_recognised(data: bytes) -> None:
    """Text, sound, film, archives and drawings are none of ours."""
    with pytest.raises(ImageNotRecognised):
        media_type(data)


def test_pixels_are_owned_contiguous_and_writable() -> None:
    """The result is an array of its own, whichever way it was turned or drawn."""
    turned = files.encoded(files.picture(), "JPEG", exif=files.exif(6))
    for data in (files.encoded(files.picture(), "PNG"), turned, files.pdf_pages()):
        found = decode(data, 0, LIMITS).pixels
        assert found.dtype == np.uint8
        assert found.flags.c_contiguous
        assert found.flags.owndata
        assert found.flags.writeable


def test_same_pixels_have_one_hash() -> None:
    """A picture is the same page in every lossless format."""
    hashes = {
        decode(files.encoded(files.picture(), kind), 0, LIMITS).sha256
        for kind in ("PNG", "BMP", "TIFF")
    }
    lossless = files.encoded(files.picture(), "WEBP", lossless=True)
    assert hashes == {decode(lossless, 0, LIMITS).sha256}


def test_hash_is_a_full_sha256_of_mode_size_and_pixels() -> None:
    """The hash is the whole digest over all of it, so that it can be made again elsewhere."""
    pixels = np.asarray(files.picture())
    wanted = hashlib.sha256(b"RGB 96 64\n" + pixels.tobytes()).hexdigest()
    assert decode(files.encoded(files.picture(), "PNG"), 0, LIMITS).sha256 == wanted


small = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))


@settings(derandomize=True, deadline=None, max_examples=200, database=None)
@given(small, st.data())
def test_hash_changes_with_any_pixel_and_with_the_shape(
    of: tuple[int, int, int], data: st.DataObject
) -> None:
    """One value of one pixel changes the hash, and so do other sides with the same bytes."""
    height, width, seed = of
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    before = digest(pixels)
    assert (digest(pixels.reshape(width, height, 3)) == before) == (width == height)
    other = pixels.copy()
    at = data.draw(st.integers(0, other.size - 1))
    other.flat[at] ^= data.draw(st.integers(1, 255))
    assert digest(other) != before
    assert digest(pixels) == before


def test_pages_count_from_one_and_none_means_the_first() -> None:
    """Page 0 is page 1; below is no page; beyond the last there is none."""
    data = files.pdf_pages(2)
    first = decode(data, 0, LIMITS)
    assert (first.page, first.pages) == (1, 2)
    assert decode(data, 1, LIMITS).sha256 == first.sha256
    assert decode(data, 2, LIMITS).page == 2
    for bad, error in ((-1, RequestInvalid), (3, NoSuchPage), (2**31 - 1, NoSuchPage)):
        with pytest.raises(error) as caught:
            decode(data, bad, LIMITS)
        assert caught.value.field == "page.number"


def test_pdf_is_drawn_at_200_dpi_within_a_side() -> None:
    """A small page gets 200 dpi, a sheet 2200 pixels, a long receipt the width that print needs."""
    sizes = {
        b"0 0 300 400": (834, 1112),
        b"0 0 595 842": (1555, 2200),
        b"0 0 200 5000": (556, 13889),
    }
    for box, (width, height) in sizes.items():
        found = decode(files.pdf_pages(box=box), 0, LIMITS).pixels
        assert abs(found.shape[1] - width) <= 1
        assert abs(found.shape[0] - height) <= 1


def test_pdf_never_exceeds_the_pixels_allowed() -> None:
    """A lower limit of pixels lowers the resolution before it refuses the page."""
    limits = Limits(max_pixels=200_000)
    height, width, _ = decode(files.pdf_pages(), 0, limits).pixels.shape
    assert 190_000 < height * width <= 200_000


def test_pdf_rotation_is_applied() -> None:
    """A page that says it lies on its side is turned."""
    red, blue = [255, 0, 0], [0, 0, 255]
    upright = decode(files.pdf_pages(), 0, LIMITS).pixels
    assert (upright[5, 5].tolist(), upright[-5, 5].tolist()) == (red, blue)
    turned = decode(files.pdf_pages(entries=b"/Rotate 90"), 0, LIMITS).pixels
    assert turned.shape[:2] == upright.shape[1::-1]
    assert (turned[5, -5].tolist(), turned[5, 5].tolist()) == (red, blue)


def test_pdf_forms_and_notes_are_drawn() -> None:
    """A filled-in field and an annotation are part of the page."""
    found = decode(files.pdf_form(), 0, LIMITS).pixels
    assert found[5, 5].tolist() == [255, 0, 0]
    assert found[-5, -5].tolist() == [0, 0, 255]
    assert found[-5, 5].tolist() == [255, 255, 255]


def test_threads_do_not_disturb_each_other() -> None:
    """Simultaneous calls give what single ones give."""
    inputs = [files.pdf_pages(), *(files.encoded(files.picture(), kind) for kind in KINDS)]
    wanted = [decode(data, 0, LIMITS).sha256 for data in inputs]
    found: list[list[str]] = []

    def work() -> None:
        found.append([decode(data, 0, LIMITS).sha256 for data in inputs])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


def test_pillow_is_left_as_it_was() -> None:
    """Decoding changes no setting of the libraries that others in the process use."""
    before = (Image.MAX_IMAGE_PIXELS, list(Image.ID), dict(Image.OPEN))
    decode(files.encoded(files.picture(), "HEIF"), 0, LIMITS)
    assert before == (Image.MAX_IMAGE_PIXELS, list(Image.ID), dict(Image.OPEN))


def test_photos_of_invoices(documents: Path) -> None:
    """Real phone photos decode at their true size."""
    photos = sorted(documents.glob("inv3d/*/*.jpg"))[::30]
    assert photos
    for photo in photos:
        with Image.open(photo) as image:
            turned = image.getexif().get(274, 1) >= 5
            size = image.size[::-1] if turned else image.size
        found = decode(photo.read_bytes(), 0, LIMITS)
        assert found.pixels.shape[1::-1] == size


def test_scanned_receipts(documents: Path) -> None:
    """Real scans decode."""
    scans = sorted(documents.glob("sroie/**/*.jpg"))[::10]
    assert scans
    for scan in scans:
        assert decode(scan.read_bytes(), 0, LIMITS).pixels.mean() > 100


def test_contracts(documents: Path) -> None:
    """Real PDFs have the pages that their page trees count, and something on each."""
    contracts = sorted((documents / "adbuy").glob("*.pdf"))[::5]
    assert contracts
    for contract in contracts:
        data = contract.read_bytes()
        last = decode(data, decode(data, 1, LIMITS).pages, LIMITS)
        assert last.page == last.pages
        assert 150 < last.pixels.mean() < 254.9
        with pytest.raises(NoSuchPage):
            decode(data, last.pages + 1, LIMITS)


@pytest.mark.parametrize("make", [files.tiff_damaged, files.pdf_damaged])
def test_a_damaged_page_is_named(make: Callable[[int, int], bytes]) -> None:
    """Of a document whose second page is damaged the others are read, and the error says which is not."""
    data = make(3, 2)
    assert [decode(data, page, LIMITS).pages for page in (1, 3)] == [3, 3]
    with pytest.raises(ImageTruncated, match=r"^page 2: the \w+ .*damaged") as refused:
        decode(data, 2, LIMITS)
    assert refused.value.field == "page.number"


@pytest.mark.parametrize("make", [files.tiff_pages, files.pdf_pages])
def test_a_page_of_no_use_is_named(make: Callable[[int], bytes]) -> None:
    """What a page is refused for names the page, but for the first, which is all of most files."""
    wide = Limits(min_side=1000)
    for page, told, field in ((1, "the picture", ""), (3, "page 3: the picture", "page.number")):
        with pytest.raises(ImageShapeUnusable, match=f"^{told}") as refused:
            decode(make(3), page, wide)
        assert refused.value.field == field


def test_a_page_that_is_not_there_is_told_as_before() -> None:
    """The document lacks it, so nothing is wrong with it."""
    with pytest.raises(NoSuchPage, match=r"^the document has 3 pages, not 4"):
        decode(files.tiff_pages(3), 4, LIMITS)
