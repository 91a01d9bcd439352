"""The goods."""

from __future__ import annotations

from edge_clm.paper import Table
from tests.page.fields.pages import page
from tests.page.fields.reading import tables


def cells(table: Table) -> list[dict[str, str]]:
    return [{field.name: field.best.raw for field in row} for row in table.rows]


def test_rows_under_a_head() -> None:
    """Rows under a head are goods, up to the first sum."""
    found = tables(
        page(
            [(40, "Description"), (400, "Qty"), (560, "Unit Price"), (760, "Amount")],
            [(40, "Blue pen"), (400, "2 pcs"), (560, "3.50"), (760, "7.00")],
            [(40, "Red pen"), (400, "1"), (560, "2.00"), (760, "2.00")],
            [(560, "Subtotal"), (760, "9.00")],
        )
    )
    assert cells(found["lines"]) == [
        {
            "description": "Blue pen",
            "quantity": "2 pcs",
            "unit": "pcs",
            "unit_price": "3.50",
            "amount": "7.00",
        },
        {"description": "Red pen", "quantity": "1", "unit_price": "2.00", "amount": "2.00"},
    ]


def test_rows_that_count() -> None:
    """Without a head, rows that say how many times what are goods, named by the row above."""
    found = tables(page("TOILET BRUSH", "9067860    2 X 2.70    5.40", "", "CASH 10.00"))
    assert cells(found["lines"]) == [
        {"description": "TOILET BRUSH", "quantity": "2", "unit_price": "2.70", "amount": "5.40"}
    ]


def test_summary_of_tax() -> None:
    """The summary of tax is a table by rate."""
    found = tables(
        page(
            [(40, "GST Summary"), (300, "Amount(RM)"), (500, "Tax(RM)")],
            [(40, "SR @ 6%"), (300, "16.71"), (500, "0.99")],
            [(40, "ZR @ 0%"), (300, "7.00"), (500, "0.00")],
            [(40, "Total"), (300, "23.71"), (500, "0.99")],
        )
    )
    assert cells(found["taxes"]) == [
        {"rate": "6%", "base": "16.71", "tax": "0.99"},
        {"rate": "0%", "base": "7.00", "tax": "0.00"},
    ]


def test_no_goods() -> None:
    """A page without goods has no table."""
    assert tables(page("Dear Sir,", "thank you for your letter.")) == {}
