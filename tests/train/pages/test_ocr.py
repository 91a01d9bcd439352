"""What is said to be printed somewhere is read there by the real OCR."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from edge_clm.config import Ocr, models_home
from edge_clm.page.reader import open_reader
from edge_clm.page.weights import build_ocr
from edge_clm.paper import PageKind, PageText, Quad
from edge_clm.train.pages.make import page_of

READ = 0.9


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _around(text: PageText, quad: Quad) -> str:
    """What OCR has read in lines that cross a box."""
    left, right = quad[0][0], quad[1][0]
    top, bottom = quad[0][1], quad[2][1]
    found = []
    for line in text.lines:
        xs, ys = [x for x, _ in line.quad], [y for _, y in line.quad]
        middle = (min(ys) + max(ys)) / 2
        if top - 4 <= middle <= bottom + 4 and min(xs) < right and max(xs) > left:
            found.append(line.text)
    return _plain("".join(found))


@pytest.mark.parametrize(
    ("kind", "seed"), [(PageKind.INVOICE, 3), (PageKind.RECEIPT, 4), (PageKind.LAB_REPORT, 2)]
)
def test_fields_are_read_where_they_are_said_to_be(kind: PageKind, seed: int) -> None:
    """Nine in ten lines of fields are found by OCR in their boxes."""
    build_ocr(models_home(), lambda *_: None)
    reader = open_reader(Ocr(threads=1), models_home())
    page = page_of(kind, seed, "train", languages=frozenset({"en"}), marked=0.0)
    read = reader.read(page.image)
    told = [
        (truth.text, place)
        for truth in page.fields.values()
        if len(truth.boxes) == 1 and truth.text.isascii()
        for place in truth.boxes
    ]
    found = [_plain(text) in _around(read, place) for text, place in told]
    assert len(found) > 5
    assert sum(found) / len(found) >= READ, [
        one for one, ok in zip(told, found, strict=True) if not ok
    ]


def test_the_picture_can_do_without_reports(tmp_path: Path) -> None:
    """Kinds other than radiology need no directory of texts."""
    assert page_of(PageKind.INVOICE, 1, "test", tmp_path).fields
