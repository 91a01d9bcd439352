"""The goods of an invoice or a receipt: rows under a head, or rows that read like `2 x 3.50 7.00`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from edge_clm.page.fields.amounts import amounts_in
from edge_clm.page.fields.decimals import decimal_of, quantities
from edge_clm.page.fields.guesses import Guess, candidate_of
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.page.fields.sections import Head, Sections
from edge_clm.page.fields.wording import is_ideographic
from edge_clm.paper import Field, Table
from edge_clm.values.habits import Habits
from edge_clm.values.quantity import read_quantity
from edge_clm.values.value import Money, Quantity, Text, Value

_ENDS = (
    "subtotal",
    "total",
    "tax",
    "paid",
    "change",
    "rounding",
    "discount",
    "shipping",
    "service",
)
_TIMES = re.compile(
    r"(?<![\w.,])(\d{1,4}(?:[.,]\d{1,3})?)\s*[x×*@]\s*(?=\D{0,5}\d|$)", re.IGNORECASE
)
_SURE, _ABOVE = 0.85, 0.6
_CENT = Decimal("0.01")
# A row with all these is one of goods, whatever its words.
_FULL = {"unit_price", "amount", "description"}
# A cell belongs to the column whose head it is nearest to, within so many heights of print.
_REACH = 8.0
_COUNT = re.compile(r"\d{1,4}(?:[.,]\d{1,3})?(?:\s?[^\W\d]{1,4}\.?)?")

Row = dict[str, Guess]


def goods_of(layout: Layout, labels: Labels, sections: Sections, habits: Habits) -> list[Row]:
    """The rows of goods: column to what stands in it."""
    rows: list[Row] = []
    for head, below in _spans(layout, sections):
        for cells in layout.rows[head.rows[-1] + 1 : below]:
            row = _row(head, cells, habits)
            if _ends(labels, cells) and not (row and row.keys() >= _FULL):
                break
            rows += [row] if row else []
    if not any("amount" in row for row in rows):
        rows = list(_counted(layout, labels, habits))
    return rows


def lines_of(rows: list[Row], layout: Layout, habits: Habits) -> Table | None:
    """The table of goods; None where there is none."""
    if not rows:
        return None
    decimal = decimal_of(layout, habits, _numbers(rows))
    return Table("lines", tuple(tuple(_fields(row, layout, decimal)) for row in rows))


def _numbers(rows: list[Row]) -> Iterator[str]:
    """How many there are of each of the goods, as printed."""
    return (row["quantity"].raw for row in rows if "quantity" in row)


def places_of_goods(rows: list[Row]) -> frozenset[int]:
    """In which rows of the page goods stand."""
    return frozenset(guess.spans[0].cell.row for row in rows for guess in row.values())


def _spans(layout: Layout, sections: Sections) -> Iterator[tuple[Head, int]]:
    """Each head with the row at which the next one begins."""
    for head, after in pairwise((*sections.heads, None)):
        if head:
            yield head, after.rows[0] if after else len(layout.rows)


def _ends(labels: Labels, cells: tuple[Cell, ...]) -> bool:
    """Whether a row is one of sums: a cell is the label of one, and not goods named by such a word."""
    for cell in cells:
        for label in labels.within(cell)[:1]:
            letters = sum(map(str.isalpha, label.last.text))
            whole = 2 * letters > sum(map(str.isalpha, cell.text))
            if label.alone and whole and any(label.worth(concept) > 0.5 for concept in _ENDS):
                return True
    return False


def _row(head: Head, cells: tuple[Cell, ...], habits: Habits) -> Row | None:
    """A row with an amount; its cells go to the columns they stand under."""
    row: Row = {}
    words: list[Cell] = []
    for cell in cells:
        column = _column(head, cell)
        if column == "description" or not column:
            words.append(cell)
        elif (guess := _value(column, cell, habits)) and column not in row:
            row[column] = guess
    named = [cell for cell in words if any(map(str.isalpha, cell.text))]
    if named:
        text = max(named, key=lambda cell: sum(map(str.isalpha, cell.text)))
        row["description"] = Guess((text.whole,), Text(text.text), _SURE)
    # A row whose amount cannot be read is one all the same, or the others would be taken for all.
    return row if "amount" in row or ({"quantity", "unit_price"} & row.keys() and named) else None


def _column(head: Head, cell: Cell) -> str:
    """The column whose head is nearest, edge to edge or middle to middle; "" for one of no interest."""

    def apart(span: Span) -> float:
        offs = (span.left - cell.left, span.right - cell.right, span.middle - cell.middle)
        return min(map(abs, offs))

    name, span = min(head.columns.items(), key=lambda item: apart(item[1]))
    nearest = min((apart(other) for other in head.others), default=math.inf)
    return name if apart(span) < min(_REACH * cell.height, nearest) else ""


def _value(column: str, cell: Cell, habits: Habits) -> Guess | None:
    if column == "quantity":
        match = _COUNT.match(cell.text)
        value = read_quantity(match[0], habits.decimal) if match else None
        return Guess((cell.part(0, match.end()),), value, _SURE) if match and value else None
    amounts = amounts_in(cell.whole, habits)
    return Guess((amounts[-1].span,), amounts[-1].money, _SURE) if amounts else None


def _counted(layout: Layout, labels: Labels, habits: Habits) -> Iterator[Row]:
    """Rows that count: `2 x 3.50 7.00`; the words before or in the row above name the goods."""
    for cells in layout.rows:
        for cell in cells:
            match = _TIMES.search(cell.text)
            if match and not _ends(labels, cells):
                row = next(_count(layout, cell, match, habits), None)
                if row:
                    yield {**row, **_named(layout, labels, cell, match.start())}
                break


def _count(layout: Layout, cell: Cell, match: re.Match[str], habits: Habits) -> Iterator[Row]:
    number = Decimal(match[1].replace(",", "."))
    spans = [cell.part(match.end(), len(cell.text)), *(c.whole for c in layout.right_of(cell))]
    amounts = [amount for span in spans for amount in amounts_in(span, habits)]
    if not amounts:
        return
    quantity = Guess((cell.part(*match.span(1)),), Quantity(number), _SURE)
    row: Row = {"quantity": quantity}
    row["unit_price"] = Guess((amounts[0].span,), amounts[0].money, _SURE)
    if len(amounts) > 1:
        row["amount"] = Guess((amounts[-1].span,), amounts[-1].money, _SURE)
    yield row


def _named(layout: Layout, labels: Labels, cell: Cell, count: int) -> Row:
    """What the words before a count call the goods, in its cell or left of it, or the row above.

    A row above that counts itself, or says what a label of its own announces, names other things.
    """
    before = [cell.part(0, count), *(other.whole for other in layout.left_of(cell))]
    named = [(span, _SURE) for span in before if _is_name(span.text)]
    above = layout.rows[cell.row - 1] if cell.row else ()
    if not named and not any(_TIMES.search(c.text) or _is_labelled(labels, c) for c in above):
        named = [(c.whole, _ABOVE) for c in above if _is_name(c.text)]
    if not named:
        return {}
    span, worth = named[0]
    return {"description": Guess((span,), Text(span.text), worth)}


def _is_name(text: str) -> bool:
    """Whether a text has words, and is not the number of an article."""
    letters = sum(map(str.isalpha, text))
    enough = 1 if is_ideographic(text) else 2
    return letters > max(enough, sum(map(str.isdigit, text)))


def _is_labelled(labels: Labels, cell: Cell) -> bool:
    """Whether a cell is a label with its value."""
    behind = [cell.text[it.last.end :] for it in labels.within_surely(cell) if it.alone]
    return any(":" in rest or any(map(str.isdigit, rest)) for rest in behind)


def _fields(row: Row, layout: Layout, decimal: str) -> Iterator[Field]:
    for name in ("description", "quantity", "unit", "unit_price", "amount"):
        guess = row.get(name)
        if guess and name == "quantity":
            yield _quantity(row, layout, decimal)
            yield from _unit(guess.value, guess, layout)
        elif guess:
            yield Field(name, candidate_of(guess, layout))


def _quantity(row: Row, layout: Layout, decimal: str) -> Field:
    """How many: of "1,000" as one or as a thousand the one that price and amount bear out.

    Else the one that the page's decimal mark says; without it neither is the answer.
    """
    guess = row["quantity"]
    told = quantities(guess.raw, decimal)
    proven = [it for it in quantities(guess.raw, "") if _comes_out(it, row)]
    readings = proven if len(proven) == 1 else told
    best, *others = (candidate_of(replace(guess, value=it), layout) for it in readings)
    return Field("quantity", best, tuple(others), bool(others), bool(others))


def _comes_out(number: Quantity, row: Row) -> bool:
    """Whether a price and so many times it are in the row."""
    price, amount = (row[n].value if n in row else None for n in ("unit_price", "amount"))
    if not isinstance(price, Money) or not isinstance(amount, Money):
        return False
    return abs(number.number * price.amount - amount.amount) <= _CENT


def _unit(value: Value | None, guess: Guess, layout: Layout) -> Iterator[Field]:
    if isinstance(value, Quantity) and value.unit:
        span = guess.spans[0]
        at = span.text.rfind(value.unit)
        if at >= 0:
            part = span.cell.part(span.start + at, span.start + at + len(value.unit))
            yield Field("unit", candidate_of(Guess((part,), Text(part.text), _SURE), layout))
