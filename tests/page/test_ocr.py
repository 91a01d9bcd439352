"""Whole pages, photographed and scanned."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from edge_clm.config import Ocr
from edge_clm.errors import ModelMissing
from edge_clm.page.geometry import turned
from edge_clm.page.ocr import PageReader
from edge_clm.page.reader import open_reader
from edge_clm.paper import Line, PageText
from tests.page.conftest import invoice_words, picture, recall, receipt_words


def _texts(page: PageText) -> list[str]:
    return [line.text for line in page.lines]


def _inside(line: Line, page: PageText) -> bool:
    return all(-2 <= x <= page.width + 2 and -2 <= y <= page.height + 2 for x, y in line.quad)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("00411/flat_document.png", 0.95),
        ("00745/warped_document_curled_color.jpg", 0.85),
        ("04345/warped_document_multifold_bright.jpg", 0.88),
        ("09874/warped_document_fewfold_shadow.jpg", 0.9),
        ("04394/warped_document_crumpleseasy_color.jpg", 0.95),
    ],
)
def test_an_invoice_is_read(reader: PageReader, documents: Path, name: str, least: float) -> None:
    """Flat, in perspective, curled, folded or crumpled: most labelled words are read."""
    path = documents / "inv3d" / name
    pixels = picture(path)
    page = reader.read(pixels)
    assert recall(_texts(page), invoice_words(path.parent)) >= least
    assert (page.turn, page.width, page.height) == (0, pixels.shape[1], pixels.shape[0])
    assert all(_inside(line, page) and 0 < line.confidence <= 1 for line in page.lines)


@pytest.mark.parametrize(("name", "least"), [("000", 0.85), ("006", 0.9), ("028", 0.85)])
def test_a_receipt_is_read(reader: PageReader, documents: Path, name: str, least: float) -> None:
    """Small print on scanned receipts is read."""
    page = reader.read(picture(documents / "sroie" / "img" / f"{name}.jpg"))
    assert recall(_texts(page), receipt_words(documents, name)) >= least


@pytest.mark.parametrize(
    ("name", "degrees"),
    [
        ("04345/warped_document_multifold_bright.jpg", 270),
        ("05028/warped_document_fewfold_color.jpg", 90),
        ("06288/warped_document_crumpleshard_bright.jpg", 180),
    ],
)
def test_a_turned_page_is_read_upright(
    reader: PageReader, documents: Path, name: str, degrees: int
) -> None:
    """Pages about which the classifier is wrong are read all the same, in upright coordinates."""
    path = documents / "inv3d" / name
    upright = picture(path, 1400)
    page = reader.read(turned(upright, degrees))
    assert page.turn == 360 - degrees
    assert (page.height, page.width) == upright.shape[:2]
    assert recall(_texts(page), invoice_words(path.parent)) >= 0.6
    assert all(_inside(line, page) for line in page.lines)


def test_boxes_lie_on_what_they_say(reader: PageReader, documents: Path) -> None:
    """The box of a value lies where the label of the flat document has it, at full size."""
    invoice = documents / "inv3d" / "00411"
    page = reader.read(picture(invoice / "flat_document.png"))
    number = next(line for line in page.lines if "415808" in line.text)
    assert 260 <= np.mean([x for x, _ in number.quad]) <= 640
    assert 375 <= np.mean([y for _, y in number.quad]) <= 429


def test_a_table_is_read_row_by_row(reader: PageReader, documents: Path) -> None:
    """On a photo tilted by 25 degrees, each amount follows what was bought for it."""
    page = reader.read(picture(documents / "inv3d/04345/warped_document_multifold_bright.jpg"))
    texts = _texts(page)
    for item, amount in [
        ("Scotties design washbag", "13.65"),
        ("Swallows greeting card", "3.24"),
        ("Ivory kitchen scales", "34.00"),
        ("SUBTOTAL", "152.81"),
    ]:
        after = texts[texts.index(item) + 1 :]
        assert amount in after[:3], item


@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 70), (32, 32), (33, 1900), (1900, 33), (300, 300), (40_000, 40)]
)
def test_a_page_without_text_has_no_lines(reader: PageReader, shape: tuple[int, int]) -> None:
    """Blank pages of any shape are empty results, not errors, and are not turned."""
    height, width = shape
    assert reader.read(np.full((*shape, 3), 255, np.uint8)) == PageText((), 0, width, height)


def test_a_page_is_read_alike_twice(reader: PageReader, documents: Path) -> None:
    """Nothing of one page leaks into the next: the same pixels give the same lines again."""
    pixels = picture(documents / "sroie" / "img" / "000.jpg")
    assert reader.read(pixels) == reader.read(pixels)


def test_the_fingerprint_tells_settings_apart(
    reader: PageReader, models: Path, documents: Path
) -> None:
    """What shapes the text shapes the fingerprint; how many threads work on it does not."""
    same = open_reader(Ocr(threads=1), models)
    plain = open_reader(Ocr(threads=1, side=960, orienter=""), models)
    assert re.fullmatch("[0-9a-f]{64}", reader.fingerprint)
    assert same.fingerprint == reader.fingerprint != plain.fingerprint
    lying = turned(picture(documents / "sroie" / "img" / "000.jpg"), 180)
    assert plain.read(lying).turn == 0


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    """A reader without its weights says which are missing."""
    with pytest.raises(ModelMissing, match="PP-OCRv6_small_det"):
        open_reader(Ocr(), tmp_path)
