"""Letters found in lines of print, and exchanged."""

from __future__ import annotations

import numpy as np
import pytest

from bench.twins.letters import added, changed, digits, donor, lost
from bench.twins.strips import Strip, put_back, strip_of
from edge_clm.train.pages.page import box
from edge_clm.types import Pixels
from tests.page.fields.sheets import sheet

ROWS = ("104.28", "999.88", "Sum     1 7")


def strip(page: Pixels, row: int, text: str = "", tilt: float = 0.0) -> Strip | None:
    """The strip of a row of a page; `tilt` lets its place fall along the row."""
    top = 58 + 52 * row
    inked = np.flatnonzero((page[top : top + 36] < 128).any(axis=(0, 2)))
    left, right = float(inked[0]) - 4, float(inked[-1]) + 8
    place = box(left, float(top), right, float(top) + 36)
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = place
    return strip_of(page, text or ROWS[row], ((ax, ay), (bx, by + tilt), (cx, cy + tilt), (dx, dy)))


@pytest.fixture(scope="module")
def page() -> Pixels:
    """A page of numbers."""
    return sheet(*ROWS)


def test_letters_are_found(page: Pixels) -> None:
    """Each letter has its own columns, from left to right; spaces have none."""
    found = strip(page, 2)
    assert found is not None
    assert [glyph.char for glyph in found.glyphs] == list("Sum17")
    edges = [edge for glyph in found.glyphs for edge in (glyph.left, glyph.right)]
    assert edges == sorted(edges)


def test_letters_that_cannot_be_told_apart_are_left_alone(page: Pixels) -> None:
    """Where ink does not part into as many letters as the text has, there is no strip."""
    assert strip(page, 0, "104.285") is None


def test_a_digit_takes_anothers_place(page: Pixels) -> None:
    """With an 8 of the line below in its place, the 2 is what the page would print as an 8, and nothing else moves."""
    lines = [one for row in range(2) if (one := strip(page, row))]
    letter = donor(lines[0], "8", lines[1:])
    assert letter is not None
    with_8 = changed(lines[0], digits(lines[0])[3], letter)
    assert with_8 is not None
    twin, wanted = put_back(page, lines[0], with_8), sheet("104.88", *ROWS[1:])
    assert np.abs(twin.astype(int) - wanted).mean() < np.abs(page.astype(int) - wanted).mean() / 3
    assert np.array_equal(twin[100:], page[100:])


def test_a_digit_lost_leaves_paper(page: Pixels) -> None:
    """Where the last digit stood there is paper."""
    line = strip(page, 0)
    assert line is not None
    twin = put_back(page, line, lost(line, 5))
    wanted = sheet("104.2", *ROWS[1:])
    assert np.abs(twin.astype(int) - wanted).mean() < 0.06


def test_a_digit_is_added_where_there_is_room(page: Pixels) -> None:
    """Behind the last digit there is none within the strip; between words there is."""
    line = strip(page, 2)
    assert line is not None
    one = line.cell(line.glyphs[3])
    assert added(line, 0, one) is None
    assert added(line, 2, one) is not None


def test_an_unchanged_strip_changes_nothing(page: Pixels) -> None:
    """A strip put back as it was leaves the picture as it was, slanted or not."""
    line = strip(page, 0, tilt=1.5)
    assert line is not None
    assert np.array_equal(put_back(page, line, line.pixels), page)


def test_letters_of_another_size_do_not_fit(page: Pixels) -> None:
    """A line half as high lends no letter, and what is wide does not go where a 1 stood."""
    line = strip(page, 2)
    assert line is not None
    flat = Strip(line.text, box(0, 0, 100, 15), line.pixels, line.glyphs)
    assert donor(line, "S", [flat]) is None
    assert changed(line, 3, np.zeros((48, 60, 3), np.uint8)) is None
