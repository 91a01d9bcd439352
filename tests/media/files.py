"""Files to decode: made by real encoders where they make them, by hand where none would."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pillow_heif
from PIL import Image

WIDTH, HEIGHT = 96, 64
RED, GREEN, BLUE, WHITE = (200, 30, 30), (30, 160, 40), (30, 40, 190), (255, 255, 255)
BLACK = (0, 0, 0)

STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""How a camera that writes this orientation has stored an upright picture."""


def picture(width: int = WIDTH, height: int = HEIGHT) -> Image.Image:
    """Four quarters of different colours: red, green; blue, white."""
    image = Image.new("RGB", (width, height), WHITE)
    half, middle = width // 2, height // 2
    image.paste(RED, (0, 0, half, middle))
    image.paste(GREEN, (half, 0, width, middle))
    image.paste(BLUE, (0, middle, half, height))
    return image


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    """Saves by Pillow (or pillow-heif for HEIF), at a quality that keeps flat colours."""
    out = io.BytesIO()
    if kind == "HEIF":
        exif = options.pop("exif", None)
        file = pillow_heif.from_pillow(image)
        for more in options.pop("append_images", ()):
            file.add_from_pillow(more)
        file.save(out, quality=-1, chroma=444, exif=exif, **options)
    else:
        if kind in ("JPEG", "WEBP", "AVIF"):
            options.setdefault("quality", 98)
        if kind == "JPEG":
            options.setdefault("subsampling", 0)
        image.save(out, kind, **options)
    return out.getvalue()


def exif(orientation: int) -> bytes:
    block = Image.Exif()
    block[274] = orientation
    return block.tobytes()


# ------------------------------------------------------------------------------------------- PNG


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(
    size: tuple[int, int], depth: int, colour: int, rows: bytes, extra: Iterable[bytes] = ()
) -> bytes:
    """A PNG of given header and rows (each with its filter byte), whether they fit or not."""
    header = struct.pack(">IIBBBBB", *size, depth, colour, 0, 0, 0)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            *extra,
            chunk(b"IDAT", zlib.compress(rows, 9)),
            chunk(b"IEND", b""),
        ]
    )


def png_rows(values: np.ndarray[Any, Any]) -> bytes:
    """Rows of a (height, ...) array, big-endian where wide, each after filter byte 0."""
    if values.dtype.itemsize == 2:
        values = values.astype(">u2")
    return b"".join(b"\x00" + row.tobytes() for row in values)


def inflating(size: int) -> bytes:
    """A zlib stream that unpacks to `size` zero bytes, made without holding them."""
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    whole, rest = divmod(size, len(block))
    parts = [packer.compress(block) for _ in range(whole)]
    return b"".join([*parts, packer.compress(block[:rest]), packer.flush()])


# ------------------------------------------------------------------------------------------ TIFF

Field = tuple[int, int, tuple[int, ...]]
_CODES = {1: "B", 3: "H", 4: "I"}


def directory(fields: list[Field], at: int, following: int, order: str = "<") -> bytes:
    """One TIFF directory that lies at `at`, with the values that do not fit behind it."""
    size = 2 + 12 * len(fields) + 4
    body, behind = struct.pack(order + "H", len(fields)), b""
    for tag, kind, values in sorted(fields):
        packed = struct.pack(f"{order}{len(values)}{_CODES[kind]}", *values)
        if len(packed) > 4:
            where = struct.pack(order + "I", at + size + len(behind))
            behind, packed = behind + packed, where
        body += struct.pack(order + "HHI", tag, kind, len(values)) + packed.ljust(4, b"\x00")
    return body + struct.pack(order + "I", following) + behind


