"""Pixels come out as a person would see them, whatever way a file stores them."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageDraw

from edge_clm.config import Limits
from edge_clm.media.decode import decode
from edge_clm.types import Pixels
from tests.media import files
from tests.media.files import BLACK, BLUE, GREEN, HEIGHT, RED, WHITE, WIDTH

LIMITS = Limits()
LOSSY = 6


def pixels(data: bytes, page: int = 0) -> Pixels:
    return decode(data, page, LIMITS).pixels


def is_upright(found: Pixels, tolerance: int = LOSSY) -> bool:
    wanted = np.asarray(files.picture()).astype(int)
    if found.shape != wanted.shape:
        return False
    apart = np.abs(found.astype(int) - wanted).max(axis=2)
    return bool(np.percentile(apart, 95) <= tolerance)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF", "HEIF", "TIFF"])
def test_orientation_is_applied_once(kind: str, orientation: int) -> None:
    """A picture stored in any of the eight ways comes out upright, in every format that has EXIF."""
    stored = files.picture()
    if (method := files.STORED[orientation]) is not None:
        stored = stored.transpose(method)
    data = files.encoded(stored, kind, exif=files.exif(orientation))
    assert is_upright(pixels(data))


@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "jpeg", "tiff_adobe_deflate"])
def test_compressed_tiff_is_turned_once(compression: str) -> None:
    """A TIFF that goes through libtiff is turned as often as one that does not."""
    stored = files.picture().transpose(Image.Transpose.ROTATE_90)
    options = {"quality": 98} if compression == "jpeg" else {}
    data = files.encoded(stored, "TIFF", compression=compression, tiffinfo={274: 6}, **options)
    assert is_upright(pixels(data), 16)


@pytest.mark.parametrize(
    "block", [b"", b"II*\x00", b"II*\x00\xff\xff\xff\xff", b"nonsense", b"MM" * 9]
)
def test_damaged_exif_does_not_cost_the_picture(block: bytes) -> None:
    """A picture whose EXIF cannot be read is taken as it lies."""
    assert is_upright(pixels(files.encoded(files.picture(), "JPEG", exif=b"Exif\x00\x00" + block)))


def test_orientation_in_a_png_behind_the_pixels() -> None:
    """An eXIf chunk counts even when it comes after the picture."""
    stored = files.picture().transpose(Image.Transpose.ROTATE_180)
    data = files.encoded(stored, "PNG")
    end = data.rfind(b"IEND") - 4
    late = data[:end] + files.chunk(b"eXIf", files.exif(3)[6:]) + data[end:]
    assert is_upright(pixels(late), 0)


def ramp(top: int) -> np.ndarray[Any, Any]:
    """Values from 0 to `top`, left to right; 64 rows of 256."""
    row = np.linspace(0, top, 256).round().astype(np.uint32)
    return np.tile(row, (64, 1))


def assert_is_ramp(found: Pixels, *, inverted: bool = False) -> None:
    wanted = np.arange(256)[::-1] if inverted else np.arange(256)
    assert found.shape == (64, 256, 3)
    assert np.abs(found.astype(int) - wanted[None, :, None]).max() <= 1


def test_sixteen_bits_of_grey_in_png() -> None:
    """A 16-bit PNG is scaled, not cut off to a blank page."""
    rows = files.png_rows(ramp(65535).astype(np.uint16))
    assert_is_ramp(pixels(files.png((256, 64), 16, 0, rows)))


def test_sixteen_bits_of_colour_in_png() -> None:
    """A 16-bit RGB PNG, with alpha and without, is scaled."""
    grey = ramp(65535).astype(np.uint16)
    opaque = np.full_like(grey, 65535)
    colour = np.stack([grey, grey, grey], axis=2)
    with_alpha = np.stack([grey, grey, grey, opaque], axis=2)
    assert_is_ramp(pixels(files.png((256, 64), 16, 2, files.png_rows(colour))))
    assert_is_ramp(pixels(files.png((256, 64), 16, 6, files.png_rows(with_alpha))))


@pytest.mark.parametrize(("order", "photometric"), [("<", 1), (">", 1), ("<", 0)])
def test_sixteen_bits_of_grey_in_tiff(order: str, photometric: int) -> None:
    """A 16-bit TIFF of either byte order is scaled, and inverted where zero means white."""
    body = ramp(65535).astype(f"{order}u2").tobytes()
    data = files.tiff((256, 64), body, (16,), photometric, order=order)
    assert_is_ramp(pixels(data), inverted=photometric == 0)


def test_sixteen_bit_tiff_through_libtiff() -> None:
    """Compression changes nothing about wide values."""
    image = Image.fromarray(ramp(65535).astype(np.uint16))
    assert_is_ramp(pixels(files.encoded(image, "TIFF", compression="tiff_lzw")))


def test_twelve_bits() -> None:
    """A 12-bit TIFF fills the range, though it is held in 16 bits."""
    values = ramp(4095)
    pairs = values.reshape(64, 128, 2)
    packed = np.empty((64, 128, 3), np.uint8)
    packed[..., 0] = pairs[..., 0] >> 4
    packed[..., 1] = (pairs[..., 0] & 15) << 4 | pairs[..., 1] >> 8
    packed[..., 2] = pairs[..., 1] & 255
    assert_is_ramp(pixels(files.tiff((256, 64), packed.tobytes(), (12,))))


@pytest.mark.parametrize("top", [255, 65535, 4294967295])
def test_thirty_two_bit_integers(top: int) -> None:
    """32-bit integers are scaled by the smallest usual range that holds them."""
    body = ramp(top).astype("<u4").tobytes()
    assert_is_ramp(pixels(files.tiff((256, 64), body, (32,))))


def test_signed_integers_below_zero() -> None:
    """Signed values are spread from the least to the greatest."""
    body = (ramp(2000).astype(np.int32) - 1000).astype("<i4").tobytes()
    assert_is_ramp(pixels(files.tiff((256, 64), body, (32,), extra=[(339, 3, (2,))])))


@pytest.mark.parametrize("top", [1.0, 255.0, 65535.0])
def test_floats(top: float) -> None:
    """Floats are scaled by the smallest usual range; what is no number is black."""
    values = (ramp(65535) / 65535.0 * top).astype("<f4")
    values[0, 0] = np.nan
    data = files.tiff((256, 64), values.tobytes(), (32,), extra=[(339, 3, (3,))])
    assert_is_ramp(pixels(data))


def test_grey_palette_and_one_bit() -> None:
    """Grey, palette and black-and-white pictures come out in the same colours."""
    picture = files.picture()
    grey = np.asarray(picture.convert("L"))
    for kind in ("PNG", "BMP", "TIFF", "JPEG"):
        found = pixels(files.encoded(picture.convert("L"), kind))
        assert np.abs(found.astype(int) - grey[..., None]).max() <= LOSSY
    assert is_upright(pixels(files.encoded(picture.quantize(8), "PNG")), 2)
    assert is_upright(pixels(files.encoded(picture.quantize(8), "TIFF")), 2)
    bits = Image.fromarray(grey > 100)
    for kind in ("PNG", "BMP", "TIFF"):
        found = pixels(files.encoded(bits, kind))
        assert np.array_equal(found[..., 0] > 127, grey > 100)
    fax = files.encoded(bits, "TIFF", compression="group4")
    assert np.array_equal(pixels(fax)[..., 0] > 127, grey > 100)


def test_cmyk_and_its_two_polarities() -> None:
    """CMYK is right in TIFF, in Adobe's inverted JPEG and in a JPEG without Adobe's marker."""
    cmyk = files.picture().convert("CMYK")
    assert is_upright(pixels(files.encoded(cmyk, "TIFF")), 1)
    adobe = files.encoded(cmyk, "JPEG")
    assert is_upright(pixels(adobe), 12)
    plain = files.encoded(Image.eval(cmyk, lambda value: 255 - value), "JPEG")
    bare = files.without_adobe_marker(plain)
    assert b"Adobe" in plain
    assert b"Adobe" not in bare
    assert is_upright(pixels(bare), 12)


def test_ycbcr_and_lab() -> None:
    """YCbCr and LAB in a TIFF come out as RGB."""
    picture = files.picture()
    assert is_upright(pixels(files.encoded(picture.convert("YCbCr"), "TIFF")), LOSSY)
    lab = ImageCms.profileToProfile(
        picture, ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB"
    )
    assert is_upright(pixels(files.encoded(lab, "TIFF")), 12)


def text(ink: tuple[int, int, int], ground: tuple[int, int, int, int]) -> Image.Image:
    """Strokes such as a word has, on clear ground."""
    image = Image.new("RGBA", (160, 48), ground)
    ImageDraw.Draw(image).text((8, 6), "Total 94.93", fill=(*ink, 255), font_size=24)
    return image


@pytest.mark.parametrize(
    ("ink", "backdrop"),
    [
        (BLACK, WHITE),
        (BLUE, WHITE),
        ((120, 120, 120), WHITE),
        (WHITE, BLACK),
        ((240, 230, 90), BLACK),
    ],
)
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF", "HEIF"])
def test_clear_ground_sets_off_the_ink(
    ink: tuple[int, int, int], backdrop: tuple[int, int, int], kind: str
) -> None:
    """What is clear becomes white, or black where the ink is light."""
    options = {"lossless": True, "exact": True} if kind == "WEBP" else {}
    found = pixels(files.encoded(text(ink, (0, 0, 0, 0)), kind, **options))
    assert np.abs(found[0, 0].astype(int) - backdrop).max() <= 2
    assert np.abs(found.astype(int) - ink).max(axis=2).min() <= 12


def test_dark_text_with_a_pale_fringe_stays_on_white() -> None:
    """Text cut out of white paper by one clear colour keeps its pale edge pixels: still dark text."""
    paper = text(BLACK, (255, 255, 255, 255)).convert("RGB")
    found = pixels(files.encoded(paper, "PNG", transparency=(255, 255, 255)))
    assert found[0, 0].tolist() == list(WHITE)
    assert np.array_equal(found, np.asarray(paper))


def test_white_sheet_cut_out_of_its_surroundings() -> None:
    """A white page on clear ground is a page, not light ink."""
    image = Image.new("RGBA", (400, 600), (0, 0, 0, 0))
    image.paste((255, 255, 255, 255), (8, 8, 392, 592))
    ImageDraw.Draw(image).text((40, 40), "Invoice", fill=(0, 0, 0, 255), font_size=40)
    assert pixels(files.encoded(image, "PNG"))[0, 0].tolist() == list(WHITE)


def test_half_clear_ink_is_blended() -> None:
    """Alpha weighs the ink against the backdrop."""
    image = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
    image.paste((0, 0, 0, 128), (0, 0, 32, 64))
    assert abs(int(pixels(files.encoded(image, "PNG"))[5, 5, 0]) - 127) <= 1


@pytest.mark.parametrize("meaning", [1, 2])
def test_grey_tiff_with_alpha(meaning: int) -> None:
    """Alpha beside grey is laid over white, multiplied in beforehand or not."""
    values = np.zeros((64, 64, 2), np.uint8)
    values[20:40, 20:40] = (0, 255)
    data = files.tiff((64, 64), values.tobytes(), (8, 8), extra=[(338, 3, (meaning,))])
    found = pixels(data)
    assert found[0, 0].tolist() == list(WHITE)
    assert found[30, 30].tolist() == list(BLACK)


def test_wholly_clear_picture_is_a_blank_page() -> None:
    """A picture of which nothing is visible is white paper."""
    data = files.encoded(Image.new("RGBA", (64, 64), (10, 20, 30, 0)), "PNG")
    assert (pixels(data) == 255).all()


@pytest.mark.parametrize(("depth", "clear"), [(1, 0), (2, 1), (4, 5), (8, 90), (16, 9000)])
def test_clear_grey_value_of_any_depth(depth: int, clear: int) -> None:
    """A PNG may name one grey value as clear, in its own depth."""
    shade = (1 << depth) - 1
    values = np.full((64, 64), clear, np.uint32)
    values[20:40, 20:40] = shade if depth == 1 else 0
    if depth == 16:
        rows = files.png_rows(values.astype(np.uint16))
    else:
        bits = (values[..., None] >> np.arange(depth)[::-1]) & 1
        rows = files.png_rows(np.packbits(bits.reshape(64, -1).astype(np.uint8), axis=1))
    data = files.png((64, 64), depth, 0, rows, [files.chunk(b"tRNS", struct.pack(">H", clear))])
    found = pixels(data)
    ink, ground = found[30, 30, 0], found[0, 0, 0]
    assert {int(ink), int(ground)} == {0, 255}


def test_clear_colour_in_sixteen_bits() -> None:
    """The clear colour of a 16-bit RGB PNG is scaled with the picture."""
    values = np.full((64, 64, 3), 40000, np.uint16)
    values[20:40, 20:40] = 0
    clear = files.chunk(b"tRNS", struct.pack(">3H", 40000, 40000, 40000))
    found = pixels(files.png((64, 64), 16, 2, files.png_rows(values), [clear]))
    assert found[0, 0].tolist() == list(WHITE)
    assert found[30, 30].tolist() == list(BLACK)


def test_palette_with_alpha() -> None:
    """A palette whose entries have alpha is laid over white."""
    image = files.picture().quantize(4)
    palette = image.getpalette() or []
    green = next(
        at for at in range(4) if abs(palette[3 * at + 1] - GREEN[1]) < 9 and palette[3 * at] < 60
    )
    alphas = bytes(128 if at == green else 255 for at in range(4))
    found = pixels(files.encoded(image, "PNG", transparency=alphas))
    blended = [round((value * 128 + 255 * 127) / 255) for value in GREEN]
    assert np.abs(found[4, -4].astype(int) - blended).max() <= 3
    assert np.abs(found[4, 4].astype(int) - RED).max() <= 2


def test_transparent_gif() -> None:
    """The clear index of a GIF becomes paper."""
    image = files.picture().quantize(8)
    data = files.encoded(image, "GIF", transparency=image.getpixel((WIDTH - 1, HEIGHT - 1)))
    assert pixels(data)[-1, -1].tolist() == list(WHITE)


def test_first_frame_of_what_moves() -> None:
    """Of an animated GIF, WebP and PNG the first frame is the page, and the only one."""
    second = files.picture().transpose(Image.Transpose.ROTATE_180)
    for kind in ("GIF", "WEBP", "PNG"):
        options = {"lossless": True} if kind == "WEBP" else {}
        data = files.encoded(
            files.picture(), kind, save_all=True, append_images=[second], duration=50, **options
        )
        found = decode(data, 0, LIMITS)
        assert found.pages == 1
        assert is_upright(found.pixels, 2)


def linear_profile() -> bytes:
    """A profile of sRGB's primaries without its curve, made from Pillow's own sRGB."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    count = struct.unpack_from(">I", data, 128)[0]
    for number in range(count):
        name, at, _ = struct.unpack_from(">4sII", data, 132 + 12 * number)
        if name in (b"rTRC", b"gTRC", b"bTRC"):
            data[at : at + 16] = b"para\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00"
        if name == b"desc":
            text = data.find("sRGB".encode("utf-16-be"), at)
            data[text : text + 8] = "Line".encode("utf-16-be")
    return bytes(data)


