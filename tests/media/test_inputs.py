"""The table of odd and hostile inputs in docs/inputs.md is what happens."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge_clm.config import Limits
from edge_clm.errors import EdgeClmError
from edge_clm.media.decode import decode
from tests.media import files
from tests.media.files import encoded, picture

DOCUMENT = Path(__file__).parents[2] / "docs" / "inputs.md"
LIMITS = Limits()
SMALL = Limits(max_bytes=2000)

Make = Callable[[], bytes]
Case = tuple[str, Make] | tuple[str, Make, int] | tuple[str, Make, int, Limits]


def cut(data: bytes, share: float = 0.6) -> bytes:
    return data[: int(len(data) * share)]


def clear(ink: int) -> Image.Image:
    image = Image.new("LA", (96, 64), (0, 0))
    image.paste((ink, 255), (20, 20, 24, 50))
    return image


def grey16() -> Image.Image:
    return Image.fromarray(np.full((64, 96), 30000, np.uint16))


def moving(kind: str) -> bytes:
    return encoded(picture(), kind, save_all=True, append_images=[picture().rotate(180)])


def text_png(*sizes: int) -> bytes:
    texts = [files.chunk(b"zTXt", b"a\x00\x00" + files.inflating(size)) for size in sizes]
    return files.png((64, 64), 8, 0, files.png_rows(np.zeros((64, 64), np.uint8)), texts)


def many_scans() -> bytes:
    data = encoded(picture(), "JPEG", progressive=True)
    return data[:-2] + data[data.rfind(b"\xff\xda") : -2] * 300 + b"\xff\xd9"


def many_strips() -> bytes:
    return files.tiff((64, 64), bytes(4096), extra=[(273, 4, (8,) * 5000), (278, 4, (32,))])


def wide_tile() -> bytes:
    tiles: list[files.Field] = [
        (322, 4, (60000,)),
        (323, 4, (60000,)),
        (324, 4, (8,)),
        (325, 4, (99,)),
    ]
    return files.tiff((64, 64), files.inflating(1000), extra=tiles, compression=8)


EMPTY_TREE = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 0/Kids[]>>"]
LYING_TREE = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 900000/Kids[]>>"]

READ: list[Case] = [
    ("JPEG", lambda: encoded(picture(), "JPEG")),
    ("JPEG, progressive", lambda: encoded(picture(), "JPEG", progressive=True)),
    ("JPEG on its side, by EXIF", lambda: encoded(picture(), "JPEG", exif=files.exif(6))),
    ("JPEG in CMYK, Adobe's", lambda: encoded(picture().convert("CMYK"), "JPEG")),
    ("JPEG in grey", lambda: encoded(picture().convert("L"), "JPEG")),
    ("JPEG with other bytes behind it", lambda: encoded(picture(), "JPEG") + bytes(3000)),
    ("JPEG with damaged EXIF", lambda: encoded(picture(), "JPEG", exif=b"Exif\x00\x00II*\x00\xff")),
    ("PNG", lambda: encoded(picture(), "PNG")),
    ("PNG, 16 bits of grey", lambda: encoded(grey16(), "PNG")),
    ("PNG, 1 bit", lambda: encoded(picture().convert("1"), "PNG")),
    ("PNG, palette", lambda: encoded(picture().quantize(8), "PNG")),
    ("PNG, dark ink on clear ground", lambda: encoded(clear(0), "PNG")),
    ("PNG, light ink on clear ground", lambda: encoded(clear(255), "PNG")),
    ("PNG on its side, by EXIF", lambda: encoded(picture(), "PNG", exif=files.exif(8))),
    ("PNG, animated: the first frame", lambda: moving("PNG")),
    ("PNG without its last chunk, picture whole", lambda: encoded(picture(), "PNG")[:-12]),
    ("WebP", lambda: encoded(picture(), "WEBP")),
    ("WebP, animated: the first frame", lambda: moving("WEBP")),
    ("GIF", lambda: encoded(picture(), "GIF")),
    ("GIF, animated: the first frame", lambda: moving("GIF")),
    ("BMP", lambda: encoded(picture(), "BMP")),
    ("TIFF", lambda: encoded(picture(), "TIFF")),
    ("TIFF, fax", lambda: encoded(picture().convert("1"), "TIFF", compression="group4")),
    ("TIFF, 16 bits of grey", lambda: encoded(grey16(), "TIFF")),
    ("TIFF, floats", lambda: encoded(Image.new("F", (96, 64), 0.5), "TIFF")),
    ("TIFF in LAB", lambda: files.tiff((64, 64), bytes(12288), (8, 8, 8), 8)),
    ("TIFF of 3 pages, page 3", lambda: files.tiff_pages(3), 3),
    ("TIFF of 3 pages, page 3 behind a damaged one", lambda: files.tiff_damaged(3, 2), 3),
    ("TIFF whose pages go round in a ring", files.tiff_ring),
    ("BigTIFF", lambda: encoded(picture(), "TIFF", big_tiff=True)),
    ("HEIC", lambda: encoded(picture(), "HEIF")),
    ("HEIC of two pictures: the primary one", lambda: moving("HEIF")),
    ("HEIC on its side", lambda: encoded(picture(), "HEIF", exif=files.exif(6))),
    ("AVIF", lambda: encoded(picture(), "AVIF")),
    ("PDF", files.pdf_pages),
    ("PDF of 3 pages, page 2", lambda: files.pdf_pages(3), 2),
    ("PDF of 3 pages, page 3 behind a damaged one", lambda: files.pdf_damaged(3, 2), 3),
    ("PDF of 100 000 pages, the last", lambda: files.pdf_pages(100_000), 100_000),
    ("PDF on its side", lambda: files.pdf_pages(entries=b"/Rotate 90")),
    ("PDF with form field and note", files.pdf_form),
    ("PDF locked with an empty password", lambda: files.pdf_locked(b"")),
    ("PDF with 3000 zeros behind it", lambda: files.pdf_pages() + bytes(3000)),
    ("PDF behind 500 bytes of something else", lambda: bytes(500) + files.pdf_pages()),
]

MISSHAPEN: list[Case] = [
    ("nothing", lambda: b""),
    ("page -1", lambda: encoded(picture(), "PNG"), -1),
    ("more bytes than the limit", lambda: encoded(picture(), "BMP"), 0, SMALL),
    ("a letter", lambda: b"Dear customer, please find attached"),
    ("a letter that begins with BM", lambda: b"BM is short for British Museum, as you know"),
    ("SVG", lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
    ("EPS", lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 99 99\n"),
    ("a film (MP4)", lambda: b"\x00\x00\x00\x14ftypisom\x00\x00\x02\x00mp41" + bytes(64)),
    ("a ZIP", lambda: b"PK\x03\x04" + bytes(64)),
    ("31 x 64 pixels", lambda: encoded(picture(31, 64), "PNG")),
    ("32 x 1952 pixels", lambda: encoded(picture(32, 1952), "PNG")),
    ("PDF page of 1 x 5000 points", lambda: files.pdf_pages(box=b"0 0 1 5000")),
    ("PNG, page 2", lambda: encoded(picture(), "PNG"), 2),
    ("TIFF of 3 pages, page 4", lambda: files.tiff_pages(3), 4),
    ("PDF of 3 pages, page 4", lambda: files.pdf_pages(3), 4),
    ("PDF that needs a password", lambda: files.pdf_locked(b"secret")),
]

DAMAGED: list[Case] = [
    *[
        (f"{name}, cut off", lambda kind=kind: cut(encoded(picture(), kind)))
        for name, kind in (
            ("JPEG", "JPEG"), ("PNG", "PNG"), ("WebP", "WEBP"), ("GIF", "GIF"), ("BMP", "BMP"),
            ("TIFF", "TIFF"), ("HEIC", "HEIF"), ("AVIF", "AVIF"),
        )
    ],
    ("PDF, cut off", lambda: cut(files.pdf_pages())),
    ("TIFF of 3 pages, page 2 is damaged", lambda: files.tiff_damaged(3, 2), 2),
    ("PDF of 3 pages, page 2 is damaged", lambda: files.pdf_damaged(3, 2), 2),
    ("JPEG, three bytes", lambda: b"\xff\xd8\xff"),
    ("JPEG, zeros behind its head", lambda: b"\xff\xd8\xff\xe0" + bytes(500)),
    ("PNG, wrong checksum", lambda: encoded(picture(), "PNG").replace(b"IHDR", b"IHDS")),
    ("TIFF without a size", lambda: files.tiff_chain(3)),
    ("HEIC whose header lies about its size", lambda: files.heic_claiming(90, 64)),
    ("PDF, a head and no body", lambda: b"%PDF-1.7\nstartxref\n0\n%%EOF"),
    ("PDF without pages", lambda: files.pdf(EMPTY_TREE)),
    ("PDF that claims 900 000 pages and has none", lambda: files.pdf(LYING_TREE)),
]  # fmt: skip

BOMBS: list[Case] = [
    ("JPEG that claims 60 000 x 60 000", lambda: files.jpeg_claiming(60000, 60000)),
    ("JPEG of 300 scans", many_scans),
    ("PNG of 30 000 x 30 000, all zero", lambda: files.png((30000, 30000), 8, 2, bytes(9))),
    (
        "PNG of 12 000 x 12 000, where Pillow only warns",
        lambda: files.png((12000, 12000), 8, 2, bytes(9)),
    ),
    ("PNG whose text unpacks to 20 MiB", lambda: text_png(20 << 20)),
    ("PNG with 100 texts of 1 MB", lambda: text_png(*[1_000_000] * 100)),
    ("WebP that claims 16 000 x 16 000", lambda: files.webp_claiming(16000, 16000)),
    ("GIF that claims 60 000 x 60 000", lambda: files.gif_claiming(60000, 60000)),
    ("BMP that claims 60 000 x 60 000", lambda: files.bmp_claiming(60000, 60000)),
    ("TIFF that claims 60 000 x 60 000", lambda: files.tiff((60000, 60000), b"")),
    ("TIFF of 64 x 64 with a tile of 60 000 x 60 000", wide_tile),
    ("TIFF of 5000 strips where 2 do", many_strips),
    ("TIFF of 20 000 directories", lambda: files.tiff_chain(20_000)),
    ("HEIC that claims 30 000 x 30 000", lambda: files.heic_claiming(30000, 30000)),
    ("PDF page of 10^9 x 10^9 points", lambda: files.pdf_pages(box=b"0 0 1000000000 1000000000")),
    ("PDF with a picture of 10 000 x 10 000", lambda: files.pdf_picture(10000, 10000)),
    ("PDF whose page draws 10^12 rectangles by nesting", lambda: files.pdf_doubling(12)),
]

SECTIONS = {
    "Read": READ,
    "Of no use as a page": MISSHAPEN,
    "Damaged": DAMAGED,
    "Hostile": BOMBS,
}
INTRODUCTION = """\
# Inputs and what becomes of them

