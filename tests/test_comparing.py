"""What the engine's process tells of pages that captures are compared with."""

from __future__ import annotations

from edge_clm.comparing import names
from edge_clm.paper import Line, PageText

ROWS = (
    "NORTHWIND TRADING LTD",
    "INVOICE",
    "Invoice No: INV-10428",
    "Date: 25/12/2018",
    "Total 142.25",
)


def text(sure: float) -> PageText:
    """An invoice whose number was read with that confidence."""
    lines = tuple(
        Line(
            row, ((50, top), (500, top), (500, top + 26), (50, top + 26)), sure if at == 2 else 0.99
        )
        for at, row in enumerate(ROWS)
        for top in (60 + 52 * at,)
    )
    return PageText(lines, 0, 1300, 800)


def test_a_page_is_named_by_what_was_read_for_sure() -> None:
    """By its number, as letters and digits; garbled, it could be proven on no other capture."""
    assert names(text(0.98)) == "number\ninv10428"
    assert names(text(0.6)) == ""


def test_a_page_that_nothing_names_has_no_names() -> None:
    """A heading alone tells it from nothing."""
    whole = text(0.98)
    assert names(PageText(whole.lines[:2], 0, 1300, 800)) == ""