def test_colour_profile_is_applied() -> None:
    """Values in a linear space are brought to sRGB; a damaged profile leaves them alone."""
    image = Image.new("RGB", (64, 64), (55, 55, 55))
    found = pixels(files.encoded(image, "PNG", icc_profile=linear_profile()))
    assert abs(int(found[0, 0, 0]) - 128) <= 2
    for damaged in (b"nonsense", linear_profile()[:200], b"\x00" * 128):
        kept = pixels(files.encoded(image, "PNG", icc_profile=damaged))
        assert kept[0, 0].tolist() == [55, 55, 55]


def test_srgb_profile_changes_nothing() -> None:
    """The same picture with and without an sRGB profile is the same page."""
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    bare = decode(files.encoded(files.picture(), "PNG"), 0, LIMITS)
    assert (
        decode(files.encoded(files.picture(), "PNG", icc_profile=srgb), 0, LIMITS).sha256
        == bare.sha256
    )


def test_thumbnails_are_not_pages() -> None:
    """A reduced copy in a TIFF's chain is no page of the document."""
    grey = bytes(64 * 64)
    first = files.tiff((64, 64), grey, extra=[(254, 4, (1,))])
    at = int.from_bytes(first[4:8], "little")
    second_at = len(first)
    fields = [
        (256, 4, (64,)), (257, 4, (64,)), (258, 3, (8,)), (259, 3, (1,)), (262, 3, (0,)),
        (273, 4, (8,)), (277, 3, (1,)), (278, 4, (64,)), (279, 4, (4096,)),
    ]  # fmt: skip
    fields_at = at + 2 + 12 * 10
    chained = first[:fields_at] + struct.pack("<I", second_at) + first[fields_at + 4 :]
    found = decode(chained + files.directory(fields, second_at, 0), 0, LIMITS)
    assert found.pages == 1
    assert (found.pixels == 255).all()


def test_tiff_by_page() -> None:
    """Every page of a TIFF is its own picture, with its own size."""
    pages = [files.picture(64 + 8 * number, 64) for number in range(4)]
    data = files.encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    for number in range(1, 5):
        found = decode(data, number, LIMITS)
        assert (found.page, found.pages) == (number, 4)
        assert np.array_equal(found.pixels, np.asarray(pages[number - 1]))


def test_big_tiff() -> None:
    """BigTIFF is TIFF."""
    out = io.BytesIO()
    files.picture().save(out, "TIFF", big_tiff=True)
    assert is_upright(pixels(out.getvalue()), 0)
