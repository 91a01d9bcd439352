"""The goods."""

from __future__ import annotations

import pytest

from edge_clm.paper import Table
from edge_clm.values.value import Quantity
from tests.page.fields.pages import page
from tests.page.fields.reading import read, tables


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


def quantity(rows: Table, at: int = 0) -> tuple[list[str], bool, bool]:
    """The readings of a row's quantity, whether it is ambiguous, and whether to look again."""
    field = next(field for field in rows.rows[at] if field.name == "quantity")
    readings = (field.best, *field.alternatives)
    numbers = [str(it.value.number) for it in readings if isinstance(it.value, Quantity)]
    return numbers, field.ambiguous, field.look_again


HEAD = [(40, "Artikel"), (400, "Menge"), (560, "Preis"), (760, "Betrag")]


@pytest.mark.parametrize(
    ("cells", "readings"),
    [
        (("1,000 Stk", "3,50", "3,50"), ["1.000"]),
        (("1.000 Stk", "0,05", "50,00"), ["1000"]),
        (("1.000 Stk", "3,50", "3,50"), ["1.000"]),
        (("1,000 Stk", "", "3,50"), ["1.000"]),
        (("1.000 Stk", "", "50,00"), ["1000"]),
        (("1,000 pcs", "0.05", "50.00"), ["1000"]),
        (("1,000 pcs", "", "50.00"), ["1000"]),
    ],
)
def test_quantity_of_thousands_or_thousandths(
    cells: tuple[str, str, str], readings: list[str]
) -> None:
    """Price and amount tell what "1,000" is, or else the decimal mark of the page."""
    row = [(40, "Schraube"), *zip((400, 560, 760), cells, strict=True)]
    found = tables(page(HEAD, row, [(560, "Summe"), (760, cells[-1])]))
    assert quantity(found["lines"]) == (readings, False, False)


def test_quantity_of_two_meanings() -> None:
    """Where neither price nor decimal mark nor language tells, both readings stand."""
    head = [(40, "Descripción"), (400, "Cantidad"), (760, "Importe")]
    row = [(40, "Tornillo"), (400, "1,000 Stk"), (760, "50 €")]
    found = tables(page(head, row, [(560, "Total"), (760, "50 €")]))
    numbers, ambiguous, look_again = quantity(found["lines"])
    assert sorted(numbers) == ["1.000", "1000"]
    assert ambiguous
    assert look_again


def test_rows_that_count() -> None:
    """Without a head, rows that say how many times what are goods, named by the row above."""
    found = tables(page("TOILET BRUSH", "9067860    2 X 2.70    5.40", "", "CASH 10.00"))
    assert cells(found["lines"]) == [
        {"description": "TOILET BRUSH", "quantity": "2", "unit_price": "2.70", "amount": "5.40"}
    ]


MILK = {"description": "Milk 1L", "quantity": "2", "unit_price": "3.50", "amount": "7.00"}
BREAD = {"description": "Bread", "quantity": "1", "unit_price": "2.80", "amount": "2.80"}


@pytest.mark.parametrize(
    "rows",
    [
        ["Milk 1L  2 x 3.50  7.00", "Bread  1 x 2.80  2.80"],
        [
            [(40, "Milk 1L"), (300, "2 x 3.50"), (500, "7.00")],
            [(40, "Bread"), (300, "1 x 2.80"), (500, "2.80")],
        ],
        [
            "Milk 1L",
            [(40, "2 x 3.50"), (500, "7.00")],
            "Bread",
            [(40, "1 x 2.80"), (500, "2.80")],
        ],
    ],
)
def test_names_of_goods_that_are_counted(rows: list[str | list[tuple[float, str]]]) -> None:
    """The words before a count name the goods, in its cell or left of it, and else the row above."""
    found = tables(page("CORNER SHOP", "Receipt No: 12345", *rows, "Total  9.80"))
    assert cells(found["lines"]) == [MILK, BREAD]


def test_rows_above_that_name_no_goods() -> None:
    """A labelled line and the goods of the row above name nothing in a row without words."""
    found = tables(
        page(
            "CORNER SHOP",
            "Receipt No: 12345",
            "2 x 3.50  7.00",
            "Milk 1 x 2.80  2.80",
            "1 x 1.00  1.00",
        )
    )
    assert [row.get("description") for row in cells(found["lines"])] == [None, "Milk", None]


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


def test_goods_named_by_words_of_payment() -> None:
    """Goods whose names are labels elsewhere are goods, and no payment."""
    text = page(
        [(40, "Description"), (560, "Amount")],
        [(40, "Card Party Games"), (560, "2.94")],
        [(40, "Easter bunny bouquet"), (560, "14.85")],
        [(40, "Cash box of steel"), (560, "11.55")],
        [(40, "Subtotal"), (560, "29.34")],
    )
    assert [row["amount"] for row in cells(tables(text)["lines"])] == ["2.94", "14.85", "11.55"]
    assert "paid" not in read(text)


def test_column_of_no_interest() -> None:
    """The number of an article is not how many there are, though none is printed."""
    found = tables(
        page(
            [
                (40, "Qty"),
                (140, "Item #"),
                (300, "Description"),
                (560, "Unit Price"),
                (760, "Total"),
            ],
            [(140, "2990"), (300, "Jumbo bag"), (560, "1.79"), (760, "1.79")],
        )
    )
    assert cells(found["lines"]) == [
        {"description": "Jumbo bag", "unit_price": "1.79", "amount": "1.79"}
    ]


def test_row_without_a_legible_amount() -> None:
    """A row whose amount cannot be read is kept, so that the others do not pass for all."""
    found = tables(
        page(
            [(40, "Description"), (400, "Qty"), (560, "Unit Price"), (760, "Amount")],
            [(40, "Blue pen"), (400, "2"), (560, "3.50"), (760, "7.00")],
            [(40, "Red pen"), (400, "1"), (560, "2.00"), (760, "z,oo")],
        )
    )
    assert [set(row) for row in cells(found["lines"])] == [
        {"description", "quantity", "unit_price", "amount"},
        {"description", "quantity", "unit_price"},
    ]
