"""Letters found in print, and exchanged."""

from __future__ import annotations

import numpy as np
import pytest

from bench.twins.glyphs import Glyph, Print, donors, erased, fitting, print_of, replaced
from edge_clm.types import Pixels
from tests.page.fields.sheets import sheet


def drawn(*rows: str) -> Pixels:
    """A page of rows."""
    return sheet(*rows)


def word(page: Pixels, text: str, row: int) -> Print | None:
    """The print of a row of a page."""
    top = 60 + 52 * row
    inked = np.flatnonzero((page[top : top + 40] < 128).any(axis=(0, 2)))
    return print_of(page, text, (int(inked[0]) - 3, top, int(inked[-1]) + 4, top + 40))


def test_letters_are_found() -> None:
    """Each digit of a number has its own box, from left to right, in the line's full height."""
    found = word(drawn("104.28"), "104.28", 0)
    assert found is not None
    assert [glyph.char for glyph in found.glyphs] == list("104.28")
    lefts = [glyph.box[0] for glyph in found.glyphs]
    assert lefts == sorted(lefts)


def test_letters_that_touch_are_left_alone() -> None:
    """Where ink does not part into as many letters as the text has, nothing is told."""
    assert word(drawn("104.28"), "104.285", 0) is None


def test_a_digit_takes_anothers_place() -> None:
    """With the 8 of the line below in its place, the 2 is what the page would print as an 8."""
    page, wanted = drawn("104.28", "999.88"), drawn("104.88", "999.88")
    lines = [word(page, text, row) for row, text in enumerate(("104.28", "999.88"))]
    words = [one for one in lines if one]
    two = words[0].glyphs[4]
    donor = fitting(two, [one for one in donors(words)["8"] if one.box[1] > two.box[1]])
    assert donor is not None
    twin = replaced(page, two, donor)
    left, top, right, bottom = two.box
    near = np.s_[top:bottom, left - 2 : right + 2]
    assert np.abs(twin[near].astype(int) - wanted[near]).mean() < 12
    outside = np.ones(page.shape[:2], bool)
    outside[top - 12 : bottom + 12, left - 12 : right + 12] = False
    assert np.array_equal(twin[outside], page[outside])


def test_erased_print_leaves_paper() -> None:
    """Where a number stood there is paper as around it."""
    page = drawn("104.28")
    found = word(page, "104.28", 0)
    assert found is not None
    bare = erased(page, found.box)
    assert bare.min() > 200


@pytest.mark.parametrize(("height", "width"), [(30, 10), (20, 40)])
def test_no_letter_of_another_size_fits(height: int, width: int) -> None:
    """A letter of a higher line, or one much wider, is not put in a letter's place."""
    glyph = Glyph("1", (0, 0, 10, 20))
    assert fitting(glyph, [Glyph("8", (50, 0, 50 + width, height))]) is None