Every row is a file that `tests/media/test_inputs.py` makes and decodes; the table is written by
that test (`EDGE_CLM_WRITE_DOCS=1`) and fails where it differs. What is read tells its media type,
width x height, and page; what is refused tells its reason. Limits are the defaults: 32 MiB,
80 000 000 pixels, no side below 32 pixels, no side more than 60 times the other.
"""


def outcome(case: Case) -> str:
    page = case[2] if len(case) > 2 else 0
    limits = case[3] if len(case) > 3 else LIMITS
    try:
        found = decode(case[1](), page, limits)
    except EdgeClmError as error:
        where = f"page {page}: "
        return f"{where * error.message.startswith(where)}`{error.reason}`"
    height, width, _ = found.pixels.shape
    return f"{found.media_type}, {width} x {height}, page {found.page} of {found.pages}"


def table(cases: list[Case]) -> str:
    rows = [f"| {case[0]} | {outcome(case)} |" for case in cases]
    return "\n".join(["| input | result |", "|---|---|", *rows])


def test_table_of_inputs() -> None:
    """The committed table says what happened just now."""
    parts = [f"## {name}\n\n{table(cases)}\n" for name, cases in SECTIONS.items()]
    document = "\n".join([INTRODUCTION, *parts])
    if os.environ.get("EDGE_CLM_WRITE_DOCS") == "1":
        DOCUMENT.write_text(document, encoding="utf-8")
    assert DOCUMENT.read_text(encoding="utf-8") == document


@pytest.mark.parametrize("name", SECTIONS)
def test_only_what_should_be_read_is(name: str) -> None:
    """Every row of the first section of the committed table is a page, and none of the others."""
    section = DOCUMENT.read_text(encoding="utf-8").split(f"## {name}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(SECTIONS[name])
    assert {row.endswith("` |") for row in rows} == {name != "Read"}


MEASURE = """
import sys
from pathlib import Path
from edge_clm.config import Limits
from edge_clm.errors import EdgeClmError
from edge_clm.media.decode import decode

