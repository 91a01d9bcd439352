"""Simpler ways to tell a page again."""

from __future__ import annotations

import numpy as np

from bench.twins.labels import Asked, Printed
from bench.twins.rivals import CLIP, FIELDS, HASH, WORDS, Glance, glance, phash, rivals
from edge_clm.paper import Line, PageText
from edge_clm.train.pages.page import box
from tests.page.fields.sheets import sheet

ROWS = ("INVOICE", "Invoice No. 20473", "Date 12.06.2019", "Pens 9.50", "Total 1360.45")


def seen(*rows: str) -> Glance:
    """A page of rows, with a text that an OCR without faults would have read."""
    pixels = sheet(*rows)
    lines = tuple(
        Line(row, box(50, 60 + 52 * at, 50 + 14 * len(row), 90 + 52 * at), 1.0)
        for at, row in enumerate(rows)
    )
    text = PageText(lines, 0, pixels.shape[1], pixels.shape[0])
    return glance(pixels, text, lambda seen: np.array([1.0, 0.0], np.float32))


def test_a_page_is_like_itself() -> None:
    """No bit of the hash differs, the vectors are one, all words are common and all fields equal."""
    total = Asked("total", (Printed("1360.45"),))
    alike = {HASH: 0.0, CLIP: 1.0, WORDS: 1.0, FIELDS: 1.0}
    assert rivals(seen(*ROWS), seen(*ROWS), total) == alike


def test_fields_tell_a_twin_apart_that_a_hash_does_not() -> None:
    """One digit of what is asked leaves nearly every bit as it was, and most words."""
    twin = seen(*ROWS[:-1], "Total 1860.45")
    found = rivals(seen(*ROWS), twin, Asked("total", (Printed("1360.45"),)))
    assert found[HASH] <= 12
    assert 0.8 < found[WORDS] < 1
    assert found[FIELDS] == 0
    assert rivals(seen(*ROWS), twin, Asked("number", (Printed("20473"),)))[FIELDS] == 1
    assert rivals(seen(*ROWS), twin, None)[FIELDS] == 0


def test_a_hash_tells_pages_of_other_layout_apart() -> None:
    """256 bits, of which a good part differs."""
    one, other = phash(sheet(*ROWS)), phash(sheet("", "", *ROWS))
    assert one.size == 256
    assert (one != other).sum() > 40
    assert np.array_equal(one, phash(sheet(*ROWS)))