def tiff(
    size: tuple[int, int],
    pixels: bytes,
    bits: tuple[int, ...] = (8,),
    photometric: int = 1,
    *,
    order: str = "<",
    extra: Iterable[Field] = (),
    compression: int = 1,
) -> bytes:
    """A TIFF of one strip with given fields; `extra` replaces fields of the same tag."""
    fields: dict[int, Field] = {
        tag: (tag, kind, values)
        for tag, kind, values in (
            (256, 4, (size[0],)),
            (257, 4, (size[1],)),
            (258, 3, bits),
            (259, 3, (compression,)),
            (262, 3, (photometric,)),
            (273, 4, (8,)),
            (277, 3, (len(bits),)),
            (278, 4, (size[1],)),
            (279, 4, (len(pixels),)),
            *extra,
        )
    }
    pixels += b"\x00" * (len(pixels) % 2)
    at = 8 + len(pixels)
    mark = b"II" if order == "<" else b"MM"
    head = mark + struct.pack(order + "HI", 42, at)
    return head + pixels + directory(list(fields.values()), at, 0, order)


def tiff_chain(length: int) -> bytes:
    """A TIFF of `length` tiny directories one after the other, none with a picture."""
    body = b"".join(
        directory([(256, 4, (64,))], 0, 8 + 18 * (number + 1)) for number in range(length - 1)
    )
    return b"II*\x00\x08\x00\x00\x00" + body + directory([(256, 4, (64,))], 0, 0)


def tiff_ring() -> bytes:
    """A TIFF whose only directory names itself as the next one."""
    data = bytearray(encoded(picture(), "TIFF"))
    first = struct.unpack_from("<I", data, 4)[0]
    count = struct.unpack_from("<H", data, first)[0]
    struct.pack_into("<I", data, first + 2 + 12 * count, first)
    return bytes(data)


def tiff_pages(count: int, **options: Any) -> bytes:
    more = [picture()] * (count - 1)
    return encoded(picture(), "TIFF", save_all=True, append_images=more, **options)


def tiff_damaged(count: int, page: int) -> bytes:
    """A TIFF of several pages, with zeros where the pixels of one should unpack."""
    data = bytearray(tiff_pages(count, compression="tiff_adobe_deflate"))
    with Image.open(io.BytesIO(data)) as image:
        image.seek(page - 1)
        at, size = image.tag_v2[273][0], image.tag_v2[279][0]
    data[at : at + size] = bytes(size)
    return bytes(data)


# ------------------------------------------------------------------------------------------- PDF


def pdf(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of numbered objects, the first of which is the catalogue."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Size %d/Root 1 0 R%b>>\n" % (len(objects) + 1, trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def stream(body: bytes, entries: bytes = b"") -> bytes:
    return b"<<%b/Length %d>>stream\n%b\nendstream" % (entries, len(body), body)


SHEET = b"1 0 0 rg 0 400 300 200 re f 0 0 1 rg 0 0 300 400 re f"
"""Drawn on a page of 300 x 600 points: the upper third is red, the rest blue."""


def pdf_pages(
    count: int = 1,
    box: bytes = b"0 0 300 600",
    content: bytes = SHEET,
    entries: bytes = b"",
    objects: Iterable[bytes] = (),
    catalogue: bytes = b"",
) -> bytes:
    """A PDF of `count` equal pages; `objects` are numbered from 4."""
    behind = [stream(content), *objects]
    first = 3 + len(behind)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[%b]/Contents 3 0 R%b>>" % (box, entries)
    kids = b" ".join(b"%d 0 R" % (first + number) for number in range(count))
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R%b>>" % catalogue,
            b"<</Type/Pages/Count %d/Kids[%b]>>" % (count, kids),
            *behind,
            *[page] * count,
        ]
    )


def pdf_damaged(count: int, page: int) -> bytes:
    """A PDF of several pages, one of which is something else."""
    parts = pdf_pages(count).split(b"/Type/Page/")
    return b"/Type/Page/".join(parts[:page]) + b"/Type/Font/" + b"/Type/Page/".join(parts[page:])


def pdf_form() -> bytes:
    """A PDF whose page is blank but for a filled-in form field and a note, both of solid colour."""
    look = b"/Type/XObject/Subtype/Form/BBox[0 0 100 100]"
    return pdf_pages(
        content=b"",
        entries=b"/Annots[4 0 R 5 0 R]",
        objects=[
            b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/F 4/Rect[0 500 100 600]/AP<</N 6 0 R>>>>",
            b"<</Type/Annot/Subtype/Square/F 4/Rect[200 0 300 100]/AP<</N 7 0 R>>>>",
            stream(b"1 0 0 rg 0 0 100 100 re f", look),
            stream(b"0 0 1 rg 0 0 100 100 re f", look),
        ],
        catalogue=b"/AcroForm<</Fields[4 0 R]>>",
    )


