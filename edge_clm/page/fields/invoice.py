"""The fields and tables of invoices, receipts and contracts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from edge_clm.page.fields.advertising import advertising
from edge_clm.page.fields.amounts import amounts_in
from edge_clm.page.fields.dates import document_dates, labelled_dates
from edge_clm.page.fields.guesses import Guess, decide
from edge_clm.page.fields.labels import labels_of
from edge_clm.page.fields.layout import Layout
from edge_clm.page.fields.lines import goods_of, lines_of, places_of_goods
from edge_clm.page.fields.numbers import labelled_numbers, unlabelled_numbers
from edge_clm.page.fields.parties import Parties, parties_of, seller_on_slip
from edge_clm.page.fields.sections import sections_of
from edge_clm.page.fields.sums import sums_of
from edge_clm.page.fields.taxes import ibans, rates, summary, tax_ids
from edge_clm.paper import Field, PageKind, Table
from edge_clm.values.currencies import currency_of
from edge_clm.values.habits import Habits
from edge_clm.values.value import Text

_MARK = re.compile(r"[^\W\d]+|[^\s\w.,()+\-]")
_ALONE = re.compile(r"(?<!\w)(?:[A-Z]{2,3}|[^\w\s.,()+\-])(?!\w)")
_SUMS = {
    "subtotal": "subtotal",
    "discount": "discount",
    "tax": "tax",
    "shipping": "shipping",
    "service_charge": "service",
    "rounding": "rounding",
    "total": "total",
    "paid": "paid",
    "change": "change",
}


def read_invoice(
    layout: Layout, habits: Habits, kind: PageKind
) -> tuple[tuple[Field, ...], tuple[Table, ...]]:
    """Reads one page of an invoice, a receipt or a contract."""
    labels = labels_of(layout)
    sections = sections_of(layout, labels)
    slip = kind is PageKind.RECEIPT
    parties = seller_on_slip(layout, labels) if slip else parties_of(layout, labels, sections)
    goods = goods_of(layout, labels, sections, habits)
    sums = sums_of(layout, labels, sections, places_of_goods(goods), habits)
    numbers = list(labelled_numbers(layout, labels, "number", habits))
    guesses: dict[str, Iterable[Guess]] = {
        **_names(parties),
        "seller_tax_id": tax_ids(layout, labels),
        "number": numbers if numbers or slip else unlabelled_numbers(layout, labels),
        "order_number": labelled_numbers(layout, labels, "order_number", habits),
        "date": document_dates(layout, labels, habits),
        "due_date": labelled_dates(layout, labels, "due_date", habits),
        "currency": _currencies(layout, habits),
        "tax_rate": rates(layout, labels, sections),
        "iban": ibans(layout),
        **{name: sums.parts[part] for name, part in _SUMS.items()},
    }
    fields = [field for name, found in guesses.items() if (field := decide(name, found, layout))]
    fields += advertising(layout, labels, sections, habits)
    tables = (
        lines_of(goods, layout, habits),
        summary(layout, labels, sections, habits),
    )
    return tuple(fields), tuple(table for table in tables if table)


def _names(parties: Parties) -> dict[str, list[Guess]]:
    return {
        "seller": parties.seller,
        "seller_address": parties.seller_address,
        "buyer": parties.buyer,
        "buyer_address": parties.buyer_address,
    }


def _currencies(layout: Layout, habits: Habits) -> Iterator[Guess]:
    """The mark printed with an amount, for each amount that has one; else one that stands alone."""
    for cell in layout.cells:
        for amount in amounts_in(cell.whole, Habits(decimal=habits.decimal)):
            mark = _MARK.search(amount.span.text)
            if mark and amount.money.currency:
                start = amount.span.start
                span = cell.part(start + mark.start(), start + mark.end())
                yield Guess((span,), Text(habits.currency or amount.money.currency), 0.8)
                break
        for match in _ALONE.finditer(cell.text) if habits.currency else ():
            if currency_of(match[0], habits.currency) == habits.currency:
                yield Guess((cell.part(*match.span()),), Text(habits.currency), 0.4)
