"""What is read on pages written by hand."""

from __future__ import annotations

from decimal import Decimal

from edge_clm.page.fields.invoice import read_invoice
from edge_clm.page.fields.layout import layout_of
from edge_clm.paper import Field, PageKind, PageText, Table
from edge_clm.values.habits import habits_of
from edge_clm.values.value import Money


def read(text: PageText, kind: PageKind = PageKind.INVOICE) -> dict[str, Field]:
    """The fields of a page by their names."""
    fields, _ = read_invoice(layout_of(text), habits_of([text]), kind)
    return {field.name: field for field in fields}


def slip(text: PageText) -> dict[str, Field]:
    """The fields of a receipt by their names."""
    return read(text, PageKind.RECEIPT)


def tables(text: PageText) -> dict[str, Table]:
    """The tables of a page by their names."""
    _, found = read_invoice(layout_of(text), habits_of([text]), PageKind.INVOICE)
    return {table.name: table for table in found}


def amount(field: Field) -> Decimal:
    """The amount of money that a field is read as."""
    assert isinstance(field.best.value, Money)
    return field.best.value.amount
