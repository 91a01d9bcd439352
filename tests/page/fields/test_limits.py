"""Pages beyond all measure."""

from __future__ import annotations

import numpy as np

from edge_clm.page.fields.extract import extract
from edge_clm.page.fields.levels import aligned
from edge_clm.page.fields.limits import within_limits
from tests.page.fields.pages import page


def test_a_usual_page_is_left_as_it_is() -> None:
    """A page of dense print is looked at whole."""
    text = page(*["A line of small print, as long as lines are." * 2] * 400)
    assert within_limits(text) is text


def test_a_line_without_end_is_cut_with_its_box() -> None:
    """Of 8000 characters the first 500 count, and the box is theirs."""
    text = page("Total: 5.00", "1" * 8000)
    first, second = within_limits(text).lines
    assert first == text.lines[0]
    assert second.text == "1" * 500
    assert second.quad == text.lines[1].part(0, 500)


def test_a_page_without_end_is_read_at_both_ends() -> None:
    """Of 5000 lines the first and the last count: the number and the total are found, in their places."""
    text = page("INVOICE", "Invoice No: 47112", *["Blue pen"] * 5000, "Total: 7.00")
    assert len(within_limits(text).lines) == 1400
    fields = {field.name: field.best for field in extract([(1, text)]).fields}
    assert fields["number"].raw == "47112"
    assert fields["total"].raw == "7.00"
    (evidence,) = fields["total"].evidence
    assert evidence.quad[0][1] == text.lines[-1].quad[0][1]


def test_a_page_full_of_long_lines_is_cut_to_what_can_be_read() -> None:
    """Many lines of 500 characters are shortened together."""
    text = page(*["12.50 EUR on 3 May 2024, " * 20] * 1000)
    assert sum(len(line.text) for line in within_limits(text).lines) <= 60_000


def test_thousands_of_words_in_one_row_are_levelled() -> None:
    """Only the nearest of a million pairs are looked at, and the row still comes out level."""
    count = 1400
    level = np.tile([0.0, 1.0], count // 2)
    across = np.arange(count, dtype=np.float64) * 30.0
    flat = np.zeros(count)
    size = np.full(count, 20.0)
    moved = aligned(level, across, flat, size, size)
    assert np.ptp(moved) < 5.0