def peak():
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024

intact, hostile = (sorted(Path(folder).iterdir()) for folder in sys.argv[1:])
for file in intact:
    decode(file.read_bytes(), 0, Limits())
before = peak()
for file in hostile:
    try:
        decode(file.read_bytes(), 0, Limits())
    except EdgeClmError:
        continue
    raise SystemExit(file.name)
print(peak() - before)
"""


def measured(intact: Path, hostile: Path) -> int:
    """MiB by which refusing files takes a process beyond what reading small ones takes it to."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, intact, hostile],
        cwd=DOCUMENT.parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_bombs_are_refused_before_memory_is_spent(tmp_path: Path) -> None:
    """All hostile files together cost the process no more than 24 MiB.

    The page that nests is drawn, and ends, in a process of its own.
    """
    intact, hostile = tmp_path / "intact", tmp_path / "hostile"
    intact.mkdir()
    hostile.mkdir()
    for kind in ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "HEIF", "AVIF"):
        (intact / kind).write_bytes(encoded(picture(), kind))
    (intact / "PDF").write_bytes(files.pdf_pages())
    for number, (name, make, *_) in enumerate(BOMBS):
        if "nesting" not in name:
            (hostile / str(number)).write_bytes(make())
    assert measured(intact, hostile) <= 24