def pdf_picture(width: int, height: int) -> bytes:
    """A PDF whose page shows one picture of that many pixels, all zero."""
    head = b"/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 8"
    head += b"/Width %d/Height %d/Filter/FlateDecode" % (width, height)
    return pdf_pages(
        content=b"300 0 0 600 0 0 cm /I Do",
        entries=b"/Resources<</XObject<</I 4 0 R>>>>",
        objects=[stream(inflating(width * height), head)],
    )


def pdf_doubling(depth: int, times: int = 10) -> bytes:
    """A PDF whose page draws a form that draws a form that ...: times ** depth rectangles."""
    head = b"/Type/XObject/Subtype/Form/BBox[0 0 300 600]/Resources<</XObject<</F %d 0 R>>>>"
    forms = [stream(b"/F Do " * times, head % (5 + level)) for level in range(depth)]
    return pdf_pages(
        content=b"/F Do",
        entries=b"/Resources<</XObject<</F 4 0 R>>>>",
        objects=[*forms, stream(b"0 0 5 5 re f", head % 4)],
    )


_PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def _rc4(key: bytes, data: bytes) -> bytes:
    box, j = list(range(256)), 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


def pdf_locked(user: bytes) -> bytes:
    """A PDF encrypted with 40-bit RC4 under a user password, which may be empty."""
    md5 = lambda data: hashlib.md5(data, usedforsecurity=False).digest()  # noqa: E731
    secret, identity = (user + _PADDING)[:32], b"edge-clm-testing"
    owner = _rc4(md5((b"owner" + _PADDING)[:32])[:5], secret)
    key = md5(secret + owner + struct.pack("<i", -4) + identity)[:5]
    check = _rc4(key, _PADDING)
    content = _rc4(md5(key + struct.pack("<I", 4)[:3] + b"\x00\x00")[:10], SHEET)
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 600]/Contents 4 0 R>>",
            stream(content),
            b"<</Filter/Standard/V 1/R 2/P -4/O<%b>/U<%b>>>"
            % (owner.hex().encode(), check.hex().encode()),
        ],
        b"/Encrypt 5 0 R/ID[<%b><%b>]" % ((identity.hex().encode(),) * 2),
    )


# ---------------------------------------------------------------------------------------- others


def heic_claiming(width: int, height: int) -> bytes:
    """A small HEIC whose header claims another size."""
    data = bytearray(encoded(picture(), "HEIF"))
    at = data.find(b"ispe") + 8
    data[at : at + 8] = struct.pack(">II", width, height)
    return bytes(data)


def gif_claiming(width: int, height: int) -> bytes:
    data = bytearray(encoded(picture(), "GIF"))
    data[6:10] = struct.pack("<HH", width, height)
    at = data.find(b"\x2c\x00\x00\x00\x00") + 5
    data[at : at + 4] = struct.pack("<HH", width, height)
    return bytes(data)


def bmp_claiming(width: int, height: int) -> bytes:
    data = bytearray(encoded(picture(), "BMP"))
    data[18:26] = struct.pack("<ii", width, height)
    return bytes(data)


def jpeg_claiming(width: int, height: int) -> bytes:
    data = bytearray(encoded(picture(), "JPEG"))
    at = data.find(b"\xff\xc0") + 5
    data[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(data)


def webp_claiming(width: int, height: int) -> bytes:
    """An extended WebP whose canvas is of that size."""
    body = b"VP8X" + struct.pack("<I", 10) + b"\x00\x00\x00\x00"
    body += (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body += encoded(picture(), "WEBP")[12:]
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def without_adobe_marker(jpeg: bytes) -> bytes:
    at = jpeg.find(b"\xff\xee")
    length = int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return jpeg[:at] + jpeg[at + 2 + length :]
