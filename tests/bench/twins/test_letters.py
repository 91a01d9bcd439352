"""Letters found in lines of print, and exchanged."""

from __future__ import annotations

import numpy as np
import pytest

from bench.twins.letters import added, changed, donor, lost, seen
from bench.twins.strips import Strip, put_back, strips_of
from edge_clm.page.ocr import PageReader
from edge_clm.paper import Quad
from edge_clm.train.pages.page import box
from edge_clm.types import Pixels
from tests.page.conftest import models, reader
from tests.page.fields.sheets import sheet

__all__ = ["models", "reader"]
ROWS = ("104.28", "999.88", "Sum     1 7")


def place(page: Pixels, row: int, tilt: float = 0.0) -> Quad:
    """Where a row of a page lies; `tilt` lets its place fall along the row."""
    top = 58 + 52 * row
    inked = np.flatnonzero((page[top : top + 36] < 128).any(axis=(0, 2)))
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = box(
        float(inked[0]) - 4, float(top), float(inked[-1]) + 8, float(top) + 36
    )
    return (ax, ay), (bx, by + tilt), (cx, cy + tilt), (dx, dy)


@pytest.fixture(scope="module")
def page() -> Pixels:
    """A page of numbers."""
    return sheet(*ROWS)


@pytest.fixture(scope="module")
def strips(reader: PageReader, page: Pixels) -> list[Strip]:
    """Its rows."""
    places = [place(page, row) for row in range(len(ROWS))]
    return strips_of(page, places, reader.recognise, reader.alphabet)


def test_letters_are_found(strips: list[Strip]) -> None:
    """Each letter has its own columns, from left to right; spaces have none."""
    assert [strip.text.replace(" ", "") for strip in strips] == ["104.28", "999.88", "Sum17"]
    for strip in strips:
        edges = [edge for glyph in strip.glyphs for edge in (glyph.left, glyph.right)]
        assert edges == sorted(edges)
        assert all(glyph.alone for glyph in strip.glyphs)


def test_letters_that_touch_are_left_alone(reader: PageReader, page: Pixels) -> None:
    """A bar that joins two letters makes both of them parts of one."""
    joined = page.copy()
    joined[72:78, 100:135] = 0
    [strip] = strips_of(joined, [place(page, 0)], reader.recognise, reader.alphabet)
    assert not all(glyph.alone for glyph in strip.glyphs)
    assert any(glyph.alone for glyph in strip.glyphs)
    at = [glyph.alone for glyph in strip.glyphs].index(False)
    assert changed(strip, at, strip.cell(strip.glyphs[0])) is None


def test_a_digit_takes_anothers_place(page: Pixels, strips: list[Strip]) -> None:
    """With an 8 of the line below in its place, the 2 is what the page would print as an 8, and nothing else moves."""
    letter = donor(strips[0], "8", strips[1:])
    assert letter is not None
    with_8 = changed(strips[0], 4, letter)
    assert with_8 is not None
    assert seen(strips[0].pixels, with_8)
    twin, wanted = put_back(page, strips[0], with_8), sheet("104.88", *ROWS[1:])
    assert np.abs(twin.astype(int) - wanted).mean() < np.abs(page.astype(int) - wanted).mean() / 3
    assert np.array_equal(twin[100:], page[100:])


def test_a_digit_lost_leaves_paper(page: Pixels, strips: list[Strip]) -> None:
    """Where the last digit stood there is paper."""
    twin = put_back(page, strips[0], lost(strips[0], 5))
    wanted = sheet("104.2", *ROWS[1:])
    assert np.abs(twin.astype(int) - wanted).mean() < 0.06


def test_a_digit_is_added_where_there_is_room(strips: list[Strip]) -> None:
    """There is none between two letters of a word; behind a line's last and before its first there is."""
    one = strips[2].cell(strips[2].glyphs[3])
    assert added(strips[2], 1, one) is None
    assert added(strips[2], 5, one) is not None
    assert added(strips[2], 0, one) is not None


def test_a_letter_in_its_own_place_is_not_seen(strips: list[Strip]) -> None:
    """A 9 for a 9 is no edit, however bold it is, and neither is nothing."""
    nine = strips[1].cell(strips[1].glyphs[1])
    assert changed(strips[1], 0, nine) is None
    assert changed(strips[1], 0, nine**3) is None
    assert not seen(strips[1].pixels, strips[1].pixels)


def test_an_unchanged_strip_changes_nothing(reader: PageReader, page: Pixels) -> None:
    """A strip put back as it was leaves the picture as it was, slanted or not."""
    [slanted] = strips_of(page, [place(page, 0, 1.5)], reader.recognise, reader.alphabet)
    assert np.array_equal(put_back(page, slanted, slanted.pixels), page)


def test_letters_of_another_size_do_not_fit(strips: list[Strip]) -> None:
    """A line half as high lends no letter, and what is wide does not go where a 1 stood."""
    flat = Strip(strips[2].text, box(0, 0, 100, 15), strips[2].pixels, strips[2].glyphs)
    assert donor(strips[2], "S", [flat]) is None
    assert changed(strips[2], 3, np.zeros((48, 60, 3), np.float32)) is None
